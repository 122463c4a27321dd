//===-- SurveyTest.cpp - which launches stand for a program ---------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "survey/Survey.h"
#include "Scripts.h"
#include "harness/Json.h"
#include <set>

using namespace bankstripe;
using namespace bankstripe::runtime;

namespace {

// Launches with these times, all of one size, but for those of larger blocks.
std::vector<ChosenLaunch> choose(const std::vector<double> &Times,
                                 std::vector<unsigned> Captured,
                                 const std::set<size_t> &Larger = {}) {
  std::vector<Launch> Launches(Times.size());
  std::vector<const Launch *> All;
  for (size_t I = 0; I < Times.size(); ++I) {
    Launches[I].Nanoseconds = Times[I];
    Launches[I].Block = {Larger.contains(I) ? 256U : 128U, 1, 1};
    All.push_back(&Launches[I]);
  }
  return chooseLaunches(All, std::move(Captured));
}

std::vector<unsigned> numbers(const std::vector<ChosenLaunch> &Chosen) {
  std::vector<unsigned> Result;
  Result.reserve(Chosen.size());
  for (const ChosenLaunch &L : Chosen)
    Result.push_back(L.Number);
  return Result;
}

TEST(ChosenLaunches, EachLaunchBelongsToTheNearestCapture) {
  const auto Chosen = choose({10, 11, 90, 12, 13}, {0, 2});
  ASSERT_EQ(numbers(Chosen), (std::vector<unsigned>{0, 2}));
  EXPECT_EQ(Chosen[0].Nanoseconds, 46);
  EXPECT_EQ(Chosen[1].Nanoseconds, 90);
}

TEST(ChosenLaunches, WithoutACaptureThereIsNone) {
  EXPECT_TRUE(choose({10}, {}).empty());
  EXPECT_TRUE(choose({}, {}).empty());
}

// What belonged to it belongs to another one.
TEST(ChosenLaunches, WhatRepresentsLittleIsLeftOut) {
  const auto Chosen = choose({100, 90, 1, 80}, {0, 2}, {2});
  ASSERT_EQ(numbers(Chosen), std::vector<unsigned>{0});
  EXPECT_EQ(Chosen[0].Nanoseconds, 271);
  EXPECT_EQ(numbers(choose({100, 90, 40, 80}, {0, 2}, {2})),
            (std::vector<unsigned>{0, 2}));
}

TEST(ChosenLaunches, OfLongOnesThatTakeTheSameThereIsOne) {
  EXPECT_EQ(numbers(choose({3e6, 3.1e6, 9e6}, {0, 1, 2})),
            (std::vector<unsigned>{0, 2}));
  EXPECT_EQ(numbers(choose({3e6, 3.1e6, 9e6}, {0, 1, 2}, {1})),
            (std::vector<unsigned>{0, 1, 2}));
  EXPECT_EQ(numbers(choose({3e5, 3.1e5, 9e5}, {0, 1, 2})),
            (std::vector<unsigned>{0, 1, 2}));
}

TEST(ChosenLaunches, ThereAreFourAtMost) {
  EXPECT_EQ(
      numbers(choose({10, 100, 1000, 10000, 2000}, {0, 1, 2, 3, 4})).size(),
      3u);
  EXPECT_EQ(numbers(choose({1e4, 2e4, 4e4, 8e4, 16e4}, {0, 1, 2, 3, 4})),
            (std::vector<unsigned>{1, 2, 3, 4}));
}

// Even where one of another size takes just as long.
TEST(ChosenLaunches, ALaunchBelongsToOneOfItsSize) {
  const auto Chosen = choose({100, 99, 50, 50, 51}, {0, 4}, {3, 4});
  ASSERT_EQ(numbers(Chosen), (std::vector<unsigned>{0, 4}));
  EXPECT_EQ(Chosen[0].Nanoseconds, 249);
  EXPECT_EQ(Chosen[1].Nanoseconds, 101);
}

class Surveyed : public Verify {
protected:
  void SetUp() override {
    Verify::SetUp();
    Asked.Folder = Folder;
    Asked.Kernels = {"_Z4stepPi"};
    Asked.TimeoutSeconds = 20;
  }
  Survey look(const std::string &Program) {
    Asked.Program = {write("program", Program), {}};
    return survey(Asked, "/no/recorder", [](const std::string &) {});
  }
  SurveyOptions Asked;
  const std::string Launches = "$stand_in record <<END\nlaunch _Z4stepPi 70\n"
                               "launch _Z5otherPi 20\n";
};

TEST_F(Surveyed, KernelsAndTheCapturesOfThoseThatAreNamed) {
  const Survey S = look(Launches + "END\n$stand_in capture $survey/0-0\n"
                                   "$stand_in capture $survey/0-7\n");
  EXPECT_EQ(S.Problem, "");
  ASSERT_EQ(S.Kernels.size(), 2u);
  EXPECT_EQ(S.Kernels[0].Name, "step(int*)");
  EXPECT_EQ(S.Kernels[0].MostThreads, 32u);
  EXPECT_EQ(S.Kernels[0].Problem, "");
  ASSERT_EQ(S.Kernels[0].Captures.size(), 1u);
  EXPECT_TRUE(std::filesystem::exists(S.Kernels[0].Captures[0].File));
  // There is no launch of this number.
  EXPECT_FALSE(std::filesystem::exists(Folder + "/0-7"));
  EXPECT_EQ(S.Kernels[1].Nanoseconds, 20);
  EXPECT_TRUE(S.Kernels[1].Captures.empty());
  const auto Json = jsonOf<SurveyResult>(S);
  EXPECT_EQ(Json["kernels"][0]["captures"][0]["ns"], 70);
}

TEST_F(Surveyed, ARunThatLastsIsEndedOnceALaunchIsCaptured) {
  Asked.EndAfter = 0.2;
  const Survey S =
      look(Launches + "launch _Z4stepPi 60\nnoend\nEND\n"
                      "$stand_in capture $survey/0-0\n"
                      "head -c 40 $survey/0-0 >$survey/0-1\nsleep 60\n");
  EXPECT_EQ(S.Problem, "");
  EXPECT_GT(S.EndedAfter, 0);
  EXPECT_LT(S.EndedAfter, 15);
  ASSERT_EQ(S.Kernels.size(), 2u);
  EXPECT_EQ(S.Kernels[0].Nanoseconds, 130);
  ASSERT_EQ(S.Kernels[0].Captures.size(), 1u);
  EXPECT_EQ(S.Kernels[0].Captures[0].File, Folder + "/0-0");
  // Half a capture is none, and such a run is no run to compare with.
  EXPECT_FALSE(std::filesystem::exists(Folder + "/0-1"));
  EXPECT_FALSE(Runner::kept(Runner::placeOf(Folder, 0)));
}

TEST_F(Surveyed, ARunWithoutACaptureGoesOn) {
  Asked.EndAfter = 0.01;
  const Survey S = look(Launches + "END\necho >$survey/0-0\nsleep 0.5\n");
  EXPECT_EQ(S.Problem, "");
  EXPECT_EQ(S.EndedAfter, 0);
  EXPECT_TRUE(Runner::kept(Runner::placeOf(Folder, 0)));
}

TEST_F(Surveyed, ARunThatEndsInTimeIsWhole) {
  Asked.EndAfter = 15;
  const Survey S =
      look(Launches + "END\n$stand_in capture $survey/0-0; exit 3\n");
  EXPECT_EQ(S.EndedAfter, 0);
  EXPECT_EQ(S.Kernels[0].Captures.size(), 1u);
  EXPECT_EQ(Runner::kept(Runner::placeOf(Folder, 0))->Run.Child.ExitStatus, 3);
}

// What the program printed may be nobody else's business.
TEST_F(Surveyed, RunStaysForItsOwnerAlone) {
  look(Launches + "END\n");
  EXPECT_EQ(std::filesystem::status(Runner::placeOf(Folder, 0)).permissions(),
            std::filesystem::perms::owner_all);
}

TEST_F(Surveyed, FolderIsUsedAgainAndNothingElseInItGoes) {
  std::filesystem::create_directory(Folder + "/0");
  std::ofstream(Folder + "/0/mine") << "mine";
  look(Launches + "END\n");
  EXPECT_EQ(look(Launches + "launch _Z5thirdPi 5\nEND\n").Kernels.size(), 3u);
  EXPECT_EQ(
      Runner::kept(Runner::placeOf(Folder, 0))->Run.Record.Launches.size(), 3u);
  EXPECT_TRUE(std::filesystem::exists(Folder + "/0/mine"));
}

// Captures of another program would be taken for those of this one.
TEST_F(Surveyed, FolderThatCannotBeUsedIsNamedBeforeAnythingRuns) {
  const std::string Ran = Folder + "/ran";
  std::ofstream(Folder + "/0-12") << "";
  EXPECT_EQ(look("touch " + Ran).Problem,
            "'" + Folder + "' holds captures already: 0-12");
  std::filesystem::remove(Folder + "/0-12");
  Asked.Folder = Folder + "/missing";
  EXPECT_EQ(look("touch " + Ran).Problem,
            "'" + Folder + "/missing' is no folder that can be written to");
  Asked.Folder = Folder;
  const char *Variable = std::getenv("TMPDIR");
  const std::string Before = Variable ? Variable : "";
  ::setenv("TMPDIR", "/proc", 1);
  EXPECT_EQ(look("touch " + Ran).Problem, "no temporary folder can be made");
  Before.empty() ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", Before.c_str(), 1);
  EXPECT_FALSE(std::filesystem::exists(Ran));
}

TEST_F(Surveyed, ReasonOfTheRecorderIsGiven) {
  const Survey S =
      look(Launches +
           "note no capture: step(int*): a graph cannot be captured\nEND\n");
  EXPECT_EQ(S.Kernels[0].Problem, "a graph cannot be captured");
  EXPECT_TRUE(S.Kernels[0].Captures.empty());
}

TEST_F(Surveyed, AKernelThatOnlyGraphsLaunchHasNoCapture) {
  EXPECT_EQ(look(Launches + "END\n").Kernels[0].Problem,
            "no launch of it was seen, as when graphs launch it");
}

TEST_F(Surveyed, AProgramThatFailsIsNamed) {
  EXPECT_EQ(look("kill -9 $$").Problem,
            "the program: killed by signal 9 (Killed)");
  EXPECT_TRUE(look("$stand_in record </dev/null; echo out of luck >&2")
                  .Problem.starts_with("the program launches no kernel; its "
                                       "last line on standard error: out of"));
}

} // namespace
