//===-- Captures.h - a launch of both programs into a file ------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both programs run once more. The original leaves a capture of the launch, the
// rewritten one its kernel, which is added to it. That happens in a folder
// beside the file that was asked for: it can be large, and what stands there in
// the end is whole.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_VERIFY_CAPTURES_H
#define BANKSTRIPE_VERIFY_CAPTURES_H

#include "verify/Runner.h"

namespace bankstripe::runtime {

/// What became of the capture that was asked for.
struct CaptureReport {
  std::string Path;             ///< Of the file.
  std::optional<unsigned> What; ///< The launch, when it is known which one.
  std::string Problem;          ///< Why there is no capture; else empty.
  std::string Kernel;           ///< That was launched, as a person writes it.
  uint64_t Bytes = 0;           ///< Of the file.
  /// Why the rewritten kernel is not part of it; else empty.
  std::string RewrittenProblem;
  std::vector<std::string> Lacks; ///< What a replay cannot put back.

  bool isThere() const { return Problem.empty(); }
  /// What replays it.
  std::string command() const;
};

/// Captures the launch \p Launch into the file that the options name.
CaptureReport captureLaunch(Runner &Runs, unsigned Launch,
                            bool RandomAddresses);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_VERIFY_CAPTURES_H
