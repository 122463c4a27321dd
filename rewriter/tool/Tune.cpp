//===-- Tune.cpp - bankstripe tune ----------------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The decisions file gets what Tuning found to be best. The sources are parsed
// once; what to try is known in tune/.
//
//===----------------------------------------------------------------------===//

#include "copies/Copies.h"
#include "model/SourceFile.h"
#include "page/Frame.h"
#include "report/Terminal.h"
#include "tool/Tuning.h"
#include "tool/Version.h"
#include "tune/RecordedChoices.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <set>

using namespace bankstripe;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

// Each decision goes where a later run looks for it.
static llvm::Error writeAll(DecisionsFile All, const ToolOptions &Options) {
  const DecisionsLookup Lookup(Options.Reading.Config);
  const std::string Common = commonFolder(Options.Reading.Paths);
  std::map<std::string, DecisionsFile> ByFile;
  auto FileFor = [&](std::string &Source) -> DecisionsFile & {
    Source = realPath(Source);
    std::string Path = Lookup.pathFor(Source);
    // A header may lie elsewhere, and obeys what is above itself.
    if (Path.empty())
      Path = (GivenFiles({Common})(Source) ? StringRef(Common)
                                           : path::parent_path(Source))
                 .str() +
             "/" + DecisionsFileName.str();
    return ByFile[Path];
  };
  for (ArrayDecision &D : All.Arrays)
    FileFor(D.File).Arrays.push_back(std::move(D));
  for (KernelDecision &D : All.Kernels)
    FileFor(D.File).Kernels.push_back(std::move(D));
  for (auto &[Path, Each] : ByFile) {
    const size_t Count = Each.Arrays.size() + Each.Kernels.size();
    std::set<std::string> Sources;
    Each.forEach([&](auto &D) { Sources.insert(displayName(D.File)); });
    const bool IsNew = !fs::exists(Path);
    // Whoever wrote the project may have made it lead anywhere.
    if (Options.Reading.Config.Named.empty() && fs::is_symlink_file(Path))
      return llvm::createStringError("'" + Path +
                                     "' is a link; name the file "
                                     "that it leads to with --config");
    if (llvm::Error E = updateDecisions(Path, std::move(Each)))
      return E;
    if (Options.level() == Detail::Quiet)
      continue;
    llvm::errs() << "bankstripe: wrote " << countOf(Count, "decision") << " to "
                 << displayName(Path) << '\n';
    // A build cannot know of a file that was not there.
    if (IsNew)
      llvm::errs()
          << "bankstripe: builds obey it once these files are compiled again: "
          << llvm::join(Sources, ", ") << '\n';
  }
  return llvm::Error::success();
}

// Moves whatever can move; measurements of an earlier day do not count.
static ReadResult movingAll(ReadResult Read) {
  PlanOptions &Planning = Read.Planning;
  Planning.MinSpeedup = 0;
  auto IsByTune = [](const auto &Decision) { return Decision.ByTune; };
  llvm::erase_if(Planning.Decisions, IsByTune);
  llvm::erase_if(Planning.KernelDecisions, IsByTune);
  return Read;
}

static llvm::Error print(const TuneResult &Tuned, const ToolOptions &Options) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  if (Options.Report.Format == OutputFormat::Json)
    llvm::outs() << llvm::formatv("{0:2}\n", toJson(Tuned));
  else if (Options.level() != Detail::Quiet)
    printTuning(OS, Tuned, Options.level() == Detail::Verbose);
  llvm::outs() << printable(Text);
  if (Options.Report.Html.empty())
    return llvm::Error::success();
  llvm::json::Value Page = llvm::json::Object{{"version", BANKSTRIPE_VERSION},
                                              {"tune", toJson(Tuned)}};
  return replaceFile(Options.Report.Html, pageWith(llvm::formatv("{0}", Page)),
                     std::nullopt);
}

// What --dry-run says.
static void printIntentions(const std::vector<TuneGroup> &Groups,
                            const Plan &P) {
  for (const TuneGroup &G : Groups) {
    std::set<std::string> Files, Arrays;
    llvm::outs() << "would run the program once, and capture launches of";
    for (unsigned Row : G.Kernels) {
      llvm::outs() << ' ' << P.Kernels[Row].Facts.Name;
      Files.insert(P.Kernels[Row].Facts.Where.File);
    }
    for (unsigned I : G.Arrays)
      Arrays.insert("'" + decisionAbout(P, I, Layout::Keep).Array + "'");
    llvm::outs() << "\n  arrays " << llvm::join(Arrays, ", ")
                 << "; to compile for each version: "
                 << llvm::join(llvm::map_range(Files, displayName), ", ")
                 << "\n  versions to begin with:";
    std::vector<Attempt> Named{originalOf(G, P)};
    constexpr size_t Most = 6;
    for (const Attempt &A : openAttempts(G, P, layoutsOf(P)))
      if (Named.size() < Most && !isTried(Named, A))
        Named.push_back(A);
    for (const Attempt &A : Named)
      llvm::outs() << ' ' << A.Name << ';';
    llvm::outs() << " then whatever gains most in the time\n";
  }
}

static void announceTime(const ToolOptions &Options) {
  const double Most = Options.Program.MostSeconds;
  if (Most > 0 && Options.level() != Detail::Quiet)
    llvm::errs() << llvm::formatv(
        "bankstripe: tuning for {0:F0} s, or {1:F0} s with the last "
        "comparison; --time=0 tries all, and what is best so far is written on "
        "Ctrl-C\n",
        Most, (1 + Overrun) * Most);
}

static llvm::Expected<int> tune(const ToolOptions &Options,
                                StringRef Executable, ReadResult AsAsked,
                                TimePoint Begin) {
  const double MinSpeedup = AsAsked.Planning.MinSpeedup;
  ReadResult Read = movingAll(std::move(AsAsked));
  const bool SomeFailed = Read.SomeFailed;
  // The run tells which blocks there are. Small ones leave most room.
  constexpr unsigned SmallBlock = 32;
  PlanOptions Assuming = Read.Planning;
  if (!Assuming.BlockSize)
    Assuming.BlockSize = SmallBlock;
  const Plan Assumed = makePlan(Read.results(), Assuming);
  const auto Likely =
      tuneGroups(Assumed, [](const KernelPlan &) { return true; });
  if (Likely.empty()) {
    llvm::errs() << "bankstripe: nothing can be moved, so there is nothing to "
                    "tune\n";
    return SomeFailed ? ExitSomeFailed : ExitDone;
  }
  if (Options.MeasuresNothing) {
    printIntentions(Likely, Assumed);
    return ExitDone;
  }
  llvm::Expected<Program> P =
      Program::find(Options.Program, Options.Reading.Frontend,
                    Options.Reading.Work, Executable, Read.Jobs, Read.Files);
  if (!P)
    return P.takeError();
  announceTime(Options);
  Tuning T(Options, std::move(Read), *P, MinSpeedup, Begin);
  if (llvm::Error E = T.build())
    return std::move(E);
  if (llvm::Error E = T.survey(Likely, Assumed))
    return std::move(E);
  std::optional<HeldSignals> Held(std::in_place);
  if (llvm::Error E = T.search())
    return std::move(E);
  if (T.foundNothing())
    llvm::errs() << "bankstripe: the program launches nothing whose arrays "
                    "can be moved, so there is nothing to tune\n";
  llvm::Error Unconfirmed = T.confirm();
  setDeadline(std::nullopt);
  if (llvm::Error E =
          joinErrors(std::move(Unconfirmed), print(T.result(), Options)))
    return std::move(E);
  if (llvm::Error E = writeAll(decisionsOf(T.result()), Options))
    return std::move(E);
  if (T.stoppedBy()) {
    llvm::outs().flush();
    endBy(T.stoppedBy());
  }
  return !SomeFailed || T.knowsAllKernels() ? ExitDone : ExitSomeFailed;
}

// What programs chose becomes decisions.
static llvm::Error adoptChoices(const ToolOptions &Options, ReadResult Read) {
  auto Text = readText(Options.Choices);
  if (!Text)
    return llvm::createStringError("cannot read '" + Options.Choices + "'");
  auto Choices = readChoices(*Text);
  if (!Choices)
    return llvm::createStringError(
        "'" + Options.Choices +
        "' holds no choices of programs: " + toString(Choices.takeError()));
  llvm::erase_if(Read.Planning.Decisions,
                 [](const ArrayDecision &D) { return D.ByTune; });
  Read.Planning.Choose = true;
  DecisionsFile All =
      decisionsFrom(*Choices, makePlan(Read.results(), Read.Planning));
  if (All.Arrays.empty())
    llvm::errs() << "bankstripe: '" << displayName(Options.Choices)
                 << "' has no choices of kernels in these files\n";
  return writeAll(std::move(All), Options);
}

llvm::Expected<int> bankstripe::runTune(const ToolOptions &Options,
                                        StringRef Executable) {
  const TimePoint Begin = std::chrono::steady_clock::now();
  llvm::Expected<ReadResult> Read = readPaths(Options);
  if (!Read)
    return Read.takeError();
  if (Options.Choices.empty())
    return tune(Options, Executable, std::move(*Read), Begin);
  if (Read->SomeFailed)
    return ExitSomeFailed;
  if (llvm::Error E = adoptChoices(Options, std::move(*Read)))
    return std::move(E);
  return ExitDone;
}
