//===-- UnrollTest.cpp - would unrolling help -----------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loops are long enough that -O3 leaves them rolled.
//
//===----------------------------------------------------------------------===//

#include "Snippet.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace bankstripe;
using namespace bankstripe::testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

namespace {

/// Evidence for `a` in a kernel with the body \p Body, in which STEPS makes a
/// loop's body long. Line 5 is the first of it.
ArrayEvidence unrolling(const std::string &Body) {
  return evidenceOfOne(R"cu(#define STEP(x) x = x * y + in[x & 15];
#define STEPS(x) STEP(x) STEP(x) STEP(x) STEP(x) STEP(x) STEP(x) STEP(x)
__device__ __attribute__((always_inline)) int fold(int *a, const int *in, int y) { $for (int i = 0; i < 48; ++i) { a[i] ^= in[i]; STEPS(a[i]) y += a[i]; } return y; }
extern "C" __global__ void k(const int *in, int *out, int n) { int y = n;
)cu" + Body + "\n}");
}

/// The lines of the loops that would have to be unrolled.
std::vector<unsigned> linesToUnroll(const std::string &Body) {
  ArrayEvidence E = unrolling(Body);
  EXPECT_EQ(E.Where, Residency::LocalMemory);
  std::vector<unsigned> Lines;
  if (E.Unroll)
    for (const Place &Where : E.Unroll->Loops)
      Lines.push_back(Where.Line);
  return Lines;
}

const std::string Filled =
    "int @a[48];\n$for (int i = 0; i < 48; ++i) a[i] = in[i];\n";
const std::string Used = "out[threadIdx.x] = a[5] + y;";

} // namespace

TEST(Unroll, TheLoopsThatLeadAnIndexHelp) {
  EXPECT_THAT(linesToUnroll(Filled + R"cu(
for (int k = 0; k < n; ++k)
  $for (int i = 0; i < 48; ++i) { STEPS(a[i]) y += a[i]; }
)cu" + Used),
              ElementsAre(6, 9));
}

TEST(Unroll, LoopsOfInlinedFunctionsHelpToo) {
  EXPECT_THAT(linesToUnroll("int @a[48] = {};\n"
                            "for (int k = 0; k < n; ++k)\n"
                            "  y += fold(a, in, y);\n" +
                            Used),
              ElementsAre(3));
}

TEST(Unroll, TheGrowthIsTurnsTimesBody) {
  ArrayEvidence E = unrolling(
      Filled + "$for (int i = 0; i < 48; ++i) { STEPS(a[i]) y += a[i]; }" +
      Used);
  ASSERT_TRUE(E.Unroll.has_value());
  EXPECT_GT(E.Unroll->Instructions, 47u * 3 * 7);
  EXPECT_LT(E.Unroll->Instructions, 47u * 8 * 7);
}

TEST(Unroll, NestedLoopsHelpTogether) {
  EXPECT_THAT(linesToUnroll(R"cu(int @a[8][6];
$for (int i = 0; i < 8; ++i)
  $for (int j = 0; j < 6; ++j) { STEPS(y) a[i][j] = y; }
for (int k = 0; k < n; ++k)
  $for (int i = 0; i < 8; ++i)
    $for (int j = 0; j < 6; ++j) { STEPS(a[i][j]) y += a[i][j]; }
out[0] = y;)cu"),
              ElementsAre(6, 7, 9, 10));
}

TEST(Unroll, LoopsThatLeadNoIndexStayAsTheyAre) {
  EXPECT_THAT(linesToUnroll(Filled + R"cu(
$for (int k = 0; k < 100; ++k)
  $for (int i = 0; i < 48; ++i) { STEPS(a[i]) y += a[i]; }
)cu" + Used),
              ElementsAre(6, 9));
}

TEST(Unroll, TablesAtACounterAreConstantToo) {
  EXPECT_THAT(linesToUnroll(R"cu(int @a[16];
static constexpr int order[16] = {3,1,2,0,7,6,5,4,11,10,9,8,15,13,14,12};
$for (int i = 0; i < 16; ++i) { STEPS(y) STEPS(y) STEPS(y) a[order[i]] = y; }
for (int k = 0; k < n; ++k)
  $for (int i = 0; i < 16; ++i) { STEPS(y) STEPS(y) STEPS(y) y ^= a[order[i]]; }
out[0] = y;)cu"),
              ElementsAre(7, 9));
}

// --- Where it does not help ------------------------------------------------

TEST(Unroll, AnIndexFromDataStaysOne) {
  EXPECT_THAT(linesToUnroll(Filled + R"cu(
$for (int i = 0; i < 48; ++i) { STEPS(a[i]) y += a[in[i] & 31]; }
)cu" + Used),
              IsEmpty());
  EXPECT_THAT(linesToUnroll(Filled + R"cu(
$for (int i = 0; i < 48; ++i) { STEPS(a[i]) y += a[i]; }
y += a[n];
)cu" + Used),
              IsEmpty());
}

// Its author marked it, or it is no `for`: find/ does not name it.
TEST(Unroll, OneLoopThatMustStayIsEnough) {
  EXPECT_THAT(linesToUnroll(Filled + R"cu(
for (int i = 0; i < 48; ++i) { STEPS(a[i]) y += a[i]; }
)cu" + Used),
              IsEmpty());
}

TEST(Unroll, MarksOfItsAuthorAreObeyed) {
  EXPECT_THAT(linesToUnroll(R"cu(int @a[8];
#pragma unroll 1
for (int i = 0; i < 8; ++i) a[i] = in[i];
for (int k = 0; k < n; ++k)
#pragma nounroll
  for (int i = 0; i < 8; ++i) { STEPS(a[i]) y += a[i]; }
out[0] = y;)cu"),
              IsEmpty());
}

TEST(Unroll, StacksAreLedByNoCounter) {
  EXPECT_THAT(linesToUnroll(R"cu(int @a[48]; int top = 0;
$for (int i = 0; i < 48; ++i) { STEPS(y) if (y > 5) a[top++] = y; }
while (top > 0) y += a[--top];
out[0] = y;)cu"),
              IsEmpty());
}

TEST(Unroll, LargeArraysWouldBeSpilled) {
  const std::string Loop =
      "for (int k = 0; k < n; ++k)\n"
      "  $for (int i = 0; i < 64; ++i) { STEPS(a[i]) y += a[i]; }\n"
      "out[0] = y;";
  auto Array = [](const std::string &Size) {
    return "int @a[" + Size + "];\n$for (int i = 0; i < " + Size +
           "; ++i) a[i] = in[i];\n";
  };
  EXPECT_THAT(linesToUnroll(Array("64") + Loop), ElementsAre(6, 8));
  EXPECT_THAT(linesToUnroll(Array("65") + Loop), IsEmpty());
}

TEST(Unroll, CodeMustNotGrowOutOfTheCache) {
  std::string Long = "STEPS(a[i])";
  for (int I = 0; I < 5; ++I)
    Long += "STEPS(a[i])";
  EXPECT_THAT(linesToUnroll(Filled + "$for (int i = 0; i < 48; ++i) { " + Long +
                            " y += a[i]; }\n" + Used),
              IsEmpty());
}
