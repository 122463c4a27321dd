//===-- Wrap.cpp - bankstripe wrap ----------------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A compiler launcher; docs/internals/front-end.md has its steps. Whatever
// happens, the build gets its object: what cannot be rewritten, be it for a
// crash, is compiled as it is. Each file is decided alone.
//
// A file that nobody knows is compiled first, which costs nothing where nothing
// moves: few files have kernels with local memory. Where something may move,
// what nvcc said is what planning asks for.
//
//===----------------------------------------------------------------------===//

#include "facts/Archive.h"
#include "model/SourceFile.h"
#include "report/Terminal.h"
#include "tool/Pipeline.h"
#include "wrap/Command.h"
#include "wrap/Shadow.h"
#include "wrap/Stats.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <cstdlib>
#include <set>

using namespace bankstripe;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

static std::string environment(const char *Name) {
  return llvm::sys::Process::GetEnv(Name).value_or("");
}

static bool isSet(const char *Name) {
  const std::string Value = environment(Name);
  return !Value.empty() && Value != "0";
}

static void note(const llvm::Twine &Message) {
  if (isSet("BANKSTRIPE_VERBOSE"))
    llvm::errs() << "bankstripe: " << printable(Message.str()) << '\n';
}

static void warn(const llvm::Twine &Message) {
  llvm::errs() << "bankstripe: warning: " << printable(Message.str()) << '\n';
}

namespace {

/// What became of one source.
struct SourceResult {
  enum Kind {
    Unchanged,
    Rewritten,
    Unknown, ///< Nobody has read it before.
    Unreadable,
    NoFlags,
    Interrupted
  } What = Unchanged;
  std::string Message = {};
  /// The copies with their originals, that of the source first.
  std::vector<std::pair<std::string, std::string>> Copies = {};
  std::string QuoteFolder = {};
  std::string Decisions = {}; ///< The file that was obeyed; empty: none.
  std::map<std::string, int64_t> Counts = {}; ///< As in CompileStats.
};

// For toBytes and fromBytes.
template <class Visitor, Is<SourceResult> T>
auto visitFields(T &Value, Visitor &&Visit) {
  auto &[What, Message, Copies, QuoteFolder, Decisions, Counts] = Value;
  return Visit(What, Message, Copies, QuoteFolder, Decisions, Counts);
}

/// One run of the launcher, for a compile of one CUDA file.
class Launcher {
public:
  /// \p Flags are options of `rewrite`.
  Launcher(CompilerCommand Command, std::vector<std::string> Flags)
      : Command(std::move(Command)), Flags(std::move(Flags)) {}

  int run();

private:
  std::optional<ToolOptions> readOptions() const;
  SourceResult askApart(bool IfKnown);
  SourceResult rewrite(bool IfKnown);
  SourceResult rewriteWithin(std::vector<std::string> Scope,
                             const ToolOptions &Options, bool IfKnown);
  SourceResult copyWith(llvm::ArrayRef<ChangedFile> Changes);
  bool canWriteBeside() const;
  bool mayCompileFirst() const;
  std::optional<int> compileFirst();
  int compileAsIs(const SourceResult &Result);
  int compileCopy(const SourceResult &Result);
  void mendDepfiles(const SourceResult &Result) const;
  CompileStats statsOf(std::map<std::string, int64_t> Counts) const;

  const std::chrono::steady_clock::time_point Begin =
      std::chrono::steady_clock::now();
  CompilerCommand Command;
  std::vector<std::string> Flags;
  IncludeTree Tree;
  /// The user's own compile, where that came first.
  std::optional<ProcessResult> AsIs;
  std::string Report; ///< Of ptxas, then.
  std::chrono::duration<double> OwnCompile{0};
};

} // namespace

// A file that changed since may have been compiled in either state.
static bool isAsItWas(const IncludeTree &Tree) {
  return llvm::all_of(Tree.Files, [](const auto &Entry) {
    auto Text = readText(Entry.second.Name);
    return Text && *Text == Entry.second.Text;
  });
}

std::optional<ToolOptions> Launcher::readOptions() const {
  std::vector<std::string> Words{"bankstripe", "rewrite"};
  if (!isSet("BANKSTRIPE_VERBOSE") && !llvm::is_contained(Flags, "--verbose") &&
      !llvm::is_contained(Flags, "--quiet"))
    Words.emplace_back("--quiet");
  llvm::append_range(Words, Flags);
  Words.push_back(Command.Input);
  Words.emplace_back("--");
  llvm::append_range(Words, Command.AllArgs);
  std::vector<const char *> Argv;
  for (const std::string &Word : Words)
    Argv.push_back(Word.c_str());
  std::optional<ToolOptions> Options =
      parseCommandLine(static_cast<int>(Argv.size()), Argv.data());
  if (!Options)
    return std::nullopt;
  Options->Reading.Work.Limits.Processes = 1;
  Options->Planning.EmbedHelper = false;
  if (!Options->Planning.Others)
    Options->Planning.Others = Command.WholeProgram  ? Outside::Nobody
                               : Command.MakesModule ? Outside::Loaders
                                                     : Outside::Files;
  // A compiler that is named by its path means the toolkit around it.
  const StringRef Compiler = Command.Words[Command.Compiler];
  std::string &CudaPath = Options->Reading.Frontend.CudaPath;
  if (CudaPath.empty() && path::is_absolute(Compiler)) {
    const StringRef Root = path::parent_path(path::parent_path(Compiler));
    if (auto Kit = llvm::expectedToOptional(findToolkit(Root)))
      CudaPath = Kit->Root; // Else a wrapper lies there.
  }
  return Options;
}

// Most units of a build have nothing that may move without the others, and the
// optimiser can take many times as long as the parse.
static std::optional<Plan> unchangedAlone(const CompileJob &Job,
                                          const UnitResult &Unit,
                                          const ToolOptions &Options) {
  DecisionsLookup Lookup(Options.Reading.Config);
  auto Planning =
      llvm::expectedToOptional(planningFor(Job, &Unit.Facts, Lookup, Options));
  if (!Planning)
    return std::nullopt; // The run itself reports why.
  return unchangedPlan(Unit, *Planning);
}

static std::map<std::string, int64_t> countArrays(const Plan &P) {
  std::map<std::string, int64_t> Counts;
  std::set<Place> Kernels;
  for (const PlannedArray &A : P.Arrays) {
    ++Counts[("verdict " + nameOf(A.Verdict.Kind)).str()];
    if (staysAsItIs(A.Verdict.Kind))
      ++Counts[("reason " + infoOf(A.Verdict.Why).Id).str()];
    if (!A.Verdict.changesSource())
      continue;
    ++Counts["promoted"];
    for (unsigned Kernel : A.Kernels)
      Kernels.insert(P.Kernels[Kernel].Facts.Where);
  }
  Counts["kernels"] = Kernels.size();
  return Counts;
}

SourceResult Launcher::rewriteWithin(std::vector<std::string> Scope,
                                     const ToolOptions &Options, bool IfKnown) {
  LauncherHooks Hooks{std::move(Scope),
                      [&](const CompileJob &Job, const UnitResult &Unit) {
                        return !unchangedAlone(Job, Unit, Options);
                      },
                      std::nullopt};
  if (AsIs && isAsItWas(Tree))
    Hooks.Compiled = {Report, Command.Output};
  const std::string Decisions =
      DecisionsLookup(Options.Reading.Config).pathFor(Tree.Main);
  // What people decide is done whatever ptxas says.
  if (IfKnown && Options.Planning.Confirm && Decisions.empty() &&
      !isKnown(Options, Hooks))
    return {SourceResult::Unknown};
  auto Unreadable = [&](std::string Why) {
    return SourceResult{
        SourceResult::Unreadable, std::move(Why), {}, "", Decisions};
  };
  auto Read = readPaths(Options, Hooks);
  if (!Read)
    return Unreadable(toString(Read.takeError()));
  std::optional<Plan> Unchanged;
  if (Read->Units.size() == 1) {
    const auto &[Job, Unit] = Read->Units.front();
    if (!Unit.Evidence.isComplete())
      Unchanged = unchangedAlone(Job, Unit, Options);
  }
  auto Run = decide(std::move(*Read), Options, Hooks);
  if (!Run)
    return Unreadable(toString(Run.takeError()));
  if (Run->Read.SomeFailed)
    return Unreadable("it does not parse");
  if (Options.level() != Detail::Quiet) // Shown where the user asks for it.
    printText(llvm::errs(), Run->Decisions, Run->Resources, Options.level(),
              Options.Report.Explain);
  SourceResult Result = copyWith(Run->Changes);
  if (Result.Message.empty())
    Result.Counts = countArrays(Unchanged ? *Unchanged : Run->Decisions);
  if (!Run->Decisions.Arrays.empty())
    Result.Decisions = Decisions; // Else there was nothing to decide.
  return Result;
}

SourceResult Launcher::copyWith(llvm::ArrayRef<ChangedFile> Changes) {
  if (Changes.empty())
    return {};
  auto Made =
      makeShadow(Tree, Command.Folders, Changes, shadowFolder(Command.Output));
  if (llvm::Error Problem = Made ? writeShadow(*Made) : Made.takeError())
    return {SourceResult::Unchanged, toString(std::move(Problem))};
  SourceResult Result{SourceResult::Rewritten, "", {}, Made->QuoteFolder};
  for (const ShadowFile &File : Made->Files)
    Result.Copies.emplace_back(File.Path, File.Original);
  return Result;
}

// Where the headers cannot be copied, their arrays stay.
SourceResult Launcher::rewrite(bool IfKnown) {
  std::optional<ToolOptions> Options = readOptions();
  if (!Options)
    return {SourceResult::NoFlags, "'" + llvm::join(Flags, " ") +
                                       "' is not understood by 'bankstripe "
                                       "rewrite'"};
  SourceResult Result = rewriteWithin({"/"}, *Options, IfKnown);
  if (Result.What == SourceResult::Unchanged && !Result.Message.empty()) {
    note(Result.Message + "; arrays in headers stay where they are");
    return rewriteWithin({}, *Options, /*IfKnown=*/false);
  }
  return Result;
}

SourceResult Launcher::askApart(bool IfKnown) {
  const ProcessResult Ended =
      Process(
          [&] {
            initializeClang();
            return toBytes(rewrite(IfKnown));
          },
          isSet("BANKSTRIPE_VERBOSE") ? Output::Shown : Output::Together)
          .wait();
  std::optional<SourceResult> Result;
  if (Ended.Interrupted)
    return {SourceResult::Interrupted};
  if (Ended.succeeded())
    Result = fromBytes<SourceResult>(Ended.Answer);
  if (!Result)
    return {SourceResult::Unreadable, "it was too much for bankstripe"};
  return *Result;
}

// Copies are nothing that a build should look at. In the place of the helper's
// name stands the source's once more.
void Launcher::mendDepfiles(const SourceResult &Result) const {
  const std::string Source = Tree.Files.at(Tree.Main).Name;
  std::vector<std::string> OfSource{Source};
  if (!Result.Decisions.empty())
    OfSource.push_back(Result.Decisions);
  std::map<std::string, std::vector<std::string>> Names{{Tree.Main, OfSource}};
  for (const auto &[Copy, Original] : Result.Copies)
    Names[realPath(Copy)] = Original.empty() || Original == Source
                                ? OfSource
                                : std::vector<std::string>{Original};
  for (const std::string &Depfile : Command.Depfiles) {
    auto Text = readText(Depfile);
    if (!Text)
      continue;
    const std::string Mended = renameDependencies(*Text, [&](StringRef Name) {
      auto Found = Names.find(realPath(Name));
      return Found == Names.end() ? std::vector<std::string>() : Found->second;
    });
    if (llvm::Error E = replaceFile(Depfile, Mended, *Text))
      warn(toString(std::move(E)));
    return;
  }
}

// To be kept right before the compile.
CompileStats Launcher::statsOf(std::map<std::string, int64_t> Counts) const {
  const std::chrono::duration<double> Passed =
      std::chrono::steady_clock::now() - Begin - OwnCompile;
  llvm::SmallString<256> Object(Command.Output);
  (void)fs::make_absolute(Object); // As canWriteBeside could.
  return {Tree.Main, std::string(Object), std::move(Counts), Passed.count()};
}

// What was rewritten before will be again. Who asks ptxas for something shall
// get just that.
bool Launcher::mayCompileFirst() const {
  return Command.IsNvcc && !fs::exists(shadowFolder(Command.Output)) &&
         llvm::none_of(Command.AllArgs, [](StringRef Arg) {
           return Arg.contains("ptxas") || Arg.ends_with("-res-usage") ||
                  Arg.ends_with("-resource-usage");
         });
}

// Whether a kernel uses local memory, or a tile of shared memory, by what ptxas
// said in Report.
static bool mayGain(StringRef Report, const IncludeTree &Tree) {
  const ResourceTable Kernels = parsePtxasReport(Report);
  if (Kernels.empty()) // Perhaps functions for other files.
    return !Report.contains("ptxas info") ||
           Report.contains("bytes stack frame");
  const bool HasTiles = mayHoldTile(Tree);
  return llvm::any_of(Kernels, [&](const auto &Kernel) {
    const KernelResources &R = Kernel.second;
    return R.StackFrame || R.CalleeFrames || (HasTiles && R.SharedBytes);
  });
}

static void show(StringRef Out, StringRef Err) {
  llvm::outs() << Out;
  llvm::outs().flush();
  llvm::errs() << Err;
}

// Compiles the source as it is. \returns the exit status if that is all there
// is to do: it is wrong, or no kernel could gain from a rewrite.
std::optional<int> Launcher::compileFirst() {
  const auto Start = std::chrono::steady_clock::now();
  AsIs = runProcess(compileInstead(Command, Command.Input, {"-Xptxas=-v"}),
                    Output::Apart);
  OwnCompile = std::chrono::steady_clock::now() - Start;
  Report = AsIs->Out + AsIs->Err;
  AsIs->Out = withoutPtxasReport(AsIs->Out);
  AsIs->Err = withoutPtxasReport(AsIs->Err);
  if (AsIs->succeeded() && mayGain(Report, Tree))
    return std::nullopt;
  if (AsIs->succeeded())
    note("no kernel of '" + Command.Input + "' uses local memory");
  addStats(statsOf({}));
  show(AsIs->Out, AsIs->Err);
  return endAs(*AsIs);
}

int Launcher::compileAsIs(const SourceResult &Result) {
  auto Counts = Result.Counts;
  Counts["parsed"] = Result.What == SourceResult::Unchanged;
  addStats(statsOf(std::move(Counts)));
  // Of what does not compile either, the compiler says enough.
  if (!AsIs && Result.What != SourceResult::Unreadable &&
      (Command.Depfiles.empty() || Result.Decisions.empty()))
    return become(Command.Words);
  if (AsIs)
    show(AsIs->Out, AsIs->Err);
  const ProcessResult Ended =
      AsIs ? *AsIs : runProcess(Command.Words, Output::Shown);
  if (Ended.succeeded()) {
    mendDepfiles(Result);
    if (Result.What == SourceResult::Unreadable)
      warn("'" + Command.Input +
           "' cannot be worked on, so it was compiled as it is "
           "(BANKSTRIPE_VERBOSE=1 says why)");
  }
  return endAs(Ended);
}

// The few messages that name a file by its path and not by `#line`.
static std::string withOriginals(std::string Text, const SourceResult &Result) {
  for (const auto &[Copy, Original] : Result.Copies)
    if (!Original.empty())
      Text = llvm::join(llvm::split(Text, Copy), Original);
  return Text;
}

int Launcher::compileCopy(const SourceResult &Result) {
  std::vector<std::string> Extra;
  if (!Result.QuoteFolder.empty())
    // In one word, which ccache understands.
    Extra = Command.IsNvcc
                ? std::vector<std::string>{"-Xcompiler=-iquote," +
                                           Result.QuoteFolder}
                : std::vector<std::string>{"-iquote", Result.QuoteFolder};
  const std::string &Copy = Result.Copies.front().first;
  OwnCompile = {}; // It was in vain.
  auto Counts = Result.Counts;
  Counts["parsed"] = Counts["rewritten"] = 1;
  const CompileStats Stats = statsOf(std::move(Counts));
  const bool News = areNews(Stats);
  addStats(Stats);
  const ProcessResult Ended =
      runProcess(compileInstead(Command, Copy, Extra), Output::Apart);
  if (Ended.succeeded() || Ended.wasKilled() || Ended.Interrupted) {
    show(withOriginals(Ended.Out, Result), withOriginals(Ended.Err, Result));
    if (Ended.succeeded()) {
      mendDepfiles(Result);
      if (News && !llvm::is_contained(Flags, "--quiet"))
        llvm::errs() << "bankstripe: " << Command.Input << ": " << Stats.text()
                     << '\n';
    }
    return endAs(Ended);
  }
  addStats(statsOf({{"parsed", 1}}));
  const ProcessResult Again = runProcess(Command.Words, Output::Shown);
  if (Again.succeeded()) {
    warn("the rewritten copy of '" + Command.Input +
         "' does not compile, so it was compiled as it is; see " + Copy);
    mendDepfiles(Result);
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
  auto Read = readIncludeTree(Command.Input, Command.Folders);
  if (!Read)
    return become(Command.Words); // The compiler says what is wrong.
  Tree = std::move(*Read);
  if (!mayHoldPrivateArray(Tree)) {
    note("'" + Command.Input + "' holds no device code with arrays");
    addStats(statsOf({}));
    return become(Command.Words);
  }
  SourceResult Result = askApart(/*IfKnown=*/mayCompileFirst());
  if (Result.What == SourceResult::Unknown) {
    if (const auto Status = compileFirst())
      return *Status;
    Result = askApart(/*IfKnown=*/false);
  }
  switch (Result.What) {
  case SourceResult::Unknown:
  case SourceResult::Unchanged:
    if (!Result.Message.empty())
      note(Result.Message + "; it is compiled as it is");
    return compileAsIs(Result);
  case SourceResult::Unreadable:
    note(Result.Message);
    return compileAsIs(Result);
  case SourceResult::NoFlags:
    warn(Result.Message + ", so '" + Command.Input + "' is compiled as it is");
    return compileAsIs(Result);
  case SourceResult::Interrupted:
    return ExitSomeFailed;
  case SourceResult::Rewritten:
    break;
  }
  return compileCopy(Result);
}

// The options of `rewrite` before the compiler, whose name looks like none;
// without any, those of the environment.
static std::vector<std::string> removeFlags(std::vector<std::string> &Words) {
  auto Compiler = llvm::find_if(
      Words, [](StringRef Word) { return !Word.starts_with("-"); });
  std::vector<std::string> Flags(Words.begin(), Compiler);
  Words.erase(Words.begin(), Compiler);
  if (!Flags.empty())
    return Flags;
  return splitWords(environment("BANKSTRIPE_FLAGS"));
}

int bankstripe::runWrap(std::vector<std::string> Words) {
  std::vector<std::string> Flags = removeFlags(Words);
  if (Words.empty()) {
    llvm::errs() << "bankstripe: give a compiler and its arguments, such as "
                    "'bankstripe wrap nvcc -c a.cu'\n";
    return ExitUsage;
  }
  if (!Flags.empty() && !StringRef(Flags.back()).contains('=') &&
      !llvm::sys::findProgramByName(Words.front())) {
    llvm::errs() << "bankstripe: cannot run '" << printable(Words.front())
                 << "'; the value of an option follows '=', as in "
                 << printable(Flags.back() + "=" + Words.front()) << '\n';
    return ExitUsage;
  }
  if (isSet("BANKSTRIPE_DISABLE") || isSet("BANKSTRIPE_WRAPPED"))
    return become(Words);
  // What the compiler runs is not rewritten again.
  setenv("BANKSTRIPE_WRAPPED", "1", /*overwrite=*/1);
  llvm::SmallString<256> Directory;
  if (fs::current_path(Directory))
    return become(Words);
  CompilerCommand Command =
      readCompilerCommand(Words, Directory, environment("NVCC_PREPEND_FLAGS"),
                          environment("NVCC_APPEND_FLAGS"));
  if (!Command.WhyNot.empty()) {
    note(Command.WhyNot + "; the command is run as it is");
    return become(Words);
  }
  return Launcher(std::move(Command), std::move(Flags)).run();
}

int bankstripe::runStats(llvm::ArrayRef<const char *> Words) {
  const std::string Folder = Words.empty() ? "." : Words.front();
  if (Words.size() > 1 || !fs::is_directory(Folder)) {
    llvm::errs()
        << (Words.size() > 1
                ? "bankstripe: stats takes one folder, that of a build\n"
                : "bankstripe: no such folder: '" + printable(Folder) + "'\n");
    return ExitUsage;
  }
  printStats(llvm::outs(), Folder);
  return ExitDone;
}
