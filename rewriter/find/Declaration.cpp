//===-- Declaration.cpp - the text of an array's declaration --------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every second private array shares its statement with others, as in
//
//     float sum = 0, best[8] = {0}, *p;
//
// so the declaration is taken apart here into the stretches of text that an
// edit moves around: the specifiers, each declarator, and of the array's own
// declarator the name, the extents and the initialiser. All of them must be
// spelled in the file itself; macros are fine inside the specifiers, the
// extents and the initialiser, whose text is only copied.
//
//===----------------------------------------------------------------------===//

#include "find/Arrays.h"
#include "clang/AST/Expr.h"
#include "clang/AST/StmtCXX.h"
#include "clang/AST/TypeLoc.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringSet.h"

using namespace bankstripe;
using namespace clang;

namespace {

/// Takes one declaration statement apart.
class DeclarationReader {
public:
  DeclarationReader(Finding &F, const VarDecl *Variable,
                    const DeclStmt *Statement, const SourceText &Text)
      : F(F), Variable(Variable), Statement(Statement), Text(Text),
        SM(Text.sources()) {}

  /// The obstacle, if there is one.
  std::optional<Reason> read();

private:
  std::optional<Reason> readStatement();
  std::optional<Reason> readDeclarators();
  std::optional<Reason> readOwnDeclarator();

  /// Where \p Loc stands in the file when whole macros may stand for text.
  SourceLocation outside(SourceLocation Loc, bool AtEnd) const {
    return AtEnd ? SM.getExpansionRange(Loc).getEnd() : SM.getExpansionLoc(Loc);
  }
  TextRange between(unsigned Begin, unsigned End) const {
    return {Path, Begin, End - Begin};
  }
  unsigned offset(SourceLocation Loc) const { return SM.getFileOffset(Loc); }
  unsigned endOf(SourceLocation Loc) const {
    return offset(Loc) + Lexer::MeasureTokenLength(Loc, SM, Text.language());
  }

  Finding &F;
  const VarDecl *Variable;
  const DeclStmt *Statement;
  const SourceText &Text;
  const SourceManager &SM;
  std::string Path;
  SourceLocation SpecifiersEnd; ///< The last token of the specifiers.
};

} // namespace

// A word that still belongs to the specifiers. Of `long long` an instantiation
// only remembers the place of the first.
static bool isSpecifier(const Token &Tok) {
  static const llvm::StringSet<> Words = {"const",  "volatile", "unsigned",
                                          "signed", "long",     "short",
                                          "int",    "char",     "double"};
  return Tok.is(tok::raw_identifier) && Words.contains(Tok.getRawIdentifier());
}

std::optional<Reason> DeclarationReader::readStatement() {
  if (!Text.spelled(Variable->getLocation()) ||
      Variable->getLocation().isMacroID())
    return Reason::DeclarationInMacro;
  if (Variable->getStorageClass() != SC_None)
    return Reason::DeclaratorShape; // `register` excludes __shared__.
  SourceLocation Begin = outside(Statement->getBeginLoc(), false);
  SourceLocation End = Statement->getEndLoc();
  if (End.isMacroID() || !Begin.isFileID() ||
      SM.getFileID(Begin) != SM.getFileID(End) ||
      SM.getFileID(Begin) != SM.getFileID(Variable->getLocation()))
    return Reason::DeclarationInMacro;
  Path = Text.file(Begin);
  F.Text.Statement = between(offset(Begin), endOf(End));
  StringRef Written = Text.text(F.Text.Statement, SM.getFileID(Begin));
  if (!Written.ends_with(";"))
    return Reason::DeclarationPlace;
  // Another configuration would see another declaration.
  for (auto [Line, Rest] = Written.split('\n'); !Rest.empty();
       std::tie(Line, Rest) = Rest.split('\n'))
    if (Rest.ltrim(" \t").starts_with("#"))
      return Reason::DeclarationInMacro;

  if (Variable->getType()->getContainedDeducedType())
    return Reason::DeclaratorShape; // `auto` cannot name its storage.
  TypeLoc Base = Variable->getTypeSourceInfo()->getTypeLoc();
  for (;;) {
    if (auto Array = Base.getAs<ArrayTypeLoc>())
      Base = Array.getElementLoc();
    else if (auto Pointer = Base.getAs<PointerTypeLoc>()) {
      // `POINTER a[4], b;` where the star is of `a` alone.
      if (Pointer.getStarLoc().isMacroID())
        return Reason::DeclarationInMacro;
      Base = Pointer.getPointeeLoc();
    } else if (auto Qualified = Base.getAs<QualifiedTypeLoc>())
      Base = Qualified.getUnqualifiedLoc();
    else
      break;
  }
  if (Base.getAs<ParenTypeLoc>() || Base.getAs<ReferenceTypeLoc>() ||
      Base.getAs<FunctionTypeLoc>())
    return Reason::DeclaratorShape;
  SpecifiersEnd = outside(Base.getEndLoc(), true);
  if (SpecifiersEnd.isInvalid() || offset(SpecifiersEnd) < offset(Begin))
    return Reason::DeclaratorShape;
  for (auto Tok = Text.next(SpecifiersEnd); Tok && isSpecifier(*Tok);
       Tok = Text.next(SpecifiersEnd))
    SpecifiersEnd = Tok->getLocation();
  F.Text.Specifiers = between(offset(Begin), endOf(SpecifiersEnd));
  return std::nullopt;
}

std::optional<Reason> DeclarationReader::readDeclarators() {
  SourceLocation Before = SpecifiersEnd;
  for (const Decl *D : Statement->decls()) {
    const auto *Declarator = dyn_cast<VarDecl>(D);
    if (!Declarator)
      return Reason::DeclaratorShape; // `struct S { ... } a[4];`
    auto First = Text.next(Before);
    SourceLocation Last = outside(Declarator->getEndLoc(), true);
    if (!First || !Last.isFileID() ||
        offset(Last) < offset(First->getLocation()))
      return Reason::DeclaratorShape;
    if (Declarator == Variable)
      F.Text.IndexInStatement = F.Text.AllDeclarators.size();
    F.Text.AllDeclarators.push_back(
        between(offset(First->getLocation()), endOf(Last)));
    // The separator: a comma, or the semicolon that ends the statement.
    auto Separator = Text.next(Last);
    bool IsLast = Declarator == *std::prev(Statement->decl_end());
    if (!Separator || !Separator->is(IsLast ? tok::semi : tok::comma))
      return Reason::DeclaratorShape;
    Before = Separator->getLocation();
  }
  return std::nullopt;
}

std::optional<Reason> DeclarationReader::readOwnDeclarator() {
  // From the innermost extent to the outermost, as written left to right.
  TypeLoc Loc = Variable->getTypeSourceInfo()->getTypeLoc();
  if (auto Qualified = Loc.getAs<QualifiedTypeLoc>())
    Loc = Qualified.getUnqualifiedLoc();
  SourceLocation Open, Close;
  for (auto Array = Loc.getAs<ArrayTypeLoc>(); Array;
       Array = Array.getElementLoc().getAs<ArrayTypeLoc>()) {
    if (Array.getLBracketLoc().isMacroID() ||
        Array.getRBracketLoc().isMacroID())
      return Reason::DeclarationInMacro;
    if (Open.isInvalid())
      Open = Array.getLBracketLoc();
    Close = Array.getRBracketLoc();
    StringRef Buffer = Text.buffer(SM.getFileID(Close));
    F.Text.ExtentTexts.push_back(
        Buffer.slice(endOf(Array.getLBracketLoc()), offset(Close))
            .trim()
            .str());
  }
  const TextRange Declarator = F.Text.AllDeclarators[F.Text.IndexInStatement];
  F.Text.Name =
      between(offset(Variable->getLocation()), endOf(Variable->getLocation()));
  F.Text.Extents = Open.isValid()
                       ? between(offset(Open), endOf(Close))
                       : between(F.Text.Name.end(), F.Text.Name.end());
  F.Text.Declarator = between(Declarator.Offset, F.Text.Extents.end());
  StringRef Buffer = Text.buffer(SM.getFileID(Variable->getLocation()));
  StringRef Stars =
      Buffer.slice(Declarator.Offset, F.Text.Name.Offset).trim(" \t*");
  if (!Stars.empty() ||
      !Buffer.slice(F.Text.Name.end(), F.Text.Extents.Offset).trim().empty())
    return Reason::DeclaratorShape;

  // `Board a` or `Board a[4]` where Board is itself an array.
  const bool HidesExtents =
      !F.IsObject && F.Text.ExtentTexts.size() != F.Extents.size();
  if (F.Init == InitializerKind::None)
    return HidesExtents ? std::optional(Reason::ArrayTypedef) : std::nullopt;
  F.Text.Initializer = between(F.Text.Extents.end(), Declarator.end());
  if (F.Init == InitializerKind::Construct)
    return HidesExtents ? std::optional(Reason::ArrayTypedef) : std::nullopt;
  StringRef Init = Buffer.slice(F.Text.Extents.end(), Declarator.end());
  size_t Brace = Init.find('{');
  if (Brace == StringRef::npos || !Init.ends_with("}") ||
      Init.find_first_not_of(" \t\r\n=") != Brace)
    return Reason::Initializer;
  F.Text.Values = between(F.Text.Extents.end() + Brace, Declarator.end());
  return HidesExtents ? std::optional(Reason::ArrayTypedef) : std::nullopt;
}

std::optional<Reason> DeclarationReader::read() {
  if (auto Problem = readStatement())
    return Problem;
  if (auto Problem = readDeclarators())
    return Problem;
  return readOwnDeclarator();
}

void bankstripe::readDeclaration(Finding &F, const VarDecl *Variable,
                                 const DeclStmt *Statement,
                                 const BodyIndex &Body,
                                 const SourceText &Text) {
  // Only a statement of a block can become several statements.
  const Stmt *Parent = Statement ? Body.parentOf(Statement) : nullptr;
  std::optional<Reason> Problem;
  if (!Statement || !Parent || !isa<CompoundStmt>(Parent) ||
      isa_and_nonnull<SwitchStmt>(Body.parentOf(Parent)))
    Problem = Reason::DeclarationPlace;
  else
    Problem = DeclarationReader(F, Variable, Statement, Text).read();
  if (Problem)
    F.Obstacles.push_back({*Problem, F.Where, ""});
  // A jump may pass an uninitialised array, but no reference and no statement.
  if (Body.HasGoto)
    F.Obstacles.push_back({Reason::Goto, F.Where, ""});
}

// Statements that control enters and leaves as the text says.
static bool isStructured(const Stmt *S) {
  return isa<CompoundStmt, IfStmt, ForStmt, WhileStmt, DoStmt, SwitchStmt,
             SwitchCase, AttributedStmt, CXXForRangeStmt>(S);
}

TextRange bankstripe::scopeOf(const DeclStmt *Statement,
                              const FunctionDecl *Function,
                              const BodyIndex &Body, const SourceText &Text) {
  const auto *Block =
      Statement ? dyn_cast_or_null<CompoundStmt>(Body.parentOf(Statement))
                : nullptr;
  // A constructor or destructor is several functions in the IR.
  if (!Block || isa<CXXConstructorDecl, CXXDestructorDecl>(Function) ||
      Block->getLBracLoc().isMacroID() || Block->getRBracLoc().isMacroID())
    return TextRange();
  const Stmt *Outermost = Block;
  for (const Stmt *S = Block; S; S = Body.parentOf(S)) {
    if (!isStructured(S))
      return TextRange();
    Outermost = S;
  }
  if (Outermost != Function->getBody())
    return TextRange();
  return Text.tokens(Block->getLBracLoc(), Block->getRBracLoc())
      .value_or(TextRange());
}
