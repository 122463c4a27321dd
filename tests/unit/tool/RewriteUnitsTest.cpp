//===-- RewriteUnitsTest.cpp - a plan and its changes ---------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tool/RewriteUnits.h"
#include "Units.h"
#include "gmock/gmock.h"

using namespace bankstripe;
using namespace bankstripe::testing;

namespace {

constexpr llvm::StringLiteral Code = "{ int a[4]; f(a[i]); }\n";

// A unit with the array of Code, which moves.
TestUnit unitIn(const std::string &File) {
  TestUnit U(File);
  U.kernel().Id = U.kernel().Name = "k of " + File;
  U.kernel().BoundsInsertion = {File, 0, 0};
  U.launch(128).KernelId = U.kernel().Id;
  TestArray A = makeArray("a", 4);
  A.Where.File = File;
  A.Function.Files = {File};
  A.Kernels = {U.kernel().Id};
  auto At = [&](llvm::StringRef Part) {
    return TextRange{File, unsigned(Code.find(Part)), unsigned(Part.size())};
  };
  A.Text.Statement = At("int a[4];");
  A.Text.Specifiers = At("int");
  A.Text.Declarator = At("a[4]");
  A.Text.Name = {File, At("a[4]").Offset, 1};
  A.Text.Extents = At("[4]");
  A.Text.ExtentTexts = {"4"};
  A.Text.AllDeclarators = {At("a[4]")};
  U.array(A);
  U.Result.Facts.Contents[File] = Code.str();
  return U;
}

std::vector<std::string> filesChanged(const std::vector<TestUnit> &Units) {
  std::vector<UnitResult> Results;
  for (const TestUnit &U : Units)
    Results.push_back(U.result());
  auto Made = rewriteUnits(Results, PlanOptions(), /*EmbedHelper=*/false);
  EXPECT_TRUE(bool(Made));
  std::vector<std::string> Files;
  for (const ChangedFile &File : Made->Changes)
    Files.push_back(File.Path);
  return Files;
}

} // namespace

TEST(RewriteUnits, AFileThatCannotBeWrittenIsLeftAlone) {
  TestUnit Good = unitIn("/a.cu"), Bad = unitIn("/b.cu");
  EXPECT_THAT(filesChanged({Good, Bad}),
              ::testing::ElementsAre("/a.cu", "/b.cu"));
  // Its extents overlap its name.
  TextRange &Extents = Bad.Arrays.front().Text.Extents;
  --Extents.Offset;
  ++Extents.Length;
  EXPECT_THAT(filesChanged({Good, Bad}), ::testing::ElementsAre("/a.cu"));
}
