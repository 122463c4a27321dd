//===-- Outcome.cpp - what tuning says and writes down --------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plan/Plan.h"
#include "tune/Tune.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <set>

using namespace bankstripe;
namespace json = llvm::json;

// "1.42x (resource factor 0.97, access factor 1.46)"
static std::string figures(const TuneGroup &G, const Attempt &A) {
  std::string Text = llvm::formatv("{0:F2}x", *A.Speedup);
  if (const Attempt *C = A.Control ? nullptr : G.controlOf(A))
    Text += llvm::formatv(" (resource factor {0:F2}, access factor {1:F2})",
                          *C->Speedup, *A.Speedup / *C->Speedup);
  return Text;
}

// The reason that goes into the decisions file.
static std::string why(const TuneGroup &G, const std::string &Device) {
  const Attempt *Best = G.best();
  const Attempt *Shown = Best ? Best : G.fastest();
  if (!Shown)
    return "nothing that moves it works, on " + Device;
  return (Best ? "" : "at best " + Shown->Name + " ") + figures(G, *Shown) +
         " on " + Device;
}

DecisionsFile bankstripe::decisionsOf(const TuneOutcome &Outcome) {
  DecisionsFile Result;
  for (const TuneGroup &G : Outcome.Groups) {
    if (!G.Launched)
      continue;
    const Attempt *Best = G.best();
    const std::string Why = why(G, Outcome.Device);
    for (unsigned I : G.Arrays) {
      const Layout Wanted = Best ? Best->Got.at(I) : Layout::Keep;
      // It becomes constant without being told.
      if (Wanted != Layout::Keep &&
          Outcome.Movable.Arrays[I].Verdict.Kind == VerdictKind::Constant)
        continue;
      ArrayDecision &D =
          Result.Arrays.emplace_back(decisionAbout(Outcome.Movable, I, Wanted));
      D.ByTune = true;
      D.Why = Why;
    }
    if (!Best || !Best->Carved)
      continue;
    std::set<std::string> Named; // Instances of a template are one.
    for (unsigned Row : G.Kernels) {
      KernelDecision D =
          decisionAbout(Outcome.Movable.Kernels[Row].Facts, *Best->Carved);
      if (!Named.insert(D.File + ":" + D.Kernel).second)
        continue;
      D.ByTune = true;
      D.Why = Why;
      Result.Kernels.push_back(std::move(D));
    }
  }
  return Result;
}

static auto keyOf(const ArrayDecision &D) {
  return std::tie(D.File, D.Function, D.Array, D.Occurrence);
}

static auto keyOf(const KernelDecision &D) {
  return std::tie(D.File, D.Kernel);
}

template <class Decision>
static void replaceEach(std::vector<Decision> &Old,
                        const std::vector<Decision> &New) {
  for (const Decision &D : New) {
    auto Same = llvm::find_if(
        Old, [&](const Decision &Each) { return keyOf(Each) == keyOf(D); });
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

static std::string placeOf(const Place &P) {
  return llvm::formatv("{0}:{1}", llvm::sys::path::filename(P.File), P.Line);
}

// Where less occupancy or a smaller L1 alone is a gain, it can be had without
// moving anything.
static void printGift(llvm::raw_ostream &OS, const TuneGroup &G) {
  const Attempt *Best = G.best();
  for (const Attempt &C : G.Attempts)
    if (C.Control && C.Speedup.value_or(0) >= WorthHaving + G.Noise &&
        (!Best || *C.Speedup >= *Best->Speedup)) {
      OS << llvm::formatv(
          "  note: {0} bytes of shared memory per block, reserved and unused, "
          "make the original {1:F2} times as fast: fewer warps at a time suit "
          "its caches; ask for them at the launches, or try "
          "__launch_bounds__\n",
          C.SharedBytes, *C.Speedup);
      return;
    }
}

static void printGroup(llvm::raw_ostream &OS, const TuneOutcome &Outcome,
                       const TuneGroup &G) {
  OS << '\n';
  for (unsigned Row : G.Kernels) {
    const Kernel &K = Outcome.Movable.Kernels[Row].Facts;
    OS << "kernel " << K.Name << " at " << placeOf(K.Where) << '\n';
  }
  if (!G.Launched) {
    OS << "  not measured: the program does not launch it; give it other "
          "arguments\n";
    return;
  }
  const Attempt *Best = G.best();
  for (const Attempt &A : G.Attempts) {
    OS << llvm::formatv("  {0} {1,-32} ", &A == Best ? '*' : ' ', A.Name);
    if (A.Speedup)
      OS << figures(G, A) << '\n';
    else
      OS << A.Problem << '\n';
  }
  if (!Best)
    OS << "  the original stays: nothing is faster by more than chance and 2 "
          "%\n";
  printGift(OS, G);
}

void bankstripe::printTuning(llvm::raw_ostream &OS,
                             const TuneOutcome &Outcome) {
  OS << llvm::formatv("tuned on {0}: {1} program{2} built and run in {3:F0} "
                      "s; speedups over the original, * is the best\n",
                      Outcome.Device, Outcome.Trials,
                      Outcome.Trials == 1 ? "" : "s", Outcome.Seconds);
  for (const TuneGroup &G : Outcome.Groups)
    printGroup(OS, Outcome, G);
}

static json::Object toJson(const TuneOutcome &Outcome, const TuneGroup &G,
                           const Attempt &A) {
  json::Array Arrays;
  for (auto [I, L] : A.Got) {
    const Finding &F = Outcome.Movable.Arrays[I].Array;
    Arrays.push_back(json::Object{
        {"name", F.Name}, {"function", F.Function}, {"layout", nameOf(L)}});
  }
  json::Object Result{{"name", A.Name},
                      {"control", A.Control},
                      {"arrays", std::move(Arrays)},
                      {"carveout", textOf(A.GotCarved)},
                      {"sharedBytes", int64_t(A.SharedBytes)}};
  Result["speedup"] = A.Speedup ? json::Value(*A.Speedup) : nullptr;
  if (!A.Problem.empty())
    Result["problem"] = A.Problem;
  if (const Attempt *C = A.Control || !A.Speedup ? nullptr : G.controlOf(A)) {
    Result["resourceFactor"] = *C->Speedup;
    Result["accessFactor"] = *A.Speedup / *C->Speedup;
  }
  return Result;
}

json::Value bankstripe::toJson(const TuneOutcome &Outcome) {
  json::Array Groups;
  for (const TuneGroup &G : Outcome.Groups) {
    json::Array Kernels, Attempts;
    for (unsigned Row : G.Kernels)
      Kernels.push_back(Outcome.Movable.Kernels[Row].Facts.Name);
    for (const Attempt &A : G.Attempts)
      Attempts.push_back(::toJson(Outcome, G, A));
    const Attempt *Best = G.best();
    Groups.push_back(json::Object{
        {"kernels", std::move(Kernels)},
        {"launched", G.Launched},
        {"noise", G.Noise},
        {"best", Best ? json::Value(Best->Name) : json::Value(nullptr)},
        {"attempts", std::move(Attempts)}});
  }
  return json::Object{{"schema", 1},
                      {"tool", "bankstripe"},
                      {"device", Outcome.Device},
                      {"trials", Outcome.Trials},
                      {"groups", std::move(Groups)}};
}
