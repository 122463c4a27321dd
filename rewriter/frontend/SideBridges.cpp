//===-- SideBridges.cpp - what belongs to the host and the device --------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clang checks at each name whether the function is one of the side that it is
// named on; nvcc checks calls, and of these not all. What an error names is put
// on both sides in the next parse, or the checks are off there.
//
//===----------------------------------------------------------------------===//

#include "frontend/SideBridges.h"

#include "frontend/CompilerOptions.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/Basic/Cuda.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/DiagnosticSema.h"
#include "clang/Basic/SourceManager.h"

using namespace bankstripe;
using namespace clang;

namespace {

/// Looks for the closures around a place.
class ClosureFinder final : public DynamicRecursiveASTVisitor {
public:
  ClosureFinder(const ASTContext &Context, SourceLocation Where)
      : Sources(Context.getSourceManager()),
        Where(Sources.getExpansionLoc(Where)) {
    for (Decl *D : Context.getTranslationUnitDecl()->decls())
      if (isIn(D->getSourceRange()))
        TraverseDecl(D);
  }
  bool VisitLambdaExpr(LambdaExpr *Lambda) override {
    const DeclContext *Around = Lambda->getLambdaClass()->getDeclContext();
    while (Around->isRecord())
      Around = Around->getParent();
    const auto *Function = dyn_cast<FunctionDecl>(Around);
    Found |= Function && isIn(Lambda->getSourceRange()) &&
             (Function->hasAttr<CUDAGlobalAttr>() ||
              (Function->hasAttr<CUDADeviceAttr>() &&
               !Function->hasAttr<CUDAHostAttr>()));
    return true;
  }

  bool Found = false;

private:
  bool isIn(SourceRange Range) const {
    return Sources.isPointWithin(Where,
                                 Sources.getExpansionLoc(Range.getBegin()),
                                 Sources.getExpansionLoc(Range.getEnd()));
  }

  const SourceManager &Sources;
  const SourceLocation Where;
};

} // namespace

// A definition without the `__host__ __device__` of its declaration; or another
// declaration of what the host calls in the parse for the device.
bool bankstripe::putOnBothSides(const Fault &F, Bridges &B) {
  std::set<FileOffset> All = {F.at(F.Index)};
  if (F.Diag.getID() == diag::err_cuda_ovl_target)
    if (const FunctionDecl *Before =
            reinterpret_cast<NamedDecl *>(F.Diag.getRawArg(3))->getAsFunction())
      for (const FunctionDecl *Each : Before->redecls())
        All.insert(placeOf(F.Diag.getSourceManager(), Each->getLocation()));
  if (llvm::any_of(All, [&](const FileOffset &Place) {
        return B.CalledByHost.contains(Place);
      }))
    B.CalledByHost.merge(All);
  else
    B.OnBothSides.insert(F.at(F.Index));
  return true;
}

/// Of what kind a candidate is that overload resolution looked at: values of
/// the first %select of notes on it.
enum CandidateKind { WrittenConstructor = 3, ImplicitCopy = 5, ImplicitMove };

// Of the note on a candidate that belongs to the other side.
static CUDAFunctionTarget sideOfCallee(const Fault &F) {
  return CUDAFunctionTarget(F.Diag.getRawArg(3));
}

// Whether the declaration of the function that F names begins with constexpr.
static bool isConstexpr(const Fault &F) {
  for (size_t I = F.Index; I > 0; --I) {
    if (F.Tokens[I].Text == "constexpr")
      return true;
    if (isAmong(F.Tokens[I].Text, "; { }"))
      break;
  }
  return false;
}

// `sizeof(ArraySizeHelper(a))`: what is only named, and not called, may be of
// the other side, and so may what is constexpr (--expt-relaxed-constexpr). A
// container of the host may construct objects whose constructors are the
// device's. In its pass for the device nvcc does not look at what the host
// calls. Other calls of the other side nvcc rejects.
bool bankstripe::putCandidateOnBothSides(const Fault &F, Bridges &B) {
  const CUDAFunctionTarget Side = sideOfCallee(F);
  if (Side != CUDAFunctionTarget::Host && Side != CUDAFunctionTarget::Device)
    return false;
  if (F.IsOnlyNamed)
    return putOnBothSides(F, B);
  if (Side == CUDAFunctionTarget::Host)
    return false;
  if (F.Diag.getRawArg(0) == WrittenConstructor || isConstexpr(F))
    return putOnBothSides(F, B);
  // What declares several functions is not the declarator of one.
  if (F.Diag.getLocation().isMacroID())
    return false;
  B.CalledByHost.insert(F.at(F.Index));
  return true;
}

// A function for both sides calls one of the host, or names its variable. nvcc
// warns of that alone, and takes each destructor.
bool bankstripe::allowHost(const Fault &F, Bridges &B) {
  const Decl *Named = reinterpret_cast<NamedDecl *>(F.Diag.getRawArg(2));
  const auto Side = CUDAFunctionTarget(F.Diag.getRawArg(0));
  const auto Caller = CUDAFunctionTarget(F.Diag.getRawArg(3));
  if (Side != CUDAFunctionTarget::Host ||
      (Caller != CUDAFunctionTarget::HostDevice &&
       !isa<CXXDestructorDecl>(Named)) ||
      ClosureFinder(F.Context, F.Diag.getLocation()).Found)
    return false;
  return B.CallsHost = true;
}

// A closure is copied in device code: for nvcc, the constructors that nobody
// writes belong to both sides, whatever they call.
bool bankstripe::copyOnDevice(const Fault &F, Bridges &B) {
  const uint64_t Kind = F.Diag.getRawArg(0);
  if ((Kind != ImplicitCopy && Kind != ImplicitMove) ||
      sideOfCallee(F) != CUDAFunctionTarget::Host)
    return false;
  return B.CallsHost = true;
}

// `template <> __device__ f(int)` of a template that is `__host__ __device__`.
bool bankstripe::specializeOnBothSides(const Fault &F, Bridges &B) {
  for (size_t I = F.Index; I >= 3; --I) {
    if (F.Tokens[I - 3].Text != "template" || F.Tokens[I - 2].Text != "<" ||
        F.Tokens[I - 1].Text != ">")
      continue;
    B.Behind[F.at(I - 1)] = {"__attribute__((host)) __attribute__((device))",
                             F.at(I).second};
    return true;
  }
  return false;
}
