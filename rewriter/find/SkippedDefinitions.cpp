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

// Calls Visit with each name in those of Skipped that hold one of Words.
static void
forEachName(llvm::ArrayRef<SourceRange> Skipped, const SourceText &Text,
            llvm::ArrayRef<StringRef> Words,
            llvm::function_ref<void(StringRef, SourceLocation)> Visit) {
  for (const SourceRange &Range : Skipped) {
    const StringRef Left = Lexer::getSourceText(
        CharSourceRange::getCharRange(Range), Text.sources(), Text.language());
    if (isLeftOutAlways(Left) || llvm::none_of(Words, [&](StringRef Word) {
          return Left.contains(Word);
        }))
      continue;
    Text.forEachToken(Left, [&](const Token &Name) {
      if (Name.is(tok::raw_identifier))
        Visit(Name.getRawIdentifier(), Range.getBegin());
    });
  }
}

void bankstripe::noteOtherDefinitions(llvm::ArrayRef<SourceRange> Skipped,
                                      const SourceText &Text,
                                      UnitFacts &Facts) {
  llvm::StringSet<> Names;
  forEachName(Skipped, Text, {"__global__", "__device__"},
              [&](StringRef Name, SourceLocation) { Names.insert(Name); });
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
