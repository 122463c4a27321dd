//===-- SideChecks.cpp - who may be named on which side -------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//     if constexpr (std::totally_ordered<T>)
//
// In a kernel, Clang takes this for false: the concept names std::declval,
// which is a function of the host, and there is no way to call it. To nvcc it
// makes no difference who calls, as long as nothing is called. A branch that
// Clang leaves out may hold a barrier, a recursion or a launch, so what it says
// must be what nvcc says.
//
// So while something is only asked, everybody may name everybody. Questions
// nest, and Clang says where each begins and ends. The beginning opens the
// three ways on which Clang lets names through, and a stack holds how they
// stood:
//
//   the language   Code for the device may name functions of the host, as where
//                  standard algorithms run on GPUs (HIPStdPar).
//   the place      A constraint is asked outside of any function.
//   the template   While arguments are put into its signature, it belongs to
//                  both sides, and so do the instances that are made.
//
// The end puts back what is on top, so that after the last question each way
// stands as it did before the first: what runs is checked as ever.
//
//===----------------------------------------------------------------------===//

#include "frontend/SideChecks.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Sema/Sema.h"
#include "clang/Sema/TemplateInstCallback.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <cassert>

using namespace clang;

namespace {

/// Turns the checks off while something is only asked.
class SideChecks final : public TemplateInstantiationCallback {
public:
  SideChecks(Sema &Asked, LangOptions &Options)
      : Asked(Asked), Options(Options), AllowHost(Options.HIPStdPar) {}

  void initialize(const Sema &) override {}
  void finalize(const Sema &) override {}

  void atTemplateBegin(const Sema &,
                       const Sema::CodeSynthesisContext &What) override {
    Before.push_back(
        {bool(Options.HIPStdPar), Asked.CurContext, nullptr, nullptr, 0});
    if (auto *Template = dyn_cast_or_null<FunctionTemplateDecl>(What.Entity);
        Template && mark(*Template->getTemplatedDecl())) {
      Before.back().Marked = Template;
      Before.back().Instances = countInstances(*Template);
    }
    if (What.Kind == Sema::CodeSynthesisContext::ConstraintsCheck) {
      DeclContext *Outside = Asked.CurContext;
      while (Outside->isFunctionOrMethod())
        Outside = Outside->getParent();
      Before.back().Outside = Asked.CurContext = Outside;
    }
    Options.HIPStdPar = AllowHost || isQuestion(What.Kind);
  }

  void atTemplateEnd(const Sema &,
                     const Sema::CodeSynthesisContext &) override {
    assert(!Before.empty() && "what ends has begun");
    const Settings Old = Before.pop_back_val();
    Options.HIPStdPar = Old.AllowsHost;
    if (Old.Marked) {
      unmark(*Old.Marked->getTemplatedDecl());
      for (FunctionDecl *New :
           llvm::drop_begin(Old.Marked->specializations(), Old.Instances))
        unmark(*New);
    }
    if (Old.Outside && Asked.CurContext == Old.Outside)
      Asked.CurContext = Old.Context;
  }

private:
  struct Settings {
    bool AllowsHost;
    DeclContext *Context;
    DeclContext *Outside;         ///< Set for a time.
    FunctionTemplateDecl *Marked; ///< For a time of both sides.
    ptrdiff_t Instances;          ///< Of that one by then.
  };

  static ptrdiff_t countInstances(FunctionTemplateDecl &Template) {
    return Template.spec_end() - Template.spec_begin();
  }

  // What is of the host alone is of both sides then.
  bool mark(FunctionDecl &Signature) const {
    if (Signature.hasAttr<CUDADeviceAttr>() ||
        Signature.hasAttr<CUDAGlobalAttr>())
      return false;
    Signature.addAttr(CUDADeviceAttr::CreateImplicit(Asked.Context));
    if (!Signature.hasAttr<CUDAHostAttr>())
      Signature.addAttr(CUDAHostAttr::CreateImplicit(Asked.Context));
    return true;
  }

  // Nobody wrote what is implicit.
  static void unmark(FunctionDecl &Function) {
    auto IsOurs = [](const Attr *A) {
      return A->isImplicit() && isa<CUDADeviceAttr, CUDAHostAttr>(A);
    };
    if (Function.hasAttrs())
      llvm::erase_if(Function.getAttrs(), IsOurs);
    if (Function.hasAttrs() && Function.getAttrs().empty())
      Function.dropAttrs();
  }

  // Bodies are code that runs.
  static bool isQuestion(Sema::CodeSynthesisContext::SynthesisKind Kind) {
    using Context = Sema::CodeSynthesisContext;
    switch (Kind) {
    case Context::DefaultTemplateArgumentInstantiation:
    case Context::ExplicitTemplateArgumentSubstitution:
    case Context::DeducedTemplateArgumentSubstitution:
    case Context::PriorTemplateArgumentSubstitution:
    case Context::DefaultTemplateArgumentChecking:
    case Context::ExceptionSpecEvaluation:
    case Context::ExceptionSpecInstantiation:
    case Context::RequirementInstantiation:
    case Context::NestedRequirementConstraintsCheck:
    case Context::ConstraintsCheck:
    case Context::ConstraintSubstitution:
    case Context::ConstraintNormalization:
    case Context::RequirementParameterInstantiation:
    case Context::ParameterMappingSubstitution:
    case Context::TypeAliasTemplateInstantiation:
      return true;
    default:
      return false;
    }
  }

  Sema &Asked;
  LangOptions &Options;
  const bool AllowHost; ///< Whatever is asked.
  llvm::SmallVector<Settings> Before;
};

} // namespace

void bankstripe::askWithoutSides(CompilerInstance &Compiler) {
  Sema &Asked = Compiler.getSema();
  Asked.TemplateInstCallbacks.push_back(
      std::make_unique<SideChecks>(Asked, Compiler.getLangOpts()));
}
