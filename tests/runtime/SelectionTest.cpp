//===-- SelectionTest.cpp - which launches are digested -------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "recorder/Selection.h"
#include "Programs.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

using namespace bankstripe::runtime;

namespace {

Schedule scheduleOf(const std::string &Text) {
  auto Read = Schedule::parse(Text);
  if (const auto *Problem = std::get_if<std::string>(&Read)) {
    ADD_FAILURE() << *Problem;
    return {};
  }
  return std::get<Schedule>(std::move(Read));
}

std::string scheduleProblem(const std::string &Text) {
  auto Read = Schedule::parse(Text);
  const auto *Problem = std::get_if<std::string>(&Read);
  return Problem ? *Problem : "";
}

using Variables = std::map<std::string, std::string>;

std::variant<SelectionSettings, std::string> read(const Variables &Set) {
  return SelectionSettings::read([&](const char *Name) -> const char * {
    const auto At = Set.find(Name);
    return At == Set.end() ? nullptr : At->second.c_str();
  });
}

std::string settingsProblem(const std::string &Name, const std::string &Text) {
  auto Read = read({{Name, Text}});
  const auto *Problem = std::get_if<std::string>(&Read);
  return Problem ? *Problem : "";
}

// A selection and the launches that are put to it, with a clock of its own.
struct Chooser {
  explicit Chooser(const Variables &Set)
      : Select(std::get<SelectionSettings>(read(Set)), 0) {}

  Skip launch(const std::string &Symbol = "_Z4stepPi", unsigned Width = 1) {
    return Select.launch(Next++, Select.kernel(Symbol), {Width, 1, 1},
                         {32, 1, 1}, Now);
  }
  // The numbers of those among `Count` launches that are digested.
  std::vector<unsigned> chosen(unsigned Count) {
    std::vector<unsigned> Numbers;
    for (unsigned I = 0; I < Count; ++I)
      if (const unsigned Number = Next; launch() == Skip::No)
        Numbers.push_back(Number);
    return Numbers;
  }

  Selection Select;
  Selection::Time Now = 0;
  unsigned Next = 0;
};

} // namespace

TEST(Schedule, ListsLaunchesAndRanges) {
  const Schedule S = scheduleOf("# chosen\n3\n5-7\n\n9+\n12-13+\n");
  std::vector<unsigned> After, BeforeFree;
  for (unsigned I = 0; I < 20; ++I) {
    if (S.after(I))
      After.push_back(I);
    if (S.beforeFree(I))
      BeforeFree.push_back(I);
  }
  EXPECT_EQ(After, (std::vector<unsigned>{3, 5, 6, 7}));
  EXPECT_EQ(BeforeFree, (std::vector<unsigned>{9, 12, 13}));
  EXPECT_EQ(S.text(), "3\n5-7\n9+\n12-13+\n");
}

TEST(Schedule, SaysWhichLineIsWrong) {
  EXPECT_EQ(scheduleProblem("1\n\n3\n2\n"),
            "line 4: the launches are not in ascending order");
  EXPECT_EQ(scheduleProblem("4-9\n9+\n"),
            "line 2: the launches are not in ascending order");
  EXPECT_EQ(scheduleProblem("9-4\n"),
            "line 1: the launches are not in ascending order");
  for (const char *Bad : {"x", "-1", "1-", "1+2", "1 ", "1,2", "99999999999"})
    EXPECT_TRUE(scheduleProblem(Bad).starts_with("line 1: expected a launch"))
        << Bad;
}

TEST(Schedule, OfARecordingRepeatsItsDigests) {
  Recording R;
  for (int I = 0; I < 8; ++I)
    launch(R, "k").Digested = I < 3 || I == 5;
  R.Launches[4].DigestedBeforeFree = true;
  R.Launches[7].DigestedAtEnd = true; // Is done anyway.
  EXPECT_EQ(Schedule::of(R).text(), "0-2\n4+\n5\n");
  EXPECT_EQ(scheduleOf(Schedule::of(R).text()).text(), "0-2\n4+\n5\n");
}

TEST(Selection, WithoutSettingsEverythingIsDigested) {
  Selection Select;
  for (unsigned I = 0; I < 100; ++I)
    EXPECT_EQ(Select.launch(I, Select.kernel("k"), {}, {}, 1000 * I), Skip::No);
  EXPECT_EQ(Select.free(99, 0), Skip::No);
}

TEST(Selection, CollectiveKernelsAreNotWaitedFor) {
  Chooser C({});
  EXPECT_EQ(
      C.launch("_Z35ncclDevKernel_AllReduce_Sum_f32_RING24ncclDevKernelArgs"
               "StorageILm4096EE"),
      Skip::Collective);
  EXPECT_EQ(C.launch("_Z35ncclKernel_AllReduce_RING_LL_Sum_f_i8ncclComm"),
            Skip::Collective);
  EXPECT_EQ(C.launch("_Z10use_ncclDevKernelPi"), Skip::No);
}

TEST(Selection, ScheduleAloneDecides) {
  const std::string Path = testing::TempDir() + "schedule";
  std::ofstream(Path) << "1-2\n4+\n";
  Chooser C({{"BANKSTRIPE_SCHEDULE", Path},
             {"BANKSTRIPE_SAMPLE", "100"},
             {"BANKSTRIPE_KERNELS", "nothing"},
             {"BANKSTRIPE_OVERHEAD", "0"}});
  C.Select.spent(1000000);
  EXPECT_EQ(C.launch(), Skip::Schedule);
  EXPECT_EQ(C.chosen(4), (std::vector<unsigned>{1, 2}));
  EXPECT_EQ(C.Select.free(3, 0), Skip::Schedule);
  EXPECT_EQ(C.Select.free(4, 0), Skip::No);
  std::filesystem::remove(Path);
}

TEST(Selection, KernelsAreFoundByTheirCanonicalName) {
  Chooser C({{"BANKSTRIPE_KERNELS", "^step\\(int|^graph$"}});
  EXPECT_EQ(C.launch("_Z4stepPi"), Skip::No);
  EXPECT_EQ(C.launch("graph"), Skip::No);
  EXPECT_EQ(C.launch("_Z4stepPf"), Skip::Kernels);
  EXPECT_EQ(C.launch("_Z4fillPi"), Skip::Kernels);
}

TEST(Selection, SampleCountsTheLaunchesOfEachKernel) {
  Chooser C({{"BANKSTRIPE_SAMPLE", "3"}});
  EXPECT_EQ(C.chosen(7), (std::vector<unsigned>{0, 3, 6}));
  EXPECT_EQ(C.launch("_Z5otherPi"), Skip::No);
  EXPECT_EQ(C.launch("_Z5otherPi"), Skip::Sample);
}

TEST(Selection, LaunchesFromTheLimitOnAreLeftOut) {
  Chooser C({{"BANKSTRIPE_MAX_LAUNCHES", "3"}, {"BANKSTRIPE_SAMPLE", "2"}});
  EXPECT_EQ(C.chosen(3), (std::vector<unsigned>{0, 2}));
  EXPECT_EQ(C.Select.free(2, 0), Skip::No);
  EXPECT_EQ(C.launch(), Skip::MaxLaunches);
  EXPECT_EQ(C.Select.free(3, 0), Skip::MaxLaunches);
}

TEST(Selection, OverheadStaysInItsShareOfTheProgramsTime) {
  Chooser C({{"BANKSTRIPE_OVERHEAD", "0.5"}});
  EXPECT_EQ(C.launch(), Skip::No); // The first one, whatever it costs.
  C.Select.spent(1000);
  C.Now = 1000 + 1999;
  EXPECT_EQ(C.launch(), Skip::Overhead);
  C.Now = 1000 + 2000;
  EXPECT_EQ(C.launch(), Skip::No);
  C.Select.spent(500);
  EXPECT_EQ(C.launch(), Skip::Overhead);
}

TEST(Selection, FirstLaunchOfEachShapeIsDigestedUpToALimit) {
  Chooser C({{"BANKSTRIPE_OVERHEAD", "0"}});
  C.Select.spent(1000);
  for (unsigned Width = 1; Width <= 8; ++Width) {
    EXPECT_EQ(C.launch("k", Width), Skip::No) << Width;
    EXPECT_EQ(C.launch("k", Width), Skip::Overhead) << Width;
  }
  EXPECT_EQ(C.launch("k", 9), Skip::Overhead);
  unsigned Chosen = 8;
  for (unsigned I = 0; I < 2000; ++I)
    Chosen += C.launch("k" + std::to_string(I)) == Skip::No;
  EXPECT_EQ(Chosen, 1000u);
}

TEST(Selection, FirstLaunchesDoNotTakeMoreThanAMinute) {
  Chooser C({{"BANKSTRIPE_OVERHEAD", "0"}});
  C.Select.spent(60'000'000'000);
  EXPECT_EQ(C.launch("a"), Skip::No);
  C.Select.spent(1);
  EXPECT_EQ(C.launch("b"), Skip::Overhead);
}

TEST(Selection, DecisionOnAFreeHoldsUntilTheNextLaunch) {
  Chooser C({{"BANKSTRIPE_OVERHEAD", "1"}});
  C.Select.spent(100, /*AtFrees=*/true);
  C.Now = 150;
  EXPECT_EQ(C.Select.free(6, C.Now), Skip::Overhead);
  C.Now = 500;
  EXPECT_EQ(C.Select.free(6, C.Now), Skip::Overhead);
  EXPECT_EQ(C.Select.free(7, C.Now), Skip::No);
  C.Select.spent(1000, true);
  EXPECT_EQ(C.Select.free(7, C.Now), Skip::No);
}

TEST(Selection, AQuarterOfTheOverheadIsKeptForFrees) {
  Chooser C({{"BANKSTRIPE_OVERHEAD", "1"}});
  C.launch();
  C.Select.spent(10000);
  C.Now = 10000 + 1000;
  EXPECT_EQ(C.launch(), Skip::Overhead);
  EXPECT_EQ(C.Select.free(1, C.Now), Skip::No);
  C.Select.spent(250, /*AtFrees=*/true);
  C.Now += 250;
  EXPECT_EQ(C.Select.free(2, C.Now), Skip::No);
  C.Select.spent(1, true);
  C.Now += 1;
  EXPECT_EQ(C.Select.free(3, C.Now), Skip::Overhead);
}

TEST(Selection, SaysWhichSettingIsWrong) {
  EXPECT_EQ(settingsProblem("BANKSTRIPE_SCHEDULE", "/nonexistent/file"),
            "BANKSTRIPE_SCHEDULE: cannot read '/nonexistent/file'");
  EXPECT_TRUE(settingsProblem("BANKSTRIPE_KERNELS", "a(b")
                  .starts_with("BANKSTRIPE_KERNELS: 'a(b' is no regular "
                               "expression"));
  EXPECT_EQ(settingsProblem("BANKSTRIPE_SAMPLE", "0"),
            "BANKSTRIPE_SAMPLE: '0' is no number from 1 on");
  EXPECT_EQ(settingsProblem("BANKSTRIPE_MAX_LAUNCHES", "10k"),
            "BANKSTRIPE_MAX_LAUNCHES: '10k' is no number from 0 on");
  for (const char *Bad : {"-1", "x", "1e3", "inf", "nan", "0.5s"})
    EXPECT_NE(settingsProblem("BANKSTRIPE_OVERHEAD", Bad), "") << Bad;
  EXPECT_EQ(settingsProblem("BANKSTRIPE_OVERHEAD", "0.8"), "");
  EXPECT_EQ(settingsProblem("BANKSTRIPE_OVERHEAD", ""), "");
}
