//===-- Locate.h - the launch and the element that differ -------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_VERIFY_LOCATE_H
#define BANKSTRIPE_VERIFY_LOCATE_H

#include "harness/Runner.h"
#include "verify/Compare.h"
#include "verify/Options.h"

namespace bankstripe::runtime {

/// Runs both programs of a verification.
class ProgramRunner : public Runner {
public:
  /// \param O outlives this.
  ProgramRunner(const Options &O, std::string Recorder, Progress Show)
      : Runner(O.TimeoutSeconds, std::move(Recorder), std::move(Show)), O(O) {}
  const Options &options() const { return O; }

private:
  const Options &O;
};

/// So many launches are digested in one round of the search.
constexpr unsigned LaunchesPerRound = 64;

/// Launches of which the first one that differs is to be found.
struct LaunchRange {
  std::optional<unsigned> EqualAfter; ///< None: not even before the first.
  unsigned Differs = 0;
  unsigned first() const { return EqualAfter ? *EqualAfter + 1 : 0; }
  bool isOne() const { return first() == Differs; }
};

/// What to digest in the next round: as \p Before up to \p Range, so that what
/// varies there is known as before; then all its launches when they are at most
/// \p Most, else as many that are evenly spread and end with the last one, and
/// between them whatever is freed; and nothing behind it.
DigestRule narrowed(DigestRule Before, const LaunchRange &Range,
                    unsigned Most = LaunchesPerRound);

/// The range in which \p Differs arose: it begins after the last launch before
/// it that both programs have digests of all memory for.
LaunchRange rangeBefore(const Recording &Original, const Recording &Rewritten,
                        unsigned Differs);

/// What the search for a launch found.
struct Location {
  LaunchRange Range;
  unsigned Rounds = 0; ///< How often both programs ran again.
  std::string Problem; ///< Why the range is not one launch; else empty.
  /// When nothing differs but what varies by itself: the launches that do.
  std::vector<unsigned> Varying;
};

/// Recordings of one rule that are compared with each other.
struct Recordings {
  DigestRun How;
  Recording Original, Rewritten;
  std::vector<Recording> Controls;

  Comparison compared() const { return compare(Original, Controls, Rewritten); }
};

/// What they say, perhaps after further runs.
struct Findings {
  Recordings Recorded;
  Comparison Launches;
  std::optional<Location> Found; ///< Of the difference, if that is in memory.
};

/// Compares, and narrows the first difference down to a launch.
///
/// \param Ended whether the rewritten program did as it should. If not, how far
/// the two agree says where to look.
Findings lookFor(ProgramRunner &Programs, Recordings Recorded, bool Ended);

/// For a rewritten program that failed or printed something else. Where that
/// left no trace in the digests, what went wrong was overwritten since; more
/// digests tell when.
Findings lookCloser(ProgramRunner &Programs, Findings Known, bool Ended);

/// The bytes from D.Begin to \p End in memory after the launch D.Launch; empty
/// when they could not be had.
std::string fetchBytes(ProgramRunner &Programs, bool OfRewritten,
                       bool RandomAddresses, const Difference &D, uint64_t End);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_VERIFY_LOCATE_H
