//===-- SlotTest.cpp - slots, static tables, functions for the host -------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a declaration becomes when the array moves whole, so that its uses stay
// as they are.
//
//===----------------------------------------------------------------------===//

#include "Planned.h"
#include "gtest/gtest.h"

using namespace bankstripe;
using namespace bankstripe::testing;

namespace {

// --- Arrays ----------------------------------------------------------------

TEST(Slot, OfAnArray) {
  EXPECT_EQ(rewritten("{\n  int a[4];\n}\n", {slot("a", {4})}),
            "{\n  __shared__ ::bankstripe::slots<int[4], 128> a_slots;\n"
            "  int (&a)[4] = a_slots.mine();\n}\n");
}

TEST(Slot, UsesStayAsTheyAre) {
  EXPECT_EQ(
      rewritten("{\n  int a[4];\n  a[i] = 1;\n  f(a);\n}\n", {slot("a", {4})}),
      "{\n  __shared__ ::bankstripe::slots<int[4], 128> a_slots;\n"
      "  int (&a)[4] = a_slots.mine();\n  a[i] = 1;\n  f(a);\n}\n");
}

TEST(Slot, OfAnAliasThatHidesExtents) {
  EXPECT_EQ(rewritten("{\n  Row a;\n}\n", {slot("a")}),
            "{\n  __shared__ ::bankstripe::slots<Row, 128> a_slots;\n"
            "  Row &a = a_slots.mine();\n}\n");
  EXPECT_EQ(rewritten("{\n  Row a[2];\n}\n", {slot("a", {2, 8})}),
            "{\n  __shared__ ::bankstripe::slots<Row[2], 128> a_slots;\n"
            "  Row (&a)[2] = a_slots.mine();\n}\n");
}

TEST(Slot, ExtentFromTheInitialiser) {
  EXPECT_EQ(rewritten("{\n  int a[] = {1, 2, 3};\n}\n", {slot("a", {3})}),
            "{\n  __shared__ ::bankstripe::slots<int[3], 128> a_slots;\n"
            "  int (&a)[3] = a_slots.mine();\n"
            "  ::bankstripe::initialize_slot(a, {1, 2, 3});\n}\n");
}

TEST(Slot, OfZeros) {
  EXPECT_EQ(rewritten("{\n  int a[4] = {0};\n}\n", {slot("a", {4})}),
            "{\n  __shared__ ::bankstripe::slots<int[4], 128> a_slots;\n"
            "  int (&a)[4] = a_slots.mine();\n"
            "  ::bankstripe::clear_slot(a);\n}\n");
}

TEST(Slot, InitialiserReadsAStripe) {
  EXPECT_EQ(rewritten("{\n  int a[2];\n  int b[2] = {a[i]};\n}\n",
                      {{"a", {2}}, slot("b", {2})}),
            "{\n"
            "  __shared__ int a_stripes[::bankstripe::warps(128)][2][32];\n"
            "  auto a = ::bankstripe::column(a_stripes);\n"
            "  __shared__ ::bankstripe::slots<int[2], 128> b_slots;\n"
            "  int (&b)[2] = b_slots.mine();\n"
            "  ::bankstripe::initialize_slot(b, {a[i]});\n"
            "}\n");
}

TEST(Slot, BoundIsWrittenAsInTheKernelsBounds) {
  Plan P = planFor("int a[4];\n", {slot("a", {4})});
  P.Arrays[0].Verdict.Storage.ThreadsText = "THREADS";
  EXPECT_EQ(carriedOut(P),
            "#include \"bankstripe.cuh\"\n\n"
            "__shared__ ::bankstripe::slots<int[4], THREADS> a_slots;\n"
            "int (&a)[4] = a_slots.mine();\n");
  // A `>` would end the template argument.
  P.Arrays[0].Verdict.Storage.ThreadsText = "N > 64 ? N : 64";
  EXPECT_EQ(
      carriedOut(P),
      "#include \"bankstripe.cuh\"\n\n"
      "__shared__ ::bankstripe::slots<int[4], (N > 64 ? N : 64)> a_slots;\n"
      "int (&a)[4] = a_slots.mine();\n");
}

TEST(Slot, IsAlignedAsCastsClaim) {
  Plan P = planFor("float a[4];\n", {slot("a", {4})});
  P.Arrays[0].Array.Instances[0].Alignment = 4;
  P.Arrays[0].Array.Instances[0].SlotAlignment = 16;
  EXPECT_EQ(carriedOut(P),
            "#include \"bankstripe.cuh\"\n\n"
            "__shared__ ::bankstripe::slots<float[4], 128, 16> a_slots;\n"
            "float (&a)[4] = a_slots.mine();\n");
  P.Arrays[0].Array.Instances[0].SlotAlignment = 4;
  EXPECT_EQ(carriedOut(P), "#include \"bankstripe.cuh\"\n\n"
                           "__shared__ ::bankstripe::slots<float[4], 128> "
                           "a_slots;\n"
                           "float (&a)[4] = a_slots.mine();\n");
}

TEST(Slot, StorageHasANameThatTheFileHasNot) {
  Plan P = planFor("int a[4], a_slots;\n", {slot("a", {4})});
  P.Arrays[0].Array.StorageSuffix = "_2";
  EXPECT_EQ(carriedOut(P), "#include \"bankstripe.cuh\"\n\n"
                           "__shared__ ::bankstripe::slots<int[4], 128> "
                           "a_slots_2;\n"
                           "int (&a)[4] = a_slots_2.mine();\n"
                           "int a_slots;\n");
}

// --- Objects ---------------------------------------------------------------

TEST(SlotOfAnObject, WithoutAConstructor) {
  EXPECT_EQ(rewritten("{\n  Stack s;\n}\n", {slot("s")}),
            "{\n  __shared__ ::bankstripe::slots<Stack, 128> s_slots;\n"
            "  Stack &s = s_slots.mine();\n}\n");
}

TEST(SlotOfAnObject, IsMadeByItsDefaultConstructor) {
  EXPECT_EQ(rewritten("{\n  Stack s;\n}\n", {constructed("s")}),
            "{\n  __shared__ ::bankstripe::slots<Stack, 128> s_slots;\n"
            "  Stack &s = *::new (::bankstripe::place(s_slots)) Stack;\n}\n");
}

TEST(SlotOfAnObject, IsMadeFromArguments) {
  EXPECT_EQ(rewritten("{\n  Stack s(10, i);\n}\n", {constructed("s")}),
            "{\n  __shared__ ::bankstripe::slots<Stack, 128> s_slots;\n"
            "  Stack &s = *::new (::bankstripe::place(s_slots)) Stack(10, i);\n"
            "}\n");
}

TEST(SlotOfAnObject, IsMadeFromAList) {
  for (const char *Declaration : {"Stack s{10, i};", "Stack s = {10, i};"})
    EXPECT_EQ(rewritten("{\n  " + std::string(Declaration) + "\n}\n",
                        {constructed("s")}),
              "{\n  __shared__ ::bankstripe::slots<Stack, 128> s_slots;\n"
              "  Stack &s = *::new (::bankstripe::place(s_slots)) Stack{10, "
              "i};\n}\n");
}

TEST(SlotOfAnObject, IsMadeFromACopy) {
  EXPECT_EQ(
      rewritten("{\n  Stack s = empty(i);\n}\n", {constructed("s")}),
      "{\n  __shared__ ::bankstripe::slots<Stack, 128> s_slots;\n"
      "  Stack &s = *::new (::bankstripe::place(s_slots)) Stack(empty(i));\n"
      "}\n");
}

TEST(SlotOfAnObject, IsCopiedWithBracesWhereParenthesesMayBeAList) {
  for (const char *Declaration :
       {"Stack s = empty(i);\n", "Stack s(empty(i));\n"}) {
    Plan P = planFor(Declaration, {constructed("s")});
    P.Arrays[0].Array.BracesCopy = true;
    const std::string Result = carriedOut(P);
    EXPECT_TRUE(llvm::StringRef(Result).ends_with("Stack{empty(i)};\n"))
        << Result;
    P.Arrays[0].Array.ElementDependent = true;
    EXPECT_EQ(carriedOut(P).find('}'), std::string::npos);
  }
  Plan P = planFor("struct Stack s = empty(i);\n", {constructed("s")});
  P.Arrays[0].Array.BracesCopy = true;
  EXPECT_EQ(carriedOut(P).find('}'), std::string::npos);
}

TEST(SlotOfAnObject, IsMadeFromAnElementOfAStripe) {
  EXPECT_EQ(rewritten("{\n  int a[2];\n  Stack s(a[i]);\n}\n",
                      {{"a", {2}}, constructed("s")}),
            "{\n"
            "  __shared__ int a_stripes[::bankstripe::warps(128)][2][32];\n"
            "  auto a = ::bankstripe::column(a_stripes);\n"
            "  __shared__ ::bankstripe::slots<Stack, 128> s_slots;\n"
            "  Stack &s = *::new (::bankstripe::place(s_slots)) Stack(a[i]);\n"
            "}\n");
}

TEST(SlotOfObjects, AreMadeOneByOne) {
  EXPECT_EQ(rewritten("{\n  Stack s[3];\n}\n", {constructed("s", {3})}),
            "{\n  __shared__ ::bankstripe::slots<Stack[3], 128> s_slots;\n"
            "  ::new (::bankstripe::place(s_slots)) Stack[3];\n"
            "  Stack (&s)[3] = s_slots.mine();\n}\n");
}

// --- Several declarators ---------------------------------------------------

TEST(SlotAmongDeclarators, LastWithAStar) {
  EXPECT_EQ(rewritten("{\n  int x, *a[4];\n}\n", {slot("a", {4})}),
            "{\n  int x;\n"
            "  __shared__ ::bankstripe::slots<int *[4], 128> a_slots;\n"
            "  int *(&a)[4] = a_slots.mine();\n}\n");
}

TEST(SlotAmongDeclarators, ObjectsOfOneClass) {
  EXPECT_EQ(
      rewritten("{\n  Stack s, *p = 0, t(2);\n}\n",
                {constructed("s"), constructed("t")}),
      "{\n  __shared__ ::bankstripe::slots<Stack, 128> s_slots;\n"
      "  Stack &s = *::new (::bankstripe::place(s_slots)) Stack;\n"
      "  Stack *p = 0;\n"
      "  __shared__ ::bankstripe::slots<Stack, 128> t_slots;\n"
      "  Stack &t = *::new (::bankstripe::place(t_slots)) Stack(2);\n}\n");
}

TEST(SlotAmongDeclarators, WithStripesAndTables) {
  EXPECT_EQ(rewritten("{\n  int a[4] = {0}, n = 1, b[2] = {n}, c[2] = {7, 8}, "
                      "*p = a;\n}\n",
                      {slot("a", {4}), {"b", {2}}, table("c", {2})}),
            "{\n"
            "  __shared__ ::bankstripe::slots<int[4], 128> a_slots;\n"
            "  int (&a)[4] = a_slots.mine();\n"
            "  ::bankstripe::clear_slot(a);\n"
            "  int n = 1;\n"
            "  __shared__ int b_stripes[::bankstripe::warps(128)][2][32];\n"
            "  auto b = ::bankstripe::column(b_stripes);\n"
            "  ::bankstripe::initialize<2>(b_stripes, {n});\n"
            "  static const int c[2] = {7, 8};\n"
            "  int *p = a;\n"
            "}\n");
}

TEST(SlotAmongDeclarators, KeepsComments) {
  EXPECT_EQ(rewritten("{\n  int a[4], // four\n      x; // one\n}\n",
                      {slot("a", {4})}),
            "{\n  __shared__ ::bankstripe::slots<int[4], 128> a_slots;\n"
            "  int (&a)[4] = a_slots.mine(); // four\n"
            "  int x; // one\n}\n");
}

// --- Tables ----------------------------------------------------------------

TEST(Table, BecomesStatic) {
  EXPECT_EQ(
      rewritten("{\n  int a[2] = {7, 8};\n  x = a[i];\n}\n", {table("a", {2})}),
      "{\n  static const int a[2] = {7, 8};\n  x = a[i];\n}\n");
}

TEST(Table, IsConstOnce) {
  Moving Const = table("a", {2});
  Const.HasConst = true;
  EXPECT_EQ(rewritten("{\n  const int a[2] = {7, 8};\n}\n", {Const}),
            "{\n  static const int a[2] = {7, 8};\n}\n");
  EXPECT_EQ(rewritten("{\n  constexpr int a[2] = {7, 8};\n}\n", {Const}),
            "{\n  static constexpr int a[2] = {7, 8};\n}\n");
}

// The elements become const, not what they point to.
TEST(Table, OfPointers) {
  EXPECT_EQ(rewritten("{\n  const char *a[2] = {\"x\", \"y\"};\n}\n",
                      {table("a", {2})}),
            "{\n  static const char *const a[2] = {\"x\", \"y\"};\n}\n");
  EXPECT_EQ(rewritten("{\n  int *a[2] = {0}, *p;\n}\n", {table("a", {2})}),
            "{\n  static int *const a[2] = {0};\n  int *p;\n}\n");
}

TEST(Table, AloneNeedsNoHelper) {
  EXPECT_EQ(carriedOut(planFor("int a[2] = {7, 8};\n", {table("a", {2})})),
            "static const int a[2] = {7, 8};\n");
}

TEST(Table, BesideAStripeComesWithTheHelper) {
  EXPECT_EQ(rewritten("int a[2] = {7, 8};\nint b[4];\n",
                      {table("a", {2}), {"b", {4}}}),
            "static const int a[2] = {7, 8};\n"
            "__shared__ int b_stripes[::bankstripe::warps(128)][4][32];\n"
            "auto b = ::bankstripe::column(b_stripes);\n");
}

TEST(Table, ReadsAStripeInNoInitialiser) {
  EXPECT_EQ(rewritten("{\n  int b[4], a[2] = {7, 8}, x = b[a[i]];\n}\n",
                      {{"b", {4}}, table("a", {2})}),
            "{\n"
            "  __shared__ int b_stripes[::bankstripe::warps(128)][4][32];\n"
            "  auto b = ::bankstripe::column(b_stripes);\n"
            "  static const int a[2] = {7, 8};\n"
            "  int x = b[a[i]];\n"
            "}\n");
}

// --- Functions that several kernels call -----------------------------------

TEST(Guard, StandsBehindAStripe) {
  EXPECT_EQ(rewritten("{\n  int a[4];\n}\n", {inFunction({"a", {4}})}),
            "{\n"
            "  __shared__ int a_stripes[::bankstripe::warps(128)][4][32];\n"
            "  ::bankstripe::require_block_of_at_most<128>();\n"
            "  auto a = ::bankstripe::column(a_stripes);\n"
            "}\n");
}

TEST(Guard, StandsBeforeTheFirstAccess) {
  EXPECT_EQ(rewritten("{\n  int a[4] = {0};\n}\n", {inFunction({"a", {4}})}),
            "{\n"
            "  __shared__ int a_stripes[::bankstripe::warps(128)][4][32];\n"
            "  ::bankstripe::require_block_of_at_most<128>();\n"
            "  auto a = ::bankstripe::column(a_stripes);\n"
            "  ::bankstripe::clear(a_stripes);\n"
            "}\n");
  EXPECT_EQ(
      rewritten("{\n  Stack s(10);\n}\n", {inFunction(constructed("s"))}),
      "{\n  __shared__ ::bankstripe::slots<Stack, 128> s_slots;\n"
      "  ::bankstripe::require_block_of_at_most<128>();\n"
      "  Stack &s = *::new (::bankstripe::place(s_slots)) Stack(10);\n}\n");
}

TEST(Guard, IsNotNeededInKernels) {
  std::string Text =
      rewritten("{\n  int a[4], b[4];\n}\n", {{"a", {4}}, slot("b", {4})});
  EXPECT_EQ(Text.find("require_block"), std::string::npos);
}

TEST(Guard, IsNotNeededForTables) {
  EXPECT_EQ(
      rewritten("{\n  int a[1] = {7};\n}\n", {inFunction(table("a", {1}))}),
      "{\n  static const int a[1] = {7};\n}\n");
}

// --- Functions that are for the host as well --------------------------------

TEST(HostDevice, ATableIsTheSameForBoth) {
  EXPECT_EQ(
      rewritten("{\n  int a[1] = {7};\n}\n", {forTheHostToo(table("a", {1}))}),
      "{\n  static const int a[1] = {7};\n}\n");
}

} // namespace
