//===-- SkippedDefinitions.cpp - kernels of other builds
//-------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//     #ifdef BIG
//     __global__ void kernel(int *x) { int big[64]; ... }
//     #else
//     __global__ void kernel(int *x) { int small[8]; ... }
//     #endif
//
// Without BIG, the parse sees one of the two. What stands beside it would be
// missing in a build with BIG.
//
//===----------------------------------------------------------------------===//

#include "find/SkippedDefinitions.h"
#include "clang/Lex/Lexer.h"

using namespace bankstripe;
using namespace clang;

// In all configurations.
static bool isLeftOutAlways(StringRef Text) {
  for (StringRef Word : {"#", "if", "0"}) {
    Text = Text.ltrim();
    if (!Text.consume_front(Word))
      return false;
  }
  const StringRef Rest = Text.split('\n').first.trim();
  return Rest.empty() || Rest.starts_with("//") || Rest.starts_with("/*");
}

// The names in those of Skipped that may define what runs on the device.
static llvm::StringSet<> namesIn(llvm::ArrayRef<SourceRange> Skipped,
                                 const SourceText &Text) {
  llvm::StringSet<> Names;
  for (const SourceRange &Range : Skipped) {
    const StringRef Left = Lexer::getSourceText(
        CharSourceRange::getCharRange(Range), Text.sources(), Text.language());
    if (isLeftOutAlways(Left) ||
        (!Left.contains("__global__") && !Left.contains("__device__")))
      continue;
    Text.forEachToken(Left, [&](const Token &Name) {
      if (Name.is(tok::raw_identifier))
        Names.insert(Name.getRawIdentifier());
    });
  }
  return Names;
}

void bankstripe::noteOtherDefinitions(llvm::ArrayRef<SourceRange> Skipped,
                                      const SourceText &Text,
                                      UnitFacts &Facts) {
  const llvm::StringSet<> Names = namesIn(Skipped, Text);
  auto Note = [&](StringRef Title, std::string &Problem) {
    const size_t Scope = Title.rfind("::");
    if (Problem.empty() &&
        Names.contains(Scope == StringRef::npos ? Title
                                                : Title.drop_front(Scope + 2)))
      Problem = "text that a condition leaves out may define it, too";
  };
  for (Kernel &K : Facts.Kernels) {
    Note(K.Text.Name, K.Text.Problem);
    Note(K.Text.Name, K.Text.VersionProblem);
  }
  for (FunctionText &F : Facts.Functions)
    Note(F.Title, F.Problem);
}
