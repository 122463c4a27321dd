//===-- MeasurementTest.cpp - what one comparison on the GPU found --------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tune/Measurement.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace bankstripe;
using ::testing::HasSubstr;

namespace {

Measurement parsed(llvm::StringRef Json) {
  auto M = parseMeasurement(Json);
  if (M)
    return *M;
  ADD_FAILURE() << toString(M.takeError());
  return {};
}

std::string errorOf(llvm::StringRef Json) {
  auto M = parseMeasurement(Json);
  return M ? "no error" : toString(M.takeError());
}

} // namespace

TEST(Measurement, TimesOfKernels) {
  const Measurement M = parsed(R"json({"version": 3, "verdict": "identical",
    "device": "NVIDIA H200", "kernels": [
      {"name": "count(int*, int)", "originalNs": 30,
       "rewrittenNs": 10},
      {"name": "never timed", "originalNs": 0,
       "rewrittenNs": 0}],
    "allLaunches": {"originalNs": 45, "rewrittenNs": 30}
})json");
  EXPECT_EQ(M.Problem, "");
  ASSERT_EQ(M.Kernels.size(), 1U);
  EXPECT_EQ(M.Kernels.at(comparableName("_Z5countPii")).RewrittenTime, 10);
  EXPECT_EQ(M.Speedup, 1.5);
}

// Demanglers disagree about blanks.
TEST(Measurement, NamesOfInstancesCompare) {
  EXPECT_EQ(comparableName("void f<g<int> >(int)"),
            comparableName("void f<g<int>>(int)"));
  EXPECT_NE(comparableName("void f<int>(int)"),
            comparableName("void f<long>(int)"));
}

TEST(Measurement, DifferenceNamesItsKernel) {
  const Measurement M = parsed(R"json({"version": 3, "verdict": "differs",
    "reason": "", "difference": {"kind": "contents",
    "originalKernel": "count(int*, int)"}
})json");
  EXPECT_THAT(M.Problem, HasSubstr("count(int*, int)"));
  EXPECT_THAT(M.Problem, HasSubstr("contents"));
}

TEST(Measurement, DifferenceWithoutKernelIsOne) {
  EXPECT_EQ(parsed(R"json({"version": 3, "verdict": "differs",
                       "reason": "killed by signal 11"})json")
                .Problem,
            "killed by signal 11");
  EXPECT_NE(
      parsed(R"json({"version": 3, "verdict": "differs", "reason": ""})json")
          .Problem,
      "");
}

TEST(Measurement, WhatCouldNotBeVerifiedIsAnError) {
  EXPECT_EQ(errorOf(R"json({"version": 3, "verdict": "not-verified",
                        "reason": "there is no GPU"})json"),
            "there is no GPU");
}

TEST(Measurement, OtherFormsAreErrors) {
  EXPECT_THAT(errorOf("{"), HasSubstr("no JSON"));
  EXPECT_THAT(errorOf("[]"), HasSubstr("another version"));
  EXPECT_THAT(errorOf(R"json({"version": 1})json"),
              HasSubstr("another version"));
}

TEST(Survey, KernelsWithTheirBlocksAndCaptures) {
  auto Run = parseSurvey(R"json({"version": 3, "device": "NVIDIA H200",
    "capability": "9.0", "kernels": [
      {"name": "count(int*, int)", "blockThreads": 96, "problem": "",
       "captures": [{"file": "/tmp/0", "ns": 70}]},
      {"name": "other()", "blockThreads": 32, "problem": "a graph",
       "captures": []}]})json");
  ASSERT_TRUE(bool(Run));
  EXPECT_EQ(Run->Architecture, "sm_90");
  const SurveyedKernel &K = Run->Kernels.at(comparableName("_Z5countPii"));
  EXPECT_EQ(K.MostThreads, 96u);
  ASSERT_EQ(K.Captures.size(), 1u);
  EXPECT_EQ(K.Captures[0].File, "/tmp/0");
  EXPECT_EQ(K.Captures[0].Nanoseconds, 70);
  EXPECT_EQ(Run->Kernels.at("other()").Problem, "a graph");
}

namespace {

std::vector<Replayed> replayed(const std::string &Fields) {
  auto R = parseReplays("[{\"version\": 3, " + Fields + "}]");
  if (R)
    return *R;
  return {{std::nullopt, "error: " + toString(R.takeError())}};
}

} // namespace

TEST(Replays, OneThatLeavesTheSameHasASpeedup) {
  const Replayed R = replayed(R"json("verdict": "identical", "problem": "",
    "original": {}, "rewritten": {"error": ""}, "times": {"originalNs": 3, "rewrittenNs": 2})json")
                         .front();
  EXPECT_EQ(R.Speedup, 1.5);
  EXPECT_EQ(R.Problem, "");
}

TEST(Replays, OneThatWasStoppedIsToBeToldFromOthers) {
  const Replayed R = replayed(R"json("verdict": "identical", "original": {},
    "rewritten": {}, "times": {"stopped": true, "originalNs": 3,
    "rewrittenNs": 6, "speedupInterval": [0.4, 0.6]})json")
                         .front();
  EXPECT_TRUE(R.IsStopped);
  EXPECT_EQ(R.Speedup, 0.5);
  EXPECT_EQ(R.Sure, std::pair(0.4, 0.6));
}

TEST(Replays, AnotherFormIsAnError) {
  EXPECT_THAT(replayed(R"json("verdict": "splendid")json").front().Problem,
              HasSubstr("of another form: there is no such verdict at "));
  EXPECT_THAT(replayed(R"json("launch": "first")json").front().Problem,
              HasSubstr("of another form: "));
}

TEST(Replays, ADifferenceIsTold) {
  const Replayed R = replayed(R"json("verdict": "differs", "problem": "",
    "original": {}, "rewritten": {"error": ""}, "times": {"originalNs": 9, "rewrittenNs": 1})json")
                         .front();
  EXPECT_EQ(R.Problem, "computes something else");
  EXPECT_EQ(replayed(R"json("verdict": "differs", "problem": "", "original": {},
    "rewritten": {"error": "CUDA_ERROR_ILLEGAL_ADDRESS"}, "times": null)json")
                .front()
                .Problem,
            "fails with CUDA_ERROR_ILLEGAL_ADDRESS");
}

TEST(Replays, WhatWasNotTimedHasAReason) {
  EXPECT_EQ(replayed(R"json("verdict": "identical", "problem": "",
    "original": {}, "rewritten": {"error": ""}, "times": null,
    "untimed": "no recorder")json")
                .front()
                .Problem,
            "not timed: no recorder");
  EXPECT_EQ(replayed(R"json("verdict": "not replayed", "original": {},
    "problem": "no such kernel", "rewritten": null, "times": null)json")
                .front()
                .Problem,
            "no such kernel");
}

TEST(Replays, OfAnOriginalThatVariesThereAreTimes) {
  const Replayed R = replayed(R"json("verdict": "varies", "problem": "",
    "original": {}, "rewritten": {"error": ""},
    "times": {"originalNs": 3, "rewrittenNs": 2})json")
                         .front();
  EXPECT_TRUE(R.Varies);
  EXPECT_EQ(R.Problem, "");
  EXPECT_EQ(R.Speedup, 1.5);
  EXPECT_EQ(replayed(R"json("verdict": "varies", "problem": "",
    "original": {}, "rewritten": {"error": "CUDA_ERROR_X"})json")
                .front()
                .Problem,
            "fails with CUDA_ERROR_X");
}

TEST(Replays, AnOriginalThatDoesNotReproduceItselfIsAnError) {
  EXPECT_THAT(replayed(R"json("verdict": "not reproduced", "problem": "",
    "original": {}, "rewritten": null)json")
                  .front()
                  .Problem,
              HasSubstr("error: launched again"));
  EXPECT_EQ(replayed(R"json("verdict": "not replayed", "original": null,
    "problem": "no GPU")json")
                .front()
                .Problem,
            "error: no GPU");
}
