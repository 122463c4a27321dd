//===-- UnitFactsTest.cpp - what one translation unit shows ---------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/UnitFacts.h"
#include "gtest/gtest.h"

using namespace bankstripe;

namespace {

Kernel kernel(const char *Name) {
  Kernel K;
  K.Name = Name;
  K.Where = {"/a.cu", 3, 1};
  return K;
}

TEST(UnseenUse, IsOfKernelsWithOneNameOrTheOther) {
  EXPECT_TRUE((UnseenUse{"k", Naming::Last}.isOf("_Z1k", "k")));
  EXPECT_TRUE((UnseenUse{"_Z1k", Naming::Mangled}.isOf("_Z1k", "k")));
  EXPECT_FALSE((UnseenUse{"k", Naming::Mangled}.isOf("_Z1k", "k")));
  EXPECT_FALSE((UnseenUse{"_Z1k", Naming::LastAny}.isOf("_Z1k", "k")));
}

TEST(UnseenUse, IsAtTheKernelWhereNoPlaceIsKnown) {
  Kernel K = kernel("k");
  UnseenUse{"k", Naming::Last, Place(), "who knows"}.addTo(K);
  EXPECT_TRUE(K.AddressTaken);
  EXPECT_EQ(K.AddressTakenAt, K.Where);
  EXPECT_EQ(K.WhyUnseen, "who knows");
}

TEST(UnseenUse, OfAttributesIsNoLaunch) {
  Kernel K = kernel("k");
  UnseenUse{"k", Naming::Last, {"/b.cu", 9, 1}, "", /*SetsAttributes=*/true}
      .addTo(K);
  EXPECT_FALSE(K.AddressTaken);
  EXPECT_EQ(K.AttributeSetAt.Line, 9u);
}

} // namespace
