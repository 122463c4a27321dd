//===-- ToleranceTest.cpp - elements, and how far they lie apart -----===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "verify/Elements.h"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>

using namespace bankstripe::runtime;

template <class T> static std::string bytes(const std::vector<T> &Values) {
  std::string Text(Values.size() * sizeof(T), '\0');
  std::memcpy(Text.data(), Values.data(), Text.size());
  return Text;
}

TEST(Elements, EveryTypeIsReadByItsName) {
  const std::string Names = elementTypeNames() + ", ";
  unsigned Count = 0;
  for (size_t At = 0; At < Names.size(); ++Count) {
    const size_t End = Names.find(", ", At);
    const auto Type = parseElementType(Names.substr(At, End - At));
    ASSERT_TRUE(Type);
    EXPECT_EQ(Names.substr(At, End - At), elementName(*Type));
    At = End + 2;
  }
  EXPECT_EQ(Count, 12u);
  EXPECT_FALSE(parseElementType("float"));
}

TEST(Elements, ValuesOfHalfPrecision) {
  const auto Half = [](uint16_t Bits) {
    return elementValue(ElementType::F16, bytes<uint16_t>({Bits}).data());
  };
  EXPECT_EQ(Half(0x3c00), 1);
  EXPECT_EQ(Half(0xc100), -2.5);
  EXPECT_EQ(Half(0x0001), std::ldexp(1, -24));
  EXPECT_EQ(Half(0x7bff), 65504);
  EXPECT_TRUE(std::isinf(Half(0xfc00)));
  EXPECT_TRUE(std::isnan(Half(0x7e00)));
  EXPECT_EQ(elementValue(ElementType::BF16, bytes<uint16_t>({0xc020}).data()),
            -2.5);
}

TEST(Elements, TextTellsNeighboursApart) {
  const float Next = std::nextafter(1.0f, 2.0f);
  EXPECT_NE(elementText(ElementType::F32, bytes<float>({1}).data()),
            elementText(ElementType::F32, bytes<float>({Next}).data()));
  EXPECT_EQ(elementText(ElementType::I8, "\xff"), "-1");
  EXPECT_EQ(
      elementText(ElementType::U64, bytes<uint64_t>({~uint64_t{0}}).data()),
      "18446744073709551615");
}

TEST(Elements, DifferenceNamesTheElement) {
  const auto D =
      findByteDifference(bytes<double>({1, 2, 3}), bytes<double>({1, 2, 4}),
                         256, ElementType::F64);
  ASSERT_TRUE(D);
  EXPECT_EQ(D->ElementType, "f64");
  EXPECT_EQ(D->Index, 34u);
  EXPECT_EQ(D->OriginalValue, "3");
  EXPECT_EQ(D->RewrittenValue, "4");
  EXPECT_EQ(D->LongOffset, 272u);
}

TEST(Tolerance, IsATypeAndAValue) {
  const auto T = parseTolerance("bf16:1e-2");
  ASSERT_TRUE(T);
  EXPECT_EQ(T->Type, ElementType::BF16);
  EXPECT_EQ(T->Relative, 0.01);
  for (const char *Bad : {"", "f32", "f32:", "i32:1", "f32:-1", "f32:x",
                          "f32:1x", "f32:inf", "f32:nan"})
    EXPECT_FALSE(parseTolerance(Bad)) << Bad;
}

static ToleranceResult within(double Relative, const std::vector<float> &A,
                              const std::vector<float> &B) {
  return compareWithin({ElementType::F32, Relative}, bytes(A), bytes(B));
}

TEST(Tolerance, LargestDifferenceIsNamed) {
  const ToleranceResult R = within(0.01, {1, 100, 5, -8}, {1, 101, 6, -8});
  EXPECT_EQ(R.Elements, 4u);
  EXPECT_EQ(R.Differing, 2u);
  EXPECT_EQ(R.Beyond, 1u);
  EXPECT_EQ(R.Index, 2u);
  EXPECT_NEAR(R.Largest, 1.0 / 6, 1e-9);
  EXPECT_EQ(R.Original, "5");
  EXPECT_EQ(R.Rewritten, "6");
}

TEST(Tolerance, SpecialValues) {
  constexpr float Infinity = std::numeric_limits<float>::infinity();
  constexpr float NaN = std::numeric_limits<float>::quiet_NaN();
  constexpr float Largest = std::numeric_limits<float>::max();
  constexpr float Smallest = std::numeric_limits<float>::denorm_min();
  EXPECT_EQ(within(0.1, {0.0f, NaN, Infinity}, {-0.0f, -NaN, Infinity}).Beyond,
            0u);
  EXPECT_EQ(within(1.9, {Infinity, 1, NaN}, {-Infinity, NaN, 1}).Beyond, 3u);
  EXPECT_EQ(within(1.9, {Largest}, {-Largest}).Beyond, 1u);
  EXPECT_EQ(within(2, {Largest}, {-Largest}).Beyond, 0u);
  EXPECT_EQ(within(0.9, {Smallest}, {0}).Beyond, 1u);
}

TEST(Tolerance, RestOfTheBytesHasToBeTheSame) {
  const Tolerance T{ElementType::F32, 1};
  EXPECT_EQ(compareWithin(T, "abcdef", "abcdef").Beyond, 0u);
  EXPECT_EQ(compareWithin(T, "abcdef", "abcdeg").Beyond, 1u);
  EXPECT_EQ(compareWithin(T, "abcd", "abcdefgh").Beyond, 1u);
}
