//===-- Constants.cpp - constants, and how sure they are ------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//     #ifndef BLOCK
//     #define BLOCK 96
//     #endif
//
// A bound of 96 that is written into the source would break a build with
// -DBLOCK=256. So a value is fixed if it is made of literals by operators, and
// of names of constants that are: and if no condition of the preprocessor is
// open where a literal or a name is defined, but those that are open where it
// is used, which are compiled together with it.
//
//===----------------------------------------------------------------------===//

#include "find/Constants.h"
#include "find/BodyIndex.h"
#include "clang/AST/ASTContext.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace bankstripe;
using namespace clang;

std::optional<int64_t> bankstripe::constantOf(const Expr *E,
                                              const ASTContext &Context) {
  Expr::EvalResult Result;
  if (E->isValueDependent() || E->containsErrors() ||
      !E->EvaluateAsInt(Result, Context) ||
      !Result.Val.getInt().isRepresentableByInt64())
    return std::nullopt;
  return Result.Val.getInt().getExtValue();
}

namespace {

/// A condition, and the macro that it asks for last.
struct Condition {
  size_t Offset;
  StringRef Asked;
  bool IsGuard = false; ///< It keeps a header from being read twice.
};

} // namespace

static StringRef lastName(StringRef Text) {
  Text = Text.split("//").first.split("/*").first.rtrim(") \t\r");
  return Text.take_back(
      Text.size() - 1 -
      Text.find_last_not_of("abcdefghijklmnopqrstuvwxyz"
                            "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789"));
}

// The conditions that are open where the last line of Code begins.
static std::vector<size_t> openConditions(StringRef Code) {
  std::vector<Condition> Open;
  Code = Code.take_front(Code.rfind('\n') + 1);
  for (StringRef Left = Code; !Left.empty();) {
    const auto [Line, Next] = Left.split('\n');
    const size_t Offset = Left.data() - Code.data();
    Left = Next;
    StringRef Rest = Line.ltrim();
    if (!Rest.consume_front("#"))
      continue;
    Rest = Rest.ltrim();
    const StringRef Directive = Rest.take_while(llvm::isAlpha);
    Rest = Rest.drop_front(Directive.size());
    if (Directive.starts_with("if"))
      Open.push_back({Offset, lastName(Rest)});
    else if (Directive == "endif" && !Open.empty())
      Open.pop_back();
    else if (Directive == "define" && !Open.empty())
      Open.back().IsGuard |= Rest.trim() == Open.back().Asked;
  }
  std::vector<size_t> Offsets;
  for (const Condition &C : Open)
    if (!C.IsGuard)
      Offsets.push_back(C.Offset);
  return Offsets;
}

bool bankstripe::mayDiffer(SourceLocation Spelled, SourceLocation Used,
                           const SourceManager &SM) {
  if (SM.isWrittenInCommandLineFile(Spelled))
    return true;
  if (SM.isInSystemHeader(Spelled) || SM.isWrittenInBuiltinFile(Spelled))
    return false;
  auto ConditionsAt = [&](SourceLocation Loc) {
    const auto [File, Offset] = SM.getDecomposedLoc(Loc);
    return openConditions(SM.getBufferData(File).take_front(Offset));
  };
  const std::vector<size_t> Defined = ConditionsAt(Spelled);
  if (Defined.empty() || !SM.isWrittenInSameFile(Spelled, Used))
    return !Defined.empty();
  const std::vector<size_t> Open = ConditionsAt(Used);
  return !llvm::is_contained(Open, Defined.back());
}

// Whether every compiler makes the same of Part, if it does so of its parts.
static bool isUnderstood(const Stmt *Part) {
  if (const auto *Size = dyn_cast<UnaryExprOrTypeTraitExpr>(Part)) {
    const QualType Type = Size->getTypeOfArgument();
    return Type->isBuiltinType() &&
           !Type->isSpecificBuiltinType(BuiltinType::LongDouble);
  }
  if (const auto *Construct = dyn_cast<CXXConstructExpr>(Part))
    return isOfSystem(Construct->getConstructor());
  return isa<IntegerLiteral, CharacterLiteral, CXXBoolLiteralExpr, ParenExpr,
             CastExpr, UnaryOperator, BinaryOperator, ConditionalOperator,
             DeclRefExpr, ConstantExpr, InitListExpr, ExprWithCleanups,
             MaterializeTemporaryExpr, CXXDefaultArgExpr>(Part);
}

// The initialiser of the constant that Name names; null for anything else.
static const Expr *definitionOf(const DeclRefExpr *Name) {
  if (const auto *Value = dyn_cast<EnumConstantDecl>(Name->getDecl()))
    return Value->getInitExpr();
  const auto *Variable = dyn_cast<VarDecl>(Name->getDecl());
  return Variable ? Variable->getAnyInitializer() : nullptr;
}

std::string bankstripe::whyNotFixed(const Expr *E, const ASTContext &Context) {
  const SourceManager &SM = Context.getSourceManager();
  std::string Why;
  llvm::SmallPtrSet<const Decl *, 8> Seen;
  llvm::SmallVector<const Stmt *> Pending{E};
  auto Differs = [&](StringRef Name) {
    Why = ("another build may define '" + Name + "' otherwise").str();
    return true;
  };
  auto IsUnsure = [&](const Stmt *Part) {
    for (SourceLocation Loc = Part->getBeginLoc(); Loc.isMacroID();
         Loc = SM.getImmediateMacroCallerLoc(Loc))
      if (mayDiffer(SM.getSpellingLoc(Loc), SM.getExpansionLoc(Loc), SM))
        return Differs(
            Lexer::getImmediateMacroName(Loc, SM, Context.getLangOpts()));
    if (!isUnderstood(Part)) {
      Why = "it is computed from more than numbers and constants";
      return true;
    }
    const auto *Name = dyn_cast<DeclRefExpr>(Part);
    const NamedDecl *Named = Name ? Name->getDecl() : nullptr;
    if (!Named || !Seen.insert(Named).second)
      return false;
    if (mayDiffer(SM.getExpansionLoc(Named->getLocation()),
                  SM.getExpansionLoc(Name->getLocation()), SM))
      return Differs(Named->getName());
    Pending.push_back(definitionOf(Name));
    return false;
  };
  while (!Pending.empty() && !anyPart(Pending.pop_back_val(), IsUnsure)) {
  }
  return Why;
}
