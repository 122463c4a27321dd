//===-- SarifPlacesTest.cpp - files, lines and columns --------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/SarifPlaces.h"
#include "gtest/gtest.h"

using namespace bankstripe;
using llvm::StringRef;

namespace {

/// Start line and column, end line and column; 0 for what is not said.
using Corners = std::array<int64_t, 4>;

Corners corners(const llvm::json::Object &Region) {
  Corners Result;
  unsigned I = 0;
  for (StringRef Name : {"startLine", "startColumn", "endLine", "endColumn"})
    Result[I++] = Region.getInteger(Name).value_or(0);
  return Result;
}

Corners region(StringRef Text, unsigned Offset, unsigned End) {
  return corners(LineTable(Text).region(Offset, End));
}

Corners nameAt(StringRef Text, unsigned Line, unsigned Column) {
  return corners(LineTable(Text).region(Place{"/a.cu", Line, Column}));
}

TEST(Region, WithinALine) {
  EXPECT_EQ(region("abcd\nefg\n", 1, 3), (Corners{1, 2, 1, 4}));
  EXPECT_EQ(region("abcd\nefg\n", 5, 8), (Corners{2, 1, 2, 4}));
}

TEST(Region, OverLines) {
  EXPECT_EQ(region("abcd\nefg\nhi\n", 2, 10), (Corners{1, 3, 3, 2}));
}

TEST(Region, Insertion) {
  EXPECT_EQ(region("abcd\nefg\n", 5, 5), (Corners{2, 1, 2, 1}));
  EXPECT_EQ(region("", 0, 0), (Corners{1, 1, 1, 1}));
}

// The standard says so in section 3.30.2, example 8.
TEST(Region, EndOfTheFileIsTheEndOfItsLastLine) {
  EXPECT_EQ(region("a\r\nlmn\r\n", 8, 8), (Corners{2, 6, 2, 6}));
  EXPECT_EQ(region("a\nlmn", 5, 5), (Corners{2, 4, 2, 4}));
}

TEST(Region, AllLineEndings) {
  EXPECT_EQ(region("a\r\nb", 3, 4), (Corners{2, 1, 2, 2}));
  EXPECT_EQ(region("a\rb", 2, 3), (Corners{2, 1, 2, 2}));
  EXPECT_EQ(region("a\n\rb", 3, 4), (Corners{3, 1, 3, 2}));
}

TEST(Region, ColumnsAreCodeUnits) {
  // Two bytes and one unit, three and one, four and two.
  EXPECT_EQ(region("\u00fcab", 2, 3), (Corners{1, 2, 1, 3}));
  EXPECT_EQ(region("\u20acab", 3, 4), (Corners{1, 2, 1, 3}));
  EXPECT_EQ(region("\U0001F600ab", 4, 5), (Corners{1, 3, 1, 4}));
}

TEST(Region, BytesThatAreNoUtf8AreOneUnitEach) {
  EXPECT_EQ(region("\xFC\xE9 a", 3, 4), (Corners{1, 4, 1, 5}));
  // Cut off in the middle.
  EXPECT_EQ(region("\xF0\x9F", 2, 2), (Corners{1, 3, 1, 3}));
}

TEST(Region, ByteOrderMarkHasNoColumn) {
  EXPECT_EQ(region("\xEF\xBB\xBF"
                   "ab\ncd",
                   4, 5),
            (Corners{1, 2, 1, 3}));
  EXPECT_EQ(region("\xEF\xBB\xBF"
                   "ab\ncd",
                   6, 7),
            (Corners{2, 1, 2, 2}));
}

TEST(Region, OfAName) {
  EXPECT_EQ(nameAt("int a_1[4];\n", 1, 5), (Corners{1, 5, 1, 8}));
  EXPECT_EQ(nameAt("/*\u00fc*/ int a[4];\n", 1, 12), (Corners{1, 11, 1, 12}));
}

TEST(Region, OfWhatIsNoName) {
  EXPECT_EQ(nameAt("f<<<1, 2>>>();\n", 1, 2), (Corners{1, 2, 1, 3}));
}

TEST(Region, OfAPlaceThatTheTextHasNot) {
  EXPECT_EQ(nameAt("ab\ncd\n", 9, 1), (Corners{9, 0, 0, 0}));
  EXPECT_EQ(nameAt("ab\ncd\n", 1, 9), (Corners{1, 0, 0, 0}));
  EXPECT_EQ(nameAt("", 1, 1), (Corners{1, 0, 0, 0}));
}

std::string uri(StringRef File, StringRef Root) {
  return SarifFiles({}, Root).uri(File);
}

TEST(Uri, IsRelativeBelowTheRoot) {
  EXPECT_EQ(uri("/src/sub/a.cu", "/src"), "sub/a.cu");
  EXPECT_EQ(uri("/src/sub/a.cu", "/"), "src/sub/a.cu");
  EXPECT_EQ(uri("/src-2/a.cu", "/src"), "file:///src-2/a.cu");
  EXPECT_EQ(uri("/other/a.cu", "/src"), "file:///other/a.cu");
}

TEST(Uri, IsPercentEncoded) {
  EXPECT_EQ(uri("/src/a b:c#d%\xFC.cu", "/src"), "a%20b%3Ac%23d%25%FC.cu");
}

} // namespace
