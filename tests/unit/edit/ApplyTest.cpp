//===-- ApplyTest.cpp - a plan is carried out on whole files --------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which files change, what is added to them, and what is an error.
//
//===----------------------------------------------------------------------===//

#include "Planned.h"
#include "model/Helper.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

using namespace bankstripe;
using namespace bankstripe::testing;
using llvm::StringRef;

namespace {

std::string applied(StringRef Code, EditList Edits) {
  auto Text = applyEdits(FileText(Code), 0, Code.size(), std::move(Edits));
  return Text ? Text->Text : "error: " + toString(Text.takeError());
}

TEST(ApplyEdits, InAnyOrder) {
  EXPECT_EQ(applied("abcdef", {{4, 1, "E"}, {1, 2, "x"}}), "axdEf");
  EXPECT_EQ(applied("abc", {}), "abc");
}

TEST(ApplyEdits, SideBySide) {
  EXPECT_EQ(applied("abcd", {{0, 2, "x"}, {2, 2, "y"}}), "xy");
}

TEST(ApplyEdits, InsertionBeforeAReplacement) {
  EXPECT_EQ(applied("abc", {{1, 1, "y"}, {1, 0, "x"}}), "axyc");
}

TEST(ApplyEdits, AtTheEnds) {
  EXPECT_EQ(applied("abc", {{0, 0, "<"}, {3, 0, ">"}}), "<abc>");
}

TEST(ApplyEdits, TheSameEditTwiceIsOne) {
  EXPECT_EQ(applied("abc", {{1, 1, "x"}, {1, 1, "x"}}), "axc");
}

TEST(ApplyEdits, OverlapIsAnError) {
  EXPECT_EQ(applied("abcdef", {{1, 3, "x"}, {3, 2, "y"}}),
            "error: edits overlap at offset 3");
  EXPECT_EQ(applied("abcdef", {{1, 3, "x"}, {1, 3, "y"}}),
            "error: edits overlap at offset 1");
}

TEST(ApplyEdits, OfAPart) {
  auto Text = applyEdits(FileText("abcdef"), 2, 4,
                         {{0, 1, "x"}, {2, 1, "C"}, {5, 1, ""}});
  ASSERT_TRUE(bool(Text));
  EXPECT_EQ(Text->Text, "Cd");
}

TEST(ApplyPlan, OverlapNamesTheFile) {
  Plan P = planFor("int a[4];\na[i] = 1;\n", {{"a", {4}}});
  // The same text as an initialiser's and as an extent's cannot be.
  P.Arrays[0].Array.Text.Initializer = P.Arrays[0].Array.Text.Extents;
  auto Changed = applyPlan(P, /*EmbedHelper=*/false);
  ASSERT_FALSE(bool(Changed));
  EXPECT_EQ(toString(Changed.takeError()),
            "/code.cu: edits overlap at offset 5");
}

TEST(ApplyPlan, HelperThatIsThereIsNotIncludedAgain) {
  const std::string Include = "#include \"bankstripe.cuh\"\n";
  Plan P = planFor(Include + "int a[4];\na[i] = 1;\n", {{"a", {4}}});
  for (bool EmbedHelper : {false, true})
    EXPECT_EQ(StringRef(carriedOut(P, EmbedHelper)).count("#include"), 1u);
  // This one is not always there.
  P = planFor("#ifdef X\n" + Include + "#endif\nint a[4];\na[i] = 1;\n",
              {{"a", {4}}});
  EXPECT_EQ(StringRef(carriedOut(P)).count("#include"), 2u);
}

TEST(ApplyPlan, NothingMovesNothingChanges) {
  Plan P = planFor("int a[4];\na[i] = 1;\n", {{"a", {4}}});
  for (VerdictKind Kind : {VerdictKind::Unchanged, VerdictKind::Unsupported,
                           VerdictKind::Registers}) {
    P.Arrays[0].Verdict.Kind = Kind;
    auto Changed = applyPlan(P, /*EmbedHelper=*/false);
    ASSERT_TRUE(bool(Changed));
    EXPECT_TRUE(Changed->empty());
  }
}

TEST(ApplyPlan, ArrayThatStaysIsLeftAlone) {
  Plan P =
      planFor("int a[4];\nint b[4];\na[i] = b[i];\n", {{"a", {4}}, {"b", {4}}});
  P.Arrays[1].Verdict.Kind = VerdictKind::Unchanged;
  EXPECT_EQ(carriedOut(P),
            "#include \"bankstripe.cuh\"\n"
            "\n"
            "__shared__ int a_stripes[::bankstripe::warps(128)][4][32];\n"
            "auto a = ::bankstripe::column(a_stripes);\n"
            "int b[4];\n"
            "a[i] = b[i];\n");
}

TEST(ApplyPlan, OtherFilesAreLeftAlone) {
  Plan P = planFor("int a[4];\n", {{"a", {4}}});
  P.Contents["/other.cu"] = "int a[4];\n";
  auto Changed = applyPlan(P, /*EmbedHelper=*/false);
  ASSERT_TRUE(bool(Changed));
  ASSERT_EQ(Changed->size(), 1u);
  EXPECT_EQ(Changed->front().Path, CodePath.str());
}

TEST(ApplyPlan, AddsLaunchBounds) {
  StringRef Code = "__global__ void k(int i) {\n  int a[4];\n}\n";
  Plan P = planFor(Code, {{"a", {4}}});
  P.Kernels[0].Facts.BoundsInsertion = {
      CodePath.str(), static_cast<unsigned>(Code.find("k(")), 0};
  P.Kernels[0].AddLaunchBounds = true;
  EXPECT_EQ(carriedOut(P),
            "#include \"bankstripe.cuh\"\n"
            "\n"
            "__global__ void __launch_bounds__(128) k(int i) {\n"
            "  __shared__ int a_stripes[::bankstripe::warps(128)][4][32];\n"
            "  auto a = ::bankstripe::column(a_stripes);\n"
            "}\n");
}

// Launch bounds see to that, and functions need not test for larger blocks.
static std::string toldOfItsBlocks(StringRef Code) {
  Plan P = planFor(Code, {{"a", {4}}});
  P.Kernels[0].Facts.BodyBegin = {CodePath.str(),
                                  static_cast<unsigned>(Code.find('{') + 1), 0};
  P.Kernels[0].AssumedBlock = "64";
  P.Arrays.clear();
  const std::string Text = carriedOut(P);
  return Text.substr(Text.find("void"));
}

TEST(ApplyPlan, TellsTheCompilerOfBlocksFirst) {
  EXPECT_EQ(toldOfItsBlocks("void k()\n{\n\n    int a;\n}\n"),
            "void k()\n{\n"
            "    ::bankstripe::assume_block_of_at_most<64>();\n"
            "\n    int a;\n}\n");
  // A comment could go on in the next line.
  EXPECT_EQ(toldOfItsBlocks("void k() { // \\\n of work\n  int a;\n}\n"),
            "void k() { ::bankstripe::assume_block_of_at_most<64>(); // \\\n"
            " of work\n  int a;\n}\n");
  EXPECT_EQ(toldOfItsBlocks("void k() { int a; }\n"),
            "void k() { ::bankstripe::assume_block_of_at_most<64>(); int a; "
            "}\n");
  EXPECT_EQ(toldOfItsBlocks("void k() {\r\n\tint a;\r\n}\r\n"),
            "void k() {\r\n"
            "\t::bankstripe::assume_block_of_at_most<64>();\r\n"
            "\tint a;\r\n}\r\n");
}

TEST(ApplyPlan, BytesThatAreNoTextAreKept) {
  EXPECT_EQ(
      rewritten("// \xE9t\xE9 \x80\xFF\nint a[4]; // \xE4\n", {{"a", {4}}}),
      "// \xE9t\xE9 \x80\xFF\n"
      "__shared__ int a_stripes[::bankstripe::warps(128)][4][32]; // \xE4\n"
      "auto a = ::bankstripe::column(a_stripes);\n");
}

TEST(Helper, IsTheHeaderOfThePackage) {
  auto Source = llvm::MemoryBuffer::getFile(BANKSTRIPE_WHOLE_HELPER);
  ASSERT_TRUE(bool(Source));
  EXPECT_EQ(helperText().str(), (*Source)->getBuffer().str());
  EXPECT_EQ(HelperFileName, "bankstripe.cuh");
}

TEST(Helper, CanBeEmbedded) {
  EXPECT_EQ(carriedOut(planFor("int a[4];\n", {{"a", {4}}}),
                       /*EmbedHelper=*/true),
            helperFor({"::bankstripe::column(a)"}) +
                "\n__shared__ int a_stripes[::bankstripe::warps(128)][4][32];\n"
                "auto a = ::bankstripe::column(a_stripes);\n");
}

TEST(Helper, IsEmbeddedWithTheFilesLineEndings) {
  std::string After = carriedOut(planFor("int a[4];\r\n", {{"a", {4}}}),
                                 /*EmbedHelper=*/true);
  size_t Newlines = StringRef(After).count('\n');
  EXPECT_GT(Newlines, 100u);
  EXPECT_EQ(StringRef(After).count("\r\n"), Newlines);
}

} // namespace
