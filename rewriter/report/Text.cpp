//===-- Text.cpp - the plan for people ------------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each array is a diagnostic of Clang's own engine, with the source line and a
// caret, so that editors and terminals treat it as they treat a compiler's.
// Each kernel that changes is a small table of what the change takes and gives.
//
//===----------------------------------------------------------------------===//

#include "arch/ArchInfo.h"
#include "model/SourceFile.h"
#include "report/Report.h"
#include "report/Terminal.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Basic/LangOptions.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/TextDiagnostic.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace bankstripe;
using clang::DiagnosticsEngine;

static std::string bytesText(uint64_t Bytes) {
  return llvm::formatv("{0} byte{1}", Bytes, Bytes == 1 ? "" : "s");
}

// Whether an array that stays as it is for R lies in local memory: code that no
// kernel reaches is never run.
static bool isKnownResident(Reason R) {
  return R != Reason::NeverUsed && R != Reason::NoEvidence &&
         R != Reason::NoKernel && R != Reason::NotInstantiated &&
         !isOfSharedArrays(R);
}

bool bankstripe::isOfSharedArrays(Reason R) {
  return R == Reason::BankConflicts || R == Reason::ConflictFree ||
         R == Reason::ConflictsStay || R == Reason::LeavesRow ||
         R == Reason::OneDimensional || R == Reason::BanksUnknown;
}

llvm::StringRef bankstripe::outcomeOf(Reason R) {
  switch (infoOf(R).Verdict) {
  case VerdictKind::Stripe:
    return "moves to a stripe in shared memory";
  case VerdictKind::Slot:
    return "moves to a slot in shared memory";
  case VerdictKind::Split:
    return "moves in part to a stripe in shared memory";
  case VerdictKind::Bits:
    return "moves to registers";
  case VerdictKind::Padded:
    return "gets longer rows";
  case VerdictKind::Constant:
    return "becomes a static const table";
  case VerdictKind::Registers:
    return "is left alone";
  case VerdictKind::Unchanged:
  case VerdictKind::Unsupported:
    return isKnownResident(R) ? "stays in local memory" : "is left alone";
  }
  llvm_unreachable("all verdicts are listed");
}

std::string bankstripe::headline(const PlannedArray &A) {
  const Verdict &V = A.Verdict;
  const ReasonInfo &Info = infoOf(V.Why);
  // A template that nobody instantiates has no size.
  const std::string Size =
      A.Array.Shape.BytesPerThread
          ? ", " + bytesText(A.Array.Shape.BytesPerThread) + " per thread"
          : "";
  std::string Text =
      llvm::formatv("per-thread array '{0}' ({1}{2}) {3}: {4}", A.Array.Name,
                    A.Array.Shape.Type, Size, outcomeOf(V.Why), Info.Summary);
  if (!V.Detail.empty())
    Text += " (" + V.Detail + ")";
  return Text;
}

std::string bankstripe::headline(const PlannedSharedArray &A) {
  const std::string Outcome =
      A.Padding ? llvm::formatv("gets rows of {0} + {1} elements",
                                A.Array.Extents.back(), A.Padding)
                      .str()
                : "is left alone";
  unsigned Before = 1, After = 1;
  for (const BankConflict &C : A.Conflicts) {
    Before = std::max(Before, C.Before);
    After = std::max(After, C.After);
  }
  std::string Text =
      llvm::formatv("shared array '{0}' ({1}) {2}: {3}", A.Array.Name,
                    A.Array.Type, Outcome, infoOf(A.Why).Summary);
  if (A.Padding)
    Text += llvm::formatv(" ({0} words at once, then {1}; {2} more)", Before,
                          After, bytesText(A.AddedBytes));
  else if (Before > 1)
    Text += llvm::formatv(" ({0} words at once)", Before);
  return Text;
}

std::string bankstripe::cost(const PlannedArray &A) {
  const Verdict &V = A.Verdict;
  if (V.Kind == VerdictKind::Bits)
    return llvm::formatv("it takes {0}; index {1}", nameOf(V.Form),
                         nameOf(A.Evidence.Index));
  std::string Text =
      V.Storage.Dynamic
          ? llvm::formatv("it takes {0} of shared memory per warp, which "
                          "launches ask for",
                          bytesText(V.Storage.BytesPerWarp))
          : llvm::formatv("it takes {0} of shared memory per block",
                          bytesText(V.SharedBytes));
  if (V.Kind == VerdictKind::Split)
    Text += llvm::formatv(" for the first {0} elements", V.First);
  if (V.hasForm() && V.Form != StripeForm::Plain)
    Text += llvm::formatv(", {0}", nameOf(V.Form));
  if (V.Storage.InVersion)
    Text += llvm::formatv(", in a version for blocks of at most {0} threads",
                          V.Storage.Threads);
  return Text + llvm::formatv("; index {0}", nameOf(A.Evidence.Index)).str();
}

std::string bankstripe::otherFittedGpu(const Plan &P) {
  const ArchInfo *Arch = archInfo(P.GpuArch);
  if (!Arch || Arch == archInfo(P.FittedArch))
    return "";
  return llvm::formatv("{0} ({1})", P.FittedGpu, P.FittedArch);
}

std::string bankstripe::displayName(llvm::StringRef File) {
  llvm::SmallString<256> Here;
  llvm::StringRef Name = File;
  if (!llvm::sys::fs::real_path(".", Here) && Name.consume_front(Here) &&
      Name.consume_front("/"))
    return Name.str();
  return File.str();
}

namespace {

/// Prints messages at places, with the text that was parsed, as Clang does.
class PlacePrinter {
public:
  PlacePrinter(llvm::raw_ostream &OS,
               const std::map<std::string, std::string> &Contents)
      : OS(OS), Contents(Contents) {
    Options.ShowColors = showsColours(OS);
    Options.MessageLength = columnsOf(OS);
  }

  void print(DiagnosticsEngine::Level Level, const Place &Where,
             llvm::StringRef Said) {
    const std::string Message = printable(Said);
    clang::TextDiagnostic Printer(OS, Language, Options);
    clang::SourceManagerForFile *File =
        Where.isValid() ? fileOf(Where.File) : nullptr;
    if (!File) {
      Printer.emitDiagnostic(clang::FullSourceLoc(), Level, Message, {}, {});
      return;
    }
    clang::SourceManager &Sources = File->get();
    Printer.emitDiagnostic(
        clang::FullSourceLoc(Sources.translateLineCol(Sources.getMainFileID(),
                                                      Where.Line, Where.Column),
                             Sources),
        Level, Message, {}, {});
  }

private:
  /// A file that messages are about, which mostly come one after the other.
  struct OpenFile {
    std::unique_ptr<llvm::MemoryBuffer> Read; ///< If it was not parsed.
    std::unique_ptr<clang::SourceManagerForFile> Sources;
  };

  /// Null where it cannot be read.
  clang::SourceManagerForFile *fileOf(const std::string &Path) {
    if (Files.size() > 16) // Of thousands, not all are kept.
      Files.clear();
    auto [It, New] = Files.try_emplace(Path);
    auto &[Read, Sources] = It->second;
    auto Text = Contents.find(Path);
    // A decisions file is none that was parsed.
    if (New && Text == Contents.end())
      if (auto Opened = readFile(Path))
        Read = std::move(*Opened);
    if (New && (Read || Text != Contents.end()))
      Sources = std::make_unique<clang::SourceManagerForFile>(
          printable(displayName(Path)),
          Read ? Read->getBuffer() : Text->second);
    return Sources.get();
  }

  llvm::raw_ostream &OS;
  const std::map<std::string, std::string> &Contents;
  std::map<std::string, OpenFile> Files; ///< By path.
  const clang::LangOptions Language;
  clang::DiagnosticOptions Options;
};

} // namespace

bool bankstripe::needsAction(Reason R) {
  const ReasonInfo &Info = infoOf(R);
  return staysAsItIs(Info.Verdict) && !Info.Advice.empty() &&
         !llvm::is_contained({Reason::Nolint, Reason::DecidedKeep,
                              Reason::NotProfitable, Reason::OutsidePaths},
                             R);
}

static void printArray(PlacePrinter &Printer, const PlannedArray &A) {
  const Verdict &V = A.Verdict;
  const ReasonInfo &Info = infoOf(V.Why);
  Printer.print(needsAction(V.Why) ? DiagnosticsEngine::Warning
                                   : DiagnosticsEngine::Remark,
                A.Array.Where,
                headline(A) + " [" + nameOf(V.Kind).str() + ", " +
                    Info.Id.str() + "]");
  if (V.usesHelper())
    Printer.print(DiagnosticsEngine::Note, Place(), cost(A));
  if (!staysAsItIs(V.Kind))
    return;
  if (V.Where.isValid() && !(V.Where == A.Array.Where))
    Printer.print(DiagnosticsEngine::Note, V.Where,
                  Info.Advice.empty() ? "this is the place" : Info.Advice);
  else if (!Info.Advice.empty())
    Printer.print(DiagnosticsEngine::Note, Place(), Info.Advice);
}

static void printShared(PlacePrinter &Printer, const PlannedSharedArray &A) {
  const ReasonInfo &Info = infoOf(A.Why);
  const bool Stays = !A.Padding && !A.Conflicts.empty();
  // What makes a slot of a per-thread array stands against longer rows.
  const bool IsWanted = staysAsItIs(Info.Verdict) && !needsAction(A.Why);
  Printer.print(
      Stays && !IsWanted ? DiagnosticsEngine::Warning
                         : DiagnosticsEngine::Remark,
      A.Array.Where,
      headline(A) + " [" +
          nameOf(A.Padding ? VerdictKind::Padded : VerdictKind::Unchanged)
              .str() +
          ", " + Info.Id.str() + "]");
  if (Stays && !Info.Advice.empty())
    Printer.print(DiagnosticsEngine::Note,
                  A.WhyWhere == A.Array.Where ? Place() : A.WhyWhere,
                  Info.Advice);
  for (const BankConflict &C : A.Conflicts)
    Printer.print(
        DiagnosticsEngine::Note, C.Where,
        "bank conflict, " + std::to_string(C.Before) + "-way" +
            (A.Padding ? ", then " + std::to_string(C.After) + "-way" : ""));
}

static void row(llvm::raw_ostream &OS, llvm::StringRef Name,
                const std::string &Text) {
  constexpr size_t Indent = 27;
  OS << llvm::formatv("  {0,-24} {1}\n", Name,
                      wrapped(printable(Text), columnsOf(OS), Indent));
}

static std::string change(const std::string &Before, const std::string &After) {
  return Before == After ? After : Before + " > " + After;
}

static std::string change(uint64_t Before, uint64_t After) {
  return change(std::to_string(Before), std::to_string(After));
}

static std::string blockSize(const KernelPlan &K) {
  std::string Beside;
  if (K.Redirected)
    Beside = "; launches out of sight run what it was";
  if (K.BoundsOfOriginal)
    Beside += llvm::formatv(", whose functions choose and which gets "
                            "__launch_bounds__({0})",
                            K.BoundsOfOriginal);
  if (!K.Block.Threads && K.AddLaunchBounds)
    return llvm::formatv("not known; __launch_bounds__({0}) is added",
                         K.Block.ToAdd)
               .str() +
           Beside;
  if (!K.Block.Threads)
    return "not known" + Beside;
  const std::string Size =
      llvm::formatv("{0} threads, from {1}", K.Block.Threads, K.Block.Text);
  if (K.HasVersion)
    return Size + llvm::formatv("; larger blocks run what it was; "
                                "__launch_bounds__({0}) is added",
                                K.Block.ToAdd)
                      .str();
  return Size + (K.AddLaunchBounds ? "; __launch_bounds__ is added" : "") +
         Beside;
}

static bool showsPrediction(const KernelPlan &K) {
  return K.Predicted && K.MovesArrays;
}

/// Runners-up that are shown.
static constexpr size_t MostAlternatives = 3;

// Where a prediction comes from (docs/guide/report.md), in the order in which
// one asks: where the time goes, what the resources are, how the factors make
// the speedup, how far that can be trusted, and what else was considered.

// "1.23 (0.95 to 1.60)"
static std::string rangeText(const Prediction &P) {
  return llvm::formatv("{0:F2} ({1:F2} to {2:F2})", P.Speedup, P.Low, P.High);
}

// Cycles, without decimals that nobody can trust.
static std::string cycles(double Value) {
  return Value >= 10 ? llvm::formatv("{0:F0}", Value).str()
                     : llvm::formatv("{0:F1}", Value).str();
}

static void cyclesRow(llvm::raw_ostream &OS, const std::string &Name,
                      double Issue, double Wait, const std::string &Rest) {
  row(OS, Name,
      llvm::formatv("{0,9} {1,9}   {2}", cycles(Issue), cycles(Wait), Rest)
          .str());
}

static std::string placeText(const ArrayCost &Cost) {
  if (Cost.Moved)
    return Cost.InRegisters ? "registers" : "shared memory";
  return llvm::formatv("local memory, {0:F0} % in the L1", Cost.HitRate * 100);
}

static bool movesAny(const PredictedState &State) {
  return std::ranges::any_of(State.Arrays, &ArrayCost::Moved);
}

static void printTimes(llvm::raw_ostream &OS, const Explanation &E) {
  row(OS, "cycles per warp", "  issuing   waiting");
  auto PrintArray = [&](const PredictedState &State, size_t I,
                        llvm::StringRef When) {
    const ArrayCost &Cost = State.Arrays[I];
    cyclesRow(OS, llvm::formatv("  '{0}'{1}", Cost.Name, When).str(),
              Cost.Issue, Cost.Latency / std::max(1u, State.Warps),
              placeText(Cost));
  };
  auto PrintAll = [&](const PredictedState &State, llvm::StringRef When) {
    cyclesRow(OS, ("  all" + When).str(), State.Issue, State.Wait,
              cycles(State.Time) + " together");
  };
  if (!movesAny(E.After)) {
    for (size_t I = 0; I < E.Before.Arrays.size(); ++I)
      PrintArray(E.Before, I, "");
    PrintAll(E.Before, "");
    return;
  }
  // The arrays of both states are parallel.
  for (size_t I = 0; I < E.Before.Arrays.size(); ++I) {
    PrintArray(E.Before, I, " before");
    PrintArray(E.After, I, " after");
  }
  PrintAll(E.Before, " before");
  PrintAll(E.After, " after");
}

static std::string resourcesText(const Explanation &E, const KernelPlan &K) {
  auto Kilobytes = [](double Bytes) {
    return llvm::formatv("{0:F0}", Bytes / 1024).str();
  };
  std::string Text =
      change(std::to_string(E.Before.Warps), std::to_string(E.After.Warps)) +
      " warps per SM";
  if (!E.After.Limiter.empty())
    Text += ", limited by " + change(E.Before.Limiter, E.After.Limiter);
  if (K.Registers == 0)
    Text += " (registers not known)";
  Text += "; L1 of " +
          change(Kilobytes(E.Before.FirstLevelCache),
                 Kilobytes(E.After.FirstLevelCache)) +
          " KB";
  if (E.Predicted.CodeGrowth >= NotableGrowth ||
      E.Predicted.CodeGrowth <= NotableShrinkage)
    Text +=
        llvm::formatv("; {0:F2} times as much code", E.Predicted.CodeGrowth);
  if (E.Predicted.ShareInFrame < 1)
    Text += llvm::formatv("; {0:F0} % of what moves was in the stack frame",
                          E.Predicted.ShareInFrame * 100);
  return Text;
}

// What the range comes from most.
static std::string assumptionText(const Explanation &E) {
  const double Most = std::max({E.Agreeing, E.Random, E.Predicted.Speedup});
  const double Least = std::min({E.Agreeing, E.Random, E.Predicted.Speedup});
  std::string Text;
  if (Most > Least * E.ModelError)
    Text =
        llvm::formatv("how far the indices of a warp are apart: {0:F2} if they "
                      "agree, {1:F2} if they are random",
                      E.Agreeing, E.Random);
  else
    Text = llvm::formatv(
        "the model, which errs by a factor of {0:F1} either way", E.ModelError);
  if (E.GuessedLoops)
    Text += llvm::formatv("; how often {0} loop{1} run{2}: {3:F2} if often, "
                          "{4:F2} if seldom",
                          E.GuessedLoops, E.GuessedLoops == 1 ? "" : "s",
                          E.GuessedLoops == 1 ? "s" : "", E.Often, E.Seldom);
  return Text;
}

// What is known of splits, one line for each array.
static void printSplits(llvm::raw_ostream &OS, llvm::ArrayRef<SplitCost> All) {
  std::string Text;
  for (size_t I = 0; I < All.size(); ++I) {
    const SplitCost &S = All[I];
    Text += llvm::formatv(Text.empty()
                              ? "first {0}: {1} bytes per block, {2} warps per "
                                "SM; "
                              : "{0}: {1}, {2}; ",
                          S.First, S.Bytes, S.Warps);
    // The next array begins with fewer elements.
    if (I + 1 < All.size() && All[I + 1].First > S.First)
      continue;
    row(OS, "split of '" + S.Name + "'",
        Text + "how often these are used is not known here: bankstripe tune "
               "measures it");
    Text.clear();
  }
}

void bankstripe::printExplanation(llvm::raw_ostream &OS, const KernelPlan &K) {
  if (!K.Explained)
    return;
  const Explanation &E = *K.Explained;
  printTimes(OS, E);
  row(OS, "resources", resourcesText(E, K));
  const Prediction &Best = E.Predicted;
  if (movesAny(E.After)) {
    row(OS, E.Taken ? "speedup" : "speedup, not taken",
        llvm::formatv("{0:F2} (resource factor) x {1:F2} (access factor) = {2}",
                      Best.ResourceFactor, Best.AccessFactor, rangeText(Best)));
    row(OS, "it rests on", assumptionText(E));
    if (!Best.WorstIf.empty() && Best.Worst < 1)
      row(OS, "at worst",
          llvm::formatv("{0:F2} if {1}", Best.Worst, Best.WorstIf));
    if (Best.Low < 1 && Best.High > 1)
      row(OS, "it may be a loss",
          "only a measurement can tell: bankstripe tune");
  } else {
    row(OS, "speedup", "1.00, since nothing better was found than no change");
  }
  llvm::StringRef Name = "considered";
  for (const Alternative &A :
       llvm::ArrayRef(E.Alternatives).take_front(MostAlternatives)) {
    row(OS, Name, rangeText(A.Predicted) + " " + A.What);
    Name = "";
  }
  printSplits(OS, E.Splits);
}

static void printKernel(llvm::raw_ostream &OS, const KernelPlan &K,
                        const ConfirmedResources &R) {
  OS << "\nkernel " << printable(K.Facts.Name) << " at "
     << printable(llvm::sys::path::filename(K.Facts.Where.File)) << ':'
     << K.Facts.Where.Line << '\n';
  row(OS, "block size", blockSize(K));
  if (K.WarpBytes)
    row(OS, "dynamic shared memory",
        std::to_string(K.WarpBytes) + " bytes per warp, asked for by launches");
  else
    row(OS, "static shared memory",
        change(K.SharedBefore, K.SharedAfter) + " bytes per block");
  if (K.Carved.How == Carveout::Rule::Auto)
    row(OS, "carveout", "what the grid of a launch needs");
  else if (K.Carved.How == Carveout::Rule::Fixed)
    row(OS, "carveout", std::to_string(K.Carved.Percent) + " percent");
  if (K.WarpsAfter)
    row(OS, "occupancy",
        change(K.WarpsBefore, K.WarpsAfter) + " warps per SM" +
            (K.Registers ? "" : ", registers not known"));
  if (showsPrediction(K))
    row(OS, "predicted speedup",
        rangeText(*K.Predicted) +
            llvm::formatv(": resource factor {0:F2}, access factor {1:F2}",
                          K.Predicted->ResourceFactor,
                          K.Predicted->AccessFactor)
                .str());
  auto Before = R.Before.find(K.Facts.Id), After = R.After.find(K.Facts.Id);
  if (Before == R.Before.end() || After == R.After.end())
    return;
  row(OS, "stack frame",
      change(Before->second.StackFrame, After->second.StackFrame) +
          " bytes per thread, by ptxas");
  row(OS, "registers",
      change(Before->second.Registers, After->second.Registers) +
          " per thread, by ptxas");
}

static void printSummary(llvm::raw_ostream &OS, const Plan &P) {
  std::map<VerdictKind, unsigned> Count;
  for (const PlannedArray &A : P.Arrays)
    ++Count[A.Verdict.Kind];
  OS << llvm::formatv("{0} per-thread array{1}", P.Arrays.size(),
                      P.Arrays.size() == 1 ? "" : "s");
  const char *Separator = ": ";
  for (auto [Kind, Number] : Count) {
    OS << Separator << Number << ' ' << nameOf(Kind);
    Separator = ", ";
  }
  OS << '\n';
  // Of one dimension, only conflicts are of interest.
  if (llvm::any_of(P.SharedArrays, [](const PlannedSharedArray &A) {
        return A.Array.hasRows() || !A.Conflicts.empty();
      })) {
    const unsigned Conflicts =
        llvm::count_if(P.SharedArrays, [](const PlannedSharedArray &A) {
          return !A.Conflicts.empty();
        });
    const unsigned Padded =
        std::ranges::count_if(P.SharedArrays, &PlannedSharedArray::Padding);
    OS << llvm::formatv("{0} shared array{1}: {2} with bank conflicts, {3} "
                        "padded\n",
                        P.SharedArrays.size(),
                        P.SharedArrays.size() == 1 ? "" : "s", Conflicts,
                        Padded);
  }
  // What "all launches" rests on.
  if (P.ProgramFiles && !P.Kernels.empty())
    OS << llvm::formatv("launches of {0} file{1} were read\n", P.ProgramFiles,
                        P.ProgramFiles == 1 ? "" : "s");
}

void bankstripe::printText(llvm::raw_ostream &OS, const Plan &P,
                           const ConfirmedResources &Resources, Detail Level,
                           bool Explain) {
  if (Level == Detail::Quiet)
    return;
  {
    PlacePrinter Printer(OS, P.Contents);
    for (const PlannedArray &A : P.Arrays)
      if (Level == Detail::Verbose || A.Verdict.Kind != VerdictKind::Registers)
        printArray(Printer, A);
    for (const PlannedSharedArray &A : P.SharedArrays)
      if (Level == Detail::Verbose || !A.Conflicts.empty())
        printShared(Printer, A);
  }
  const std::string Gpu = otherFittedGpu(P);
  for (const KernelPlan &K : P.Kernels) {
    if (!K.MovesArrays && !(Explain && K.Explained) && Level != Detail::Verbose)
      continue;
    printKernel(OS, K, Resources);
    if (Explain)
      printExplanation(OS, K);
    if (Explain ? bool(K.Explained) : !Gpu.empty() && showsPrediction(K))
      row(OS, "predicted with",
          llvm::formatv("constants fitted on an {0} ({1})", P.FittedGpu,
                        P.FittedArch));
  }
  if (!P.Arrays.empty() || !P.SharedArrays.empty())
    OS << '\n';
  printSummary(OS, P);
  if (OS.is_displayed() && !P.Arrays.empty())
    OS << "what a reason in brackets means: bankstripe reason "
       << infoOf(P.Arrays.front().Verdict.Why).Id << '\n';
}

static DiagnosticsEngine::Level levelOf(DecisionState State, Detail Level) {
  if (State == DecisionState::Stale || State == DecisionState::Unfulfilled)
    return DiagnosticsEngine::Warning;
  return State == DecisionState::Skipped && Level == Detail::Verbose
             ? DiagnosticsEngine::Remark
             : DiagnosticsEngine::Ignored;
}

void bankstripe::printDecisions(llvm::raw_ostream &OS, const Plan &P,
                                Detail Level) {
  if (Level == Detail::Quiet)
    return;
  PlacePrinter Printer(OS, P.Contents);
  auto Print = [&](const auto &O, const std::string &What) {
    if (auto Severity = levelOf(O.State, Level);
        Severity != DiagnosticsEngine::Ignored)
      Printer.print(Severity, O.Decision.Where,
                    llvm::formatv("{0} decision about {1}: {2}",
                                  nameOf(O.State), What, O.Detail)
                        .str());
  };
  for (const DecisionOutcome &O : P.Outcomes)
    Print(O, "'" + O.Decision.Array + "'");
  for (const KernelOutcome &O : P.KernelOutcomes)
    Print(O, "kernel '" + O.Decision.Kernel + "'");
}
