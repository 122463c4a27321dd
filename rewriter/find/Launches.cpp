//===-- Launches.cpp - launches of kernels --------------------------------===//
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
// do without.)
//
//===----------------------------------------------------------------------===//

#include "find/Launches.h"
#include "find/BlockSize.h"
#include "find/Kernels.h"
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
  const clang::Expr *Whole = nullptr;
  const clang::DeclRefExpr *Kernel = nullptr;
  /// The pointer to its configuration, or null and what follows.
  const clang::Expr *Configuration = nullptr;
  /// Null when it does not tell how many blocks run at once.
  const clang::Expr *Grid = nullptr;
  const clang::Expr *Block = nullptr;
  /// Its dynamic shared memory; null when that is left out, and would then
  /// follow Before.
  const clang::Expr *Shared = nullptr;
  const clang::Expr *Before = nullptr;
};

} // namespace

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

// The text of the kernel's own name; none where it is known by another, or by a
// using-declaration for this name alone.
static TextRange readName(const DeclRefExpr *Kernel, const SourceText &Text) {
  auto Name = Text.writtenRange(Kernel->getLocation());
  const NamedDecl *Declared = Kernel->getDecl();
  if (!Name || isa<UsingShadowDecl>(Kernel->getFoundDecl()) ||
      !Declared->getIdentifier() || Name->Length != Declared->getName().size())
    return {};
  return *Name;
}

static LaunchText readLaunchText(const LaunchParts &Parts,
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
  Result.Name = readName(Kernel, Text);
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
  bool readLaunchFunction(const CallExpr *Call, const DeclRefExpr *Kernel);
  void readConfiguredLaunch(const CallExpr *Call, const DeclRefExpr *Kernel);
  void readQuery(const CallExpr *Call, const DeclRefExpr *Kernel);
  Launch makeLaunch(const FunctionDecl *Kernel, SourceLocation Loc,
                    const HostValue &Threads);
  std::optional<uint64_t> sharedBytes(const Expr *Shared);
  bool isAsked(const Expr *Grid, const FunctionDecl *Kernel) const;
  bool isUsedElsewhere(const VarDecl *Answer) const;

  std::string idOf(const FunctionDecl *Kernel);

  const BodyIndex &Body;
  ASTContext &Context;
  const SourceText &Text;
  HostEvaluator Evaluator;
  KernelUses Result;
};

} // namespace

// The name of a kernel on the device, also where the host is asked, which has
// a function of its own for it.
std::string LaunchReader::idOf(const FunctionDecl *Kernel) {
  std::unique_ptr<MangleContext> Mangler(Context.createMangleContext());
  if (Context.getLangOpts().CUDAIsDevice ||
      !Mangler->shouldMangleDeclName(Kernel))
    return ASTNameGenerator(Context).getName(Kernel);
  std::string Result;
  llvm::raw_string_ostream OS(Result);
  Mangler->mangleName(GlobalDecl(Kernel, KernelReferenceKind::Kernel), OS);
  return Result;
}

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
                                const HostValue &Threads) {
  Launch L;
  L.KernelId = idOf(Kernel);
  L.Where = Text.place(Loc);
  L.Source = Threads.Source;
  if (Threads.Values && !Threads.Values->empty()) {
    int64_t Largest = *Threads.Values->rbegin();
    if (*Threads.Values->begin() >= 0 && Largest > 0 && Largest <= 1024)
      L.Threads = Largest;
    else
      L.Source = "it is outside 1 to 1024";
  }
  L.Parameter = parameterOf(Threads.Parameter, Context);
  return L;
}

static std::optional<uint64_t> largestOf(const HostValue &Bytes) {
  if (!Bytes.Values || Bytes.Values->empty() || *Bytes.Values->begin() < 0)
    return std::nullopt;
  return *Bytes.Values->rbegin();
}

// \p Shared is null when it is left out.
std::optional<uint64_t> LaunchReader::sharedBytes(const Expr *Shared) {
  return Shared ? largestOf(Evaluator.integer(Shared)) : 0;
}

// An argument that was left out, or is written as the default.
static const Expr *given(const CallExpr *Call, unsigned Index) {
  if (Index >= Call->getNumArgs() ||
      isa<CXXDefaultArgExpr>(Call->getArg(Index)))
    return nullptr;
  return Call->getArg(Index);
}

// A launch into another stream may run beside others, so its grid does not tell
// how many blocks an SM has.
static bool isDefaultStream(const Expr *Stream, ASTContext &Context) {
  return !Stream || Stream->IgnoreParenCasts()->isNullPointerConstant(
                        Context, Expr::NPC_ValueDependentIsNotNull);
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
  Launch L =
      makeLaunch(Kernel, Call->getBeginLoc(), Evaluator.dim3Product(Block));
  L.DynamicSharedBytes = sharedBytes(Shared);
  LaunchParts Parts;
  Parts.Whole = Call;
  Parts.Kernel =
      dyn_cast<DeclRefExpr>(Call->getCallee()->IgnoreParenImpCasts());
  if (isDefaultStream(given(Config, Grid + 3), Context))
    Parts.Grid = Config->getArg(Grid);
  Parts.Block = Parts.Before = Block;
  Parts.Shared = Shared;
  L.Text = readLaunchText(Parts, Text);
  Result.Launches.push_back(std::move(L));
}

// The argument \p Index of \p Call is what \p Kernel names.
static bool isArgument(const DeclRefExpr *Kernel, const CallExpr *Call,
                       unsigned Index) {
  if (Index >= Call->getNumArgs())
    return false;
  const Expr *E = Call->getArg(Index)->IgnoreParenCasts();
  if (const auto *Address = dyn_cast<UnaryOperator>(E);
      Address && Address->getOpcode() == UO_AddrOf)
    E = Address->getSubExpr()->IgnoreParenCasts();
  return E == Kernel;
}

// cudaLaunchKernel(function, grid, block, arguments, sharedBytes, stream).
bool LaunchReader::readLaunchFunction(const CallExpr *Call,
                                      const DeclRefExpr *Kernel) {
  StringRef Name = runtimeFunction(Call, Text);
  if (Name == "cudaLaunchKernelEx" || Name == "cudaLaunchKernelExC") {
    if (!isArgument(Kernel, Call, 1))
      return false;
    readConfiguredLaunch(Call, Kernel);
    return true;
  }
  bool Cooperative = Name == "cudaLaunchCooperativeKernel";
  if ((Name != "cudaLaunchKernel" && !Cooperative) || Call->getNumArgs() < 4 ||
      !isArgument(Kernel, Call, 0))
    return false;
  const auto *Function = cast<FunctionDecl>(Kernel->getDecl());
  LaunchParts Parts;
  Parts.Whole = Call;
  Parts.Kernel = Kernel;
  if (isDefaultStream(given(Call, 5), Context))
    Parts.Grid = Call->getArg(1);
  Parts.Block = Call->getArg(2);
  Parts.Before = Call->getArg(3);
  Parts.Shared = given(Call, 4);
  Launch L = makeLaunch(Function, Call->getBeginLoc(),
                        Evaluator.dim3Product(Parts.Block));
  L.DynamicSharedBytes = sharedBytes(Parts.Shared);
  L.Cooperative = Cooperative;
  L.GridAsked = Cooperative && isAsked(Call->getArg(1), Function);
  L.Text = readLaunchText(Parts, Text);
  Result.Launches.push_back(std::move(L));
  return true;
}

// cudaLaunchKernelEx(&configuration, kernel, arguments...).
void LaunchReader::readConfiguredLaunch(const CallExpr *Call,
                                        const DeclRefExpr *Kernel) {
  const auto *Function = cast<FunctionDecl>(Kernel->getDecl());
  LaunchParts Parts;
  Parts.Whole = Call;
  Parts.Kernel = Kernel;
  Parts.Configuration = Call->getArg(0);
  const LaunchConfiguration Configuration =
      readConfiguration(Parts.Configuration, Context, Body);
  Launch L = makeLaunch(Function, Call->getBeginLoc(), Configuration.Threads);
  L.DynamicSharedBytes = largestOf(Configuration.Bytes);
  L.Cooperative = !Configuration.Together.empty();
  L.Unfollowed = Configuration.Together;
  L.GridAsked = L.Cooperative && isAsked(Parts.Configuration, Function);
  L.Text = readLaunchText(Parts, Text);
  Result.Launches.push_back(std::move(L));
}

// Runtime functions that set a kernel up, or ask about it, without launching,
// and to which it makes no difference what memory launches ask for.
static bool onlyAsks(StringRef Name) {
  return Name.starts_with("cudaFuncSet") || Name.starts_with("cudaFuncGet");
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
        return !Call || !suggestsBlock(runtimeFunction(Call, Text)) ||
               Call->getArg(0)->IgnoreParenImpCasts() != Address;
      });
}

// A block size that a question suggests stays as good as it was, and the
// results with it; but not the grid that is said to fit with it.
void LaunchReader::readQuery(const CallExpr *Call, const DeclRefExpr *Kernel) {
  const StringRef Name = runtimeFunction(Call, Text);
  OccupancyQuery Q;
  Q.KernelId = idOf(cast<FunctionDecl>(Kernel->getDecl()));
  Q.Where = Text.place(Call->getBeginLoc());
  LaunchParts Parts;
  Parts.Whole = Call;
  Parts.Kernel = Kernel;
  if (suggestsBlock(Name)) {
    if (!isUsedElsewhere(pointedTo(Call->getArg(0))))
      return;
    Q.Text.Problem = "it suggests a grid, which is used";
  } else if (!asksForBlocks(Name) || !isArgument(Kernel, Call, 1)) {
    Q.Text.Problem = "it asks for something else than a number of blocks";
  } else if (Call->getNumArgs() == 3) { // About clusters.
    Parts.Configuration = Call->getArg(2);
    Q.Text = readLaunchText(Parts, Text);
  } else {
    Parts.Block = Call->getArg(2);
    Parts.Shared = Call->getArg(3);
    Q.Text = readLaunchText(Parts, Text);
  }
  Result.Queries.push_back(std::move(Q));
}

// Whether \p Grid is computed from the answer to a question about \p Kernel.
bool LaunchReader::isAsked(const Expr *Grid, const FunctionDecl *Kernel) const {
  return llvm::any_of(Body.FunctionReferences, [&](const DeclRefExpr *Named) {
    if (Named->getDecl() != Kernel)
      return false;
    const auto *Call = dyn_cast_or_null<CallExpr>(Body.parentOf(
        Body.outermost<CastExpr, ParenExpr, UnaryOperator>(Named)));
    const VarDecl *Answer = Call && asksForBlocks(runtimeFunction(Call, Text))
                                ? pointedTo(Call->getArg(0))
                                : nullptr;
    return Answer && isComputedFrom(Grid, Answer, Body);
  });
}

void LaunchReader::readReference(const DeclRefExpr *Reference,
                                 const FunctionDecl *Kernel) {
  const Stmt *Parent = Body.parentOf(
      Body.outermost<CastExpr, ParenExpr, UnaryOperator>(Reference));
  if (const auto *Call = dyn_cast_or_null<CUDAKernelCallExpr>(Parent);
      Call && Call->getDirectCallee() &&
      Call->getCallee()->IgnoreParenImpCasts() == Reference)
    return;
  if (const auto *Call = dyn_cast_or_null<CallExpr>(Parent)) {
    const StringRef Name = runtimeFunction(Call, Text);
    if (Name.starts_with("cudaFuncSet"))
      Result.AttributesSet.emplace_back(idOf(Kernel),
                                        Text.place(Call->getBeginLoc()));
    if (Name.starts_with("cudaOccupancy"))
      return readQuery(Call, Reference);
    if (onlyAsks(Name) || readLaunchFunction(Call, Reference))
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
