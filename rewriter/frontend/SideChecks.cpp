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
// Two switches of Clang turn this off for a time. Code for the device may name
// functions of the host where standard algorithms run on GPUs (HIPStdPar). And
// outside of any function, everybody may be named; constraints are asked there.
// What a function of the host asks about one of the device in the signature of
// a template stays a difference.
//
//===----------------------------------------------------------------------===//

#include "frontend/SideChecks.h"
#include "clang/AST/Decl.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Sema/Sema.h"
#include "clang/Sema/TemplateInstCallback.h"
#include "llvm/ADT/SmallVector.h"
#include <cassert>

using namespace clang;

namespace {

/// Turns the checks off while something is only asked.
class SideChecks final : public TemplateInstantiationCallback {
public:
  SideChecks(Sema &Asked, LangOptions &Options)
      : Asked(Asked), Options(Options) {}

  void initialize(const Sema &) override {}
  void finalize(const Sema &) override {}

  void atTemplateBegin(const Sema &,
                       const Sema::CodeSynthesisContext &What) override {
    Before.push_back({bool(Options.HIPStdPar), Asked.CurContext, nullptr});
    if (What.Kind == Sema::CodeSynthesisContext::ConstraintsCheck) {
      DeclContext *Outside = Asked.CurContext;
      while (Outside->isFunctionOrMethod())
        Outside = Outside->getParent();
      Before.back().Outside = Asked.CurContext = Outside;
    }
    Options.HIPStdPar = isQuestion(What.Kind);
  }

  void atTemplateEnd(const Sema &,
                     const Sema::CodeSynthesisContext &) override {
    assert(!Before.empty() && "what ends has begun");
    const Settings Old = Before.pop_back_val();
    Options.HIPStdPar = Old.AllowsHost;
    if (Old.Outside && Asked.CurContext == Old.Outside)
      Asked.CurContext = Old.Context;
  }

private:
  struct Settings {
    bool AllowsHost;
    DeclContext *Context;
    DeclContext *Outside; ///< Set for a time.
  };

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
  llvm::SmallVector<Settings> Before;
};

} // namespace

void bankstripe::askWithoutSides(CompilerInstance &Compiler) {
  Sema &Asked = Compiler.getSema();
  Asked.TemplateInstCallbacks.push_back(
      std::make_unique<SideChecks>(Asked, Compiler.getLangOpts()));
}
