//===-- Mentions.h - where a program's text names kernels -------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel changes in place only where all that a program does with it is
// `kernel<<<...>>>`. That is asked of raw text, of every file that may belong
// to the program, whatever its language and whichever conditions leave it out:
// a name that is neither launched so, nor declared or defined, is a mention of
// which nobody knows what it does. A false alarm costs the form: the kernel
// gets a version beside it then.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TOOL_MENTIONS_H
#define BANKSTRIPE_TOOL_MENTIONS_H

#include "tool/Pipeline.h"

namespace bankstripe {

/// What the text of the files of a program says of its kernels.
struct ProgramText {
  KernelMentions Kernels;
  /// A file that no unit has read, with device code that names a function of a
  /// unit that is linked with others; empty: none.
  std::string DeviceCode;
  /// A CUDA source of a database that nobody has generated yet; empty: none.
  std::string Missing;
};

/// Searches the files of \p Read, and unless \p IsWhole (the user says that
/// these are all) those of its compile databases and of the folders that
/// \p Options give.
ProgramText readProgramText(const ReadResult &Read,
                            const ReadingOptions &Options, bool IsWhole);

/// Says of each of \p Read's sources that has kernels in strings and none
/// beside them that these were not read. Where there are no other kernels in
/// the run, it counts as one that could not be processed.
void reportKernelStrings(ReadResult &Read, Detail Level);

} // namespace bankstripe

#endif
