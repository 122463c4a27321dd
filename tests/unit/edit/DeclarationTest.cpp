//===-- DeclarationTest.cpp - an array's declaration becomes a stripe's ---===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In all the ways in which declarations are written.
//
//===----------------------------------------------------------------------===//

#include "Planned.h"
#include "gtest/gtest.h"

using namespace bankstripe;
using namespace bankstripe::testing;

namespace {

TEST(Declaration, Alone) {
  EXPECT_EQ(rewritten("{\n  int a[4];\n}\n", {{"a", {4}}}),
            "{\n"
            "  __shared__ int a_stripes[::bankstripe::warps(128)][4][32];\n"
            "  auto a = ::bankstripe::column(a_stripes);\n"
            "}\n");
}

TEST(Declaration, TwoDimensions) {
  EXPECT_EQ(
      rewritten("{\n  float t[3][5];\n}\n", {{"t", {3, 5}}}),
      "{\n"
      "  __shared__ float t_stripes[::bankstripe::warps(128)][3][5][32];\n"
      "  auto t = ::bankstripe::begin(t_stripes);\n"
      "}\n");
}

TEST(Declaration, SpecifiersOfSeveralWords) {
  EXPECT_EQ(rewritten("{ unsigned long long a[4]; }", {{"a", {4}}}),
            "{ __shared__ unsigned long long "
            "a_stripes[::bankstripe::warps(128)][4][32]; auto a = "
            "::bankstripe::column(a_stripes); }");
}

// What has nothing but subscripts needs a small part of the helper. Uses that
// are no plain subscript, and pointers, may ask for all of an array's
// operators.
TEST(Declaration, OtherUsesThanSubscriptsNeedAPointer) {
  auto AccessorOf = [](auto Change) {
    Plan P = planFor("int a[4];\n", {{"a", {4}}});
    Change(P.Arrays[0].Array);
    const std::string After = carriedOut(P);
    return llvm::StringRef(After).contains("= ::bankstripe::column(a_stripes);")
               ? "column"
               : "pointer";
  };
  EXPECT_STREQ(AccessorOf([](Finding &) {}), "column");
  EXPECT_STREQ(AccessorOf([](Finding &F) { F.HasOtherUses = true; }),
               "pointer");
  EXPECT_STREQ(AccessorOf([](Finding &F) { F.Trail.emplace(); }), "pointer");
  EXPECT_STREQ(AccessorOf([](Finding &F) { F.HasConst = true; }), "pointer");
}

TEST(Declaration, ExtentsStayAsWritten) {
  EXPECT_EQ(rewritten("{ int a[N + 1]; }", {{"a", {5}}}),
            "{ __shared__ int a_stripes[::bankstripe::warps(128)][N + 1][32]; "
            "auto a = ::bankstripe::column(a_stripes); }");
  EXPECT_EQ(rewritten("{ int a[ROWS][COLUMNS(2)]; }", {{"a", {3, 4}}}),
            "{ __shared__ int "
            "a_stripes[::bankstripe::warps(128)][ROWS][COLUMNS(2)][32]; auto a "
            "= ::bankstripe::begin(a_stripes); }");
}

TEST(Declaration, ExtentFromTheInitialiser) {
  EXPECT_EQ(rewritten("{\n  int a[] = {1, 2, 3};\n}\n", {{"a", {3}}}),
            "{\n"
            "  __shared__ int a_stripes[::bankstripe::warps(128)][3][32];\n"
            "  auto a = ::bankstripe::column(a_stripes);\n"
            "  ::bankstripe::initialize<3>(a_stripes, {1, 2, 3});\n"
            "}\n");
}

TEST(Declaration, BoundIsWrittenAsInTheKernelsBounds) {
  Plan P = planFor("int a[4];\n", {{"a", {4}}});
  P.Arrays[0].Verdict.Storage.ThreadsText = "THREADS";
  EXPECT_EQ(carriedOut(P),
            "#include \"bankstripe.cuh\"\n"
            "\n"
            "__shared__ int a_stripes[::bankstripe::warps(THREADS)][4][32];\n"
            "auto a = ::bankstripe::column(a_stripes);\n");
  // Its names mean something else inside the kernel.
  P.Arrays[0].Verdict.Storage.ThreadsText = "";
  EXPECT_EQ(carriedOut(P),
            "#include \"bankstripe.cuh\"\n"
            "\n"
            "__shared__ int a_stripes[::bankstripe::warps(128)][4][32];\n"
            "auto a = ::bankstripe::column(a_stripes);\n");
}

// What stays keeps its alignment, and so does what has no slot or stripe.
TEST(Declaration, AlignmentStaysWithTheOthers) {
  auto Aligned = [](const std::string &Declarators,
                    const std::vector<Moving> &Arrays) {
    const std::string Code = "alignas(16) int " + Declarators + ";\n";
    Plan P = planFor(Code, Arrays);
    for (PlannedArray &A : P.Arrays)
      A.Array.Text.Specifiers = at(Code, "int");
    const std::string After = carriedOut(P);
    return llvm::StringRef(After).split("\n\n").second.str();
  };
  EXPECT_EQ(Aligned("x[4], a[4]", {slot("a", {4})}),
            "alignas(16) int x[4];\n"
            "__shared__ ::bankstripe::slots<int[4], 128> a_slots;\n"
            "int (&a)[4] = a_slots.mine();\n");
  EXPECT_EQ(Aligned("a[4], x[4], y", {{"a", {4}}}),
            "__shared__ int a_stripes[::bankstripe::warps(128)][4][32];\n"
            "auto a = ::bankstripe::column(a_stripes);\n"
            "alignas(16) int x[4], y;\n");
  EXPECT_EQ(Aligned("a[4], t[2] = {1, 2}", {{"a", {4}}, table("t", {2})}),
            "__shared__ int a_stripes[::bankstripe::warps(128)][4][32];\n"
            "auto a = ::bankstripe::column(a_stripes);\n"
            "alignas(16) static const int t[2] = {1, 2};\n");
}

TEST(Declaration, KeepsItsLine) {
  Plan P = planFor("int a[4] = {0}; // zeros\n", {{"a", {4}}});
  P.Arrays[0].Array.Text.KeepsLine = true;
  EXPECT_EQ(
      carriedOut(P),
      "#include \"bankstripe.cuh\"\n"
      "\n"
      "__shared__ int a_stripes[::bankstripe::warps(128)][4][32]; auto a "
      "= ::bankstripe::column(a_stripes); ::bankstripe::clear(a_stripes); "
      "// zeros\n");
}

// Several declarators: striped or not, in every order.

TEST(Declarators, FirstMoves) {
  EXPECT_EQ(rewritten("{\n  int a[4], x;\n}\n", {{"a", {4}}}),
            "{\n"
            "  __shared__ int a_stripes[::bankstripe::warps(128)][4][32];\n"
            "  auto a = ::bankstripe::column(a_stripes);\n"
            "  int x;\n"
            "}\n");
}

TEST(Declarators, LastMoves) {
  EXPECT_EQ(rewritten("{\n  int x, a[4];\n}\n", {{"a", {4}}}),
            "{\n"
            "  int x;\n"
            "  __shared__ int a_stripes[::bankstripe::warps(128)][4][32];\n"
            "  auto a = ::bankstripe::column(a_stripes);\n"
            "}\n");
}

TEST(Declarators, MiddleMoves) {
  EXPECT_EQ(rewritten("{\n  int x = 1, a[4], y = 2;\n}\n", {{"a", {4}}}),
            "{\n"
            "  int x = 1;\n"
            "  __shared__ int a_stripes[::bankstripe::warps(128)][4][32];\n"
            "  auto a = ::bankstripe::column(a_stripes);\n"
            "  int y = 2;\n"
            "}\n");
}

TEST(Declarators, FirstAndLastMove) {
  EXPECT_EQ(rewritten("{\n  int a[4], x, b[5];\n}\n", {{"a", {4}}, {"b", {5}}}),
            "{\n"
            "  __shared__ int a_stripes[::bankstripe::warps(128)][4][32];\n"
            "  auto a = ::bankstripe::column(a_stripes);\n"
            "  int x;\n"
            "  __shared__ int b_stripes[::bankstripe::warps(128)][5][32];\n"
            "  auto b = ::bankstripe::column(b_stripes);\n"
            "}\n");
}

TEST(Declarators, AllMove) {
  EXPECT_EQ(rewritten("{\n  int a[4], b[5];\n}\n", {{"a", {4}}, {"b", {5}}}),
            "{\n"
            "  __shared__ int a_stripes[::bankstripe::warps(128)][4][32];\n"
            "  auto a = ::bankstripe::column(a_stripes);\n"
            "  __shared__ int b_stripes[::bankstripe::warps(128)][5][32];\n"
            "  auto b = ::bankstripe::column(b_stripes);\n"
            "}\n");
}

TEST(Declarators, OthersStayTogether) {
  EXPECT_EQ(rewritten("{\n  int u, v = 2, a[4], x, y;\n}\n", {{"a", {4}}}),
            "{\n"
            "  int u, v = 2;\n"
            "  __shared__ int a_stripes[::bankstripe::warps(128)][4][32];\n"
            "  auto a = ::bankstripe::column(a_stripes);\n"
            "  int x, y;\n"
            "}\n");
}

TEST(Declarators, PointersKeepTheirStars) {
  EXPECT_EQ(rewritten("{\n  int *p, a[4], **q;\n}\n", {{"a", {4}}}),
            "{\n"
            "  int *p;\n"
            "  __shared__ int a_stripes[::bankstripe::warps(128)][4][32];\n"
            "  auto a = ::bankstripe::column(a_stripes);\n"
            "  int **q;\n"
            "}\n");
}

TEST(Declarators, InitialisersOfAllOfThem) {
  EXPECT_EQ(
      rewritten("{\n  int sum = 0, best[8] = {0}, *p;\n}\n", {{"best", {8}}}),
      "{\n"
      "  int sum = 0;\n"
      "  __shared__ int best_stripes[::bankstripe::warps(128)][8][32];\n"
      "  auto best = ::bankstripe::column(best_stripes);\n"
      "  ::bankstripe::clear(best_stripes);\n"
      "  int *p;\n"
      "}\n");
}

TEST(Declarators, OnLinesOfTheirOwn) {
  EXPECT_EQ(rewritten("{\n  int x,\n      a[4],\n      y;\n}\n", {{"a", {4}}}),
            "{\n"
            "  int x;\n"
            "  __shared__ int a_stripes[::bankstripe::warps(128)][4][32];\n"
            "  auto a = ::bankstripe::column(a_stripes);\n"
            "  int y;\n"
            "}\n");
}

// A later initialiser may read an earlier array, which must be initialised.
TEST(Declarators, KeepTheirOrder) {
  EXPECT_EQ(rewritten("{\n  int a[2] = {i, j}, x = a[k];\n}\n", {{"a", {2}}}),
            "{\n"
            "  __shared__ int a_stripes[::bankstripe::warps(128)][2][32];\n"
            "  auto a = ::bankstripe::column(a_stripes);\n"
            "  ::bankstripe::initialize<2>(a_stripes, {i, j});\n"
            "  int x = a[k];\n"
            "}\n");
}

// Comments stay where they are.

TEST(Comments, BehindAComma) {
  EXPECT_EQ(
      rewritten("{\n  int a[4], // first\n      x; // second\n}\n",
                {{"a", {4}}}),
      "{\n"
      "  __shared__ int a_stripes[::bankstripe::warps(128)][4][32]; // first\n"
      "  auto a = ::bankstripe::column(a_stripes);\n"
      "  int x; // second\n"
      "}\n");
}

TEST(Comments, WithCommas) {
  EXPECT_EQ(
      rewritten("{\n  int a[4], // one, two\n      x;\n}\n", {{"a", {4}}}),
      "{\n"
      "  __shared__ int a_stripes[::bankstripe::warps(128)][4][32]; // one, "
      "two\n"
      "  auto a = ::bankstripe::column(a_stripes);\n"
      "  int x;\n"
      "}\n");
  EXPECT_EQ(rewritten("{\n  int a[4], /* one, two */ x;\n}\n", {{"a", {4}}}),
            "{\n"
            "  __shared__ int a_stripes[::bankstripe::warps(128)][4][32]; /* "
            "one, two */\n"
            "  auto a = ::bankstripe::column(a_stripes);\n"
            "  int x;\n"
            "}\n");
}

TEST(Comments, BeforeAComma) {
  EXPECT_EQ(rewritten("{\n  int a[4] /* one, two */, x;\n}\n", {{"a", {4}}}),
            "{\n"
            "  __shared__ int a_stripes[::bankstripe::warps(128)][4][32] /* "
            "one, two */;\n"
            "  auto a = ::bankstripe::column(a_stripes);\n"
            "  int x;\n"
            "}\n");
  EXPECT_EQ(rewritten("{\n  int a[4] // one, two\n    , x;\n}\n", {{"a", {4}}}),
            "{\n"
            "  __shared__ int a_stripes[::bankstripe::warps(128)][4][32] // "
            "one, two\n"
            "    ;\n"
            "  auto a = ::bankstripe::column(a_stripes);\n"
            "  int x;\n"
            "}\n");
}

TEST(Comments, OnBothSidesOfAComma) {
  EXPECT_EQ(rewritten("{\n  int a[4] /* 1, */, /* ,2 */ x;\n}\n", {{"a", {4}}}),
            "{\n"
            "  __shared__ int a_stripes[::bankstripe::warps(128)][4][32] /* 1, "
            "*/; /* ,2 */\n"
            "  auto a = ::bankstripe::column(a_stripes);\n"
            "  int x;\n"
            "}\n");
}

TEST(Comments, BehindTheStatement) {
  EXPECT_EQ(
      rewritten("{\n  int a[4] = {0}; // empty\n  f();\n}\n", {{"a", {4}}}),
      "{\n"
      "  __shared__ int a_stripes[::bankstripe::warps(128)][4][32]; // empty\n"
      "  auto a = ::bankstripe::column(a_stripes);\n"
      "  ::bankstripe::clear(a_stripes);\n"
      "  f();\n"
      "}\n");
  EXPECT_EQ(rewritten("{\n  int a[4] = {0}; /* empty */  \n  f();\n}\n",
                      {{"a", {4}}}),
            "{\n"
            "  __shared__ int a_stripes[::bankstripe::warps(128)][4][32]; /* "
            "empty */\n"
            "  auto a = ::bankstripe::column(a_stripes);\n"
            "  ::bankstripe::clear(a_stripes);  \n"
            "  f();\n"
            "}\n");
}

TEST(Comments, ThatGoOnBehindTheStatement) {
  EXPECT_EQ(rewritten("{\n  int a[4] = {0}; /* not\n  over */ f();\n}\n",
                      {{"a", {4}}}),
            "{\n"
            "  __shared__ int a_stripes[::bankstripe::warps(128)][4][32]; auto "
            "a = ::bankstripe::column(a_stripes);\n"
            "  ::bankstripe::clear(a_stripes); /* not\n"
            "  over */ f();\n"
            "}\n");
  EXPECT_EQ(rewritten("{\n  int a[4] = {0}; // not \\\n  over\n  f();\n}\n",
                      {{"a", {4}}}),
            "{\n"
            "  __shared__ int a_stripes[::bankstripe::warps(128)][4][32]; auto "
            "a = ::bankstripe::column(a_stripes);\n"
            "  ::bankstripe::clear(a_stripes); // not \\\n"
            "  over\n"
            "  f();\n"
            "}\n");
}

// Initialisers become statements.

TEST(Initialiser, OfZeros) {
  EXPECT_EQ(rewritten("{\n  int a[4] = {};\n}\n", {{"a", {4}}}),
            "{\n"
            "  __shared__ int a_stripes[::bankstripe::warps(128)][4][32];\n"
            "  auto a = ::bankstripe::column(a_stripes);\n"
            "  ::bankstripe::clear(a_stripes);\n"
            "}\n");
  EXPECT_EQ(rewritten("{\n  int a[4]{};\n}\n", {{"a", {4}}}),
            "{\n"
            "  __shared__ int a_stripes[::bankstripe::warps(128)][4][32];\n"
            "  auto a = ::bankstripe::column(a_stripes);\n"
            "  ::bankstripe::clear(a_stripes);\n"
            "}\n");
}

TEST(Initialiser, OfValues) {
  EXPECT_EQ(rewritten("{\n  int a[4] = {1, 2};\n}\n", {{"a", {4}}}),
            "{\n"
            "  __shared__ int a_stripes[::bankstripe::warps(128)][4][32];\n"
            "  auto a = ::bankstripe::column(a_stripes);\n"
            "  ::bankstripe::initialize<4>(a_stripes, {1, 2});\n"
            "}\n");
}

TEST(Initialiser, OfRows) {
  EXPECT_EQ(
      rewritten("{\n  int t[2][2] = {{1, 2}, {3, 4}};\n}\n", {{"t", {2, 2}}}),
      "{\n"
      "  __shared__ int t_stripes[::bankstripe::warps(128)][2][2][32];\n"
      "  auto t = ::bankstripe::begin(t_stripes);\n"
      "  ::bankstripe::initialize<2, 2>(t_stripes, {{1, 2}, {3, 4}});\n"
      "}\n");
}

TEST(Initialiser, ExtentThatIsMoreThanAName) {
  EXPECT_EQ(rewritten("{\n  int a[N > 2 ? N : 2] = {1};\n}\n", {{"a", {4}}}),
            "{\n"
            "  __shared__ int a_stripes[::bankstripe::warps(128)][N > 2 ? N : "
            "2][32];\n"
            "  auto a = ::bankstripe::column(a_stripes);\n"
            "  ::bankstripe::initialize<(N > 2 ? N : 2)>(a_stripes, {1});\n"
            "}\n");
}

TEST(Initialiser, ReadsAnArrayThatMoves) {
  EXPECT_EQ(rewritten("{\n  int a[2];\n  int b[2] = {a[i], a[a[j]]};\n}\n",
                      {{"a", {2}}, {"b", {2}}}),
            "{\n"
            "  __shared__ int a_stripes[::bankstripe::warps(128)][2][32];\n"
            "  auto a = ::bankstripe::column(a_stripes);\n"
            "  __shared__ int b_stripes[::bankstripe::warps(128)][2][32];\n"
            "  auto b = ::bankstripe::column(b_stripes);\n"
            "  ::bankstripe::initialize<2>(b_stripes, {a[i], a[a[j]]});\n"
            "}\n");
}

TEST(Initialiser, OfAnArrayThatStaysReadsOneThatMoves) {
  EXPECT_EQ(
      rewritten("{\n  int a[2];\n  int b[2] = {a[i], 0};\n}\n", {{"a", {2}}}),
      "{\n"
      "  __shared__ int a_stripes[::bankstripe::warps(128)][2][32];\n"
      "  auto a = ::bankstripe::column(a_stripes);\n"
      "  int b[2] = {a[i], 0};\n"
      "}\n");
}

TEST(Initialiser, OverSeveralLines) {
  EXPECT_EQ(rewritten("{\n  int a[4] = {\n      1, // one\n      2,\n  };\n}\n",
                      {{"a", {4}}}),
            "{\n"
            "  __shared__ int a_stripes[::bankstripe::warps(128)][4][32];\n"
            "  auto a = ::bankstripe::column(a_stripes);\n"
            "  ::bankstripe::initialize<4>(a_stripes, {\n"
            "      1, // one\n"
            "      2,\n"
            "  });\n"
            "}\n");
}

TEST(Initialiser, BetweenStatementsOnOneLine) {
  EXPECT_EQ(rewritten("{ int a[4] = {0}; a[i] = 1; }\n", {{"a", {4}}}),
            "{ __shared__ int a_stripes[::bankstripe::warps(128)][4][32]; auto "
            "a = ::bankstripe::column(a_stripes);\n"
            "::bankstripe::clear(a_stripes); a[i] = 1; }\n");
}

TEST(Initialiser, RunsWhereverTheScopeIsEntered) {
  EXPECT_EQ(rewritten("for (;;) {\n    int a[4] = {0};\n    a[i]++;\n}\n",
                      {{"a", {4}}}),
            "for (;;) {\n"
            "    __shared__ int a_stripes[::bankstripe::warps(128)][4][32];\n"
            "    auto a = ::bankstripe::column(a_stripes);\n"
            "    ::bankstripe::clear(a_stripes);\n"
            "    a[i]++;\n"
            "}\n");
}

// Elements of one and two bytes.

TEST(Forms, Packed) {
  EXPECT_EQ(
      rewritten("{ unsigned char a[N]; }", {{"a", {16}, StripeForm::Packed}}),
      "{ __shared__ ::bankstripe::packed<unsigned char> "
      "a_stripes[::bankstripe::warps(128)][::bankstripe::packed_words<unsigned "
      "char>(N)][32]; auto a = ::bankstripe::begin(a_stripes); }");
}

TEST(Forms, PackedRows) {
  EXPECT_EQ(
      rewritten("{ short t[3][5]; }", {{"t", {3, 5}, StripeForm::Packed}}),
      "{ __shared__ ::bankstripe::packed<short> "
      "t_stripes[::bankstripe::warps(128)][3][::bankstripe::packed_words<short>"
      "(5)][32]; auto t = ::bankstripe::begin(t_stripes); }");
}

TEST(Forms, PackedKeepsItsExtentInTheInitialisation) {
  EXPECT_EQ(
      rewritten("{\n  char a[6] = {1};\n}\n", {{"a", {6}, StripeForm::Packed}}),
      "{\n"
      "  __shared__ ::bankstripe::packed<char> "
      "a_stripes[::bankstripe::warps(128)][::bankstripe::packed_words<char>(6)]"
      "[32];\n"
      "  auto a = ::bankstripe::begin(a_stripes);\n"
      "  ::bankstripe::initialize<6>(a_stripes, {1});\n"
      "}\n");
}

TEST(Forms, DifferInOneStatement) {
  EXPECT_EQ(
      rewritten("{\n  char a[4], b[8], c;\n}\n",
                {{"a", {4}, StripeForm::Wide}, {"b", {8}, StripeForm::Packed}}),
      "{\n"
      "  __shared__ ::bankstripe::word<char> "
      "a_stripes[::bankstripe::warps(128)][4][32];\n"
      "  auto a = ::bankstripe::column(a_stripes);\n"
      "  __shared__ ::bankstripe::packed<char> "
      "b_stripes[::bankstripe::warps(128)][::bankstripe::packed_words<char>(8)]"
      "[32];\n"
      "  auto b = ::bankstripe::begin(b_stripes);\n"
      "  char c;\n"
      "}\n");
}

// White space.

TEST(Layout, CarriageReturns) {
  EXPECT_EQ(rewritten("{\r\n  int a[4] = {0}, x;\r\n}\r\n", {{"a", {4}}}),
            "{\r\n"
            "  __shared__ int a_stripes[::bankstripe::warps(128)][4][32];\r\n"
            "  auto a = ::bankstripe::column(a_stripes);\r\n"
            "  ::bankstripe::clear(a_stripes);\r\n"
            "  int x;\r\n"
            "}\r\n");
}

TEST(Layout, CarriageReturnsAndACommentBehindTheStatement) {
  EXPECT_EQ(
      rewritten("{\r\n  int a[4] = {0}; // c\r\n}\r\n", {{"a", {4}}}),
      "{\r\n"
      "  __shared__ int a_stripes[::bankstripe::warps(128)][4][32]; // c\r\n"
      "  auto a = ::bankstripe::column(a_stripes);\r\n"
      "  ::bankstripe::clear(a_stripes);\r\n"
      "}\r\n");
}

TEST(Layout, TabsIndentNewLines) {
  EXPECT_EQ(rewritten("{\n\t\tint a[4], x;\n}\n", {{"a", {4}}}),
            "{\n"
            "\t\t__shared__ int a_stripes[::bankstripe::warps(128)][4][32];\n"
            "\t\tauto a = ::bankstripe::column(a_stripes);\n"
            "\t\tint x;\n"
            "}\n");
}

TEST(Layout, FileWithoutNewlines) {
  EXPECT_EQ(rewritten("{ int x, a[4] = {0}; }", {{"a", {4}}}),
            "{ int x;\n"
            "__shared__ int a_stripes[::bankstripe::warps(128)][4][32]; auto a "
            "= ::bankstripe::column(a_stripes);\n"
            "::bankstripe::clear(a_stripes); }");
}

} // namespace
