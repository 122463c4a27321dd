//===-- RoundTripTest.cpp - values come back as they were -----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "facts/Archive.h"
#include "facts/Facts.h"
#include "gtest/gtest.h"
#include <limits>

using namespace bankstripe;

namespace {

/// Gives every field a value of its own.
class Filler {
public:
  void fill(bool &V) { V = !V; }
  void fill(double &V) { V = ++Count + 0.1; }
  void fill(std::string &V) { V = "text " + std::to_string(++Count); }
  template <class T>
    requires std::is_integral_v<T>
  void fill(T &V) {
    V = std::numeric_limits<T>::max() - ++Count;
  }
  template <class T>
    requires std::is_enum_v<T>
  void fill(T &V) {
    V = static_cast<T>(1);
  }
  template <class A, class B> void fill(std::pair<A, B> &V) {
    fill(V.first);
    fill(V.second);
  }
  template <class T> void fill(std::optional<T> &V) { fill(V.emplace()); }
  void fill(std::vector<bool> &V) { V = {true, false}; }
  template <class T> void fill(std::vector<T> &V) {
    V.resize(2);
    for (T &Element : V)
      fill(Element);
  }
  template <class T> void fill(std::set<T> &V) {
    T Element{};
    fill(Element);
    V = {Element};
  }
  template <class K, class T> void fill(std::map<K, T> &V) {
    K Key{};
    fill(Key);
    fill(V[Key]);
  }
  template <HasFields T> void fill(T &V) {
    visitFields(V, [&](auto &...Field) {
      (fill(Field), ...);
      return true;
    });
  }

private:
  unsigned Count = 0;
};

} // namespace

static UnitReading reread(const UnitReading &Reading) {
  auto Back = fromBytes<UnitReading>(toBytes(Reading));
  EXPECT_TRUE(Back.has_value());
  return Back.value_or(UnitReading());
}

// What a unit has for facts after a round trip.
static UnitFacts reread(UnitFacts Facts) {
  UnitReading Reading;
  Reading.Unit = {std::move(Facts), {}, {}};
  return reread(Reading).Unit->Facts;
}

TEST(RoundTrip, EveryFieldComesBack) {
  UnitReading Reading;
  Filler().fill(Reading);
  EXPECT_EQ(toBytes(*fromBytes<UnitReading>(toBytes(Reading))),
            toBytes(Reading));
  EXPECT_NE(toBytes(Reading), toBytes(UnitReading()));
}

TEST(RoundTrip, ValuesAreThoseOfTheirFields) {
  UnitFacts Facts;
  Finding &F = Facts.Findings.emplace_back();
  F.Name = "a";
  F.Shape.Extents = {4, uint64_t(1) << 63};
  F.Text.Statement = {"/a.cu", 7, 9};
  F.Obstacles = {{Reason::SizeOfArray, {"/a.cu", 2, 3}, "sizeof"}};
  const Finding Back = reread(Facts).Findings.front();
  EXPECT_EQ(Back.Name, "a");
  EXPECT_EQ(Back.Shape.Extents, F.Shape.Extents);
  EXPECT_EQ(Back.Text.Statement, F.Text.Statement);
  EXPECT_FALSE(Back.Text.Values.isValid());
  EXPECT_EQ(Back.Obstacles.front().Why, Reason::SizeOfArray);
  EXPECT_EQ(Back.Obstacles.front().Where, F.Obstacles.front().Where);
}

TEST(RoundTrip, TextThatIsNotUtf8) {
  UnitFacts Facts;
  Facts.MainFile = "/gr\xFC\xDF"
                   "e.cu";
  EXPECT_EQ(reread(Facts).MainFile, Facts.MainFile);
}

TEST(RoundTrip, FiguresAreExact) {
  UnitReading Reading;
  KernelWork &Work = Reading.Unit.emplace().Evidence.Work["k"];
  Work.Instructions = 0.1 + 0.2;
  Work.Global = std::numeric_limits<double>::infinity();
  const KernelWork Back = reread(Reading).Unit->Evidence.Work["k"];
  EXPECT_EQ(Back.Instructions, Work.Instructions);
  EXPECT_EQ(Back.Global, Work.Global);
}

TEST(RoundTrip, WhatMayBeAbsentIsAbsentAgain) {
  UnitFacts Facts;
  Facts.Launches.resize(2);
  Facts.Launches.front().Threads = 0;
  const auto Back = reread(Facts).Launches;
  EXPECT_EQ(Back[0].Threads, 0u);
  EXPECT_EQ(Back[1].Threads, std::nullopt);
}

TEST(RoundTrip, BytesThatAreNotAllOfAValueAreNone) {
  UnitReading Reading;
  Filler().fill(Reading);
  const std::string Bytes = toBytes(Reading);
  for (size_t Size = 0; Size < Bytes.size(); ++Size)
    EXPECT_FALSE(fromBytes<UnitReading>(Bytes.substr(0, Size))) << Size;
  EXPECT_FALSE(fromBytes<UnitReading>(Bytes + "x"));
}
