//===-- ExportTest.cpp - changes for clang-apply-replacements -------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is written is read back and applied by the library that
// clang-apply-replacements is made of.
//
//===----------------------------------------------------------------------===//

#include "Planned.h"
#include "clang/Tooling/ReplacementsYaml.h"
#include "gtest/gtest.h"

using namespace bankstripe;
using namespace bankstripe::testing;
using clang::tooling::TranslationUnitReplacements;
using llvm::StringRef;

namespace {

ChangedFile changed(StringRef Code, EditList Edits) {
  auto File = changeFile("/code.cu", Code, std::move(Edits));
  if (File)
    return *File;
  ADD_FAILURE() << toString(File.takeError());
  return {};
}

TranslationUnitReplacements exported(llvm::ArrayRef<ChangedFile> Changes) {
  TranslationUnitReplacements Read;
  auto Document = replacementsDocument(Changes);
  if (!Document) {
    ADD_FAILURE() << toString(Document.takeError());
    return Read;
  }
  llvm::yaml::Input Input(*Document);
  Input >> Read;
  EXPECT_FALSE(Input.error()) << *Document;
  return Read;
}

// What becomes of File when the document for it is applied.
std::string applied(const ChangedFile &File) {
  clang::tooling::Replacements All;
  for (const clang::tooling::Replacement &R : exported({File}).Replacements) {
    EXPECT_EQ(R.getFilePath(), File.Path);
    llvm::Error E = All.add(R);
    EXPECT_EQ(toString(std::move(E)), "");
  }
  auto After = clang::tooling::applyAllReplacements(File.Before, All);
  return After ? *After : "error: " + toString(After.takeError());
}

TEST(ChangeFile, EditsThatTouchBecomeOne) {
  ChangedFile File =
      changed("abcdef", {{1, 1, "B"}, {1, 0, "<"}, {2, 1, ""}, {5, 1, "F"}});
  EXPECT_EQ(File.Edits, (EditList{{1, 2, "<B"}, {5, 1, "F"}}));
  EXPECT_EQ(File.After, "a<BdeF");
}

TEST(ChangeFile, TheSameEditTwiceIsOne) {
  EXPECT_EQ(changed("abc", {{1, 0, "x"}, {1, 0, "x"}}).Edits,
            (EditList{{1, 0, "x"}}));
}

TEST(Export, IsAppliedAsItIsCarriedOut) {
  Plan P = planFor("int a[4] = {1, 2};\r\na[i] = 1;\r\n", {{"a", {4}}});
  auto Changes = applyPlan(P, /*EmbedHelper=*/false);
  ASSERT_TRUE(bool(Changes));
  EXPECT_EQ(applied(Changes->front()), carriedOut(P));
}

TEST(Export, HelperInTheFileArrivesWhole) {
  Plan P = planFor("int a[4];\na[i] = 1;\n", {{"a", {4}}});
  auto Changes = applyPlan(P, /*EmbedHelper=*/true);
  ASSERT_TRUE(bool(Changes));
  EXPECT_EQ(applied(Changes->front()), carriedOut(P, /*EmbedHelper=*/true));
}

TEST(Export, TextKeepsItsSpecialCharacters) {
  const std::string Text = "\t\"x\": 'y' # \\ \u00fc \U0001F600\r\n\n  - z\n";
  EXPECT_EQ(applied(changed("ab", {{1, 0, Text}})), "a" + Text + "b");
}

TEST(Export, NamesTheOnlyFileAsTheMainOne) {
  ChangedFile File = changed("ab", {{1, 0, "x"}});
  EXPECT_EQ(exported({File}).MainSourceFile, "/code.cu");
  ChangedFile Other = File;
  Other.Path = "/other.cu";
  EXPECT_EQ(exported({File, Other}).MainSourceFile, "");
  EXPECT_EQ(exported({File, Other}).Replacements.size(), 2u);
}

TEST(Export, NothingToChangeIsAnEmptyList) {
  EXPECT_TRUE(exported({}).Replacements.empty());
}

TEST(Export, TextThatIsNoUtf8IsAnError) {
  auto Document = replacementsDocument({changed("ab", {{1, 0, "caf\xE9"}})});
  ASSERT_FALSE(bool(Document));
  EXPECT_EQ(toString(Document.takeError()),
            "cannot export the changes of '/code.cu': its name, or text of it "
            "that is repeated, is not UTF-8; use --in-place");
}

TEST(Export, TextAroundThatIsNoUtf8DoesNotMatter) {
  EXPECT_EQ(applied(changed("caf\xE9", {{0, 0, "x"}})), "xcaf\xE9");
}

} // namespace
