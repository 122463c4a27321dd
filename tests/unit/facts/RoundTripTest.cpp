//===-- RoundTripTest.cpp - facts come back as they were ------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sample.h"
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
  Facts.Withdrawn = {{{"/b.cu", 1, 5}, Reason::CompileFailed, "why"}};
  Facts.CodeGrowth = {{"_Z1kPi", 1.5}};
  EXPECT_EQ(written(reread(Facts)), written(Facts));
  EXPECT_EQ(reread(Facts).CodeGrowth, Facts.CodeGrowth);
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
static std::string refusal(const std::string &Problem) {
  return "cannot use the facts: " + Problem + "; run 'bankstripe facts' again";
}

TEST(RoundTrip, MissingValue) {
  EXPECT_EQ(problemAfter(sample(), "\"units\":[[[0,", "\"units\":[[["),
            refusal("expected as many values as there are fields "
                    "at all.json.units[0].Job"));
}

TEST(RoundTrip, MissingPart) {
  EXPECT_EQ(problemAfter(sample(), "\"confirmed\":false,", ""),
            refusal("missing at all.json.confirmed"));
}

TEST(RoundTrip, OtherFields) {
  EXPECT_EQ(problemAfter(sample(), "File, Offset, Length", "File, Offset"),
            refusal("written by a version with other fields at "
                    "all.json.units[0].Unit.Facts.Findings[0].Scope"));
}

TEST(RoundTrip, ValueOfAnotherKind) {
  EXPECT_EQ(problemAfter(sample(), "\"units\":[[[0,", "\"units\":[[[100,"),
            refusal("expected the number of a text at "
                    "all.json.units[0].Job.File"));
  EXPECT_EQ(problemAfter(sample(), "\"confirmed\":false", "\"confirmed\":1"),
            refusal("expected true or false at "
                    "all.json.confirmed"));
}

TEST(RoundTrip, EnumeratorOutOfRange) {
  UnitRecord Unit = makeUnit("/a.cu");
  Unit.Unit.Facts.Findings.front().Init = static_cast<InitializerKind>(4);
  EXPECT_EQ(
      problemOf(parseFacts(written({{Unit}, false, {}}), "all.json", ThisTool)),
      refusal("expected a number in range at "
              "all.json.units[0].Unit.Facts.Findings[0].Init"));
}

TEST(RoundTrip, WorkOfAnArrayThatIsNotThere) {
  UnitRecord Unit = makeUnit("/a.cu");
  auto Read = [&](unsigned Index) {
    Unit.Unit.Evidence.Work["k"].Arrays[Index] = {};
    return problemOf(
        parseFacts(written({{Unit}, false, {}}), "all.json", ThisTool));
  };
  const unsigned Count = Unit.Unit.Facts.Findings.size();
  EXPECT_EQ(Read(Count - 1), "");
  EXPECT_EQ(Read(Count), refusal("counts accesses to an array that is not "
                                 "listed at all.json.units[0]"));
}

TEST(RoundTrip, ValueThatIsListedTwice) {
  UnitRecord Unit = makeUnit("/a.cu");
  Unit.Unit.Facts.Arguments.resize(1);
  Unit.Unit.Facts.Arguments.front().Values = {77};
  Unit.Unit.Evidence.Work["k"].Arrays[0].Uniform = {88, 99};
  const std::string Text = written({{Unit}, false, {}});
  EXPECT_EQ(problemAfter(Text, "[77]", "[77,77]"),
            refusal("listed twice at "
                    "all.json.units[0].Unit.Facts.Arguments[0].Values[1]"));
  const std::string Pair = "[0,[[88,99],[0,0],[0,0]]]";
  EXPECT_EQ(problemAfter(Text, Pair, Pair + "," + Pair),
            refusal("listed twice at all.json.units[0].Unit.Evidence.Work[0]"
                    "[1].Arrays[1]"));
}

TEST(RoundTrip, HalfOfAFile) {
  const std::string Text = sample();
  const std::string Problem = problemOf(
      parseFacts(Text.substr(0, Text.size() / 2), "all.json", ThisTool));
  EXPECT_EQ(Problem.find("'all.json' is no file of facts, or not all of one: "),
            0u)
      << Problem;
}

TEST(RoundTrip, AnotherFile) {
  EXPECT_EQ(problemOf(parseFacts("[]", "all.json", ThisTool)),
            "'all.json' is no file of facts; 'bankstripe facts' writes them");
}

TEST(RoundTrip, AnotherVersion) {
  EXPECT_EQ(problemAfter(sample(), "\"format\":1", "\"format\":2"),
            "'all.json' was written by bankstripe of the tests in format 2, "
            "and this is bankstripe of the tests, which reads format 1; run "
            "'bankstripe facts' of this one again");
  const std::string Problem = problemOf(
      parseFacts(written({{makeUnit("/a.cu")}, false, {}}, "bankstripe 9"),
                 "all.json", ThisTool));
  EXPECT_EQ(Problem.find("'all.json' was written by bankstripe 9 in format 1"),
            0u)
      << Problem;
}

TEST(RoundTrip, NoFile) {
  EXPECT_EQ(problemOf(readFacts("/nowhere/all.json", ThisTool)),
            "cannot read '/nowhere/all.json': No such file or directory");
}
