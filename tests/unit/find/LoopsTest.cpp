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

namespace {

/// Fewest and most trips of the loops in \p Code, in order of their places.
std::vector<std::pair<unsigned, unsigned>> tripsIn(const std::string &Code) {
  std::vector<std::pair<unsigned, unsigned>> Trips;
  for (const auto &[Where, L] : factsOf(Code).Loops)
    Trips.emplace_back(L.FewestTrips, L.MostTrips);
  return Trips;
}

/// The loops of \p Body, in a kernel with a private array.
std::vector<unsigned> tripsOfBody(const std::string &Body) {
  std::vector<unsigned> Trips;
  for (auto [Fewest, Most] :
       tripsIn(kernelAround("int a[8]; a[i] = 1;" + Body)))
    Trips.push_back(Most);
  return Trips;
}

} // namespace

TEST(Loops, CountFromAConstantToAConstant) {
  EXPECT_THAT(tripsOfBody("for (int k = 0; k < 8; ++k) *out = k;"),
              ElementsAre(8));
  EXPECT_THAT(tripsOfBody("for (int k = 7; k >= 0; k--) *out = k;"),
              ElementsAre(8));
}

TEST(Loops, InEveryUsualShape) {
  EXPECT_THAT(tripsOfBody("int k; for (k = 1; 16 > k; k += 5) *out = k;"),
              ElementsAre(3));
  EXPECT_THAT(tripsOfBody("for (unsigned k = 16; k != 0; k >>= 1) *out = k;"),
              ElementsAre(5));
  EXPECT_THAT(tripsOfBody("for (int k = 1; k <= 64; k *= 2) *out = k;"),
              ElementsAre(7));
  EXPECT_THAT(tripsOfBody("const int n = 4; for (int k = 0; k < n * 2; k++)\n"
                          "  for (int m = 0; m < 3; m++) *out = k;"),
              ElementsAre(8, 3));
}

// What wraps around runs otherwise than its numbers say.
TEST(Loops, BeyondTheirTypeHaveNoTrips) {
  EXPECT_THAT(tripsOfBody("for (unsigned char k = 0; k < 300; ++k) *out = k;"),
              ElementsAre(0));
  EXPECT_THAT(tripsOfBody("for (unsigned k = 1; k != 0; k <<= 1) *out = k;"),
              ElementsAre(0));
  EXPECT_THAT(tripsOfBody("for (int k = 1; k != 0; k *= 3) *out = k;"),
              ElementsAre(0));
  EXPECT_THAT(tripsOfBody("for (unsigned k = 4; k >= 0; --k) *out = k;"),
              ElementsAre(0));
  EXPECT_THAT(tripsOfBody("for (int k = -1; k < 4u; ++k) *out = k;"),
              ElementsAre(0));
}

TEST(Loops, UpToTheEndOfTheirTypeHaveTrips) {
  EXPECT_THAT(tripsOfBody("for (signed char k = 126; k < 127; ++k) *out = k;"),
              ElementsAre(1));
  EXPECT_THAT(
      tripsOfBody("for (unsigned k = 1; k < 0x80000000; k <<= 1) *out = k;"),
      ElementsAre(31));
  EXPECT_THAT(tripsOfBody("for (unsigned long k = 0; k < 4u; ++k) *out = k;"),
              ElementsAre(4));
}

TEST(Loops, ThatOnlyTheRunKnowsHaveNoTrips) {
  EXPECT_THAT(tripsOfBody("for (int k = 0; k < i; ++k) *out = k;"),
              ElementsAre(0));
  EXPECT_THAT(tripsOfBody("for (int k = i; k < 8; ++k) *out = k;"),
              ElementsAre(0));
  EXPECT_THAT(tripsOfBody("for (int k = 0; k < 8; k += j) *out = k;"),
              ElementsAre(0));
  EXPECT_THAT(tripsOfBody("for (int k = 0; k < 8; ++k) if (i) k = 5;"),
              ElementsAre(0));
  EXPECT_THAT(
      tripsOfBody("for (int k = 0; k < 8; ++k) { int *p = &k; *p = 5; }"),
      ElementsAre(0));
  EXPECT_THAT(tripsOfBody("for (int k = 0; k < 8; ) ++k;"), ElementsAre(0));
  EXPECT_THAT(tripsOfBody("for (unsigned k = 8; k >= 0; --k) *out = k;"),
              ElementsAre(0));
}

TEST(Loops, OfOtherKindsAreNotListed) {
  EXPECT_THAT(tripsOfBody("int k = 0; while (k < 8) ++k;"), IsEmpty());
  EXPECT_THAT(tripsOfBody("int k = 0; do ++k; while (k < 8);"), IsEmpty());
  EXPECT_THAT(tripsOfBody("for (int &x : a) x = 1;"), IsEmpty());
}

TEST(Loops, ThatTheirAuthorMarkedAreLeftAlone) {
  const std::string Loop = "for (int k = 0; k < 8; ++k) *out = k;";
  for (const std::string Mark : {"unroll 1", "unroll", "unroll(4)", "nounroll",
                                 "clang loop unroll(full)"})
    EXPECT_THAT(tripsOfBody(("\n#pragma " + Mark + "\n").append(Loop)),
                IsEmpty())
        << Mark;
}

TEST(Loops, InMacrosHaveNoPlaceForAPragma) {
  EXPECT_THAT(tripsIn("#define LOOP for (int k = 0; k < 8; ++k)\n" +
                      kernelAround("int a[8]; a[i] = 1; LOOP *out = k;")),
              IsEmpty());
  EXPECT_THAT(
      tripsIn("#define TWICE(x) x x\n" +
              kernelAround("int a[8]; a[i] = 1;\n"
                           "TWICE(for (int k = 0; k < 8; ++k) *out = k;)")),
      IsEmpty());
  EXPECT_THAT(tripsOfBody("\n#line 40\nfor (int k = 0; k < 8; ++k) *out = k;"),
              IsEmpty());
  EXPECT_THAT(
      tripsOfBody("*out = 1; \\\nfor (int k = 0; k < 8; ++k) *out = k;"),
      IsEmpty());
}

TEST(Loops, OfATemplateAreOneForAllInstantiations) {
  const std::string Template =
      "template <int N> __global__ void kernel(int *out, int i) {\n"
      "  int a[8]; a[i] = 1;\n"
      "  for (int k = 0; k < N; ++k) *out = a[k];\n}\n";
  EXPECT_THAT(tripsIn(Template +
                      "template __global__ void kernel<4>(int *, int);"
                      "template __global__ void kernel<9>(int *, int);"),
              ElementsAre(std::make_pair(4u, 9u)));
  EXPECT_THAT(
      tripsIn("template <class T> __global__ void kernel(int *out, T n) {\n"
              "  int a[8]; a[n.last] = 1;\n"
              "  for (int k = 0; k < n.last; ++k) *out = a[k];\n}\n"
              "struct Fixed { static constexpr int last = 5; };\n"
              "struct Free { int last; };\n"
              "template __global__ void kernel(int *, Fixed);\n"
              "template __global__ void kernel(int *, Free);\n"),
      ElementsAre(std::make_pair(0u, 0u)));
}

TEST(Loops, OfFunctionsForTheHostTooAreLeftAlone) {
  const std::string Loop = "void f(int *out, int i) { int a[8]; a[i] = 1;"
                           " for (int k = 0; k < 8; ++k) *out = a[k]; }";
  EXPECT_THAT(tripsIn("__device__ " + Loop),
              ElementsAre(std::make_pair(8u, 8u)));
  EXPECT_THAT(tripsIn("__host__ __device__ " + Loop), IsEmpty());
}

TEST(Loops, OfFilesOutsideThePathsAreLeftAlone) {
  const std::string Code =
      kernelAround("int a[8]; for (int k = 0; k < 8; ++k) a[k] = i;");
  EXPECT_EQ(factsOf(Code).Loops.size(), 1u);
  EXPECT_TRUE(
      factsOf(Code, [](llvm::StringRef) { return false; }).Loops.empty());
}
