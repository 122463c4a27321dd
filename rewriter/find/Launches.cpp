//===-- Launches.cpp - launches of kernels --------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "find/Launches.h"
#include "find/BlockSize.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Mangle.h"

using namespace bankstripe;
using namespace clang;

namespace {

class LaunchReader {
public:
  LaunchReader(const BodyIndex &Body, ASTContext &Context,
               const SourceText &Text)
      : Body(Body), Context(Context), Text(Text), Evaluator(Context, Body) {}

  KernelUses read();

private:
  void readKernelCall(const CUDAKernelCallExpr *Call);
  void readReference(const DeclRefExpr *Reference, const FunctionDecl *Kernel);
  bool readLaunchFunction(const CallExpr *Call, const FunctionDecl *Kernel);
  Launch makeLaunch(const FunctionDecl *Kernel, SourceLocation Loc,
                    const Expr *Block, const Expr *Shared);

  std::string idOf(const FunctionDecl *Kernel) {
    return ASTNameGenerator(Context).getName(Kernel);
  }

  const BodyIndex &Body;
  ASTContext &Context;
  const SourceText &Text;
  HostEvaluator Evaluator;
  KernelUses Result;
};

} // namespace

// The name of the CUDA runtime's function that \p Call calls; empty for any
// other function, whatever its name.
static StringRef runtimeFunction(const CallExpr *Call, const SourceText &Text) {
  const FunctionDecl *Callee = Call->getDirectCallee();
  const SourceManager &SM = Text.sources();
  if (!Callee || !Callee->getIdentifier() ||
      !SM.isInSystemHeader(SM.getExpansionLoc(Callee->getLocation())))
    return "";
  return Callee->getName();
}

Launch LaunchReader::makeLaunch(const FunctionDecl *Kernel, SourceLocation Loc,
                                const Expr *Block, const Expr *Shared) {
  Launch L;
  L.KernelId = idOf(Kernel);
  L.Where = Text.place(Loc);
  HostValue Threads = Evaluator.dim3Product(Block);
  L.Source = Threads.Source;
  if (Threads.Values && !Threads.Values->empty()) {
    int64_t Largest = *Threads.Values->rbegin();
    if (*Threads.Values->begin() >= 0 && Largest > 0 && Largest <= 1024)
      L.Threads = Largest;
    else
      L.Source = "it is outside 1 to 1024";
  }
  if (!Shared) {
    L.DynamicSharedBytes = 0;
  } else {
    HostValue Bytes = Evaluator.integer(Shared);
    if (Bytes.Values && !Bytes.Values->empty() && *Bytes.Values->begin() >= 0)
      L.DynamicSharedBytes = *Bytes.Values->rbegin();
  }
  return L;
}

// An argument that was left out, or is written as the default.
static const Expr *given(const CallExpr *Call, unsigned Index) {
  if (Index >= Call->getNumArgs() ||
      isa<CXXDefaultArgExpr>(Call->getArg(Index)))
    return nullptr;
  return Call->getArg(Index);
}

void LaunchReader::readKernelCall(const CUDAKernelCallExpr *Call) {
  const FunctionDecl *Kernel = Call->getDirectCallee();
  const CallExpr *Config = Call->getConfig();
  if (!Kernel || !Config)
    return; // Through a pointer: the kernel's address was taken elsewhere.
  if (Config->getNumArgs() < 2 ||
      Config->getArg(1)->isInstantiationDependent()) {
    // In a generic lambda.
    Launch L;
    L.KernelId = idOf(Kernel);
    L.Where = Text.place(Call->getBeginLoc());
    L.Source = "it depends on a template parameter";
    Result.Launches.push_back(std::move(L));
    return;
  }
  Result.Launches.push_back(makeLaunch(Kernel, Call->getBeginLoc(),
                                       Config->getArg(1), given(Config, 2)));
}

// cudaLaunchKernel(function, grid, block, arguments, sharedBytes, stream).
bool LaunchReader::readLaunchFunction(const CallExpr *Call,
                                      const FunctionDecl *Kernel) {
  StringRef Name = runtimeFunction(Call, Text);
  bool Cooperative = Name == "cudaLaunchCooperativeKernel";
  if ((Name != "cudaLaunchKernel" && !Cooperative) || Call->getNumArgs() < 4)
    return false;
  Launch L =
      makeLaunch(Kernel, Call->getBeginLoc(), Call->getArg(2), given(Call, 4));
  L.Cooperative = Cooperative;
  Result.Launches.push_back(std::move(L));
  return true;
}

// Runtime functions that ask about a kernel, or set it up, without launching.
static bool onlyAsks(StringRef Name) {
  return Name.starts_with("cudaFuncSet") || Name.starts_with("cudaFuncGet") ||
         Name.starts_with("cudaOccupancy");
}

void LaunchReader::readReference(const DeclRefExpr *Reference,
                                 const FunctionDecl *Kernel) {
  const Stmt *Parent = Body.parentOf(Reference);
  while (Parent && (isa<CastExpr>(Parent) || isa<ParenExpr>(Parent) ||
                    isa<UnaryOperator>(Parent)))
    Parent = Body.parentOf(Parent);
  if (const auto *Call = dyn_cast_or_null<CUDAKernelCallExpr>(Parent);
      Call && Call->getDirectCallee() &&
      Call->getCallee()->IgnoreParenImpCasts() == Reference)
    return;
  if (const auto *Call = dyn_cast_or_null<CallExpr>(Parent))
    if (onlyAsks(runtimeFunction(Call, Text)) ||
        readLaunchFunction(Call, Kernel))
      return;
  Result.AddressTaken.emplace_back(idOf(Kernel),
                                   Text.place(Reference->getLocation()));
}

KernelUses LaunchReader::read() {
  for (const CUDAKernelCallExpr *Call : Body.KernelCalls)
    readKernelCall(Call);
  for (const DeclRefExpr *Reference : Body.FunctionReferences) {
    const auto *Function = cast<FunctionDecl>(Reference->getDecl());
    if (Function->hasAttr<CUDAGlobalAttr>() && !Function->isDependentContext())
      readReference(Reference, Function);
  }
  return std::move(Result);
}

KernelUses bankstripe::findLaunches(const BodyIndex &Body, ASTContext &Context,
                                    const SourceText &Text) {
  return LaunchReader(Body, Context, Text).read();
}
