//===-- LoopsTest.cpp - loops to unroll -----------------------------------===//
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

/// \p Code with every `for` unrolled for \p Arrays arrays.
std::string unrolled(StringRef Code, unsigned Arrays = 1) {
  Plan P;
  P.Contents[CodePath.str()] = Code.str();
  Verdict V;
  V.Kind = VerdictKind::Registers;
  V.Why = Reason::UnrolledLoop;
  for (size_t At = Code.find("for"); At != StringRef::npos;
       At = Code.find("for", At + 1)) {
    CountedLoop L;
    L.Insertion = {CodePath.str(), unsigned(At), 0};
    V.Unroll.push_back(L);
  }
  for (unsigned I = 0; I < Arrays; ++I) {
    PlannedArray &A = P.Arrays.emplace_back();
    A.Array.Where.File = CodePath.str();
    A.Verdict = V;
  }
  return carriedOut(P);
}

} // namespace

TEST(UnrolledLoops, GetALineAboveThem) {
  EXPECT_EQ(unrolled("{\n  for (;;)\n    f();\n}\n"),
            "{\n  #pragma unroll\n  for (;;)\n    f();\n}\n");
}

TEST(UnrolledLoops, BreakTheLineThatTheyStandIn) {
  EXPECT_EQ(
      unrolled("  for (;;) for (;;) f();\n"),
      "  #pragma unroll\n  for (;;)\n  #pragma unroll\n  for (;;) f();\n");
}

TEST(UnrolledLoops, KeepTheLineEndings) {
  EXPECT_EQ(unrolled("{\r\n  for (;;) f(); }\r\n"),
            "{\r\n  #pragma unroll\r\n  for (;;) f(); }\r\n");
}

TEST(UnrolledLoops, OfTwoArraysAreMarkedOnce) {
  EXPECT_EQ(unrolled("for (;;) f();\n", 2), "#pragma unroll\nfor (;;) f();\n");
}
