//===-- Explain.cpp - where a prediction comes from -----------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rows are in the order in which one asks: where the time goes, what the
// resources are, how the factors make the speedup, how far that can be trusted,
// and what else was considered (docs/guide/report.md).
//
//===----------------------------------------------------------------------===//

#include "report/Report.h"
#include "report/Rows.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace bankstripe;

/// Runners-up that are shown.
static constexpr size_t MostAlternatives = 3;

// Cycles, without decimals that nobody can trust.
static std::string cycles(double Value) {
  return Value >= 10 ? llvm::formatv("{0:F0}", Value).str()
                     : llvm::formatv("{0:F1}", Value).str();
}

static std::string placeText(const ArrayCost &Cost) {
  if (Cost.InRegisters)
    return "registers";
  if (Cost.Moved)
    return "shared memory";
  return llvm::formatv("local memory, {0:F0} % in the L1", Cost.HitRate * 100);
}

static bool movesAny(const PredictedState &State) {
  return std::ranges::any_of(State.Arrays, &ArrayCost::Moved);
}

static void printTimes(llvm::raw_ostream &OS, const Explanation &E) {
  printRow(OS, "cycles per warp", "  issuing   waiting");
  auto Print = [&](const std::string &Name, double Issue, double Wait,
                   const std::string &Rest) {
    printRow(
        OS, Name,
        llvm::formatv("{0,9} {1,9}   {2}", cycles(Issue), cycles(Wait), Rest));
  };
  auto PrintArray = [&](const PredictedState &State, size_t I,
                        llvm::StringRef When) {
    const ArrayCost &Cost = State.Arrays[I];
    Print(llvm::formatv("  '{0}'{1}", Cost.Name, When), Cost.Issue,
          Cost.Latency / std::max(1u, State.Warps), placeText(Cost));
  };
  auto PrintAll = [&](const PredictedState &State, llvm::StringRef When) {
    Print(("  all" + When).str(), State.Issue, State.Wait,
          cycles(State.Time) + " together");
  };
  const bool Moves = movesAny(E.After);
  const llvm::StringRef Before = Moves ? " before" : "";
  // The arrays of both states are parallel.
  for (size_t I = 0; I < E.Before.Arrays.size(); ++I) {
    PrintArray(E.Before, I, Before);
    if (Moves)
      PrintArray(E.After, I, " after");
  }
  PrintAll(E.Before, Before);
  if (Moves)
    PrintAll(E.After, " after");
}

static std::string resourcesText(const Explanation &E, const KernelPlan &K) {
  auto Kilobytes = [](double Bytes) -> std::string {
    return llvm::formatv("{0:F0}", Bytes / 1024);
  };
  std::string Text =
      changeText(E.Before.Warps, E.After.Warps) + " warps per SM";
  if (!E.After.Limiter.empty())
    Text += ", limited by " + changeText(E.Before.Limiter, E.After.Limiter);
  if (K.Registers == 0)
    Text += " (registers not known)";
  Text += "; L1 of " +
          changeText(Kilobytes(E.Before.FirstLevelCache),
                     Kilobytes(E.After.FirstLevelCache)) +
          " KB";
  if (E.Predicted.CodeGrowth >= NotableGrowth ||
      E.Predicted.CodeGrowth <= NotableShrinkage)
    Text +=
        llvm::formatv("; {0:F2} times as much code", E.Predicted.CodeGrowth);
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
    Text += llvm::formatv("; how often {0} run{1}: {2:F2} if often, "
                          "{3:F2} if seldom",
                          countOf(E.GuessedLoops, "loop"),
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
    printRow(OS, "split of '" + S.Name + "'",
             Text +
                 "run 'bankstripe tune' to measure how often these are used");
    Text.clear();
  }
}

void bankstripe::printExplanation(llvm::raw_ostream &OS, const KernelPlan &K) {
  if (!K.Explained)
    return;
  const Explanation &E = *K.Explained;
  printTimes(OS, E);
  printRow(OS, "resources", resourcesText(E, K));
  const Prediction &Best = E.Predicted;
  if (movesAny(E.After)) {
    printRow(
        OS, E.Taken ? "speedup" : "speedup, not taken",
        llvm::formatv("{0:F2} (resource factor) x {1:F2} (access factor) = {2}",
                      Best.ResourceFactor, Best.AccessFactor,
                      predictionText(K, Best)));
    printRow(OS, "it rests on", assumptionText(E));
    if (!Best.WorstIf.empty() && Best.Worst < 1)
      printRow(OS, "at worst",
               llvm::formatv("{0:F2} if {1}", Best.Worst, Best.WorstIf));
    if (Best.Low < 1 && Best.High > 1)
      printRow(OS, "it may be a loss", "run 'bankstripe tune' to measure it");
  } else {
    printRow(OS, "speedup",
             "1.00, since nothing better was found than no change");
  }
  llvm::StringRef Name = "considered";
  for (const Alternative &A :
       llvm::ArrayRef(E.Alternatives).take_front(MostAlternatives)) {
    printRow(OS, Name, rangeText(A.Predicted) + " " + A.What);
    Name = "";
  }
  printSplits(OS, E.Splits);
}
