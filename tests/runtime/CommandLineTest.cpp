//===-- CommandLineTest.cpp - bankstripe-verify as a program --------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "harness/Child.h"
#include "verify/Options.h"
#include <gtest/gtest.h>
#include <sstream>

using namespace bankstripe::runtime;

// No GPU is visible to it, whether there is one or not.
static ChildResult verifier(std::vector<std::string> Arguments) {
  return runChild({BANKSTRIPE_VERIFY_PROGRAM,
                   std::move(Arguments),
                   {{"CUDA_VISIBLE_DEVICES", "-1"}},
                   60});
}

static auto parse(std::vector<const char *> Words) {
  Words.insert(Words.begin(), "bankstripe-verify");
  return parseOptions(static_cast<int>(Words.size()), Words.data());
}

TEST(CommandLine, BadUsageExitsWith2) {
  const std::vector<std::vector<std::string>> Bad = {
      {},
      {"/bin/true"},
      {"/bin/true", "/nonexistent"},
      {"/bin/true", "/tmp"},
      {"--runs=many", "/bin/true", "/bin/true"},
      {"--runs=-1", "/bin/true", "/bin/true"},
      {"--timeout=-5", "/bin/true", "/bin/true"},
      {"--unknown", "/bin/true", "/bin/true"},
      {"/bin/true", "/bin/true", "/bin/true"},
      {"--all", "--first=1", "/bin/true", "/bin/true"},
      {"--first=0", "/bin/true", "/bin/true"},
      {"--repeats=1", "/bin/true", "/bin/true"},
      {"--", "/bin/true"},
      {"--", "/bin/true", "--vs"},
      {"--", "--vs", "/bin/true"},
      {"--", "/bin/true", "--vs", "nonexistent-program"},
      {"--", "/bin/true", "--vs", "/bin/true", "--vs"},
      {"--plan=/nonexistent.json", "/bin/true", "/bin/true"},
      {"--plan=/dev/null", "/bin/true", "/bin/true"}};
  for (const auto &Arguments : Bad) {
    const ChildResult R = verifier(Arguments);
    EXPECT_EQ(R.ExitStatus, 2) << testing::PrintToString(Arguments);
    EXPECT_TRUE(R.Errors.starts_with("bankstripe-verify: ")) << R.Errors;
    EXPECT_EQ(R.Output, "");
  }
}

TEST(CommandLine, WithoutAGpuExitsWith3AndSaysSo) {
  const ChildResult R = verifier({"/bin/true", "/bin/true"});
  EXPECT_EQ(R.ExitStatus, 3);
  EXPECT_NE(R.Errors.find("there is no GPU to verify on"), std::string::npos)
      << R.Errors;
}

TEST(CommandLine, HelpAndVersion) {
  EXPECT_EQ(verifier({"--help"}).ExitStatus, 0);
  const std::string Help = verifier({"--help"}).Output;
  EXPECT_NE(Help.find("Exit status"), std::string::npos);
  std::istringstream Lines(Help);
  for (std::string Line; std::getline(Lines, Line);)
    EXPECT_LE(Line.size(), 80u) << Line;
  EXPECT_TRUE(verifier({"--version"}).Output.starts_with("bankstripe-verify "));
}

TEST(CommandLine, WordsAfterTheDashesGoToThePrograms) {
  auto Result = parse(
      {"--runs=9", "/bin/true", "/bin/false", "--", "--runs=1", "--", "-x"});
  ASSERT_TRUE(std::holds_alternative<Options>(Result));
  const Options &O = std::get<Options>(Result);
  EXPECT_EQ(O.Runs, 9u);
  const std::vector<std::string> Words = {"--runs=1", "--", "-x"};
  EXPECT_EQ(O.Original.Program, "/bin/true");
  EXPECT_EQ(O.Original.Arguments, Words);
  EXPECT_EQ(O.Rewritten.Program, "/bin/false");
  EXPECT_EQ(O.Rewritten.Arguments, Words);
}

TEST(CommandLine, TwoCommandsWithArgumentsOfTheirOwn) {
  auto Result = parse({"--runs=9", "--", "sh", "-c", "a b", "--vs", "env",
                       "X=1", "/bin/sh", "--"});
  ASSERT_TRUE(std::holds_alternative<Options>(Result));
  const Options &O = std::get<Options>(Result);
  EXPECT_TRUE(O.Original.Program.ends_with("/sh"));
  EXPECT_EQ(O.Original.Arguments, (std::vector<std::string>{"-c", "a b"}));
  EXPECT_TRUE(O.Rewritten.Program.ends_with("/env"));
  EXPECT_EQ(O.Rewritten.Arguments,
            (std::vector<std::string>{"X=1", "/bin/sh", "--"}));
  EXPECT_TRUE(O.Original.text().ends_with("/sh -c 'a b'"));
}

TEST(CommandLine, SurveyIsOfOneCommand) {
  const auto Result =
      parse({"--survey=/tmp", "--kernel=k", "--timeout=7", "--end-after=0",
             "--json=a", "--", "sh", "-c", "--vs"});
  ASSERT_TRUE(std::holds_alternative<SurveyOptions>(Result));
  const SurveyOptions &O = std::get<SurveyOptions>(Result);
  EXPECT_TRUE(O.Program.Program.ends_with("/sh"));
  EXPECT_EQ(O.Program.Arguments, (std::vector<std::string>{"-c", "--vs"}));
  EXPECT_EQ(O.Kernels, std::vector<std::string>{"k"});
  EXPECT_EQ(O.TimeoutSeconds, 7);
  EXPECT_EQ(O.EndAfter, 0);
  EXPECT_EQ(O.JsonPath, "a");
  const auto Two = parse({"--survey=/tmp", "sh", "sh"});
  EXPECT_EQ(std::get<Done>(Two).Status, ExitUsage);
}

TEST(CommandLine, LaunchesAreLimitedWhereNothingElseIsSaid) {
  const auto FirstOf = [](std::vector<const char *> Words) {
    Words.insert(Words.end(), {"/bin/true", "/bin/true"});
    return std::get<Options>(parse(std::move(Words))).First;
  };
  EXPECT_EQ(FirstOf({}), 256);
  EXPECT_EQ(FirstOf({"--first=3"}), 3);
  EXPECT_EQ(FirstOf({"--all"}), std::nullopt);
}

static std::string splitProblem(const std::vector<std::string> &Words) {
  Options O;
  return splitCommands(Words, O);
}

TEST(Commands, WhatIsMissingIsSaid) {
  EXPECT_EQ(splitProblem({"a", "--vs", "b"}), "");
  EXPECT_TRUE(splitProblem({"a", "b"}).starts_with("give two commands"));
  EXPECT_TRUE(splitProblem({"--vs", "b"}).starts_with("the original command"));
  EXPECT_TRUE(splitProblem({"a", "--vs"}).starts_with("the rewritten command"));
  EXPECT_NE(splitProblem({"a", "--vs", "b", "--vs"}).find("into a script"),
            std::string::npos);
}

TEST(Commands, AreLookedForAsAShellDoes) {
  EXPECT_EQ(findProgram("sh", "/nowhere:/bin"), "/bin/sh");
  EXPECT_EQ(findProgram("sh", "/nowhere"), "");
  EXPECT_EQ(findProgram("/bin/sh", ""), "/bin/sh");
  EXPECT_EQ(findProgram("./nonexistent", "/bin"), "");
  EXPECT_EQ(findProgram("bin", "/"), ""); // A folder.
  EXPECT_EQ(findProgram("", "/bin"), "");
}

TEST(Commands, TextCanBeTypedAgain) {
  const Command C{"./app", {"a b", "it's", "", "x=1"}};
  EXPECT_EQ(C.text(), "./app 'a b' 'it'\\''s' '' x=1");
}

TEST(CommandLine, RecorderIsFoundWhereItWasBuilt) {
  // This test lies in bin, as the verifier does.
  EXPECT_EQ(findRecorder(), BANKSTRIPE_RECORDER_LIBRARY);
}
