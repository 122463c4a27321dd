//===-- Parse.cpp - one device-side parse in this process -----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   job's arguments => Clang's driver => one cc1 command => CompilerInstance
//   Sema => Events => (find/ looks at the tree) => replay => code generator
//
//===----------------------------------------------------------------------===//

#include "frontend/Frontend.h"

#include "frontend/BridgeTable.h"
#include "frontend/CompilerOptions.h"
#include "frontend/MacroQuestions.h"
#include "frontend/Resources.h"
#include "frontend/SideChecks.h"
#include "frontend/UserFiles.h"
#include "model/SourceFile.h"
#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclGroup.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/DiagnosticIDs.h"
#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Basic/Stack.h"
#include "clang/Driver/CreateInvocationFromArgs.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/CompilerInvocation.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "llvm/ADT/FunctionExtras.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <cassert>

using namespace llvm;

namespace bankstripe {
namespace {

constexpr StringLiteral DeviceOnly = "--cuda-device-only";
constexpr StringLiteral HostOnly = "--cuda-host-only";

/// Each parse shows what the one before did not come to. Of all of one file.
constexpr unsigned MostBridgedParses = 4;

/// That are printed, as many as Clang prints.
constexpr unsigned MostErrors = 20;

using FileSystemPtr = IntrusiveRefCntPtr<vfs::FileSystem>;

/// What the parser told its consumer, in order: the code generator numbers and
/// defers in the order in which it is told.
using Events = std::vector<unique_function<void(clang::ASTConsumer &) const>>;

/// Notes those of the parser's events that code for a GPU is generated from.
/// Most files hold no per-thread array, and code generation, which costs
/// several times as much as the notes, is never run.
class EventRecorder final : public clang::ASTConsumer {
public:
  /// \p AtEnd is called after each declaration, and says whether to go on.
  EventRecorder(Events &Into, unique_function<bool()> AtEnd)
      : Into(Into), AtEnd(std::move(AtEnd)) {}

  bool HandleTopLevelDecl(clang::DeclGroupRef Group) override {
    note(&ASTConsumer::HandleTopLevelDecl, Group);
    return AtEnd();
  }
  void HandleInlineFunctionDefinition(clang::FunctionDecl *D) override {
    note(&ASTConsumer::HandleInlineFunctionDefinition, D);
  }
  void HandleTagDeclDefinition(clang::TagDecl *D) override {
    note(&ASTConsumer::HandleTagDeclDefinition, D);
  }
  void HandleTagDeclRequiredDefinition(const clang::TagDecl *D) override {
    note(&ASTConsumer::HandleTagDeclRequiredDefinition, D);
  }
  void HandleCXXStaticMemberVarInstantiation(clang::VarDecl *D) override {
    note(&ASTConsumer::HandleCXXStaticMemberVarInstantiation, D);
  }
  void HandleVTable(clang::CXXRecordDecl *D) override {
    note(&ASTConsumer::HandleVTable, D);
  }

private:
  template <class Result, class Subject>
  void note(Result (ASTConsumer::*Handle)(Subject), Subject What) {
    Into.emplace_back([=](ASTConsumer &Consumer) { (Consumer.*Handle)(What); });
  }

  Events &Into;
  unique_function<bool()> AtEnd;
};

/// The errors of a parse.
struct ErrorRecord {
  unsigned Count = 0;
  std::vector<clang::SourceLocation> Places; ///< All, while the parse lasts.
  FileOffset First;                          ///< Where the first is.
  bool FirstIsKnown = false; ///< What comes after it, it may have caused.

  /// Whether the next parse may do better than this one, which came after
  /// \p Before.
  bool showProgress(const ErrorRecord &Before) const {
    return FirstIsKnown && (First != Before.First || Count < Before.Count);
  }
};

/// How one file is parsed, and what came of it.
struct ParseAttempt {
  std::vector<std::string> Args; ///< For the driver, without its name.
  FileSystemPtr Files;
  std::string File;   ///< As Args name it.
  std::string ReadAs; ///< Its text, if that is another one; else empty.
  bool Colours = false;
  ParseWatch *Watch = nullptr;    ///< May be nobody.
  bool HasShim = false;           ///< Else it may have to be parsed with that.
  bool LacksShim = false;         ///< It turned out so.
  Bridges Bridged;                ///< What earlier attempts have shown.
  Bridges Learned;                ///< The same and what this one shows.
  std::string Messages;           ///< What Clang printed.
  ErrorRecord Errors;             ///< Of this one.
  bool MayHaveErrors = false;     ///< What it shows is asked for all the same.
  unsigned *ParsesLeft = nullptr; ///< For what was learned, of this file.
  MacroView *Macros = nullptr;    ///< Nobody where the command is for Clang.
};

bool parseBridged(ParseAttempt &A, function_ref<void(ParsedUnit &)> Action);
bool parseOnce(ParseAttempt &A, function_ref<void(ParsedUnit &)> Action);

/// The same for the host, with what the device's parse has shown.
ParseAttempt attemptForHost(const ParseAttempt &Device) {
  ParseAttempt Host = Device;
  llvm::replace(Host.Args, DeviceOnly.str(), HostOnly.str());
  Host.Bridged.CalledByHost.clear();
  Host.Bridged.CallsHost = false;
  return Host;
}

/// Makes an option one for the host alone.
constexpr StringLiteral ForHostAlone = "-Xarch_host";

class ParsedUnitImpl final : public ParsedUnit {
public:
  ParsedUnitImpl(clang::CompilerInstance &Compiler, const Events &Parse,
                 const MacroRecord &Macros, const ParseAttempt &Settings)
      : Compiler(Compiler), Parse(Parse), Macros(Macros), Settings(Settings) {}

  clang::CompilerInstance &compiler() override { return Compiler; }
  void replay(clang::ASTConsumer &Consumer) override {
    assert(!Replayed && "a parse can be replayed once");
    Replayed = true;
    Consumer.Initialize(Compiler.getASTContext());
    for (const auto &Event : Parse)
      Event(Consumer);
    Consumer.HandleTranslationUnit(Compiler.getASTContext());
  }
  const MacroRecord &macros() override { return Macros; }
  bool asksForSide() override {
    return !Settings.Bridged.CalledByHost.empty() ||
           bankstripe::asksForSide(Compiler.getSourceManager(), givenFolders());
  }
  GivenFolders givenFolders() override { return GivenFolders(Settings.Args); }
  HostView readForHost(function_ref<void(ParsedUnit &)> Action) override {
    if (!asksForSide() && !is_contained(Settings.Args, ForHostAlone))
      return HostView::Same;
    ParseAttempt Host = attemptForHost(Settings);
    unsigned ParsesLeft = MostBridgedParses;
    Host.ParsesLeft = &ParsesLeft;
    if (parseBridged(Host, Action))
      return HostView::Read;
    Host.MayHaveErrors = true;
    return parseOnce(Host, Action) ? HostView::Read : HostView::Unknown;
  }
  llvm::ArrayRef<clang::SourceLocation> errors() override {
    return Settings.Errors.Places;
  }

private:
  clang::CompilerInstance &Compiler;
  const Events &Parse;
  const MacroRecord &Macros;
  const ParseAttempt &Settings;
  bool Replayed = false;
};

/// Records the expansions of predefined macros, and what the user's conditions
/// leave out.
class MacroRecorder final : public clang::PPCallbacks {
public:
  /// \p Watch may be null.
  MacroRecorder(clang::Preprocessor &PP, MacroRecord &Into, ParseWatch *Watch)
      : PP(PP), Into(Into), Watch(Watch) {}

  void MacroExpands(const clang::Token &Name, const clang::MacroDefinition &M,
                    clang::SourceRange, const clang::MacroArgs *) override {
    if (!M.getMacroInfo()->isBuiltinMacro())
      return;
    const StringRef Expanded = Name.getIdentifierInfo()->getName();
    if (Expanded == "__COUNTER__")
      Into.Counters.push_back(Name.getLocation());
    else if (Expanded == "__LINE__" && computesElsewhere(Name.getLocation()))
      Into.Lines.push_back(Name.getLocation());
    else if (Watch && isAmong(Expanded, "__DATE__ __TIME__ __TIMESTAMP__"))
      Watch->sawTime();
  }
  void SourceRangeSkipped(clang::SourceRange Range,
                          clang::SourceLocation) override {
    if (!PP.getSourceManager().isInSystemHeader(Range.getBegin()))
      Into.Skipped.push_back(Range);
  }

private:
  bool computesElsewhere(clang::SourceLocation Loc) const {
    const clang::SourceManager &SM = PP.getSourceManager();
    if (SM.isWrittenInSameFile(SM.getSpellingLoc(Loc), SM.getExpansionLoc(Loc)))
      return false;
    const clang::IdentifierInfo *File = PP.getIdentifierInfo("__FILE__");
    for (; Loc.isMacroID(); Loc = SM.getImmediateMacroCallerLoc(Loc)) {
      const clang::MacroInfo *Info = PP.getMacroInfo(PP.getIdentifierInfo(
          clang::Lexer::getImmediateMacroName(Loc, SM, PP.getLangOpts())));
      if (Info && any_of(Info->tokens(), [&](const clang::Token &Tok) {
            return Tok.getIdentifierInfo() == File ||
                   Tok.is(clang::tok::hash) ||
                   clang::tok::isStringLiteral(Tok.getKind());
          }))
        return false;
    }
    return true;
  }

  clang::Preprocessor &PP;
  MacroRecord &Into;
  ParseWatch *const Watch;
};

/// Prints what Clang says, as much as Clang would, and learns from all of it,
/// unless there is no hope.
class Listener final : public clang::DiagnosticConsumer {
public:
  Listener(clang::DiagnosticConsumer &Printer, raw_ostream &Messages,
           ParseAttempt &Settings, clang::CompilerInstance &Compiler)
      : Printer(Printer), Messages(Messages), Settings(Settings),
        Compiler(Compiler) {}

  void BeginSourceFile(const clang::LangOptions &Options,
                       const clang::Preprocessor *PP) override {
    Printer.BeginSourceFile(Options, PP);
  }
  void EndSourceFile() override { Printer.EndSourceFile(); }
  void HandleDiagnostic(clang::DiagnosticsEngine::Level Level,
                        const clang::Diagnostic &Diag) override {
    DiagnosticConsumer::HandleDiagnostic(Level, Diag);
    const StringRef Advice = Settings.Learned.learn(Diag, Compiler, Lexed);
    ErrorRecord &Errors = Settings.Errors;
    Errors.Count = getNumErrors();
    if (Level >= clang::DiagnosticsEngine::Error)
      Errors.Places.push_back(Diag.getLocation());
    if (Errors.Count == 1 && Level >= clang::DiagnosticsEngine::Error &&
        Diag.hasSourceManager())
      Errors.First = placeOf(Diag.getSourceManager(), Diag.getLocation());
    if (Errors.Count < 2) // Notes come behind it, and warnings before.
      Errors.FirstIsKnown |= !Advice.empty();
    else if (!Errors.FirstIsKnown && !Settings.MayHaveErrors)
      Compiler.getDiagnostics().setErrorLimit(MostErrors);
    if (getNumErrors() > MostErrors)
      return;
    Printer.HandleDiagnostic(Level, Diag);
    if (!Advice.empty() && Level >= clang::DiagnosticsEngine::Error)
      Messages << "note: nvcc may take this, Clang does not: " << Advice
               << '\n';
  }

private:
  clang::DiagnosticConsumer &Printer;
  raw_ostream &Messages;
  ParseAttempt &Settings;
  clang::CompilerInstance &Compiler;
  LexedFiles Lexed;
};

/// Parses and then calls the action, unless there were errors.
class ParseAction final : public clang::ASTFrontendAction {
public:
  ParseAction(function_ref<void(ParsedUnit &)> Action, ParseAttempt &Settings)
      : Action(Action), Settings(Settings) {}

  bool succeeded() const { return Succeeded; }

protected:
  std::unique_ptr<clang::ASTConsumer>
  CreateASTConsumer(clang::CompilerInstance &, StringRef) override {
    return std::make_unique<EventRecorder>(Parse, [&] {
      return !lacksShim() && Wanted.empty() &&
             !getCompilerInstance().getDiagnostics().hasFatalErrorOccurred();
    });
  }

  // The callback runs here and not in EndSourceFileAction: Sema, which the code
  // generator may still ask, and the diagnostics' source file are alive.
  void ExecuteAction() override {
    clang::CompilerInstance &Compiler = getCompilerInstance();
    clang::Preprocessor &PP = Compiler.getPreprocessor();
    if (Settings.Macros)
      watchMacros(Compiler, *Settings.Macros, Wanted);
    PP.addPPCallbacks(
        std::make_unique<MacroRecorder>(PP, Macros, Settings.Watch));
    Settings.Bridged.build(Compiler);
    Compiler.createSema(getTranslationUnitKind(),
                        /*CompletionConsumer=*/nullptr);
    askWithoutSides(Compiler);
    ASTFrontendAction::ExecuteAction();
    if (Settings.Macros)
      Settings.Macros->Shown.insert(Wanted.begin(), Wanted.end());
    const clang::DiagnosticsEngine &Said = Compiler.getDiagnostics();
    if (Said.hasFatalErrorOccurred() ||
        (Said.hasErrorOccurred() && !Settings.MayHaveErrors) || lacksShim() ||
        !Wanted.empty() || isRefusedForHost())
      return;
    Settings.Bridged.remove(Compiler);
    Succeeded = true;
    ParsedUnitImpl Unit(Compiler, Parse, Macros, Settings);
    Action(Unit);
  }

private:
  /// Whether what was read so far is to be parsed with the shim.
  bool lacksShim() {
    if (Settings.HasShim)
      return false;
    const clang::SourceManager &Sources =
        getCompilerInstance().getSourceManager();
    Settings.LacksShim |= asksForCompiler(Sources, EntriesRead);
    EntriesRead = Sources.local_sloc_entry_size();
    return Settings.LacksShim;
  }

  /// Whether the host must not call what it calls in this parse.
  bool isRefusedForHost() {
    if (Settings.Bridged.CalledByHost.empty())
      return false;
    ParseAttempt Host = attemptForHost(Settings);
    if (parseBridged(Host, [](ParsedUnit &) {}) ||
        Host.Learned.CalledByHost.empty())
      return false;
    Settings.Messages = Host.Messages;
    return true;
  }

  function_ref<void(ParsedUnit &)> Action;
  ParseAttempt &Settings;
  Events Parse;
  std::set<std::string> Wanted; ///< Macros (frontend/MacroQuestions.h).
  MacroRecord Macros;
  unsigned EntriesRead = 0; ///< Of the source manager.
  bool Succeeded = false;
};

std::shared_ptr<clang::CompilerInvocation>
makeInvocation(const ParseAttempt &A, clang::DiagnosticConsumer &Printer) {
  clang::DiagnosticOptions Options;
  auto Diagnostics = makeIntrusiveRefCnt<clang::DiagnosticsEngine>(
      clang::DiagnosticIDs::create(), Options, &Printer,
      /*ShouldOwnClient=*/false);
  // An option without use here is no news to the user.
  Diagnostics->setIgnoreAllWarnings(true);
  std::vector<const char *> Args = {"clang++"};
  for (const std::string &Arg : A.Args)
    Args.push_back(Arg.c_str());
  std::shared_ptr<clang::CompilerInvocation> Invocation =
      clang::createInvocation(Args, {Diagnostics, A.Files});
  if (!Invocation || Diagnostics->hasErrorOccurred())
    return nullptr;
  Invocation->getDiagnosticOpts().ShowColors = A.Colours;
  // What failed attempts hold is not to stay.
  Invocation->getCodeGenOpts().DisableFree = false;
  Invocation->getFrontendOpts().DisableFree = false;
  return Invocation;
}

bool parseOnce(ParseAttempt &A, function_ref<void(ParsedUnit &)> Action) {
  clang::noteBottomOfStack();
  raw_string_ostream Messages(A.Messages);
  Messages.enable_colors(A.Colours);
  clang::DiagnosticOptions PrinterOptions;
  PrinterOptions.ShowColors = A.Colours;
  clang::TextDiagnosticPrinter DriverPrinter(Messages, PrinterOptions);
  auto Invocation = makeInvocation(A, DriverPrinter);
  if (!Invocation)
    return false;
  if (A.Macros)
    defineShown(*A.Macros, *Invocation);
  if (!A.ReadAs.empty())
    Invocation->getPreprocessorOpts().addRemappedFile(
        A.File, MemoryBuffer::getMemBufferCopy(A.ReadAs, A.File).release());

  clang::CompilerInstance Compiler(Invocation);
  Compiler.setVirtualFileSystem(A.Files);
  clang::TextDiagnosticPrinter Printer(Messages,
                                       Invocation->getDiagnosticOpts());
  A.Learned = A.Bridged;
  A.Errors = ErrorRecord();
  Listener Listening(Printer, Messages, A, Compiler);
  Compiler.createDiagnostics(&Listening, /*ShouldOwnClient=*/false);
  Compiler.setVerboseOutputStream(Messages);
  ParseAction Parse(Action, A);
  Compiler.ExecuteAction(Parse);
  return Parse.succeeded();
}

/// Once more with all that was learned, as long as that is more than before and
/// brings the parse further.
bool parseBridged(ParseAttempt &A, function_ref<void(ParsedUnit &)> Action) {
  while (true) {
    const size_t Shown = A.Macros ? A.Macros->Shown.size() : 0;
    const ErrorRecord Before = A.Errors;
    A.Messages.clear();
    const bool Parsed = parseOnce(A, Action);
    const bool ShowsMore = A.Macros && A.Macros->Shown.size() > Shown;
    const bool LearnsMore =
        A.Learned != A.Bridged && A.Errors.showProgress(Before);
    if (Parsed || !(LearnsMore || ShowsMore) || *A.ParsesLeft == 0)
      return Parsed;
    --*A.ParsesLeft;
    A.Bridged = std::move(A.Learned);
  }
}

/// The text of \p File. Errors that Clang would not report, or not clearly.
Expected<std::unique_ptr<MemoryBuffer>> readSource(vfs::FileSystem &Files,
                                                   StringRef File) {
  auto Unreadable = [&](std::error_code Code) {
    return createStringError(Code,
                             "cannot read '" + File + "': " + Code.message());
  };
  ErrorOr<vfs::Status> Status = Files.status(File);
  if (!Status)
    return Unreadable(Status.getError());
  if (Status->isDirectory())
    return Unreadable(std::make_error_code(std::errc::is_a_directory));
  if (!Status->isRegularFile())
    return createStringError("'" + File +
                             "' is not a source file: it is no regular file");
  ErrorOr<std::unique_ptr<MemoryBuffer>> Buffer = Files.getBufferForFile(File);
  if (!Buffer)
    return Unreadable(Buffer.getError());
  if ((*Buffer)->getBuffer().contains('\0'))
    return createStringError("'" + File +
                             "' is not a source file: it holds NUL bytes");
  return std::move(*Buffer);
}

/// What each parse needs, whatever the job says.
Expected<std::vector<std::string>> fixedArgs(ArrayRef<std::string> JobArgs) {
  std::vector<std::string> Args;
  for (StringRef Arg : {"-x", "cuda", DeviceOnly.data(), "-fsyntax-only", "-w",
                        "-Wno-unknown-cuda-version", "--no-cuda-version-check",
                        "-O3", "-fno-color-diagnostics"})
    Args.push_back(Arg.str());
  if (none_of(JobArgs,
              [](StringRef Arg) { return Arg.starts_with("-resource-dir"); })) {
    Expected<std::string> Resources = findResourceDirectory();
    if (!Resources)
      return Resources.takeError();
    Args.push_back("-resource-dir=" + *Resources);
  }
  return Args;
}

/// After \p First, with the shim, and, where that fails, with less of what only
/// nvcc has. \p WithShim is then the attempt with the fewest errors.
bool parseWithShim(const ParseAttempt &First, ParseAttempt &WithShim,
                   MacroView &Macros, function_ref<void(ParsedUnit &)> Action) {
  WithShim.HasShim = true;
  WithShim.Bridged = First.Learned;
  WithShim.Bridged.CalledByHost.clear(); // The shim has more for the host.
  ParseAttempt WithoutMacros = WithShim, AsClang = WithShim;
  AsClang.Args.insert(AsClang.Args.begin(), "-DBANKSTRIPE_IS_CLANG");
  if (parseBridged(WithShim, Action))
    return true;
  // What the user wrote for nvcc's compilers alone, Clang may reject.
  Macros.MayShow = false;
  if (!std::exchange(Macros.Shown, {}).empty() &&
      parseBridged(WithoutMacros, Action))
    return true;
  // And what libraries have for nvcc in place of what they have for Clang.
  if (First.LacksShim && parseBridged(AsClang, Action))
    return true;
  if (First.LacksShim && AsClang.Errors.Count < WithShim.Errors.Count)
    WithShim = std::move(AsClang);
  return false;
}

} // namespace

Expected<ParseOutcome> parseUnit(const CompileJob &Job,
                                 raw_ostream &Diagnostics,
                                 function_ref<void(ParsedUnit &)> Action,
                                 ParseWatch *Watch) {
  CompileJob Prepared = Job;
  if (Prepared.ClangArgs.empty())
    translateCommand(Prepared, {}, Toolkit{Job.CudaPath, "", ""});
  ParseOutcome Outcome;
  Outcome.UsedBuiltinHeader = Job.CudaPath.empty();

  ParseAttempt First;
  unsigned ParsesLeft = MostBridgedParses;
  First.ParsesLeft = &ParsesLeft;
  First.Colours = Diagnostics.has_colors();
  First.Watch = Watch;
  MacroView Macros(Prepared, Watch);
  if (Macros.isForNvcc())
    First.Macros = &Macros;
  const StringRef Directory =
      Job.Directory.empty() ? StringRef(".") : StringRef(Job.Directory);
  auto Served = servedHeaders();
  std::vector<std::string> LaterMacros =
      macrosAfterToolkit(Prepared.ClangArgs, *Served);
  auto Files = openFileSystem(Directory, std::move(Served), Watch);
  if (!Files)
    return Files.takeError();
  First.Files = *Files;
  auto Source = readSource(*First.Files, Job.path());
  if (!Source)
    return Source.takeError();
  First.File = Job.path();
  First.Bridged.HasTextures = namesTextures((*Source)->getBuffer());
  if (!Job.Expanded.empty()) {
    First.ReadAs = expand((*Source)->getBuffer(), Job.Expanded);
    if (First.ReadAs.empty())
      return createStringError("'" + Job.File + "' has changed");
  }
  auto Fixed = fixedArgs(Prepared.ClangArgs);
  if (!Fixed)
    return Fixed.takeError();
  // nvcc's names of instances leave constraints out, as Clang's once did.
  if (Macros.isForNvcc())
    Fixed->push_back("-fclang-abi-compat=17");
  ParseAttempt Second = First;
  First.Args = Prepared.ClangArgs;
  Second.Args = std::move(LaterMacros);
  for (ParseAttempt *A : {&First, &Second}) {
    if (Outcome.UsedBuiltinHeader)
      append_range(A->Args, builtinCudaArgs());
    append_range(A->Args, *Fixed);
  }
  First.Args.push_back(Job.path());
  if (parseOnce(First, Action))
    return Outcome;
  // Clang's textures were missing or nvcc's macros, and nothing else.
  const bool MissesTextures =
      First.Learned.HasTextures != First.Bridged.HasTextures;
  First.Bridged.HasTextures |= MissesTextures;
  if (!First.LacksShim && (MissesTextures || !Macros.Shown.empty()) &&
      First.Learned == First.Bridged && parseOnce(First, Action))
    return Outcome;
  append_range(Second.Args, shimArgs());
  Second.Args.push_back(Job.path());
  Outcome.UsedShim = true;
  if (parseWithShim(First, Second, Macros, Action))
    return Outcome;
  Diagnostics << withPragmas(Second.Messages, Second.Bridged.Pragmas);
  return createStringError("Clang could not parse '" + Job.File + "'");
}

} // namespace bankstripe
