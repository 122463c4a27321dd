//===-- Originals.h - what the original did, for the next time --*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_VERIFY_ORIGINALS_H
#define BANKSTRIPE_VERIFY_ORIGINALS_H

#include "recording/Recording.h"
#include "verify/Child.h"
#include "verify/Options.h"
#include <optional>

namespace bankstripe::runtime {

/// One run of a program under the recorder.
struct RecordedRun {
  ChildResult Child;
  Recording Record;
  std::string Problem; ///< Why there is no recording; else empty.
  bool HasOtherProcesses = false;
};

/// Reads the recording in \p Path; says in \p Run what is wrong with it.
void readRecordingInto(RecordedRun &Run, const std::string &Path);

/// The folder of `--originals`, where many versions are compared with one
/// original. A run is only good for the same program, bytes and arguments.
class Originals {
public:
  explicit Originals(const Options &O);

  /// The run \p Number that was kept; nothing when there is none that is good.
  std::optional<RecordedRun> find(unsigned Number) const;
  /// Keeps \p Run with its recording in \p Path. Does nothing without a
  /// folder, for a run that failed, and where the folder cannot be written.
  void keep(unsigned Number, const RecordedRun &Run,
            const std::string &Path) const;

private:
  std::string stem(unsigned Number) const;

  std::string Folder; ///< Empty for none.
  std::string Key;    ///< What a run is good for.
};

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_VERIFY_ORIGINALS_H
