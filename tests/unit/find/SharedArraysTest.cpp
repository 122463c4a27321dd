//===-- SharedArraysTest.cpp - the user's own shared arrays ---------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FindTester.h"
#include <gtest/gtest.h>

using namespace bankstripe;
using namespace bankstripe::testing;

namespace {

std::vector<SharedArray> sharedIn(const std::string &Body,
                                  const std::string &Before = "") {
  return factsOf(Before + kernelAround(Body)).SharedArrays;
}

/// The reasons that stand against longer rows of the only array of \p Body.
std::set<Reason> obstaclesIn(const std::string &Body,
                             const std::string &Before = "") {
  std::set<Reason> Result;
  const std::vector<SharedArray> Arrays = sharedIn(Body, Before);
  EXPECT_EQ(Arrays.size(), 1u);
  for (const SharedArray &A : Arrays)
    for (const Obstacle &O : A.Obstacles)
      Result.insert(O.Why);
  return Result;
}

const std::string Tile = "__shared__ float tile[16][16];\n";
using Reasons = std::set<Reason>;

} // namespace

TEST(SharedArrays, HaveExtentsAndElements) {
  const auto Arrays = sharedIn("__shared__ double t[2][8][16];");
  ASSERT_EQ(Arrays.size(), 1u);
  EXPECT_EQ(Arrays[0].Name, "t");
  EXPECT_EQ(Arrays[0].Function, "kernel");
  EXPECT_EQ(Arrays[0].ElementBytes, 8u);
  EXPECT_EQ(Arrays[0].Extents, (std::vector<uint64_t>{2, 8, 16}));
}

TEST(SharedArrays, OfOneDimensionHaveNoRowsWhateverUsesThem) {
  const auto Arrays = sharedIn("__shared__ float t[16]; float *p = t;");
  ASSERT_EQ(Arrays.size(), 1u);
  EXPECT_FALSE(Arrays[0].hasRows());
  EXPECT_TRUE(Arrays[0].Obstacles.empty());
}

TEST(SharedArrays, OfUnknownSizeAreNone) {
  EXPECT_TRUE(sharedIn("extern __shared__ float t[];").empty());
  EXPECT_TRUE(sharedIn("float t[16][16]; t[i][j] = 1;").empty());
}

TEST(SharedArrays, OfATemplateAreOnePerInstance) {
  const UnitFacts Facts = factsOf(R"cu(
template <class T, int N> __global__ void k(T *out) {
  __shared__ T t[N][N];
  t[threadIdx.x][0] = 1;
  out[0] = t[0][threadIdx.x];
}
void run(float *f, double *d) {
  k<float, 16><<<1, 16>>>(f);
  k<double, 32><<<1, 32>>>(d);
}
)cu");
  ASSERT_EQ(Facts.SharedArrays.size(), 2u);
  EXPECT_EQ(Facts.SharedArrays[0].Where, Facts.SharedArrays[1].Where);
  EXPECT_EQ(Facts.SharedArrays[0].Extents[0], 16u);
  EXPECT_EQ(Facts.SharedArrays[1].Extents[0], 32u);
  EXPECT_NE(Facts.SharedArrays[0].Id, Facts.SharedArrays[1].Id);
}

TEST(SharedArrays, SubscriptsInAllDimensionsAreFine) {
  EXPECT_EQ(obstaclesIn(Tile + "tile[i][j] += tile[j][i]; out[0] = tile[0][i];"
                               "atomicAdd(&tile[i][j], 1.0f);"),
            Reasons{});
}

TEST(SharedArrays, LeaveRowsAloneWhereAPointerMayCount) {
  EXPECT_EQ(obstaclesIn(Tile + "float *p = tile[0]; p[i] = 1;"),
            Reasons{Reason::PartialSubscript});
  EXPECT_EQ(obstaclesIn(Tile + "float *p = (float *)tile; p[i] = 1;"),
            Reasons{Reason::PointerTaken});
  EXPECT_EQ(obstaclesIn(Tile + "(&tile[0][0])[i] = 1;"),
            Reasons{Reason::ElementAddressEscapes});
  EXPECT_EQ(obstaclesIn(Tile + "*(float4 *)&tile[i][j] = float4();"),
            Reasons{Reason::ElementAddressEscapes});
  EXPECT_EQ(obstaclesIn(Tile + "take(tile);",
                        "__device__ void take(float (*t)[16]);\n"),
            Reasons{Reason::PassedToFunction});
  EXPECT_EQ(obstaclesIn(Tile + "memset(tile, 0, 64);"),
            Reasons{Reason::PassedToFunction});
}

TEST(SharedArrays, LeaveRowsAloneWhereAnAddressGoesSomewhere) {
  for (const std::string &Use :
       {"memcpy(&tile[i][0], out, 64);",
        "data[0] = __cvta_generic_to_shared(&tile[i][j]);",
        "asm(\"prefetch [%0];\" ::\"l\"(&tile[i][j]));",
        "auto &all = tile; all[0][j] = 1;",
        "for (auto &row : tile) row[j] = 1;",
        "auto set = [&](auto at) { tile[at][0] = 1; }; set(i);",
        "struct S { __device__ void set() { (&tile[0][0])[20] = 1; } };"
        "S().set();"})
    EXPECT_NE(obstaclesIn(Tile + Use), Reasons{}) << Use;
}

TEST(SharedArrays, LeaveRowsAloneWhereTheirSizeIsAskedFor) {
  EXPECT_EQ(obstaclesIn(Tile + "out[0] = sizeof(tile);"),
            Reasons{Reason::SizeOfArray});
}

TEST(SharedArrays, ConstantIndicesStayInTheirRow) {
  EXPECT_EQ(obstaclesIn(Tile + "tile[0][15] = 1;"), Reasons{});
  EXPECT_EQ(obstaclesIn(Tile + "tile[0][16] = 1;"),
            Reasons{Reason::OutOfBounds});
}

TEST(SharedArrays, AreLeftAloneOnRequest) {
  EXPECT_EQ(obstaclesIn("__shared__ float t[16][16]; // NOLINT(bankstripe)\n"),
            Reasons{Reason::Nolint});
}

TEST(SharedArrays, NeedAnExtentThatIsWrittenThere) {
  EXPECT_EQ(obstaclesIn("__shared__ Row t[16];", "typedef float Row[16];\n"),
            Reasons{Reason::ArrayTypedef});
  EXPECT_EQ(obstaclesIn("__shared__ float t[16]ROW;", "#define ROW [16]\n"),
            Reasons{Reason::DeclarationInMacro});
}

// `8 << 1 + 1` is none. Whatever is more than one operand gets parentheses.
TEST(SharedArrays, KnowWhetherATermCanBeAdded) {
  auto IsSum = [](const std::string &Extent, const std::string &Before = "") {
    return sharedIn("__shared__ float t[16][" + Extent + "];", Before)
        .at(0)
        .IsSum;
  };
  EXPECT_TRUE(IsSum("16"));
  EXPECT_FALSE(IsSum("2 * 8"));
  EXPECT_TRUE(IsSum("(8 << 1)"));
  EXPECT_FALSE(IsSum("8 << 1"));
  EXPECT_TRUE(IsSum("N", "#define N 16\n"));
  EXPECT_FALSE(IsSum("N", "#define N 8 << 1\n"));
  EXPECT_TRUE(IsSum("N", "constexpr int N = 16;\n"));
}

TEST(Launches, HaveTheShapeOfTheirBlocks) {
  using Shape = std::vector<unsigned>;
  auto ShapeOf = [](const std::string &Body) { return launchIn(Body).Shape; };
  EXPECT_EQ(ShapeOf("kernel<<<1, 64>>>(nullptr);"), (Shape{64, 1, 1}));
  EXPECT_EQ(ShapeOf("kernel<<<1, dim3(16, 8)>>>(nullptr);"), (Shape{16, 8, 1}));
  EXPECT_EQ(ShapeOf("dim3 b(4, 8, 2); kernel<<<1, b>>>(nullptr);"),
            (Shape{4, 8, 2}));
  EXPECT_EQ(ShapeOf("dim3 b(4, 8); b.x = 2; kernel<<<1, b>>>(nullptr);"),
            Shape{});
}
