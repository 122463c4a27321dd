//===-- MeasurementTest.cpp - what one comparison on the GPU found --------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tune/Tune.h"
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
  const Measurement M = parsed(R"json({"version": 1, "verdict": "identical",
    "device": "NVIDIA H200", "kernels": [
      {"name": "count(int*, int)", "original-total-ns": 30,
       "rewritten-total-ns": 10, "original": {"block-threads": 96}},
      {"name": "never timed", "original-total-ns": 0,
       "rewritten-total-ns": 0}]
})json");
  EXPECT_EQ(M.Device, "NVIDIA H200");
  EXPECT_EQ(M.Problem, "");
  ASSERT_EQ(M.Kernels.size(), 1U);
  EXPECT_EQ(M.Kernels.at(comparableName("_Z5countPii")).Changed, 10);
  EXPECT_EQ(M.Kernels.at(comparableName("_Z5countPii")).BlockThreads, 96U);
}

// Demanglers disagree about blanks.
TEST(Measurement, NamesOfInstancesCompare) {
  EXPECT_EQ(comparableName("void f<g<int> >(int)"),
            comparableName("void f<g<int>>(int)"));
  EXPECT_NE(comparableName("void f<int>(int)"),
            comparableName("void f<long>(int)"));
}

TEST(Measurement, DifferenceNamesItsKernel) {
  const Measurement M = parsed(R"json({"version": 1, "verdict": "differs",
    "reason": "", "difference": {"kind": "contents",
    "original-kernel": "count(int*, int)"}
})json");
  EXPECT_THAT(M.Problem, HasSubstr("count(int*, int)"));
  EXPECT_THAT(M.Problem, HasSubstr("contents"));
}

TEST(Measurement, DifferenceWithoutKernelIsOne) {
  EXPECT_EQ(parsed(R"json({"version": 1, "verdict": "differs",
                       "reason": "killed by signal 11"})json")
                .Problem,
            "killed by signal 11");
  EXPECT_NE(
      parsed(R"json({"version": 1, "verdict": "differs", "reason": ""})json")
          .Problem,
      "");
}

TEST(Measurement, WhatCouldNotBeVerifiedIsAnError) {
  EXPECT_EQ(errorOf(R"json({"version": 1, "verdict": "not-verified",
                        "reason": "there is no GPU"})json"),
            "there is no GPU");
}

TEST(Measurement, OtherFormsAreErrors) {
  EXPECT_THAT(errorOf("{"), HasSubstr("no JSON"));
  EXPECT_THAT(errorOf("[]"), HasSubstr("another version"));
  EXPECT_THAT(errorOf(R"json({"version": 2})json"),
              HasSubstr("another version"));
}
