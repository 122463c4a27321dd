//===-- Process.h - running a compiler --------------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As if it had been run without us: its status is ours, and so is the signal
// that ends it; signals that ask us to end are handed on to it.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_WRAP_PROCESS_H
#define BANKSTRIPE_WRAP_PROCESS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <string>

namespace bankstripe {

/// How a process ended, and what it printed if that was caught.
struct ProcessResult {
  int Status = 0;           ///< As waitpid says.
  bool Interrupted = false; ///< We were asked to end meanwhile.
  std::string Out, Err;

  bool succeeded() const;
  bool wasKilled() const;
};

/// Becomes \p Words. \returns an exit status when that cannot be.
int become(const std::vector<std::string> &Words);

/// Runs \p Words; with \p Catch, what it prints is kept from the user.
ProcessResult runProcess(const std::vector<std::string> &Words, bool Catch);

/// Runs \p Work in a process of its own, whose output nobody sees unless
/// \p Show is set. \returns what it wrote to the descriptor that it was given,
/// in Out.
ProcessResult runApart(llvm::function_ref<void(int Descriptor)> Work,
                       bool Show);

/// Writes \p Text to \p Descriptor whole, as far as anybody reads it.
void writeAll(int Descriptor, llvm::StringRef Text);

/// Ends this process as the one of \p Result ended.
int endAs(const ProcessResult &Result);

} // namespace bankstripe

#endif
