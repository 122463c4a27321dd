//===-- WorkersTest.cpp - work in processes of its own --------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "workers/Workers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <csignal>
#include <map>
#include <sys/wait.h>
#include <unistd.h>

using namespace bankstripe;

namespace {

class WorkersTest : public ::testing::Test {
protected:
  Workers pool(WorkLimits Limits) {
    return Workers(Limits, [this](size_t Piece, WorkResult Result) {
      EXPECT_TRUE(Results.emplace(Piece, std::move(Result)).second);
    });
  }
  /// What came of one piece.
  WorkResult resultOf(llvm::function_ref<std::string()> Work,
                      unsigned Seconds = 0) {
    Workers Pool = pool({2, Seconds});
    Pool.start(0, Work);
    Pool.finish();
    EXPECT_EQ(Results.size(), 1U);
    return Results[0];
  }

  std::map<size_t, WorkResult> Results;
};

} // namespace

TEST_F(WorkersTest, EveryPieceIsAnswered) {
  Workers Pool = pool({3, 0});
  for (size_t I = 0; I < 20; ++I)
    Pool.start(I, [&] { return std::to_string(I * I); });
  Pool.finish();
  ASSERT_EQ(Results.size(), 20U);
  for (const auto &[Piece, Result] : Results)
    EXPECT_EQ(Result.Answer, std::to_string(Piece * Piece));
}

TEST_F(WorkersTest, LongAnswersComeWhole) {
  const std::string Long(10 << 20, 'x');
  const WorkResult Result = resultOf([&] { return Long; });
  EXPECT_EQ(Result.Problem, "");
  EXPECT_EQ(Result.Answer, Long);
}

TEST_F(WorkersTest, PiecesAreProcesses) {
  const std::string Own = std::to_string(getpid());
  EXPECT_NE(resultOf([] { return std::to_string(getpid()); }).Answer, Own);
}

TEST_F(WorkersTest, WhatIsPrintedIsKept) {
  const WorkResult Result = resultOf([] {
    llvm::errs() << "hello";
    return std::string("answer");
  });
  EXPECT_EQ(Result.Answer, "answer");
  EXPECT_EQ(Result.Printed, "hello");
}

TEST_F(WorkersTest, Crash) {
  const WorkResult Result = resultOf([]() -> std::string {
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
    return "";
  });
  EXPECT_EQ(Result.Answer, "");
  EXPECT_EQ(Result.Problem, "was ended by signal 11");
}

TEST_F(WorkersTest, EndWithoutAnAnswer) {
  EXPECT_EQ(resultOf([]() -> std::string { _exit(7); }).Problem,
            "ended with status 7");
  Results.clear();
  EXPECT_EQ(resultOf([]() -> std::string { _exit(0); }).Problem,
            "ended without an answer");
}

TEST_F(WorkersTest, PieceThatNeverEnds) {
  const WorkResult Result = resultOf(
      [] {
        for (;;)
          pause();
        return std::string();
      },
      /*Seconds=*/1);
  EXPECT_EQ(Result.Problem, "took longer than 1 s");
}

TEST_F(WorkersTest, OneFailureLeavesTheOthers) {
  Workers Pool = pool({2, 0});
  for (size_t I = 0; I < 6; ++I)
    Pool.start(I, [&]() -> std::string {
      if (I % 2)
        raise(SIGKILL);
      return "done";
    });
  Pool.finish();
  for (const auto &[Piece, Result] : Results)
    EXPECT_EQ(Result.Answer, Piece % 2 ? "" : "done");
}

TEST_F(WorkersTest, WhoeverIgnoresTheEndOfChildrenGetsAnswers) {
  const auto Before = signal(SIGCHLD, SIG_IGN);
  EXPECT_EQ(resultOf([] { return std::string("answer"); }).Answer, "answer");
  EXPECT_EQ(signal(SIGCHLD, Before), SIG_IGN);
}

TEST_F(WorkersTest, PiecesThatSomebodyElseHasWaitedForAreLost) {
  Workers Pool = pool({2, 0});
  Pool.start(0, [] { return std::string("answer"); });
  waitpid(-1, nullptr, 0);
  Pool.finish();
  EXPECT_EQ(Results[0].Problem, "ended with status 127");
}

// A piece begins when the one before it has ended: it sees that one's result.
static void expectOneAtATime(WorkLimits Limits) {
  size_t Done = 0;
  Workers Pool(Limits, [&](size_t, WorkResult Result) {
    EXPECT_EQ(Result.Answer, std::to_string(Done));
    ++Done;
  });
  for (size_t I = 0; I < 4; ++I)
    Pool.start(I, [&] { return std::to_string(Done); });
  Pool.finish();
  EXPECT_EQ(Done, 4U);
}

TEST(WorkLimits, OneProcess) { expectOneAtATime({1, 0}); }
