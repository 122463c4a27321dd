//===-- DepfileTest.cpp - what make and ninja are told --------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "wrap/Shadow.h"
#include <gtest/gtest.h>

using namespace bankstripe;
using llvm::StringRef;

// `copy` becomes `a.cu`, `helper` goes.
static std::string renamed(StringRef Text,
                           llvm::ArrayRef<std::string> Extra = {}) {
  return renameDependencies(
      Text,
      [](StringRef Name) -> std::optional<std::string> {
        if (Name == "copy")
          return "a.cu";
        if (Name == "co py")
          return "a b$#.cu";
        if (Name == "helper")
          return "";
        return std::nullopt;
      },
      Extra);
}

TEST(Depfile, NamesAreReplaced) {
  EXPECT_EQ(renamed("a.o: copy b.h \\\n  c.h\n"), "a.o: a.cu b.h \\\n  c.h\n");
}

TEST(Depfile, NamesAreLeftOut) {
  EXPECT_EQ(renamed("a.o : b.h \\\n    helper \\\n    c.h\n"),
            "a.o : b.h \\\n    c.h\n");
}

TEST(Depfile, NamesThatAreThereAlreadyAreNotGivenTwice) {
  EXPECT_EQ(renamed("a.o: copy \\\n a.cu \\\n b.h\n"), "a.o: a.cu \\\n b.h\n");
}

TEST(Depfile, RulesWithoutDependenciesAreReplacedLikewise) {
  EXPECT_EQ(renamed("a.o: b.cu copy helper\ncopy:\nhelper:\n"),
            "a.o: b.cu a.cu\na.cu:\n\n");
}

TEST(Depfile, SpecialCharactersAreEscaped) {
  EXPECT_EQ(renamed("a.o: co\\ py b$$.h\n"), "a.o: a\\ b$$\\#.cu b$$.h\n");
}

TEST(Depfile, FurtherDependenciesAreAdded) {
  EXPECT_EQ(renamed("a.o: copy \\\n b.h\nb.h:\n", {"x y"}),
            "a.o: a.cu \\\n b.h x\\ y\nb.h:\n");
}

TEST(Depfile, LineEndingsStay) {
  EXPECT_EQ(renamed("a.o: copy \\\r\n b.h\r\n"), "a.o: a.cu \\\r\n b.h\r\n");
}
