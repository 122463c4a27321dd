//===-- Kernels.cpp - kernels and the functions they reach ----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "find/Kernels.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Mangle.h"
#include "clang/Lex/Lexer.h"

using namespace bankstripe;
using namespace clang;

// The text of the bound can be repeated in the body when no name in it means
// something else there.
static std::string repeatable(const Expr *Bound, const FunctionDecl *Function,
                              const BodyIndex &Body, const SourceText &Text) {
  auto Written = Text.written(Bound->getSourceRange());
  const SourceRange Behind(
      Text.sources().getExpansionLoc(Bound->getEndLoc()),
      Text.sources().getExpansionLoc(Function->getEndLoc()));
  if (!Written || Written->find('\n') != std::string::npos ||
      Text.anyIdentifier(*Written, [&](const IdentifierInfo &Name) {
        return Body.LocalNames.contains(&Name) ||
               Text.isRedefined(Name, Behind);
      }))
    return "";
  return *Written;
}

// The attribute of a kernel that launch bounds cannot stand beside (CUDA
// programming guide, "Maximum number of registers per thread" and
// "__block_size__"). Clang does not know them, so they are looked for in the
// text, from the end of what is declared before.
static std::string excludesBounds(const FunctionDecl *Function,
                                  const SourceText &Text) {
  const SourceManager &SM = Text.sources();
  std::string Found;
  for (const FunctionDecl *D : Function->redecls()) {
    auto [File, NameAt] = SM.getDecomposedExpansionLoc(D->getLocation());
    const StringRef Buffer = Text.buffer(File);
    const size_t Before = Buffer.take_front(NameAt).find_last_of(";{}");
    const size_t Begin = Before == StringRef::npos ? 0 : Before + 1;
    Text.anyIdentifier(Buffer.slice(Begin, Buffer.find_first_of(";{", NameAt)),
                       [&](const IdentifierInfo &Name) {
                         for (StringRef Each :
                              {"__maxnreg__", "maxnreg", "__block_size__"})
                           if (Name.isStr(Each))
                             Found = Each.str();
                         return !Found.empty();
                       });
  }
  return Found;
}

static void readBounds(Kernel &K, const FunctionDecl *Function,
                       const BodyIndex &Body, ASTContext &Context,
                       const SourceText &Text) {
  // Any declaration can carry the attribute; it is inherited by later ones.
  const auto *Bounds = Function->getAttr<CUDALaunchBoundsAttr>();
  if (!Bounds)
    return;
  const Expr *Threads = Bounds->getMaxThreads();
  Expr::EvalResult Value;
  if (!Threads || Threads->isValueDependent() ||
      !Threads->EvaluateAsInt(Value, Context))
    return;
  int64_t Bound = Value.Val.getInt().getExtValue();
  if (Bound <= 0 || Bound > 1024)
    return;
  K.Bounds = LaunchBounds{static_cast<unsigned>(Bound),
                          Bounds->isInherited()
                              ? std::string()
                              : repeatable(Threads, Function, Body, Text)};
}

Kernel bankstripe::readKernel(const FunctionDecl *Function,
                              BodyIndexCache &Bodies, ASTContext &Context,
                              const SourceText &Text) {
  Kernel K;
  K.Id = ASTNameGenerator(Context).getName(Function);
  // With template arguments, which tell instantiations apart.
  llvm::raw_string_ostream Name(K.Name);
  Function->getNameForDiagnostic(Name, Context.getPrintingPolicy(),
                                 /*Qualified=*/true);
  K.Where = Text.place(Function->getLocation());
  if (const BodyIndex *Body = Bodies.get(Function))
    readBounds(K, Function, *Body, Context, Text);
  K.BoundsExcludedBy = excludesBounds(Function, Text);
  // Before the name, or before the qualifier of `space::name`.
  SourceLocation Begin = Function->getQualifierLoc()
                             ? Function->getQualifierLoc().getBeginLoc()
                             : Function->getLocation();
  if (Begin.isFileID())
    K.BoundsInsertion = {Text.file(Begin), Text.sources().getFileOffset(Begin),
                         0};
  if (auto Brace = Text.writtenRange(Function->getBody()->getBeginLoc()))
    K.BodyStart = {Brace->File, Brace->Offset + 1, 0};
  return K;
}
