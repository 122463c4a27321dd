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

TEST(Elements, EveryTypeShowsZero) {
  EXPECT_EQ(elementTypes().size(), 12u);
  for (const std::string &Type : elementTypes())
    EXPECT_EQ(elementText(Type, "\0\0\0\0\0\0\0"), "0") << Type;
}

TEST(Elements, ValuesOfHalfPrecision) {
  const auto Half = [](uint16_t Bits) {
    return elementText("f16", bytes<uint16_t>({Bits}).data());
  };
  EXPECT_EQ(Half(0x3c00), "1");
  EXPECT_EQ(Half(0xc100), "-2.5");
  EXPECT_EQ(Half(0x0001), "5.9605e-08");
  EXPECT_EQ(Half(0x7bff), "65504");
  EXPECT_EQ(Half(0xfc00), "-inf");
  EXPECT_EQ(Half(0x7e00), "nan");
  EXPECT_EQ(elementText("bf16", bytes<uint16_t>({0xc020}).data()), "-2.5");
}

TEST(Elements, TextTellsNeighboursApart) {
  const float Next = std::nextafter(1.0f, 2.0f);
  EXPECT_NE(elementText("f32", bytes<float>({1}).data()),
            elementText("f32", bytes<float>({Next}).data()));
  EXPECT_EQ(elementText("i8", "\xff"), "-1");
  EXPECT_EQ(elementText("u64", bytes<uint64_t>({~uint64_t{0}}).data()),
            "18446744073709551615");
}

TEST(Elements, DifferenceNamesTheElement) {
  const auto D = findByteDifference(bytes<double>({1, 2, 3}),
                                    bytes<double>({1, 2, 4}), 256, "f64");
  ASSERT_TRUE(D);
  ASSERT_EQ(D->Elements.size(), 1u);
  EXPECT_EQ(D->Elements[0].Type, "f64");
  EXPECT_EQ(D->Elements[0].Index, 34u);
  EXPECT_EQ(D->Elements[0].Original, "3");
  EXPECT_EQ(D->Elements[0].Rewritten, "4");
}
