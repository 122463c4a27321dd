//===-- RoundTripTest.cpp - facts come back as they were ------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sample.h"
#include "facts/Archive.h"
#include "gtest/gtest.h"
#include <limits>

using namespace bankstripe;
using namespace bankstripe::testing;

static ProgramFacts reread(const ProgramFacts &Facts) {
  return llvm::cantFail(parseFacts(written(Facts), "facts", ThisTool));
}

// What reading says of Text after From, which stands there, became To.
static std::string problemAfter(std::string Text, const std::string &From,
                                const std::string &To) {
  size_t At = Text.find(From);
  EXPECT_NE(At, std::string::npos) << From << " is not in " << Text;
  return problemOf(
      parseFacts(Text.replace(At, From.size(), To), "all.json", ThisTool));
}

static std::string sample() {
  return written({{makeUnit("/a.cu")}, false, {}});
}

TEST(RoundTrip, EveryFieldComesBack) {
  ProgramFacts Facts{{makeFullUnit(), makeUnit("/b.cu")}, true, {}};
  MeasuredVersion &V = Facts.Known.Versions.emplace_back();
  V.Changed[{"/b.cu", 1, 5}] = {VerdictKind::Slot, StripeForm::Unit};
  V.Before["_Z1kPi"].StackFrame = 64;
  V.After["_Z1kPi"].CodeBytes = 512;
  V.Rejected = {"/b.cu"};
  EXPECT_EQ(written(reread(Facts)), written(Facts));
  EXPECT_NE(written(Facts), written({{UnitRecord(), UnitRecord()}, true, {}}));
}

TEST(RoundTrip, ValuesAreThoseOfTheirFields) {
  UnitRecord Unit = makeUnit("/a.cu");
  Finding &F = Unit.Unit.Facts.Findings.front();
  F.Name = "a";
  F.Extents = {4, uint64_t(1) << 63};
  F.Text.Statement = {"/a.cu", 7, 9};
  F.Obstacles = {{Reason::SizeOfArray, {"/a.cu", 2, 3}, "sizeof"}};
  Finding Back =
      reread({{Unit}, false, {}}).Units.front().Unit.Facts.Findings.front();
  EXPECT_EQ(Back.Name, "a");
  EXPECT_EQ(Back.Extents, F.Extents);
  EXPECT_EQ(Back.Text.Statement, F.Text.Statement);
  EXPECT_FALSE(Back.Text.Values.isValid());
  EXPECT_EQ(Back.Obstacles.front().Why, Reason::SizeOfArray);
  EXPECT_EQ(Back.Obstacles.front().Where, F.Obstacles.front().Where);
}

TEST(RoundTrip, TextThatIsNotUtf8) {
  UnitRecord Unit = makeUnit("/gr\xFC\xDF"
                             "e.cu");
  EXPECT_EQ(reread({{Unit}, false, {}}).Units.front().Job.File, Unit.Job.File);
}

TEST(RoundTrip, FiguresAreExact) {
  UnitRecord Unit = makeUnit("/a.cu");
  KernelWork &Work = Unit.Unit.Evidence.Work["k"];
  Work.Instructions = 0.1 + 0.2;
  Work.Global = std::numeric_limits<double>::infinity();
  KernelWork Back =
      reread({{Unit}, false, {}}).Units.front().Unit.Evidence.Work["k"];
  EXPECT_EQ(Back.Instructions, Work.Instructions);
  EXPECT_EQ(Back.Global, Work.Global);
}

TEST(RoundTrip, WhatMayBeAbsentIsAbsentAgain) {
  UnitRecord Unit = makeUnit("/a.cu");
  Unit.Unit.Facts.Launches.resize(2);
  Unit.Unit.Facts.Launches.front().Threads = 0;
  const auto Back =
      reread({{Unit}, false, {}}).Units.front().Unit.Facts.Launches;
  EXPECT_EQ(Back[0].Threads, 0u);
  EXPECT_EQ(Back[1].Threads, std::nullopt);
}

// The whole message that says so.
TEST(RoundTrip, SourcesComeToOtherProcessesOnly) {
  UnitReading Reading;
  Reading.Unit = makeUnit("/a.cu").Unit;
  Reading.Unit->Facts.Contents["/a.cu"] = "int a[4];\n";
  auto Back = [&](bool WithSources) {
    return fromBytes<UnitReading>(toBytes(Reading, WithSources))
        ->Unit->Facts.Contents;
  };
  EXPECT_EQ(Back(true).at("/a.cu"), "int a[4];\n");
  EXPECT_EQ(Back(false).at("/a.cu"), "");
}

TEST(RoundTrip, BytesOfSomethingElseAreNothing) {
  const std::string Bytes = toBytes(makeUnit("/a.cu"));
  for (size_t Size = 0; Size < Bytes.size(); ++Size)
    EXPECT_FALSE(fromBytes<UnitRecord>(Bytes.substr(0, Size))) << Size;
  EXPECT_FALSE(fromBytes<UnitRecord>(Bytes + "x"));
  EXPECT_FALSE(fromBytes<UnitResult>(Bytes));
  EXPECT_FALSE(fromBytes<InitializerKind>(toBytes(4U)));
}

TEST(RoundTrip, AnotherFileOrADamagedOne) {
  const std::string
      Text = sample(),
      Problem =
          "'all.json' is no file of facts, or not all of one; run 'bankstripe "
          "facts' again";
  EXPECT_EQ(problemOf(parseFacts(Text.substr(0, Text.size() / 2), "all.json",
                                 ThisTool)),
            Problem);
  EXPECT_EQ(problemAfter(Text, "Offset", "Offsex"), Problem);
  EXPECT_EQ(problemOf(parseFacts("[]", "all.json", ThisTool)), Problem);
}

TEST(RoundTrip, AnotherVersion) {
  EXPECT_EQ(problemAfter(sample(), "facts 2", "facts 3"),
            "'all.json' was written by bankstripe of the tests in format 3, "
            "and this is bankstripe of the tests, which reads format 2; run "
            "'bankstripe facts' of this one again");
  const std::string Problem = problemOf(
      parseFacts(written({{makeUnit("/a.cu")}, false, {}}, "bankstripe 9"),
                 "all.json", ThisTool));
  EXPECT_EQ(Problem.find("'all.json' was written by bankstripe 9 in format 2"),
            0u)
      << Problem;
}

TEST(RoundTrip, NoFile) {
  EXPECT_EQ(problemOf(readFacts("/nowhere/all.json", ThisTool)),
            "cannot read '/nowhere/all.json': No such file or directory");
}
