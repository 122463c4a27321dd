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

#include "verify/Locate.h"

namespace bankstripe::runtime {

/// What became of the capture that was asked for.
struct CaptureReport {
  std::string Path;             ///< Of the file.
  std::optional<unsigned> What; ///< The launch, when it is known which one.
  std::string Problem;          ///< Why there is no capture; else empty.
  std::string Kernel;           ///< That was launched, as a person writes it.
  uint64_t Bytes = 0;           ///< Of the file.
  std::string Error;            ///< That the original's launch ended with.
  /// Why the rewritten kernel is not part of it; else empty.
  std::string RewrittenProblem;
  std::vector<std::string> Lacks; ///< What a replay cannot put back.

  bool isThere() const { return Problem.empty(); }
  /// What replays it.
  std::string command() const;
};

/// Makes captures with the \p Settings for the recorder.
class Capturer {
public:
  Capturer(const Options &O, Runner &Runs,
           std::map<std::string, std::string> Settings)
      : O(O), Runs(Runs), Settings(std::move(Settings)) {}

  /// Captures the launch \p Launch into the file that the options name.
  CaptureReport take(unsigned Launch, const Progress &Tell);

private:
  struct Piece {
    std::string Path;    ///< Of what the recorder wrote.
    std::string Kernel;  ///< Of the launch.
    std::string Problem; ///< Why there is nothing; else empty.
  };
  Piece record(bool IsRewritten, unsigned Launch);
  void addRewritten(CaptureReport &To, const Piece &Original,
                    const Piece &Rewritten);

  const Options &O;
  Runner &Runs;
  const std::map<std::string, std::string> Settings;
  std::string Folder;
};

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_VERIFY_CAPTURES_H
