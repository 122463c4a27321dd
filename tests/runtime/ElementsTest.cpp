//===-- ElementsTest.cpp - bytes of memory as elements --------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "verify/Elements.h"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace bankstripe::runtime;

template <class T> static std::string bytes(const std::vector<T> &Values) {
  std::string Text(Values.size() * sizeof(T), '\0');
  std::memcpy(Text.data(), Values.data(), Text.size());
  return Text;
}

TEST(Elements, TextTellsNeighboursApart) {
  const auto D = findByteDifference(
      bytes<float>({1}), bytes<float>({std::nextafter(1.0f, 2.0f)}), 0);
  ASSERT_TRUE(D);
  ASSERT_EQ(D->Elements.size(), 2u);
  EXPECT_EQ(D->Elements[1].Type, "f32");
  EXPECT_NE(D->Elements[1].Original, D->Elements[1].Rewritten);
}

TEST(Elements, DifferenceNamesTheElement) {
  const auto D = findByteDifference(bytes<double>({1, 2, 3}),
                                    bytes<double>({1, 2, 4}), 256);
  ASSERT_TRUE(D);
  ASSERT_EQ(D->Elements.size(), 4u);
  EXPECT_EQ(D->Elements[3].Type, "f64");
  EXPECT_EQ(D->Elements[3].Index, 34u);
  EXPECT_EQ(D->Elements[3].Original, "3");
  EXPECT_EQ(D->Elements[3].Rewritten, "4");
}
