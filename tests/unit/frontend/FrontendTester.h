//===-- FrontendTester.h - what the tests here share ------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TESTS_UNIT_FRONTEND_FRONTENDTESTER_H
#define BANKSTRIPE_TESTS_UNIT_FRONTEND_FRONTENDTESTER_H

#include "frontend/Frontend.h"
#include "support/TemporaryFolder.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "gtest/gtest.h"
#include <string>
#include <vector>

namespace bankstripe::testing {

/// A job for \p File that uses the built-in declarations.
CompileJob builtinJob(const std::string &File,
                      std::vector<std::string> Args = {});

/// What came of parsing a file.
struct Parsed {
  bool Succeeded = false;
  ParseOutcome Outcome;
  std::string Error;       ///< The error of parseUnit.
  std::string Diagnostics; ///< What Clang printed.
  unsigned Calls = 0;      ///< Of the callback.
};

Parsed parse(const CompileJob &Job);

/// The same of a file `a.cu` that holds \p Text.
Parsed parseText(llvm::StringRef Text, std::vector<std::string> Args = {});

/// The same, with what bridges offer, for C++17.
Parsed parseBridged(const std::string &Text);
bool parsesBridged(const std::string &Text);

/// The message of a parse of \p Code that fails; else empty.
std::string failureOf(const std::string &Code);

/// How the parse of \p Code for the host went; each that the callback sees is
/// one of \p Calls.
HostView hostViewOf(const std::string &Code, unsigned &Calls);

/// Counts how often files are read whose paths end with \p Ending.
class ReadCounter final : public ParseWatch {
public:
  explicit ReadCounter(std::string Ending) : Ending(std::move(Ending)) {}

  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>
  watch(llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> Disk) override;
  void sawTime() override {}

  unsigned Reads = 0;

private:
  std::string Ending;
};

/// Success, or the message of a failed parse of \p Code as a snippet.
/// Without the nvcc compatibility header.
::testing::AssertionResult parses(llvm::StringRef Code,
                                  std::vector<std::string> Args = {});

} // namespace bankstripe::testing

#endif
