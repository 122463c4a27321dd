//===-- PointerDeclaration.cpp - pointers to be declared anew -------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "find/PointerDeclaration.h"
#include "find/Declaration.h"
#include "clang/AST/TypeLoc.h"
#include "clang/Basic/CharInfo.h"

using namespace bankstripe;
using namespace clang;

// The words that say nothing about the type of the element.
static bool isNoType(StringRef Word) {
  return Word == "const" || Word == "__restrict__" || Word == "__restrict" ||
         Word == "restrict";
}

// The text without such words, blanks as they were.
static std::string withoutQualifiers(StringRef Written) {
  std::string Result;
  while (!Written.empty()) {
    const StringRef Word =
        Written.take_while([](char C) { return isAsciiIdentifierContinue(C); });
    if (!isNoType(Word))
      Result += Word.empty() ? Written.take_front() : Word;
    Written = Written.drop_front(std::max<size_t>(Word.size(), 1));
  }
  return StringRef(Result).trim().str();
}

namespace {

/// `int *NAME` or `int NAME[N]`.
struct PointerText {
  Pointee To;
  TextRange Specifiers;
  TextRange Star; ///< With what follows to the name; of length 0 if none.
  TextRange Whole;
};

} // namespace

// The declaration that begins at Begin and declares Variable; nothing when it
// has another shape.
static std::optional<PointerText> readPointer(SourceLocation Begin,
                                              const VarDecl *Variable,
                                              const SourceText &Text) {
  const SourceManager &SM = Text.sources();
  const SourceLocation Name = Variable->getLocation();
  TypeSourceInfo *Info = Variable->getTypeSourceInfo();
  if (!Info || !Begin.isFileID() || !Name.isFileID() ||
      SM.getFileID(Name) != SM.getFileID(Begin))
    return std::nullopt;
  TypeLoc Type = Info->getTypeLoc();
  if (auto Qualified = Type.getAs<QualifiedTypeLoc>())
    Type = Qualified.getUnqualifiedLoc();
  const unsigned BeginAt = SM.getFileOffset(Begin);
  const unsigned NameAt = SM.getFileOffset(Name);
  unsigned StarAt = NameAt, End = NameAt + Variable->getName().size();
  const StringRef Buffer = Text.buffer(Name);
  if (auto Pointer = Type.getAs<PointerTypeLoc>()) {
    StarAt = SM.getFileOffset(Pointer.getStarLoc());
    if (Pointer.getStarLoc().isMacroID() ||
        !withoutQualifiers(Buffer.slice(StarAt + 1, NameAt)).empty())
      return std::nullopt;
  } else {
    auto Array = Type.getAs<ArrayTypeLoc>();
    if (!Array || Array.getRBracketLoc().isMacroID() ||
        Array.getElementLoc().getAs<ArrayTypeLoc>())
      return std::nullopt;
    End = SM.getFileOffset(Array.getRBracketLoc()) + 1;
  }
  PointerText Result;
  const std::string File = Text.file(Begin);
  Result.Specifiers = {File, BeginAt, StarAt - BeginAt};
  Result.Star = {File, StarAt, NameAt - StarAt};
  Result.Whole = {File, BeginAt, End - BeginAt};
  const QualType To = Variable->getType()->getPointeeType();
  // Where the element is itself a pointer, a `const` in front belongs to what
  // that points to.
  const StringRef Written = Buffer.slice(BeginAt, StarAt);
  if (Text.mentions(Written, "__attribute__") ||
      Text.mentions(Written, "__align__"))
    return std::nullopt;
  if (To.isNull() || (To->isPointerType() && To.isConstQualified()))
    return std::nullopt; // `int a[4]`, `int *const *p`
  Result.To = {To->isPointerType() ? Written.trim().str()
                                   : withoutQualifiers(Written),
               To.isConstQualified(), To->isDependentType()};
  return Result;
}

std::optional<PointerDeclaration> bankstripe::readPointerDeclaration(
    const DeclStmt *Statement, const VarDecl *Source, const SourceText &Text) {
  PointerDeclaration Result;
  const SourceLocation Begin = behindAttributes(Statement, Text);
  if (Text.isIncludedInside(Begin)) // A version includes it, too.
    return std::nullopt;
  const bool IsBehind = *Statement->decl_begin() == Source;
  for (const Decl *D : Statement->decls()) {
    if (D == Source && IsBehind)
      continue;
    const auto *Variable = dyn_cast<VarDecl>(D);
    if (!Variable || Variable->getStorageClass() != SC_None)
      return std::nullopt;
    // `auto p = a` means the new type without an edit.
    if (isa<AutoType>(Variable->getTypeSourceInfo()->getType().getTypePtr()) &&
        Statement->isSingleDecl())
      return Result;
    auto Parts = readPointer(Begin, Variable, Text);
    // `auto *p = a` becomes that; `const auto *p` would lose its `const`.
    const bool IsAuto = Parts && Parts->To.Text == Pointee::Deduced &&
                        !Parts->To.Const && Statement->isSingleDecl();
    if (!Parts || (Variable->getType()->getContainedDeducedType() && !IsAuto) ||
        (Variable->getType()->getPointeeType()->isPointerType() &&
         !Statement->isSingleDecl())) // `int **p, **q`
      return std::nullopt;
    if (Result.Stars.empty()) {
      Result.Specifiers = std::move(Parts->Specifiers);
      Result.To = std::move(Parts->To);
    }
    Result.Stars.push_back(std::move(Parts->Star));
  }
  const SourceLocation Name = Source->getLocation();
  if (IsBehind &&
      (!Name.isFileID() || !Text.sources().isWrittenInSameFile(Begin, Name)))
    return std::nullopt;
  if (IsBehind) {
    Result.Specifiers = {Text.file(Begin), Result.Stars.front().Offset, 0};
    const auto At = [&](SourceLocation Loc) {
      return Text.sources().getFileOffset(Loc);
    };
    Result.To.Text =
        withoutQualifiers(Text.buffer(Name).slice(At(Begin), At(Name)));
  }
  return Result;
}

std::optional<CalleeParameter>
bankstripe::readPointerParameter(const ParmVarDecl *Parameter,
                                 const SourceText &Text) {
  auto Parts = readPointer(Parameter->getBeginLoc(), Parameter, Text);
  // `auto *p` declares a template whose parameter has no name.
  if (!Parts || !Parameter->getIdentifier() ||
      Text.mentions(Parts->To.Text, "auto"))
    return std::nullopt;
  return CalleeParameter{std::move(Parts->Whole),
                         Parameter->getNameAsString(),
                         std::move(Parts->To),
                         {}};
}
