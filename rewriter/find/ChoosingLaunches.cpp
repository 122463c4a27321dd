//===-- ChoosingLaunches.cpp - launches that can choose -------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch that chooses names its kernel, grid and stream once more:
//
//     ::bankstripe::chosen<decltype(sum), sum, sum_striped>()<<<
//         grid, block,
//         ::bankstripe::choose<decltype(sum), sum, sum_striped>(
//             true, grid, block, 0, stream),
//         stream>>>(in, out);
//
// so these must mean the same each time, and the kernel's name that one kernel,
// without the arguments of the launch: no overload. A call through a pointer
// has no defaults.
//
//===----------------------------------------------------------------------===//

#include "find/ChoosingLaunches.h"
#include "find/BodyIndex.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace bankstripe;
using namespace clang;

/// Functions that call functions are looked at so deep.
static constexpr unsigned MostCalls = 4;

// Whether S itself, without its parts, gives the same twice and changes
// nothing.
static bool mayRepeat(const Stmt *S, unsigned Calls);

// The same of all that S consists of.
static bool mayRepeatAll(const Stmt *S, unsigned Calls) {
  return !anyPart(S, [&](const Stmt *Part) { return !mayRepeat(Part, Calls); });
}

// Whether the function that is called makes a value of its arguments and does
// nothing else, like `div_up(n, 256)` or `dim3(n, 2)`.
static bool onlyComputes(const FunctionDecl *Callee, unsigned Calls) {
  const auto *Method = dyn_cast_or_null<CXXMethodDecl>(Callee);
  if (!Callee || (Method && Method->isVirtual()) || Calls == 0 ||
      !Callee->hasBody(Callee))
    return false;
  const auto *Constructor = dyn_cast<CXXConstructorDecl>(Callee);
  return mayRepeatAll(Callee->getBody(), Calls - 1) &&
         (!Constructor ||
          llvm::all_of(Constructor->inits(), [&](const auto *Init) {
            return mayRepeatAll(Init->getInit(), Calls - 1);
          }));
}

static bool mayRepeat(const Stmt *S, unsigned Calls) {
  if (const auto *Value = dyn_cast<Expr>(S);
      Value && Value->getType().isVolatileQualified())
    return false;
  if (const auto *Binary = dyn_cast<BinaryOperator>(S))
    return !Binary->isAssignmentOp();
  if (const auto *Unary = dyn_cast<UnaryOperator>(S))
    return !Unary->isIncrementDecrementOp();
  if (const auto *Call = dyn_cast<CallExpr>(S))
    return onlyComputes(Call->getDirectCallee(), Calls);
  if (const auto *Construct = dyn_cast<CXXConstructExpr>(S))
    return Construct->getConstructor()->isTrivial() ||
           onlyComputes(Construct->getConstructor(), Calls);
  if (const auto *Default = dyn_cast<CXXDefaultArgExpr>(S))
    return mayRepeatAll(Default->getExpr(), Calls);
  if (const auto *Default = dyn_cast<CXXDefaultInitExpr>(S))
    return mayRepeatAll(Default->getExpr(), Calls);
  return isa<IntegerLiteral, FloatingLiteral, CharacterLiteral, StringLiteral,
             CXXBoolLiteralExpr, CXXNullPtrLiteralExpr, GNUNullExpr,
             DeclRefExpr, MemberExpr, CXXThisExpr, CastExpr, ParenExpr,
             ArraySubscriptExpr, AbstractConditionalOperator, InitListExpr,
             CompoundLiteralExpr, ImplicitValueInitExpr, CXXScalarValueInitExpr,
             UnaryExprOrTypeTraitExpr, TypeTraitExpr, SizeOfPackExpr,
             SubstNonTypeTemplateParmExpr, ConstantExpr, ExprWithCleanups,
             MaterializeTemporaryExpr, CompoundStmt, ReturnStmt, IfStmt>(S);
}

bool bankstripe::mayBeComputedTwice(const Expr *E, const SourceText &Text) {
  return mayRepeatAll(E, MostCalls) && !Text.counts(E->getSourceRange());
}

// The text of E, if it may stand there once more.
static std::optional<std::string> repeatable(const Expr *E,
                                             const SourceText &Text) {
  if (!mayBeComputedTwice(E, Text))
    return std::nullopt;
  return Text.written(E->getSourceRange());
}

ChoiceText bankstripe::readChoice(const CUDAKernelCallExpr *Call,
                                  const DeclRefExpr *Kernel, const Expr *Grid,
                                  const Expr *Stream, const SourceText &Text) {
  if (!Kernel || Kernel->hadMultipleCandidates() ||
      llvm::any_of(Call->arguments(), [](const Expr *Argument) {
        return isa<CXXDefaultArgExpr>(Argument);
      }))
    return {};
  const SourceRange Whole(Kernel->getBeginLoc(),
                          Kernel->hasExplicitTemplateArgs()
                              ? Kernel->getRAngleLoc()
                              : Kernel->getLocation());
  auto Callee = Text.writtenRange(Whole);
  auto GridText = repeatable(Grid, Text);
  auto StreamText =
      Stream ? repeatable(Stream, Text) : std::optional<std::string>("0");
  if (!Callee || !GridText || !StreamText)
    return {};
  return {*Callee, std::move(*GridText), std::move(*StreamText)};
}
