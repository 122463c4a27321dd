//===-- ExpandMacros.cpp - what macros stand for --------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//     #define BUFFER(type, name) type name[SIZE]
//     BUFFER(int, last);        =>  int last[SIZE];
//
// Once the unit is read, the preprocessor gets the tokens of a use once more,
// while the macros that it can lead to are what they were there. It expands the
// macro that is used, and those with parameters. All others stay names, since
// another build may define SIZE otherwise: nobody may see that of what is
// expanded. So do macros of system headers, of which nvcc may have others.
//
// A compiler reads the result as it did the use: what is left to expand is what
// it would have expanded there, but for a macro that its own text names.
//
//===----------------------------------------------------------------------===//

#include "find/ExpandMacros.h"
#include "find/Constants.h"
#include "clang/Lex/MacroInfo.h"
#include "clang/Lex/TokenConcatenation.h"

using namespace bankstripe;
using namespace clang;

namespace {

/// Expands uses of macros, one after the other.
class Expander {
public:
  Expander(const SourceText &Text, Preprocessor &PP)
      : Text(Text), SM(Text.sources()), PP(PP) {
    PP.setTokenWatcher(nullptr); // Nothing is parsed any more.
  }

  /// Macros, and what they expand to; null where they stay names.
  using MacrosThere = std::vector<std::pair<IdentifierInfo *, MacroInfo *>>;

  /// Those that \p Use can lead to, as they are there. To be asked of all uses
  /// before one of them is expanded. Nothing where another build may have
  /// others.
  std::optional<MacrosThere> macrosAt(const TextRange &Use) const;
  /// What \p Use stands for with them; nothing where that cannot be written.
  std::optional<std::string> expand(const TextRange &Use,
                                    const MacrosThere &Macros);

private:
  SourceLocation startOf(const TextRange &Use) const {
    return SM.getLocForStartOfFile(SM.getMainFileID())
        .getLocWithOffset(Use.Offset);
  }
  void enter(const TextRange &Use, SourceLocation At);
  SourceLocation inDefinition(SourceLocation Loc) const;
  std::optional<std::string> lexAll();

  const SourceText &Text;
  const SourceManager &SM;
  Preprocessor &PP;
};

} // namespace

std::optional<Expander::MacrosThere>
Expander::macrosAt(const TextRange &Use) const {
  const SourceLocation At = startOf(Use);
  MacrosThere Result;
  bool IsFirst = true, IsOpen = false;
  Text.anyIdentifier(Text.text(Use, At), [&](const IdentifierInfo &Name) {
    IdentifierInfo *Id = PP.getIdentifierInfo(Name.getName());
    const MacroDirective *Last = PP.getLocalMacroDirectiveHistory(Id);
    auto Then =
        Last ? Last->findDirectiveAtLoc(At, SM) : MacroDirective::DefInfo();
    MacroInfo *Info = Then ? Then.getMacroInfo() : nullptr;
    const bool IsOfUser = Info && !Info->isBuiltinMacro() &&
                          !SM.isInSystemHeader(Info->getDefinitionLoc());
    const bool IsExpanded = IsOfUser && (IsFirst || Info->isFunctionLike());
    IsOpen |=
        IsExpanded ? mayDiffer(Info->getDefinitionLoc(), At, SM) : IsFirst;
    IsFirst = false;
    if (Last)
      Result.emplace_back(Id, IsExpanded ? Info : nullptr);
    return false;
  });
  return IsOpen ? std::nullopt : std::optional(std::move(Result));
}

// The tokens of Use, and one that ends them.
void Expander::enter(const TextRange &Use, SourceLocation At) {
  const StringRef Buffer = Text.buffer(At);
  Lexer Raw(SM.getLocForStartOfFile(SM.getFileID(At)), PP.getLangOpts(),
            Buffer.begin(), Buffer.begin() + Use.Offset, Buffer.end());
  std::vector<Token> Tokens;
  Token T;
  for (Raw.LexFromRawLexer(T); SM.getFileOffset(T.getLocation()) < Use.end();
       Raw.LexFromRawLexer(T)) {
    if (T.is(tok::raw_identifier))
      PP.LookUpIdentifierInfo(T);
    Tokens.push_back(T);
  }
  T.startToken();
  T.setKind(tok::eof);
  T.setLocation(At);
  Tokens.push_back(T);
  auto Owned = std::make_unique<Token[]>(Tokens.size());
  llvm::copy(Tokens, Owned.get());
  PP.EnterTokenStream(std::move(Owned), Tokens.size(),
                      /*DisableMacroExpansion=*/false, /*IsReinject=*/false);
}

// Where the token at Loc, or the macro or parameter that it comes from, stands
// in the definition of the macro that is used; invalid if it does not.
SourceLocation Expander::inDefinition(SourceLocation Loc) const {
  SourceLocation Within;
  for (; Loc.isMacroID(); Loc = SM.getImmediateExpansionRange(Loc).getBegin())
    Within = SM.getSpellingLoc(Loc);
  return Within;
}

std::optional<std::string> Expander::lexAll() {
  const TokenConcatenation Concatenation(PP);
  std::string Result;
  Token BeforeLast, Last, T;
  BeforeLast.startToken();
  Last.startToken();
  unsigned LastLine = 0; // Of the definition.
  for (PP.Lex(T); T.isNot(tok::eof); PP.Lex(T)) {
    const IdentifierInfo *Name = T.getIdentifierInfo();
    if (T.isAnnotation() || (Name && Name->hasMacroDefinition()))
      return std::nullopt; // The name of one that was expanded.
    const SourceLocation Defined = inDefinition(T.getLocation());
    const unsigned Line =
        Defined.isValid() ? SM.getSpellingLineNumber(Defined) : 0;
    if (LastLine && Line > LastLine)
      Result +=
          SoftBreak + std::string(SM.getSpellingColumnNumber(Defined) - 1, ' ');
    else if (!Result.empty() &&
             (T.hasLeadingSpace() || T.isAtStartOfLine() ||
              Concatenation.AvoidConcat(BeforeLast, Last, T)))
      Result += ' ';
    LastLine = Line;
    Result += PP.getSpelling(T);
    BeforeLast = Last;
    Last = T;
  }
  return Result;
}

std::optional<std::string> Expander::expand(const TextRange &Use,
                                            const MacrosThere &Macros) {
  const SourceLocation At = startOf(Use);
  const StringRef Written = Text.text(Use, At);
  if (SourceText::holdsDirective(Written))
    return std::nullopt;
  std::vector<IdentifierInfo *> Kept;
  for (auto [Id, Info] : Macros)
    if (Info && PP.getMacroInfo(Id) != Info) {
      PP.appendDefMacroDirective(Id, Info);
    } else if (!Info && Id->hasMacroDefinition()) {
      Id->setHasMacroDefinition(false);
      Kept.push_back(Id);
    }
  enter(Use, At);
  auto Result = lexAll();
  PP.RemoveTopOfLexerStack();
  for (IdentifierInfo *Id : Kept)
    Id->setHasMacroDefinition(true);
  if (Result)
    Result->append(Written.count('\n'), '\n');
  return Result;
}

std::vector<ExpandedMacro>
bankstripe::expandMacros(const std::set<TextRange> &Uses,
                         const SourceText &Text, Preprocessor &PP) {
  const SourceManager &SM = Text.sources();
  const SourceLocation Start = SM.getLocForStartOfFile(SM.getMainFileID());
  const std::string Main = Text.file(Start);
  if (llvm::none_of(Uses, [&](const TextRange &U) { return U.File == Main; }))
    return {};
  Expander Expanding(Text, PP);
  std::vector<std::pair<TextRange, Expander::MacrosThere>> InMain;
  for (const TextRange &Use : Uses)
    if (Use.File == Main)
      if (auto Macros = Expanding.macrosAt(Use))
        InMain.emplace_back(Use, std::move(*Macros));
  std::vector<ExpandedMacro> Result;
  for (const auto &[Use, Macros] : InMain)
    if (auto Expansion = Expanding.expand(Use, Macros))
      Result.push_back(
          {Use.Offset, Text.text(Use, Start).str(), std::move(*Expansion)});
  return Result;
}
