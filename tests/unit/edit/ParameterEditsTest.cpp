//===-- ParameterEditsTest.cpp - parameters that move to slots ------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Planned.h"
#include "gtest/gtest.h"

using namespace bankstripe;
using namespace bankstripe::testing;

namespace {

TEST(Parameter, IsCopiedUnderItsName) {
  EXPECT_EQ(
      rewritten("void k(Setup s, int i) {\n  s.a[i] = 1;\n}\n",
                {parameter("s")}),
      "void k(Setup s_value, int i) {\n"
      "  __shared__ ::bankstripe::slots<Setup, 128> s_slots;\n"
      "  Setup &s = *::new (::bankstripe::place(s_slots)) Setup(s_value);\n"
      "  s.a[i] = 1;\n}\n");
}

TEST(Parameter, ThatIsOnlyReadIsNotCopied) {
  Moving M = parameter("s");
  M.Kind = VerdictKind::Constant;
  EXPECT_EQ(rewritten("void k(int i, Setup s) { f(s.a[i]); }\n", {M}),
            "void k(int i, const __grid_constant__ Setup s) { f(s.a[i]); }\n");
}

TEST(Parameter, OfAFunctionInOneLine) {
  EXPECT_EQ(rewritten("int f(Setup s, int i) { return s.a[i]; }\n",
                      {inFunction(parameter("s"))}),
            "int f(Setup s_value, int i) {"
            " __shared__ ::bankstripe::slots<Setup, 128> s_slots;\n"
            "::bankstripe::require_block_of_at_most<128>();\n"
            "Setup &s = *::new (::bankstripe::place(s_slots)) Setup(s_value);"
            " return s.a[i]; }\n");
}

} // namespace
