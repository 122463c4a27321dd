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
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace bankstripe;
using clang::DiagnosticsEngine;

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
    std::string Shown;
    std::unique_ptr<clang::SourceManagerForFile> Sources;
  };

  /// Null where it cannot be read.
  clang::SourceManagerForFile *fileOf(const std::string &Path) {
    if (Files.size() > 16) // Of thousands, not all are kept.
      Files.clear();
    auto [It, New] = Files.try_emplace(Path);
    auto &[Shown, Sources] = It->second;
    if (!New)
      return Sources.get();
    // A decisions file is none that was parsed.
    const auto Parsed = Contents.find(Path);
    std::optional<std::string> Text =
        Parsed == Contents.end() ? readText(Path) : Parsed->second;
    if (Text) {
      Shown = std::move(*Text);
      std::ranges::replace(Shown, SoftBreak, ' ');
      Sources = std::make_unique<clang::SourceManagerForFile>(
          printable(displayName(Path)), Shown);
    }
    return Sources.get();
  }

  llvm::raw_ostream &OS;
  const std::map<std::string, std::string> &Contents;
  std::map<std::string, OpenFile> Files; ///< By path.
  const clang::LangOptions Language;
  clang::DiagnosticOptions Options;
};

} // namespace

static void printArray(PlacePrinter &Printer, const PlannedArray &A,
                       bool PathsGiven) {
  const Verdict &V = A.Verdict;
  const ReasonInfo &Info = infoOf(V.Why);
  Printer.print(
      isWarning(A) ? DiagnosticsEngine::Warning : DiagnosticsEngine::Remark,
      A.Array.Where,
      headline(A) + " [" + nameOf(V.Kind).str() + ", " + Info.Id.str() + "]");
  if (V.usesHelper())
    Printer.print(DiagnosticsEngine::Note, Place(), cost(A));
  if (!staysAsItIs(V.Kind) || (V.Why == Reason::OutsidePaths && !PathsGiven))
    return;
  if (V.Where.isValid() && !(V.Where == A.Array.Where))
    Printer.print(DiagnosticsEngine::Note, V.Where,
                  V.advice().empty() ? "this is the place" : V.advice());
  else if (!V.advice().empty())
    Printer.print(DiagnosticsEngine::Note, Place(), V.advice());
}

// How much of the frames of kernels no array explains.
static void printFrames(PlacePrinter &Printer, const Plan &P) {
  for (const KernelPlan &K : P.Kernels)
    if (K.Frame.UnnamedBytes)
      Printer.print(
          DiagnosticsEngine::Remark, K.Facts.Where,
          llvm::formatv(
              "{0} of the stack frame of kernel '{1}' ({2}, by ptxas) "
              "belong to no known array",
              countOf(K.Frame.UnnamedBytes, "byte"), K.Facts.Name,
              countOf(K.Frame.Bytes, "byte"))
              .str());
}

static void printFailing(PlacePrinter &Printer, const KernelPlan &K) {
  for (const auto &[Where, Threads] : K.Failing) {
    Printer.print(DiagnosticsEngine::Warning, Where,
                  failureText(K, Threads) + " [" +
                      infoOf(Reason::BlockSizeConflict).Id.str() + "]");
    Printer.print(DiagnosticsEngine::Note, K.Facts.Where,
                  "launch smaller blocks, or raise the bounds, also where "
                  "'::bankstripe::warps' in the kernel says them");
  }
}

// Each row has a name and a text, which is wrapped where the terminal ends.
static void printRow(llvm::raw_ostream &OS, llvm::StringRef Name,
                     const std::string &Text) {
  constexpr size_t Indent = 27;
  OS << llvm::formatv("  {0,-24} {1}\n", Name,
                      wrapped(printable(Text), columnsOf(OS), Indent));
}

// `64 -> 60`; `64` if both are the same.
static std::string changeText(uint64_t Before, uint64_t After) {
  return (Before == After ? "" : std::to_string(Before) + " -> ") +
         std::to_string(After);
}

static std::string blockSize(const KernelPlan &K) {
  std::string Beside;
  if (K.Chooses)
    Beside = "; launches choose between it and its version";
  else if (K.HasVersion)
    Beside = K.WhereResident
                 ? "; launches run its version where all their blocks are "
                   "resident at once"
                 : "; launches run its version where there is room for their "
                   "blocks";
  if (!K.Block.Threads && K.AddLaunchBounds)
    return llvm::formatv("not known; __launch_bounds__({0}) is added",
                         K.Block.ToAdd)
               .str() +
           Beside;
  if (!K.Block.Threads)
    return "not known" + Beside;
  const std::string Size =
      llvm::formatv("{0} threads, from {1}", K.Block.Threads, K.Block.Text);
  if (K.AddLaunchBounds)
    return Size + "; __launch_bounds__ is added" + Beside;
  const std::string &Excluded = K.Facts.BoundsExcludedBy;
  return Size +
         (Excluded.empty()
              ? ""
              : "; no launch bounds are added, because of " + Excluded) +
         Beside;
}

static bool showsPrediction(const KernelPlan &K) {
  return K.Predicted && K.MovesArrays;
}

static void printKernel(llvm::raw_ostream &OS, const KernelPlan &K,
                        const std::string &Arch, const ConfirmedResources &R) {
  OS << "\nkernel " << printable(K.Facts.Name) << " at "
     << printable(llvm::sys::path::filename(K.Facts.Where.File)) << ':'
     << K.Facts.Where.Line << '\n';
  printRow(OS, "block size", blockSize(K));
  if (!K.WhyNoChoice.empty())
    printRow(OS, "does not choose", K.WhyNoChoice);
  if (K.WarpBytes)
    printRow(OS, "dynamic shared memory",
             std::to_string(K.WarpBytes) +
                 " bytes per warp, which launches bring");
  else
    printRow(OS, "static shared memory",
             changeText(K.SharedBefore, K.SharedAfter) + " bytes per block");
  if (K.Carved.How == Carveout::Rule::Auto)
    printRow(OS, "carveout", "what the grid of a launch needs");
  else if (K.Carved.How == Carveout::Rule::Fixed)
    printRow(OS, "carveout", std::to_string(K.Carved.Percent) + " percent");
  if (K.WarpsAfter)
    printRow(OS, "occupancy",
             changeText(K.WarpsBefore, K.WarpsAfter) + " warps per SM" +
                 (K.Registers ? "" : ", registers not known"));
  else if (!archInfo(Arch))
    printRow(OS, "occupancy", "not known for " + printable(Arch));
  if (showsPrediction(K))
    printRow(OS, "predicted speedup",
             predictionText(K) +
                 llvm::formatv(": resource factor {0:F2}, access factor {1:F2}",
                               K.Predicted->ResourceFactor,
                               K.Predicted->AccessFactor)
                     .str());
  auto Before = R.Before.find(K.Facts.Id), After = R.After.find(K.Facts.Id);
  if (Before == R.Before.end())
    return;
  if (After == R.After.end())
    After = Before; // Nothing changes.
  printRow(OS, "stack frame",
           changeText(Before->second.StackFrame, After->second.StackFrame) +
               " bytes per thread, by ptxas");
  printRow(OS, "registers",
           changeText(Before->second.Registers, After->second.Registers) +
               " per thread, by ptxas");
}

static void printSummary(llvm::raw_ostream &OS, const Plan &P) {
  std::map<VerdictKind, unsigned> Count;
  for (const PlannedArray &A : P.Arrays)
    ++Count[A.Verdict.Kind];
  OS << countOf(P.Arrays.size(), "per-thread array");
  const char *Separator = ": ";
  for (auto [Kind, Number] : Count) {
    OS << Separator << Number << ' ' << nameOf(Kind);
    Separator = ", ";
  }
  OS << '\n';
  // What "all launches" rests on.
  if (P.ProgramFiles && !P.Kernels.empty())
    OS << "launches of " << countOf(P.ProgramFiles, "file") << " were read\n";
}

void bankstripe::printText(llvm::raw_ostream &OS, const Plan &P,
                           const ConfirmedResources &Resources, Detail Level,
                           bool PathsGiven) {
  if (Level == Detail::Quiet)
    return;
  {
    PlacePrinter Printer(OS, P.Contents);
    for (const PlannedArray &A : P.Arrays)
      if (Level == Detail::Verbose || A.Verdict.Kind != VerdictKind::Registers)
        printArray(Printer, A, PathsGiven);
    if (Level == Detail::Verbose)
      printFrames(Printer, P);
    for (const KernelPlan &K : P.Kernels)
      printFailing(Printer, K);
  }
  const std::string Gpu = otherFittedGpu(P);
  for (const KernelPlan &K : P.Kernels) {
    if (!K.MovesArrays && Level != Detail::Verbose)
      continue;
    printKernel(OS, K, P.GpuArch, Resources);
    if (!Gpu.empty() && showsPrediction(K))
      printRow(OS, "predicted with", "constants fitted on an " + Gpu);
  }
  if (!P.Arrays.empty())
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
