//===-- Wrap.cpp - bankstripe wrap ----------------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A compiler launcher; docs/internals/front-end.md has its steps. Whatever
// happens, the build gets its object.
//
//===----------------------------------------------------------------------===//
#include "frontend/CommandLine.h"
#include "model/Helper.h"
#include "model/SourceFile.h"
#include "report/Terminal.h"
#include "text/PrivateArrays.h"
#include "tool/SourceRewriter.h"
#include "tune/RecordedChoices.h"
#include "wrap/Stats.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace bankstripe;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace {

/// One run of the launcher, for a compile of CUDA files.
class Launcher {
public:
  Launcher(CompilerCommand Command, std::vector<std::string> Flags);

  int run();

private:
  bool canWriteBeside() const;
  bool readAllIncludes();
  SourceResult askAll(bool IfKnown);
  bool mayCompileFirst() const;
  bool failedOnOption(const OwnCompile &Compile) const;
  std::optional<int> compileFirst();
  int compileAsIs(const SourceResult &Result);
  bool missesRows(const SourceResult &Result) const;
  int compileCopies(const SourceResult &Result);
  void mendDepfiles(const SourceResult &Result) const;
  bool takeBackAsIs(const SourceResult &Result);
  CompileStats
  statsOf(std::map<std::string, int64_t> Counts,
          const std::optional<OwnCompile> &Own = std::nullopt) const;
  void tellNews(const SourceResult &Result, const CompileStats &Stats) const;
  void warnOfAsIs(const llvm::Twine &Why) const {
    warn("'" + Names + "' is compiled as it is: " + Why);
  }
  void warnOfLeft() const { llvm::for_each(Left, warn); }

  const TimePoint Begin = std::chrono::steady_clock::now();
  CompilerCommand Command;
  const bool IsQuiet;
  std::string Names; ///< Of the sources, for people.
  std::vector<SourceRewriter> Sources;
  /// Of those that are rewritten.
  std::map<std::string, std::string> CopyOf;
  std::vector<std::string> Left; ///< What is not, and why.
  bool HadCopies = false;        ///< Before.
  std::optional<OwnCompile> AsIs;
};

} // namespace

Launcher::Launcher(CompilerCommand Given, std::vector<std::string> Flags)
    : Command(std::move(Given)), IsQuiet(llvm::is_contained(Flags, "--quiet")),
      Names(llvm::join(Command.Sources, ", ")) {
  for (CompilerCommand &Single : oneBySource(Command))
    Sources.emplace_back(std::move(Single), Flags,
                         /*IsWhole=*/Command.Sources.size() == 1);
}

// The worst of both, with all copies.
static void addResult(SourceResult &Into, SourceResult More) {
  const auto Rank = [](SourceResult::Kind Kind) {
    static constexpr SourceResult::Kind Ascending[] = {
        SourceResult::Unchanged, SourceResult::Unreadable,
        SourceResult::Rewritten, SourceResult::Unknown,
        SourceResult::NoFlags,   SourceResult::Interrupted};
    return llvm::find(Ascending, Kind) - std::begin(Ascending);
  };
  if (Rank(More.What) > Rank(Into.What))
    Into.What = More.What;
  llvm::append_range(Into.Copies, More.Copies);
  llvm::append_range(Into.Unfulfilled, More.Unfulfilled);
  if (Into.Decisions.empty())
    Into.Decisions = More.Decisions;
  if (Into.QuoteFolder.empty())
    Into.QuoteFolder = More.QuoteFolder;
  Into.Reports |= More.Reports; // Of a source alone, as are those that follow.
  Into.Compiled = std::move(More.Compiled);
  Into.Refused = std::move(More.Refused);
  Into.AsIs = std::move(More.AsIs);
  for (const auto &[What, Number] : More.Counts)
    Into.Counts[What] += Number;
}

SourceResult Launcher::askAll(bool IfKnown) {
  SourceResult All;
  CopyOf.clear();
  Left.clear();
  const OwnCompile *Own = AsIs && Sources.size() == 1 ? &*AsIs : nullptr;
  for (const SourceRewriter &Source : Sources) {
    if (!mayHoldPrivateArray(Source.tree()))
      continue;
    SourceResult One = Source.askApart(IfKnown, Own);
    const std::string Name = "'" + Source.command().Input + "'";
    const bool IsRewritten = One.What == SourceResult::Rewritten;
    if (IsRewritten)
      CopyOf[Source.command().Input] = One.Copies.front().first;
    if (!One.Message.empty())
      Left.push_back((IsRewritten ? "arrays in headers of " + Name + " stay: "
                                  : Name + " is compiled as it is: ") +
                     One.Message);
    addResult(All, std::move(One));
    if (All.What == SourceResult::Unknown)
      break;
  }
  return All;
}

// Copies are nothing that a build should look at. In the place of the helper's
// name stands the source's once more.
void Launcher::mendDepfiles(const SourceResult &Result) const {
  if (Command.Depfiles.empty())
    return;
  const IncludeTree &Tree = Sources.front().tree();
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
    const std::string Mended = renameDependencies(
        *Text,
        [&](StringRef Name) {
          auto Found = Names.find(realPath(Name));
          return Found == Names.end() ? std::vector<std::string>()
                                      : Found->second;
        },
        Result.Decisions);
    if (llvm::Error E = replaceFile(Depfile, Mended, *Text))
      warn(toString(std::move(E)));
    return;
  }
}

// To be kept right before the compile. Own is one that the build keeps.
CompileStats Launcher::statsOf(std::map<std::string, int64_t> Counts,
                               const std::optional<OwnCompile> &Own) const {
  const double Added = secondsSince(Begin) - (Own ? Own->Seconds : 0);
  llvm::SmallString<256> Object(Command.Output);
  (void)fs::make_absolute(Object); // As canWriteBeside could.
  return {Sources.front().tree().Main, std::string(Object), std::move(Counts),
          Added};
}

void Launcher::tellNews(const SourceResult &Result,
                        const CompileStats &Stats) const {
  if (IsQuiet)
    return;
  llvm::errs() << "bankstripe: " << printable(Names) << ": " << Stats.text()
               << '\n';
  for (const std::string &Decision : Result.Unfulfilled)
    llvm::errs() << "bankstripe: " << printable(Decision) << '\n';
}

// What was rewritten before will be again, and what a text seems to move: then
// one compile tells of the original and of the copy. Who asks ptxas for
// something shall get just that.
bool Launcher::mayCompileFirst() const {
  return Command.IsNvcc && !HadCopies && !asksPtxas(Command) &&
         (Sources.size() > 1 || !seemsToMoveArrays(Sources.front().tree()));
}

// Whether a kernel uses local memory, by what ptxas said in Report.
static bool mayGain(StringRef Report) {
  return !Report.contains("ptxas info") ||
         llvm::any_of(parsePtxasReport(Report), [&](const auto &Row) {
           return Row.second.StackFrame != 0;
         });
}

static void show(StringRef Out, StringRef Err) {
  llvm::outs() << Out;
  llvm::outs().flush();
  llvm::errs() << Err;
}

// Whether a program before the compiler, or in its place, may not know our
// option: what a compiler has against a source names it.
bool Launcher::failedOnOption(const OwnCompile &Compile) const {
  const ProcessResult &Ended = Compile.Ended;
  return !Ended.succeeded() && !Ended.wasKilled() && !Ended.Interrupted &&
         path::filename(Command.Words.front()) != "nvcc" &&
         llvm::none_of(Command.Sources, [&](StringRef Source) {
           return StringRef(Compile.Report).contains(path::filename(Source));
         });
}

// Compiles the source as it is. \returns the exit status if that is all there
// is to do: it is wrong, or no kernel could gain from a rewrite.
std::optional<int> Launcher::compileFirst() {
  AsIs = compileOwn(Command, {}, "", /*Reports=*/true);
  if (failedOnOption(*AsIs)) {
    const ProcessResult Again = runProcess(Command.Words, Output::Shown);
    if (Again.succeeded())
      warnOfAsIs("with -Xptxas=-v it does not compile: " +
                 firstErrorIn(AsIs->Report));
    return endAs(Again);
  }
  if (AsIs->Ended.succeeded() && mayGain(AsIs->Report))
    return std::nullopt;
  if (AsIs->Ended.succeeded())
    note("no kernel of '" + Names + "' uses local memory");
  addStats(statsOf({}, AsIs));
  show(AsIs->Ended.Out, AsIs->Ended.Err);
  return endAs(AsIs->Ended);
}

// Puts back what was made of the original, where a copy was compiled since.
// \returns whether that is there now.
bool Launcher::takeBackAsIs(const SourceResult &Result) {
  const std::string Kept = keptObject(Command);
  if (AsIs && fs::exists(Kept)) {
    if (fs::rename(Kept, Command.Output))
      return false;
    for (const auto &[Depfile, Before] : AsIs->Depfiles)
      if (auto Text = readText(Depfile); Text && *Text != Before)
        if (llvm::Error E = replaceFile(Depfile, Before, *Text))
          warn(toString(std::move(E)));
  }
  // With copies, the source would not be compiled first again.
  if (const std::string Folder = Sources.front().folder();
      !HadCopies && Result.Refused.empty() &&
      Result.What != SourceResult::Rewritten && Sources.size() == 1 &&
      !fs::is_symlink_file(Folder))
    fs::remove_directories(Folder);
  return AsIs.has_value();
}

int Launcher::compileAsIs(const SourceResult &Result) {
  if (!takeBackAsIs(Result))
    AsIs.reset();
  auto Counts = Result.Counts;
  Counts["parsed"] = Result.What == SourceResult::Unchanged;
  Counts["unfulfilled"] = Result.Unfulfilled.size();
  const CompileStats Stats = statsOf(std::move(Counts), AsIs);
  if (!Result.Unfulfilled.empty() && areNews(Stats))
    tellNews(Result, Stats);
  addStats(Stats);
  // Of what does not compile either, the compiler says enough.
  if (!AsIs && Result.What != SourceResult::Unreadable &&
      Result.Refused.empty() &&
      (Command.Depfiles.empty() || Result.Decisions.empty()))
    return become(Command.Words);
  if (AsIs)
    show(AsIs->Ended.Out, AsIs->Ended.Err);
  const ProcessResult Ended =
      AsIs ? AsIs->Ended : runProcess(Command.Words, Output::Shown);
  if (Ended.succeeded()) {
    mendDepfiles(Result);
    if (Result.What == SourceResult::Unreadable)
      warnOfLeft();
    if (!Result.Refused.empty())
      warnOfAsIs(Result.Refused);
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

// Whether launches in an object file pass no rows: its stubs call the runtime,
// and nothing calls current_device(), which only the helper's overload of
// cudaLaunchKernel does. Of other outputs nobody knows.
static bool passesNoRows(StringRef Object) {
  using llvm::object::SymbolRef;
  const auto Opened = llvm::expectedToOptional(
      llvm::object::ObjectFile::createObjectFile(Object));
  if (!Opened || !Opened->getBinary()->isRelocatableObject())
    return false;
  bool CallsRuntime = false, CallsHelper = false;
  for (const SymbolRef &Symbol : Opened->getBinary()->symbols()) {
    const StringRef Name =
        llvm::expectedToOptional(Symbol.getName()).value_or("");
    const auto Flags = llvm::expectedToOptional(Symbol.getFlags()).value_or(0);
    if (Name.contains("bankstripe") && Name.contains("current_device"))
      CallsHelper = true;
    if (!(Flags & SymbolRef::SF_Undefined))
      continue;
    if (Name.starts_with("__cudaLaunch"))
      return true; // By stubs of CUDA 13, for which the helper has its own.
    CallsRuntime |=
        Name == "cudaLaunchKernel" || Name == "cudaLaunchKernel_ptsz";
  }
  return CallsRuntime && !CallsHelper;
}

// Whether the copies have rows in vain. (Of Clang's launches that is known, and
// said by the helper.)
bool Launcher::missesRows(const SourceResult &Result) const {
  auto IsHelper = [](const auto &Copy) {
    return path::filename(Copy.first) == LaunchFileName;
  };
  return Command.IsNvcc && llvm::any_of(Result.Copies, IsHelper) &&
         passesNoRows(Command.Output);
}

int Launcher::compileCopies(const SourceResult &Result) {
  auto Counts = Result.Counts;
  Counts["parsed"] = Counts["rewritten"] = 1;
  Counts["unfulfilled"] = Result.Unfulfilled.size();
  // The first compile was in vain.
  const CompileStats Stats = statsOf(std::move(Counts), Result.Compiled);
  const bool News = areNews(Stats);
  addStats(Stats);
  const bool MayTakeBack = AsIs && keepObject(Command);
  const ProcessResult Ended =
      Result.Compiled
          ? Result.Compiled->Ended
          : compileOwn(Command, CopyOf, Result.QuoteFolder, Result.Reports)
                .Ended;
  const bool MissesRows = Ended.succeeded() && missesRows(Result);
  const bool IsDone = Ended.succeeded() && !MissesRows;
  if (IsDone)
    fs::remove(keptObject(Command));
  if (IsDone || Ended.wasKilled() || Ended.Interrupted) {
    show(withOriginals(Ended.Out, Result), withOriginals(Ended.Err, Result));
    if (IsDone) {
      mendDepfiles(Result);
      if (News)
        tellNews(Result, Stats);
    } else if (MayTakeBack) {
      takeBackAsIs(Result);
    }
    return endAs(Ended);
  }
  addStats(statsOf({{"parsed", 1}}, Result.Compiled));
  const bool IsBack = MayTakeBack && takeBackAsIs(Result);
  if (IsBack)
    show(AsIs->Ended.Out, AsIs->Ended.Err);
  const ProcessResult Again =
      IsBack ? AsIs->Ended : runProcess(Command.Words, Output::Shown);
  if (Again.succeeded()) {
    const std::string &Copy = Result.Copies.front().first;
    warnOfAsIs(MissesRows
                   ? "with this nvcc, launches pass no row of '" + Copy + "'"
                   : refusalOf(Copy, Ended));
    mendDepfiles(Result);
  }
  return endAs(Again);
}

// A compiler that cannot write its output says so; we make no folders for it.
bool Launcher::canWriteBeside() const {
  llvm::SmallString<256> Output(Command.Output);
  if (Output == "-" || fs::make_absolute(Output))
    return false;
  return fs::is_directory(path::parent_path(Output)) &&
         (!fs::exists(Output) || fs::is_regular_file(Output));
}

// \returns whether all can be read.
bool Launcher::readAllIncludes() {
  return llvm::all_of(
      Sources, [](SourceRewriter &Source) { return Source.readIncludes(); });
}

int Launcher::run() {
  if (!canWriteBeside()) {
    note("there is no room for copies beside '" + Command.Output + "'");
    return become(Command.Words);
  }
  if (!readAllIncludes())
    return become(Command.Words); // The compiler says what is wrong.
  if (llvm::none_of(Sources, [](const SourceRewriter &Source) {
        return mayHoldPrivateArray(Source.tree());
      })) {
    note("'" + Names + "' holds no device code with arrays");
    addStats(statsOf({}));
    return become(Command.Words);
  }
  HadCopies = llvm::any_of(Sources, [](const SourceRewriter &Source) {
    return fs::exists(Source.folder());
  });
  SourceResult Result = askAll(/*IfKnown=*/mayCompileFirst());
  if (Result.What == SourceResult::Unknown) {
    if (const auto Status = compileFirst())
      return *Status;
    Result = askAll(/*IfKnown=*/false);
  }
  if (Result.AsIs)
    AsIs = Result.AsIs;
  switch (Result.What) {
  case SourceResult::Unknown:
  case SourceResult::Unchanged:
  case SourceResult::NoFlags:
    warnOfLeft();
    return compileAsIs(Result);
  case SourceResult::Unreadable:
    return compileAsIs(Result); // It warns, if that succeeds.
  case SourceResult::Interrupted:
    takeBackAsIs(Result);
    return ExitSomeFailed;
  case SourceResult::Rewritten:
    warnOfLeft();
    break;
  }
  return compileCopies(Result);
}

// The words of `env A=1`, `cmake -E env A=1` or `cmake -E chdir FOLDER` among
// those before a compiler.
static llvm::ArrayRef<std::string>
findSettings(llvm::ArrayRef<std::string> Words) {
  for (size_t I = 0; I != Words.size(); ++I) {
    const bool OfCMake = I > 1 && Words[I - 1] == "-E";
    size_t End = I + 1;
    if (OfCMake && Words[I] == "chdir")
      ++End;
    for (; path::filename(Words[I]) == "env" && End < Words.size(); ++End) {
      const StringRef Word = Words[End];
      if (isAmong(Word, "-u -C -a --unset --chdir --argv0 --modify"))
        ++End; // Its value.
      else if (!Word.starts_with("-") && !Word.contains('='))
        break;
    }
    if (End > I + 1)
      return Words.slice(0, std::min(End, Words.size()))
          .drop_front(OfCMake ? I - 2 : I);
  }
  return {};
}

// Runs the launcher behind the settings, since what nvcc and Clang are asked
// depends on them as the compile does. \returns only if there are none.
static void moveBehindSettings(const CompilerCommand &Command,
                               llvm::ArrayRef<std::string> Flags) {
  const llvm::ArrayRef Words(Command.Words);
  const auto Settings = findSettings(Words.take_front(Command.Compiler));
  if (Settings.empty())
    return;
  std::vector<std::string> Moved(Settings.begin(), Settings.end());
  Moved.push_back(fs::getMainExecutable(
      nullptr, reinterpret_cast<void *>(&moveBehindSettings)));
  Moved.emplace_back("wrap");
  if (llvm::all_of(Flags, [](StringRef F) { return F.starts_with("-"); }))
    llvm::append_range(Moved, Flags);
  Moved.insert(Moved.end(), Words.begin(), Settings.begin());
  Moved.insert(Moved.end(), Settings.end(), Words.end());
  unsetenv("BANKSTRIPE_WRAPPED");
  exit(become(Moved));
}

// Whether device code of Command might gain.
static bool mayGain(const CompilerCommand &Command) {
  return llvm::any_of(Command.Sources, [&](StringRef Source) {
    const auto Tree = readIncludeTree(Source, Command.Folders);
    return Source == "-" || (Tree && mayHoldPrivateArray(*Tree));
  });
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

// Options of `rewrite` that say what becomes of its result, or how the command
// is found: here both are known, so who gives one expects something else.
static StringRef findMeaningless(llvm::ArrayRef<std::string> Flags) {
  for (StringRef Flag : Flags)
    if (llvm::is_contained({"in-place", "output-dir", "check", "dry-run",
                            "embed-helper", "format", "p", "trust-commands"},
                           Flag.ltrim('-').split('=').first))
      return Flag;
  return "";
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
  if (const StringRef Flag = findMeaningless(Flags); !Flag.empty()) {
    llvm::errs() << "bankstripe: '" << printable(Flag)
                 << "' is not for 'wrap', which compiles a rewritten copy and "
                    "leaves the source as it is; see bankstripe wrap --help\n";
    return ExitUsage;
  }
  // What the compiler runs is not rewritten again.
  setenv("BANKSTRIPE_WRAPPED", "1", /*overwrite=*/1);
  llvm::SmallString<256> Directory;
  if (fs::current_path(Directory))
    return become(Words);
  CompilerCommand Command =
      readCompilerCommand(Words, Directory, environment("NVCC_PREPEND_FLAGS"),
                          environment("NVCC_APPEND_FLAGS"));
  Command.Folders.addFromEnvironment(environment("CPATH"));
  if (!Command.WhyNot.empty()) {
    if (mayGain(Command))
      warn("'" + llvm::join(Command.Sources, ", ") +
           "' is compiled as it is: " + Command.WhyNot);
    else
      note(Command.WhyNot + "; the command is run as it is");
    return become(Words);
  }
  moveBehindSettings(Command, Flags);
  return Launcher(std::move(Command), std::move(Flags)).run();
}

// The table of what programs added to File.
static int runStatsOfChoices(StringRef File) {
  auto Text = llvm::MemoryBuffer::getFile(File);
  auto Choices = Text ? readChoices((*Text)->getBuffer())
                      : llvm::errorCodeToError(Text.getError());
  if (!Choices) {
    llvm::errs() << "bankstripe: '" << printable(File)
                 << "': " << toString(Choices.takeError()) << '\n';
    return ExitUsage;
  }
  printChoices(llvm::outs(), std::move(*Choices));
  return ExitDone;
}

int bankstripe::runStats(llvm::ArrayRef<const char *> Words) {
  if (StringRef First = Words.empty() ? "" : Words.front();
      Words.size() == 1 && First.consume_front("--choices="))
    return runStatsOfChoices(First);
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
