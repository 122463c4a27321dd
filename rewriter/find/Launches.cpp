//===-- Launches.cpp - launches of kernels --------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "find/Launches.h"
#include "find/BlockSize.h"
#include "find/LaunchSites.h"
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
  void readText(Launch &L, const Expr *Whole, const Expr *Callee,
                const Expr *Block, const Expr *Shared, const Expr *Before);

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

// A parameter whose every argument is seen. Others than units of CUDA, which
// are not read, may call whatever they can name, so only functions of internal
// linkage count, and of those none that may be called without being named.
static std::optional<HostParameter> parameterOf(const ParmVarDecl *Parameter,
                                                ASTContext &Context) {
  const auto *Function =
      Parameter ? dyn_cast<FunctionDecl>(Parameter->getDeclContext()) : nullptr;
  const auto *Method = dyn_cast_or_null<CXXMethodDecl>(Function);
  if (!Function || Function->isExternallyVisible() ||
      isa<CXXConstructorDecl>(Function) ||
      (Method && (Method->isVirtual() || Method->getParent()->isLambda())))
    return std::nullopt;
  return HostParameter{ASTNameGenerator(Context).getName(Function),
                       Parameter->getFunctionScopeIndex()};
}

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
  L.Parameter = parameterOf(Threads.Parameter, Context);
  if (!Shared) {
    L.DynamicSharedBytes = 0;
  } else {
    HostValue Bytes = Evaluator.integer(Shared);
    if (Bytes.Values && !Bytes.Values->empty() && *Bytes.Values->begin() >= 0)
      L.DynamicSharedBytes = *Bytes.Values->rbegin();
  }
  return L;
}

// \p Shared is null when it is left out, and would then follow \p Before.
void LaunchReader::readText(Launch &L, const Expr *Whole, const Expr *Callee,
                            const Expr *Block, const Expr *Shared,
                            const Expr *Before) {
  const auto *Name = dyn_cast<DeclRefExpr>(Callee->IgnoreParenImpCasts());
  const FunctionDecl *Kernel =
      Name ? dyn_cast<FunctionDecl>(Name->getDecl()) : nullptr;
  if (!Kernel) {
    L.Text.Problem = "it does not name its kernel";
    return;
  }
  L.Text = readLaunchText(Whole, Name, Block, Shared, Before, Text);
}

// An argument that was left out, or is written as the default.
static const Expr *given(const CallExpr *Call, unsigned Index) {
  if (Index >= Call->getNumArgs() ||
      isa<CXXDefaultArgExpr>(Call->getArg(Index)))
    return nullptr;
  return Call->getArg(Index);
}

// Where the grid stands among the arguments that `<<<...>>>` was turned into: a
// launch by a kernel has two others before it.
static unsigned gridIndex(const CallExpr *Config) {
  const FunctionDecl *Callee = Config->getDirectCallee();
  unsigned Index = 0;
  while (Callee && Index < Callee->getNumParams() &&
         !Callee->getParamDecl(Index)->getType()->isRecordType())
    ++Index;
  return Index;
}

void LaunchReader::readKernelCall(const CUDAKernelCallExpr *Call) {
  const FunctionDecl *Kernel = Call->getDirectCallee();
  const CallExpr *Config = Call->getConfig();
  if (!Kernel || !Config)
    return; // Through a pointer: the kernel's address was taken elsewhere.
  const unsigned Grid = gridIndex(Config);
  if (Config->getNumArgs() < Grid + 2 ||
      Config->getArg(Grid + 1)->isInstantiationDependent()) {
    // In a generic lambda.
    Launch L;
    L.KernelId = idOf(Kernel);
    L.Where = Text.place(Call->getBeginLoc());
    L.Source = "it depends on a template parameter";
    L.Text.Problem = L.Source;
    Result.Launches.push_back(std::move(L));
    return;
  }
  const Expr *Block = Config->getArg(Grid + 1);
  const Expr *Shared = given(Config, Grid + 2);
  Launch L = makeLaunch(Kernel, Call->getBeginLoc(), Block, Shared);
  readText(L, Call, Call->getCallee(), Block, Shared, Block);
  Result.Launches.push_back(std::move(L));
}

// cudaLaunchKernel(function, grid, block, arguments, sharedBytes, stream).
bool LaunchReader::readLaunchFunction(const CallExpr *Call,
                                      const FunctionDecl *Kernel) {
  StringRef Name = runtimeFunction(Call, Text);
  bool Cooperative = Name == "cudaLaunchCooperativeKernel";
  if ((Name != "cudaLaunchKernel" && !Cooperative) || Call->getNumArgs() < 4)
    return false;
  const Expr *Block = Call->getArg(2), *Shared = given(Call, 4);
  Launch L = makeLaunch(Kernel, Call->getBeginLoc(), Block, Shared);
  L.Cooperative = Cooperative;
  readText(L, Call, Call->getArg(0)->IgnoreParenCasts(), Block, Shared,
           Call->getArg(3));
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
  if (const auto *Call = dyn_cast_or_null<CallExpr>(Parent)) {
    if (runtimeFunction(Call, Text).starts_with("cudaFuncSet"))
      Result.AttributesSet.emplace_back(idOf(Kernel),
                                        Text.place(Call->getBeginLoc()));
    if (onlyAsks(runtimeFunction(Call, Text)) ||
        readLaunchFunction(Call, Kernel))
      return;
  }
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

namespace {

/// Reads what the calls in one host function give to parameters.
class ArgumentReader {
public:
  ArgumentReader(const BodyIndex &Body, ASTContext &Context)
      : Body(Body), Context(Context), Evaluator(Context, Body) {}

  std::vector<HostArgument> read();

private:
  bool isAskedAbout(const FunctionDecl *Function) const;
  void readCall(const CallExpr *Call, const FunctionDecl *Callee);
  void readValue(const FunctionDecl *Function);

  const BodyIndex &Body;
  ASTContext &Context;
  HostEvaluator Evaluator;
  std::vector<HostArgument> Result;
};

} // namespace

bool ArgumentReader::isAskedAbout(const FunctionDecl *Function) const {
  const SourceManager &SM = Context.getSourceManager();
  return !Function->hasAttr<CUDAGlobalAttr>() && !Function->getBuiltinID() &&
         !Function->isDependentContext() &&
         !SM.isInSystemHeader(SM.getExpansionLoc(Function->getLocation())) &&
         llvm::any_of(Function->parameters(), [](const ParmVarDecl *P) {
           return P->getType()->isIntegerType();
         });
}

void ArgumentReader::readCall(const CallExpr *Call,
                              const FunctionDecl *Callee) {
  // The arguments of an operator are counted in another way.
  if (isa<CXXOperatorCallExpr>(Call))
    return readValue(Callee);
  for (unsigned I = 0; I < Callee->getNumParams() && I < Call->getNumArgs();
       ++I) {
    const ParmVarDecl *Parameter = Callee->getParamDecl(I);
    if (!Parameter->getType()->isIntegerType())
      continue;
    HostArgument A;
    A.For = {ASTNameGenerator(Context).getName(Callee), I};
    if (!Call->getArg(I)->isInstantiationDependent()) {
      HostValue Value = Evaluator.integer(Call->getArg(I));
      A.Values = std::move(Value.Values);
      A.Same = parameterOf(Value.Parameter, Context);
    }
    Result.push_back(std::move(A));
  }
}

// A function as a value may be called with anything.
void ArgumentReader::readValue(const FunctionDecl *Function) {
  for (unsigned I = 0; I < Function->getNumParams(); ++I)
    Result.push_back({{ASTNameGenerator(Context).getName(Function), I},
                      std::nullopt,
                      std::nullopt});
}

std::vector<HostArgument> ArgumentReader::read() {
  llvm::DenseSet<const Stmt *> Called;
  for (const auto &[Statement, Parent] : Body.Parents) {
    const auto *Call = dyn_cast<CallExpr>(Statement);
    const FunctionDecl *Callee = Call ? Call->getDirectCallee() : nullptr;
    if (!Callee)
      continue;
    Called.insert(Call->getCallee()->IgnoreParenImpCasts());
    if (isAskedAbout(Callee))
      readCall(Call, Callee);
  }
  for (const DeclRefExpr *Reference : Body.FunctionReferences)
    if (const auto *Function = cast<FunctionDecl>(Reference->getDecl());
        !Called.contains(Reference) && isAskedAbout(Function))
      readValue(Function);
  return std::move(Result);
}

std::vector<HostArgument> bankstripe::findHostArguments(const BodyIndex &Body,
                                                        ASTContext &Context) {
  return ArgumentReader(Body, Context).read();
}

KernelUses bankstripe::findLaunches(const BodyIndex &Body, ASTContext &Context,
                                    const SourceText &Text) {
  return LaunchReader(Body, Context, Text).read();
}
