//===-- ExpandedTextTest.cpp - edits of what macros stand for -------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "edit/EditInternal.h"
#include "model/SourceFile.h"
#include <gtest/gtest.h>

using namespace bankstripe;

namespace {

const std::string Written = "A(1); B(x,\n  y); C\n";
const std::vector<ExpandedMacro> Macros = {
    {0, "A(1)", "int a[1]"}, {6, "B(x,\n  y)", "int x;\vint y\n"}};

/// \p Written after \p New took the place of \p Old in its expansion.
std::string replaced(llvm::StringRef Old, const std::string &New) {
  const std::string Code = expand(Written, Macros);
  auto Edits =
      editsWithMacros({{unsigned(Code.find(Old)), unsigned(Old.size()), New}},
                      FileText(Code), Macros);
  EXPECT_TRUE(bool(Edits));
  auto File = changeFile("/a.cu", FileText(Written), std::move(*Edits));
  EXPECT_TRUE(bool(File));
  return File ? File->After : "";
}

} // namespace

TEST(ExpandedText, IsReadOnTheSameLines) {
  EXPECT_EQ(expand(Written, Macros), "int a[1]; int x;\vint y\n; C\n");
  EXPECT_EQ(withMacros(expand(Written, Macros), Macros), Written);
  EXPECT_EQ(expand("A(2); B(x,\n  y); C\n", Macros), "") << "it has changed";
}

TEST(ExpandedText, KeepsMacrosThatNobodyEdits) {
  EXPECT_EQ(replaced("C", "D"), "A(1); B(x,\n  y); D\n");
}

TEST(ExpandedText, IsNoneOfWhatStandsBehindIt) {
  EXPECT_EQ(replaced("\n; C", "; D\n; C"), "A(1); B(x,\n  y); D\n; C\n");
}

TEST(ExpandedText, StandsWhereItIsEdited) {
  EXPECT_EQ(replaced("a[1]", "a[2]"), "int a[2]; B(x,\n  y); C\n");
}

TEST(ExpandedText, HasTheLinesOfTheMacro) {
  EXPECT_EQ(replaced("int x", "char x"), "A(1); char x;\nint y\n; C\n");
}

TEST(ExpandedText, IsTakenAlongByAnEditOfMore) {
  EXPECT_EQ(replaced("[1]; int x", "[3], x"), "int a[3], x;\nint y\n; C\n");
}
