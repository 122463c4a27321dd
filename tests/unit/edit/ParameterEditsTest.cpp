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

TEST(Parameter, OfAFunctionInOneLine) {
  EXPECT_EQ(rewritten("int f(Setup s, int i) { return s.a[i]; }\n",
                      {inFunction(parameter("s"))}),
            "int f(Setup s_value, int i) {"
            " __shared__ ::bankstripe::slots<Setup, 128> s_slots;\n"
            "::bankstripe::require_block_of_at_most<128>();\n"
            "Setup &s = *::new (::bankstripe::place(s_slots)) Setup(s_value);"
            " return s.a[i]; }\n");
}

TEST(Parameter, KeepsItsNameOutsideOfVersions) {
  EXPECT_EQ(
      rewritten("void k(Setup s, Setup t) {\n  s.a[t.i] = 1;\n}\n",
                {inVersion(parameter("s")), inVersion(parameter("t"))}),
      "void k(Setup s, Setup t) {\n"
      "  if (::bankstripe::block_of_at_most<128>()) {\n"
      "    // As below, with arrays in shared memory.\n"
      "    auto &s_value = s;\n"
      "    __shared__ ::bankstripe::slots<Setup, 128> s_slots;\n"
      "    Setup &s = *::new (::bankstripe::place(s_slots)) Setup(s_value);\n"
      "    auto &t_value = t;\n"
      "    __shared__ ::bankstripe::slots<Setup, 128> t_slots;\n"
      "    Setup &t = *::new (::bankstripe::place(t_slots)) Setup(t_value);\n"
      "    s.a[t.i] = 1;\n"
      "    return;\n"
      "  }\n"
      "  s.a[t.i] = 1;\n}\n");
}

TEST(Parameter, StandsBeforeArraysOfTheFirstStatement) {
  EXPECT_EQ(
      rewritten("void k(Setup s) {\n  int a[2];\n  s.a[a[0]] = 1;\n}\n",
                {inVersion(parameter("s")), inVersion(slot("a", {2}))}),
      "void k(Setup s) {\n"
      "  if (::bankstripe::block_of_at_most<128>()) {\n"
      "    // As below, with arrays in shared memory.\n"
      "    auto &s_value = s;\n"
      "    __shared__ ::bankstripe::slots<Setup, 128> s_slots;\n"
      "    Setup &s = *::new (::bankstripe::place(s_slots)) Setup(s_value);\n"
      "    __shared__ ::bankstripe::slots<int[2], 128> a_slots;\n"
      "    int (&a)[2] = a_slots.mine();\n"
      "    s.a[a[0]] = 1;\n"
      "    return;\n"
      "  }\n"
      "  int a[2];\n  s.a[a[0]] = 1;\n}\n");
}

} // namespace
