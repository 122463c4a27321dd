//===-- LanesTest.cpp - how far apart the lanes of a warp access ----------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Snippet.h"
#include <gtest/gtest.h>

using namespace bankstripe;
using namespace bankstripe::testing;

namespace {

struct Loads {
  double Near, Far, Unknown;
  friend bool operator==(const Loads &A, const Loads &B) {
    return A.Near == B.Near && A.Far == B.Far && A.Unknown == B.Unknown;
  }
  friend void PrintTo(const Loads &L, std::ostream *OS) {
    *OS << L.Near << " near, " << L.Far << " far, " << L.Unknown << " unknown";
  }
};

constexpr Loads OneNear = {1, 0, 0}, OneFar = {0, 1, 0}, OneUnknown = {0, 0, 1};

// The loads of a kernel that ends with `sum += ` Loaded.
Loads loadsOf(const std::string &Loaded, const std::string &Before = "") {
  UnitEvidence E = evidenceOf(R"cu(
__device__ int smallTable[64];
extern "C" __global__ void k(const float *__restrict__ in,
                             const int *__restrict__ links, float *out, int n,
                             int width) {
  int @a[8];
#pragma unroll 1
  for (int i = 0; i < 8; ++i)
    a[i] = i;
  const int lane = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = a[n & 7];
)cu" + Before +
                              "\n  sum += " + Loaded + ";\n  out[i] = sum;\n}");
  const KernelWork &W = E.Work["k"];
  return {W.Global, W.Rows, W.Gathered};
}

} // namespace

TEST(Lanes, OneAddressForAllIsNear) { EXPECT_EQ(loadsOf("in[n]"), OneNear); }

TEST(Lanes, NeighboursAreNear) {
  EXPECT_EQ(loadsOf("in[i]"), OneNear);
  EXPECT_EQ(loadsOf("in[n * width + i + 3]"), OneNear);
}

TEST(Lanes, RowsOfTheirOwnAreFar) {
  EXPECT_EQ(loadsOf("in[i * 32 + n]"), OneFar);
  EXPECT_EQ(loadsOf("in[i * width + n]"), OneFar);
}

TEST(Lanes, OtherRowsOfABlockAreNear) {
  EXPECT_EQ(loadsOf("in[threadIdx.y * width + i]"), OneNear);
}

TEST(Lanes, WrappingKeepsTheStride) {
  EXPECT_EQ(loadsOf("in[(i * 32 + n) & (width - 1)]"), OneFar);
  EXPECT_EQ(loadsOf("in[i % width]"), OneNear);
}

TEST(Lanes, ClampingKeepsTheStride) {
  EXPECT_EQ(loadsOf("in[min(i + 1, n)]"), OneNear);
  EXPECT_EQ(loadsOf("in[i > 0 ? i - 1 : 0]"), OneNear);
}

TEST(Lanes, CountersOfLoopsHaveTheStrideOfTheirStart) {
  const std::string Walk =
      "#pragma unroll 1\n  for (int j = @; j < n; j += width) sum *= in[j];";
  auto From = [&](const std::string &Start) {
    std::string Code = Walk;
    return loadsOf("1", Code.replace(Code.find('@'), 1, Start));
  };
  EXPECT_EQ(From("i"), (Loads{100, 0, 0}));
  EXPECT_EQ(From("i * 64"), (Loads{0, 100, 0}));
}

TEST(Lanes, WhatWasLoadedLeadsAnywhere) {
  EXPECT_EQ(loadsOf("in[links[i]]"), (Loads{1, 0, 1}));
  EXPECT_EQ(loadsOf("in[links[n]]"), (Loads{2, 0, 0})); // All to one place.
}

TEST(Lanes, HashesLeadAnywhere) {
  EXPECT_EQ(loadsOf("in[(unsigned(i) * unsigned(i)) >> 8]"), OneUnknown);
}

TEST(Lanes, LanesThatCountOnTheirOwnEndUpAnywhere) {
  EXPECT_EQ(loadsOf("in[top]", "int top = 0;\n#pragma unroll 1\n"
                               "  for (int j = 0; j < 8; ++j)\n"
                               "    if (links[i + j] > 0) ++top;"),
            (Loads{8, 0, 1}));
}

TEST(Lanes, AChoiceOfTwoPlacesIsNear) {
  EXPECT_EQ(loadsOf("in[links[i] > 0 ? n : width]"), (Loads{2, 0, 0}));
}

TEST(Lanes, SmallTablesAreNear) {
  EXPECT_EQ(loadsOf("smallTable[links[i]]"), (Loads{2, 0, 0}));
  EXPECT_EQ(loadsOf("in[links[i] & 255]"), (Loads{2, 0, 0}));
  EXPECT_EQ(loadsOf("in[links[i] & 65535]"), (Loads{1, 0, 1}));
}

TEST(Lanes, ComputedPositionsChangeLittle) {
  EXPECT_EQ(loadsOf("in[int(sqrtf(in[i] * 2.0f + i))]"), (Loads{2, 0, 0}));
  EXPECT_EQ(loadsOf("in[int(float(i * i) * 0.5f)]"), OneUnknown);
}
