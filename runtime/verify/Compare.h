//===-- Compare.h - two recordings, launch by launch ------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pure functions over recordings: nothing is run, read or printed here.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_VERIFY_COMPARE_H
#define BANKSTRIPE_VERIFY_COMPARE_H

#include "recording/Recording.h"
#include <set>

namespace bankstripe::runtime {

enum class DifferenceKind {
  Contents,          ///< An allocation holds other bytes after the launch.
  Kernel,            ///< Another kernel is launched.
  Grid,              ///< With another grid.
  Block,             ///< With another block.
  MissingLaunch,     ///< The rewritten program launches less.
  ExtraLaunch,       ///< The rewritten program launches more.
  LaunchError,       ///< One of the launches fails, or fails differently.
  MissingAllocation, ///< Live in the original program only.
  ExtraAllocation,   ///< Live in the rewritten program only.
  AllocationSize,    ///< The allocation of this number has another size.
  Left,              ///< An allocation holds other bytes in the end.
};

/// One thing in which two programs differ.
struct Difference {
  DifferenceKind Kind = DifferenceKind::Contents;
  unsigned Launch = 0;         ///< Index of the launch.
  std::string OriginalKernel;  ///< Canonical names; empty where there is no
  std::string RewrittenKernel; ///< such launch.
  bool IsVariable = false;     ///< A `__device__` variable.
  unsigned Allocation = 0;     ///< Its number in the original program.
  unsigned RewrittenAllocation = 0; ///< Its number in the rewritten one.
  std::string Name;                 ///< Of a variable.
  uint64_t Bytes = 0;               ///< Size of the allocation.
  uint64_t Begin = 0, End = 0;      ///< The first range of bytes that differs.
  uint64_t LastEnd = 0;             ///< End of the last such range.
  std::string Original, Rewritten;  ///< Grids, blocks, errors or sizes.
};

/// Two recordings side by side.
struct PairComparison {
  /// All differences in memory, in the order of the launches. Only what a
  /// launch changed is looked at, so a difference is found where it arises.
  std::vector<Difference> Contents;
  /// Where the launches no longer correspond; nothing is compared from there.
  std::optional<Difference> Stop;
  unsigned ComparedLaunches = 0;
  unsigned UndigestedLaunches = 0; ///< Among them, without digests to compare.
  unsigned UnmatchedDigests = 0; ///< Among these, with digests in one program.
};

PairComparison comparePair(const Recording &Original,
                           const Recording &Rewritten);

/// The verdict on a rewritten program.
struct Comparison {
  /// The first difference that the rewrite is to blame for.
  std::optional<Difference> First;
  /// The digests with First are of several launches, in which the original does
  /// not reproduce itself elsewhere. Only digests of each of them can tell
  /// whether it is one of the launches whose results vary.
  bool FirstIsTentative = false;
  /// Memory (1 for a variable, number) of which a difference is excused because
  /// the original does not reproduce itself.
  std::set<std::pair<bool, unsigned>> Excused;
  unsigned DifferingLaunches = 0;
  unsigned ComparedLaunches = 0;
  unsigned UndigestedLaunches = 0;
  /// Launches with digests of which the other program has none to compare with.
  unsigned UnmatchedDigests = 0;
  /// Launches that leave different bytes in two runs of the original.
  std::vector<unsigned> NotDeterministic;
  /// From this launch on, two runs of the original launch different things.
  std::optional<unsigned> SequenceNotDeterministicFrom;
  /// Host threads of the original that launch.
  unsigned Threads = 0;
  /// From here on both launch other grids or blocks, which follow occupancy
  /// queries. Then only what is left in the end is compared,
  std::optional<Difference> FollowsOccupancy;
  unsigned WithoutCounterpart = 0; ///< but for so many allocations.
  /// Several threads launch, and not in the same order in two runs of the
  /// original. Then only the number of launches of each kernel is compared.
  bool OrderNotDeterministic = false;
  bool identical() const { return !First; }
  bool deterministic() const {
    return NotDeterministic.empty() && !SequenceNotDeterministicFrom &&
           !OrderNotDeterministic;
  }
};

/// Compares a rewritten program with the original.
///
/// A difference is excused when the original does not reproduce itself there:
/// when the launch differs between \p Original and one of \p Controls, or when
/// the allocation does so since an earlier launch. When the original launches
/// from several host threads and differs from itself at all, launches of the
/// same number need not be the same launches. Then no memory is compared.
///
/// \param Controls further runs of the original.
Comparison compare(const Recording &Original,
                   const std::vector<Recording> &Controls,
                   const Recording &Rewritten);

/// What two runs printed.
struct OutputComparison {
  bool Compared = false;           ///< Else nothing is known of it.
  bool Differs = false;            ///< Rewritten against original.
  bool NotDeterministic = false;   ///< Original against itself.
  uint64_t Line = 0;               ///< First line that differs, from 1.
  std::string Original, Rewritten; ///< That line in both.
  bool failed() const { return Differs && !NotDeterministic; }
};

OutputComparison compareOutput(const std::string &Original,
                               const std::string &Control,
                               const std::string &Rewritten);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_VERIFY_COMPARE_H
