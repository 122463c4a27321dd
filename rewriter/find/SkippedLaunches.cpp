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
  return Text.consume_front("#") && (Text = Text.ltrim()).consume_front("if") &&
         (Text = Text.ltrim()).consume_front("0") &&
         Text.ltrim(" \t\r").starts_with("\n");
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
    if (!Left.contains("<<<") || isLeftOutAlways(Left))
      continue;
    Lexer Raw(Range.getBegin(), Context.getLangOpts(), Left.begin(),
              Left.begin(), Left.end());
    Token Before, Now;
    for (Before.startToken(); !Raw.LexFromRawLexer(Now); Before = Now)
      if (Before.is(tok::raw_identifier) &&
          Now.isOneOf(tok::less, tok::lesslessless))
        Result.emplace(Before.getRawIdentifier().str(),
                       Text.place(Before.getLocation()));
  }
  return Result;
}
