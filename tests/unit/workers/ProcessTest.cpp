//===-- ProcessTest.cpp - processes that this one starts ------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "contract/Process.h"
#include "gtest/gtest.h"
#include <csignal>
#include <unistd.h>

using namespace bankstripe;

static ProcessResult runShell(const std::string &Script, Output Printed) {
  return runProcess({"sh", "-c", Script}, Printed);
}

TEST(Process, OutputIsCaughtApart) {
  const ProcessResult Result =
      runShell("echo out; echo err >&2; exit 3", Output::Apart);
  EXPECT_EQ(Result.Out, "out\n");
  EXPECT_EQ(Result.Err, "err\n");
  EXPECT_EQ(Result.exitStatus(), 3);
}

TEST(Process, OutputIsCaughtInItsOrder) {
  EXPECT_EQ(runShell("echo 1; echo 2 >&2; echo 3", Output::Together).Out,
            "1\n2\n3\n");
}

TEST(Process, NobodyIsAskedWhereOutputIsNotSeen) {
  EXPECT_EQ(runShell("cat; echo end", Output::Together).Out, "end\n");
}

TEST(Process, EndIsNotThatOfWhatWasLeftBehind) {
  const ProcessResult Result =
      runShell("sleep 1000 & echo $!", Output::Together);
  EXPECT_EQ(kill(std::stoi(Result.Out), SIGKILL), 0);
}

TEST(Process, FolderToRunIn) {
  EXPECT_EQ(runProcess({"pwd"}, Output::Together, "/").Out, "/\n");
  const ProcessResult Result =
      runProcess({"pwd"}, Output::Together, "/nowhere");
  EXPECT_EQ(Result.Out, "bankstripe: cannot work in the folder '/nowhere': No "
                        "such file or directory\n");
  EXPECT_EQ(Result.problem(), "ended with status 127");
}

TEST(Process, NoSuchProgram) {
  const ProcessResult Result = runProcess({"/no/program"}, Output::Apart);
  EXPECT_EQ(
      Result.Err,
      "bankstripe: cannot run '/no/program': No such file or directory\n");
  EXPECT_EQ(Result.exitStatus(), 127);
}

TEST(Process, SignalThatEndsIt) {
  const ProcessResult Result = runShell("kill -9 $$", Output::Shown);
  EXPECT_TRUE(Result.wasKilled());
  EXPECT_EQ(Result.problem(), "was ended by signal 9");
}

TEST(Process, WhoeverIgnoresTheEndOfChildrenHearsOfIt) {
  const auto Before = signal(SIGCHLD, SIG_IGN);
  EXPECT_EQ(runShell("exit 3", Output::Shown).exitStatus(), 3);
  signal(SIGCHLD, Before);
}

TEST(Process, SignalsAreHandedOn) {
  const pid_t Own = getpid();
  const ProcessResult Result =
      runShell("trap 'echo told; exit 4' TERM; kill -TERM " +
                   std::to_string(Own) + "; sleep 100 & wait",
               Output::Together);
  EXPECT_EQ(Result.Out, "told\n");
  EXPECT_EQ(Result.exitStatus(), 4);
  EXPECT_TRUE(Result.Interrupted);
}
