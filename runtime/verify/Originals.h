//===-- Originals.h - what the original did, for the next time --*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_VERIFY_ORIGINALS_H
#define BANKSTRIPE_VERIFY_ORIGINALS_H

#include "verify/Runner.h"

namespace bankstripe::runtime {

/// The folder of `--originals`, where many versions are compared with one
/// original. A run is only good for the same program, bytes and arguments.
class Originals {
public:
  /// \param How what else a run depends on: the settings of the recorder.
  Originals(const Options &O, const std::string &How);

  /// The run \p Number that was kept; nothing when there is none that is good.
  std::optional<RecordedRun> find(unsigned Number) const;
  /// Keeps \p Run. Does nothing without a folder, for a run that failed, and
  /// where the folder cannot be written.
  void keep(unsigned Number, const RecordedRun &Run) const;

private:
  std::string stem(unsigned Number) const;

  std::string Folder; ///< Empty for none.
  std::string Key;    ///< What a run is good for.
};

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_VERIFY_ORIGINALS_H
