//===-- Find.cpp - from a parsed unit to findings -------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "find/Find.h"
#include "find/Arrays.h"
#include "find/BuildMacros.h"
#include "find/CollectedFunctions.h"
#include "find/FunctionTexts.h"
#include "find/KernelFacts.h"
#include "find/LaunchSites.h"
#include "find/MergeFindings.h"
#include "find/Parameters.h"
#include "find/SharedArrays.h"
#include "find/SkippedLaunches.h"
#include "find/UnsureConstants.h"
#include "frontend/UserFiles.h"
#include "model/HelperText.h"
#include "clang/AST/Attr.h"
#include "clang/Frontend/CompilerInstance.h"
#include <algorithm>

using namespace bankstripe;
using namespace clang;

namespace {

/// One run of findAll.
class UnitReader {
public:
  UnitReader(ParsedUnit &Unit, llvm::function_ref<bool(StringRef)> MayEdit)
      : Unit(Unit), Context(Unit.compiler().getASTContext()),
        Text(Context, Unit.compiler().getPreprocessor(), Unit.macros()),
        Pointers(Text, Bodies, Operators, MayEdit), MayEdit(MayEdit),
        Names(Text) {}

  UnitFacts read(bool IsAlone);

private:
  void collect();
  void noteOperators();
  void readArrays(const FunctionDecl *Function);
  void readAllArrays();
  void readHost();
  void addHostView(UnitReader &Host);
  void checkQuestions(UnitReader &Into);
  void readLaunches(const BodyIndex &Body, bool OnDevice);
  void forgetNumbers(Launch &L, const std::string &Why) const;
  bool hasReduction(const FunctionDecl *Function) const;
  void readKernels();
  void noteUnseenUses(const std::set<SkippedLaunch> &Elsewhere);
  void checkMacros();
  std::vector<std::string> macrosIn(StringRef Helper) const;
  FileID fileOf(StringRef Path) const;
  void keepContents();
  void listSources();

  ParsedUnit &Unit;
  ASTContext &Context;
  SourceText Text;
  BodyIndexCache Bodies;
  UserOperators Operators;
  PointerFollower Pointers;
  llvm::DenseSet<const FunctionDecl *> Holders; ///< Of arrays; patterns.
  llvm::function_ref<bool(StringRef)> MayEdit;
  UnitFacts Facts;
  /// What the host does was not seen: every kernel may be launched anyhow.
  bool HostUnknown = false;
  std::string WhyHostUnknown; ///< May be empty.
  UnsureConstants Unsure;
  CollectedFunctions Collected;
  FunctionNames Names;
  llvm::DenseSet<const Decl *> ByBuild; ///< Instances, as of BuildMacros.h.
  std::vector<BodyIndex> Initializers;  ///< What stands outside of functions.
  std::set<std::string> PlacesAsked;    ///< Files that ask for places.
  std::set<Place> LiteralBlock, LiteralMemory; ///< As in KernelUses.
  std::map<std::string, Place> AddressTaken;
  std::set<std::pair<std::string, Place>> FoundByArguments;
  std::map<std::string, Place> AttributesSet;
  /// Findings by place, since instantiations share the text, and by name, since
  /// the names that a macro declares share the place.
  std::map<std::pair<Place, std::string>, size_t> ByPlace;
};

} // namespace

// Whether what Owner declares in Function is for the device. Clang takes each
// lambda in a function of the host for one that may also run there.
static bool isForDevice(const FunctionDecl *Function,
                        const DeclContext *Owner) {
  const auto *Method = dyn_cast<CXXMethodDecl>(Owner);
  const auto *Device = Method ? Method->getAttr<CUDADeviceAttr>() : nullptr;
  return Function->hasAttr<CUDAGlobalAttr>() ||
         Function->hasAttr<CUDADeviceAttr>() ||
         (Device && !Device->isImplicit());
}

// Whether no instance of Function has an object by value there.
static bool isNeverObject(const ParmVarDecl *Parameter,
                          const FunctionDecl *Function) {
  const FunctionDecl *Pattern = patternOf(Function);
  const unsigned Index = Parameter->getFunctionScopeIndex();
  const QualType Type = Index < Pattern->getNumParams()
                            ? Pattern->getParamDecl(Index)->getType()
                            : Parameter->getType();
  return !Type->isDependentType() && !Type->isRecordType();
}

void UnitReader::readArrays(const FunctionDecl *Function) {
  const BodyIndex *Body = Bodies.get(Function);
  std::optional<ArrayReader> Reader;
  std::vector<std::pair<const VarDecl *, const DeclStmt *>> Variables;
  for (const ParmVarDecl *Parameter : Function->parameters())
    Variables.emplace_back(Parameter, nullptr);
  llvm::append_range(Variables, Body->Variables);
  for (auto [Variable, Statement] : Variables) {
    if (!isForDevice(Function, Variable->getDeclContext()))
      continue;
    Place Where = Text.place(Variable->getLocation());
    const auto *Parameter = dyn_cast<ParmVarDecl>(Variable);
    if (Parameter && Parameter->getDeclContext() == Function
            ? !isPrivateParameter(Parameter, Function, Bodies, Text)
            : !isPrivateArray(Variable, *Body, Bodies)) {
      if (patternOf(Function) != Function && MayEdit(Where.File) &&
          !(Parameter && isNeverObject(Parameter, Function)))
        Facts.NoArrays.insert(Where);
      continue;
    }
    auto [It, New] = ByPlace.try_emplace({Where, Variable->getNameAsString()},
                                         Facts.Findings.size());
    // What a template leaves open is only asked about without instantiations.
    if (!New && Function->isDependentContext())
      continue;
    if (!Reader)
      Reader.emplace(Function, Bodies, Text, Pointers);
    const FunctionDecl *Pattern = patternOf(Function);
    (void)Pattern->hasBody(Pattern);
    Holders.insert(Pattern);
    Finding F = Reader->read(Variable, Statement);
    if (!New) {
      mergeInstance(Facts.Findings[It->second], std::move(F));
      continue;
    }
    if (!MayEdit(F.Where.File) || !MayEdit(F.Function.Files.front()))
      F.Obstacles.push_back({Reason::OutsidePaths, F.Where, ""});
    Facts.Findings.push_back(std::move(F));
  }
}

void UnitReader::readAllArrays() {
  noteOperators();
  for (const FunctionDecl *Function : Collected.Functions)
    if (!Function->isDependentContext())
      Pointers.noteFunctions(*Bodies.get(Function));
  llvm::for_each(Initializers,
                 [&](const BodyIndex &Init) { Pointers.noteFunctions(Init); });
  for (const FunctionDecl *Function : Collected.Functions)
    if (!isOfSystem(Function))
      readArrays(Function);
}

void UnitReader::readLaunches(const BodyIndex &Body, bool OnDevice) {
  KernelUses Uses = findLaunches(Body, Text, Unit.compiler().getSema(), Names);
  for (Launch &L : Uses.Launches)
    L.OnDevice = OnDevice;
  llvm::move(Uses.Launches, std::back_inserter(Facts.Launches));
  llvm::move(Uses.Queries, std::back_inserter(Facts.Queries));
  LiteralBlock.merge(Uses.LiteralBlock);
  LiteralMemory.merge(Uses.LiteralMemory);
  AddressTaken.merge(Uses.AddressTaken);
  FoundByArguments.merge(Uses.FoundByArguments);
  Uses.AttributesSet.merge(AttributesSet);
  AttributesSet = std::move(Uses.AttributesSet);
}

// All of L that is not written in numbers, for the reason Why.
void UnitReader::forgetNumbers(Launch &L, const std::string &Why) const {
  if (!LiteralMemory.count(L.Where))
    L.DynamicSharedBytes.reset();
  if (LiteralBlock.count(L.Where))
    return;
  L.Threads.reset();
  L.Shape.clear();
  L.Parameter.reset();
  L.GridAsked = false;
  L.Source = Why;
}

static void forgetValue(HostArgument &A) {
  A = {A.For, std::nullopt, std::nullopt};
}

// Kernels without findings are kept too, since their launches and shared memory
// may concern another unit.
void UnitReader::readKernels() {
  for (const FunctionDecl *Function : Collected.Functions) {
    if (!Function->hasAttr<CUDAGlobalAttr>() || Function->isDependentContext())
      continue;
    Kernel K = readKernel(Function, Bodies, Text, MayEdit);
    const std::string_view Last = lastName(K.Name);
    for (const UnseenUse &Each : Facts.UnseenUses)
      if (Each.isOf(K.Id, Last))
        Each.addTo(K);
    // A number that nvcc may have otherwise.
    if ((!WhyHostUnknown.empty() || Unsure.HaveHostSizes) && K.Bounds &&
        K.Bounds->Text.empty()) {
      K.Bounds.reset();
      K.BoundsInsertion = TextRange();
    }
    Facts.Kernels.push_back(std::move(K));
  }
}

// Elsewhere: launches of another configuration, with any block.
void UnitReader::noteUnseenUses(const std::set<SkippedLaunch> &Elsewhere) {
  std::vector<UnseenUse> &Uses = Facts.UnseenUses;
  std::map<std::string, Naming> Known;
  for (const FunctionDecl *Kernel : Collected.Kernels) {
    // Besides one of its own, the unit may mean one that it only declares.
    Naming &Means = Known[Kernel->getNameAsString()];
    if (!Kernel->isDefined())
      Means = Naming::LastAny;
    else if (Means != Naming::LastAny)
      Means = Naming::Last;
  }
  if (HostUnknown)
    for (const auto &[Name, Means] : Known)
      Uses.push_back({Name, Means, Place(), WhyHostUnknown});
  for (const auto &[Id, Where] : AddressTaken)
    Uses.push_back({Id, Naming::Mangled, Where});
  for (const auto &[Id, Where] : AttributesSet)
    Uses.push_back({Id, Naming::Mangled, Where, "", /*SetsAttributes=*/true});
  for (const auto &[Name, Where] : Elsewhere)
    Uses.push_back({Name, Known.try_emplace(Name, Naming::Last).first->second,
                    Where,
                    "text that conditions leave out launches it, from " +
                        shortText(Where)});
  for (const auto &[Name, Where] : FoundByArguments)
    Uses.push_back(
        {Name, Naming::LastAny, Where,
         "argument-dependent lookup may find it at " + shortText(Where)});
}

// The names in \p Code, and whether a parenthesis follows one of each.
static llvm::StringMap<bool> namesIn(StringRef Code, const SourceText &Text) {
  llvm::StringMap<bool> Called;
  StringRef Last;
  Text.forEachToken(Code, [&](const Token &Tok) {
    if (!Last.empty())
      Called[Last] |= Tok.is(tok::l_paren);
    Last = Tok.is(tok::raw_identifier) ? Tok.getRawIdentifier() : "";
  });
  return Called;
}

// What the helper names, and so what is generated, must not be a macro of the
// user's. One with parameters is none without a parenthesis.
void UnitReader::checkMacros() {
  if (Facts.Findings.empty())
    return;
  // Edits move what stands behind them in a line.
  if (Text.mayUseColumns() && !PlacesAsked.empty())
    for (Finding &F : Facts.Findings)
      F.Obstacles.push_back(
          {Reason::HiddenName, F.Where, "the program asks for columns"});
  for (const std::string &Macro : macrosIn(helperText()))
    for (Finding &F : Facts.Findings)
      F.Obstacles.push_back(
          {Reason::HiddenName, F.Where, "macro '" + Macro + "'"});
  if (const auto Macros = macrosIn(launchText().str() + choiceText().str());
      !Macros.empty())
    for (Kernel &K : Facts.Kernels)
      if (K.Text.Problem.empty())
        K.Text.Problem =
            "its row would name the macro '" + Macros.front() + "'";
}

// The macros of the user's that \p Helper names.
std::vector<std::string> UnitReader::macrosIn(StringRef Helper) const {
  const llvm::StringMap<bool> Called = namesIn(Helper, Text);
  auto IsUsers = [&](const IdentifierInfo &Name) {
    const MacroDirective *Last =
        Unit.compiler().getPreprocessor().getLocalMacroDirectiveHistory(&Name);
    if (!Last || Name.getName().starts_with("__") ||
        Name.getName().starts_with("BANKSTRIPE_") ||
        Name.isKeyword(Text.language()) ||
        Text.sources().isInSystemHeader(Last->getLocation()))
      return false;
    if (auto It = Called.find(Name.getName()); It == Called.end() || It->second)
      return true;
    for (const MacroDirective *D = Last; D; D = D->getPrevious())
      if (const auto *Definition = dyn_cast<DefMacroDirective>(D))
        if (!Definition->getInfo()->isFunctionLike())
          return true;
    return false;
  };
  std::vector<std::string> Result;
  Text.anyIdentifier(Helper, [&](const IdentifierInfo &Name) {
    if (IsUsers(Name))
      Result.push_back(Name.getName().str());
    return false;
  });
  return Result;
}

// Invalid where the unit does not include it.
FileID UnitReader::fileOf(StringRef Path) const {
  auto Entry = Text.sources().getFileManager().getOptionalFileRef(Path);
  return Entry ? Text.sources().translateFile(*Entry) : FileID();
}

// Keeps the text of all files that may be edited.
void UnitReader::keepContents() {
  const SourceManager &SM = Text.sources();
  auto KeepFile = [&](FileID File) {
    Facts.Contents.try_emplace(Text.file(SM.getLocForStartOfFile(File)),
                               SM.getBufferData(File).str());
  };
  auto Keep = [&](const std::string &Path) {
    if (Facts.Contents.count(Path))
      return;
    if (FileID File = fileOf(Path); File.isValid())
      KeepFile(File);
  };
  KeepFile(SM.getMainFileID());
  Facts.MainFile = Facts.Contents.begin()->first;
  for (const Finding &F : Facts.Findings) {
    Keep(F.Where.File);
    llvm::for_each(F.Function.Files, Keep);
  }
  for (const SharedArray &A : Facts.SharedArrays)
    Keep(A.Where.File);
  for (const Callee &C : Facts.Callees)
    Keep(C.Definition.File);
  for (const FunctionText &F : Facts.Functions)
    if (F.Problem.empty())
      Keep(F.Definition.File);
  for (const Kernel &K : Facts.Kernels) {
    if (Facts.Findings.empty())
      break;
    if (K.MayEdit)
      Keep(K.Where.File);
    if (K.Text.Problem.empty())
      Keep(K.Text.Definition.File);
  }
  for (const auto &[Path, Content] : Facts.Contents)
    if (Text.asksForPlaces(Content, {Path, 0, unsigned(Content.size())}))
      PlacesAsked.insert(Path);
  // What the tree shows of them is not sure to be all.
  if (Text.mayUsePlaces() || !PlacesAsked.empty())
    for (const auto &[Path, Content] : Facts.Contents)
      Facts.NumberedFiles.insert(Path);
}

void UnitReader::listSources() {
  std::map<std::string, std::string> Digests;
  forEachUserFile(Text.sources(), [&](SourceLocation Start, StringRef Content) {
    Digests.try_emplace(Text.file(Start), digestOf(Content));
    if (const size_t At = findNodeChange(Content); At != StringRef::npos)
      Facts.NodesChangedAt = Text.place(Start.getLocWithOffset(At));
  });
  for (const auto &[Path, Content] : Facts.Contents)
    Digests.try_emplace(Path, digestOf(Content));
  for (auto &[Path, Digest] : Digests)
    Facts.Sources.push_back({Path, std::move(Digest)});
}

void UnitReader::collect() {
  Collected = collectFunctions(Context);
  for (Decl *D : Context.getTranslationUnitDecl()->decls())
    if (D->getLocation().isValid() && !isOfSystem(D))
      Names.read(D);
  for (const Expr *Init : Collected.Initializers)
    if (!Init->isInstantiationDependent())
      Initializers.push_back(indexStatement(Init, Context));
  for (const FunctionDecl *Function : Collected.Functions) {
    if (Function->isDependentContext())
      continue;
    Text.noteAskedPlaces(Bodies.get(Function)->AskedPlaces);
    for (const DeclRefExpr *Name : Bodies.get(Function)->FunctionReferences)
      if (isInstanceByBuildMacro(Name, Context))
        ByBuild.insert(Name->getDecl()->getCanonicalDecl());
  }
  for (const BodyIndex &Init : Initializers)
    Text.noteAskedPlaces(Init.AskedPlaces);
  for (const Expr *Constant : Collected.Constants)
    if (Text.mayUsePlaces() && !Constant->isInstantiationDependent())
      Text.noteAskedPlaces(indexStatement(Constant, Context).AskedPlaces);
  Unsure = findUnsureConstants(Context, Unit.givenFolders());
  for (SourceLocation Line : Unit.macros().Lines)
    Facts.NumberedFiles.insert(Text.file(Line));
}

// Whether an OpenMP directive, which Clang ignores, gives variables of Function
// other values than it assigns.
bool UnitReader::hasReduction(const FunctionDecl *Function) const {
  const SourceManager &SM = Text.sources();
  return llvm::any_of(Unit.macros().Reductions, [&](SourceLocation Directive) {
    return SM.isPointWithin(Directive,
                            SM.getExpansionLoc(Function->getBeginLoc()),
                            SM.getExpansionLoc(Function->getEndLoc()));
  });
}

// Launches and what leads to them.
void UnitReader::readHost() {
  for (const FunctionDecl *Function : Collected.Functions) {
    if (Function->isDependentContext() || isOfSystem(Function))
      continue;
    const BodyIndex &Body = *Bodies.get(Function);
    const bool IsKernel = Function->hasAttr<CUDAGlobalAttr>();
    const bool OnDevice = Function->hasAttr<CUDADeviceAttr>();
    const size_t Launches = Facts.Launches.size();
    const size_t Arguments = Facts.Arguments.size();
    readLaunches(Body, IsKernel || OnDevice);
    if (!IsKernel && (!OnDevice || Function->hasAttr<CUDAHostAttr>()))
      llvm::append_range(Facts.Arguments, findHostArguments(Body, Names));
    const bool IsByBuild = ByBuild.contains(Function->getCanonicalDecl());
    if (!IsByBuild && !hasReduction(Function))
      continue;
    for (Launch &L : llvm::drop_begin(Facts.Launches, Launches))
      forgetNumbers(L, IsByBuild
                           ? "macros may give its template other arguments"
                           : "an OpenMP directive may change it");
    llvm::for_each(llvm::drop_begin(Facts.Arguments, Arguments), forgetValue);
  }
  for (const BodyIndex &Init : Initializers) {
    readLaunches(Init, /*OnDevice=*/false);
    llvm::append_range(Facts.Arguments, findHostArguments(Init, Names));
  }
  llvm::append_range(Facts.Arguments, findUnseenArguments(Names));
  for (auto [Function, Name] : Names.uncounted())
    if (Function->hasAttr<CUDAGlobalAttr>())
      AddressTaken.try_emplace(kernelId(Function),
                               Text.place(Name->getExprLoc()));
  for (const FunctionDecl *Kernel : Collected.Kernels)
    if (!Kernel->isDependentContext() && Names.hasOtherNames(Kernel))
      AddressTaken.try_emplace(kernelId(Kernel),
                               Text.place(Kernel->getLocation()));
}

// What the host does is what a parse for the host says, where the two differ.
// And all that an edit changes must be as it should be there, too.
// Only a kernel's own launches are seen by the device alone.
void UnitReader::addHostView(UnitReader &Host) {
  for (Finding &F : Facts.Findings)
    if (auto Seen = Host.ByPlace.find({F.Where, F.Name});
        Seen != Host.ByPlace.end()) {
      Finding &OfHost = Host.Facts.Findings[Seen->second];
      // Where both sides have other texts, they may have other extents.
      if (Unsure.HaveHostSizes && !Facts.AsksForSide)
        takeSizes(F, OfHost);
      mergeHostView(F, std::move(OfHost));
    }
  llvm::erase_if(Facts.Launches, [](const Launch &L) { return !L.OnDevice; });
  for (Launch &L : Host.Facts.Launches) {
    const bool Known = llvm::any_of(Facts.Launches, [&](const Launch &Other) {
      return L.OnDevice && Other.Where == L.Where &&
             Other.KernelId == L.KernelId && Other.Threads == L.Threads &&
             Other.DynamicSharedBytes == L.DynamicSharedBytes;
    });
    if (!Known)
      Facts.Launches.push_back(std::move(L));
  }
  LiteralBlock.merge(Host.LiteralBlock);
  LiteralMemory.merge(Host.LiteralMemory);
  Facts.NumberedFiles.merge(Host.Facts.NumberedFiles);
  Text.noteAskedPlaces(Host.Text);
  Facts.Queries = std::move(Host.Facts.Queries);
  // Launches by a kernel may be in functions that only kernels call so.
  if (llvm::none_of(Facts.Launches, [](const Launch &L) { return L.OnDevice; }))
    Facts.Arguments.clear();
  llvm::append_range(Facts.Arguments, Host.Facts.Arguments);
  AddressTaken.merge(Host.AddressTaken);
  FoundByArguments.merge(Host.FoundByArguments);
  Host.AttributesSet.merge(AttributesSet);
  AttributesSet = std::move(Host.AttributesSet);
}

// What is decided by an answer that nvcc may give otherwise is not known: any
// number that the host computes, and which launches there are.
void UnitReader::checkQuestions(UnitReader &Into) {
  if (!Into.WhyHostUnknown.empty())
    return;
  const SourceLocation Asked = Unit.unansweredQuestion();
  if (Asked.isValid())
    Into.WhyHostUnknown = shortText(Text.place(Asked)) +
                          " asks for a macro that nvcc may have otherwise";
  else if (Unsure.Where.isValid())
    Into.WhyHostUnknown = shortText(Text.place(Unsure.Where)) + " depends on " +
                          Unsure.Asked + ", where nvcc may differ";
}

// Those of the user's, and of system headers what is visible from functions or
// through the types of elements.
void UnitReader::noteOperators() {
  auto NoteAround = [&](const DeclContext *Scope) {
    for (; Scope; Scope = Scope->getParent())
      if (Scope->isFileContext())
        Operators.noteAll(Scope);
  };
  NoteAround(Context.getTranslationUnitDecl());
  for (const NamedDecl *Declared : Collected.Visible)
    Operators.note(Declared);
  for (const FunctionDecl *Function : Collected.Functions) {
    if (Function->isDependentContext())
      continue;
    NoteAround(Function->getDeclContext());
    for (const NamedDecl *Declared : Bodies.get(Function)->Visible)
      Operators.note(Declared);
    for (auto [Variable, Statement] : Bodies.get(Function)->Variables) {
      QualType Element(Variable->getType()->getBaseElementTypeUnsafe(), 0);
      while (Element->isPointerType())
        Element = Element->getPointeeType();
      if (Variable->getType()->isArrayType())
        NoteAround(Element->getAsTagDecl());
    }
  }
}

UnitFacts UnitReader::read(bool IsAlone) {
  collect();
  Facts.AsksForSide = Unit.asksForSide();
  readAllArrays();
  for (const FunctionDecl *Function : Collected.Functions)
    if (!isOfSystem(Function) && !Function->isDependentContext() &&
        isForDevice(Function, Function))
      llvm::append_range(
          Facts.SharedArrays,
          findSharedArrays(Function, Bodies, Text, Pointers, MayEdit));
  readHost();
  // A launcher reads each configuration anew.
  std::set<SkippedLaunch> Elsewhere;
  if (!IsAlone)
    Elsewhere = findSkippedLaunches(Unit.macros().Skipped, Text);
  auto ReadHost = [&](ParsedUnit &Parsed) {
    UnitReader Host(Parsed, MayEdit);
    Host.collect();
    Host.readAllArrays();
    Host.readHost();
    addHostView(Host);
    Host.checkQuestions(*this);
    const auto Skipped =
        findSkippedLaunches(Parsed.macros().Skipped, Host.Text);
    std::erase_if(Elsewhere,
                  [&](const SkippedLaunch &L) { return !Skipped.count(L); });
  };
  if (!IsAlone || !Facts.Findings.empty() || !Facts.SharedArrays.empty())
    HostUnknown =
        Unit.readForHost(ReadHost, Unsure.HaveHostSizes) == HostView::Unknown;
  checkQuestions(*this);
  HostUnknown |= !WhyHostUnknown.empty();
  if (!WhyHostUnknown.empty()) {
    for (Launch &L : Facts.Launches)
      forgetNumbers(L, WhyHostUnknown);
    llvm::for_each(Facts.Arguments, forgetValue);
  }
  noteUnseenUses(Elsewhere);
  readKernels();
  Facts.Callees = Pointers.callees();
  Facts.Functions =
      readFunctionTexts(Collected.Functions, Holders, Bodies, Text, MayEdit);
  noteOtherDefinitions(Unit.macros().Skipped, Text, Facts);
  keepContents();
  checkMacros();
  for (Finding &F : Facts.Findings)
    F.sortObstacles();
  listSources();
  return std::move(Facts);
}

UnitFacts bankstripe::findAll(ParsedUnit &Unit,
                              llvm::function_ref<bool(StringRef)> MayEdit,
                              bool IsAlone) {
  return UnitReader(Unit, MayEdit).read(IsAlone);
}
