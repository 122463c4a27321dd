//===-- Views.cpp - how aligned an array has to lie -----------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiler aligns local memory generously, and real programs rely on it:
// they read a float[16] as float4. A slot has just the alignment that the type
// asks for, unless something that the array's address can reach casts to a type
// of more. What the address can reach is overestimated: the functions that it
// is passed to with all that they call, and where it is used in any other way
// the whole function.
//
//===----------------------------------------------------------------------===//

#include "find/Arrays.h"
#include "find/Kernels.h"
#include "clang/AST/ExprCXX.h"

using namespace bankstripe;
using namespace clang;

// Vector types are aligned to at most this, in bytes.
static constexpr unsigned WidestVector = 16;

static unsigned widestBelow(const FunctionDecl *Function,
                            BodyIndexCache &Bodies) {
  unsigned Widest = 0;
  for (const FunctionDecl *Reached : reachableFrom(Function, Bodies))
    if (const BodyIndex *Body = Bodies.get(Reached))
      Widest = std::max(Widest, Body->WidestView);
  return Widest;
}

// The function that the array is handed to here, if nothing else is done with
// it; null otherwise. With Subscripted, it is an element that is read.
static const FunctionDecl *receiver(const DeclRefExpr *Reference,
                                    const BodyIndex &Body, bool &Subscripted) {
  const Stmt *Child = Reference, *Parent = Body.parentOf(Reference);
  Subscripted = false;
  while (Parent) {
    const auto *Cast = dyn_cast<ImplicitCastExpr>(Parent);
    if (Cast && Cast->getCastKind() == CK_LValueToRValue &&
        !Cast->getType()->isPointerType())
      Subscripted = true;
    if (const auto *Subscript = dyn_cast<ArraySubscriptExpr>(Parent)) {
      const Stmt *Above = Body.parentOf(Parent);
      const auto *Load = dyn_cast_or_null<ImplicitCastExpr>(Above);
      const auto *Assign = dyn_cast_or_null<BinaryOperator>(Above);
      if ((Load && Load->getCastKind() == CK_LValueToRValue) ||
          (Assign && Assign->isAssignmentOp() && Assign->getLHS() == Parent &&
           !Subscript->getType()->isArrayType())) {
        Subscripted = true;
        return nullptr;
      }
    } else if (!Cast && !isa<ParenExpr>(Parent)) {
      break;
    }
    Child = Parent;
    Parent = Body.parentOf(Parent);
  }
  const auto *Call = dyn_cast_or_null<CallExpr>(Parent);
  return Call && Call->getCallee() != Child ? Call->getDirectCallee() : nullptr;
}

unsigned bankstripe::viewAlignment(const VarDecl *Variable,
                                   const FunctionDecl *Function,
                                   const BodyIndex &Body,
                                   BodyIndexCache &Bodies) {
  unsigned Widest = 0;
  for (const DeclRefExpr *Reference : Body.References.lookup(Variable)) {
    bool Subscripted = false;
    const FunctionDecl *Receiver = receiver(Reference, Body, Subscripted);
    if (!Subscripted)
      Widest =
          std::max(Widest, widestBelow(Receiver ? Receiver : Function, Bodies));
  }
  return std::min(Widest, WidestVector);
}
