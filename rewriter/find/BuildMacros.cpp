//===-- BuildMacros.cpp - macros that differ by build ---------------------===//
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
// -DBLOCK=256. What stands in the conditions in which a macro is defined is
// compiled together with it.
//
//===----------------------------------------------------------------------===//

#include "find/BuildMacros.h"
#include "find/BodyIndex.h"
#include "clang/AST/ASTContext.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace bankstripe;
using namespace clang;

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

// Whether what is written at Spelled, in a macro that is used at Used, may be
// something else in another build.
static bool mayDiffer(SourceLocation Spelled, SourceLocation Used,
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

std::string bankstripe::buildMacroIn(const Expr *E, const ASTContext &Context) {
  const SourceManager &SM = Context.getSourceManager();
  std::string Result;
  llvm::SmallPtrSet<const Decl *, 8> Seen;
  llvm::SmallVector<const Stmt *> Pending{E};
  auto IsByBuild = [&](const Stmt *Part) {
    for (SourceLocation Loc = Part->getBeginLoc(); Loc.isMacroID();
         Loc = SM.getImmediateMacroCallerLoc(Loc))
      if (mayDiffer(SM.getSpellingLoc(Loc), SM.getExpansionLoc(Loc), SM)) {
        Result = Lexer::getImmediateMacroName(Loc, SM, Context.getLangOpts());
        return true;
      }
    const auto *Name = dyn_cast<DeclRefExpr>(Part);
    if (!Name || !Seen.insert(Name->getDecl()).second)
      return false;
    if (const auto *Variable = dyn_cast<VarDecl>(Name->getDecl()))
      Pending.push_back(Variable->getAnyInitializer());
    else if (const auto *Value = dyn_cast<EnumConstantDecl>(Name->getDecl()))
      Pending.push_back(Value->getInitExpr());
    else if (const auto *Function = dyn_cast<FunctionDecl>(Name->getDecl()))
      Pending.push_back(Function->getBody());
    return false;
  };
  while (!Pending.empty() && !anyPart(Pending.pop_back_val(), IsByBuild)) {
  }
  return Result;
}

static bool hasBuildMacro(llvm::ArrayRef<TemplateArgumentLoc> Arguments,
                          const ASTContext &Context) {
  return llvm::any_of(Arguments, [&](const TemplateArgumentLoc &Argument) {
    return Argument.getArgument().getKind() == TemplateArgument::Expression &&
           !buildMacroIn(Argument.getSourceExpression(), Context).empty();
  });
}

bool bankstripe::isInstanceByBuildMacro(const DeclRefExpr *Name,
                                        const ASTContext &Context) {
  if (hasBuildMacro(Name->template_arguments(), Context))
    return true;
  const TypeLoc Scope = Name->getQualifierLoc().getAsTypeLoc();
  const auto Class =
      Scope ? Scope.getAs<TemplateSpecializationTypeLoc>() : TypeLoc();
  if (!Class)
    return false;
  const auto Written = Class.castAs<TemplateSpecializationTypeLoc>();
  for (unsigned I = 0; I < Written.getNumArgs(); ++I)
    if (hasBuildMacro(Written.getArgLoc(I), Context))
      return true;
  return false;
}
