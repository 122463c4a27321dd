//===-- SearchTest.cpp - the first launch that differs, without a GPU ---===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scripts.h"

using namespace bankstripe::runtime;

namespace {

// The long program of the stand-in: 200 launches, of which the first and the
// last are digested unless the request says more.
struct LongProgram {
  int Wrong = 1000, Mended = 1000;
  bool Varies = false;
  int Beside = 0;
  std::string Dump = "printf abcd"; // The bytes of whatever is asked for.
  std::string Then = ":";           // What it does last.
  int Launches = 200;
  bool IsBlind = false;

  std::string text() const {
    return "[ -z \"$bytes\" ] || " + Dump +
           " >$record.bytes\n$stand_in long wrong=" + std::to_string(Wrong) +
           " mended=" + std::to_string(Mended) +
           " launches=" + std::to_string(Launches) +
           " beside=" + std::to_string(Beside) +
           " blind=" + std::to_string(IsBlind) +
           " vary=" + (Varies ? "$$" : "7") + "\n" + Then + "\n";
  }
};

class Search : public Verify {
protected:
  void SetUp() override {
    Verify::SetUp();
    O.Runs = 0;
    O.First = 1;
  }
  VerifyReport search(const LongProgram &Original,
                      const LongProgram &Rewritten) {
    return run(Original.text(), Rewritten.text());
  }
  // Only the first run is wrong.
  std::string wrongOnce(const LongProgram &Right, const LongProgram &Wrong) {
    return "if [ -e " + Folder + "/seen ]; then\n" + Right.text() +
           "else touch " + Folder + "/seen\n" + Wrong.text() + "fi\n";
  }
};

} // namespace

TEST_F(Search, FindsTheLaunchBetweenTheDigests) {
  const std::pair<int, unsigned> WrongAndRounds[] = {
      {3, 1}, {33, 1}, {64, 1}, {129, 1}, {137, 1}, {199, 2}};
  for (const auto &[Wrong, Rounds] : WrongAndRounds) {
    const VerifyReport R = search({}, {.Wrong = Wrong});
    ASSERT_TRUE(R.Launches.First) << Wrong;
    EXPECT_EQ(R.Launches.First->Launch, static_cast<unsigned>(Wrong));
    ASSERT_TRUE(R.Found);
    EXPECT_TRUE(R.Found->Range.isOne());
    EXPECT_EQ(R.Found->Problem, "");
    EXPECT_EQ(R.Found->Rounds, Rounds);
  }
}

TEST_F(Search, NoRoundForALaunchThatWasDigestedAlone) {
  const VerifyReport R = search({}, {.Wrong = 0});
  EXPECT_EQ(R.Launches.First->Launch, 0u);
  EXPECT_EQ(R.Found->Rounds, 0u);
}

// Memory is right again where it is compared.
TEST_F(Search, FindsTheLaunchBehindAnOutputThatDiffers) {
  const VerifyReport R = search({.Then = "echo 1"},
                                {.Wrong = 70, .Mended = 100, .Then = "echo 2"});
  EXPECT_EQ(R.Verdict, ExitDiffers);
  EXPECT_TRUE(R.Output.failed());
  ASSERT_TRUE(R.Launches.First);
  EXPECT_EQ(R.Launches.First->Launch, 70u);
  EXPECT_EQ(R.Found->Rounds, 1u);
}

TEST_F(Search, FindsTheLaunchBehindAFailure) {
  const VerifyReport R =
      search({}, {.Wrong = 70, .Mended = 100, .Then = "exit 9"});
  EXPECT_EQ(R.Verdict, ExitDiffers);
  ASSERT_TRUE(R.Launches.First);
  EXPECT_EQ(R.Launches.First->Launch, 70u);
}

// It ends at launch 120, but that is not where it went wrong.
TEST_F(Search, FindsTheLaunchBehindAnEarlyEnd) {
  const VerifyReport R = search(
      {}, {.Wrong = 70, .Mended = 100, .Then = "exit 9", .Launches = 120});
  EXPECT_EQ(R.Verdict, ExitDiffers);
  ASSERT_TRUE(R.Launches.First);
  EXPECT_EQ(R.Launches.First->Launch, 70u);
}

TEST_F(Search, OutputAloneMayDiffer) {
  const VerifyReport R = search({.Then = "echo 1"}, {.Then = "echo 2"});
  EXPECT_EQ(R.Verdict, ExitDiffers);
  EXPECT_FALSE(R.Launches.First);
}

TEST_F(Search, SaysHowManyLaunchesWereLeftOut) {
  const VerifyReport R = search({}, {});
  EXPECT_EQ(R.Verdict, ExitIdentical);
  EXPECT_EQ(R.Launches.UndigestedLaunches, 190u); // All but the last.
  EXPECT_EQ(R.DigestedLaunches, 9u);
  EXPECT_EQ(R.Skipped.at("rule"), 191u);
}

// Elsewhere in the same digests the original varies, which is no excuse.
TEST_F(Search, VaryingLaunchDoesNotHideAnotherOne) {
  const VerifyReport R =
      search({.Varies = true}, {.Wrong = 55, .Varies = true});
  EXPECT_EQ(R.Verdict, ExitDiffers);
  ASSERT_TRUE(R.Launches.First);
  EXPECT_EQ(R.Launches.First->Launch, 55u);
  EXPECT_TRUE(R.Found->Range.isOne());
}

TEST_F(Search, DifferenceBesideWhatTheSameLaunchVariesIsExcused) {
  const VerifyReport R =
      search({.Varies = true}, {.Varies = true, .Beside = 5});
  EXPECT_EQ(R.Verdict, ExitIdentical);
  EXPECT_EQ(R.Launches.NotDeterministic, std::vector<unsigned>{50});
  EXPECT_FALSE(R.Found);
  EXPECT_EQ(search({}, {.Beside = 5}).Launches.First->Launch, 50u);
}

TEST_F(Search, WhatRunsAgainHasTimesWhereTheSurveyHas) {
  const LongProgram Right{.Varies = true};
  surveyOriginal(Right.text());
  const VerifyReport R = search(Right, {.Varies = true, .Beside = 5});
  EXPECT_EQ(R.Verdict, ExitIdentical);
  EXPECT_EQ(R.Launches.NotDeterministic, std::vector<unsigned>{50});
  EXPECT_EQ(R.Total.speedup(), 1);
}

TEST_F(Search, DifferenceAfterOneThatIsExcusedIsFound) {
  const VerifyReport R =
      search({.Varies = true}, {.Wrong = 55, .Varies = true, .Beside = 5});
  EXPECT_EQ(R.Verdict, ExitDiffers);
  ASSERT_TRUE(R.Launches.First);
  EXPECT_EQ(R.Launches.First->Launch, 55u);
  EXPECT_EQ(R.Launches.First->Allocation, 0u);
}

TEST_F(Search, DifferenceThatDoesNotShowAgain) {
  const VerifyReport R =
      run(LongProgram{}.text(), wrongOnce(LongProgram{}, {.Wrong = 137}));
  EXPECT_EQ(R.Verdict, ExitDiffers);
  EXPECT_EQ(R.Found->Range.first(), 129u);
  EXPECT_EQ(R.Found->Range.Differs, 199u);
  EXPECT_EQ(R.Found->Problem,
            "the difference did not show again in another run");
}

// The search finds nothing but the launch that varies, in other memory.
TEST_F(Search, DifferenceThatDoesNotShowAgainIsNotExcusedByWhatVaries) {
  const LongProgram Right{.Varies = true};
  const VerifyReport R =
      run(Right.text(), wrongOnce(Right, {.Wrong = 55, .Varies = true}));
  EXPECT_EQ(R.Verdict, ExitDiffers);
  ASSERT_TRUE(R.Found);
  EXPECT_EQ(R.Found->Problem,
            "the difference did not show again in another run");
}

// As if its memory could not be read in between.
TEST_F(Search, ProgramWithoutDigestsInBetween) {
  const VerifyReport R = search({}, {.Wrong = 137, .IsBlind = true});
  EXPECT_EQ(R.Verdict, ExitDiffers);
  EXPECT_EQ(R.Found->Range.first(), 1u);
  EXPECT_EQ(R.Found->Rounds, 1u);
  EXPECT_EQ(R.Found->Problem,
            "no launch closer to it has digests in both programs");
}

TEST_F(Search, ProgramThatCrashesDuringTheSearch) {
  const std::string Crashing =
      "if grep -q 'Spans.:.{' $BANKSTRIPE_REQUEST; then kill -SEGV $$; fi\n" +
      LongProgram{.Wrong = 137}.text();
  const VerifyReport R = run(LongProgram{}.text(), Crashing);
  EXPECT_EQ(R.Verdict, ExitDiffers);
  EXPECT_EQ(R.Launches.First->Launch, 199u);
  EXPECT_TRUE(R.Found->Problem.starts_with("killed by signal 11"))
      << R.Found->Problem;
}

static const std::string Ones = "printf '\\0\\0\\200\\077%.0s' $(seq 64)";
static const std::string Twos = "printf '\\0\\0\\0\\100%.0s' $(seq 64)";

TEST_F(Search, ElementsAreShown) {
  const VerifyReport R = search({.Dump = Ones}, {.Wrong = 3, .Dump = Twos});
  ASSERT_TRUE(R.Bytes);
  EXPECT_EQ(R.Bytes->Elements.at(1).Type, "f32");
  EXPECT_EQ(R.Bytes->Elements.at(1).Original, "1");
  EXPECT_EQ(R.Bytes->Elements.at(1).Rewritten, "2");
}

TEST_F(Search, MoreLaunchesCanBeAskedFor) {
  O.First = 8;
  const VerifyReport R = search({}, {.Wrong = 137});
  EXPECT_EQ(R.DigestedLaunches, 13u); // 0 to 8, 16, 32, 64, 128.
  EXPECT_EQ(R.Skipped.at("rule"), 187u);
  ASSERT_TRUE(R.Launches.First);
  EXPECT_EQ(R.Launches.First->Launch, 137u);
  O.First = 200;
  EXPECT_EQ(search({}, {}).DigestedLaunches, 200u);
}
