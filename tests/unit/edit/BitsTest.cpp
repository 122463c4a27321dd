//===-- BitsTest.cpp - how arrays of bits look ----------------------------===//
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

Moving bits(const std::string &Name, std::vector<uint64_t> Extents,
            StripeForm Form = StripeForm::Bits) {
  return {Name, std::move(Extents), Form, VerdictKind::Bits};
}

// A plan for the bits `a[4]` of Code, to which pointers point.
Plan planWithPointers(StringRef Code) {
  Plan P = planFor(Code, {bits("a", {4})});
  P.Arrays[0].Array.Trail.emplace();
  return P;
}

TEST(Bits, AreDeclaredAndNothingElse) {
  EXPECT_EQ(rewritten("bool a[9];\na[i] = !a[j];\n", {bits("a", {9})}),
            "::bankstripe::bits<9> a;\na[i] = !a[j];\n");
  EXPECT_EQ(rewritten("bool a[2][3];\na[i][j] |= x;\n", {bits("a", {2, 3})}),
            "::bankstripe::bits<2, 3> a;\na[i][j] |= x;\n");
}

TEST(Bits, KeepTheTextOfExtents) {
  EXPECT_EQ(rewritten("bool a[N > 2];\n", {bits("a", {1})}),
            "::bankstripe::bits<(N > 2)> a;\n");
}

TEST(Bits, AreInitialised) {
  EXPECT_EQ(rewritten("bool a[9] = {0};\n", {bits("a", {9})}),
            "::bankstripe::bits<9> a = {};\n");
  EXPECT_EQ(rewritten("bool a[2] = {x, y < 3};\n", {bits("a", {2})}),
            "::bankstripe::bits<2> a({x, y < 3});\n");
  EXPECT_EQ(rewritten("bool a[2]{x};\n", {bits("a", {2})}),
            "::bankstripe::bits<2> a({x});\n");
}

TEST(Bits, ShareTheirStatementWithOthers) {
  EXPECT_EQ(rewritten("bool a[9], done = false, b[40] = {};\n",
                      {bits("a", {9}), bits("b", {40}, StripeForm::LongBits)}),
            "::bankstripe::bits<9> a;\nbool done = false;\n"
            "::bankstripe::bits<40> b = {};\n");
}

TEST(Bits, OfWhichPointersPointToSomeHaveTwoNames) {
  EXPECT_EQ(carriedOut(planWithPointers("bool a[4] = {};\nclear(a);\n")),
            "#include \"bankstripe.cuh\"\n\n"
            "::bankstripe::bits<4> a_bits = {};\n"
            "auto a = ::bankstripe::begin(a_bits);\nclear(a);\n");
}

TEST(Bits, ThatMemsetClearsHaveOneName) {
  Plan P = planWithPointers("bool a[4];\nmemset(a, 0, sizeof(a));\n");
  P.Arrays[0].Array.Obstacles = {{Reason::PassedToFunction, {}, "memset"}};
  EXPECT_EQ(carriedOut(P), "#include \"bankstripe.cuh\"\n\n"
                           "::bankstripe::bits<4> a;\n"
                           "memset(a, 0, sizeof(a));\n");
}

TEST(Bits, HavePointers) {
  StringRef Code = "bool a[4];\nbool *p = a;\n";
  Plan P = planWithPointers(Code);
  P.Arrays[0].Array.Trail->Locals = {
      pointers(Code, "bool ", {"*p"}, {"bool", false, false})};
  EXPECT_EQ(carriedOut(P), "#include \"bankstripe.cuh\"\n\n"
                           "::bankstripe::bits<4> a_bits;\n"
                           "auto a = ::bankstripe::begin(a_bits);\n"
                           "::bankstripe::pointer<::bankstripe::bit> p = a;\n");
}

// For the host too, unlike shared memory.
TEST(Bits, HaveOverloadsWithAllSpecifiers) {
  constexpr StringRef Put = "__host__ __device__ void put(bool *p) { *p = 1; }";
  const std::string Code = Put.str() + "\nbool a[4];\nput(a);\n";
  Plan P = planWithPointers(Code);
  addPut(P, Put, "bool *p", {"bool", false, false}, "put(a)");
  EXPECT_NE(
      carriedOut(P).find(
          "// The same for arrays of bits.\n"
          "__host__ __device__ void "
          "put(::bankstripe::pointer<::bankstripe::bit> p) { *p = 1; }\n"),
      std::string::npos)
      << carriedOut(P);
}

// A compiler that knows no CUDA may read the file.
TEST(Bits, StandBesideTheArrayInHeaders) {
  Plan P = planFor("{\n  bool a[4] = {};\n  a[i] = 1;\n}\n", {bits("a", {4})});
  P.Arrays[0].Verdict.Storage.DeviceOnly = true;
  EXPECT_EQ(carriedOut(P), "#include \"bankstripe.cuh\"\n\n"
                           "{\n"
                           "#ifdef __CUDA_ARCH__\n"
                           "  ::bankstripe::bits<4> a = {};\n"
                           "#else\n"
                           "  bool a[4] = {};\n"
                           "#endif\n"
                           "  a[i] = 1;\n}\n");
}

} // namespace
