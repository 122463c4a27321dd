//===-- SelectionTest.cpp - which launches are digested -------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "recording/Request.h"
#include <gtest/gtest.h>

using namespace bankstripe::runtime;

namespace {

using Numbers = std::vector<unsigned>;

// A selection and the launches that are put to it.
struct Chooser {
  explicit Chooser(DigestRule Rule) : Select(std::move(Rule)) {}

  std::string_view launch(const std::string &Symbol = "_Z4stepPi") {
    return Select.launch(Next++, Select.kernel(Symbol));
  }
  // The numbers of those among Count launches that are digested.
  Numbers chosen(unsigned Count) {
    Numbers Chosen;
    for (unsigned I = 0; I < Count; ++I)
      if (const unsigned Number = Next; launch().empty())
        Chosen.push_back(Number);
    return Chosen;
  }
  // Those behind which frees are digested.
  Numbers freesSeen(unsigned Count) {
    Numbers Seen;
    for (unsigned I = 0; I < Count; ++I) {
      launch();
      if (Select.digestsFrees())
        Seen.push_back(Next - 1);
    }
    return Seen;
  }

  Selection Select;
  unsigned Next = 0;
};

} // namespace

TEST(Selection, WithoutARuleEverythingIsDigested) {
  Chooser C({});
  EXPECT_EQ(C.chosen(100).size(), 100u);
  EXPECT_TRUE(C.Select.digestsFrees());
}

TEST(Selection, NothingIsDigestedWhereNothingIsAskedFor) {
  Chooser C(DigestRule::none());
  EXPECT_EQ(C.launch(), "rule");
  EXPECT_FALSE(C.Select.digestsFrees());
}

TEST(Selection, CollectiveKernelsAreNotWaitedFor) {
  Chooser C({});
  EXPECT_EQ(
      C.launch("_Z35ncclDevKernel_AllReduce_Sum_f32_RING24ncclDevKernelArgs"
               "StorageILm4096EE"),
      "collective");
  EXPECT_EQ(C.launch("_Z35ncclKernel_AllReduce_RING_LL_Sum_f_i8ncclComm"),
            "collective");
  EXPECT_EQ(C.launch("_Z10use_ncclDevKernelPi"), "");
}

TEST(Selection, FirstLaunchesOfEachKernelAndThenPowersOfTwo) {
  DigestRule Rule;
  Rule.First = 3;
  Chooser C(Rule);
  EXPECT_EQ(C.chosen(40), (Numbers{0, 1, 2, 4, 8, 16, 32}));
  EXPECT_EQ(C.launch("_Z5otherPi"), "");
}

TEST(Selection, OtherKernelsCanBeLeftOut) {
  DigestRule Rule;
  Rule.Kernels = {"step(int*)"};
  Chooser C(Rule);
  EXPECT_EQ(C.chosen(20).size(), 20u);
  EXPECT_EQ(C.launch("_Z5otherPi"), "rule");
}

TEST(Selection, WhatIsFreedIsDigestedByTheSameRule) {
  DigestRule Rule = DigestRule::none();
  Rule.FirstFrees = 2;
  EXPECT_EQ(Chooser(Rule).freesSeen(10), (Numbers{0, 1, 2, 4, 8}));
}

TEST(Selection, SpansAddToTheRuleUpToAnEnd) {
  DigestRule Rule;
  Rule.First = 1;
  Rule.Spans = {{10, 17, 4}, {30, 31}};
  Rule.Until = 31;
  EXPECT_EQ(Chooser(Rule).chosen(100),
            (Numbers{0, 1, 2, 4, 8, 11, 13, 15, 16, 17, 30, 31}));
  Rule.FirstFrees = 0;
  EXPECT_EQ(Chooser(Rule).freesSeen(100),
            (Numbers{10, 11, 12, 13, 14, 15, 16, 17, 30}));
}

TEST(LaunchSpan, ManyLaunchesAreEvenlySpreadAndEndWithTheLast) {
  for (const unsigned Last : {63u, 64u, 999u, 4294967294u}) {
    const LaunchSpan Span{0, Last, 64};
    EXPECT_TRUE(Span.digests(Last)) << Last;
    EXPECT_FALSE(Span.digests(Last + 1)) << Last;
    unsigned Points = 0;
    for (unsigned I = 0; I <= std::min(Last, 1000u); ++I)
      Points += Span.digests(I);
    EXPECT_TRUE(Last > 1000 || Points == 64) << Points;
  }
}

TEST(Request, IsReadAsItIsWritten) {
  RecordRequest R;
  R.Recording = "/tmp/a \"file\"";
  R.Digests.First = 8;
  R.Digests.Kernels = {"step(int*)"};
  R.Digests.FirstFrees = 0;
  R.Digests.Spans = {{1, 9, 4}};
  R.Digests.Until = 9;
  R.Bytes = {4, true, 2, 16, 99};
  R.Survey = {"/tmp/c", {"step(int*)"}, 1000};
  RecordRequest Again;
  EXPECT_EQ(parseRequest(printRequest(R), Again), "");
  EXPECT_EQ(printRequest(Again), printRequest(R));
  EXPECT_EQ(Again.Mode, RecordingMode::Digest);
  R.Mode = RecordingMode::Time;
  EXPECT_EQ(parseRequest(printRequest(R), Again), "");
  EXPECT_EQ(Again.Mode, RecordingMode::Time);
}

// So that the recording can say it.
TEST(Request, WhatIsWrongIsToldAfterTheNameOfTheRecording) {
  for (const char *Bad : {"{\"First\":\"x\"}", "{\"Spans\":[[1]]}"}) {
    RecordRequest R;
    EXPECT_TRUE(parseRequest(std::string("{\"Recording\":\"/a\",\"Digests\":") +
                                 Bad + "}",
                             R)
                    .starts_with("the request cannot be read: "))
        << Bad;
    EXPECT_EQ(R.Recording, "/a");
  }
  RecordRequest R;
  EXPECT_NE(parseRequest("not JSON", R), "");
}
