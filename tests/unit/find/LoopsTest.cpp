//===-- LoopsTest.cpp - loops that a pragma could unroll ------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FindTester.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace bankstripe;
using namespace bankstripe::testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

namespace {

using Trips = std::vector<std::pair<unsigned, unsigned>>;

/// Fewest and most trips of the loops that lead the indices of the one array in
/// \p Code.
Trips tripsIn(const std::string &Code) {
  Trips Result;
  for (const CountedLoop &L : findingOf(Code).LeadingLoops)
    Result.emplace_back(L.FewestTrips, L.MostTrips);
  return Result;
}

/// The trips of the loops that lead the indices of `int a[8]` in \p Body.
std::vector<unsigned> tripsOfBody(const std::string &Body) {
  std::vector<unsigned> Most;
  for (auto [Fewest, M] : tripsIn(kernelAround("int a[8];" + Body)))
    Most.push_back(M);
  return Most;
}

} // namespace

// --- How often they run -----------------------------------------------------

TEST(Loops, CountFromAConstantToAConstant) {
  EXPECT_THAT(tripsOfBody("for (int k = 0; k < 8; ++k) a[k] = k;"),
              ElementsAre(8));
  EXPECT_THAT(tripsOfBody("for (int k = 7; k >= 0; k--) a[k] = k;"),
              ElementsAre(8));
}

TEST(Loops, InEveryUsualShape) {
  EXPECT_THAT(tripsOfBody("int k; for (k = 1; 16 > k; k += 5) a[k] = k;"),
              ElementsAre(3));
  EXPECT_THAT(tripsOfBody("for (unsigned k = 16; k != 0; k >>= 1) a[k] = k;"),
              ElementsAre(5));
  EXPECT_THAT(tripsOfBody("for (int k = 1; k <= 64; k *= 2) a[k] = k;"),
              ElementsAre(7));
  EXPECT_THAT(tripsOfBody("const int n = 4; for (int k = 0; k < n * 2; k++)\n"
                          "  for (int m = 0; m < 3; m++) a[k] = a[m];"),
              ElementsAre(8, 3));
}

// What wraps around runs otherwise than its numbers say.
TEST(Loops, BeyondTheirTypeHaveNoTrips) {
  EXPECT_THAT(tripsOfBody("for (unsigned char k = 0; k < 300; ++k) a[k] = k;"),
              IsEmpty());
  EXPECT_THAT(tripsOfBody("for (unsigned k = 1; k != 0; k <<= 1) a[k] = k;"),
              IsEmpty());
  EXPECT_THAT(tripsOfBody("for (int k = 1; k != 0; k *= 3) a[k] = k;"),
              IsEmpty());
  EXPECT_THAT(tripsOfBody("for (unsigned k = 4; k >= 0; --k) a[k] = k;"),
              IsEmpty());
  EXPECT_THAT(tripsOfBody("for (int k = -1; k < 4u; ++k) a[k] = k;"),
              IsEmpty());
}

TEST(Loops, UpToTheEndOfTheirTypeHaveTrips) {
  EXPECT_THAT(tripsOfBody("for (signed char k = 126; k < 127; ++k) a[k] = k;"),
              ElementsAre(1));
  EXPECT_THAT(
      tripsOfBody("for (unsigned k = 1; k < 0x80000000; k <<= 1) a[k] = k;"),
      ElementsAre(31));
  EXPECT_THAT(tripsOfBody("for (unsigned long k = 0; k < 4u; ++k) a[k] = k;"),
              ElementsAre(4));
}

TEST(Loops, ThatOnlyTheRunKnowsHaveNoTrips) {
  EXPECT_THAT(tripsOfBody("for (int k = 0; k < i; ++k) a[k] = k;"), IsEmpty());
  EXPECT_THAT(tripsOfBody("for (int k = i; k < 8; ++k) a[k] = k;"), IsEmpty());
  EXPECT_THAT(tripsOfBody("for (int k = 0; k < 8; k += j) a[k] = k;"),
              IsEmpty());
  EXPECT_THAT(
      tripsOfBody("for (int k = 0; k < 8; ++k) { a[k] = k; if (i) k = 5; }"),
      IsEmpty());
  EXPECT_THAT(
      tripsOfBody(
          "for (int k = 0; k < 8; ++k) { a[k] = k; int *p = &k; *p = 5; }"),
      IsEmpty());
  EXPECT_THAT(tripsOfBody("for (int k = 0; k < 8; ) a[k++] = k;"), IsEmpty());
  EXPECT_THAT(tripsOfBody("for (unsigned k = 8; k >= 0; --k) a[k] = k;"),
              IsEmpty());
}

// --- Where they stand --------------------------------------------------------

TEST(Loops, OfOtherKindsAreNone) {
  EXPECT_THAT(tripsOfBody("int k = 0; while (k < 8) a[k++] = 0;"), IsEmpty());
  EXPECT_THAT(tripsOfBody("int k = 0; do a[k] = k; while (++k < 8);"),
              IsEmpty());
  EXPECT_THAT(tripsOfBody("for (int &x : a) x = 1;"), IsEmpty());
}

TEST(Loops, ThatTheirAuthorMarkedAreLeftAlone) {
  const std::string Loop = "for (int k = 0; k < 8; ++k) a[k] = k;";
  for (const std::string Mark : {"unroll 1", "unroll", "unroll(4)", "nounroll",
                                 "clang loop unroll(full)"})
    EXPECT_THAT(tripsOfBody(("\n#pragma " + Mark + "\n").append(Loop)),
                IsEmpty())
        << Mark;
}

TEST(Loops, InMacrosHaveNoPlaceForAPragma) {
  EXPECT_THAT(tripsIn("#define LOOP for (int k = 0; k < 8; ++k)\n" +
                      kernelAround("int a[8]; LOOP a[k] = i;")),
              IsEmpty());
  EXPECT_THAT(
      tripsIn("#define TWICE(x) x x\n" +
              kernelAround("int a[8];\n"
                           "TWICE(for (int k = 0; k < 8; ++k) a[k] = k;)")),
      IsEmpty());
  EXPECT_THAT(
      tripsOfBody("*out = 1; \\\nfor (int k = 0; k < 8; ++k) a[k] = k;"),
      IsEmpty());
}

TEST(Loops, OfFunctionsForTheHostTooAreLeftAlone) {
  const std::string Loop = "void f(int *out, int i) { int a[8];"
                           " for (int k = 0; k < 8; ++k) *out = a[k]; }";
  EXPECT_THAT(tripsIn("__device__ " + Loop), ElementsAre(Pair(8, 8)));
  EXPECT_THAT(tripsIn("__host__ __device__ " + Loop), IsEmpty());
}

TEST(Loops, OfFilesOutsideThePathsAreLeftAlone) {
  const std::string Code =
      kernelAround("int a[8]; for (int k = 0; k < 8; ++k) a[k] = i;");
  EXPECT_EQ(factsOf(Code).Findings[0].LeadingLoops.size(), 1u);
  EXPECT_TRUE(factsOf(Code, [](llvm::StringRef) { return false; })
                  .Findings[0]
                  .LeadingLoops.empty());
}

// --- Which indices they lead -------------------------------------------------

TEST(LeadingLoops, AreThoseWhoseVariablesAreInIndices) {
  const std::string Other = "for (int m = 0; m < 3; ++m) *out += m;";
  EXPECT_THAT(tripsOfBody(Other + "for (int k = 0; k < 8; ++k) a[k] = i;"),
              ElementsAre(8));
  EXPECT_THAT(tripsOfBody(Other + "a[0] = 1; a[7] = 2;"), IsEmpty());
}

TEST(LeadingLoops, LeadThroughArithmetic) {
  EXPECT_THAT(tripsOfBody("for (int k = 0; k < 2; ++k)\n"
                          "  for (unsigned m = 0; m < 4; ++m) {\n"
                          "    const int at = k * 4 + (int)m;\n"
                          "    a[at ^ 1] = a[-k + 7];\n  }\n"
                          "*out = a[sizeof(a) / sizeof(int) - 1];"),
              ElementsAre(2, 4));
}

TEST(LeadingLoops, AreNoneIfOneIndexHasMoreToIt) {
  for (const std::string Index : {"i", "k + i", "out[k]", "min(k, 3)"})
    EXPECT_THAT(tripsOfBody("for (int k = 0; k < 8; ++k) a[k] = 1;\n"
                            "for (int k = 0; k < 4; ++k) a[" +
                            Index + "] = 1;"),
                IsEmpty())
        << Index;
}

TEST(LeadingLoops, AreNoneBehindTheLoop) {
  EXPECT_THAT(tripsOfBody("int k; for (k = 0; k < 7; ++k) a[k] = 1;\n"
                          "a[k] = 2;"),
              IsEmpty());
}

TEST(LeadingLoops, AreNoneWhereTheArrayIsPassedOn) {
  EXPECT_THAT(tripsOfBody("for (int k = 0; k < 8; ++k) a[k] = 1;\n"
                          "const int *p = a; *out = *p;"),
              IsEmpty());
}

TEST(LeadingLoops, OfATemplateAreOneForAllInstantiations) {
  const std::string Template =
      "template <int N> __global__ void kernel(int *out, int i) {\n"
      "  int a[9];\n"
      "  for (int k = 0; k < N; ++k) *out = a[k];\n}\n";
  EXPECT_THAT(tripsIn(Template +
                      "template __global__ void kernel<4>(int *, int);"
                      "template __global__ void kernel<9>(int *, int);"),
              ElementsAre(Pair(4, 9)));
  EXPECT_THAT(
      tripsIn("template <class T> __global__ void kernel(int *out, T n) {\n"
              "  int a[8];\n"
              "  for (int k = 0; k < n.last; ++k) *out = a[k];\n}\n"
              "struct Fixed { static constexpr int last = 5; };\n"
              "struct Free { int last; };\n"
              "template __global__ void kernel(int *, Fixed);\n"
              "template __global__ void kernel(int *, Free);\n"),
      IsEmpty());
}
