//===-- ChildTest.cpp - running programs -----------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "harness/Child.h"
#include <chrono>
#include <csignal>
#include <gtest/gtest.h>

using namespace bankstripe::runtime;

static ChildResult shell(const std::string &Script, double Timeout = 20,
                         std::map<std::string, std::string> Environment = {}) {
  return runChild({"/bin/sh", {"-c", Script}, std::move(Environment), Timeout});
}

TEST(Child, KeepsOutputErrorsAndStatus) {
  const ChildResult R = shell("echo out; echo err >&2; exit 7");
  EXPECT_EQ(R.Output, "out\n");
  EXPECT_EQ(R.Errors, "err\n");
  EXPECT_EQ(R.ExitStatus, 7);
  EXPECT_TRUE(R.exited());
  EXPECT_FALSE(R.succeeded());
  EXPECT_EQ(R.describe(), "exit status 7");
}

TEST(Child, KeepsAllOfALargeOutput) {
  const ChildResult R = shell("head -c 3000000 /dev/zero; head -c 3000000 "
                              "/dev/zero >&2; echo end >&2");
  EXPECT_EQ(R.Output.size(), 3000000u);
  EXPECT_LT(R.Errors.size(), 100000u);
  EXPECT_TRUE(R.Errors.ends_with("end\n"));
}

TEST(Child, ChangesTheEnvironment) {
  ::setenv("BANKSTRIPE_TEST_A", "old", 1);
  ::setenv("BANKSTRIPE_TEST_B", "old", 1);
  ::setenv("BANKSTRIPE_TEST_C", "old", 1);
  const ChildResult R =
      shell("echo $BANKSTRIPE_TEST_A,$BANKSTRIPE_TEST_B,"
            "${BANKSTRIPE_TEST_C-unset}",
            20, {{"BANKSTRIPE_TEST_A", "new"}, {"BANKSTRIPE_TEST_C", ""}});
  EXPECT_EQ(R.Output, "new,old,unset\n");
}

TEST(Child, SaysWhichSignalKilledIt) {
  const ChildResult R = shell("kill -SEGV $$");
  EXPECT_EQ(R.Signal, SIGSEGV);
  EXPECT_FALSE(R.exited());
  EXPECT_NE(R.describe().find("killed by signal 11"), std::string::npos);
}

TEST(Child, IsStoppedWithItsChildrenWhenTheTimeIsOver) {
  const auto Start = std::chrono::steady_clock::now();
  const ChildResult R = shell("echo begun; sleep 60 & sleep 60", 0.3);
  EXPECT_TRUE(R.TimedOut);
  EXPECT_EQ(R.Output, "begun\n");
  EXPECT_LT(std::chrono::steady_clock::now() - Start, std::chrono::seconds(15));
}

TEST(Child, IsKilledWhenItIgnoresBeingStopped) {
  const ChildResult R = shell("trap '' TERM; while :; do sleep 1; done", 0.3);
  EXPECT_TRUE(R.TimedOut);
  EXPECT_EQ(R.Signal, SIGKILL);
}

TEST(Child, ThatCannotBeStartedSaysWhy) {
  const ChildResult R = runChild({"/nonexistent/program", {}, {}, 1});
  EXPECT_FALSE(R.StartError.empty());
  EXPECT_FALSE(R.exited());
}
