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
  int Synchronizes = 1;  ///< After so many launches; 0: never.
  bool Predicted = true; ///< That the version is the faster one.
};

struct Run {
  double Took = 0, Best = 0, Unchanged = 0;
  int VersionBefore = 0; ///< Launches of the version before the decision.
  int Outcome = comparison::open;
};

Run run(const Program &P, unsigned Seed) {
  struct Pending {
    int Sample;
    double Done, Time;
  };
  std::mt19937_64 Generator(Seed);
  std::student_t_distribution<double> Draw(3);
  comparison Rule = {};
  Rule.predicted = P.Predicted;
  std::deque<Pending> UnderWay;
  Run Result;
  double Host = 0, Gpu = 0, Work = 1;
  for (int I = 0; I < P.Launches; ++I, Work *= P.Growth) {
    for (Host += 3;
         !UnderWay.empty() && !Result.Outcome && UnderWay.front().Done <= Host;
         UnderWay.pop_front())
      Result.Outcome = Rule.add(UnderWay.front().Sample,
                                static_cast<float>(UnderWay.front().Time));
    const int Sample = Result.Outcome ? -1 : Rule.next();
    const bool Version = Result.Outcome
                             ? Result.Outcome == comparison::version
                             : Sample >= 0 && comparison::is_of_version(Sample);
    const double Factor = Work * std::exp(P.Noise * Draw(Generator));
    const double Time = (Version ? P.Version : P.Original) * Factor;
    Gpu = std::max(Gpu, Host) + Time;
    Result.Took += Time;
    Result.Best += std::min(P.Original, P.Version) * Factor;
    Result.Unchanged += P.Original * Factor;
    Result.VersionBefore += Version && !Result.Outcome;
    if (Sample >= 0) // Events count half microseconds.
      UnderWay.push_back(
          {Sample, Gpu, std::max(0.5, std::round(2 * Time) / 2)});
    if (P.Synchronizes && I % P.Synchronizes == P.Synchronizes - 1)
      Host = Gpu;
  }
  return Result;
}

struct Runs {
  double OfBest = 0, OfUnchanged = 0; ///< 1: as fast as that.
  int Wrong = 0, Open = 0, MostVersion = 0;
};

constexpr int Repeats = 400;

Runs runMany(const Program &P) {
  Runs Result;
  double Took = 0, Best = 0, Unchanged = 0;
  for (unsigned Seed = 1; Seed <= Repeats; ++Seed) {
    const Run R = run(P, Seed);
    Took += R.Took;
    Best += R.Best;
    Unchanged += R.Unchanged;
    Result.Open += R.Outcome == comparison::open;
    Result.Wrong +=
        R.Outcome != comparison::open &&
        (R.Outcome == comparison::version) != (P.Version < P.Original);
    Result.MostVersion = std::max(Result.MostVersion, R.VersionBefore);
  }
  Result.OfBest = Best / Took;
  Result.OfUnchanged = Unchanged / Took;
  return Result;
}

} // namespace

TEST(Comparison, FasterKernelRunsWhicheverItIs) {
  for (double Original : {10.0, 100.0, 10000.0})
    for (double Speedup : {2.0, 1.2, 1.1, 0.9, 0.5}) {
      Program P;
      P.Original = Original;
      P.Version = Original / Speedup;
      const Runs R = runMany(P);
      EXPECT_LE(R.Wrong, Repeats / 100) << Original << " us, " << Speedup;
      EXPECT_EQ(R.Open, 0);
      EXPECT_GE(R.OfBest, 0.98) << Original << " us, " << Speedup;
    }
}

TEST(Comparison, FiftyLaunchesOfKernelsThatDifferLittleLoseLittle) {
  for (double Speedup : {1.2, 1.1, 1.05, 0.95, 0.8}) {
    Program P;
    P.Launches = 50;
    P.Version = P.Original / Speedup;
    EXPECT_GE(runMany(P).OfBest, 0.97) << Speedup;
  }
}

TEST(Comparison, VersionRunsBoundedlyOftenBeforeADecision) {
  for (double Speedup : {1.0, 0.97, 0.5, 0.1})
    for (int Synchronizes : {1, 7, 0}) {
      Program P;
      P.Version = P.Original / Speedup;
      P.Noise = 0.3;
      P.Synchronizes = Synchronizes;
      EXPECT_LE(runMany(P).MostVersion, comparison::most_pairs);
    }
}

TEST(Comparison, FactorOfTwoAndMoreIsSeenInTwoPairs) {
  Program P;
  P.Version = 10 * P.Original;
  P.Launches = 12;
  EXPECT_EQ(runMany(P).MostVersion, 2);
  P.Version = P.Original / 10;
  EXPECT_EQ(runMany(P).Wrong, 0);
}

TEST(Comparison, OriginalRunsWhileTheHostIsAhead) {
  Program P;
  P.Original = 1000;
  P.Version = 20000;
  P.Synchronizes = 0;
  const Runs R = runMany(P);
  EXPECT_LE(R.MostVersion, 2);
  EXPECT_EQ(R.Open, Repeats);
}

TEST(Comparison, HostThatWaitsNowAndThenIsEnough) {
  Program P;
  P.Original = 1000;
  P.Version = 500;
  P.Synchronizes = 10;
  EXPECT_GE(runMany(P).OfBest, 0.95);
}

TEST(Comparison, FirstPairIsDropped) {
  comparison Rule = {};
  Rule.add(Rule.next(), 100);
  EXPECT_EQ(Rule.add(Rule.next(), 100000), comparison::open);
  EXPECT_EQ(Rule.pairs, 0);
}

TEST(Comparison, WorkThatGrowsDoesNotDecide) {
  for (double Growth : {1.1, 0.9})
    for (double Speedup : {1.2, 0.8}) {
      Program P;
      P.Launches = 30;
      P.Growth = Growth;
      P.Version = P.Original / Speedup;
      EXPECT_LE(runMany(P).Wrong, Repeats / 100) << Growth << " " << Speedup;
    }
}

TEST(Comparison, PredictionDecidesBetweenEquals) {
  Program P;
  P.Noise = 0; // No test can tell them apart.
  EXPECT_EQ(run(P, 1).Outcome, comparison::version);
  P.Predicted = false;
  EXPECT_EQ(run(P, 1).Outcome, comparison::original);
}

TEST(Comparison, SampleThatFailedDoesNotCount) {
  comparison Rule = {};
  for (int Sample = 0; Sample < 2 * comparison::most_pairs; ++Sample) {
    ASSERT_EQ(Rule.next(), Sample);
    EXPECT_EQ(Rule.add(Sample, -1), Sample + 1 < 2 * comparison::most_pairs
                                        ? comparison::open
                                        : comparison::original);
  }
  EXPECT_EQ(Rule.pairs, 0);
  EXPECT_EQ(Rule.next(), -1);
}

TEST(Comparison, BothKernelsOfAPairFollowEachOther) {
  comparison Rule = {};
  for (int Sample = 0; Sample < comparison::under_way; ++Sample)
    EXPECT_EQ(Rule.next(), Sample);
  EXPECT_EQ(Rule.next(), -1);
  Rule.add(0, 100);
  EXPECT_EQ(Rule.next(), -1); // Half a pair has room.
  Rule.add(1, 100);
  EXPECT_EQ(Rule.next(), 4);
  EXPECT_EQ(Rule.next(), 5);
  EXPECT_EQ(Rule.next(), -1);
}
