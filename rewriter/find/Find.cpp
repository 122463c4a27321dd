//===-- Find.cpp - from a parsed unit to findings -------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "find/Find.h"
#include "find/Arrays.h"
#include "find/Kernels.h"
#include "find/Launches.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Mangle.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringSet.h"
#include <set>

using namespace bankstripe;
using namespace clang;

namespace {

/// Collects the functions with bodies that stand outside system headers, with
/// the instantiations of templates.
class FunctionCollector : public RecursiveASTVisitor<FunctionCollector> {
public:
  bool shouldVisitTemplateInstantiations() const { return true; }

  // Bodies are indexed one by one, lambdas as part of the body around them.
  bool TraverseStmt(Stmt *) { return true; }

  bool VisitFunctionDecl(FunctionDecl *Function) {
    if (Function->doesThisDeclarationHaveABody() && Function->getBody())
      (Function->isDependentContext() ? Templates : Functions)
          .push_back(Function);
    return true;
  }

  // Outside functions a kernel's address can be taken too: in a table of
  // function pointers, a default argument, a member's initialiser.
  bool VisitVarDecl(VarDecl *Variable) {
    if (const Expr *Init = Variable->getAnyInitializer())
      Initializers.push_back(Init);
    return true;
  }
  bool VisitParmVarDecl(ParmVarDecl *Parameter) {
    if (Parameter->hasDefaultArg() && !Parameter->hasUnparsedDefaultArg() &&
        !Parameter->hasUninstantiatedDefaultArg())
      Initializers.push_back(Parameter->getDefaultArg());
    return true;
  }
  bool VisitFieldDecl(FieldDecl *Field) {
    if (const Expr *Init = Field->getInClassInitializer())
      Initializers.push_back(Init);
    return true;
  }

  std::vector<const FunctionDecl *> Functions;
  std::vector<const FunctionDecl *> Templates;
  std::vector<const Expr *> Initializers;
};

/// One run of findAll.
class UnitReader {
public:
  UnitReader(ParsedUnit &Unit, llvm::function_ref<bool(StringRef)> MayEdit)
      : Unit(Unit), Context(Unit.compiler().getASTContext()),
        Text(Context, Unit.compiler().getPreprocessor()),
        Classifier(Context, Text, Bodies, MayEdit), MayEdit(MayEdit) {}

  UnitFacts read();

private:
  FunctionCollector collect() const;
  /// An instantiation of a system template is.
  bool isOfSystem(const FunctionDecl *Function) const {
    return Text.sources().isInSystemHeader(
        Text.sources().getExpansionLoc(Function->getLocation()));
  }
  void readArrays(const FunctionDecl *Function);
  void readHost(const FunctionCollector &Collector);
  void readHostView();
  void takeHostView(UnitReader &Host);
  void readLaunches(const BodyIndex &Body, bool OnDevice);
  void readGlobalInitializer(const Expr *Init);
  void readKernels(const std::vector<const FunctionDecl *> &Functions);
  void checkOverloads(const FunctionCollector &Collector);
  void addLaunchFiles();
  void checkMacros();
  void keepContents();
  void listSources();

  ParsedUnit &Unit;
  ASTContext &Context;
  SourceText Text;
  BodyIndexCache Bodies;
  UseClassifier Classifier;
  llvm::function_ref<bool(StringRef)> MayEdit;
  UnitFacts Facts;
  /// What the host does was not seen: every kernel may be launched anyhow.
  bool HostUnknown = false;
  std::vector<std::pair<std::string, Place>> AddressTaken;
  std::vector<std::pair<std::string, Place>> AttributesSet;
  std::set<FileID> Files; ///< That hold findings.
  /// Findings by place, since instantiations share the text, and by name, since
  /// the names that a macro declares share the place.
  std::map<std::pair<Place, std::string>, size_t> ByPlace;
};

} // namespace

static void mergeUse(Finding &Into, Use From) {
  auto Known = llvm::find_if(
      Into.Uses, [&](const Use &U) { return U.Whole == From.Whole; });
  if (Known == Into.Uses.end()) {
    Into.Uses.push_back(std::move(From));
    return;
  }
  Known->ConstantIndex &= From.ConstantIndex;
  if (Known->Access != From.Access)
    Known->Access = AccessKind::ReadWrite;
}

// Adds what another instantiation of the same template makes of an array. The
// text is shared, so one edit must be right for both: an obstacle of either is
// one of both.
static void mergeInstance(Finding &Into, Finding From) {
  if (Into.Init != From.Init || Into.IsObject != From.IsObject ||
      Into.HasConst != From.HasConst)
    Into.Obstacles.push_back({Reason::TranslationUnitsDiffer, Into.Where,
                              "instantiations of " + Into.Function});
  for (ArrayInstance &I : From.Instances)
    if (llvm::none_of(Into.Instances, [&](const ArrayInstance &Known) {
          return Known.FunctionId == I.FunctionId;
        }))
      Into.Instances.push_back(std::move(I));
  Into.shareClaimedAlignment();
  Into.mergeLoops(From);
  Into.mergeVersion(From);
  llvm::sort(Into.Instances,
             [](const ArrayInstance &A, const ArrayInstance &B) {
               return A.FunctionId < B.FunctionId;
             });
  for (Use &U : From.Uses)
    mergeUse(Into, std::move(U));
  for (Obstacle &O : From.Obstacles)
    if (llvm::none_of(Into.Obstacles, [&](const Obstacle &Known) {
          return Known.Why == O.Why && Known.Where == O.Where;
        }))
      Into.Obstacles.push_back(std::move(O));
  if (From.BytesPerThread > Into.BytesPerThread) {
    Into.Type = From.Type;
    Into.ElementBytes = From.ElementBytes;
    Into.Extents = From.Extents;
    Into.BytesPerThread = From.BytesPerThread;
  }
  for (std::string &File : From.FunctionFiles)
    if (!llvm::is_contained(Into.FunctionFiles, File))
      Into.FunctionFiles.push_back(std::move(File));
  Into.InKernel &= From.InKernel;
  if (!(Into.Scope == From.Scope))
    Into.Scope = TextRange();
  Into.NeedsAccessor |= From.NeedsAccessor;
  llvm::move(From.Trail.Locals, std::back_inserter(Into.Trail.Locals));
  llvm::move(From.Trail.Arguments, std::back_inserter(Into.Trail.Arguments));
  llvm::append_range(Into.OtherDepths, From.OtherDepths);
  Into.ConstantInit &= From.ConstantInit;
  Into.NeverWritten &= From.NeverWritten;
  Into.HostDevice |= From.HostDevice;
  Into.ElementDependent |= From.ElementDependent;
}

static bool isForDevice(const FunctionDecl *Function) {
  return Function->hasAttr<CUDAGlobalAttr>() ||
         Function->hasAttr<CUDADeviceAttr>();
}

// A lambda that stands in a function of the host; Clang takes each for one that
// may also run on the device.
static bool isLambdaForDevice(const DeclContext *Owner) {
  const auto *Method = dyn_cast<CXXMethodDecl>(Owner);
  const auto *Device = Method ? Method->getAttr<CUDADeviceAttr>() : nullptr;
  return Device && !Device->isImplicit();
}

void UnitReader::readArrays(const FunctionDecl *Function) {
  const BodyIndex *Body = Bodies.get(Function);
  std::optional<ArrayReader> Reader;
  for (auto [Variable, Statement] : Body->Variables) {
    if (!isPrivateArray(Variable) ||
        (!isForDevice(Function) &&
         !isLambdaForDevice(Variable->getDeclContext())))
      continue;
    Place Where = Text.place(Variable->getLocation());
    auto [It, New] = ByPlace.try_emplace({Where, Variable->getNameAsString()},
                                         Facts.Findings.size());
    // What a template leaves open is only asked about without instantiations.
    if (!New && Function->isDependentContext())
      continue;
    if (!Reader)
      Reader.emplace(Function, Bodies, Context, Text, Classifier);
    Finding F = Reader->read(Variable, Statement);
    if (!llvm::all_of(F.LeadingLoops, [&](const CountedLoop &L) {
          return MayEdit(L.Where.File);
        }))
      F.LeadingLoops.clear();
    if (!New) {
      mergeInstance(Facts.Findings[It->second], std::move(F));
      continue;
    }
    const SourceManager &SM = Text.sources();
    Files.insert(SM.getFileID(SM.getExpansionLoc(Variable->getLocation())));
    Files.insert(SM.getFileID(SM.getExpansionLoc(Function->getLocation())));
    if (!MayEdit(F.Where.File) || !MayEdit(F.FunctionFiles.front()))
      F.Obstacles.push_back({Reason::OutsidePaths, F.Where, ""});
    Facts.Findings.push_back(std::move(F));
  }
}

void UnitReader::readGlobalInitializer(const Expr *Init) {
  BodyIndex Index = indexExpression(Init, Context);
  readLaunches(Index, /*OnDevice=*/false);
  llvm::append_range(Facts.Arguments, findHostArguments(Index, Context));
}

void UnitReader::readLaunches(const BodyIndex &Body, bool OnDevice) {
  KernelUses Uses = findLaunches(Body, Context, Text);
  auto CheckPath = [&](LaunchText &T) {
    if (T.Problem.empty() && !MayEdit(T.Replaced.File))
      T.Problem = "it is outside the given paths";
  };
  for (Launch &L : Uses.Launches) {
    L.OnDevice = OnDevice;
    CheckPath(L.Text);
  }
  for (OccupancyQuery &Q : Uses.Queries)
    CheckPath(Q.Text);
  llvm::move(Uses.Launches, std::back_inserter(Facts.Launches));
  llvm::move(Uses.Queries, std::back_inserter(Facts.Queries));
  llvm::move(Uses.AddressTaken, std::back_inserter(AddressTaken));
  llvm::move(Uses.AttributesSet, std::back_inserter(AttributesSet));
}

// Kernels without findings are kept too, since their launches and shared memory
// may concern another unit.
void UnitReader::readKernels(
    const std::vector<const FunctionDecl *> &Functions) {
  const SourceManager &SM = Text.sources();
  for (const FunctionDecl *Function : Functions) {
    if (!Function->hasAttr<CUDAGlobalAttr>() || Function->isDependentContext())
      continue;
    Facts.Kernels.push_back(
        readKernel(Function, Bodies, Context, Text, MayEdit));
    const Kernel &K = Facts.Kernels.back();
    if (K.MayEdit && !Facts.Findings.empty())
      Files.insert(SM.getFileID(SM.getExpansionLoc(Function->getLocation())));
  }
  for (Kernel &K : Facts.Kernels)
    if (HostUnknown) {
      K.AddressTaken = true;
      K.AddressTakenAt = K.Where;
    }
  for (Kernel &K : Facts.Kernels)
    for (const auto &[Id, Where] : AddressTaken)
      if (Id == K.Id && !K.AddressTaken) {
        K.AddressTaken = true;
        K.AddressTakenAt = Where;
      }
  for (Kernel &K : Facts.Kernels)
    for (const auto &[Id, Where] : AttributesSet)
      if (Id == K.Id)
        K.AttributeSetAt = Where;
}

// Whether a pointer on this trail may be handed to one of Places.
static bool leadsTo(const PointerTrail &Trail, const std::set<Place> &Places,
                    const std::vector<Callee> &Callees,
                    std::set<std::pair<Place, unsigned>> &Seen) {
  for (const PointerArgument &A : Trail.Arguments) {
    if (Places.count(A.Callee))
      return true;
    if (!Seen.insert({A.Callee, A.Parameter}).second)
      continue;
    for (const Callee &C : Callees)
      if (auto It = C.Parameters.find(A.Parameter);
          C.Where == A.Callee && It != C.Parameters.end() &&
          leadsTo(It->second.Trail, Places, Callees, Seen))
        return true;
  }
  return false;
}

// The name of a function that is used as a value must stay that of one
// function.
void UnitReader::checkOverloads(const FunctionCollector &Collector) {
  if (Facts.Findings.empty())
    return;
  llvm::SmallPtrSet<const FunctionDecl *, 16> Values;
  auto Note = [&](const BodyIndex &Body) {
    for (const DeclRefExpr *Reference : Body.FunctionReferences)
      if (!Body.isCallee(Reference))
        Values.insert(cast<FunctionDecl>(Reference->getDecl()));
  };
  for (const FunctionDecl *Function : Collector.Functions) {
    if (Function->isDependentContext())
      continue;
    Note(*Bodies.get(Function));
  }
  for (const Expr *Init : Collector.Initializers)
    if (!Init->isInstantiationDependent())
      Note(indexExpression(Init, Context));
  std::set<Place> Places;
  for (const FunctionDecl *Function : Values) {
    const FunctionDecl *Pattern = Function->getTemplateInstantiationPattern();
    const FunctionDecl *Definition = Pattern ? Pattern : Function;
    if (Definition->hasBody(Definition))
      Places.insert(Text.place(Definition->getLocation()));
  }
  for (Finding &F : Facts.Findings) {
    std::set<std::pair<Place, unsigned>> Seen;
    if (leadsTo(F.Trail, Places, Facts.Callees, Seen))
      F.Obstacles.push_back({Reason::PassedToFunction, F.Where,
                             "a function whose address is taken too"});
  }
}

// Names in the helper, and so all names in what is generated.
static const llvm::StringSet<> &namesOfHelper() {
  static const llvm::StringSet<> Names = [] {
    LangOptions Options;
    Options.CPlusPlus = Options.CPlusPlus11 = Options.LineComment = true;
    const StringRef Text = helperHeader();
    Lexer Raw(SourceLocation(), Options, Text.begin(), Text.begin(),
              Text.end());
    llvm::StringSet<> Result;
    for (Token T; Raw.LexFromRawLexer(T), T.isNot(tok::eof);)
      if (T.is(tok::raw_identifier))
        Result.insert(T.getRawIdentifier());
    return Result;
  }();
  return Names;
}

// What the helper names must not be a macro of the user's.
void UnitReader::checkMacros() {
  if (Facts.Findings.empty())
    return;
  const SourceManager &SM = Text.sources();
  for (const auto &Each : namesOfHelper()) {
    const StringRef Name = Each.getKey();
    const IdentifierInfo &Known = Context.Idents.get(Name);
    if (!Known.hadMacroDefinition() || Name.starts_with("__") ||
        Name.starts_with("BANKSTRIPE_") || Known.isKeyword(Text.language()))
      continue;
    const auto *Directive =
        Unit.compiler().getPreprocessor().getLocalMacroDirectiveHistory(&Known);
    if (!Directive || SM.isInSystemHeader(Directive->getLocation()))
      continue;
    for (Finding &F : Facts.Findings)
      F.Obstacles.push_back(
          {Reason::HiddenName, F.Where, ("macro '" + Name + "'").str()});
  }
}

// The files of what dynamic shared memory would change.
void UnitReader::addLaunchFiles() {
  const SourceManager &SM = Text.sources();
  auto Add = [&](const TextRange &Where) {
    if (auto Entry = SM.getFileManager().getOptionalFileRef(Where.File))
      if (FileID File = SM.translateFile(*Entry); File.isValid())
        Files.insert(File);
  };
  for (const Launch &L : Facts.Launches)
    if (L.Text.Problem.empty())
      Add(L.Text.Replaced);
  for (const OccupancyQuery &Q : Facts.Queries)
    if (Q.Text.Problem.empty())
      Add(Q.Text.Replaced);
  for (const Kernel &K : Facts.Kernels)
    if (!Facts.Findings.empty() && K.Text.Problem.empty()) {
      Add(K.Text.Definition);
      llvm::for_each(K.Text.Declarations, Add);
    }
}

void UnitReader::keepContents() {
  const SourceManager &SM = Text.sources();
  Files.insert(SM.getMainFileID());
  addLaunchFiles();
  for (FileID File : Files)
    Facts.Contents.emplace(Text.file(SM.getLocForStartOfFile(File)),
                           SM.getBufferData(File).str());
  Facts.MainFile = Text.file(SM.getLocForStartOfFile(SM.getMainFileID()));
}

void UnitReader::listSources() {
  std::map<std::string, std::string> Digests;
  forEachUserFile(Text.sources(), [&](SourceLocation Start, StringRef Content) {
    Digests.try_emplace(Text.file(Start), digestOf(Content));
  });
  for (const auto &[Path, Content] : Facts.Contents)
    Digests.try_emplace(Path, digestOf(Content));
  for (auto &[Path, Digest] : Digests)
    Facts.Sources.push_back({Path, std::move(Digest)});
}

// The functions with bodies; instantiations first, as a template itself has
// nothing to add to them.
FunctionCollector UnitReader::collect() const {
  FunctionCollector Collector;
  const SourceManager &SM = Text.sources();
  for (Decl *D : Context.getTranslationUnitDecl()->decls())
    if (!SM.isInSystemHeader(SM.getExpansionLoc(D->getLocation())) &&
        D->getLocation().isValid())
      Collector.TraverseDecl(D);
  llvm::append_range(Collector.Functions, Collector.Templates);
  return Collector;
}

// Launches and what leads to them.
void UnitReader::readHost(const FunctionCollector &Collector) {
  for (const FunctionDecl *Function : Collector.Functions) {
    if (Function->isDependentContext() || isOfSystem(Function))
      continue;
    const BodyIndex &Body = *Bodies.get(Function);
    const bool IsKernel = Function->hasAttr<CUDAGlobalAttr>();
    const bool OnDevice = Function->hasAttr<CUDADeviceAttr>();
    readLaunches(Body, IsKernel || OnDevice);
    if (!IsKernel && (!OnDevice || Function->hasAttr<CUDAHostAttr>()))
      llvm::append_range(Facts.Arguments, findHostArguments(Body, Context));
  }
  for (const Expr *Init : Collector.Initializers)
    if (!Init->isInstantiationDependent())
      readGlobalInitializer(Init);
}

// What the host does is what a parse for the host says, where the two differ.
// Only a kernel's own launches are seen by the device alone.
void UnitReader::takeHostView(UnitReader &Host) {
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
  Facts.Queries = std::move(Host.Facts.Queries);
  Facts.Arguments = std::move(Host.Facts.Arguments);
  llvm::move(Host.AddressTaken, std::back_inserter(AddressTaken));
  llvm::move(Host.AttributesSet, std::back_inserter(AttributesSet));
  // A header that only the host includes is nothing that is edited.
  auto CheckFile = [&](LaunchText &T) {
    FileManager &Known = Text.sources().getFileManager();
    auto Entry = Known.getOptionalFileRef(T.Replaced.File);
    if (T.Problem.empty() &&
        (!Entry || Text.sources().translateFile(*Entry).isInvalid()))
      T.Problem = "only the host includes it";
  };
  for (Launch &L : Facts.Launches)
    CheckFile(L.Text);
  for (OccupancyQuery &Q : Facts.Queries)
    CheckFile(Q.Text);
}

void UnitReader::readHostView() {
  HostUnknown = Unit.readForHost([&](ParsedUnit &Parsed) {
    UnitReader Host(Parsed, MayEdit);
    Host.readHost(Host.collect());
    takeHostView(Host);
  }) == HostView::Unknown;
}

UnitFacts UnitReader::read() {
  const FunctionCollector Collector = collect();
  for (const FunctionDecl *Function : Collector.Functions)
    if (!isOfSystem(Function))
      readArrays(Function);
  readHost(Collector);
  readHostView();
  readKernels(Collector.Functions);
  Facts.Callees = Classifier.pointers().callees();
  checkOverloads(Collector);
  checkMacros();
  const std::set<FileID> &CalleeFiles = Classifier.pointers().calleeFiles();
  Files.insert(CalleeFiles.begin(), CalleeFiles.end());
  for (Finding &F : Facts.Findings)
    llvm::sort(F.Obstacles, [](const Obstacle &A, const Obstacle &B) {
      return std::tie(A.Where, A.Why) < std::tie(B.Where, B.Why);
    });
  keepContents();
  listSources();
  return std::move(Facts);
}

UnitFacts bankstripe::findAll(ParsedUnit &Unit,
                              llvm::function_ref<bool(StringRef)> MayEdit) {
  return UnitReader(Unit, MayEdit).read();
}
