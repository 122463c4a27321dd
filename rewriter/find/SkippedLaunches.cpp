//===-- SkippedLaunches.cpp - launches of other configurations ------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//     #ifdef BIG
//       kernel<<<4, 512>>>(in, out);
//     #else
//       kernel<<<4, 64>>>(in, out);
//     #endif
//
// Without BIG, the parse sees blocks of 64. A bound for these that is written
// into the source would make the launch fail in a build with BIG.
//
//===----------------------------------------------------------------------===//

#include "find/SkippedLaunches.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

using namespace clang;
using bankstripe::SkippedLaunch;

// In all configurations.
static bool isLeftOutAlways(StringRef Text) {
  if (!Text.consume_front("#") || !(Text = Text.ltrim()).consume_front("if") ||
      !(Text = Text.ltrim()).consume_front("0"))
    return false;
  const StringRef Rest = Text.split('\n').first.trim();
  return Rest.empty() || Rest.starts_with("//") || Rest.starts_with("/*");
}

std::set<SkippedLaunch>
bankstripe::findSkippedLaunches(llvm::ArrayRef<SourceRange> Skipped,
                                const SourceText &Text) {
  std::set<SkippedLaunch> Result;
  const ASTContext &Context = Text.context();
  const SourceManager &SM = Context.getSourceManager();
  for (const SourceRange &Range : Skipped) {
    const StringRef Left = Lexer::getSourceText(
        CharSourceRange::getCharRange(Range), SM, Context.getLangOpts());
    if ((!Left.contains("<<<") && !Left.contains("cudaLaunch")) ||
        isLeftOutAlways(Left))
      continue;
    Lexer Raw(Range.getBegin(), Context.getLangOpts(), Left.begin(),
              Left.begin(), Left.end());
    Token Name;
    while (!Raw.LexFromRawLexer(Name))
      if (Name.is(tok::raw_identifier))
        Result.emplace(Name.getRawIdentifier().str(),
                       Text.place(Name.getLocation()));
  }
  return Result;
}
