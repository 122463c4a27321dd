//===-- SourceRewriter.cpp - one source behind the launcher ---------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A process of its own reads and plans, so that a crash is none of the build's.
//
//===----------------------------------------------------------------------===//

#include "tool/SourceRewriter.h"
#include "model/SourceFile.h"
#include "report/Terminal.h"
#include "text/Tokens.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <set>

using namespace bankstripe;
using llvm::StringRef;
namespace path = llvm::sys::path;

std::string bankstripe::environment(const char *Name) {
  return llvm::sys::Process::GetEnv(Name).value_or("");
}

bool bankstripe::isSet(const char *Name) {
  const std::string Value = environment(Name);
  return !Value.empty() && Value != "0";
}

void bankstripe::note(const llvm::Twine &Message) {
  if (isSet("BANKSTRIPE_VERBOSE"))
    llvm::errs() << "bankstripe: " << printable(Message.str()) << '\n';
}

void bankstripe::warn(const llvm::Twine &Message) {
  llvm::errs() << "bankstripe: warning: " << printable(Message.str()) << '\n';
}

// A file that changed since may have been compiled in either state.
static bool isAsItWas(const IncludeTree &Tree) {
  return llvm::all_of(Tree.Files, [](const auto &Entry) {
    auto Text = readText(Entry.second.Name);
    return Text && *Text == Entry.second.Text;
  });
}

// Whether the sources name `main`. Where they do not, somebody else defines it,
// who may launch as well.
static bool namesMain(const IncludeTree &Tree) {
  return llvm::any_of(Tree.Files, [](const auto &Entry) {
    for (TokenReader Tokens(Entry.second.Text); !Tokens.atEnd(); Tokens.next())
      if (Tokens.text() == "main")
        return true;
    return false;
  });
}

std::optional<ToolOptions> SourceRewriter::readOptions() const {
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
    Options->Planning.Others = Command.WholeProgram && namesMain(Tree)
                                   ? Outside::Nobody
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

bool bankstripe::asksPtxas(const CompilerCommand &Command) {
  return llvm::any_of(Command.AllArgs, [](StringRef Arg) {
    return Arg.contains("ptxas") || Arg.ends_with("-res-usage") ||
           Arg.ends_with("-resource-usage");
  });
}

std::string bankstripe::keptObject(const CompilerCommand &Command) {
  return shadowFolder(Command.Output) + "/as-it-is-" +
         std::to_string(Command.Launcher);
}

bool bankstripe::keepObject(const CompilerCommand &Command) {
  const std::string Kept = keptObject(Command);
  return llvm::sys::fs::exists(Kept) ||
         !llvm::sys::fs::rename(Command.Output, Kept);
}

OwnCompile
bankstripe::compileOwn(const CompilerCommand &Command,
                       const std::map<std::string, std::string> &CopyOf,
                       StringRef QuoteFolder, bool Reports) {
  std::vector<std::string> Extra;
  if (Reports)
    Extra.emplace_back("-Xptxas=-v");
  // ccache keeps nothing of nvcc that is given an option in two words, and
  // scripts in its place may know no other form.
  const bool IsScript =
      path::filename(Command.Words[Command.Compiler]) != "nvcc";
  const std::string Iquote = ("-iquote," + QuoteFolder).str();
  if (!QuoteFolder.empty() && !Command.IsNvcc)
    Extra.insert(Extra.end(), {"-iquote", QuoteFolder.str()});
  else if (!QuoteFolder.empty() && IsScript)
    Extra.insert(Extra.end(), {"-Xcompiler", Iquote});
  else if (!QuoteFolder.empty())
    Extra.push_back("-Xcompiler=" + Iquote);
  const TimePoint Begin = std::chrono::steady_clock::now();
  OwnCompile Result;
  Result.Ended =
      runProcess(compileInstead(Command, CopyOf, Extra), Output::Apart);
  Result.Seconds = secondsSince(Begin);
  for (const std::string &Depfile : Command.Depfiles)
    if (auto Text = readText(Depfile))
      Result.Depfiles[Depfile] = std::move(*Text);
  if (!Reports)
    return Result;
  Result.Report = Result.Ended.Out + Result.Ended.Err;
  for (std::string *Text : {&Result.Ended.Out, &Result.Ended.Err})
    *Text = withoutPtxasReport(*Text);
  return Result;
}

std::string bankstripe::refusalOf(StringRef Copy, const ProcessResult &Ended) {
  return ("the rewritten copy '" + Copy +
          "' does not compile: " + firstErrorIn(Ended.Err + Ended.Out))
      .str();
}

std::optional<NvccCompile>
SourceRewriter::compileOriginal(SourceResult &Result) const {
  OwnCompile Compile = compileOwn(Command, {}, "", /*Reports=*/true);
  if (Compile.Ended.Interrupted)
    endBy(Compile.Ended.Interrupted);
  if (!Compile.Ended.succeeded())
    return std::nullopt; // The compiler says why once more.
  Result.AsIs = std::move(Compile);
  return NvccCompile{Result.AsIs->Report, Command.Output};
}

// With KeepsObject, that of the original is there, and is put aside.
void SourceRewriter::compileChanged(llvm::ArrayRef<ChangedFile> Changes,
                                    bool KeepsObject,
                                    SourceResult &Result) const {
  Result.Compiled.reset();
  Result.Refused.clear();
  const SourceResult Copied = copyWith(Changes);
  if (Copied.What != SourceResult::Rewritten)
    return; // Later it is said why.
  const std::string Copy = Copied.Copies.front().first;
  if (KeepsObject && !keepObject(Command))
    return;
  Result.Compiled = compileOwn(Command, {{Command.Input, Copy}},
                               Copied.QuoteFolder, /*Reports=*/true);
  const ProcessResult &Ended = Result.Compiled->Ended;
  if (Ended.Interrupted)
    endBy(Ended.Interrupted);
  if (!Ended.succeeded())
    Result.Refused = refusalOf(Copy, Ended);
}

// What people, or `tune`, decided and what stands against it here.
static std::vector<std::string> unfulfilledIn(const Plan &P) {
  std::vector<std::string> Result;
  for (const DecisionOutcome &O : P.Outcomes)
    if (O.State == DecisionState::Unfulfilled)
      Result.push_back("'" + O.Decision.Array + "' of " + O.Decision.Function +
                       " is not as decided: " + O.Detail);
  for (const KernelOutcome &O : P.KernelOutcomes)
    if (O.State == DecisionState::Unfulfilled)
      Result.push_back("kernel " + O.Decision.Kernel +
                       " is not as decided: " + O.Detail);
  return Result;
}

static std::map<std::string, int64_t> countArrays(const Plan &P) {
  std::map<std::string, int64_t> Counts;
  std::set<Place> Kernels, Choosing;
  for (const KernelPlan &K : P.Kernels)
    if (K.Chooses)
      Choosing.insert(K.Facts.Where);
  for (const PlannedArray &A : P.Arrays) {
    ++Counts[("verdict " + nameOf(A.Verdict.Kind)).str()];
    if (staysAsItIs(A.Verdict.Kind))
      ++Counts[("reason " + infoOf(A.Verdict.Why).Id).str()];
    if (!A.Verdict.changesSource())
      continue;
    ++Counts["moved"];
    for (unsigned Kernel : A.Kernels)
      Kernels.insert(P.Kernels[Kernel].Facts.Where);
    // A table is none of what the IR is asked about.
    for (const KernelPlan &K : P.Kernels)
      if (std::ranges::count(A.Array.Instances, K.Facts.Id,
                             &ArrayInstance::FunctionId))
        Kernels.insert(K.Facts.Where);
  }
  Counts["kernels"] = Kernels.size();
  if (!Choosing.empty())
    Counts["choosing"] = Choosing.size();
  return Counts;
}

static bool isSame(llvm::ArrayRef<ChangedFile> A,
                   llvm::ArrayRef<ChangedFile> B) {
  return std::ranges::equal(A, B, [](const auto &X, const auto &Y) {
    return X.Path == Y.Path && X.After == Y.After;
  });
}

SourceResult SourceRewriter::rewriteWith(const ToolOptions &Options,
                                         bool IfKnown,
                                         const OwnCompile *AsIs) const {
  LauncherHooks Hooks;
  if (AsIs && isAsItWas(Tree))
    Hooks.Compiled = {AsIs->Report, Command.Output};
  SourceResult ByTheWay; // What these compiles say.
  std::vector<ChangedFile> Compiled;
  ByTheWay.Reports = Options.Planning.Confirm && IsWhole && Command.IsNvcc &&
                     !Command.MakesModule && !asksPtxas(Command);
  if (ByTheWay.Reports && !AsIs)
    Hooks.CompileOriginal = [&] { return compileOriginal(ByTheWay); };
  if (ByTheWay.Reports)
    Hooks.CompileChanged = [&](llvm::ArrayRef<ChangedFile> Changes)
        -> llvm::Expected<std::optional<NvccCompile>> {
      if (!isSame(Compiled, Changes)) {
        Compiled = Changes.vec();
        compileChanged(Changes, AsIs || ByTheWay.AsIs, ByTheWay);
      }
      if (!ByTheWay.Compiled)
        return std::nullopt;
      if (!ByTheWay.Refused.empty())
        return llvm::createStringError(ByTheWay.Compiled->Ended.Err);
      return NvccCompile{ByTheWay.Compiled->Report, Command.Output};
    };
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
  auto Read = readPaths(Options, &Hooks);
  if (!Read)
    return Unreadable(toString(Read.takeError()));
  auto Run = decide(std::move(*Read), Options, &Hooks);
  if (!Run)
    return Unreadable(toString(Run.takeError()));
  if (Run->Read.SomeFailed)
    return Unreadable(Run->Read.Problems.back().Message);
  if (Options.level() != Detail::Quiet) // Shown where the user asks for it.
    printText(llvm::errs(), Run->Decisions, Run->Resources, Options.level(),
              /*PathsGiven=*/false);
  SourceResult Result = copyWith(Run->Changes);
  Result.Reports = ByTheWay.Reports;
  Result.Refused = std::move(ByTheWay.Refused);
  if (isSame(Compiled, Run->Changes))
    Result.Compiled = std::move(ByTheWay.Compiled);
  Result.AsIs = std::move(ByTheWay.AsIs);
  if (Result.Message.empty())
    Result.Counts = countArrays(Run->Decisions);
  Result.Unfulfilled = unfulfilledIn(Run->Decisions);
  if (!Run->Decisions.Arrays.empty())
    Result.Decisions = Decisions; // Else there was nothing to decide.
  return Result;
}

SourceResult
SourceRewriter::copyWith(llvm::ArrayRef<ChangedFile> Changes) const {
  if (Changes.empty())
    return {};
  auto Made =
      makeShadow(Tree, Command.Folders, Changes, folder(), Command.OneFolder);
  if (llvm::Error Problem = Made ? writeShadow(*Made) : Made.takeError())
    return {SourceResult::Unchanged, toString(std::move(Problem))};
  SourceResult Result{SourceResult::Rewritten, "", {}, Made->QuoteFolder};
  for (const ShadowFile &File : Made->Files)
    Result.Copies.emplace_back(File.Path, File.Original);
  return Result;
}

// What is no glob is said where jobs are looked for.
static bool isExcluded(StringRef Source, const ToolOptions &Options) {
  const auto Excluded = llvm::expectedToOptional(
      ExcludedFiles::create(Options.Reading.Frontend.Exclude));
  return Excluded && Excluded->contain(realPath(Source), realPath("."));
}

// Where the headers cannot be copied, their arrays stay, which Message says.
SourceResult SourceRewriter::rewrite(bool IfKnown,
                                     const OwnCompile *AsIs) const {
  std::optional<ToolOptions> Options = readOptions();
  if (!Options)
    return {SourceResult::NoFlags, "'" + llvm::join(Flags, " ") +
                                       "' is not understood; see bankstripe "
                                       "wrap --help"};
  if (isExcluded(Command.Input, *Options)) {
    note("'" + Command.Input + "' is excluded; it is compiled as it is");
    return {};
  }
  Options->Reading.OwnTree = "/";
  SourceResult All = rewriteWith(*Options, IfKnown, AsIs);
  if (All.What != SourceResult::Unchanged || All.Message.empty())
    return All;
  Options->Reading.OwnTree.clear();
  SourceResult Own = rewriteWith(*Options, /*IfKnown=*/false, AsIs);
  if (Own.Message.empty())
    Own.Message = std::move(All.Message);
  return Own;
}

SourceResult SourceRewriter::askApart(bool IfKnown,
                                      const OwnCompile *AsIs) const {
  const ProcessResult Ended =
      Process(
          [&] {
            initializeClang();
            return toBytes(rewrite(IfKnown, AsIs));
          },
          isSet("BANKSTRIPE_VERBOSE") ? Output::Shown : Output::Together)
          .wait();
  std::optional<SourceResult> Result;
  if (Ended.Interrupted)
    return {SourceResult::Interrupted};
  if (Ended.succeeded())
    Result = fromBytes<SourceResult>(Ended.Answer);
  if (!Result)
    return {SourceResult::Unreadable,
            "bankstripe crashed on it; please report it"};
  if (Result->What == SourceResult::Unreadable) {
    Result->Message = firstErrorIn(Result->Message);
    if (!Ended.Out.empty())
      Result->Message += ": " + firstErrorIn(Ended.Out);
  }
  return *Result;
}

bool SourceRewriter::readIncludes() {
  auto Read = readIncludeTree(Command.Input, Command.Folders);
  if (Read)
    Tree = std::move(*Read);
  return bool(Read);
}
