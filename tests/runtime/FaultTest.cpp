//===-- FaultTest.cpp - programs that end otherwise than they should -----===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whatever happens ends in a verdict and a reason that names the program and
// the run. That of the original is never blamed on the rewrite.
//
//===----------------------------------------------------------------------===//

#include "Scripts.h"

using namespace bankstripe::runtime;

namespace {

class Faults : public Verify {
protected:
  // What happens from the second run in some mode on.
  std::string later(const std::string &Mode, const std::string &Happens) const {
    const std::string Seen = Folder + "/seen-$(basename $0)";
    return "if [ $mode = " + Mode + " ]; then\n  if [ -e " + Seen +
           " ]; then " + Happens + "; fi\n  touch " + Seen + "\nfi";
  }
  void expect(ExitStatus Verdict, const std::string &Reason,
              const VerifyReport &R) {
    EXPECT_EQ(R.Verdict, Verdict);
    EXPECT_TRUE(R.Reason.starts_with(Reason)) << R.Reason;
  }
};

const std::string Good = program(One, 9);

} // namespace

TEST_F(Faults, OriginalThatHangs) {
  O.TimeoutSeconds = 0.5;
  expect(ExitCannotRecord,
         "the original program: stopped because it ran past the time limit",
         run(program(One, 9, "sleep 60"), Good));
}

TEST_F(Faults, OriginalThatCrashesWhenItRunsAgain) {
  expect(ExitCannotRecord,
         "the original program ends with exit status 0 and, run again, with "
         "killed by signal 6",
         run(program(One, 9, later("digest", "kill -ABRT $$")), Good));
}

TEST_F(Faults, OriginalThatIsNotRecordedAgain) {
  expect(ExitCannotRecord, "the original program could not be recorded again: ",
         run(program(One, 9, later("digest", "rm $record")), Good));
}

TEST_F(Faults, ProgramsThatEndOtherwiseInATimedRun) {
  const auto Crashing = [&] {
    return program(One, 9, "[ $mode = digest ] || kill -SEGV $$");
  };
  expect(ExitDiffers,
         "the rewritten program, run without digests: killed by signal 11",
         run(Good, Crashing()));
  expect(ExitCannotRecord,
         "the original program, run without digests: killed by signal 11",
         run(Crashing(), Good));
  expect(ExitDiffers,
         "the rewritten program, run without digests: exit status 3, not 0 as "
         "with digests",
         run(Good, program(One, 9, "[ $mode = digest ] || exit 3")));
  O.TimeoutSeconds = 0.5;
  expect(ExitDiffers,
         "the rewritten program, run without digests: stopped because",
         run(Good, program(One, 9, later("time", "sleep 60"))));
}

TEST_F(Faults, TimesBeforeTheFaultAreKept) {
  const VerifyReport R =
      run(Good, program(One, 3, later("time", "kill -SEGV $$")));
  EXPECT_EQ(R.Runs, 1u);
  EXPECT_EQ(*R.Kernels.at(0).speedup(), 3);
}

TEST_F(Faults, RewrittenProgramWithoutMemory) {
  expect(ExitDiffers,
         "the rewritten program: exit status 1; its last line on standard "
         "error: out of memory",
         run(Good, "echo out of memory >&2; exit 1"));
}

// Both fail alike: nothing that the rewrite is to blame for.
TEST_F(Faults, BothProgramsWithoutMemory) {
  const std::string Failing = program(One, 9, "echo no memory >&2; exit 2");
  const VerifyReport R = run(Failing, Failing);
  EXPECT_EQ(R.Verdict, ExitIdentical);
  ASSERT_FALSE(R.Notes.empty());
  EXPECT_EQ(R.Notes[0], "the original program itself ends with exit status 2; "
                        "its last line on standard error: no memory");
}

TEST_F(Faults, RewrittenProgramThatIsNotRecorded) {
  expect(ExitDiffers, "the rewritten program could not be recorded: ",
         run(Good, "echo result"));
  expect(ExitDiffers, "the rewritten program could not be recorded: ",
         run(Good, "echo garbage >$record; echo result"));
}

TEST_F(Faults, CommandThatUsesNoGpu) {
  expect(ExitCannotRecord, "the original program could not be recorded: ",
         run("echo hello", Good));
}

TEST_F(Faults, FurtherProcessThatIsNotRecorded) {
  const std::string Text =
      program(One, 9, "echo garbage >$record.99; echo result");
  const VerifyReport R = run(Text, Text);
  EXPECT_EQ(R.Verdict, ExitIdentical);
  ASSERT_FALSE(R.Notes.empty());
  EXPECT_NE(R.Notes[0].find("process 99 could not be recorded: "),
            std::string::npos)
      << R.Notes[0];
}
