//===-- PrintTest.cpp - the report as text and as JSON ---------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "verify/Session.h"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace bankstripe;
using namespace bankstripe::runtime;
using Json = nlohmann::json;

static VerifyReport identicalReport() {
  VerifyReport R;
  R.Verdict = ExitIdentical;
  R.Device = "Some GPU";
  R.Capability = "9.0";
  R.LaunchCount = R.Launches.ComparedLaunches = 4;
  R.AllocationCount = 1;
  R.OutputBytes = 12;
  R.Runs = 3;
  KernelStatistics K;
  K.Name = "void sort<int>(int*, (anonymous namespace)::Order)";
  K.Launches = 4;
  K.OriginalTime = 1.5e6;
  K.RewrittenTime = 5e5;
  K.Original = FirstLaunch{{40, 0, 128}, 1, 0};
  K.Rewritten = FirstLaunch{{40, 16384, 0}, 1, 0};
  R.Kernels = {K};
  return R;
}

static bool has(const std::string &Text, const std::string &Part) {
  return Text.find(Part) != std::string::npos;
}

TEST(Print, IdenticalReportWithItsTable) {
  const std::string Text = printReport(identicalReport());
  EXPECT_TRUE(Text.starts_with("identical: 4 launches, 1 allocation, 0 "
                               "variables, 12 bytes of output\n"))
      << Text;
  EXPECT_TRUE(has(Text, "sort<int> "));
  EXPECT_TRUE(has(Text, "1.500 ms"));
  EXPECT_TRUE(has(Text, "500.00 us"));
  EXPECT_TRUE(has(Text, "3.00x"));
  EXPECT_TRUE(has(Text, "0 -> 16384"));
  EXPECT_TRUE(has(Text, "128 -> 0"));
  EXPECT_FALSE(has(Text, "40 -> 40"));
}

static KernelStatistics timed(const std::string &Name, double Original,
                              double Rewritten) {
  KernelStatistics K;
  K.Name = Name;
  K.Launches = 1;
  K.OriginalTime = Original;
  K.RewrittenTime = Rewritten;
  K.SpeedupInterval =
      Interval{0.99 * Original / Rewritten, 1.01 * Original / Rewritten};
  K.Original = K.Rewritten = FirstLaunch{{40, 0, 0}, 1, 0};
  return K;
}

TEST(Print, KernelsThatTakeMostTimeComeFirst) {
  VerifyReport R = identicalReport();
  R.Kernels = {timed("short(int*)", 1e3, 2e3), timed("long(int*)", 9e3, 1e3)};
  const std::string Text = printReport(R);
  EXPECT_LT(Text.find("long"), Text.find("short")) << Text;
}

TEST(Print, TimesWithTheirInterval) {
  VerifyReport R = identicalReport();
  R.Runs = 5;
  R.Kernels[0].SpeedupInterval = Interval{2.9, 3.1};
  EXPECT_TRUE(has(printReport(R),
                  "1.500 ms  500.00 us    3.00x  2.900 to 3.100  faster"))
      << printReport(R);
  Json K = Json::parse(jsonReport(R))["kernels"][0];
  EXPECT_EQ(K["speedupInterval"], Json({2.9, 3.1}));
  EXPECT_EQ(K["result"], "faster");
  R.Kernels[0].SpeedupInterval = Interval{0.9, 1.1};
  EXPECT_TRUE(has(printReport(R), "equal"));
  R.Kernels[0].SpeedupInterval.reset();
  K = Json::parse(jsonReport(R))["kernels"][0];
  EXPECT_EQ(K["speedupInterval"], nullptr);
  EXPECT_EQ(K["result"], "unknown");
}

TEST(Print, TheWholeRunAndLaunchesBySize) {
  VerifyReport R = identicalReport();
  EXPECT_FALSE(has(printReport(R), "all launches of a run  "));
  R.Kernels[0].Sizes.resize(2);
  R.Kernels[0].Sizes[0].Name = "<<<64, 128>>>, 1.00 ms each";
  R.Kernels[0].Sizes[0].OriginalTime = 1e6;
  R.Kernels[0].Sizes[0].RewrittenTime = 2e6;
  R.Total.OriginalTime = 3e6;
  R.Total.RewrittenTime = 4e6;
  const std::string Text = printReport(R);
  EXPECT_TRUE(has(Text, "\n  <<<64, 128>>>, 1.00 ms each  ")) << Text;
  EXPECT_TRUE(has(Text, "0.50x"));
  EXPECT_TRUE(has(Text, "\nall launches of a run  ")) << Text;
  EXPECT_TRUE(has(Text, "0.75x"));
  const Json J = Json::parse(jsonReport(R));
  EXPECT_EQ(J["kernels"][0]["sizes"][0]["speedup"], 0.5);
  EXPECT_EQ(J["allLaunches"]["speedup"], 0.75);
}

TEST(Print, FewRunsHaveNoInterval) {
  EXPECT_TRUE(has(printReport(identicalReport()),
                  "no intervals: they need --runs=5 or more"));
}

TEST(Print, DifferenceNamesLaunchKernelAllocationBytesAndValues) {
  VerifyReport R = identicalReport();
  R.Verdict = ExitDiffers;
  Difference D;
  D.Launch = 2;
  D.OriginalKernel = D.RewrittenKernel = "step(int*)";
  D.Allocation = 1;
  D.Bytes = 1000;
  D.Begin = 256;
  D.End = 512;
  R.Launches.First = D;
  R.Launches.DifferingLaunches = 2;
  R.Bytes = findByteDifference(std::string("\1\0\0\0\2\0\0\0", 8),
                               std::string("\1\0\0\0\3\0\0\0", 8), 256);
  const std::string Text = printReport(R);
  EXPECT_TRUE(has(Text, "differs: launch 2 of 4, step(int*)\n")) << Text;
  EXPECT_TRUE(has(Text, "allocation 1 (1000 bytes): the first difference is in "
                        "the bytes 256 to 511"));
  EXPECT_TRUE(has(Text, "first differing byte: 260; 1 of the bytes"));
  EXPECT_TRUE(has(Text, "  element 65 (i32): original 2, rewritten 3\n"));
  EXPECT_TRUE(has(Text, "2 launches differ in all"));
  const Json J = Json::parse(jsonReport(R));
  EXPECT_EQ(J["verdict"], "differs");
  EXPECT_EQ(J["difference"]["kind"], "contents");
  EXPECT_EQ(J["difference"]["range"], Json({256, 512}));
  EXPECT_EQ(J["difference"]["firstByte"]["offset"], 260);
}

static VerifyReport differingReport() {
  VerifyReport R = identicalReport();
  R.Verdict = ExitDiffers;
  R.Launches.First = Difference{};
  R.Launches.First->Launch = 7;
  R.Launches.First->OriginalKernel = "step(int*)";
  R.Launches.First->End = 256;
  R.Found = Location{{6, 7}, 2, "", {}};
  return R;
}

TEST(Print, SaysHowTheLaunchWasFound) {
  VerifyReport R = differingReport();
  EXPECT_TRUE(
      has(printReport(R), "  found by running both programs 2 times more\n"));
  R.Found = Location{{2, 7}, 1, "the program hid", {}};
  EXPECT_TRUE(has(printReport(R),
                  "it arose in one of the launches 3 to 7, which is as close "
                  "as it gets: the program hid"));
  const Json Located = Json::parse(jsonReport(R))["difference"]["located"];
  EXPECT_EQ(Located["exactly"], false);
  EXPECT_EQ(Located["launches"], Json({3, 7}));
}

TEST(Print, ElementsOfAllThatTheyMayBe) {
  VerifyReport R = differingReport();
  const std::string A("\0\0\200\077", 4), B("\0\0\0\100", 4);
  R.Bytes = findByteDifference(A, B, 0);
  EXPECT_TRUE(has(printReport(R),
                  "  element 0 (i32): original 1065353216, rewritten "
                  "1073741824\n  element 0 (f32): original 1, rewritten 2\n"));
  const Json Elements =
      Json::parse(jsonReport(R))["difference"]["firstElements"];
  EXPECT_EQ(Elements.size(), 2u);
  EXPECT_EQ(Elements[1]["original"], "1");
}

TEST(Print, LaunchesThatWereLeftOutAndWhy) {
  VerifyReport R = identicalReport();
  EXPECT_FALSE(has(printReport(R), "left out"));
  R.Launches.ComparedLaunches = R.LaunchCount = 100;
  R.DigestedLaunches = 10;
  R.Skipped = {{"collective", 60}, {"rule", 30}, {"freed", 1}};
  R.First = 256;
  const std::string Text = printReport(R);
  EXPECT_TRUE(has(Text,
                  "memory was compared after 10 of 100 launches and at "
                  "the end; left out: 60 of kernels that wait for others, 30 "
                  "by --first=256."))
      << Text;
  R.First.reset();
  EXPECT_TRUE(has(printReport(R), "30 by the survey."));
  EXPECT_FALSE(has(printReport(R), "--all"));
  EXPECT_TRUE(Text.starts_with("identical where it was compared: 100 "));
  EXPECT_TRUE(has(Text, "1 allocation was freed before what was left in it"));
  R.DigestsBeforeFree = 2;
  EXPECT_TRUE(has(printReport(R),
                  "of 100 launches, 2 times before it was freed and at the"));
  EXPECT_EQ(Json::parse(jsonReport(R))["skipped"]["collective"], 60);
}

TEST(Print, DigestsThatOneProgramLacks) {
  VerifyReport R = identicalReport();
  R.Launches.UnmatchedDigests = 1;
  const std::string Text = printReport(R);
  EXPECT_TRUE(Text.starts_with("identical where it was compared: ")) << Text;
  EXPECT_TRUE(has(Text, "memory could not be compared after 1 launch, since"));
  EXPECT_EQ(Json::parse(jsonReport(R))["unmatchedDigests"], 1);
}

TEST(Print, EveryKindOfDifferenceIsExplained) {
  for (int Kind = 0; Kind <= static_cast<int>(DifferenceKind::Left); ++Kind) {
    VerifyReport R = identicalReport();
    R.Verdict = ExitDiffers;
    R.Launches.First = Difference{};
    R.Launches.First->Kind = static_cast<DifferenceKind>(Kind);
    R.Launches.First->End = 1;
    const std::string Text = printReport(R);
    EXPECT_GT(Text.find("\n\n") - Text.find("\n  "), 10u) << Kind;
    EXPECT_NE(Json::parse(jsonReport(R))["difference"]["kind"], "") << Kind;
  }
}

TEST(Print, OutputAndNonDeterminism) {
  VerifyReport R = identicalReport();
  R.Repeats = 2;
  R.Launches.NotDeterministic = {0, 2};
  R.Output = compareOutput("1 ms\n", "2 ms\n", "3 ms\n");
  std::string Text = printReport(R);
  EXPECT_TRUE(
      Text.starts_with("identical as far as the original is deterministic: "));
  EXPECT_TRUE(has(Text, "2 launches in two runs of the original (0, 2)"));
  EXPECT_TRUE(has(Text, "output not deterministic"));

  R = identicalReport();
  R.Verdict = ExitDiffers;
  R.Output = compareOutput("a\nb\n", "a\nb\n", "a\nc\xff\n");
  Text = printReport(R);
  EXPECT_TRUE(has(Text, "the output differs in line 2\n  original   b\n"));
  EXPECT_EQ(Json::parse(jsonReport(R))["output"]["line"], 2);
}

TEST(Print, NotVerifiedSaysWhy) {
  VerifyReport R;
  R.Reason = "the original program launches no kernel";
  EXPECT_EQ(printReport(R),
            "not verified: the original program launches no kernel\n");
  EXPECT_EQ(Json::parse(jsonReport(R))["verdict"], "not-verified");
}

TEST(ByteDifference, FindsTheFirstByteAndItsWord) {
  std::string A(100, 'a'), B = A;
  EXPECT_FALSE(findByteDifference(A, B, 0));
  B[97] = 'b';
  B[99] = 'b';
  const auto D = findByteDifference(A, B, 512);
  ASSERT_TRUE(D);
  EXPECT_EQ(D->Offset, 609u);
  EXPECT_EQ(D->DifferingBytes, 2u);
  ASSERT_EQ(D->Elements.size(), 2u); // 64 bits would go beyond the end.
  EXPECT_EQ(D->Elements[0].Index, 152u);
  EXPECT_EQ(D->Elements[0].Original, std::to_string(0x61616161));
}

TEST(ByteDifference, AtTheEndThereMayBeOnlyAByte) {
  const auto D = findByteDifference("abcde", "abcdf", 0);
  ASSERT_TRUE(D);
  ASSERT_EQ(D->Elements.size(), 1u);
  EXPECT_EQ(D->Elements[0].Type, "u8");
  EXPECT_EQ(D->Elements[0].Index, 4u);
}
