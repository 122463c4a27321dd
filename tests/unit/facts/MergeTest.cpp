//===-- MergeTest.cpp - one program of parts ------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sample.h"
#include "gtest/gtest.h"

using namespace bankstripe;
using namespace bankstripe::testing;

// Adds Parts, which are called a, b and so on, and says what went wrong.
static std::string merged(const std::vector<UnitRecord> &Parts,
                          ProgramFacts *Whole = nullptr) {
  FactsMerger Merger;
  char Name = 'a';
  for (const UnitRecord &Unit : Parts)
    if (llvm::Error E = Merger.add({{Unit}, false, {}}, std::string(1, Name++)))
      return toString(std::move(E));
  ProgramFacts Facts = Merger.take();
  if (Whole)
    *Whole = std::move(Facts);
  return "";
}

TEST(MergeFacts, OrderOfPartsDoesNotMatter) {
  ProgramFacts One, Other;
  EXPECT_EQ(merged({makeUnit("/a.cu"), makeUnit("/b.cu")}, &One), "");
  EXPECT_EQ(merged({makeUnit("/b.cu"), makeUnit("/a.cu")}, &Other), "");
  EXPECT_EQ(written(One), written(Other));
  EXPECT_EQ(One.Units.size(), 2u);
}

TEST(MergeFacts, SameUnitTwiceIsOne) {
  ProgramFacts Whole;
  EXPECT_EQ(merged({makeUnit("/a.cu"), makeUnit("/a.cu")}, &Whole), "");
  EXPECT_EQ(Whole.Units.size(), 1u);
}

TEST(MergeFacts, OtherCommandIsAnotherUnit) {
  UnitRecord Other = makeUnit("/a.cu");
  Other.Job.ClangArgs = {"-DN=4"};
  ProgramFacts Whole;
  EXPECT_EQ(merged({makeUnit("/a.cu"), Other}, &Whole), "");
  EXPECT_EQ(Whole.Units.size(), 2u);
}

TEST(MergeFacts, SameUnitWithOtherFacts) {
  UnitRecord Other = makeUnit("/a.cu");
  Other.Unit.Facts.Findings.front().Name = "other";
  EXPECT_EQ(merged({makeUnit("/a.cu"), Other}),
            "'a' and 'b' have different facts of '/a.cu'; write them with the "
            "same options, or leave one of them out");
}

TEST(MergeFacts, SourceInTwoStates) {
  UnitRecord One = makeUnit("/a.cu"), Other = makeUnit("/b.cu");
  One.Unit.Facts.Sources.push_back({"/size.h", digestOf("old")});
  Other.Unit.Facts.Sources.push_back({"/size.h", digestOf("new")});
  EXPECT_EQ(merged({One, Other}),
            "'a' and 'b' have read different states of '/size.h'; run "
            "'bankstripe facts' again for the older one");
}

TEST(MergeFacts, MoreUnitsAreNotConfirmed) {
  FactsMerger Merger;
  llvm::cantFail(Merger.add({{makeUnit("/a.cu")}, true, {}}, "a"));
  EXPECT_FALSE(Merger.take().Confirmed);
}
