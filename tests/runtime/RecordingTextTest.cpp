//===-- RecordingTextTest.cpp - the text form of recordings ---------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Programs.h"
#include "recording/RecordingReader.h"
#include <gtest/gtest.h>
#include <sstream>

using namespace bankstripe::runtime;

namespace {

Recording readText(const std::string &Text) {
  std::istringstream Input(Text);
  auto Result = readRecording(Input);
  if (auto *Error = std::get_if<ReadError>(&Result)) {
    ADD_FAILURE() << Error->Message;
    return {};
  }
  return std::get<Recording>(std::move(Result));
}

std::string readProblem(const std::string &Text) {
  std::istringstream Input(Text);
  auto Result = readRecording(Input);
  auto *Error = std::get_if<ReadError>(&Result);
  return Error ? Error->Message : "";
}

const std::string Header = "{\"bankstripe-recording\":1,\"mode\":\"digest\"}\n";
const std::string Memory = "{\"type\":\"allocation\",\"id\":0,\"kind\":"
                           "\"device\",\"bytes\":1000,\"chunk\":256}\n";
const std::string LaunchStart =
    "{\"type\":\"launch\",\"index\":0,\"kernel\":\"k\",\"grid\":[1,1,1],"
    "\"block\":[32,1,1],\"registers\":1,\"static-shared\":0,"
    "\"dynamic-shared\":0,\"local\":0,\"stream\":0,\"thread\":0";

std::string printed(const Recording &R) {
  std::ostringstream Output;
  printRecording(R, Output);
  return Output.str();
}

} // namespace

TEST(RecordingText, LineCutOffByACrashIsLeftOut) {
  const Recording R = readText(Header + Memory + LaunchStart + "}\n" +
                               LaunchStart.substr(0, 40));
  EXPECT_EQ(R.Launches.size(), 1u);
  EXPECT_FALSE(R.Complete);
}

TEST(RecordingText, EmptyFile) {
  EXPECT_EQ(readProblem(""), "the recording is empty");
}

TEST(RecordingText, RejectsWhatIsNoRecording) {
  EXPECT_EQ(readProblem("\x7f"
                        "ELF\n"),
            "line 1: not JSON");
  EXPECT_EQ(readProblem("[1]\n"), "line 1: not a recording of bankstripe's");
  EXPECT_NE(readProblem("{\"bankstripe-recording\":2,\"mode\":\"digest\"}\n")
                .find("version 2"),
            std::string::npos);
  EXPECT_EQ(readProblem("{\"bankstripe-recording\":1,\"mode\":\"x\"}\n"),
            "line 1: unknown mode 'x'");
}

TEST(RecordingText, NamesTheBrokenLine) {
  EXPECT_EQ(readProblem(Header + Memory + "garbage\n"), "line 3: not JSON");
  EXPECT_EQ(readProblem(Header + "{\"type\":\"future\"}\n"),
            "line 2: unknown type 'future'");
  EXPECT_EQ(readProblem(Header + "{\"type\":\"launch\",\"index\":0}\n"),
            "line 2: no text 'kernel'");
  EXPECT_EQ(readProblem(Header + "{\"type\":\"free\",\"id\":0}\n"),
            "line 2: allocation 0 is freed without being live");
  EXPECT_EQ(readProblem(Header + Memory + Memory),
            "line 3: allocation 0 is out of order");
  EXPECT_EQ(readProblem(Header + "{\"type\":\"allocation\",\"id\":0,\"kind\":"
                                 "\"device\",\"bytes\":1000,\"chunk\":3}\n"),
            "line 2: an allocation has too many chunks");
  EXPECT_EQ(readProblem(Header + LaunchStart + "}\n" + LaunchStart + "}\n"),
            "line 3: launch 0 is out of order");
}

TEST(RecordingText, RejectsDigestsThatDoNotFit) {
  const auto Problem = [](const std::string &Changes) {
    return readProblem(Header + Memory + LaunchStart +
                       ",\"changes\":" + Changes + ",\"variables\":[]}\n");
  };
  const std::string One = "00000000000000ff";
  EXPECT_EQ(Problem("[[0,[3,\"" + One + "\"]]]"), "");
  const std::string DoesNotFit =
      "line 3: a run of digests does not fit its allocation";
  EXPECT_EQ(Problem("[[0,[3,\"" + One + One + "\"]]]"), DoesNotFit);
  EXPECT_EQ(Problem("[[0,[18446744073709551615,\"" + One + "\"]]]"),
            DoesNotFit);
  EXPECT_EQ(Problem("[[0,[0,\"123\"]]]"), "line 3: a digest has no 16 digits");
  EXPECT_EQ(Problem("[[0,[0,\"000000000000000G\"]]]"),
            "line 3: a digest is not hexadecimal");
  EXPECT_EQ(Problem("[[1,[0,\"" + One + "\"]]]"),
            "line 3: digests of an allocation that was not made");
  EXPECT_EQ(Problem("[[0,[0]]]"),
            "line 3: a run of digests is not a number and a text");
  EXPECT_EQ(Problem("{}"), "line 3: the digests are not a list");
}

TEST(RecordingText, PrintedRecordingIsReadAgain) {
  Recording R = threeLaunches();
  variable(R, "table", 300);
  changes(R.Launches[0], 0, 1, {0xfedcba9876543210u}, /*IsVariable=*/true);
  R.Stacks = {{{"/bin/a", 16, "main", 4}, {"/lib/c", 99, "", 0}}};
  R.Allocations[0].Made = 0;
  R.Allocations[0].FreedBefore = 2;
  R.Launches[1].Digested = false;
  R.Launches[1].DigestedBeforeFree = true;
  R.Launches[2].Changes.clear();
  R.Launches[2].Digested = false;
  R.Launches[2].DigestedAtEnd = true;
  R.Launches[2].Error = "CUDA_ERROR_X";
  R.Device = "a \"GPU\"";
  R.Capability = "9.0";
  R.Notes["arrays"] = 3;
  R.Skipped["sample"] = 7;
  const std::string Text = printed(R);
  const Recording Again = readText(Text);
  EXPECT_EQ(printed(Again), Text);
  EXPECT_EQ(Again.Stacks, R.Stacks);
  EXPECT_EQ(Again.Allocations[0].Made, 0u);
  EXPECT_EQ(Again.Allocations[0].FreedBefore, 2u);
  EXPECT_EQ(Again.Launches[0].Changes[1].Runs[0].Digests,
            std::vector<uint64_t>{0xfedcba9876543210u});
  EXPECT_TRUE(Again.Launches[1].DigestedBeforeFree);
  EXPECT_TRUE(Again.Launches[2].DigestedAtEnd);
  EXPECT_EQ(Again.Skipped, R.Skipped);
  EXPECT_TRUE(Again.Complete);
}

TEST(RecordingText, PrintedExecutionsKeepTheirDurations) {
  Recording R;
  R.Mode = RecordingMode::Time;
  launch(R, "first").Nanoseconds = 250;
  launch(R, "second").Nanoseconds = 30;
  const Recording Again = readText(printed(R));
  EXPECT_EQ(Again.Mode, RecordingMode::Time);
  EXPECT_EQ(Again.Launches[0].Nanoseconds, 250);
  EXPECT_EQ(Again.Launches[1].Kernel, "second");
  EXPECT_FALSE(Again.Complete);
}
