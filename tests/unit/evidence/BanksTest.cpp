//===-- BanksTest.cpp - which banks lanes ask for at once -----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Snippet.h"
#include "find/Find.h"
#include "support/ParseSnippet.h"
#include <gtest/gtest.h>

using namespace bankstripe;
using namespace bankstripe::testing;

namespace {

/// The accesses to \p Array, `t`, in a kernel with \p Body that is launched
/// with blocks of \p Block.
std::vector<SharedAccess>
accessesIn(const std::string &Body, const std::string &Block = "dim3(32, 8)",
           const std::string &Array = "float t[32][32]") {
  const std::string Code =
      "struct Pair { double a, b; };\n"
      "extern \"C\" __global__ void k(float *out, const int *data, int n) {\n"
      "  __shared__ " +
      Array + ";\n  " + Body +
      "\n}\nvoid run(float *out, int *data, int n) { k<<<1, " + Block +
      ">>>(out, data, n); }\n";
  std::vector<SharedAccess> Result;
  llvm::Error Failure = parseSnippet(
      Code, SnippetFile,
      [&](ParsedUnit &Unit) {
        UnitFacts Facts = findAll(Unit, [](llvm::StringRef) { return true; });
        const UnitEvidence Evidence = gatherEvidence(Unit, Facts);
        ASSERT_EQ(Evidence.SharedAccesses.size(), 1u);
        Result = Evidence.SharedAccesses.front().value();
      },
      WithoutHeaders);
  EXPECT_FALSE(Failure) << llvm::toString(std::move(Failure));
  return Result;
}

/// The degree of the only access with \p Padding; 0 where it is not known.
unsigned degree(const std::string &Body, unsigned Padding = 0,
                const std::string &Block = "dim3(32, 8)",
                const std::string &Array = "float t[32][32]") {
  const auto Found = accessesIn(Body, Block, Array);
  EXPECT_EQ(Found.size(), 1u);
  return Found.front().Degrees.empty() ? 0 : Found.front().Degrees.at(Padding);
}

bool mayLeaveRow(const std::string &Body,
                 const std::string &Block = "dim3(32, 8)") {
  return accessesIn(Body, Block).front().MayLeaveRow;
}

const std::string ByRow = "t[threadIdx.y][threadIdx.x] = {};";
const std::string ByColumn = "t[threadIdx.x][threadIdx.y] = {};";

} // namespace

TEST(Banks, RowsAreWithoutConflicts) {
  EXPECT_EQ(degree(ByRow), 1u);
  EXPECT_EQ(degree(ByRow, 0, "dim3(16, 16)", "float t[16][16]"), 1u);
}

TEST(Banks, ColumnsAskOneBankForAllOfAWarp) {
  EXPECT_EQ(degree(ByColumn), 32u);
  EXPECT_EQ(degree(ByColumn, 1), 1u);
}

TEST(Banks, RowsMayBeAProductInAnIndex) {
  auto Degree = [](const std::string &Index) {
    return degree("t[" + Index + "] = {};", 0, "dim3(32, 8)", "float t[1056]");
  };
  EXPECT_EQ(Degree("threadIdx.y * 32 + threadIdx.x"), 1u);
  EXPECT_EQ(Degree("threadIdx.x * 32 + threadIdx.y"), 32u);
  EXPECT_EQ(Degree("threadIdx.x * 33 + threadIdx.y"), 1u);
  EXPECT_EQ(Degree("threadIdx.x * 2"), 2u);
}

// A warp spans two rows: 8 lanes have each of 4 banks.
TEST(Banks, DependOnTheShapeOfTheBlock) {
  const std::string Tile = "float t[16][16]", Block = "dim3(16, 16)";
  EXPECT_EQ(degree(ByColumn, 0, Block, Tile), 8u);
  EXPECT_EQ(degree(ByColumn, 1, Block, Tile), 2u);
  EXPECT_EQ(degree(ByColumn, 2, Block, Tile), 1u);
}

TEST(Banks, OfWideElementsAreAskedByAPartOfTheWarp) {
  auto Degree = [](const std::string &Type, unsigned Padding = 0) {
    return degree(ByColumn, Padding, "dim3(32, 8)", Type + " t[32][32]");
  };
  EXPECT_EQ(Degree("double"), 16u);
  EXPECT_EQ(Degree("double", 1), 1u);
  EXPECT_EQ(Degree("double2"), 8u);
  EXPECT_EQ(Degree("short"), 16u);
  EXPECT_EQ(Degree("char"), 8u);
  EXPECT_EQ(degree(ByRow, 0, "dim3(32, 8)", "Pair t[8][32]"), 1u);
}

TEST(Banks, GiveOneWordToAllLanesAtOnce) {
  EXPECT_EQ(degree("t[threadIdx.y][n] = 1;"), 1u);
}

TEST(Banks, FollowArithmetic) {
  EXPECT_EQ(degree("t[threadIdx.x / 4][threadIdx.x % 4] = 1;", 0, "16"), 4u);
  EXPECT_EQ(degree("t[0][threadIdx.x << 1] = 1;", 0, "32", "float t[2][64]"),
            2u);
  EXPECT_EQ(degree("int i = threadIdx.x; i += 2; t[n][i] = 1;"), 1u);
}

// What is added for all alike does not matter, unless it is divided or scales.
TEST(Banks, NeedNotKnowWhatIsTheSameForAllLanes) {
  EXPECT_EQ(degree("t[threadIdx.x + n][threadIdx.y] = 1;"), 32u);
  EXPECT_EQ(degree("t[data[n]][threadIdx.x] = 1;"), 1u);
  EXPECT_EQ(degree("t[(threadIdx.x + n) / 4][threadIdx.y] = 1;"), 0u);
  EXPECT_EQ(degree("t[threadIdx.x * n][threadIdx.y] = 1;"), 0u);
  EXPECT_EQ(degree("t[data[threadIdx.x]][0] = 1;"), 0u);
}

TEST(Banks, CountersKeepWhatLanesBeginWith) {
  EXPECT_EQ(degree("for (int j = threadIdx.y; j < 32; j += blockDim.y)"
                   "  t[j][threadIdx.x] = 1;"),
            1u);
  EXPECT_EQ(degree("for (int i = 0; i < 32; ++i) out[i] = t[threadIdx.x][i];"),
            32u);
}

TEST(Banks, AreUnknownWithoutTheShapeOfBlocks) {
  EXPECT_EQ(degree(ByRow, 0, "n"), 0u);
}

TEST(Banks, ACompoundAssignmentIsTwoAccesses) {
  EXPECT_EQ(accessesIn("t[n][threadIdx.x] += 1;").size(), 2u);
}

TEST(Banks, KnowLoops) {
  EXPECT_EQ(
      accessesIn("for (int i = 0; i < n; ++i) t[n][i] = 1;").front().LoopDepth,
      1u);
}

TEST(Banks, MayLeaveRowsWhereAThreadsIndexIsTooLarge) {
  EXPECT_FALSE(mayLeaveRow(ByRow));
  EXPECT_TRUE(mayLeaveRow(ByRow, "dim3(64, 8)"));
  EXPECT_TRUE(mayLeaveRow("t[threadIdx.y][(int)threadIdx.x - 1] = 1;"));
}

TEST(Banks, MayLeaveConstantRowsWhereNothingIsKnownOfTheIndex) {
  EXPECT_FALSE(mayLeaveRow("t[threadIdx.y][n] = 1;"));
  EXPECT_TRUE(mayLeaveRow("t[0][n] = 1;"));
  EXPECT_FALSE(mayLeaveRow("t[0][threadIdx.x] = 1;"));
}
