//===-- Outcome.cpp - what came of a tuning -------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tune/Outcome.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace bankstripe;
using llvm::StringRef;
namespace json = llvm::json;

static std::string figure(const Attempt &A) {
  return llvm::formatv("{0:F2}x", *A.Speedup);
}

// The reason that goes into the decisions file.
static std::string why(const TuneGroup &G, const std::string &Device) {
  const Attempt *Best = G.best();
  const Attempt *Shown = Best ? Best : G.fastest();
  if (!Shown)
    return "nothing that moves it works, on " + Device;
  return (Best ? "" : "at best " + Shown->Name + " ") + figure(*Shown) +
         " on " + Device;
}

DecisionsFile bankstripe::decisionsOf(const TuneOutcome &Outcome) {
  DecisionsFile Result;
  for (const TuneGroup &G : Outcome.Groups) {
    if (G.Attempts.empty())
      continue;
    const Attempt *Best = G.best();
    const std::string Why = why(G, Outcome.Device);
    for (unsigned I : G.Arrays) {
      const LayoutChoice Wanted = Best ? Best->Got.at(I) : Layout::Keep;
      if (Wanted != Layout::Keep && becomesConstant(Outcome.Movable, I))
        continue;
      ArrayDecision &D =
          Result.Arrays.emplace_back(decisionAbout(Outcome.Movable, I, Wanted));
      D.ByTune = true;
      D.Why = Why;
    }
    for (unsigned Row : G.Kernels) {
      if (!Best)
        break;
      KernelDecision D =
          decisionAbout(Outcome.Movable.Kernels[Row].Facts, Best->Carved);
      D.ByTune = true;
      D.Why = Why;
      if (auto It = Outcome.Blocks.find(Outcome.Movable.Kernels[Row].Facts.Id);
          It != Outcome.Blocks.end())
        D.BlockSize = It->second;
      // Instances of a template are one.
      auto Same =
          std::ranges::find(Result.Kernels, D.key(), &KernelDecision::key);
      if (Same != Result.Kernels.end())
        Same->BlockSize = std::max(Same->BlockSize, D.BlockSize);
      else if (D.Wanted || D.BlockSize)
        Result.Kernels.push_back(std::move(D));
    }
  }
  return Result;
}

template <class Decision>
static void replaceEach(std::vector<Decision> &Old,
                        const std::vector<Decision> &New) {
  for (const Decision &D : New) {
    auto Same = std::ranges::find(Old, D.key(), &Decision::key);
    if (Same == Old.end())
      Old.push_back(D);
    else if (Same->ByTune)
      *Same = D;
  }
}

void bankstripe::replaceTuned(DecisionsFile &File, const DecisionsFile &New) {
  replaceEach(File.Arrays, New.Arrays);
  // A kernel that needs no carveout any more has no new decision.
  llvm::erase_if(File.Kernels, [&](const KernelDecision &Old) {
    return Old.ByTune && llvm::any_of(New.Arrays, [&](const ArrayDecision &D) {
             return D.File == Old.File;
           });
  });
  replaceEach(File.Kernels, New.Kernels);
}

static std::string headline(const TuneOutcome &O) {
  return llvm::formatv(
      "tuned on {0} in {1:F0} s: {2} replays{3}, {4} whole program{5} compared",
      O.Device, O.Seconds, O.Replays,
      O.Known ? " and " + std::to_string(O.Known) + " known from before" : "",
      O.Comparisons, O.Comparisons == 1 ? "" : "s");
}

static std::string placeOf(const Place &P) {
  return llvm::formatv("{0}:{1}", llvm::sys::path::filename(P.File), P.Line);
}

static void printGroup(llvm::raw_ostream &OS, const TuneOutcome &Outcome,
                       const TuneGroup &G) {
  OS << '\n';
  for (unsigned Row : G.Kernels) {
    const Kernel &K = Outcome.Movable.Kernels[Row].Facts;
    OS << "kernel " << K.Name << " at " << placeOf(K.Where) << '\n';
  }
  if (G.Attempts.empty())
    OS << "  not measured: " << G.WhyWhole
       << "; with --build, whole programs are\n";
  else if (!G.WhyWhole.empty())
    OS << "  by runs of the whole program: " << G.WhyWhole << '\n';
  const Attempt *Best = G.best();
  for (const Attempt &A : G.Attempts) {
    OS << llvm::formatv("  {0} {1,-32} ", &A == Best ? '*' : ' ', A.Name);
    OS << (A.Speedup ? figure(A) : A.Problem) << '\n';
  }
  if (Best && G.InProgram)
    OS << llvm::formatv("  in the program, with the best of all kernels: "
                        "{0:F2}x\n",
                        *G.InProgram);
  if (!Best && !G.Attempts.empty())
    OS << "  the original stays: "
       << (G.WhyNone.empty() ? "nothing is faster by more than chance and 2 %"
                             : G.WhyNone)
       << '\n';
}

void bankstripe::printTuning(llvm::raw_ostream &OS,
                             const TuneOutcome &Outcome) {
  OS << headline(Outcome) << "; speedups over the original, * is the best\n";
  for (const TuneGroup &G : Outcome.Groups)
    printGroup(OS, Outcome, G);
  if (Outcome.Together)
    OS << llvm::formatv("\nall kernels of the program together: {0:F2}x\n",
                        Outcome.Together->total().speedup());
  else if (std::ranges::any_of(Outcome.Groups, &TuneGroup::best))
    OS << "\nnot compared in the program, which takes a --build\n";
  for (const std::string &Kernel : Outcome.NotLaunched)
    OS << "\nkernel " << Kernel
       << "\n  not measured: the program does not launch it; give it other "
          "arguments\n";
}

static json::Object toJson(const TuneOutcome &Outcome, const Attempt &A) {
  json::Array Arrays;
  for (auto [I, L] : A.Got) {
    const ArrayDecision D = decisionAbout(Outcome.Movable, I, L);
    json::Object Row{{"name", D.Array},
                     {"function", D.Function},
                     {"layout", nameOf(L.Kind)}};
    if (L.First)
      Row["first"] = L.First;
    Arrays.push_back(std::move(Row));
  }
  json::Object Result{{"name", A.Name},
                      {"arrays", std::move(Arrays)},
                      {"carveout", textOf(A.GotCarved)},
                      {"speedup", A.Speedup}};
  if (!A.Problem.empty())
    Result["problem"] = A.Problem;
  return Result;
}

json::Value bankstripe::toJson(const TuneOutcome &Outcome) {
  json::Array Groups;
  for (const TuneGroup &G : Outcome.Groups) {
    json::Array Kernels, Attempts;
    for (unsigned Row : G.Kernels)
      Kernels.push_back(Outcome.Movable.Kernels[Row].Facts.Name);
    for (const Attempt &A : G.Attempts)
      Attempts.push_back(::toJson(Outcome, A));
    const Attempt *Best = G.best();
    Groups.push_back(json::Object{
        {"kernels", std::move(Kernels)},
        {"measuredBy", G.WhyWhole.empty() ? "replay" : "program"},
        {"whyNotReplayed", G.WhyWhole},
        {"inProgram", G.InProgram},
        {"noise", G.Noise},
        {"best", Best ? json::Value(Best->Name) : json::Value(nullptr)},
        {"attempts", std::move(Attempts)}});
  }
  return json::Object{
      {"schema", 3},
      {"tool", "bankstripe"},
      {"device", Outcome.Device},
      {"replays", Outcome.Replays},
      {"knownReplays", Outcome.Known},
      {"comparisons", Outcome.Comparisons},
      {"notLaunched", json::Array(Outcome.NotLaunched)},
      {"together", Outcome.Together
                       ? json::Value(Outcome.Together->total().speedup())
                       : nullptr},
      {"groups", std::move(Groups)}};
}
