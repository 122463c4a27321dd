//===-- UnreadFiles.h - what files that are not read may do -----*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program is more than its CUDA sources: host code in .cpp files launches
// kernels by cudaLaunchKernel, a script loads them by name, and a build names
// sources outside of the given folders. Nobody parses these, but a kernel can
// only be used by a file that names it. So each such file is searched for the
// names of kernels, if it has to do with CUDA at all; what is found counts as
// an address that was taken.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TOOL_UNREADFILES_H
#define BANKSTRIPE_TOOL_UNREADFILES_H

#include "tool/Pipeline.h"

namespace bankstripe {

/// What files of the program that no unit has read may do with its kernels.
struct UnreadUses {
  std::vector<UnseenUse> Kernels;
  /// One of them that has device code and names a function of a unit that is
  /// linked with others; empty: none.
  std::string DeviceCode;
  /// A CUDA source of a database that nobody has generated yet; empty: none.
  std::string Missing;
  /// One of them can give a kernel in a graph another block.
  bool ChangesNodes = false;
};

/// Looks at the other files of the compile databases of \p Read, and, unless
/// \p Options names one, at those in the given folders: sources and scripts,
/// and what these include by `"..."` beside them. Of the files that were read,
/// looks for names in those that load kernels by their name; and does nothing
/// else if the user says that these are the whole program.
UnreadUses findUnreadUses(const ReadResult &Read, const ReadingOptions &Options,
                          bool IsWhole);

} // namespace bankstripe

#endif
