//===-- SourceText.cpp - from Clang locations to bytes of files -----------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "find/SourceText.h"
#include "frontend/Frontend.h"
#include "frontend/UserFiles.h"
#include "clang/AST/Attr.h"
#include "clang/Basic/CharInfo.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/MacroInfo.h"
#include "llvm/Support/Path.h"

using namespace bankstripe;
using namespace clang;

SourceText::SourceText(ASTContext &Context, Preprocessor &PP,
                       const MacroRecord &Macros)
    : Context(Context), PP(PP), SM(Context.getSourceManager()) {
  // What includes the text counts, too.
  for (SourceLocation Loc : Macros.Counters)
    for (; Loc.isValid();
         Loc = SM.getIncludeLoc(SM.getFileID(SM.getExpansionLoc(Loc))))
      Counters.push_back(point(Loc));
}

std::string SourceText::file(SourceLocation Loc) const {
  OptionalFileEntryRef Entry =
      SM.getFileEntryRefForID(SM.getFileID(SM.getExpansionLoc(Loc)));
  if (!Entry)
    return "";
  // The main file may be a link. What is edited is the file itself.
  if (*Entry == SM.getFileEntryForID(SM.getMainFileID()))
    return Entry->getFileEntry().tryGetRealPathName().str();
  llvm::SmallString<256> Path(Entry->getName());
  SM.getFileManager().makeAbsolutePath(Path);
  // Behind a link to a folder, `..` is not the folder that the link stands in.
  if (llvm::sys::path::remove_dots(Path, /*remove_dot_dot=*/true) &&
      SM.getFileManager().getOptionalFileRef(Path) != Entry)
    return Entry->getFileEntry().tryGetRealPathName().str();
  return std::string(Path);
}

Place SourceText::place(SourceLocation Loc) const {
  SourceLocation Written = SM.getFileLoc(Loc);
  return {file(Written), SM.getSpellingLineNumber(Written),
          SM.getSpellingColumnNumber(Written)};
}

// A macro that stringizes or pastes sees the spelling of its arguments, so an
// edit there would change more than the expression. The macro is the one whose
// parameter the argument at Loc replaces; with OUTER(x) passing x on to
// INNER(x), each of the two is asked about in its turn.
static bool looksAtSpelling(SourceLocation Loc, bool InMessages,
                            const SourceManager &SM, Preprocessor &PP) {
  SourceLocation Parameter = SM.getImmediateExpansionRange(Loc).getBegin();
  if (!Parameter.isMacroID())
    return true;
  SourceLocation Invocation =
      SM.getImmediateExpansionRange(Parameter).getBegin();
  llvm::SmallString<32> Buffer;
  StringRef Name = Lexer::getSpelling(SM.getSpellingLoc(Invocation), Buffer, SM,
                                      PP.getLangOpts());
  IdentifierInfo *Identifier = PP.getIdentifierInfo(Name);
  // The definition at the time of the expansion; it may be gone since.
  const MacroInfo *Macro =
      PP.getMacroDefinitionAtLoc(Identifier, SM.getExpansionLoc(Loc))
          .getMacroInfo();
  SourceLocation Spelled = SM.getSpellingLoc(Parameter);
  if (!Macro ||
      SM.isBeforeInTranslationUnit(Spelled, Macro->getDefinitionLoc()) ||
      SM.isBeforeInTranslationUnit(Macro->getDefinitionEndLoc(), Spelled))
    return true;
  return llvm::any_of(Macro->tokens(), [&](const Token &T) {
    return T.isOneOf(tok::hashhash, tok::hashat) ||
           (!InMessages && T.is(tok::hash));
  });
}

std::optional<SourceLocation> SourceText::spelled(SourceLocation Loc,
                                                  bool InMessages) const {
  while (Loc.isMacroID()) {
    if (!SM.isMacroArgExpansion(Loc) ||
        looksAtSpelling(Loc, InMessages, SM, PP))
      return std::nullopt;
    Loc = SM.getImmediateSpellingLoc(Loc);
  }
  if (Loc.isInvalid() || file(Loc).empty())
    return std::nullopt;
  return Loc;
}

std::optional<TextRange> SourceText::tokens(SourceLocation Begin,
                                            SourceLocation End) const {
  auto [BeginFile, BeginOffset] = SM.getDecomposedLoc(Begin);
  auto [EndFile, EndOffset] = SM.getDecomposedLoc(End);
  if (BeginFile != EndFile || EndOffset < BeginOffset)
    return std::nullopt;
  unsigned Last = Lexer::MeasureTokenLength(End, SM, language());
  return TextRange{file(Begin), BeginOffset, EndOffset + Last - BeginOffset};
}

std::optional<Token> SourceText::next(SourceLocation Loc) const {
  return Lexer::findNextToken(Loc, SM, language());
}

// Whether \p At stands between the first and the last token of one of the
// declarations, whose braces begin and end in one file.
static bool isInOneOf(const DeclContext &Declarations, SourceLocation At,
                      const SourceManager &SM) {
  const auto [File, Offset] = SM.getDecomposedLoc(At);
  for (const Decl *D : Declarations.decls()) {
    const auto [BeginFile, Begin] =
        SM.getDecomposedExpansionLoc(D->getBeginLoc());
    const auto [EndFile, End] = SM.getDecomposedExpansionLoc(D->getEndLoc());
    if (BeginFile != File || EndFile != File || Offset < Begin || Offset > End)
      continue;
    const auto *Linkage = dyn_cast<LinkageSpecDecl>(D);
    return !Linkage || isInOneOf(*Linkage, At, SM);
  }
  return false;
}

bool SourceText::isIncludedInside(SourceLocation Loc) const {
  const FileID File = SM.getFileID(SM.getExpansionLoc(Loc));
  const SourceLocation At = SM.getIncludeLoc(File);
  if (At.isInvalid())
    return false;
  if (auto Known = IncludedInside.find(File); Known != IncludedInside.end())
    return Known->second;
  const bool Result = isInOneOf(*Context.getTranslationUnitDecl(), At, SM) ||
                      isIncludedInside(At);
  return IncludedInside[File] = Result;
}

llvm::ArrayRef<SourceLocation> SourceText::includedIn(FileID File) const {
  if (!Included) {
    Included.emplace();
    for (unsigned I = 0; I < SM.local_sloc_entry_size(); ++I) {
      const SrcMgr::SLocEntry &Entry = SM.getLocalSLocEntry(I);
      if (Entry.isFile() && Entry.getFile().getIncludeLoc().isValid())
        (*Included)[SM.getFileID(Entry.getFile().getIncludeLoc())].push_back(
            SourceLocation::getFromRawEncoding(Entry.getOffset()));
    }
  }
  const auto Known = Included->find(File);
  if (Known == Included->end())
    return {};
  return Known->second;
}

StringRef SourceText::line(SourceLocation Loc, unsigned Before) const {
  const StringRef Text = buffer(Loc);
  size_t Begin = Text.rfind('\n', SM.getFileOffset(Loc));
  for (; Before && Begin != StringRef::npos; --Before)
    Begin = Text.rfind('\n', Begin); // Looks before that position only.
  if (Before)
    return "";
  Begin = Begin == StringRef::npos ? 0 : Begin + 1;
  return Text.slice(Begin, Text.find('\n', Begin));
}

std::optional<std::string> SourceText::written(SourceRange Range) const {
  auto Where = writtenRange(Range);
  if (!Where)
    return std::nullopt;
  return text(*Where, SM.getFileLoc(Range.getBegin())).str();
}

std::optional<TextRange> SourceText::writtenRange(SourceRange Range) const {
  CharSourceRange Chars = Lexer::makeFileCharRange(
      CharSourceRange::getTokenRange(Range), SM, language());
  if (Chars.isInvalid() || file(Chars.getBegin()).empty())
    return std::nullopt;
  const unsigned Begin = SM.getFileOffset(Chars.getBegin());
  return TextRange{file(Chars.getBegin()), Begin,
                   SM.getFileOffset(Chars.getEnd()) - Begin};
}

void SourceText::forEachToken(
    StringRef Code, llvm::function_ref<void(const Token &)> Visit) const {
  const std::string Copy = Code.str(); // The lexer wants a zero behind it.
  Lexer Raw(SourceLocation(), language(), Copy.data(), Copy.data(),
            Copy.data() + Copy.size());
  Token Tok;
  for (Raw.LexFromRawLexer(Tok); Tok.isNot(tok::eof); Raw.LexFromRawLexer(Tok))
    Visit(Tok);
}

bool SourceText::anyIdentifier(
    StringRef Code, llvm::function_ref<bool(const IdentifierInfo &)> Matches,
    StringRef But) const {
  llvm::SmallSetVector<const IdentifierInfo *, 8> Names;
  forEachToken(Code, [&](const Token &Tok) {
    if (Tok.is(tok::raw_identifier))
      Names.insert(PP.getIdentifierInfo(Tok.getRawIdentifier()));
  });
  for (unsigned I = 0; I < Names.size(); ++I) {
    if (Matches(*Names[I]))
      return true;
    for (const MacroDirective *D = PP.getLocalMacroDirectiveHistory(Names[I]);
         D; D = D->getPrevious())
      if (const auto *Definition = dyn_cast<DefMacroDirective>(D);
          Definition && !(Names[I]->isStr(But) &&
                          sources().isInSystemHeader(D->getLocation())))
        for (const Token &Tok : Definition->getInfo()->tokens())
          if (const IdentifierInfo *Named = Tok.getIdentifierInfo();
              Named && Definition->getInfo()->getParameterNum(Named) < 0)
            Names.insert(Named);
  }
  return false;
}

bool SourceText::mentions(StringRef Code, StringRef Name, StringRef But) const {
  return anyIdentifier(
      Code, [&](const IdentifierInfo &Each) { return Each.isStr(Name); }, But);
}

bool SourceText::counts(StringRef Code, const TextRange &Range) const {
  return mentions(Code, "__COUNTER__") ||
         llvm::any_of(Counters, [&](const TextRange &At) {
           return At.File == Range.File && At.Offset >= Range.Offset &&
                  At.Offset < Range.end();
         });
}

bool SourceText::counts(SourceRange Range) const {
  const auto Where = writtenRange(Range);
  return Where && counts(text(*Where, SM.getFileLoc(Range.getBegin())), *Where);
}

// Whether a source of the user's makes \p Name a macro, be it one that is empty
// for other compilers alone.
static bool isDefinedByUser(StringRef Name, const SourceManager &SM) {
  bool Found = false;
  forEachUserFile(SM, [&](SourceLocation, StringRef Code) {
    for (StringRef Rest = Code; !Found && !Rest.empty();) {
      auto [Before, Behind] = Rest.split("define");
      StringRef Defined = Behind.ltrim(" \t");
      Found = Before.rtrim(" \t").ends_with("#") &&
              Defined.size() < Behind.size() && Defined.consume_front(Name) &&
              (Defined.empty() || !isAsciiIdentifierContinue(Defined.front()));
      Rest = Behind;
    }
  });
  return Found;
}

bool SourceText::mayBeReadForHost(const FunctionDecl *Function) const {
  const Attr *Side = Function->getAttr<CUDADeviceAttr>();
  if (!Side)
    Side = Function->getAttr<CUDAGlobalAttr>();
  if (!Side || StringRef(file(Function->getLocation())).ends_with(".cu"))
    return false;
  if (Function->hasAttr<CUDAHostAttr>())
    return true;
  if (!Side->getLocation().isMacroID())
    return false;
  SourceLocation Loc = Side->getLocation();
  while (SM.getImmediateMacroCallerLoc(Loc).isMacroID())
    Loc = SM.getImmediateMacroCallerLoc(Loc);
  const StringRef Name = Lexer::getImmediateMacroName(Loc, SM, language());
  // The words of the toolkit mean something, unless they are the user's own.
  return (Name != "__device__" && Name != "__global__") ||
         isDefinedByUser(Name, SM);
}

bool SourceText::holdsDirective(StringRef Code, bool PragmasToo) {
  for (StringRef Line; !Code.empty();) {
    std::tie(Line, Code) = Code.split('\n');
    Line = Line.ltrim(" \t");
    if (Line.consume_front("#") &&
        (PragmasToo || !Line.ltrim(" \t").starts_with("pragma")))
      return true;
  }
  return false;
}

static bool isIdentifierCharacter(char C) {
  return isAsciiIdentifierContinue(C);
}

bool SourceText::mayMean(StringRef Name) const {
  if (!UserWords) {
    UserWords.emplace();
    forEachUserFile(SM, [&](SourceLocation, StringRef Code) {
      while (!Code.empty()) {
        Code = Code.drop_until(isIdentifierCharacter);
        const StringRef Word = Code.take_while(isIdentifierCharacter);
        UserWords->insert(Word);
        Code = Code.drop_front(Word.size());
      }
    });
  }
  return PP.getIdentifierTable().find(Name) != PP.getIdentifierTable().end() ||
         UserWords->contains(Name);
}

bool SourceText::isDefinedOnce(StringRef Name) const {
  const MacroDirective *D =
      PP.getLocalMacroDirectiveHistory(PP.getIdentifierInfo(Name));
  return isa_and_nonnull<DefMacroDirective>(D) && !D->getPrevious();
}

bool SourceText::isSameMacro(StringRef Name, SourceLocation A,
                             SourceLocation B) const {
  const MacroDirective *Last =
      PP.getLocalMacroDirectiveHistory(PP.getIdentifierInfo(Name));
  auto At = [&](SourceLocation Loc) -> const MacroInfo * {
    const auto Found =
        Last ? Last->findDirectiveAtLoc(Loc, SM) : MacroDirective::DefInfo();
    return Found ? Found.getMacroInfo() : nullptr;
  };
  return At(A) == At(B);
}

bool SourceText::isRedefined(const IdentifierInfo &Name,
                             SourceRange Between) const {
  for (const MacroDirective *D = PP.getLocalMacroDirectiveHistory(&Name); D;
       D = D->getPrevious())
    if (SM.isBeforeInTranslationUnit(Between.getBegin(), D->getLocation()) &&
        SM.isBeforeInTranslationUnit(D->getLocation(), Between.getEnd()))
      return true;
  return false;
}
