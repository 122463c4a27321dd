//===-- Diff.h - unified diffs as HTML --------------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_PAGE_DIFF_H
#define BANKSTRIPE_PAGE_DIFF_H

#include <string>

namespace bankstripe::runtime {

/// A unified diff, ready to be shown.
struct HtmlDiff {
  std::string Html; ///< One element per line, to stand in a <pre>.
  unsigned Added = 0, Removed = 0;
  unsigned LinesLeftOut = 0; ///< Beyond the limit.
};

/// Marks the lines, their numbers, and in a line that replaces another what is
/// different. The first two lines, which name the files, are left out.
///
/// \param MostBytes of HTML, after which lines are only counted.
HtmlDiff htmlDiff(const std::string &Unified, size_t MostBytes);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_PAGE_DIFF_H
