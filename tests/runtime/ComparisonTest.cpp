//===-- ComparisonTest.cpp - the rule by which programs choose kernels ----===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the rule of runtime/device/bankstripe_choose.cuh decides, for a GPU and
// a host that exist in this file alone: their clock says when a launch is done
// and when its times come back.
//
//===----------------------------------------------------------------------===//

#include "device/bankstripe_choose.cuh"
#include <algorithm>
#include <cmath>
#include <deque>
#include <gtest/gtest.h>
#include <random>

using bankstripe::detail::comparison;

namespace {

/// A program that launches one kernel again and again.
struct Program {
  int Launches = 400;
  double Original = 100, Version = 100; ///< Their times, in microseconds.
  double Noise = 0.02;   ///< Of the logarithm of a time, with heavy tails.
  double Growth = 1;     ///< Of the work from one launch to the next.
  double First = 200;    ///< What the very first launch takes beside.
  int Synchronizes = 1;  ///< After so many launches; 0: never.
  bool IsPatient = true; ///< Launches wait for times.
  bankstripe::expectation Expected = bankstripe::may_gain;
  comparison::outcome OtherSetting = comparison::open; ///< What it chose.

  comparison::outcome better() const {
    return Version < Original ? comparison::version : comparison::original;
  }
};

// What choosing costs beside the kernels, in microseconds, as on an H200: two
// events, a launch that waits, and a kernel that is loaded.
constexpr double Timing = 6, Waiting = 8, Loading = 150;

struct Run {
  double Took = 0;
  int VersionBefore = 0; ///< Launches of the version before the decision.
  int Outcome = comparison::open;
};

/// \param Fixed what all launches run; open: they choose.
Run run(const Program &P, unsigned Seed,
        comparison::outcome Fixed = comparison::open) {
  struct Pending {
    int Sample;
    double Done, Time;
  };
  std::mt19937_64 Generator(Seed);
  std::student_t_distribution<double> Draw(3);
  comparison Rule = {};
  Rule.begin(P.Expected, P.OtherSetting);
  std::deque<Pending> UnderWay;
  Run Result;
  Result.Outcome = Fixed;
  double Host = 0, Gpu = 0, Work = 1;
  for (int I = 0; I < P.Launches; ++I, Work *= P.Growth) {
    Host += 3;
    if (P.IsPatient && !Result.Outcome && Rule.awaits_times())
      Host = std::max(Host, UnderWay.back().Done + Waiting);
    for (;
         !UnderWay.empty() && !Result.Outcome && UnderWay.front().Done <= Host;
         UnderWay.pop_front())
      Result.Outcome = Rule.add(UnderWay.front().Sample,
                                static_cast<float>(UnderWay.front().Time));
    const int Sample = Result.Outcome ? -1 : Rule.next();
    const bool Version = Result.Outcome ? Result.Outcome == comparison::version
                         : Sample < 0   ? Rule.leader == comparison::version
                                        : Rule.is_of_version(Sample);
    if (Sample == 1 && P.OtherSetting == comparison::open)
      Host += Loading;
    const double Time = (Version ? P.Version : P.Original) * Work *
                            std::exp(P.Noise * Draw(Generator)) +
                        (I ? 0 : P.First);
    Gpu = std::max(Gpu, Host) + Time + (Sample < 0 ? 0 : Timing);
    Result.VersionBefore += Version && !Result.Outcome;
    if (Sample >= 0) // Events count half microseconds.
      UnderWay.push_back(
          {Sample, Gpu, std::max(0.5, std::round(2 * Time) / 2)});
    if (P.Synchronizes && I % P.Synchronizes == P.Synchronizes - 1)
      Host = Gpu;
  }
  Result.Took = Gpu;
  return Result;
}

struct Runs {
  double OfBest = 0, OfUnchanged = 0; ///< 1: as fast as that.
  int Wrong = 0, Open = 0, MostVersion = 0;
};

constexpr int Repeats = 20;

Runs runMany(const Program &P) {
  Runs Result;
  double Took = 0, Best = 0, Unchanged = 0;
  for (unsigned Seed = 1; Seed <= Repeats; ++Seed) {
    const Run R = run(P, Seed);
    Took += R.Took;
    Best += run(P, Seed, P.better()).Took;
    Unchanged += run(P, Seed, comparison::original).Took;
    Result.Open += R.Outcome == comparison::open;
    Result.Wrong += R.Outcome != comparison::open && R.Outcome != P.better();
    Result.MostVersion = std::max(Result.MostVersion, R.VersionBefore);
  }
  Result.OfBest = Best / Took;
  Result.OfUnchanged = Unchanged / Took;
  return Result;
}

} // namespace

TEST(Comparison, FasterKernelRunsWhicheverItIs) {
  for (double Original : {40.0, 100.0, 10000.0})
    for (double Speedup : {2.0, 1.2, 1.1, 0.9, 0.5}) {
      Program P;
      P.Launches = 4000;
      P.Original = Original;
      P.Version = Original / Speedup;
      const Runs R = runMany(P);
      EXPECT_LE(R.Wrong, 1) << Original << " us, " << Speedup;
      EXPECT_GE(R.OfBest, 0.98) << Original << " us, " << Speedup;
    }
}

TEST(Comparison, HostsThatNeverWaitGain) {
  for (double Original : {100.0, 1000.0})
    for (double Speedup : {5.0, 1.5}) {
      Program P;
      P.Launches = 100;
      P.Synchronizes = 0;
      P.Original = Original;
      P.Version = Original / Speedup;
      EXPECT_GE(runMany(P).OfBest, 0.83) << Original << " us, " << Speedup;
    }
}

TEST(Comparison, LossesAreBounded) {
  for (double Original : {10.0, 100.0, 1000.0})
    for (double Speedup : {1.0, 0.95, 0.5, 0.2})
      for (int Launches : {1000, 10000}) {
        Program P;
        P.Launches = Launches;
        P.Synchronizes = 0;
        P.Original = Original;
        P.Version = Original / Speedup;
        EXPECT_GE(runMany(P).OfUnchanged, 0.985)
            << Launches << " of " << Original << " us, " << Speedup;
      }
}

TEST(Comparison, KernelThatTakesLongerIsTriedOnceAtFirst) {
  Program P;
  P.Launches = 12;
  for (double Times : {1.5, 10.0}) {
    P.Version = Times * P.Original;
    EXPECT_EQ(runMany(P).MostVersion, 1);
  }
}

TEST(Comparison, FirstLaunchSaysNothingOfAShortKernel) {
  Program P;
  P.Original = 3;
  P.Version = 3.5;
  for (double First : {0.0, 50.0, 1000.0, 9000.0}) {
    P.First = First;
    EXPECT_EQ(runMany(P).MostVersion, 0) << First;
  }
}

TEST(Comparison, ShortKernelsAreTriedAfterThousandsOfLaunches) {
  Program P;
  P.Original = 10;
  P.Version = 11;
  P.Launches = 1000;
  EXPECT_EQ(runMany(P).MostVersion, 0);
  P.Launches = 10000;
  EXPECT_GE(runMany(P).MostVersion, 1);
}

TEST(Comparison, WhatIsPredictedToLoseIsTriedLater) {
  Program P;
  P.Original = P.Version = 50;
  P.Launches = 100;
  EXPECT_GE(runMany(P).MostVersion, 2);
  P.Expected = bankstripe::loses;
  EXPECT_EQ(runMany(P).MostVersion, 0);
  P.Launches = 1000;
  EXPECT_GE(runMany(P).MostVersion, 1);
}

TEST(Comparison, WhatIsPredictedToGainForSureLeads) {
  Program P;
  P.Version = 20; // Too short to try the original.
  P.Expected = bankstripe::gains;
  EXPECT_EQ(runMany(P).MostVersion, P.Launches);
  P.Version = 300;
  EXPECT_GE(runMany(P).OfBest, 0.97);
}

TEST(Comparison, HostThatWaitsNowAndThenIsEnough) {
  Program P;
  P.Original = 1000;
  P.Version = 500;
  P.Synchronizes = 10;
  P.IsPatient = false;
  EXPECT_GE(runMany(P).OfBest, 0.91);
}

TEST(Comparison, PairThatAgreesWithAnotherSettingDecides) {
  for (auto Other : {comparison::original, comparison::version}) {
    comparison Rule = {};
    Rule.begin(bankstripe::may_gain, Other);
    EXPECT_EQ(Rule.leader, Other);
    Rule.add(Rule.next(), 100);
    EXPECT_EQ(Rule.add(Rule.next(), 110), Other);
    Rule = {};
    Rule.begin(bankstripe::may_gain, Other);
    Rule.add(Rule.next(), 110);
    EXPECT_EQ(Rule.add(Rule.next(), 100), comparison::open);
    EXPECT_NE(Rule.leader, Other);
  }
}

TEST(Comparison, WorkThatGrowsDoesNotDecide) {
  for (double Growth : {1.1, 0.9})
    for (double Speedup : {1.2, 0.8}) {
      Program P;
      P.Launches = 30;
      P.Growth = Growth;
      P.Version = P.Original / Speedup;
      EXPECT_LE(runMany(P).Wrong, 1) << Growth << " " << Speedup;
    }
}

TEST(Comparison, PredictionDecidesBetweenEquals) {
  Program P;
  P.Launches = 4000;
  P.Noise = 0; // No test can tell them apart.
  EXPECT_EQ(run(P, 1).Outcome, comparison::version);
  P.Expected = bankstripe::loses;
  EXPECT_EQ(run(P, 1).Outcome, comparison::original);
}

TEST(Comparison, FirstSampleThatFailsIsTakenOnceMore) {
  comparison Rule = {};
  Rule.begin(bankstripe::may_gain, comparison::open);
  EXPECT_EQ(Rule.next(), 0);
  EXPECT_EQ(Rule.add(0, -1), comparison::open);
  EXPECT_EQ(Rule.next(), 0);
  Rule.add(0, 100);
  EXPECT_EQ(Rule.next(), 1);
  EXPECT_EQ(Rule.add(1, -1), comparison::open);
  EXPECT_EQ(Rule.pairs, 0);
}

TEST(Comparison, BothKernelsOfAPairFollowEachOther) {
  comparison Rule = {};
  Rule.begin(bankstripe::may_gain, comparison::open);
  EXPECT_EQ(Rule.next(), 0);
  EXPECT_EQ(Rule.next(), -1);
  Rule.add(0, 20000);
  EXPECT_EQ(Rule.next(), 1);
  EXPECT_EQ(Rule.next(), -1);
  Rule.add(1, 20000);
  EXPECT_EQ(Rule.next(), 2);
  EXPECT_EQ(Rule.next(), 3);
  EXPECT_EQ(Rule.next(), -1);
}
