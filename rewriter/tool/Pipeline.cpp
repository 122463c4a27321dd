//===-- Pipeline.cpp - all stages, one after the other --------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each unit is known from before (cache/Answers.cpp), or read by a process of
// its own, which sends plain values back. What comes is the same whoever read
// it, and is put in the order of the jobs.
//
//===----------------------------------------------------------------------===//

#include "tool/Pipeline.h"
#include "copies/Copies.h"
#include "evidence/Gather.h"
#include "facts/Archive.h"
#include "find/Find.h"
#include "frontend/Resources.h"
#include "report/Terminal.h"
#include "tool/Mentions.h"
#include "tool/Nvcc.h"
#include "tool/RewriteUnits.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace bankstripe;
using llvm::StringRef;

static void say(const llvm::Twine &Message) {
  llvm::errs() << "bankstripe: " << printable(withDisplayNames(Message.str()))
               << '\n';
}

// Finds the jobs of all paths. One that cannot be taken is reported; an error
// when none can be.
static llvm::Error collectAll(ReadResult &Read, const ReadingOptions &Options) {
  llvm::Error Missing = llvm::Error::success();
  llvm::Error OfHeaders = llvm::Error::success();
  std::set<std::pair<std::string, std::vector<std::string>>> Known;
  unsigned Usable = 0;
  std::optional<Copies> Earlier;
  if (!Options.OutputDirectory.empty())
    Earlier.emplace(Options.OutputDirectory, Options.Paths);
  for (const std::string &Path : Options.Paths) {
    auto Jobs = collectJobs(Path, Options.Frontend);
    if (!Jobs) {
      llvm::Error &Problems = holdsHeadersAlone(Path) ? OfHeaders : Missing;
      Problems = joinErrors(std::move(Problems), Jobs.takeError());
      continue;
    }
    ++Usable;
    for (CompileJob &Job : *Jobs)
      if (!(Earlier && Earlier->isCopy(Job.File)) &&
          Known.emplace(Job.path(), Job.ClangArgs).second)
        Read.Jobs.push_back(std::move(Job));
  }
  if (Usable == 0)
    return joinErrors(std::move(Missing), std::move(OfHeaders));
  consumeError(std::move(OfHeaders));
  Read.SomeFailed = static_cast<bool>(Missing);
  if (Missing) {
    Read.Problems.push_back({"", toString(std::move(Missing))});
    say(Read.Problems.back().Message);
  }
  llvm::sort(Read.Jobs, [](const CompileJob &A, const CompileJob &B) {
    return std::tie(A.File, A.ClangArgs) < std::tie(B.File, B.ClangArgs);
  });
  return llvm::Error::success();
}

namespace {

/// What is no glob was said when jobs were looked for.
GivenFiles mayChange(const ReadingOptions &Options) {
  std::vector<std::string> Paths = Options.Paths;
  if (!Options.OwnTree.empty())
    Paths.push_back(Options.OwnTree);
  return GivenFiles(
      Paths, llvm::cantFail(ExcludedFiles::create(Options.Frontend.Exclude)));
}

/// Reads units, as processes of their own or from the cache.
class JobReader {
public:
  JobReader(const ReadingOptions &Options, const LauncherHooks *Hooks,
            Answers *Known)
      : Options(Options), IsAlone(Hooks), Known(Known),
        MayEdit(mayChange(Options)), State(MayEdit) {}

  /// What is known of \p Job from before, if nothing is missing from it.
  std::optional<UnitReading> recall(const CompileJob &Job);
  std::vector<UnitReading> readAll(const std::vector<CompileJob> &Jobs);

private:
  UnitReading readUnit(const CompileJob &Job, bool Colours) const;
  UnitReading receive(const CompileJob &Job, WorkResult Reply) const;

  const ReadingOptions &Options;
  const bool IsAlone; ///< Others are read and linked apart.
  Answers *Known;
  GivenFiles MayEdit;
  DiskState State;
};

} // namespace

UnitReading JobReader::readUnit(const CompileJob &Job, bool Colours) const {
  UnitReading Result;
  DiskRecorder Recorder;
  auto MayEditNoted = [&](StringRef File) {
    const bool May = MayEdit(File);
    Recorder.Trace.note(DiskQuestion::MayEdit, File, May ? "yes" : "no");
    return May;
  };
  llvm::raw_string_ostream OS(Result.Diagnostics);
  OS.enable_colors(Colours);
  llvm::Expected<ParseOutcome> Parse = parseUnit(
      Job, OS,
      [&](ParsedUnit &Parsed) {
        UnitResult Unit;
        Unit.Facts = findAll(Parsed, MayEditNoted);
        Unit.Facts.Expanded = Job.Expanded;
        if (!IsAlone || !Unit.Facts.Findings.empty())
          Unit.Evidence = gatherEvidence(Parsed, Unit.Facts);
        Result.Unit = std::move(Unit);
        Result.AsksForArch = Parsed.asksForSide();
      },
      &Recorder);
  if (!Parse) {
    Result.Unit.reset();
    Result.Error = toString(Parse.takeError());
  } else {
    Result.Outcome = *Parse;
  }
  if (Recorder.Trace.isComplete())
    Result.Trace = Recorder.Trace.replies();
  return Result;
}

// What a process answered, or why it could not.
UnitReading JobReader::receive(const CompileJob &Job, WorkResult Reply) const {
  if (Reply.Problem.empty()) {
    if (auto Reading = fromBytes<UnitReading>(Reply.Answer))
      return std::move(*Reading);
    Reply.Problem = "sent what cannot be read";
  }
  UnitReading Failed;
  Failed.Error = "'" + Job.File + "' is left out: the process that read it " +
                 Reply.Problem;
  if (Options.Work.isVerbose()) // Where it was, as LLVM tells it.
    Failed.Diagnostics = std::move(Reply.Printed);
  return Failed;
}

std::optional<UnitReading> JobReader::recall(const CompileJob &Job) {
  return Known ? Known->recall(Job, State) : std::nullopt;
}

std::vector<UnitReading>
JobReader::readAll(const std::vector<CompileJob> &Jobs) {
  std::vector<UnitReading> Results(Jobs.size());
  Progress Shown(Jobs.size(), !Options.Work.isQuiet());
  // Asked here, since a process that reads has another standard error.
  const bool Colours = showsColours(llvm::errs());
  Workers Pool(Options.Work.Limits, [&](size_t I, WorkResult Reply) {
    Results[I] = receive(Jobs[I], std::move(Reply));
    if (Known)
      Known->remember(Jobs[I], Results[I], State);
    // It is needed no more, and there may be many.
    Results[I].Trace.clear();
    Shown.done(displayName(Jobs[I].File));
  });
  for (size_t I = 0; I < Jobs.size(); ++I) {
    if (auto Reading = recall(Jobs[I])) {
      Results[I] = std::move(*Reading);
      Results[I].Trace.clear();
      Shown.skip();
      continue;
    }
    Pool.start(I, [&] { return toBytes(readUnit(Jobs[I], Colours)); });
  }
  Pool.finish();
  return Results;
}

// What a person should know about how a file was read.
static void reportReading(const CompileJob &Job, const UnitReading &Result,
                          const WorkOptions &Work,
                          std::set<std::string> &Said) {
  if (!Result.Diagnostics.empty() && !Result.Error.empty())
    llvm::errs() << printable(withDisplayNames(Result.Diagnostics),
                              showsColours(llvm::errs()));
  if (!Result.Error.empty())
    say(Result.Error);
  if (Work.isQuiet())
    return;
  if (Result.Outcome.UsedBuiltinHeader && Said.insert("builtin").second)
    say("no CUDA toolkit was found, the built-in declarations are used; give "
        "--cuda-path for the full headers");
  if (!Job.FoundDatabase.empty() && Said.insert(Job.FoundDatabase).second)
    say("using the commands of " + displayName(Job.FoundDatabase) +
        "; -p names another folder");
  if (!Job.Refused.empty() && Said.insert(Job.Refused).second)
    say("left out of the project's commands, for it may run a program or write "
        "a file: " +
        Job.Refused + "; --trust-commands takes it");
  if (!Work.isVerbose())
    return;
  if (Result.Outcome.UsedShim)
    say(Job.File + ": parsed with the nvcc compatibility header");
  if (!Job.Dropped.empty())
    say(Job.File +
        ": dropped from the command: " + llvm::join(Job.Dropped, " "));
  if (Result.Unit && !Result.Unit->Evidence.Problem.empty())
    say(Job.File + ": " + Result.Unit->Evidence.Problem);
}

// For another architecture, code that asks for it calls other functions, and
// has other arrays: there it is a unit of its own. Where that cannot be read,
// nobody knows which kernels reach the arrays of the file.
static std::vector<UnitRecord>
readOtherArchitectures(JobReader &Reader, llvm::ArrayRef<CompileJob> AllJobs,
                       std::vector<UnitReading> &Results) {
  std::vector<CompileJob> Jobs;
  std::vector<size_t> Rows; // Indices in Results.
  for (auto [I, Job] : llvm::enumerate(AllJobs))
    if (Results[I].Unit && Results[I].AsksForArch)
      for (CompileJob &Other : otherArchitectures(Job)) {
        Jobs.push_back(std::move(Other));
        Rows.push_back(I);
      }
  std::vector<UnitRecord> Units;
  if (Jobs.empty())
    return Units;
  for (auto [I, Reading] : llvm::enumerate(Reader.readAll(Jobs))) {
    if (Reading.Unit) {
      Units.push_back({std::move(Jobs[I]), std::move(*Reading.Unit)});
      continue;
    }
    UnitEvidence &Evidence = Results[Rows[I]].Unit->Evidence;
    Evidence.Problem = "for " + Jobs[I].GpuArch + ": " + Reading.Error;
    for (ArrayEvidence &E : Evidence.Arrays)
      E.Where = Residency::Unknown;
  }
  return Units;
}

static bool isSource(const CompileJob &Job) {
  return llvm::is_contained({".cu", ".cpp", ".cc", ".cxx", ".c", ".C"},
                            llvm::sys::path::extension(Job.File));
}

// A header that was given beside a source that includes it means what that
// source makes of it: it may not parse by itself, and has other templates.
static bool isReadByOthers(const CompileJob &Job,
                           llvm::ArrayRef<UnitRecord> Units) {
  return llvm::any_of(Units, [&](const UnitRecord &Unit) {
    return llvm::any_of(Unit.Unit.Facts.Sources, [&](const SourceFile &Source) {
      return realPath(Source.Path) == Job.File;
    });
  });
}

// Launch bounds would undo the limit of a command.
static void noteRegisterLimit(const CompileJob &Job, UnitFacts &Facts) {
  constexpr StringRef Limit = "maxrregcount";
  if (llvm::none_of(Job.OriginalArgs,
                    [&](StringRef Arg) { return Arg.contains(Limit); }))
    return;
  for (Kernel &K : Facts.Kernels)
    if (!K.Bounds && K.BoundsExcludedBy.empty())
      K.BoundsExcludedBy = ("-" + Limit).str();
}

// Where macros declare arrays, the text that they stand for is read, unless
// another unit has the file, too, and may see other macros.
static void readExpanded(JobReader &Reader, std::vector<CompileJob> &Jobs,
                         std::vector<UnitReading> &Results) {
  std::map<std::string, unsigned> Readers; // By file.
  for (const UnitReading &Reading : Results)
    if (Reading.Unit)
      for (const SourceFile &Source : Reading.Unit->Facts.Sources)
        ++Readers[realPath(Source.Path)];
  std::vector<CompileJob> Again;
  std::vector<size_t> Rows; // Indices in Results.
  for (auto [I, Job] : llvm::enumerate(Jobs))
    if (Results[I].Unit && !Results[I].Unit->Facts.Expandable.empty() &&
        Readers[Job.File] == 1) {
      Again.push_back(Job);
      Again.back().Expanded = Results[I].Unit->Facts.Expandable;
      Rows.push_back(I);
    }
  if (Again.empty())
    return;
  for (auto [I, Reading] : llvm::enumerate(Reader.readAll(Again)))
    if (Reading.Unit) {
      Jobs[Rows[I]] = std::move(Again[I]);
      Results[Rows[I]] = std::move(Reading);
    }
}

static void readJobs(std::vector<CompileJob> &Jobs, JobReader &Reader,
                     ReadResult &Read, const WorkOptions &Work,
                     std::set<std::string> &Said) {
  std::vector<UnitReading> Results = Reader.readAll(Jobs);
  readExpanded(Reader, Jobs, Results);
  std::vector<UnitRecord> Others =
      readOtherArchitectures(Reader, Jobs, Results);
  for (auto [Job, Reading] : llvm::zip_equal(Jobs, Results)) {
    if (!Reading.Error.empty())
      Reading.Error += cureOfMissingHeader(Reading.Diagnostics);
    reportReading(Job, Reading, Work, Said);
    if (!Reading.Error.empty()) {
      Read.SomeFailed = true;
      Read.Problems.push_back({Job.File, Reading.Error});
    }
    if (Reading.Unit)
      Read.Units.push_back({Job, std::move(*Reading.Unit)});
  }
  llvm::move(Others, std::back_inserter(Read.Units));
  for (UnitRecord &Unit : Read.Units)
    noteRegisterLimit(Unit.Job, Unit.Unit.Facts);
}

static void readUnits(ReadResult &Read, const ReadingOptions &Options,
                      const LauncherHooks *Hooks) {
  JobReader Reader(Options, Hooks, Read.Known.get());
  std::set<std::string> Said;
  std::vector<CompileJob> Sources, Headers;
  for (CompileJob &Job : Read.Jobs)
    (isSource(Job) ? Sources : Headers).push_back(std::move(Job));
  readJobs(Sources, Reader, Read, Options.Work, Said);
  llvm::erase_if(Headers, [&](const CompileJob &Job) {
    return isReadByOthers(Job, Read.Units);
  });
  readJobs(Headers, Reader, Read, Options.Work, Said);
  Read.Jobs = std::move(Sources);
  llvm::append_range(Read.Jobs, Headers);
}

// The files whose arrays and kernels may change. Other people's headers have
// decisions of their own, which are none of ours.
static std::set<std::string>
filesToDecide(llvm::ArrayRef<const UnitFacts *> Units) {
  std::set<std::string> Files;
  for (const UnitFacts *Unit : Units) {
    for (const Finding &F : Unit->Findings)
      if (llvm::none_of(F.Obstacles, [](const Obstacle &O) {
            return O.Why == Reason::OutsidePaths;
          }))
        Files.insert(F.Where.File);
    for (const Kernel &K : Unit->Kernels)
      if (K.MayEdit)
        Files.insert(K.Where.File);
  }
  return Files;
}

// A last part of a name of Known is enough where it is of no other.
static void complete(std::string &Name, const std::set<std::string> &Known) {
  auto EndsSo = [&](StringRef Whole) { return Whole.ends_with("::" + Name); };
  if (!Known.count(Name) && llvm::count_if(Known, EndsSo) == 1)
    Name = *llvm::find_if(Known, EndsSo);
}

// What was decided for the arrays and kernels of Units, with the decisions
// files of their headers.
static llvm::Error addDecisions(PlanOptions &Planning, DecisionsLookup &Lookup,
                                llvm::ArrayRef<const UnitFacts *> Units) {
  for (const std::string &File : filesToDecide(Units)) {
    if (llvm::Error E = Lookup.readFor(File))
      return E;
    Planning.Defaults[File] = Lookup.defaultsFor(File);
  }
  // Findings name a header as the compiler came to it.
  std::map<std::string, std::string> Names; // By real path.
  for (const UnitFacts *Unit : Units)
    for (const auto &[File, Text] : Unit->Contents)
      Names.try_emplace(realPath(File), File);
  auto Rename = [&](auto &Decisions) {
    for (auto &D : Decisions)
      if (auto It = Names.find(D.File); It != Names.end())
        D.File = It->second;
  };
  DecisionsFile Decisions = Lookup.decisionsFor(Planning.GpuArch);
  Rename(Planning.Decisions = std::move(Decisions.Arrays));
  Rename(Planning.KernelDecisions = std::move(Decisions.Kernels));
  std::map<std::string, std::set<std::string>> Functions, Kernels; // By file.
  for (const UnitFacts *Unit : Units) {
    for (const Finding &F : Unit->Findings)
      Functions[F.Where.File].insert(F.Function.Name);
    for (const Kernel &K : Unit->Kernels)
      Kernels[K.Where.File].emplace(withoutTemplateArguments(K.Name));
  }
  for (ArrayDecision &D : Planning.Decisions)
    complete(D.Function, Functions[D.File]);
  for (KernelDecision &D : Planning.KernelDecisions)
    complete(D.Kernel, Kernels[D.File]);
  return llvm::Error::success();
}

// What runs both programs tells. A folder holds one as far as anybody knows,
// and so does what builds a program, if all of it was read; single files do
// not.
static Outside whoLaunchesToo(const ReadResult &Read,
                              const ToolOptions &Options) {
  if (Options.Planning.Others || Options.Run == Command::Verify)
    return Options.Planning.Others.value_or(Outside::Nobody);
  if (Options.Run != Command::Tune &&
      llvm::none_of(Options.Reading.Paths, [](const std::string &Path) {
        return llvm::sys::fs::is_directory(Path);
      }))
    return Outside::Files;
  const bool LacksFiles =
      Read.SomeFailed ||
      llvm::any_of(Read.Jobs, std::mem_fn(&CompileJob::OthersAreExcluded));
  if (LacksFiles && !Read.Units.empty() && Options.level() != Detail::Quiet)
    say("files that were not read may launch kernels, too; --whole-program "
        "says that they do not");
  return LacksFiles ? Outside::Files : Outside::Nobody;
}

static void addMentions(PlanOptions &Planning, ProgramText Found,
                        const ToolOptions &Options) {
  Planning.Mentions = std::move(Found.Kernels);
  auto CountAsOther = [&](StringRef File, StringRef Why) {
    if (File.empty())
      return;
    Planning.Others = Outside::Files;
    if (Options.level() != Detail::Quiet)
      say("'" + displayName(File.str()) + "' " + Why +
          "; --whole-program says that it does not");
  };
  CountAsOther(Found.DeviceCode, "was not read, and may call device functions");
  CountAsOther(Found.Missing, "of the compile database is not there until the "
                              "project is built, and may launch kernels");
}

static llvm::Expected<PlanOptions>
planningFor(const ReadResult &Read, llvm::ArrayRef<const UnitFacts *> Units,
            DecisionsLookup &Lookup, const ToolOptions &Options) {
  PlanOptions Planning = Options.Planning.Wanted;
  for (const CompileJob &Job : Read.Jobs)
    Planning.AllGpuArchs.insert(Job.AllGpuArchs.begin(), Job.AllGpuArchs.end());
  if (!Read.Jobs.empty())
    Planning.GpuArch = Read.Jobs.front().GpuArch;
  if (!Planning.SharedLimit)
    Planning.SharedLimit = usualSharedLimit(Planning);
  Planning.Others = whoLaunchesToo(Read, Options);
  if (Options.Run != Command::Verify)
    addMentions(Planning,
                readProgramText(Read, Options.Reading,
                                /*IsWhole=*/Options.Planning.Others ||
                                    Planning.Others != Outside::Nobody),
                Options);
  std::set<StringRef> MainFiles;
  for (const UnitFacts *Unit : Units)
    MainFiles.insert(Unit->MainFile);
  Planning.FilesRead = MainFiles.size();
  if (llvm::Error E = addDecisions(Planning, Lookup, Units))
    return E;
  return Planning;
}

std::vector<UnitResult> ReadResult::results() const {
  std::vector<UnitResult> Results;
  Results.reserve(Units.size());
  for (const UnitRecord &Unit : Units)
    Results.push_back(Unit.Unit);
  return Results;
}

// A report of arrays in files that nobody named says why.
static void reportOwnTree(llvm::ArrayRef<const UnitFacts *> Units,
                          const ToolOptions &Options) {
  std::vector<std::string> Headers;
  const GivenFiles Given(Options.Reading.Paths);
  for (const std::string &File : filesToDecide(Units))
    if (!Given(File))
      Headers.push_back(File);
  if (!Headers.empty() && Options.level() != Detail::Quiet)
    say("the headers below '" + displayName(commonFolder(Headers)) +
        "' count as these sources' own, as for bankstripe wrap; rewrite "
        "changes only what it is given");
}

// Headers can be excluded as well.
static void reportVainExclusion(const ReadResult &Read,
                                const ToolOptions &Options) {
  const auto &Globs = Options.Reading.Frontend.Exclude;
  const auto Excluded = llvm::cantFail(ExcludedFiles::create(Globs));
  auto IsExcluded = [&](const std::string &File) {
    return llvm::any_of(Options.Reading.Paths, [&](const std::string &Path) {
      return Excluded.contain(File, realPath(Path));
    });
  };
  if (!Globs.empty() && Options.level() != Detail::Quiet &&
      llvm::none_of(Read.Jobs, std::mem_fn(&CompileJob::OthersAreExcluded)) &&
      llvm::none_of(Read.Files, IsExcluded))
    say("--exclude matches no file: a GLOB is for the whole path below a PATH, "
        "as '*/a.cu'");
}

static std::shared_ptr<Answers> openAnswers(const ReadingOptions &Options) {
  return Options.NoCache ? nullptr : Answers::open(Options.Work.Level);
}

llvm::Expected<ReadResult> bankstripe::readPaths(const ToolOptions &Options,
                                                 const LauncherHooks *Hooks) {
  ReadResult Read;
  if (llvm::Error E = collectAll(Read, Options.Reading))
    return E;
  for (const CompileJob &Job : Read.Jobs)
    Read.Files.insert(Job.File);
  // A decisions file that cannot be obeyed is said before time is spent.
  DecisionsLookup Lookup(Options.Reading.Config);
  for (const CompileJob &Job : Read.Jobs)
    if (llvm::Error E = Lookup.readFor(Job.File))
      return E;
  Read.Known = openAnswers(Options.Reading);
  readUnits(Read, Options.Reading, Hooks);
  std::vector<const UnitFacts *> Facts;
  for (const UnitRecord &Unit : Read.Units) {
    Facts.push_back(&Unit.Unit.Facts);
    for (const SourceFile &File : Unit.Unit.Facts.Sources)
      Read.Files.insert(File.Path);
  }
  if (!Hooks) {
    reportVainExclusion(Read, Options);
    reportKernelStrings(Read, Options.level());
    reportOwnTree(Facts, Options);
  }
  auto Planning = planningFor(Read, Facts, Lookup, Options);
  if (!Planning)
    return Planning.takeError();
  Read.Planning = std::move(*Planning);
  return Read;
}

bool bankstripe::isKnown(const ToolOptions &Options,
                         const LauncherHooks &Hooks) {
  ReadResult Read;
  if (llvm::Error E = collectAll(Read, Options.Reading)) {
    llvm::consumeError(std::move(E)); // readPaths says so.
    return false;
  }
  Read.Known = openAnswers(Options.Reading);
  JobReader Reader(Options.Reading, &Hooks, Read.Known.get());
  return llvm::all_of(Read.Jobs, [&](const CompileJob &Job) {
    return Reader.recall(Job).has_value();
  });
}

llvm::Expected<RunResult> bankstripe::decide(ReadResult Read,
                                             const ToolOptions &Options,
                                             const LauncherHooks *Hooks) {
  RunResult Run{{}, std::move(Read), {}};
  // What ptxas says of the originals is added to them in between.
  auto PlanWith = [&](const Measured &Known) {
    return rewriteUnits(Run.Read.results(), Run.Read.Planning,
                        Options.Planning.EmbedHelper, Known);
  };
  auto First = PlanWith({});
  if (!First)
    return First.takeError();
  static_cast<PlannedChanges &>(Run) = std::move(*First);
  if (!Options.Planning.Confirm)
    return Run;
  const NvccInputs Inputs{Run.Read.Units, Run.Read.Files, Run.Read.Known.get(),
                          Hooks};
  auto Resources =
      confirmWithPtxas(Run, Inputs, Options.Reading.Work,
                       Options.Reading.Frontend.CudaPath, PlanWith);
  if (!Resources)
    return Resources.takeError();
  Run.Resources = std::move(*Resources);
  return Run;
}

llvm::Expected<RunResult> bankstripe::runPipeline(const ToolOptions &Options) {
  llvm::Expected<ReadResult> Read = readPaths(Options);
  if (!Read)
    return Read.takeError();
  return decide(std::move(*Read), Options);
}
