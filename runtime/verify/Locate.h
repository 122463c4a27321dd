//===-- Locate.h - the launch and the element that differ -------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Digests that were not taken after every launch name a range of launches. Both
// programs run again with digests inside that range, until it is one launch;
// then they run once more and hand over the bytes.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_VERIFY_LOCATE_H
#define BANKSTRIPE_VERIFY_LOCATE_H

#include "recording/Schedule.h"
#include "verify/Compare.h"
#include "verify/Elements.h"
#include "verify/Runner.h"
#include <functional>

namespace bankstripe::runtime {

/// Told before each run what it is for; for a progress line.
using Progress = std::function<void(const std::string &)>;

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
/// between them whatever is freed.
Schedule narrowed(const Schedule &Before, const LaunchRange &Range,
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

class Locator {
public:
  Locator(const Options &O, Runner &Runs, const Progress &Tell)
      : O(O), Runs(Runs), Tell(Tell) {}

  /// Narrows \p Range, at whose end digests by the schedule \p When showed
  /// \p First. That becomes the difference after the first launch that differs.
  ///
  /// \param MayVanish whether \p First can turn out to be none, because each
  /// launch that differs is one that the original does not reproduce.
  Location narrow(std::optional<Difference> &First, LaunchRange Range,
                  Schedule When, bool MayVanish);

  /// The bytes from D.Begin to \p End in memory after the launch \p D.Launch;
  /// empty when they could not be had.
  std::string fetch(bool IsRewritten, const Difference &D, uint64_t End);

  /// Settings that make the recorder follow \p What.
  std::map<std::string, std::string> follow(const Schedule &What);

private:
  bool record(const Command &What, const Schedule &When, Recording &Into,
              std::string &Problem);
  bool round(std::optional<Difference> &First, Location &At,
             const Schedule &When, bool MayVanish);

  const Options &O;
  Runner &Runs;
  const Progress &Tell;
  unsigned Schedules = 0; ///< Files written so far.
};

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_VERIFY_LOCATE_H
