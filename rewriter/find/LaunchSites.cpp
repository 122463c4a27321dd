//===-- LaunchSites.cpp - the text of launches and kernels ----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch that asks for dynamic shared memory names its block size twice:
//
//     kernel<<<grid, block, kernel_shared_bytes(block, 0)>>>(in, out);
//
// so the block size must mean the same the second time, which a call or an
// assignment may not. (And the grid, where the function gets it too: but it can
// do without.) The function stands in the scope of the kernel, so that
// whatever finds the kernel's name finds the function's too.
//
//===----------------------------------------------------------------------===//

#include "find/LaunchSites.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/StringExtras.h"

using namespace bankstripe;
using namespace clang;

// Whether evaluating E a second time changes nothing and gives the same.
static bool mayRepeat(const Stmt *E) {
  if (!E)
    return true;
  if (const auto *Value = dyn_cast<Expr>(E);
      Value && Value->getType().isVolatileQualified())
    return false;
  if (const auto *Operator = dyn_cast<BinaryOperator>(E);
      Operator && Operator->isAssignmentOp())
    return false;
  if (const auto *Operator = dyn_cast<UnaryOperator>(E);
      Operator && Operator->isIncrementDecrementOp())
    return false;
  if (isa<CallExpr, LambdaExpr, CXXNewExpr, StmtExpr>(E))
    return false;
  return llvm::all_of(E->children(), mayRepeat);
}

// The function whose text declares what a launch names.
static const FunctionDecl *writtenFunction(const FunctionDecl *Function) {
  const FunctionDecl *Pattern = Function->getTemplateInstantiationPattern();
  return Pattern ? Pattern : Function;
}

// The point before a declaration, with its template header.
static TextRange pointBefore(const FunctionDecl *Declared,
                             const SourceText &Text) {
  const auto *Template = Declared->getDescribedFunctionTemplate();
  const SourceLocation Begin = Text.sources().getExpansionLoc(
      Template ? Template->getBeginLoc() : Declared->getBeginLoc());
  return {Text.file(Begin), Text.sources().getFileOffset(Begin), 0};
}

// Whether what opens the arguments stands between the kernel's or the
// function's name and the argument, and not in a macro that gets both. Calls
// return an error, and the macros that check it repeat them in a message.
static bool standsInOneText(const Expr *Launch, const Expr *Argument,
                            const SourceText &Text) {
  const bool IsCall = !isa<CUDAKernelCallExpr>(Launch);
  auto Begin = Text.spelled(Launch->getBeginLoc(), /*InMessages=*/IsCall);
  auto End = Text.spelled(Launch->getEndLoc(), /*InMessages=*/IsCall);
  auto Written = Text.writtenRange(Argument->getSourceRange());
  if (!Begin || !End || !Written)
    return false;
  auto Whole = Text.tokens(*Begin, *End);
  if (!Whole || Whole->File != Written->File ||
      Written->Offset < Whole->Offset || Written->end() > Whole->end())
    return false;
  std::string Between = Text.buffer(Text.sources().getFileID(*Begin))
                            .slice(Whole->Offset, Written->Offset)
                            .str();
  llvm::erase_if(Between, llvm::isSpace); // `<< <` opens a launch as well.
  return StringRef(Between).contains(IsCall ? "(" : "<<<");
}

// Reads what becomes another text. \returns why that cannot be done, or null.
static const char *readReplaced(const LaunchParts &Parts,
                                const SourceText &Text, LaunchText &Result) {
  const Expr *Written =
      Parts.Configuration ? Parts.Configuration : Parts.Shared;
  auto Where =
      Text.writtenRange((Written ? Written : Parts.Before)->getSourceRange());
  auto Replaced = Written ? Text.written(Written->getSourceRange()) : "";
  if (!Where || !Replaced)
    return "a macro gives a part of it";
  Result.Replaced = Written ? *Where : TextRange{Where->File, Where->end(), 0};
  (Parts.Configuration ? Result.Configuration : Result.Shared) = *Replaced;
  if (Parts.Configuration)
    return nullptr;
  auto Block = Text.written(Parts.Block->getSourceRange());
  if (!Block)
    return "a macro gives a part of it";
  if (!mayRepeat(Parts.Block))
    return "its block size would be computed twice";
  Result.Block = *Block;
  if (Parts.Grid && mayRepeat(Parts.Grid))
    Result.Grid = Text.written(Parts.Grid->getSourceRange()).value_or("");
  return nullptr;
}

LaunchText bankstripe::readLaunchText(const LaunchParts &Parts,
                                      const SourceText &Text) {
  LaunchText Result;
  auto Fail = [&](const char *Why) {
    Result.Problem = Why;
    return Result;
  };
  const DeclRefExpr *Kernel = Parts.Kernel;
  if (!Kernel)
    return Fail("it does not name its kernel");
  const Expr *Argument =
      Parts.Configuration ? Parts.Configuration : Parts.Block;
  if (!standsInOneText(Parts.Whole, Argument, Text))
    return Fail("it stands in a macro");
  auto Name = Text.written({Kernel->getBeginLoc(), Kernel->getLocation()});
  if (!Name)
    return Fail("a macro gives a part of it");
  Result.Kernel = *Name;
  if (const char *Problem = readReplaced(Parts, Text, Result))
    return Fail(Problem);
  for (const FunctionDecl *Declared :
       writtenFunction(cast<FunctionDecl>(Kernel->getDecl()))->redecls()) {
    Result.SeesDefinition |= Declared->isThisDeclarationADefinition();
    Result.Declarations.push_back(pointBefore(Declared, Text));
  }
  const auto *Template =
      cast<FunctionDecl>(Kernel->getDecl())->getPrimaryTemplate();
  Result.Deduced =
      Template && (Template->getTemplateParameters()->hasParameterPack() ||
                   Kernel->getNumTemplateArgs() <
                       Template->getTemplateParameters()->size());
  if (Kernel->hasExplicitTemplateArgs()) {
    auto Arguments =
        Text.written({Kernel->getLAngleLoc(), Kernel->getRAngleLoc()});
    if (!Arguments)
      return Fail("a macro gives a part of it");
    Result.Arguments = *Arguments;
  }
  return Result;
}

std::optional<TextRange>
bankstripe::definitionText(const FunctionDecl *Definition,
                           const SourceText &Text) {
  const SourceManager &SM = Text.sources();
  const FunctionTemplateDecl *Template =
      Definition->getDescribedFunctionTemplate();
  SourceLocation Begin = SM.getExpansionLoc(
      Template ? Template->getBeginLoc() : Definition->getBeginLoc());
  SourceLocation End = Definition->getBody()->getEndLoc();
  if (Definition->getLocation().isMacroID() || End.isMacroID())
    return std::nullopt;
  auto Whole = Text.tokens(Begin, End);
  if (!Whole)
    return std::nullopt;
  // What a directive chooses is not known for other configurations; a pragma
  // chooses nothing.
  StringRef Rest = Text.text(*Whole, SM.getFileID(Begin));
  for (StringRef Line; !Rest.empty();) {
    std::tie(Line, Rest) = Rest.split('\n');
    Line = Line.ltrim(" \t");
    if (Line.consume_front("#") && !Line.ltrim(" \t").starts_with("pragma"))
      return std::nullopt;
  }
  return Whole;
}

// The names inside the function beside a kernel.
static bool isTaken(StringRef Name) {
  return llvm::is_contained(
      {"grid", "block", "own", "allowed", "carved", "bytes"}, Name);
}

// `<T, N>` for the parameters of a template; empty when one has no name.
static std::string argumentsOf(const TemplateParameterList &Parameters) {
  std::string Result;
  for (const NamedDecl *P : Parameters) {
    if (!P->getIdentifier() || isTaken(P->getName()))
      return "";
    Result += (Result.empty() ? "<" : ", ") + P->getName().str();
    if (P->isParameterPack())
      Result += "...";
  }
  return Result + ">";
}

// Another kernel that the same name could mean.
static bool isOverloaded(const FunctionDecl *Function) {
  const DeclContext *Scope = Function->getDeclContext();
  const FunctionTemplateDecl *Template =
      Function->getDescribedFunctionTemplate();
  const Decl *Own = Template ? static_cast<const Decl *>(Template) : Function;
  return llvm::any_of(
      Scope->lookup(Function->getDeclName()), [&](const NamedDecl *Other) {
        return Other->getCanonicalDecl() != Own->getCanonicalDecl();
      });
}

// What stands against a function beside the kernel.
static const char *problemOf(const FunctionDecl *Definition,
                             ASTContext &Context) {
  if (Definition->getTemplateSpecializationKind() != TSK_Undeclared ||
      Definition->isFunctionTemplateSpecialization())
    return "it is a specialization of a template";
  if (!Definition->getLexicalDeclContext()->isFileContext())
    return "it is not declared in a namespace";
  if (Definition->getQualifierLoc())
    return "it is defined outside its namespace";
  if (isOverloaded(Definition))
    return "its name is overloaded";
  if (isTaken(Definition->getName()))
    return "its name means something else in its function";
  const IdentifierTable &Names = Context.Idents;
  if (Names.find(sharedBytesName(Definition->getName())) != Names.end())
    return "the name of its function is taken";
  return nullptr;
}

KernelText
bankstripe::readKernelText(const FunctionDecl *Function, ASTContext &Context,
                           const SourceText &Text,
                           llvm::function_ref<bool(StringRef)> MayEdit) {
  KernelText Result;
  const FunctionDecl *Definition = Function;
  if (Function->getTemplateSpecializationKind() == TSK_ImplicitInstantiation ||
      Function->getTemplateSpecializationKind() ==
          TSK_ExplicitInstantiationDefinition)
    Definition = Function->getTemplateInstantiationPattern();
  if (!Definition || !Definition->hasBody(Definition)) {
    Result.Problem = "its definition was not seen";
    return Result;
  }
  Result.Name = Definition->getNameAsString();
  Result.Internal = !Definition->isExternallyVisible();
  if (const char *Problem = problemOf(Definition, Context)) {
    Result.Problem = Problem;
    return Result;
  }
  auto Fail = [&](const char *Why) {
    Result.Problem = Why;
    return Result;
  };
  auto Whole = definitionText(Definition, Text);
  if (!Whole)
    return Fail("a macro or a directive gives a part of it");
  Result.Definition = *Whole;
  if (const auto *Template = Definition->getDescribedFunctionTemplate()) {
    const TemplateParameterList &Parameters =
        *Template->getTemplateParameters();
    auto Head =
        Text.written({Parameters.getTemplateLoc(), Parameters.getRAngleLoc()});
    Result.TemplateArguments = argumentsOf(Parameters);
    if (!Head || Result.TemplateArguments.empty())
      return Fail("its template parameters cannot be repeated");
    Result.TemplateHead = *Head;
  }
  for (const FunctionDecl *Declared : Definition->redecls()) {
    const TextRange Point = pointBefore(Declared, Text);
    if (!MayEdit(Point.File))
      return Fail("it is declared outside the given paths");
    if (Declared->getLocation().isMacroID())
      return Fail("a macro declares it");
    if (!Declared->getLexicalDeclContext()->isFileContext())
      return Fail("it is declared in a class or a function too");
    if (Declared != Definition)
      Result.Declarations.push_back(Point);
  }
  return Result;
}
