//===-- Launches.cpp - launches of kernels --------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch knows its block, and its row asks it then. What the text tells is
// needed for two things: storage of a fixed size in kernels all of whose blocks
// are written as constants, and predictions. So a value counts if it is a
// constant, or that of a variable which is made with one and never changes.
//
//===----------------------------------------------------------------------===//

#include "find/Launches.h"
#include "find/Constants.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/Mangle.h"
#include "clang/Analysis/Analyses/ExprMutationAnalyzer.h"
#include "llvm/ADT/STLExtras.h"

using namespace bankstripe;
using namespace clang;

namespace {

/// What is known of an integer.
struct KnownValue {
  std::optional<int64_t> Value;
  bool IsFixed = false; ///< It is the same in all builds.
  std::string Source;   ///< As Launch::Source.
};

/// Reads the launches of one body.
class LaunchReader {
public:
  LaunchReader(const BodyIndex &Body, const SourceText &Text)
      : Body(Body), Text(Text) {}
  Launch read(const CUDAKernelCallExpr *Call, const CallExpr *Config);

private:
  const Expr *initialValue(const Expr *E);
  KnownValue valueOf(const Expr *E);
  void readBlock(const Expr *E, Launch &L);
  void readSides(llvm::ArrayRef<const Expr *> Sides, Launch &L);

  const BodyIndex &Body;
  const SourceText &Text;
  std::optional<ExprMutationAnalyzer> Changes; ///< In Body, once asked for.
};

} // namespace

// The initialiser of the local variable that E names, if nothing changes that;
// null for anything else.
const Expr *LaunchReader::initialValue(const Expr *E) {
  const VarDecl *Variable = variableOf(E);
  const auto Found = llvm::find_if(
      Body.Variables, [&](auto &Each) { return Each.first == Variable; });
  if (Found == Body.Variables.end() || !Found->second || !Variable->getInit() ||
      !Variable->hasLocalStorage() || Variable->getType()->isReferenceType() ||
      Variable->getType().isVolatileQualified())
    return nullptr;
  if (!Changes) {
    const Stmt *Whole = Found->second;
    while (const Stmt *Parent = Body.parentOf(Whole))
      Whole = Parent;
    Changes.emplace(*Whole, const_cast<ASTContext &>(Body.Context));
  }
  return Changes->isMutated(Variable) ? nullptr : Variable->getInit();
}

// For people; empty for anything but a variable.
static std::string nameOf(const Expr *E) {
  const VarDecl *Variable = variableOf(E);
  return Variable ? "variable '" + Variable->getNameAsString() + "'" : "";
}

KnownValue LaunchReader::valueOf(const Expr *E) {
  const std::string Name = nameOf(E);
  if (const auto Value = constantOf(E, Body.Context)) {
    const std::string Why = whyNotFixed(E, Body.Context);
    const bool IsLiteral =
        isa<IntegerLiteral, CXXDefaultArgExpr>(E->IgnoreParenImpCasts());
    return {Value, Why.empty(),
            !Why.empty()    ? Why
            : !Name.empty() ? Name
            : IsLiteral     ? "literal"
                            : "constant"};
  }
  if (const Expr *Init = initialValue(E)) {
    KnownValue Result = valueOf(Init);
    if (Result.IsFixed)
      Result.Source = Name;
    return Result;
  }
  return {std::nullopt, false,
          (Name.empty() ? "it" : Name) + " is not a constant"};
}

static bool isDim3(QualType Type) {
  const auto *Record = Type.getNonReferenceType()->getAsCXXRecordDecl();
  return Record && Record->getIdentifier() && Record->getName() == "dim3" &&
         isOfSystem(Record);
}

// Of x, y and z those that are written. A block has one to 1024 threads.
void LaunchReader::readSides(llvm::ArrayRef<const Expr *> Sides, Launch &L) {
  constexpr int64_t Most = 1024;
  int64_t Threads = 1;
  bool IsFixed = true;
  L.Source = "literal";
  for (const Expr *Side : Sides) {
    const KnownValue Known = valueOf(Side);
    IsFixed &= Known.IsFixed;
    if (Known.Source != "literal")
      L.Source = Known.Source;
    if (!Known.Value)
      return;
    Threads = *Known.Value < 1 || *Known.Value > Most ? Most + 1
                                                      : Threads * *Known.Value;
    if (Threads > Most) {
      L.Source = "it is outside 1 to 1024";
      return;
    }
  }
  L.Threads = Threads;
  L.IsFixed = IsFixed;
}

// E is an integer or a dim3.
void LaunchReader::readBlock(const Expr *E, Launch &L) {
  for (const Expr *Before = nullptr; Before != E;
       E = E->IgnoreParens()->IgnoreImplicit())
    Before = E;
  const auto *Construct = dyn_cast<CXXConstructExpr>(E);
  if (const auto *Cast = dyn_cast<ExplicitCastExpr>(E);
      Cast && isDim3(Cast->getType()))
    return readBlock(Cast->getSubExpr(), L);
  if (Construct && Construct->getNumArgs() == 1) // A copy, or a conversion.
    return readBlock(Construct->getArg(0), L);
  if (isDim3(E->getType()) && !Construct) {
    const Expr *Init = initialValue(E);
    if (Init)
      readBlock(Init, L);
    const std::string Name = nameOf(E);
    if (L.IsFixed)
      L.Source = Name;
    else if (!Init)
      L.Source = (Name.empty() ? "it" : Name) + " is not a constant";
    return;
  }
  if (!Construct)
    return readSides(E, L);
  readSides(llvm::SmallVector<const Expr *>(Construct->arguments()), L);
}

// An argument that was left out, or is written as the default.
static const Expr *argumentOf(const CallExpr *Call, unsigned Index) {
  return Index < Call->getNumArgs() &&
                 !isa<CXXDefaultArgExpr>(Call->getArg(Index))
             ? Call->getArg(Index)
             : nullptr;
}

Launch LaunchReader::read(const CUDAKernelCallExpr *Call,
                          const CallExpr *Config) {
  Launch L;
  L.KernelId =
      ASTNameGenerator(Text.context()).getName(Call->getDirectCallee());
  const Expr *Named = Call->getCallee()->IgnoreParenImpCasts();
  const auto *Name = dyn_cast<DeclRefExpr>(Named); // Behind qualifiers.
  L.Where = Text.place(Name ? Name->getLocation() : Named->getExprLoc());
  // A launch by a kernel has two other arguments before the grid.
  const FunctionDecl *Callee = Config->getDirectCallee();
  unsigned Grid = 0;
  while (Callee && Grid < Callee->getNumParams() &&
         !Callee->getParamDecl(Grid)->getType()->isRecordType())
    ++Grid;
  if (Config->getNumArgs() < Grid + 2 ||
      Config->getArg(Grid + 1)->isInstantiationDependent()) {
    L.Source = "it depends on a template parameter"; // Of a generic lambda.
    return L;
  }
  readBlock(Config->getArg(Grid + 1), L);
  const Expr *Bytes = argumentOf(Config, Grid + 2);
  const KnownValue Known =
      Bytes ? valueOf(Bytes) : KnownValue{0, /*IsFixed=*/true, ""};
  if (Known.IsFixed && *Known.Value >= 0)
    L.DynamicSharedBytes = *Known.Value;
  return L;
}

std::vector<Launch> bankstripe::findLaunches(const BodyIndex &Body,
                                             const SourceText &Text,
                                             bool OnDevice) {
  LaunchReader Reader(Body, Text);
  std::vector<Launch> Result;
  for (const CallExpr *Call : Body.Calls) {
    // What a pointer leads to is named where that is made.
    const auto *Launched = dyn_cast<CUDAKernelCallExpr>(Call);
    if (!Launched || !Launched->getDirectCallee() || !Launched->getConfig())
      continue;
    Result.push_back(Reader.read(Launched, Launched->getConfig()));
    Result.back().OnDevice = OnDevice;
  }
  return Result;
}
