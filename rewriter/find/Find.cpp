//===-- Find.cpp - from a parsed unit to findings -------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "find/Find.h"
#include "find/Arrays.h"
#include "find/ExpandMacros.h"
#include "find/FunctionTexts.h"
#include "find/KernelFacts.h"
#include "find/Launches.h"
#include "find/MergeFindings.h"
#include "find/Parameters.h"
#include "frontend/UserFiles.h"
#include "model/Helper.h"
#include "clang/AST/Attr.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/Lexer.h"
#include <algorithm>

using namespace bankstripe;
using namespace clang;

namespace {

/// What stands outside system headers.
struct CollectedFunctions {
  /// Those with bodies; instances first, as a template itself has nothing to
  /// add to them.
  std::vector<const FunctionDecl *> Functions;
  /// Of variables, and of members in their classes.
  std::vector<const Expr *> Initializers;
  /// Operators are among what they declare or name.
  std::vector<const NamedDecl *> Visible;
};

class FunctionCollector : public RecursiveASTVisitor<FunctionCollector> {
public:
  bool shouldVisitTemplateInstantiations() const { return true; }

  // Bodies are indexed one by one, lambdas as part of the body around them.
  bool TraverseStmt(Stmt *) { return true; }

  bool VisitFunctionDecl(FunctionDecl *Function) {
    if (Function->doesThisDeclarationHaveABody() && Function->getBody())
      (Function->isDependentContext() ? Templates : Result.Functions)
          .push_back(Function);
    return !Function->isOverloadedOperator() || note(Function);
  }
  bool VisitUsingDecl(UsingDecl *Using) { return note(Using); }
  bool VisitUsingDirectiveDecl(UsingDirectiveDecl *Using) {
    return note(Using);
  }

  // Outside functions a kernel's address can be taken too: in a table of
  // function pointers, a default argument, a member's initialiser.
  bool VisitVarDecl(VarDecl *Variable) {
    if (const Expr *Init = Variable->getAnyInitializer())
      Result.Initializers.push_back(Init);
    return true;
  }
  bool VisitFieldDecl(FieldDecl *Field) {
    if (const Expr *Init = Field->getInClassInitializer())
      Result.Initializers.push_back(Init);
    return true;
  }

  CollectedFunctions Result;
  std::vector<const FunctionDecl *> Templates;

private:
  bool note(const NamedDecl *Declared) {
    Result.Visible.push_back(Declared);
    return true;
  }
};

/// One run of findAll.
class UnitReader {
public:
  UnitReader(ParsedUnit &Unit, llvm::function_ref<bool(StringRef)> MayEdit)
      : Unit(Unit), Context(Unit.compiler().getASTContext()),
        Text(Context, Unit.compiler().getPreprocessor(), Unit.macros()),
        Pointers(Text, Bodies, Operators, MayEdit), MayEdit(MayEdit) {}

  UnitFacts read();

private:
  ArrayView arrayView();
  void collect();
  void noteOperators();
  void readArrays(const FunctionDecl *Function);
  void readAllArrays();
  void readLaunches();
  void keepUnreadForHost(llvm::ArrayRef<Place> Errors, bool IsUnknown);
  void readKernels();
  void keepPlaces();
  void checkMacros();
  std::vector<std::string> macrosIn(StringRef Helper) const;
  FileID fileOf(StringRef Path) const;
  void keepContents();
  void listSources();
  std::vector<ExpandedMacro> macroUses();

  ParsedUnit &Unit;
  ASTContext &Context;
  SourceText Text;
  BodyIndexCache Bodies;
  UserOperators Operators;
  PointerFollower Pointers;
  llvm::DenseSet<const FunctionDecl *> Holders; ///< Of arrays; patterns.
  llvm::function_ref<bool(StringRef)> MayEdit;
  UnitFacts Facts;
  CollectedFunctions Collected;
  std::vector<BodyIndex> Initializers; ///< What stands outside of functions.
  /// Findings by place, since instantiations share the text, and by name, since
  /// the names that a macro declares share the place.
  std::map<std::pair<Place, std::string>, size_t> ByPlace;
};

} // namespace

static CollectedFunctions collectFunctions(const ASTContext &Context) {
  FunctionCollector Collector;
  for (Decl *D : Context.getTranslationUnitDecl()->decls())
    if (D->getLocation().isValid() && !isOfSystem(D))
      Collector.TraverseDecl(D);
  llvm::append_range(Collector.Result.Functions, Collector.Templates);
  return std::move(Collector.Result);
}

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
    const FunctionDecl *Pattern = patternOf(homeOf(Variable, Function));
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

// Kernels without findings are kept too, since their launches and shared memory
// may concern another unit.
void UnitReader::readKernels() {
  for (const FunctionDecl *Function : Collected.Functions) {
    if (!Function->hasAttr<CUDAGlobalAttr>() || Function->isDependentContext())
      continue;
    Facts.Kernels.push_back(readKernel(Function, Bodies, Text, MayEdit));
  }
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

// Edits change the places of what stands behind them, and copies have others.
void UnitReader::keepPlaces() {
  for (Finding &F : Facts.Findings)
    F.Obstacles.push_back({Reason::HiddenName, F.Where,
                           "the program asks where its text stands"});
  // Other units may change them.
  for (const auto &[Path, Content] : Facts.Contents)
    Facts.NumberedFiles.insert(Path);
}

// What the helper names, and so what is generated, must not be a macro of the
// user's. One with parameters is none without a parenthesis.
void UnitReader::checkMacros() {
  if (Facts.Findings.empty())
    return;
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

// Those that declare arrays, or kernels. Nobody asks for macros afterwards.
std::vector<ExpandedMacro> UnitReader::macroUses() {
  if (Facts.Findings.empty())
    return {};
  std::set<TextRange> Uses;
  for (const Finding &F : Facts.Findings)
    Uses.insert(F.Text.Macro);
  for (const FunctionDecl *Function : Collected.Functions)
    if (Function->hasAttr<CUDAGlobalAttr>())
      Uses.insert(Text.macroUse(Function->getLocation()));
  return expandMacros(Uses, Text, Unit.compiler().getPreprocessor());
}

void UnitReader::collect() {
  Collected = collectFunctions(Context);
  for (const Expr *Init : Collected.Initializers)
    if (!Init->isInstantiationDependent())
      Initializers.push_back(indexStatement(Init, Context));
}

ArrayView UnitReader::arrayView() {
  collect();
  readAllArrays();
  ArrayView View{std::move(Facts.Findings),
                 {},
                 asksForPlaces(Text.sources(), Unit.givenFolders()),
                 {}};
  for (SourceLocation Loc : Unit.errors())
    if (!Text.sources().isInSystemHeader(Loc))
      View.Unread.push_back(Text.place(Loc));
  for (SourceLocation Line : Unit.macros().Lines)
    View.NumberedFiles.insert(Text.file(Line));
  return View;
}

void UnitReader::readLaunches() {
  auto Read = [&](const BodyIndex &Body, bool OnDevice) {
    llvm::move(findLaunches(Body, Text, OnDevice),
               std::back_inserter(Facts.Launches));
  };
  for (const FunctionDecl *Function : Collected.Functions)
    if (!Function->isDependentContext() && !isOfSystem(Function))
      Read(*Bodies.get(Function), Function->hasAttr<CUDAGlobalAttr>() ||
                                      Function->hasAttr<CUDADeviceAttr>());
  for (const BodyIndex &Init : Initializers)
    Read(Init, /*OnDevice=*/false);
}

// Arrays of functions with errors for the host stay, and all arrays where it is
// not known what an error is about.
void UnitReader::keepUnreadForHost(llvm::ArrayRef<Place> Errors,
                                   bool IsUnknown) {
  if (Errors.empty() && !IsUnknown)
    return;
  using Stretch = std::pair<Place, Place>; // Its first and last token.
  auto Holds = [](const Stretch &S, const Place &Where) {
    return S.first <= Where && Where <= S.second;
  };
  std::vector<Stretch> Unread;
  for (const FunctionDecl *Function : Collected.Functions) {
    const Stretch S(Text.place(Function->getBeginLoc()),
                    Text.place(Function->getEndLoc()));
    if (llvm::any_of(Errors, [&](const Place &E) { return Holds(S, E); }))
      Unread.push_back(S);
  }
  auto IsRead = [&](const Place &Where) {
    return llvm::none_of(Unread,
                         [&](const Stretch &S) { return Holds(S, Where); });
  };
  IsUnknown |= llvm::any_of(Errors, IsRead);
  for (Finding &F : Facts.Findings)
    if (IsUnknown || !IsRead(F.Where))
      F.Obstacles.push_back({Reason::TranslationUnitsDiffer, F.Where,
                             "what it is for the host was not read"});
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

// In all configurations.
static bool isLeftOutAlways(StringRef Text) {
  for (StringRef Word : {"#", "if", "0"}) {
    Text = Text.ltrim();
    if (!Text.consume_front(Word))
      return false;
  }
  const StringRef Rest = Text.split('\n').first.trim();
  return Rest.empty() || Rest.starts_with("//") || Rest.starts_with("/*");
}

// The names in those of Skipped that may define what runs on the device.
static llvm::StringSet<> namesLeftOut(llvm::ArrayRef<SourceRange> Skipped,
                                      const SourceText &Text) {
  llvm::StringSet<> Names;
  for (const SourceRange &Range : Skipped) {
    const StringRef Left = Lexer::getSourceText(
        CharSourceRange::getCharRange(Range), Text.sources(), Text.language());
    if (isLeftOutAlways(Left) ||
        (!Left.contains("__global__") && !Left.contains("__device__")))
      continue;
    Text.forEachToken(Left, [&](const Token &Name) {
      if (Name.is(tok::raw_identifier))
        Names.insert(Name.getRawIdentifier());
    });
  }
  return Names;
}

//     #ifdef BIG
//     __global__ void kernel(int *x) { int big[64]; ... }
//     #else
//     __global__ void kernel(int *x) { int small[8]; ... }
//     #endif
//
// Without BIG, the parse sees one of the two. What stands beside it would be
// missing in a build with BIG.
static void noteOtherDefinitions(llvm::ArrayRef<SourceRange> Skipped,
                                 const SourceText &Text, UnitFacts &Facts) {
  const llvm::StringSet<> Names = namesLeftOut(Skipped, Text);
  auto Note = [&](StringRef Title, std::string &Problem) {
    const size_t Scope = Title.rfind("::");
    if (Problem.empty() &&
        Names.contains(Scope == StringRef::npos ? Title
                                                : Title.drop_front(Scope + 2)))
      Problem = "text that a condition leaves out may define it, too";
  };
  for (Kernel &K : Facts.Kernels) {
    Note(K.Text.Name, K.Text.Problem);
    Note(K.Text.Name, K.Text.VersionProblem);
  }
  for (FunctionText &F : Facts.Functions)
    Note(F.Title, F.Problem);
}

UnitFacts UnitReader::read() {
  Facts.AsksForSide = Unit.asksForSide();
  ArrayView View = arrayView();
  readLaunches();
  // All that an edit changes must be as it should be for the host, too.
  auto ReadHost = [&](ParsedUnit &Parsed) {
    View = joinViews(std::move(View), UnitReader(Parsed, MayEdit).arrayView());
  };
  const bool IsUnknown =
      !View.Findings.empty() && Unit.readForHost(ReadHost) == HostView::Unknown;
  Facts.Findings = std::move(View.Findings);
  Facts.NumberedFiles = std::move(View.NumberedFiles);
  keepUnreadForHost(View.Unread, IsUnknown);
  readKernels();
  Facts.Callees = Pointers.callees();
  Facts.Functions =
      readFunctionTexts(Collected.Functions, Holders, Bodies, Text, MayEdit);
  noteOtherDefinitions(Unit.macros().Skipped, Text, Facts);
  keepContents();
  if (View.AsksForPlaces)
    keepPlaces();
  checkMacros();
  for (Finding &F : Facts.Findings)
    F.sortObstacles();
  listSources();
  Facts.Expandable = macroUses();
  return std::move(Facts);
}

UnitFacts bankstripe::findAll(ParsedUnit &Unit,
                              llvm::function_ref<bool(StringRef)> MayEdit) {
  return UnitReader(Unit, MayEdit).read();
}
