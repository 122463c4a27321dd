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

/// How the parse of \p Code for the host went; each that the callback sees is
/// one of \p Calls.
HostView hostViewOf(const std::string &Code, unsigned &Calls);

/// Success, or the message of a failed parse of \p Code as a snippet.
/// Without the nvcc compatibility header.
::testing::AssertionResult parses(llvm::StringRef Code,
                                  std::vector<std::string> Args = {});

} // namespace bankstripe::testing

#endif
