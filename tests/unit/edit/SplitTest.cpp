//===-- SplitTest.cpp - how arrays look of which a part moves -------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Planned.h"
#include "gtest/gtest.h"

using namespace bankstripe;
using namespace bankstripe::testing;
using llvm::StringRef;

namespace {

Plan planWithSplit(StringRef Code, Moving M, unsigned First = 8) {
  M.Kind = VerdictKind::Split;
  Plan P = planFor(Code, {M});
  P.Arrays[0].Verdict.First = First;
  return P;
}

std::string split(StringRef Code, Moving M, unsigned First = 8) {
  const std::string All = carriedOut(planWithSplit(Code, std::move(M), First));
  return StringRef(All).split("\n\n").second.str();
}

} // namespace

TEST(Split, LeavesUsesAsTheyAre) {
  EXPECT_EQ(split("int a[64];\na[i] = a[--j];\n", {"a", {64}}),
            "__shared__ int a_stripes[::bankstripe::warps(128)][8][32];\n"
            "int a_rest[64 - 8];\n"
            "auto a = ::bankstripe::begin(a_stripes, a_rest);\n"
            "a[i] = a[--j];\n");
}

TEST(Split, HasUnitsAsStripesHave) {
  EXPECT_EQ(split("char a[9];\n", {"a", {9}, StripeForm::Wide}, 4),
            "__shared__ ::bankstripe::word<char> "
            "a_stripes[::bankstripe::warps(128)][4][32];\n"
            "char a_rest[9 - 4];\n"
            "auto a = ::bankstripe::begin(a_stripes, a_rest);\n");
}

TEST(Split, KeepsTheTextOfTheExtent) {
  EXPECT_EQ(split("int *a[N + 1];\n", {"a", {64}}, 16),
            "__shared__ int *a_stripes[::bankstripe::warps(128)][16][32];\n"
            "int *a_rest[(N + 1) - 16];\n"
            "auto a = ::bankstripe::begin(a_stripes, a_rest);\n");
}

TEST(Split, IsCleared) {
  EXPECT_EQ(split("int a[64] = {0};\n", {"a", {64}}),
            "__shared__ int a_stripes[::bankstripe::warps(128)][8][32];\n"
            "int a_rest[64 - 8] = {};\n"
            "auto a = ::bankstripe::begin(a_stripes, a_rest);\n"
            "::bankstripe::clear(a_stripes);\n");
}

TEST(Split, IsInitialisedAsAWhole) {
  EXPECT_EQ(split("int a[64] = {1, x};\n", {"a", {64}}),
            "__shared__ int a_stripes[::bankstripe::warps(128)][8][32];\n"
            "int a_rest[64 - 8];\n"
            "auto a = ::bankstripe::begin(a_stripes, a_rest);\n"
            "::bankstripe::initialize<64>(a, {1, x});\n");
}

TEST(Split, ChecksTheBlockOfAFunction) {
  EXPECT_EQ(split("int a[64];\n", inFunction({"a", {64}})),
            "__shared__ int a_stripes[::bankstripe::warps(128)][8][32];\n"
            "::bankstripe::require_block_of_at_most<128>();\n"
            "int a_rest[64 - 8];\n"
            "auto a = ::bankstripe::begin(a_stripes, a_rest);\n");
}

TEST(Split, MayBeInDynamicMemory) {
  Plan P = planWithSplit("int a[64];\n", {"a", {64}});
  P.Arrays[0].Verdict.Storage.Dynamic = true;
  P.Arrays[0].Verdict.Storage.BytesPerWarp = 1024;
  P.Arrays[0].Verdict.Storage.WarpBytes = 1024;
  EXPECT_EQ(carriedOut(P),
            "#include \"bankstripe.cuh\"\n\n"
            "auto a_stripes = "
            "::bankstripe::dynamic_stripe<int[8], 0, 1024, 1024>();\n"
            "int a_rest[64 - 8];\n"
            "auto a = ::bankstripe::begin(a_stripes, a_rest);\n");
}

TEST(Split, HasPointers) {
  StringRef Code = "int a[64];\nconst int *p = a, *q;\n";
  Plan P = planWithSplit(Code, {"a", {64}});
  P.Arrays[0].Array.Trail.emplace().Locals = {
      pointers(Code, "const int ", {"*p", "*q"}, {"int", true, false})};
  EXPECT_NE(carriedOut(P).find("\n::bankstripe::pointer<"
                               "::bankstripe::split<const int, 8>> p = a, q;"),
            std::string::npos)
      << carriedOut(P);
}

// The pointers bring their type, which the others have in common.
TEST(Split, HasPointersInTheSameStatement) {
  StringRef Code = "int a[64], *p = a, *q;\n*p++ = 1;\n";
  Plan P = planWithSplit(Code, {"a", {64}});
  PointerDeclaration D =
      pointers(Code, "", {"*p", "*q"}, {"int", false, false});
  D.Specifiers = {CodePath.str(), D.Stars.front().Offset, 0};
  P.Arrays[0].Array.Trail.emplace().Locals = {D};
  EXPECT_EQ(carriedOut(P),
            "#include \"bankstripe.cuh\"\n\n"
            "__shared__ int a_stripes[::bankstripe::warps(128)][8][32];\n"
            "int a_rest[64 - 8];\n"
            "auto a = ::bankstripe::begin(a_stripes, a_rest);\n"
            "::bankstripe::pointer<::bankstripe::split<int, 8>> p = a, q;\n"
            "*p++ = 1;\n");
}

// A template deduces the element, and not what holds it.
TEST(Split, HasOverloadsOfTemplates) {
  constexpr StringRef Put = "template <class T> void put(T *p) { *p = 1; }";
  const std::string Code = Put.str() + "\nint a[64];\nput(a);\n";
  Plan P = planWithSplit(Code, {"a", {64}});
  addPut(P, Put, "T *p", {"T", false, true}, "put(a)");
  EXPECT_NE(carriedOut(P).find(
                "template <class T> void "
                "put(::bankstripe::pointer<::bankstripe::split<T, 8>> p) "),
            std::string::npos)
      << carriedOut(P);
}
