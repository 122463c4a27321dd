//===-- PointerText.cpp - how pointers are declared -----------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pointer is declared anew by naming another type, so its declaration must be
// one that can be taken apart: specifiers, one star or brackets, a name.
//
//===----------------------------------------------------------------------===//

#include "find/PointerText.h"
#include "clang/AST/TypeLoc.h"
#include "clang/Lex/Lexer.h"

using namespace bankstripe;
using namespace clang;

// The words that say nothing about the type of the element.
static bool isNoType(StringRef Word) {
  return Word == "const" || Word == "__restrict__" || Word == "__restrict" ||
         Word == "restrict";
}

// The specifiers without `const`, blanks as they were. Where the element is
// itself a pointer, a `const` in front belongs to what that points to.
static std::string withoutQualifiers(StringRef Written, QualType Pointee,
                                     const LangOptions &Language) {
  if (Pointee->isPointerType())
    return Written.trim().str();
  std::string Copy = Written.str(), Result;
  Lexer Raw(SourceLocation(), Language, Copy.data(), Copy.data(),
            Copy.data() + Copy.size());
  Raw.SetKeepWhitespaceMode(true);
  Token Tok;
  unsigned At = 0;
  while (At < Copy.size()) {
    Raw.LexFromRawLexer(Tok);
    StringRef Text = StringRef(Copy).substr(At, Tok.getLength());
    At += Tok.getLength();
    if (!isNoType(Text))
      Result += Text;
    if (Tok.is(tok::eof))
      break;
  }
  return StringRef(Result).trim().str();
}

// Nothing but blanks and qualifiers stands in Written.
static bool holdsOnlyQualifiers(StringRef Written) {
  llvm::SmallVector<StringRef> Words;
  Written.split(Words, ' ', -1, /*KeepEmpty=*/false);
  return llvm::all_of(Words, [](StringRef W) { return isNoType(W.trim()); });
}

namespace {

/// One declarator `* NAME` or `NAME[N]`, in bytes of its file.
struct Declarator {
  unsigned Star = 0;   ///< Of the star, or of the name without one.
  unsigned NameAt = 0; ///< Or the end, without a name.
  unsigned NameEnd = 0;
  unsigned End = 0;
  bool HasStar = false;
};

} // namespace

// Takes the declarator of Variable apart; nothing when it has another shape.
static std::optional<Declarator> readDeclarator(const VarDecl *Variable,
                                                const SourceText &Text) {
  const SourceManager &SM = Text.sources();
  TypeSourceInfo *Info = Variable->getTypeSourceInfo();
  if (!Info || Variable->getLocation().isMacroID())
    return std::nullopt;
  TypeLoc Type = Info->getTypeLoc();
  if (auto Qualified = Type.getAs<QualifiedTypeLoc>())
    Type = Qualified.getUnqualifiedLoc();
  Declarator D;
  const SourceLocation Name = Variable->getLocation();
  D.NameAt = SM.getFileOffset(Name);
  D.NameEnd = D.NameAt + Variable->getName().size();
  D.End = D.NameEnd;
  if (auto Pointer = Type.getAs<PointerTypeLoc>()) {
    if (Pointer.getStarLoc().isMacroID())
      return std::nullopt;
    D.HasStar = true;
    D.Star = SM.getFileOffset(Pointer.getStarLoc());
    StringRef Buffer = Text.buffer(SM.getFileID(Name));
    if (!holdsOnlyQualifiers(Buffer.slice(D.Star + 1, D.NameAt)))
      return std::nullopt;
    return D;
  }
  auto Array = Type.getAs<ArrayTypeLoc>();
  if (!Array || !isa<ParmVarDecl>(Variable) ||
      Array.getRBracketLoc().isMacroID() ||
      Array.getElementLoc().getAs<ArrayTypeLoc>())
    return std::nullopt;
  D.Star = D.NameAt;
  D.End = SM.getFileOffset(Array.getRBracketLoc()) + 1;
  return D;
}

std::optional<PointerDeclaration>
bankstripe::readPointerDeclaration(const DeclStmt *Statement,
                                   const SourceText &Text) {
  const SourceManager &SM = Text.sources();
  const SourceLocation Begin = Statement->getBeginLoc();
  if (!Begin.isFileID())
    return std::nullopt;
  PointerDeclaration Result;
  const std::string File = Text.file(Begin);
  const unsigned BeginAt = SM.getFileOffset(Begin);
  for (const Decl *D : Statement->decls()) {
    const auto *Variable = dyn_cast<VarDecl>(D);
    if (!Variable || Variable->getStorageClass() != SC_None ||
        SM.getFileID(Variable->getLocation()) != SM.getFileID(Begin))
      return std::nullopt;
    // `auto p = a` means the new type without an edit.
    if (isa<AutoType>(Variable->getTypeSourceInfo()->getType().getTypePtr()) &&
        Statement->isSingleDecl())
      return Result;
    if (Variable->getType()->getContainedDeducedType())
      return std::nullopt;
    auto Parts = readDeclarator(Variable, Text);
    if (!Parts || !Parts->HasStar)
      return std::nullopt;
    if (Result.Stars.empty()) {
      Result.Specifiers = {File, BeginAt, Parts->Star - BeginAt};
      StringRef Buffer = Text.buffer(SM.getFileID(Begin));
      QualType Pointee = Variable->getType()->getPointeeType();
      Result.To.Text = withoutQualifiers(Buffer.slice(BeginAt, Parts->Star),
                                         Pointee, Text.language());
      Result.To.Const = Pointee.isConstQualified();
      if (Pointee->isPointerType() &&
          (Result.To.Const || !Statement->isSingleDecl()))
        return std::nullopt; // `int *const *p`, `int **p, **q`
    }
    Result.Stars.push_back({File, Parts->Star, Parts->NameAt - Parts->Star});
  }
  return Result;
}

std::optional<CalleeParameter>
bankstripe::readPointerParameter(const ParmVarDecl *Parameter,
                                 const SourceText &Text) {
  const SourceManager &SM = Text.sources();
  const SourceLocation Begin = Parameter->getBeginLoc();
  if (!Begin.isFileID() || !Parameter->getIdentifier())
    return std::nullopt;
  auto Parts = readDeclarator(Parameter, Text);
  if (!Parts)
    return std::nullopt;
  CalleeParameter Result;
  const unsigned BeginAt = SM.getFileOffset(Begin);
  Result.Name = Parameter->getNameAsString();
  Result.Text = {Text.file(Begin), BeginAt, Parts->End - BeginAt};
  StringRef Buffer = Text.buffer(SM.getFileID(Begin));
  QualType Pointee = Parameter->getOriginalType()->isArrayType()
                         ? Parameter->getType()->getPointeeType()
                         : Parameter->getOriginalType()->getPointeeType();
  Result.To.Text = withoutQualifiers(Buffer.slice(BeginAt, Parts->Star),
                                     Pointee, Text.language());
  if (Pointee->isPointerType() && Pointee.isConstQualified())
    return std::nullopt; // `int *const *p`
  // `auto *p` declares a template whose parameter has no name.
  if (Text.mentions(Result.To.Text, "auto"))
    return std::nullopt;
  Result.To.Const = Pointee.isConstQualified();
  Result.To.Dependent = Pointee->isDependentType();
  return Result;
}
