//===-- Stats.h - what became of the files of a build -----------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each compile adds a line of JSON to a file in its object's folder, in one
// write, so that those which run at the same time do not mix. Of an object only
// the last line counts, and only as long as the object is there.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_WRAP_STATS_H
#define BANKSTRIPE_WRAP_STATS_H

#include "llvm/Support/raw_ostream.h"
#include <map>
#include <string>

namespace bankstripe {

inline constexpr llvm::StringLiteral StatsFileName = ".bankstripe-stats";

/// One compile behind the launcher.
struct CompileStats {
  std::string Source, Object; ///< Absolute.
  /// What became of it: 1 for `parsed` and `rewritten`; arrays that are
  /// `moved`, the `kernels` that reach those, and how many of these are
  /// `choosing` at run time; arrays by their verdict (`verdict stripe`), those
  /// that stay by their reason (`reason nolint`), and the decisions that are
  /// `unfulfilled`.
  std::map<std::string, int64_t> Counts;
  double Seconds = 0; ///< That it took longer.

  /// `2 arrays of 1 kernel moved`.
  std::string text() const;
};

/// Adds \p Stats to those in the folder of its object. Where nothing can be
/// written nothing is kept.
void addStats(const CompileStats &Stats);

/// Whether \p Stats say something else of the source than those in the folder.
bool areNews(const CompileStats &Stats);

/// Prints the sum of what is there below \p Folder.
void printStats(llvm::raw_ostream &OS, llvm::StringRef Folder);

} // namespace bankstripe

#endif
