//===-- CompareTest.cpp - comparing recordings -----------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "verify/Compare.h"
#include "Programs.h"
#include "harness/Words.h"
#include <gtest/gtest.h>

using namespace bankstripe::runtime;

static Comparison compareWith(const Recording &Rewritten) {
  return compare(threeLaunches(), {threeLaunches()}, Rewritten);
}

TEST(Compare, IdenticalRecordings) {
  const Comparison C = compareWith(threeLaunches());
  EXPECT_TRUE(C.identical());
  EXPECT_TRUE(C.deterministic());
  EXPECT_EQ(C.ComparedLaunches, 3u);
  EXPECT_EQ(C.DifferingLaunches, 0u);
}

TEST(Compare, NamesLaunchAllocationAndRangeOfTheFirstDifference) {
  Recording R = threeLaunches();
  R.Launches[1].Changes[0].Ranges[0].Digests[1] = 31; // Chunk 2.
  const Comparison C = compareWith(R);
  ASSERT_FALSE(C.identical());
  EXPECT_EQ(C.First->Kind, DifferenceKind::Contents);
  EXPECT_EQ(C.First->Launch, 1u);
  EXPECT_EQ(C.First->OriginalKernel, "step(int*)");
  EXPECT_EQ(C.First->RewrittenKernel, "step(int*)");
  EXPECT_EQ(C.First->Allocation, 0u);
  EXPECT_EQ(C.First->Bytes, 1000u);
  EXPECT_EQ(C.First->Begin, 512u);
  EXPECT_EQ(C.First->End, 768u);
}

TEST(Compare, RangeJoinsNeighbouringChunksAndEndsWithTheAllocation) {
  Recording R = threeLaunches();
  R.Launches[0].Changes[0].Ranges[0].Digests = {9, 2, 9, 9};
  const Comparison C = compareWith(R);
  ASSERT_FALSE(C.identical());
  EXPECT_EQ(C.First->Begin, 0u);
  EXPECT_EQ(C.First->End, 256u);
  EXPECT_EQ(C.First->LastEnd, 1000u);
}

TEST(Compare, ChangeThatOnlyOneProgramMakesIsADifference) {
  Recording Less = threeLaunches();
  Less.Launches[2].Changes.clear();
  EXPECT_EQ(compareWith(Less).First->Launch, 2u);

  Recording More = threeLaunches();
  changes(More.Launches[2], 0, 0, {7});
  const Comparison C = compareWith(More);
  ASSERT_FALSE(C.identical());
  EXPECT_EQ(C.First->Launch, 2u);
  EXPECT_EQ(C.First->Begin, 0u);
}

TEST(Compare, SameContentsByOtherStepsAreIdentical) {
  Recording R = threeLaunches();
  // The rewritten run lists a chunk again that did not change.
  R.Launches[2].Changes[0].Ranges = {{0, {1}}, {3, {40}}};
  EXPECT_TRUE(compareWith(R).identical());
}

TEST(Compare, DifferenceIsBlamedOnTheLaunchThatMadeIt) {
  Recording R = threeLaunches();
  R.Launches[0].Changes[0].Ranges[0].Digests[0] = 9;
  const Comparison C = compareWith(R);
  EXPECT_EQ(C.First->Launch, 0u);
  // Both later launches touch the allocation, which is still wrong.
  EXPECT_EQ(C.DifferingLaunches, 3u);
}

TEST(Compare, MissingAndExtraLaunches) {
  Recording Less = threeLaunches();
  Less.Launches.pop_back();
  EXPECT_EQ(compareWith(Less).First->Kind, DifferenceKind::MissingLaunch);
  EXPECT_EQ(compareWith(Less).First->Launch, 2u);
  EXPECT_EQ(compareWith(Less).First->Rewritten, "2 launches");

  Recording More = threeLaunches();
  launch(More, "_Z4stepPi");
  EXPECT_EQ(compareWith(More).First->Kind, DifferenceKind::ExtraLaunch);
  EXPECT_EQ(compareWith(More).First->Launch, 3u);
  EXPECT_EQ(compareWith(More).First->RewrittenKernel, "step(int*)");
}

TEST(Compare, OtherKernelGridOrBlock) {
  Recording Kernel = threeLaunches();
  Kernel.Launches[1].Kernel = "other(int*)";
  EXPECT_EQ(compareWith(Kernel).First->Kind, DifferenceKind::Kernel);
  EXPECT_EQ(compareWith(Kernel).First->RewrittenKernel, "other(int*)");

  Recording Grid = threeLaunches();
  Grid.Launches[1].Grid.Y = 2;
  EXPECT_EQ(compareWith(Grid).First->Kind, DifferenceKind::Grid);
  EXPECT_EQ(compareWith(Grid).First->Rewritten, "64 x 2 x 1");
  EXPECT_EQ(compareWith(Grid).ComparedLaunches, 1u);

  Recording Block = threeLaunches();
  Block.Launches[2].Block.X = 64;
  EXPECT_EQ(compareWith(Block).First->Kind, DifferenceKind::Block);
  EXPECT_EQ(compareWith(Block).First->Launch, 2u);
}

TEST(Compare, LaunchThatFailsInOneProgramOnly) {
  Recording R = threeLaunches();
  R.Launches[2].Error = "CUDA_ERROR_INVALID_VALUE";
  R.Launches[2].Digested = false;
  const Comparison C = compareWith(R);
  EXPECT_EQ(C.First->Kind, DifferenceKind::LaunchError);
  EXPECT_EQ(C.First->Rewritten, "CUDA_ERROR_INVALID_VALUE");
  EXPECT_TRUE(compare(R, {R}, R).identical());
  EXPECT_EQ(compare(R, {R}, R).UndigestedLaunches, 0u);
}

TEST(Compare, MissingExtraAndResizedAllocations) {
  Recording Two = threeLaunches();
  changes(Two.Launches[0], allocate(Two, 64), 0, {5});
  Two.Allocations[1].MadeBefore = 0;
  Comparison C = compare(Two, {Two}, threeLaunches());
  EXPECT_EQ(C.First->Kind, DifferenceKind::MissingAllocation);
  EXPECT_EQ(C.First->Allocation, 1u);
  EXPECT_EQ(C.First->Bytes, 64u);
  EXPECT_EQ(compareWith(Two).First->Kind, DifferenceKind::ExtraAllocation);

  Recording Larger = threeLaunches();
  Larger.Allocations[0].Bytes = 1004;
  C = compareWith(Larger);
  EXPECT_EQ(C.First->Kind, DifferenceKind::AllocationSize);
  EXPECT_EQ(C.First->Original, "1000 bytes");
  EXPECT_EQ(C.First->Rewritten, "1004 bytes");
}

TEST(Compare, AllocationFreedTooEarly) {
  Recording R = threeLaunches();
  R.Allocations[0].FreedBefore = 2;
  R.Launches[2].Changes.clear();
  EXPECT_EQ(compareWith(R).First->Kind, DifferenceKind::MissingAllocation);
  EXPECT_EQ(compareWith(R).First->Launch, 2u);
}

TEST(Compare, VariablesAreMatchedByNameNotByNumber) {
  Recording A = threeLaunches(), B = threeLaunches();
  variable(A, "table", 256);
  variable(B, "other", 256);
  variable(B, "table", 256);
  changes(A.Launches[0], 0, 0, {11}, /*IsVariable=*/true);
  changes(B.Launches[0], 0, 0, {5}, true);
  changes(B.Launches[0], 1, 0, {11}, true);
  EXPECT_TRUE(compare(A, {A}, B).identical());
  B.Launches[0].Changes.back().Ranges[0].Digests[0] = 12;
  const Comparison C = compare(A, {A}, B);
  ASSERT_FALSE(C.identical());
  EXPECT_TRUE(C.First->IsVariable);
  EXPECT_EQ(C.First->Name, "table");
  EXPECT_EQ(C.First->RewrittenAllocation, 1u);
}

TEST(Compare, LaunchThatTheOriginalDoesNotReproduceIsExcused) {
  Recording Control = threeLaunches(), Rewritten = threeLaunches();
  Control.Launches[1].Changes[0].Ranges[0].Digests[0] = 21;
  Rewritten.Launches[1].Changes[0].Ranges[0].Digests[0] = 22;
  const Comparison C = compare(threeLaunches(), {Control}, Rewritten);
  EXPECT_TRUE(C.identical());
  EXPECT_FALSE(C.deterministic());
  // Launch 2 reads and writes the same memory: it is spoiled, too.
  EXPECT_EQ(C.NotDeterministic, (std::vector<unsigned>{1, 2}));
}

TEST(Compare, DifferenceBesideNonDeterminismIsFound) {
  const auto Program = [](uint64_t Random, uint64_t Exact) {
    Recording R;
    const unsigned Sums = allocate(R, 256), Squares = allocate(R, 256);
    Launch &First = launch(R, "sums");
    changes(First, Sums, 0, {Random});
    changes(First, Squares, 0, {0});
    changes(launch(R, "squares"), Squares, 0, {Exact});
    return R;
  };
  EXPECT_TRUE(
      compare(Program(1, 5), {Program(2, 5)}, Program(3, 5)).identical());
  const Comparison C = compare(Program(1, 5), {Program(2, 5)}, Program(3, 6));
  ASSERT_FALSE(C.identical());
  EXPECT_EQ(C.First->Launch, 1u);
  EXPECT_EQ(C.First->Allocation, 1u);
  EXPECT_EQ(C.NotDeterministic, std::vector<unsigned>{0});
}

TEST(Compare, DifferenceBeforeTheNonDeterministicLaunchIsFound) {
  Recording Control = threeLaunches(), Rewritten = threeLaunches();
  Control.Launches[2].Changes[0].Ranges[0].Digests[0] = 41;
  Rewritten.Launches[1].Changes[0].Ranges[0].Digests[0] = 22;
  EXPECT_EQ(compare(threeLaunches(), {Control}, Rewritten).First->Launch, 1u);
}

TEST(Compare, OriginalThatLaunchesDifferentlyEachTimeEndsTheComparison) {
  Recording Control = threeLaunches(), Rewritten = threeLaunches();
  Control.Launches[2].Grid.X = 7;
  Rewritten.Launches[2].Grid.X = 8;
  const Comparison C = compare(threeLaunches(), {Control}, Rewritten);
  EXPECT_TRUE(C.identical());
  EXPECT_EQ(C.SequenceNotDeterministicFrom, 2u);
  EXPECT_EQ(C.ComparedLaunches, 2u);
  Rewritten.Launches[1].Grid.X = 8;
  EXPECT_FALSE(compare(threeLaunches(), {Control}, Rewritten).identical());
}

TEST(Compare, ThreadsThatRaceAreComparedByTheirNumbersOfLaunches) {
  const auto Program =
      [](const std::vector<std::pair<unsigned, uint64_t>> &Launches) {
        Recording R;
        allocate(R, 256);
        for (const auto &[Thread, Digest] : Launches) {
          Launch &L = launch(R, "_Z4stepPi");
          L.Thread = Thread;
          changes(L, 0, 0, {Digest});
        }
        return R;
      };
  const Recording Original = Program({{0, 1}, {1, 2}, {0, 3}});
  const Recording Control = Program({{0, 1}, {0, 3}, {1, 2}});
  const Recording Other = Program({{0, 2}, {1, 1}, {1, 3}});
  Comparison C = compare(Original, {Control}, Other);
  EXPECT_TRUE(C.identical());
  EXPECT_TRUE(C.OrderNotDeterministic);
  EXPECT_FALSE(C.deterministic());
  EXPECT_EQ(C.Threads, 2u);

  C = compare(Original, {Control}, Program({{0, 1}, {1, 2}}));
  ASSERT_FALSE(C.identical());
  EXPECT_EQ(C.First->Kind, DifferenceKind::MissingLaunch);
  EXPECT_EQ(C.First->Original, "3 such launches");
  EXPECT_EQ(C.First->Rewritten, "2 such launches");

  Recording Extra = Other;
  launch(Extra, "_Z5otherPi");
  C = compare(Original, {Control}, Extra);
  ASSERT_FALSE(C.identical());
  EXPECT_EQ(C.First->Kind, DifferenceKind::ExtraLaunch);
  EXPECT_EQ(C.First->RewrittenKernel, "other(int*)");

  // Threads that keep their order are compared like one thread.
  EXPECT_FALSE(compare(Original, {Original}, Other).identical());
}

// Three launches, of which the last one is the only one that was digested.
static Recording sparse(std::vector<uint64_t> First,
                        std::vector<uint64_t> Second) {
  Recording R;
  const unsigned A = allocate(R, 256), B = allocate(R, 256);
  for (const char *Kernel : {"_Z1aPi", "_Z1bPi", "_Z1cPi"})
    launch(R, Kernel).Digested = false;
  R.Launches[2].Digested = true;
  changes(R.Launches[2], A, 0, std::move(First));
  changes(R.Launches[2], B, 0, std::move(Second));
  return R;
}

TEST(Compare, DigestsOfSeveralLaunchesExcuseOnlyTheMemoryThatVaries) {
  EXPECT_TRUE(compare(sparse({1}, {5}), {sparse({2}, {5})}, sparse({3}, {5}))
                  .identical());
  const Comparison C =
      compare(sparse({1}, {5}), {sparse({2}, {5})}, sparse({3}, {6}));
  ASSERT_TRUE(C.First);
  EXPECT_EQ(C.First->Allocation, 1u);
  EXPECT_TRUE(C.FirstIsTentative);
  EXPECT_EQ(C.Excused, (std::set{std::pair(false, 0u)}));
}

TEST(Compare, EveryFurtherRunOfTheOriginalCanExcuse) {
  const Recording A = sparse({1}, {5});
  EXPECT_FALSE(compare(A, {A}, sparse({3}, {5})).identical());
  EXPECT_TRUE(compare(A, {A, sparse({2}, {5})}, sparse({3}, {5})).identical());
}

TEST(Compare, DigestsOfDifferentMomentsWaitForTheNextOnes) {
  Recording A = sparse({1}, {5}), B = A;
  changes(A.Launches[0], 0, 0, {7});
  A.Launches[0].Digested = true;
  A.Launches[2].Changes.clear(); // 7 is left...
  EXPECT_FALSE(compare(A, {A}, B).identical());
  A.Launches[0].Changes[0].Ranges[0].Digests = {1}; // ...or 1, as in B.
  changes(A.Launches[2], 1, 0, {5});
  const Comparison C = compare(A, {A}, B);
  EXPECT_TRUE(C.identical());
  EXPECT_EQ(C.UndigestedLaunches, 2u);
  EXPECT_EQ(C.UnmatchedDigests, 1u);
}

TEST(Compare, MemoryDigestedBeforeItGoes) {
  Recording A = sparse({1}, {5});
  changes(A.Launches[1], 0, 0, {9});
  A.Launches[1].DigestedBeforeFree = true;
  A.Allocations[0].FreedBefore = 2;
  A.Launches[2].Changes.erase(A.Launches[2].Changes.begin());
  Recording B = A;
  EXPECT_TRUE(compare(A, {A}, B).identical());
  B.Launches[1].Changes[0].Ranges[0].Digests = {8};
  EXPECT_EQ(compare(A, {A}, B).First->Launch, 1u);
}

TEST(Compare, CountsLaunchesWithoutDigests) {
  Recording R = threeLaunches();
  R.Launches[1].Digested = false;
  R.Launches[1].Changes.clear();
  R.Launches[2].Changes[0].Ranges = {{1, {20, 30, 40}}};
  const Comparison C = compareWith(R);
  EXPECT_TRUE(C.identical());
  EXPECT_EQ(C.UndigestedLaunches, 1u);
}

TEST(CompareOutput, NamesTheFirstLineThatDiffers) {
  const std::string Original = "a\nsum 5\nend\n";
  OutputComparison C = compareOutput(Original, Original, "a\nsum 6\nend\n");
  EXPECT_TRUE(C.failed());
  EXPECT_EQ(C.Line, 2u);
  EXPECT_EQ(C.Original, "sum 5");
  EXPECT_EQ(C.Rewritten, "sum 6");
  EXPECT_FALSE(compareOutput(Original, Original, Original).Differs);
  C = compareOutput(Original, Original, "a\n");
  EXPECT_EQ(C.Line, 2u);
  EXPECT_EQ(C.Rewritten, "");
  EXPECT_TRUE(compareOutput("a", "a", "a\n").failed());
}

TEST(CompareOutput, DifferenceIsExcusedWhenTheOriginalDiffersToo) {
  const OutputComparison C = compareOutput("5 ms\n", "6 ms\n", "3 ms\n");
  EXPECT_TRUE(C.Differs);
  EXPECT_TRUE(C.NotDeterministic);
  EXPECT_FALSE(C.failed());
}

template <class T> static std::string bytes(const std::vector<T> &Values) {
  std::string Text(Values.size() * sizeof(T), '\0');
  std::memcpy(Text.data(), Values.data(), Text.size());
  return Text;
}

TEST(Elements, TextTellsNeighboursApart) {
  const auto D = findByteDifference(
      bytes<float>({1}), bytes<float>({std::nextafter(1.0f, 2.0f)}), 0);
  ASSERT_TRUE(D);
  ASSERT_EQ(D->Elements.size(), 2u);
  EXPECT_EQ(D->Elements[1].Type, "f32");
  EXPECT_NE(D->Elements[1].Original, D->Elements[1].Rewritten);
}
