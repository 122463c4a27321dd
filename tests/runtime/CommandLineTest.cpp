//===-- CommandLineTest.cpp - bankstripe-verify as a program --------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "verify/Child.h"
#include "verify/Options.h"
#include <gtest/gtest.h>

using namespace bankstripe::runtime;

// No GPU is visible to it, whether there is one or not.
static ChildResult verifier(std::vector<std::string> Arguments) {
  return runChild({BANKSTRIPE_VERIFY_PROGRAM,
                   std::move(Arguments),
                   {{"CUDA_VISIBLE_DEVICES", "-1"}},
                   60});
}

static std::variant<Options, Done> parse(std::vector<const char *> Words) {
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
      {"--recorder=/nonexistent.so", "/bin/true", "/bin/true"}};
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
  EXPECT_NE(verifier({"--help"}).Output.find("Exit status"), std::string::npos);
  EXPECT_TRUE(verifier({"--version"}).Output.starts_with("bankstripe-verify "));
}

TEST(CommandLine, WordsAfterTheDashesGoToThePrograms) {
  auto Result = parse(
      {"--runs=9", "/bin/true", "/bin/false", "--", "--runs=1", "--", "-x"});
  ASSERT_TRUE(std::holds_alternative<Options>(Result));
  const Options &O = std::get<Options>(Result);
  EXPECT_EQ(O.Runs, 9u);
  EXPECT_EQ(O.Original, "/bin/true");
  EXPECT_EQ(O.Rewritten, "/bin/false");
  EXPECT_EQ(O.Arguments, (std::vector<std::string>{"--runs=1", "--", "-x"}));
}

TEST(CommandLine, RecorderIsFoundWhereItWasBuilt) {
  EXPECT_EQ(findRecorder(BANKSTRIPE_RECORDER_LIBRARY),
            BANKSTRIPE_RECORDER_LIBRARY);
  // This test lies in bin, as the verifier does.
  EXPECT_EQ(findRecorder(""), BANKSTRIPE_RECORDER_LIBRARY);
  EXPECT_EQ(findRecorder("/nonexistent.so"), "");
}
