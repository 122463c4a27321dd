//===-- IndexFormTest.cpp - a subscript becomes a call of the helper ------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Only what is around an index may change, since the index may hold subscripts
// of its own.
//
//===----------------------------------------------------------------------===//

#include "Planned.h"
#include "gtest/gtest.h"

using namespace bankstripe;
using namespace bankstripe::testing;
using llvm::StringRef;

namespace {

// A declaration, apart from the code that the tests are about.
constexpr StringRef Before = "int a[8], t[4][6];\n";
constexpr StringRef After =
    "__shared__ int a[::bankstripe::warps(128)][8][32];\n"
    "__shared__ int t[::bankstripe::warps(128)][4][6][32];\n";

std::string edited(StringRef Code) {
  std::string Whole =
      rewritten((Before + Code).str(), {{"a", {8}}, {"t", {4, 6}}});
  StringRef Rest = Whole;
  EXPECT_TRUE(Rest.consume_front(After)) << Whole;
  return Rest.str();
}

TEST(IndexForm, OneDimension) {
  EXPECT_EQ(edited("a[i] = 1;"), "::bankstripe::at(a, i) = 1;");
  EXPECT_EQ(edited("a[0]++;"), "::bankstripe::at(a, 0)++;");
  EXPECT_EQ(edited("x = a[i];"), "x = ::bankstripe::at(a, i);");
}

TEST(IndexForm, TwoDimensions) {
  EXPECT_EQ(edited("t[i][j] = 1;"), "::bankstripe::at(t, i, j) = 1;");
}

TEST(IndexForm, IndexStaysAsWritten) {
  EXPECT_EQ(edited("a[ (i+1) & 7 /* wrap */ ] = 1;"),
            "::bankstripe::at(a,  (i+1) & 7 /* wrap */ ) = 1;");
  EXPECT_EQ(edited("a[f(i, j)] = b[i];"),
            "::bankstripe::at(a, f(i, j)) = b[i];");
}

TEST(IndexForm, SubscriptInAnIndex) {
  EXPECT_EQ(edited("a[a[i]] = 1;"),
            "::bankstripe::at(a, ::bankstripe::at(a, i)) = 1;");
  EXPECT_EQ(
      edited("a[t[i][a[j]]] = 1;"),
      "::bankstripe::at(a, ::bankstripe::at(t, i, ::bankstripe::at(a, j))) "
      "= 1;");
  EXPECT_EQ(
      edited("t[a[i]][a[j]] = 1;"),
      "::bankstripe::at(t, ::bankstripe::at(a, i), ::bankstripe::at(a, j)) "
      "= 1;");
}

TEST(IndexForm, CommaOperatorIsParenthesised) {
  EXPECT_EQ(edited("a[i++, i] = 1;"), "::bankstripe::at(a, (i++, i)) = 1;");
  EXPECT_EQ(edited("t[i, j][k] = 1;"), "::bankstripe::at(t, (i, j), k) = 1;");
  EXPECT_EQ(edited("t[i][j, k] = 1;"), "::bankstripe::at(t, i, (j, k)) = 1;");
  EXPECT_EQ(edited("t[i, j][k, l] = 1;"),
            "::bankstripe::at(t, (i, j), (k, l)) = 1;");
}

TEST(IndexForm, BlanksBeforeBrackets) {
  EXPECT_EQ(edited("a [i] = 1;"), "::bankstripe::at(a , i) = 1;");
  EXPECT_EQ(edited("t[i] [j] = 1;"), "::bankstripe::at(t, i, j) = 1;");
}

TEST(IndexForm, OverSeveralLines) {
  EXPECT_EQ(edited("a[i +\n    1] =\n  2;"),
            "::bankstripe::at(a, i +\n    1) =\n  2;");
}

TEST(IndexForm, AddressOfAnElement) {
  EXPECT_EQ(edited("atomicAdd(&a[i], 1);"),
            "atomicAdd(&::bankstripe::at(a, i), 1);");
}

TEST(IndexForm, ParenthesisedArray) {
  // `(a)[i]`: the whole begins before the name, the bracket after it.
  Use U;
  U.Whole = {CodePath.str(), 0, 6};
  U.Name = {CodePath.str(), 1, 1};
  U.Brackets = {{CodePath.str(), 3, 1}, {CodePath.str(), 5, 1}};
  U.IndexHasComma = {false};
  auto Text = applyEdits("(a)[i];", 0, 7, editsOfUse(U, "(a)[i];"));
  ASSERT_TRUE(bool(Text));
  EXPECT_EQ(Text->Text, "::bankstripe::at((a), i);");
}

TEST(IndexForm, SeveralUsesInOneStatement) {
  EXPECT_EQ(
      edited("a[i] = a[j] + a[k] * 2;"),
      "::bankstripe::at(a, i) = ::bankstripe::at(a, j) + ::bankstripe::at(a, "
      "k) * 2;");
}

TEST(IndexForm, OtherArraysAreLeftAlone) {
  EXPECT_EQ(edited("b[i] = out[a[i]];"), "b[i] = out[::bankstripe::at(a, i)];");
}

} // namespace
