//===-- Simulation.h - programs whose times are known -----------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests of the search need a program that runs faster with some layouts:
//
//   Simulation S(U);
//   S.Speedup = [](const Version &V) {
//     return V.of("a") == "stripe" ? 2.0 : 1.0;
//   };
//   S.tune();
//   EXPECT_EQ(S.bestOf("k"), "stripes");
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TESTS_UNIT_TUNE_SIMULATION_H
#define BANKSTRIPE_TESTS_UNIT_TUNE_SIMULATION_H

#include "Units.h"
#include "tune/Search.h"
#include "tune/TuneResult.h"
#include <functional>

namespace bankstripe::testing {

/// What a version of the program looks like to the one who times it.
struct Version {
  const Plan &P;
  std::string Kernel; ///< The one to be timed.

  /// `stripe`, `slot` or `keep`.
  std::string of(const std::string &Array) const;
};

/// A program that is not really run.
class Simulation {
public:
  explicit Simulation(const TestUnit &U, PlanOptions Options = {});

  /// Of the version over the original; below 0: the version is wrong.
  std::function<double(const Version &)> Speedup;
  std::function<bool(const std::string &)> IsLaunched;
  /// Of the program's time; all by default.
  std::function<double(const std::string &)> ShareOf;
  double SecondsOfAVersion = 1;
  /// What the model says; nothing unless it is set.
  Foresight Foreseen;

  /// Searches every group, for so many seconds by an invented clock; 0: until
  /// all is tried. \returns the names of the attempts.
  std::vector<std::string> tune(double Seconds = 0);
  /// The names of the attempts of the group of kernel \p Name.
  std::vector<std::string> attemptsOf(const std::string &Name) const;
  /// The best for that group; empty for the original.
  std::string bestOf(const std::string &Name) const;
  const TuneGroup &groupOf(const std::string &Name) const;
  TuneResult result() const;

private:
  void measure(const TuneGroup &G, const Plan &P, Attempt &A) const;

  TestUnit U;
  PlanOptions Options;
  Plan Movable;
  std::vector<TuneGroup> Groups;
};

} // namespace bankstripe::testing

#endif
