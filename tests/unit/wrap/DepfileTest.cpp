//===-- DepfileTest.cpp - what make and ninja are told --------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "copies/Shadow.h"
#include <gtest/gtest.h>

using namespace bankstripe;
using llvm::StringRef;

// In the place of `copy` stand the source and a file of decisions.
static std::string renamed(StringRef Text) {
  return renameDependencies(Text,
                            [](StringRef Name) -> std::vector<std::string> {
                              if (Name == "copy")
                                return {"a.cu", "x y"};
                              if (Name == "co py")
                                return {"a b$#.cu"};
                              return {};
                            });
}

TEST(Depfile, NamesAreReplaced) {
  EXPECT_EQ(renamed("a.o: copy b.h \\\n  c.h\n"),
            "a.o: a.cu x\\ y b.h \\\n  c.h\n");
}

TEST(Depfile, RulesWithoutDependenciesAreReplacedLikewise) {
  EXPECT_EQ(renamed("a.o : b.cu\nco\\ py:\n"), "a.o : b.cu\na\\ b$$\\#.cu:\n");
}

TEST(Depfile, SpecialCharactersAreEscaped) {
  EXPECT_EQ(renamed("a.o: co\\ py b$$.h\n"), "a.o: a\\ b$$\\#.cu b$$.h\n");
}

TEST(Depfile, WhatMayGoHasARule) {
  EXPECT_EQ(
      renameDependencies("a.o: b.cu",
                         [](StringRef) { return std::vector<std::string>(); },
                         {"x y", ""}),
      "a.o: b.cu\nx\\ y:\n");
}

TEST(Depfile, LineEndingsStay) {
  EXPECT_EQ(renamed("a.o: co\\ py \\\r\n b.h\r\n"),
            "a.o: a\\ b$$\\#.cu \\\r\n b.h\r\n");
}
