//===-- Wrap.cpp - bankstripe wrap ----------------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A compiler launcher. Whatever happens, the build gets its object: what cannot
// be rewritten is compiled as it is. Reading and planning are done in a process
// of their own, so that not even a crash there stops a build.
//
// Only where a facts file or a plan speaks for the whole program, a unit that
// cannot follow the plan is an error: others may count on its part of it.
//
//===----------------------------------------------------------------------===//

#include "facts/Archive.h"
#include "tool/Facts.h"
#include "workers/Process.h"
#include "wrap/Command.h"
#include "wrap/Includes.h"
#include "wrap/Shadow.h"
#include "wrap/UnitPlan.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <set>

using namespace bankstripe;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

static std::string environment(const char *Name) {
  const char *Value = std::getenv(Name);
  return Value ? Value : "";
}

static bool isSet(const char *Name) {
  const std::string Value = environment(Name);
  return !Value.empty() && Value != "0";
}

static void note(const llvm::Twine &Message) {
  if (isSet("BANKSTRIPE_VERBOSE"))
    llvm::errs() << "bankstripe: " << Message << '\n';
}

static void warn(const llvm::Twine &Message) {
  llvm::errs() << "bankstripe: warning: " << Message << '\n';
}

namespace {

/// What became of one source.
struct Outcome {
  enum Kind {
    Unchanged,
    Rewritten,
    Unreadable,
    NoFlags,
    Stale,
    Interrupted
  } What = Unchanged;
  std::string Message = {};
  /// The copies with their originals, that of the source first.
  std::vector<std::pair<std::string, std::string>> Copies = {};
  std::string QuoteFolder = {};
};

// For toBytes and fromBytes.
template <class Visitor, Is<Outcome> T>
auto visitFields(T &Value, Visitor &&Visit) {
  auto &[What, Message, Copies, QuoteFolder] = Value;
  return Visit(StringRef("Outcome"),
               StringRef("What, Message, Copies, QuoteFolder"), What, Message,
               Copies, QuoteFolder);
}

/// One run of the launcher, for a compile of one CUDA file.
class Launcher {
public:
  /// \p PlanFolder is that of `--plan`; empty without.
  Launcher(CompilerCommand Command, StringRef PlanFolder)
      : Command(std::move(Command)), PlanFolder(PlanFolder) {
    Folders = {this->Command.QuoteFolders, this->Command.Folders};
    if (PlanFolder.empty())
      Facts = environment("BANKSTRIPE_FACTS");
  }

  int run();

private:
  Outcome rewrite();
  Outcome rewriteWithin(ToolOptions Options, bool Headers);
  Outcome followPlan();
  Outcome copyWith(llvm::ArrayRef<ChangedFile> Changes);
  /// Whether all units keep to one plan, so that none can do as it likes.
  bool isPlanned() const { return !Facts.empty() || !Plan.empty(); }
  llvm::Expected<std::vector<ChangedFile>> findChanges(ToolOptions Options,
                                                       bool &Parsed);
  std::optional<ToolOptions> readOptions() const;
  bool mayMove(const ToolOptions &Options) const;
  Outcome askApart();
  bool canWriteBeside() const;
  int compileAsIs();
  int compileCopy(const Outcome &Result);
  void mendDepfiles(const Outcome &Result) const;
  std::vector<std::string> furtherDependencies() const;

  CompilerCommand Command;
  IncludeFolders Folders;
  IncludeTree Tree;
  std::string Facts;
  std::string PlanFolder;
  std::string Plan; ///< The file of this unit in it.
};

} // namespace

template <>
inline constexpr Outcome::Kind bankstripe::LastOf<Outcome::Kind> =
    Outcome::Interrupted;

// Those of `rewrite`, as the environment gives them.
std::optional<ToolOptions> Launcher::readOptions() const {
  std::vector<std::string> Words{"bankstripe", "rewrite"};
  const std::string Given = environment("BANKSTRIPE_FLAGS");
  if (!isSet("BANKSTRIPE_VERBOSE") && !StringRef(Given).contains("-verbose"))
    Words.emplace_back("--quiet");
  if (!Facts.empty())
    Words.push_back("--facts=" + Facts);
  llvm::BumpPtrAllocator Memory;
  llvm::StringSaver Saver(Memory);
  llvm::SmallVector<const char *, 8> Flags;
  llvm::cl::TokenizeGNUCommandLine(Given, Saver, Flags);
  llvm::append_range(Words, Flags);
  Words.push_back(Command.Input);
  if (Facts.empty()) {
    Words.emplace_back("--");
    llvm::append_range(Words, Command.AllArgs);
  }
  std::vector<const char *> Argv;
  for (const std::string &Word : Words)
    Argv.push_back(Word.c_str());
  std::optional<ToolOptions> Options =
      parseCommandLine(static_cast<int>(Argv.size()), Argv.data());
  if (!Options)
    return std::nullopt;
  Options->Jobs = 1;
  Options->EmbedHelper = false;
  if (!Options->Others)
    Options->Others = Command.WholeProgram  ? Outside::Nobody
                      : Command.MakesModule ? Outside::Loaders
                                            : Outside::Files;
  // A compiler that is named by its path means the toolkit around it.
  const StringRef Compiler = Command.Words[Command.Compiler];
  if (Options->Frontend.CudaPath.empty() && path::is_absolute(Compiler)) {
    const StringRef Root = path::parent_path(path::parent_path(Compiler));
    if (auto Kit = findToolkit(Root))
      Options->Frontend.CudaPath = Kit->Root;
    else
      llvm::consumeError(Kit.takeError()); // A wrapper that lies elsewhere.
  }
  return Options;
}

static void noteKept(const std::string &Kernels) {
  note(Kernels + " may be launched by other files, with blocks of any size; "
                 "use __launch_bounds__, or run 'bankstripe facts' on all "
                 "files, merge them, and set BANKSTRIPE_FACTS");
}

// Whether it is worth parsing the unit.
bool Launcher::mayMove(const ToolOptions &Options) const {
  if (isPlanned() || Command.WholeProgram || Options.BlockSize ||
      Options.Unroll || Options.DefaultCarveout || mayMoveAlone(Tree))
    return true;
  const DecisionsLookup Lookup(Options.Config);
  return llvm::any_of(Tree.Files, [&](const auto &Entry) {
    return !Lookup.pathFor(Entry.first).empty();
  });
}

// Most units of a build have nothing that may move without the others, and the
// optimiser can take many times as long as the parse.
static bool mayChangeAlone(UnitRecord Unit, const ToolOptions &Options) {
  RunResult Run;
  Run.Jobs = {Unit.Job};
  DecisionsLookup Lookup(Options.Config);
  std::vector<UnitRecord> Units;
  Units.push_back(std::move(Unit));
  auto Planning = planningFor(Run, Units, Lookup, Options);
  if (!Planning) {
    llvm::consumeError(Planning.takeError()); // The run itself reports it.
    return true;
  }
  return mayChange(Units.front().Unit.Facts, *Planning);
}

// A unit without the others, of which the worst is assumed.
llvm::Expected<std::vector<ChangedFile>>
Launcher::findChanges(ToolOptions Options, bool &Parsed) {
  if (!Facts.empty()) {
    auto Run = runOnFacts(Options);
    if (!Run)
      return Run.takeError();
    return std::move(Run->Changes);
  }
  Options.IsWorthEvidence = [Options](const UnitRecord &Unit) {
    return mayChangeAlone(Unit, Options);
  };
  auto Read = readPaths(Options);
  if (!Read)
    return Read.takeError();
  Parsed = !Read->Run.SomeFailed;
  if (!Parsed)
    return std::vector<ChangedFile>();
  auto Run = decide(std::move(*Read), Options);
  if (!Run)
    return Run.takeError();
  return std::move(Run->Changes);
}

Outcome Launcher::rewriteWithin(ToolOptions Options, bool Headers) {
  for (const auto &[Real, File] : Tree.Files)
    if (!Facts.empty())
      Options.Scope.push_back(Real);
  if (Facts.empty() && Headers)
    Options.Scope = {"/"};
  bool Parsed = true;
  auto Changes = findChanges(std::move(Options), Parsed);
  if (!Changes)
    return {Facts.empty() ? Outcome::Unreadable : Outcome::Stale,
            toString(Changes.takeError())};
  if (!Parsed)
    return {Outcome::Unreadable, "it does not parse"};
  return copyWith(*Changes);
}

Outcome Launcher::copyWith(llvm::ArrayRef<ChangedFile> Changes) {
  if (Changes.empty())
    return {};
  auto Made = makeShadow(Tree, Folders, Changes, shadowFolder(Command.Output));
  llvm::Error Problem = Made ? writeShadow(*Made) : Made.takeError();
  if (Problem)
    return {isPlanned() ? Outcome::Stale : Outcome::Unchanged,
            toString(std::move(Problem))};
  Outcome Result{Outcome::Rewritten, "", {}, Made->QuoteFolder};
  for (const ShadowFile &File : Made->Files)
    Result.Copies.emplace_back(File.Path, File.Original);
  return Result;
}

// Nothing is parsed, so this needs no process of its own.
Outcome Launcher::followPlan() {
  auto Changes = readUnitPlan(Plan, versionText());
  if (!Changes)
    return {Outcome::Stale, toString(Changes.takeError())};
  return copyWith(*Changes);
}

// Where the headers cannot be copied, their arrays stay.
Outcome Launcher::rewrite() {
  std::optional<ToolOptions> Options = readOptions();
  if (!Options)
    return {Outcome::NoFlags,
            "BANKSTRIPE_FLAGS holds no options of 'bankstripe "
            "rewrite'"};
  if (!mayMove(*Options)) {
    noteKept("all kernels of '" + Command.Input + "'");
    return {};
  }
  Outcome Result = rewriteWithin(*Options, /*Headers=*/true);
  if (Result.What != Outcome::Unchanged || Result.Message.empty())
    return Result;
  note(Result.Message + "; arrays in headers stay where they are");
  return rewriteWithin(*Options, /*Headers=*/false);
}

Outcome Launcher::askApart() {
  const ProcessResult Ended =
      Process(
          [&] {
            initializeClang();
            return toBytes(rewrite());
          },
          isSet("BANKSTRIPE_VERBOSE") ? Output::Shown : Output::Together)
          .wait();
  std::optional<Outcome> Result;
  if (Ended.Interrupted)
    return {Outcome::Interrupted};
  if (Ended.succeeded())
    Result = fromBytes<Outcome>(Ended.Answer);
  if (!Result)
    return {Facts.empty() ? Outcome::Unreadable : Outcome::Stale,
            "it was too much for bankstripe"};
  return *Result;
}

// What the object depends on besides what the compiler reads.
std::vector<std::string> Launcher::furtherDependencies() const {
  if (!Plan.empty())
    return {Plan}; // What was decided is in it.
  std::vector<std::string> Names;
  if (!Facts.empty())
    Names.push_back(Facts);
  const DecisionsLookup Nearest{DecisionsChoice()};
  if (std::string File = Nearest.pathFor(Tree.Main); !File.empty())
    Names.push_back(std::move(File));
  return Names;
}

// Copies are nothing that a build should look at.
void Launcher::mendDepfiles(const Outcome &Result) const {
  std::map<std::string, std::string> Originals;
  for (const auto &[Copy, Original] : Result.Copies)
    Originals[realPath(Copy)] = Original;
  for (const std::string &Depfile : Command.Depfiles) {
    auto Text = readText(Depfile);
    if (!Text)
      continue;
    const std::string Mended = renameDependencies(
        *Text,
        [&](StringRef Name) -> std::optional<std::string> {
          auto Found = Originals.find(realPath(Name));
          if (Found == Originals.end())
            return std::nullopt;
          return Found->second;
        },
        furtherDependencies());
    if (llvm::Error E = replaceFile(Depfile, Mended, *Text))
      warn(toString(std::move(E)));
    return;
  }
}

int Launcher::compileAsIs() {
  if (Command.Depfiles.empty() || furtherDependencies().empty())
    return become(Command.Words);
  const ProcessResult Ended = runProcess(Command.Words, Output::Shown);
  if (Ended.succeeded())
    mendDepfiles({});
  return endAs(Ended);
}

static void replaceAll(std::string &Text, StringRef From, StringRef To) {
  for (size_t At = Text.find(From); At != std::string::npos;
       At = Text.find(From, At + To.size()))
    Text.replace(At, From.size(), To);
}

// The few messages that name a file by its path and not by `#line`.
static std::string withOriginals(std::string Text, const Outcome &Result) {
  for (const auto &[Copy, Original] : Result.Copies)
    if (!Original.empty())
      replaceAll(Text, Copy, Original);
  return Text;
}

int Launcher::compileCopy(const Outcome &Result) {
  std::vector<std::string> Extra;
  if (!Result.QuoteFolder.empty())
    // In one word, which ccache understands.
    Extra = Command.IsNvcc
                ? std::vector<std::string>{"-Xcompiler=-iquote," +
                                           Result.QuoteFolder}
                : std::vector<std::string>{"-iquote", Result.QuoteFolder};
  const std::string &Copy = Result.Copies.front().first;
  const ProcessResult Ended =
      runProcess(compileInstead(Command, Copy, Extra), Output::Apart);
  if (Ended.succeeded() || Ended.wasKilled() || Ended.Interrupted ||
      isPlanned()) {
    llvm::outs() << withOriginals(Ended.Out, Result);
    llvm::outs().flush();
    llvm::errs() << withOriginals(Ended.Err, Result);
    if (Ended.succeeded())
      mendDepfiles(Result);
    return endAs(Ended);
  }
  const ProcessResult Again = runProcess(Command.Words, Output::Shown);
  if (Again.succeeded()) {
    warn("the rewritten copy of '" + Command.Input +
         "' does not compile, so it was compiled as it is; see " + Copy);
    mendDepfiles({});
  }
  return endAs(Again);
}

// A compiler that cannot write its output says so; we make no folders for it.
bool Launcher::canWriteBeside() const {
  llvm::SmallString<256> Output(Command.Output);
  if (fs::make_absolute(Output))
    return false;
  return fs::is_directory(path::parent_path(Output)) &&
         (!fs::exists(Output) || fs::is_regular_file(Output));
}

int Launcher::run() {
  if (!canWriteBeside()) {
    note("there is no room for copies beside '" + Command.Output + "'");
    return become(Command.Words);
  }
  auto Read = readIncludeTree(Command.Input, Folders);
  if (!Read)
    return become(Command.Words); // The compiler says what is wrong.
  Tree = std::move(*Read);
  if (!PlanFolder.empty())
    Plan = unitPlanPath(PlanFolder, Tree.Main);
  if (!isPlanned() && !mayHoldPrivateArray(Tree)) {
    note("'" + Command.Input + "' holds no device code with arrays");
    return become(Command.Words);
  }
  const Outcome Result = Plan.empty() ? askApart() : followPlan();
  switch (Result.What) {
  case Outcome::Unchanged:
    if (!Result.Message.empty())
      note(Result.Message + "; it is compiled as it is");
    return compileAsIs();
  case Outcome::Unreadable:
    note(Result.Message);
    warn("'" + Command.Input +
         "' cannot be worked on, so it is compiled as it "
         "is (BANKSTRIPE_VERBOSE=1 says why)");
    return compileAsIs();
  case Outcome::NoFlags:
    warn(Result.Message + ", so '" + Command.Input + "' is compiled as it is");
    return compileAsIs();
  case Outcome::Stale:
    llvm::errs() << "bankstripe: " << Result.Message << '\n';
    return ExitSomeFailed;
  case Outcome::Interrupted:
    return ExitSomeFailed;
  case Outcome::Rewritten:
    break;
  }
  return compileCopy(Result);
}

// Compilers are not named like options, so what comes first is ours.
static llvm::Expected<std::string>
takePlanFolder(std::vector<std::string> &Words) {
  StringRef Folder = Words.empty() ? StringRef() : StringRef(Words.front());
  const bool Given = Folder.consume_front("--plan=");
  if (Given && Folder.empty())
    return llvm::createStringError("--plan needs a folder");
  std::string Result = Given ? Folder.str() : "";
  if (Given)
    Words.erase(Words.begin());
  if (!Words.empty() && StringRef(Words.front()).starts_with("-"))
    return llvm::createStringError("wrap has no option '" + Words.front() +
                                   "'; give it a compiler");
  if (Words.empty())
    return llvm::createStringError("give a compiler and its arguments, such as "
                                   "'bankstripe wrap nvcc -c a.cu'");
  return Result;
}

// The first of Words that is a source with a plan.
static std::string findPlanned(const std::vector<std::string> &Words,
                               StringRef PlanFolder) {
  for (const std::string &Word : Words)
    if (!PlanFolder.empty() &&
        fs::exists(unitPlanPath(PlanFolder, realPath(Word))))
      return Word;
  return "";
}

int bankstripe::runWrap(std::vector<std::string> Words) {
  auto PlanFolder = takePlanFolder(Words);
  if (!PlanFolder) {
    llvm::errs() << "bankstripe: " << toString(PlanFolder.takeError()) << '\n';
    return ExitUsage;
  }
  if (isSet("BANKSTRIPE_DISABLE") || isSet("BANKSTRIPE_WRAPPED"))
    return become(Words);
  // What the compiler runs is not rewritten again.
  setenv("BANKSTRIPE_WRAPPED", "1", /*overwrite=*/1);
  llvm::SmallString<256> Directory;
  if (fs::current_path(Directory))
    return become(Words);
  CompilerCommand Command = readCompilerCommand(
      Words, Directory,
      {environment("NVCC_PREPEND_FLAGS"), environment("NVCC_APPEND_FLAGS")});
  if (!Command.WhyNot.empty()) {
    if (const std::string File = findPlanned(Words, *PlanFolder);
        !File.empty()) {
      llvm::errs() << "bankstripe: '" << File
                   << "' has to be compiled as it was planned: "
                   << Command.WhyNot << '\n';
      return ExitSomeFailed;
    }
    note(Command.WhyNot + "; the command is run as it is");
    return become(Words);
  }
  return Launcher(std::move(Command), *PlanFolder).run();
}
