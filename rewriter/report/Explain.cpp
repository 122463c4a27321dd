//===-- Explain.cpp - where a prediction comes from -----------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The terms of the model in the order in which one asks for them: where the
// time goes, what the resources are, how the factors make the speedup, how far
// that can be trusted, and what else was considered. docs/explain.md tells how
// to read it.
//
//===----------------------------------------------------------------------===//

#include "report/Report.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace bankstripe;
namespace json = llvm::json;
using llvm::formatv;

/// Runners-up that are shown.
static constexpr size_t MostAlternatives = 3;

// "1.23 (0.95 to 1.60)"
static std::string rangeText(const Prediction &P) {
  return formatv("{0:F2} ({1:F2} to {2:F2})", P.Speedup, P.Low, P.High);
}

static std::string change(const std::string &Before, const std::string &After) {
  return Before == After ? After : Before + " > " + After;
}

static void row(llvm::raw_ostream &OS, llvm::StringRef Name,
                const std::string &Text) {
  OS << formatv("  {0,-24} {1}\n", Name, Text);
}

// Cycles, without decimals that nobody can trust.
static std::string cycles(double Value) {
  return Value >= 10 ? formatv("{0:F0}", Value).str()
                     : formatv("{0:F1}", Value).str();
}

static void cyclesRow(llvm::raw_ostream &OS, const std::string &Name,
                      double Issue, double Wait, const std::string &Rest) {
  row(OS, Name,
      formatv("{0,9} {1,9}   {2}", cycles(Issue), cycles(Wait), Rest).str());
}

static std::string placeText(const ArrayCost &Cost) {
  if (Cost.Moved)
    return "shared memory";
  return formatv("local memory, {0:F0} % in the L1", Cost.HitRate * 100);
}

static bool movesAny(const PredictedState &State) {
  return llvm::any_of(State.Arrays,
                      [](const ArrayCost &Cost) { return Cost.Moved; });
}

static void printTimes(llvm::raw_ostream &OS, const Explanation &E) {
  row(OS, "cycles per warp", "  issuing   waiting");
  auto PrintArray = [&](const PredictedState &State, size_t I,
                        llvm::StringRef When) {
    const ArrayCost &Cost = State.Arrays[I];
    cyclesRow(OS, formatv("  '{0}'{1}", Cost.Name, When).str(), Cost.Issue,
              Cost.Latency / std::max(1u, State.Warps), placeText(Cost));
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
    return formatv("{0:F0}", Bytes / 1024).str();
  };
  std::string Text =
      change(std::to_string(E.Before.Warps), std::to_string(E.After.Warps)) +
      " warps per multiprocessor";
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
    Text += formatv("; {0:F2} times as much code", E.Predicted.CodeGrowth);
  return Text;
}

// What the range comes from most.
static std::string assumptionText(const Explanation &E) {
  const double Most = std::max({E.Agreeing, E.Random, E.Predicted.Speedup});
  const double Least = std::min({E.Agreeing, E.Random, E.Predicted.Speedup});
  std::string Text;
  if (Most > Least * E.ModelError)
    Text = formatv("how far the indices of a warp are apart: {0:F2} if they "
                   "agree, {1:F2} if they are random",
                   E.Agreeing, E.Random);
  else
    Text = formatv("the model, which errs by a factor of {0:F1} either way",
                   E.ModelError);
  if (E.GuessedLoops)
    Text +=
        formatv("; how often {0} loop{1} run{2} is a guess", E.GuessedLoops,
                E.GuessedLoops == 1 ? "" : "s", E.GuessedLoops == 1 ? "s" : "");
  return Text;
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
        formatv("{0:F2} for the shared memory x {1:F2} for the access = {2}",
                Best.Price, Best.Gain, rangeText(Best)));
    row(OS, "it rests on", assumptionText(E));
    if (!Best.WorstIf.empty() && Best.Worst < 1)
      row(OS, "at worst", formatv("{0:F2} if {1}", Best.Worst, Best.WorstIf));
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
}

static json::Value toJson(const PredictedState &State) {
  json::Array Arrays;
  for (const ArrayCost &Cost : State.Arrays)
    Arrays.push_back(
        json::Object{{"array", json::fixUTF8(Cost.Name)},
                     {"moved", Cost.Moved},
                     {"issue", Cost.Issue},
                     {"latency", Cost.Latency},
                     {"hitRate", Cost.Moved ? json::Value(nullptr)
                                            : json::Value(Cost.HitRate)}});
  return json::Object{{"time", State.Time},
                      {"issue", State.Issue},
                      {"wait", State.Wait},
                      {"warps", State.Warps},
                      {"limiter", State.Limiter},
                      {"firstLevelCacheBytes", State.FirstLevelCache},
                      {"arrays", std::move(Arrays)}};
}

json::Value bankstripe::explanationToJson(const KernelPlan &K) {
  if (!K.Explained)
    return nullptr;
  const Explanation &E = *K.Explained;
  json::Array Alternatives;
  for (const Alternative &A : E.Alternatives)
    Alternatives.push_back(json::Object{{"what", json::fixUTF8(A.What)},
                                        {"speedup", A.Predicted.Speedup},
                                        {"low", A.Predicted.Low},
                                        {"high", A.Predicted.High}});
  return json::Object{{"taken", E.Taken},
                      {"speedup", E.Predicted.Speedup},
                      {"low", E.Predicted.Low},
                      {"high", E.Predicted.High},
                      {"price", E.Predicted.Price},
                      {"gain", E.Predicted.Gain},
                      {"worst", E.Predicted.Worst},
                      {"worstIf", E.Predicted.WorstIf},
                      {"codeGrowth", E.Predicted.CodeGrowth},
                      {"speedupIfAgreeing", E.Agreeing},
                      {"speedupIfRandom", E.Random},
                      {"modelError", E.ModelError},
                      {"guessedLoops", E.GuessedLoops},
                      {"before", ::toJson(E.Before)},
                      {"after", ::toJson(E.After)},
                      {"alternatives", std::move(Alternatives)}};
}
