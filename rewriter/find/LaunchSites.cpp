//===-- LaunchSites.cpp - launches of kernels -----------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which kernels the program launches, with which blocks and bytes as far as the
// source tells, and what else it does with them.
//
//===----------------------------------------------------------------------===//

#include "find/LaunchSites.h"
#include "find/ArgumentLookup.h"
#include "find/FunctionTexts.h"
#include "find/GridBound.h"
#include "find/KernelFacts.h"
#include "find/LaunchConfiguration.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/Mangle.h"
#include "llvm/ADT/StringExtras.h"

using namespace bankstripe;
using namespace clang;

namespace {

/// The parts of a launch, or of a question about one.
struct LaunchParts {
  const CallExpr *Whole = nullptr;
  /// The pointer to its configuration, or null and what follows.
  const Expr *Configuration = nullptr;
  const Expr *Grid = nullptr;
  /// A launch into another stream may run beside others, so its grid does not
  /// tell how many blocks an SM has.
  const Expr *Stream = nullptr;
  const Expr *Block = nullptr;
  /// Its dynamic shared memory; null when that is left out.
  const Expr *Shared = nullptr;
};

} // namespace

// Whether a launch names another stream than the default one.
static bool namesStream(const LaunchParts &Parts, const SourceText &Text) {
  return Parts.Stream &&
         !Parts.Stream->IgnoreParenCasts()->isNullPointerConstant(
             Text.context(), Expr::NPC_ValueDependentIsNotNull);
}

// Whether each host thread has a default stream of its own.
static bool hasStreamPerThread(const ASTContext &Context) {
  const auto Found = Context.Idents.find("CUDA_API_PER_THREAD_DEFAULT_STREAM");
  return Found != Context.Idents.end() && Found->second->hadMacroDefinition();
}

namespace {

class LaunchReader {
public:
  LaunchReader(const BodyIndex &Body, const SourceText &Text, Sema &Asked,
               FunctionNames &Names)
      : Body(Body), Text(Text), Asked(Asked), Names(Names), Evaluator(Body) {}

  KernelUses read();

private:
  void readKernelCall(const CUDAKernelCallExpr *Call);
  void readReference(const DeclRefExpr *Reference, const FunctionDecl *Kernel);
  bool readLaunchFunction(const CallExpr *Call, const DeclRefExpr *Kernel);
  void readQuery(const CallExpr *Call, const DeclRefExpr *Kernel);
  Launch &addLaunch(const LaunchParts &Parts, const FunctionDecl *Kernel,
                    const HostValue &Threads, const HostValue &Shared);
  Launch &addLaunch(const LaunchParts &Parts, const FunctionDecl *Kernel);
  bool isAsked(const Expr *Grid, const FunctionDecl *Kernel) const;
  void findAnswers();
  bool isUsedElsewhere(const VarDecl *Answer) const;
  bool isArgument(const DeclRefExpr *Kernel, const CallExpr *Call,
                  unsigned Index) const;

  const BodyIndex &Body;
  const SourceText &Text;
  Sema &Asked;
  FunctionNames &Names;
  HostEvaluator Evaluator;
  /// Variables that get answers, with the kernels that they are about.
  std::vector<std::pair<const FunctionDecl *, const VarDecl *>> Answers;
  KernelUses Result;
};

} // namespace

std::string bankstripe::kernelId(const FunctionDecl *Kernel) {
  ASTContext &Context = Kernel->getASTContext();
  std::unique_ptr<MangleContext> Mangler(Context.createMangleContext());
  if (Context.getLangOpts().CUDAIsDevice ||
      !Mangler->shouldMangleDeclName(Kernel))
    return ASTNameGenerator(Context).getName(Kernel);
  std::string Result;
  llvm::raw_string_ostream OS(Result);
  Mangler->mangleName(GlobalDecl(Kernel, KernelReferenceKind::Kernel), OS);
  return Result;
}

// The largest number of threads that Block can be, if all are known and a block
// can have so many, and the text that says how or why not.
static std::pair<std::optional<unsigned>, std::string>
largestBlock(const HostValue &Block) {
  if (!Block.Values || Block.Values->empty())
    return {std::nullopt, Block.Source};
  const int64_t Largest = *Block.Values->rbegin();
  if (*Block.Values->begin() < 0 || Largest < 1 || Largest > 1024)
    return {std::nullopt, "it is outside 1 to 1024"};
  return {Largest, Block.Source};
}

// The name of the CUDA runtime's function that \p Call calls; empty for any
// other function, whatever its name.
static StringRef runtimeFunction(const CallExpr *Call) {
  const FunctionDecl *Callee = Call->getDirectCallee();
  return Callee && Callee->getIdentifier() && isOfSystem(Callee)
             ? Callee->getName()
             : "";
}

// Whether E, which may be absent, is made of numbers that stand there.
static bool isLiteral(const Expr *E) {
  return !anyPart(E, [](const Stmt *Part) {
    const auto *Construct = dyn_cast<CXXConstructExpr>(Part);
    return Part->getBeginLoc().isMacroID() || Part->getEndLoc().isMacroID() ||
           !(isa<IntegerLiteral, ParenExpr, CastExpr, CXXDefaultArgExpr,
                 MaterializeTemporaryExpr, ExprWithCleanups>(Part) ||
             (Construct && isOfSystem(Construct->getConstructor())));
  });
}

Launch &LaunchReader::addLaunch(const LaunchParts &Parts,
                                const FunctionDecl *Kernel,
                                const HostValue &Threads,
                                const HostValue &Shared) {
  Launch L;
  L.KernelId = kernelId(Kernel);
  L.Where = Text.place(Parts.Whole->getBeginLoc());
  std::tie(L.Threads, L.Source) = largestBlock(Threads);
  if (L.Threads)
    L.Shape = Threads.Shape;
  // A configuration may hold one, and what depends on a template is not read.
  L.HasStream = Parts.Configuration || !Parts.Block ||
                namesStream(Parts, Text) || hasStreamPerThread(Text.context());
  L.Parameter = parameterOf(Threads.Parameter, Names);
  if (Shared.Values && !Shared.Values->empty() && *Shared.Values->begin() >= 0)
    L.DynamicSharedBytes = *Shared.Values->rbegin();
  if (Parts.Block && isLiteral(Parts.Block))
    Result.LiteralBlock.insert(L.Where);
  if (Parts.Block && isLiteral(Parts.Shared))
    Result.LiteralMemory.insert(L.Where);
  return Result.Launches.emplace_back(std::move(L));
}

Launch &LaunchReader::addLaunch(const LaunchParts &Parts,
                                const FunctionDecl *Kernel) {
  return addLaunch(Parts, Kernel, Evaluator.dim3Product(Parts.Block),
                   Parts.Shared ? Evaluator.integer(Parts.Shared)
                                : HostValue{std::set<int64_t>{0}, "", nullptr});
}

// An argument that was left out, or is written as the default.
static const Expr *argumentOf(const CallExpr *Call, unsigned Index) {
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
  // A launch by a kernel has two other arguments before the grid.
  const FunctionDecl *Callee = Config->getDirectCallee();
  unsigned Grid = 0;
  while (Callee && Grid < Callee->getNumParams() &&
         !Callee->getParamDecl(Grid)->getType()->isRecordType())
    ++Grid;
  LaunchParts Parts;
  Parts.Whole = Call;
  if (Config->getNumArgs() < Grid + 2 ||
      Config->getArg(Grid + 1)->isInstantiationDependent()) {
    // In a generic lambda.
    const HostValue Unknown{std::nullopt, "it depends on a template parameter",
                            nullptr};
    addLaunch(Parts, Kernel, Unknown, Unknown).PassesStub = true;
    return;
  }
  Parts.Grid = Config->getArg(Grid);
  Parts.Block = Config->getArg(Grid + 1);
  Parts.Shared = argumentOf(Config, Grid + 2);
  Parts.Stream = argumentOf(Config, Grid + 3);
  Launch &L = addLaunch(Parts, Kernel);
  L.GridAsked = isAsked(Parts.Grid, Kernel);
  L.PassesStub = true;
  if (mayFindOtherKernel(Call, Asked))
    Result.FoundByArguments.emplace(Kernel->getNameAsString(), L.Where);
}

// The argument Index of Call is what Kernel names.
bool LaunchReader::isArgument(const DeclRefExpr *Kernel, const CallExpr *Call,
                              unsigned Index) const {
  return Index < Call->getNumArgs() &&
         Call->getArg(Index) ==
             Body.outermost<CastExpr, ParenExpr, UnaryOperator>(Kernel);
}

// cudaLaunchKernel(function, grid, block, arguments, sharedBytes, stream).
bool LaunchReader::readLaunchFunction(const CallExpr *Call,
                                      const DeclRefExpr *Kernel) {
  const StringRef Name = runtimeFunction(Call);
  const auto *Function = cast<FunctionDecl>(Kernel->getDecl());
  LaunchParts Parts;
  Parts.Whole = Call;
  // cudaLaunchKernelEx(&configuration, kernel, arguments...).
  if (Name == "cudaLaunchKernelEx" || Name == "cudaLaunchKernelExC") {
    if (!isArgument(Kernel, Call, 1))
      return false;
    Parts.Configuration = Call->getArg(0);
    const auto Configuration = readConfiguration(Parts.Configuration, Body);
    Launch &L =
        addLaunch(Parts, Function, Configuration.Threads, Configuration.Bytes);
    L.Cooperative = Configuration.Cooperative;
    L.Unfollowed = Configuration.Unfollowed;
    L.GridAsked = isAsked(Parts.Configuration, Function);
    return true;
  }
  const bool Cooperative = Name == "cudaLaunchCooperativeKernel";
  if ((Name != "cudaLaunchKernel" && !Cooperative) || Call->getNumArgs() < 4 ||
      !isArgument(Kernel, Call, 0))
    return false;
  Parts.Grid = Call->getArg(1);
  Parts.Block = Call->getArg(2);
  Parts.Shared = argumentOf(Call, 4);
  Parts.Stream = argumentOf(Call, 5);
  Launch &L = addLaunch(Parts, Function);
  L.Cooperative = Cooperative;
  L.GridAsked = isAsked(Parts.Grid, Function);
  return true;
}

// The questions how many blocks of a kernel can be resident, and those that
// look for a block size that suits. Their first argument points to the answer.
static bool asksForBlocks(StringRef Name) {
  return Name.starts_with("cudaOccupancyMaxActive") ||
         Name == "cudaOccupancyMaxPotentialClusterSize";
}
static bool suggestsBlock(StringRef Name) {
  return Name.starts_with("cudaOccupancyMaxPotentialBlockSize");
}

// Whether the variable is anything but the answer to questions that suggest a
// block.
bool LaunchReader::isUsedElsewhere(const VarDecl *Answer) const {
  if (!Answer || !Answer->hasLocalStorage())
    return true;
  return llvm::any_of(
      Body.references(Answer), [&](const DeclRefExpr *Reference) {
        const auto *Address =
            dyn_cast_or_null<UnaryOperator>(Body.parentOf(Reference));
        const auto *Call =
            Address ? dyn_cast_or_null<CallExpr>(Body.parentOf(Address))
                    : nullptr;
        return !Call || !suggestsBlock(runtimeFunction(Call)) ||
               Call->getArg(0)->IgnoreParenImpCasts() != Address;
      });
}

// A block size that a question suggests stays as good as it was, and the
// results with it.
void LaunchReader::readQuery(const CallExpr *Call, const DeclRefExpr *Kernel) {
  const StringRef Name = runtimeFunction(Call);
  OccupancyQuery Q;
  Q.KernelId = kernelId(cast<FunctionDecl>(Kernel->getDecl()));
  Q.Where = Text.place(Call->getBeginLoc());
  if (suggestsBlock(Name)) {
    if (!isUsedElsewhere(pointedTo(Call->getArg(0))))
      return;
  } else if (asksForBlocks(Name) && isArgument(Kernel, Call, 1) &&
             Call->getNumArgs() > 3) {
    Q.HasBlock = true;
    std::tie(Q.Threads, Q.Source) =
        largestBlock(Evaluator.integer(Call->getArg(2)));
  }
  Result.Queries.push_back(std::move(Q));
}

// Whether \p Grid follows the answer to a question about \p Kernel.
bool LaunchReader::isAsked(const Expr *Grid, const FunctionDecl *Kernel) const {
  return llvm::any_of(Answers, [&](auto Each) {
    return Each.first == Kernel && isBoundedBy(Grid, Each.second, Body);
  });
}

// Notes the answers to questions how many blocks can be resident.
void LaunchReader::findAnswers() {
  for (const DeclRefExpr *Named : Body.FunctionReferences) {
    const auto *Call = dyn_cast_or_null<CallExpr>(
        Body.around<CastExpr, ParenExpr, UnaryOperator>(Named));
    if (Call && asksForBlocks(runtimeFunction(Call)))
      if (const VarDecl *Answer = pointedTo(Call->getArg(0)))
        Answers.emplace_back(cast<FunctionDecl>(Named->getDecl()), Answer);
  }
}

void LaunchReader::readReference(const DeclRefExpr *Reference,
                                 const FunctionDecl *Kernel) {
  const Stmt *Parent =
      Body.around<CastExpr, ParenExpr, UnaryOperator>(Reference);
  if (const auto *Call = dyn_cast_or_null<CUDAKernelCallExpr>(Parent);
      Call && Call->getDirectCallee() &&
      Call->getCallee()->IgnoreParenImpCasts() == Reference)
    return;
  if (const auto *Call = dyn_cast_or_null<CallExpr>(Parent)) {
    const StringRef Name = runtimeFunction(Call);
    if (Name.starts_with("cudaFuncSet"))
      Result.AttributesSet[kernelId(Kernel)] = Text.place(Call->getBeginLoc());
    if (Name.starts_with("cudaOccupancy"))
      return readQuery(Call, Reference);
    // These set a kernel up, or ask about it, without launching, and to them it
    // makes no difference what memory launches ask for.
    if (Name.starts_with("cudaFuncSet") || Name.starts_with("cudaFuncGet") ||
        readLaunchFunction(Call, Reference))
      return;
  }
  Result.AddressTaken.try_emplace(kernelId(Kernel),
                                  Text.place(Reference->getLocation()));
}

KernelUses LaunchReader::read() {
  findAnswers();
  for (const CallExpr *Call : Body.Calls)
    if (const auto *Launch = dyn_cast<CUDAKernelCallExpr>(Call))
      readKernelCall(Launch);
  for (const DeclRefExpr *Reference : Body.FunctionReferences) {
    const auto *Function = cast<FunctionDecl>(Reference->getDecl());
    if (!Function->hasAttr<CUDAGlobalAttr>() || Function->isDependentContext())
      continue;
    Names.count(Reference);
    readReference(Reference, Function);
  }
  return std::move(Result);
}

KernelUses bankstripe::findLaunches(const BodyIndex &Body,
                                    const SourceText &Text, Sema &Asked,
                                    FunctionNames &Names) {
  return LaunchReader(Body, Text, Asked, Names).read();
}
