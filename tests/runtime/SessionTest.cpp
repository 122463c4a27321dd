//===-- SessionTest.cpp - a whole verification without a GPU --------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Scripts.h"
#include "survey/Survey.h"
#include <algorithm>
#include <fcntl.h>

using namespace bankstripe::runtime;
namespace fs = std::filesystem;

TEST_F(Verify, IdenticalProgramsAreTimed) {
  const VerifyReport R = run(program(One, 900), program(One, 300));
  EXPECT_EQ(R.Verdict, ExitIdentical);
  EXPECT_EQ(R.Runs, 2u);
  EXPECT_EQ(R.OutputBytes, 7u);
  ASSERT_EQ(R.Kernels.size(), 1u);
  EXPECT_EQ(*R.Kernels[0].speedup(), 3);
}

TEST_F(Verify, CommandsTakeTurnsInGoingFirst) {
  O.Runs = 3;
  const auto Log = [&](const char *Name) {
    return program(One, 9,
                   "[ $mode = digest ] || echo " + std::string(Name) + " >>" +
                       Folder + "/order");
  };
  run(Log("a"), Log("b"));
  std::ifstream Input(Folder + "/order");
  const std::string Order{std::istreambuf_iterator<char>(Input), {}};
  EXPECT_EQ(Order, "a\nb\nb\na\na\nb\n");
}

// Digests take long, and who agrees in everything needs no excuse.
TEST_F(Verify, OriginalRunsAgainOnlyWhereSomethingDiffers) {
  O.Runs = 0;
  const auto Log = [&](const std::string &Name, const std::string &Result) {
    return program(One, 9,
                   "echo " + Name + " >>" + Folder + "/order; echo " + Result);
  };
  const auto Order = [&] {
    std::ifstream Input(Folder + "/order");
    std::string Text{std::istreambuf_iterator<char>(Input), {}};
    fs::remove(Folder + "/order");
    return Text;
  };
  EXPECT_EQ(run(Log("a", "1"), Log("b", "1")).Repeats, 1u);
  EXPECT_EQ(Order(), "a\nb\n");
  O.Repeats = 3;
  EXPECT_EQ(run(Log("a", "1"), Log("b", "2")).Repeats, 3u);
  EXPECT_TRUE(Order().starts_with("a\nb\na\na\n"));
}

// It has digests and times, so the rewritten program runs once.
TEST_F(Verify, SurveyStandsForTheOriginalsFirstRun) {
  const auto Log = [&](const std::string &Name, int Nanoseconds,
                       const std::string &Digest) {
    return program(Digest, Nanoseconds,
                   "echo " + Name + " $mode $discards >>" + Folder +
                       "/order; echo result");
  };
  const auto Order = [&] {
    std::ifstream Input(Folder + "/order");
    return std::string{std::istreambuf_iterator<char>(Input), {}};
  };
  surveyOriginal(Log("a", 900, One));
  O.Runs = 0;
  O.First = 256; // Of no use: the survey has digests.
  const VerifyReport R = run(Log("a", 900, One), Log("b", 300, One));
  // Both read memory, so that both times are disturbed; one writes it.
  EXPECT_EQ(Order(), "a survey 0\nb survey 1\n");
  EXPECT_EQ(R.Verdict, ExitIdentical);
  EXPECT_EQ(R.Launches.ComparedLaunches, 1u);
  EXPECT_EQ(R.OutputBytes, 7u);
  EXPECT_EQ(*R.Kernels[0].speedup(), 3);
  EXPECT_FALSE(R.First);
  const VerifyReport Other = run(Log("a", 900, One), Log("b", 300, Two));
  EXPECT_EQ(Other.Verdict, ExitDiffers);
  EXPECT_TRUE(
      Order().starts_with("a survey 0\nb survey 1\nb survey 1\na survey 1\n"));
  O.RecordedFolder = Folder;
  EXPECT_EQ(run("", "").Reason, "'" + Folder + "' holds no survey");
}

// Most programs print their times, so that the two are never the same.
TEST_F(Verify, WhatTheOriginalPrintsAgainIsAskedOnce) {
  const auto Timed = [&](const std::string &Name) {
    return program(One, 9,
                   "echo " + Name + " >>" + Folder + "/order; wc -l <" +
                       Folder + "/order");
  };
  const auto Order = [&] {
    std::ifstream Input(Folder + "/order");
    std::string Text{std::istreambuf_iterator<char>(Input), {}};
    std::ranges::replace(Text, '\n', ' ');
    return Text;
  };
  surveyOriginal(Timed("a"));
  O.Runs = 0;
  const VerifyReport R = run(Timed("a"), Timed("b"));
  EXPECT_EQ(R.Verdict, ExitIdentical);
  EXPECT_TRUE(R.Output.NotDeterministic);
  EXPECT_EQ(run(Timed("a"), Timed("c")).Verdict, ExitIdentical);
  EXPECT_EQ(Order(), "a b a c ");
  // Another survey is asked anew.
  surveyOriginal(Timed("a"));
  EXPECT_EQ(run(Timed("a"), Timed("d")).Verdict, ExitIdentical);
  EXPECT_EQ(Order(), "a b a c a d a ");
  // `tune` keeps time for six runs.
  surveyOriginal(Timed("a"));
  O.Runs = 2;
  EXPECT_EQ(run(Timed("a"), Timed("e")).Runs, 2U);
  EXPECT_TRUE(Order().ends_with(" d a a e a a e e a ")) << Order();
}

// Three launches with so many blocks, of a program that asked how many.
static std::string persistent(unsigned Blocks, const std::string &Digest,
                              const std::string &Note = "occupancy queries") {
  const std::string Launch = "launch _Z4stepPi 9 0:0:";
  return Script{Digest, 9, "echo result",
                "note " + Note + "\n" + Launch + "05\ngrid " +
                    std::to_string(Blocks) + "\n" + Launch +
                    std::to_string(Blocks)}
      .text();
}

TEST_F(Verify, LaunchesThatFollowOccupancyAreComparedInTheEnd) {
  const VerifyReport Same = run(persistent(264, One), persistent(132, One));
  EXPECT_EQ(Same.Verdict, ExitIdentical);
  EXPECT_EQ(Same.Launches.ComparedLaunches, 1u);
  EXPECT_EQ(Same.Runs, 2u);
  const std::string Text = printReport(Same);
  EXPECT_TRUE(Text.starts_with("identical where it was compared: 1 launch"));
  EXPECT_NE(Text.find("from launch 1 on, where the grid is 264 x 1 x 1 in the "
                      "original and 132 x 1 x 1 in"),
            std::string::npos)
      << Text;
  EXPECT_EQ(Text.find("note: occupancy"), std::string::npos);
  const VerifyReport Other = run(persistent(264, One), persistent(132, Two));
  EXPECT_EQ(Other.Verdict, ExitDiffers);
  EXPECT_EQ(Other.Launches.First->Kind, DifferenceKind::Left);
  EXPECT_TRUE(printReport(Other).starts_with(
      "differs: in the end\n  allocation 0 (512 bytes): the first"));
}

TEST_F(Verify, OtherGridsOfAProgramThatAsksNothingDiffer) {
  const VerifyReport R =
      run(persistent(264, One, "a note"), persistent(132, One, "a note"));
  EXPECT_EQ(R.Verdict, ExitDiffers);
  EXPECT_EQ(R.Launches.First->Kind, DifferenceKind::Grid);
}

// What the original leaves otherwise each time is no difference.
TEST_F(Verify, WhatVariesIsNotComparedInTheEndEither) {
  const std::string Varying = persistent(264, "$(date +%N | cut -c1-8)");
  EXPECT_EQ(run(Varying, persistent(132, Two)).Verdict, ExitIdentical);
}

TEST_F(Verify, IntervalNeedsFiveRuns) {
  EXPECT_FALSE(
      run(program(One, 9000), program(One, 3000)).Kernels[0].SpeedupInterval);
  O.Runs = 5;
  const VerifyReport R = run(program(One, 9000), program(One, 3000));
  EXPECT_EQ(R.Kernels[0].verdict(), "faster");
  EXPECT_EQ(R.Total.verdict(), "faster");
}

// A script that starts the same program twice: the second process finds the
// file of the first one there.
TEST_F(Verify, ProcessWithTheMostLaunchesIsCompared) {
  const auto Twice = [&](const std::string &Digest) {
    const std::string Path = write("part" + Digest, program(Digest, 9));
    return "SUFFIX=.77 " + Path + "\n$stand_in record </dev/null\n";
  };
  EXPECT_EQ(run(Twice(One), Twice(Two)).Verdict, ExitDiffers);
  const VerifyReport R = run(Twice(One), Twice(One));
  EXPECT_EQ(R.Verdict, ExitIdentical);
  EXPECT_EQ(R.LaunchCount, 1u);
  ASSERT_FALSE(R.Notes.empty());
  EXPECT_TRUE(R.Notes[0].starts_with(
      "2 processes of the original command use the GPU; compared is the one "
      "with the most launches (1), not compared: the first process made 0 "
      "launches"))
      << R.Notes[0];
}

TEST_F(Verify, ProcessesThatLaunchEquallyOftenAreMentioned) {
  const std::string Copy = program(One, 9, "cp $record $record.5; echo result");
  const VerifyReport R = run(Copy, Copy);
  EXPECT_EQ(R.Verdict, ExitIdentical);
  ASSERT_FALSE(R.Notes.empty());
  EXPECT_NE(R.Notes[0].find("process 5 made 1 launch; some launch "
                            "equally often"),
            std::string::npos)
      << R.Notes[0];
}

TEST_F(Verify, DifferenceIsLocatedToTheByte) {
  const auto Dumping = [](const char *Bytes) {
    return std::string("if [ \"$bytes\" = 0:0:0:256 ]; then printf ") + Bytes +
           " >$record.bytes; fi; echo result";
  };
  const VerifyReport R = run(program(One, 9, Dumping("abcdefgh")),
                             program(Two, 9, Dumping("abcdeFgh")));
  EXPECT_EQ(R.Verdict, ExitDiffers);
  ASSERT_TRUE(R.Launches.First);
  EXPECT_EQ(R.Launches.First->Kind, DifferenceKind::Contents);
  ASSERT_TRUE(R.Bytes);
  EXPECT_EQ(R.Bytes->Offset, 5u);
}

TEST_F(Verify, OriginalThatDiffersFromItselfIsNoFailureOfTheRewrite) {
  // The second run finds the file that the first one left.
  const std::string Once = "$([ -e " + Folder + "/seen ] && echo " + Two +
                           " || echo " + One + "; touch " + Folder + "/seen)";
  const VerifyReport R = run(program(Once, 9, "date +%N"), program(Two, 9));
  EXPECT_EQ(R.Verdict, ExitIdentical);
  EXPECT_EQ(R.Launches.NotDeterministic, std::vector<unsigned>{0});
  EXPECT_TRUE(R.Output.NotDeterministic);
}

// Shell text that sets $at to the digest \p Fixed where addresses are the same
// in each run, else to another one in each.
std::string addresses(const std::string &Fixed) {
  return "case $(cat /proc/self/personality) in *4[0-9][0-9][0-9][0-9]) at=" +
         Fixed + ";; *) at=$(printf %016x $$);; esac\n";
}

bool canFixAddresses() {
  ChildRequest Request{"/bin/cat", {"/proc/self/personality"}, {}, 0, true};
  const std::string Text = runChild(Request).Output;
  return Text.size() > 5 && Text[Text.size() - 6] == '4';
}

TEST_F(Verify, PointersInMemoryAreComparedAtFixedAddresses) {
  if (!canFixAddresses())
    GTEST_SKIP() << "the system forbids fixed addresses";
  const std::string Pointers = addresses(One) + program("$at", 1000);
  const VerifyReport R = run(Pointers, Pointers);
  EXPECT_EQ(R.Verdict, ExitIdentical);
  EXPECT_TRUE(R.Launches.deterministic());
}

// The rewritten program's code has another size, and so its memory may lie
// elsewhere.
TEST_F(Verify, WhatDependsOnAddressesIsNotHeldAgainstTheRewrite) {
  if (!canFixAddresses())
    GTEST_SKIP() << "the system forbids fixed addresses";
  const VerifyReport R = run(addresses(One) + program("$at", 1000, "echo $at"),
                             addresses(Two) + program("$at", 1000, "echo $at"));
  EXPECT_EQ(R.Verdict, ExitIdentical);
  EXPECT_EQ(R.Launches.NotDeterministic, std::vector<unsigned>{0});
  EXPECT_TRUE(R.Output.NotDeterministic);
}

// Two launches: the first stores what depends on addresses into one half of an
// allocation, the second stores data into the other half.
std::string pointersAndData(const std::string &Data,
                            const std::string &Then = "echo result") {
  return addresses(One) +
         "$stand_in record <<END\nmemory 512\nlaunch _Z4stepPi 9 0:0:$at\n"
         "launch _Z4stepPi 9 0:1:" +
         Data + "\nEND\n" + Then + "\n";
}

TEST_F(Verify, DataBesidePointersIsComparedToo) {
  if (!canFixAddresses())
    GTEST_SKIP() << "the system forbids fixed addresses";
  EXPECT_EQ(run(pointersAndData(One), pointersAndData(One)).Verdict,
            ExitIdentical);
  const VerifyReport R = run(pointersAndData(One), pointersAndData(Two));
  EXPECT_EQ(R.Verdict, ExitDiffers);
  ASSERT_TRUE(R.Launches.First);
  EXPECT_EQ(R.Launches.First->Launch, 1u);
}

// `step` at fixed addresses; elsewhere, and in the rewritten program, `other`.
TEST_F(Verify, LaunchesThatDependOnAddressesAreNotHeldAgainstTheRewrite) {
  if (!canFixAddresses())
    GTEST_SKIP() << "the system forbids fixed addresses";
  O.Runs = 0;
  const VerifyReport R =
      run(addresses(One) + "[ $at = " + One +
              " ] && kernel=_Z4stepPi || kernel=_Z5otherPi\n" +
              Script{.Digest = One, .Kernel = "$kernel"}.text(),
          Script{.Digest = One, .Kernel = "_Z5otherPi"}.text());
  EXPECT_EQ(R.Verdict, ExitIdentical);
  EXPECT_EQ(R.Launches.SequenceNotDeterministicFrom, 0u);
}

// A run at random addresses that goes wrong tells nothing.
TEST_F(Verify, OriginalThatFailsAtOtherAddressesExcusesNothing) {
  if (!canFixAddresses())
    GTEST_SKIP() << "the system forbids fixed addresses";
  O.Runs = 0;
  const std::string Fails =
      addresses(One) +
      program(One, 1000,
              "[ $at = " + std::string(One) +
                  " ] || { echo memory; exit 1; }\necho right");
  EXPECT_EQ(run(Fails, program(One, 1000, "echo wrong")).Verdict, ExitDiffers);
}

TEST_F(Verify, RecordingWithoutAnEndIsNoted) {
  const VerifyReport R =
      run(program(One, 9), Script{.Digest = One, .Lines = "noend"}.text());
  EXPECT_EQ(R.Verdict, ExitIdentical);
  ASSERT_EQ(R.Notes.size(), 1u);
  EXPECT_NE(R.Notes[0].find("the rewritten program has no end"),
            std::string::npos);
}

TEST_F(Verify, FixedAddressesExcuseNothingElse) {
  EXPECT_EQ(run(program(One, 1000), program(Two, 1000)).Verdict, ExitDiffers);
  EXPECT_EQ(
      run(program(One, 1000, "echo a"), program(One, 1000, "echo b")).Verdict,
      ExitDiffers);
}

TEST_F(Verify, OtherOutputOrNone) {
  EXPECT_EQ(run(program(One, 9), program(One, 9, "echo other")).Verdict,
            ExitDiffers);
  const std::string Silent = program(One, 9, ":");
  EXPECT_EQ(run(Silent, Silent).Verdict, ExitIdentical);
}

TEST_F(Verify, RewrittenProgramThatFails) {
  VerifyReport R =
      run(program(One, 9), program(One, 9, "echo bad news >&2; exit 4"));
  EXPECT_EQ(R.Verdict, ExitDiffers);
  EXPECT_EQ(R.Reason, "the rewritten program: exit status 4; its last line on "
                      "standard error: bad news");
  R = run(program(One, 9), program(One, 9, "kill -SEGV $$"));
  EXPECT_NE(R.Reason.find("killed by signal 11"), std::string::npos);
  O.TimeoutSeconds = 0.5;
  R = run(program(One, 9), program(One, 9, "sleep 60"));
  EXPECT_EQ(R.Verdict, ExitDiffers);
  EXPECT_NE(R.Reason.find("past the time limit"), std::string::npos);
}

TEST_F(Verify, NothingToCompareWith) {
  EXPECT_EQ(run("exit 0", program(One, 9)).Verdict, ExitCannotRecord);
  EXPECT_EQ(run(program(One, 9, "kill -ABRT $$"), program(One, 9)).Verdict,
            ExitCannotRecord);
  EXPECT_EQ(run("echo garbage >$record", program(One, 9)).Reason,
            "the original program could not be recorded: it is of another "
            "kind");
  const VerifyReport R =
      run("echo failure CUPTI says no | $stand_in record", program(One, 9));
  EXPECT_EQ(R.Verdict, ExitCannotRecord);
  EXPECT_NE(R.Reason.find("CUPTI says no"), std::string::npos);
}

TEST_F(Verify, ProgramsGetTheirArgumentsAndTheRecorder) {
  Arguments = {"a b", "-x"};
  O.Runs = 0;
  const VerifyReport R =
      run(program(One, 9, "echo \"$#:$1:$2:$CUDA_INJECTION64_PATH\""),
          program(One, 9, "echo '2:a b:-x:/no/recorder'"));
  EXPECT_EQ(R.Verdict, ExitIdentical) << R.Output.Original;
}
