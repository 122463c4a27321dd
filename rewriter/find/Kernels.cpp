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
static std::string repeatable(const Expr *Bound, const BodyIndex &Body,
                              const SourceText &Text) {
  auto Written = Text.written(Bound->getSourceRange());
  if (!Written || Written->find('\n') != std::string::npos)
    return "";
  Lexer Raw(SourceLocation(), Text.language(), Written->c_str(),
            Written->c_str(), Written->c_str() + Written->size());
  Token Tok;
  bool Done = false;
  while (!Done) {
    Done = Raw.LexFromRawLexer(Tok);
    if (Tok.is(tok::raw_identifier))
      for (const IdentifierInfo *Local : Body.LocalNames)
        if (Local->getName() == Tok.getRawIdentifier())
          return "";
  }
  return *Written;
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
  K.Bounds = LaunchBounds{
      static_cast<unsigned>(Bound),
      Bounds->isInherited() ? std::string() : repeatable(Threads, Body, Text)};
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
