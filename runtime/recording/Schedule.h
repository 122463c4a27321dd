//===-- Schedule.h - which launches are digested ----------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Digests are only comparable when they were taken at the same moments. Where
// the recorder chooses the launches by the clock, it does so in one run; the
// schedule hands its choice to the runs that are compared with that one.
//
// As text, a schedule has one entry per line, ascending:
//
//     17        digest after launch 17
//     20-3000   digest after each of these launches
//     3001+     not after launch 3001 itself, but when memory is freed (or a
//               module unloaded) between it and launch 3002: what goes
//
// What is left when a context or the program ends is always digested, and has
// no entry. Empty lines and lines that start with # mean nothing.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_RECORDING_SCHEDULE_H
#define BANKSTRIPE_RECORDING_SCHEDULE_H

#include "recording/Recording.h"
#include <variant>

namespace bankstripe::runtime {

class Schedule {
public:
  /// Reads the text of a schedule.
  ///
  /// \returns the schedule, or what is wrong with the text and in which line.
  static std::variant<Schedule, std::string> parse(const std::string &Text);

  /// The schedule that makes another run take the digests of \p Of.
  static Schedule of(const Recording &Of);

  /// The text that parse() reads.
  std::string text() const;

  /// Whether to digest after launch \p Launch.
  bool after(unsigned Launch) const { return has(Launch, false); }
  /// Whether to digest what goes before the launch after \p Launch.
  bool beforeFree(unsigned Launch) const { return has(Launch, true); }

  /// Adds what follows all entries so far.
  ///
  /// \returns false, and adds nothing, when \p First is not behind them or
  /// \p Last lies before it.
  bool add(unsigned First, unsigned Last, bool BeforeFree);

private:
  struct Entry {
    unsigned First = 0, Last = 0;
    bool BeforeFree = false;
  };
  bool has(unsigned Launch, bool BeforeFree) const;

  std::vector<Entry> Entries; ///< Ascending, and none overlaps another.
};

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_RECORDING_SCHEDULE_H
