//===-- TuneResult.cpp - what came of a tuning ----------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tune/TuneResult.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace bankstripe;
using llvm::StringRef;
namespace json = llvm::json;

static std::string speedupText(double Speedup) {
  return llvm::formatv("{0:F2}x", Speedup);
}

// The reason that goes into the decisions file.
static std::string why(const TuneGroup &G, const std::string &Device) {
  const Attempt *Best = G.best();
  const Attempt *Shown = Best ? Best : G.fastest();
  if (!Shown)
    return "nothing that moves it works, on " + Device;
  return (Best ? "" : "at best " + Shown->Name + " ") +
         speedupText(*Shown->Speedup) + " on " + Device +
         (Best && Best->Differs == Difference::Fusing
              ? ", differs in fused multiply-adds"
              : "");
}

// What a measurement is of, besides its GPU.
static std::string withInput(const std::string &Input) {
  constexpr size_t Most = 80;
  return Input.empty() ? ""
                       : ", with " + StringRef(Input).take_front(Most).str() +
                             (Input.size() > Most ? "..." : "");
}

DecisionsFile bankstripe::decisionsOf(const TuneResult &Tuned) {
  DecisionsFile Result;
  for (const TuneGroup &G : Tuned.Groups) {
    if (G.Attempts.empty())
      continue;
    const Attempt *Best = G.best();
    const std::string Why = why(G, Tuned.Device) + withInput(Tuned.Input);
    for (unsigned I : G.Arrays) {
      const LayoutChoice Wanted = Best ? Best->Got.at(I) : Layout::Keep;
      if (Wanted != Layout::Keep && becomesConstant(Tuned.Movable, I))
        continue;
      ArrayDecision &D =
          Result.Arrays.emplace_back(decisionAbout(Tuned.Movable, I, Wanted));
      D.ByTune = true;
      D.Gpu = Tuned.Architecture;
      D.Why = Why;
    }
    for (unsigned Row : G.Kernels) {
      if (!Best)
        break;
      KernelDecision D =
          decisionAbout(Tuned.Movable.Kernels[Row].Facts, Best->Carved);
      D.ByTune = true;
      D.Gpu = Tuned.Architecture;
      D.Why = Why;
      if (auto It = Tuned.Blocks.find(Tuned.Movable.Kernels[Row].Facts.Id);
          It != Tuned.Blocks.end())
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

static std::string headline(const TuneResult &O) {
  return llvm::formatv(
      "tuned on {0} in {1:F0} s: {2} replays{3}, {4} whole program{5} compared",
      O.Device, O.Seconds, O.Replays,
      O.Known ? " and " + std::to_string(O.Known) + " known from before" : "",
      O.Comparisons, O.Comparisons == 1 ? "" : "s");
}

static std::string placeOf(const Place &P) {
  return llvm::formatv("{0}:{1}", llvm::sys::path::filename(P.File), P.Line);
}

static std::vector<std::string> namesOf(const TuneResult &Tuned,
                                        const TuneGroup &G) {
  std::vector<std::string> Names;
  for (unsigned Row : G.Kernels) {
    const Kernel &K = Tuned.Movable.Kernels[Row].Facts;
    Names.push_back("kernel " + K.Name + " at " + placeOf(K.Where));
  }
  return Names;
}

static std::string howMeasured(const TuneGroup &G) {
  if (!G.WhyLeft.empty())
    return "not measured: " + G.WhyLeft;
  if (G.Attempts.empty() && G.WhyWhole.empty())
    return "not measured: the time was up; --time gives more";
  if (G.Attempts.empty())
    return "not measured: " + G.WhyWhole + "; with --build, whole programs are";
  if (!G.WhyWhole.empty())
    return "by runs of the whole program: " + G.WhyWhole;
  return G.Varies ? "each launch leaves something else, so that only the "
                    "program can be compared"
                  : "";
}

// The first variants that there was no time for.
static std::string untriedText(const TuneGroup &G) {
  constexpr size_t Shown = 3;
  if (G.Untried.empty())
    return "";
  std::string Text =
      "not tried: " +
      llvm::join(llvm::ArrayRef(G.Untried).take_front(Shown), "; ");
  if (G.Untried.size() > Shown)
    Text += "; and " + std::to_string(G.Untried.size() - Shown) + " more";
  return Text + "; tune again to go on";
}

// What became of a variant without a speedup, and what one can do.
static std::string problemText(const Attempt &A) {
  const std::string Fast =
      A.WrongSpeedup ? ", at " + speedupText(*A.WrongSpeedup) : "";
  switch (A.Differs) {
  case Difference::Fusing:
    return A.Problem + " only in fused multiply-adds" + Fast +
           "; --accept=fmad takes it";
  case Difference::Unstable:
    return A.Problem + Fast +
           "; so does the original at another optimisation level: look for "
           "uninitialised memory, bad indices and races";
  default:
    return A.Problem;
  }
}

static std::string conclusionOf(const TuneGroup &G) {
  if (G.best())
    return G.InProgram ? "in the program, with the best of all kernels: " +
                             speedupText(*G.InProgram)
                       : "";
  return G.Attempts.empty()
             ? ""
             : "the original stays: " +
                   (G.WhyNone.empty()
                        ? "nothing is faster by more than chance and 2 %"
                        : G.WhyNone);
}

static std::string conclusionOf(const TuneResult &Tuned) {
  if (Tuned.Together)
    return "all kernels of the program together: " +
           speedupText(Tuned.Together->Speedup) +
           (Tuned.IsByOneRun ? ", by one run of each" : "");
  return std::ranges::any_of(Tuned.Groups, &TuneGroup::best)
             ? "not compared in the program" +
                   (Tuned.WhyNotTogether.empty() ? ", which takes a --build"
                                                 : ": " + Tuned.WhyNotTogether)
             : "";
}

// Whether other files may launch a kernel that the best changes in place, which
// stays beside its version where the launcher sees one file at a time.
static bool isOtherBehindLauncher(const TuneResult &Tuned) {
  return llvm::any_of(Tuned.Groups, [&](const TuneGroup &G) {
    return G.best() && llvm::any_of(G.Kernels, [&](unsigned Row) {
             const KernelPlan &K = Tuned.Movable.Kernels[Row];
             return !K.HasVersion && !K.Facts.Text.Internal;
           });
  });
}

// Of many versions the best, the default, the original, the fastest of each
// layout besides the best, and those of which one has to decide whether they
// are right.
static std::vector<const Attempt *> shownOf(const TuneGroup &G,
                                            bool PrintsAll) {
  constexpr size_t Many = 12;
  const Attempt *Best = G.best();
  std::map<Layout, const Attempt *> Fastest;
  for (const Attempt &A : G.Attempts)
    if (const Attempt *&Other = Fastest[mainLayout(A.Got).Kind];
        A.Speedup && &A != Best && (!Other || *A.Speedup > *Other->Speedup))
      Other = &A;
  std::vector<const Attempt *> Result;
  for (const Attempt &A : G.Attempts)
    if (PrintsAll || G.Attempts.size() <= Many || &A == Best || A.IsDefault ||
        &A == &G.Attempts.front() || A.Differs != Difference::Unasked ||
        llvm::is_contained(llvm::make_second_range(Fastest), &A))
      Result.push_back(&A);
  return Result;
}

static void printGroup(llvm::raw_ostream &OS, const TuneResult &Tuned,
                       const TuneGroup &G, bool PrintsAll) {
  OS << '\n' << llvm::join(namesOf(Tuned, G), "\n") << '\n';
  if (const std::string How = howMeasured(G); !How.empty())
    OS << "  " << How << '\n';
  const Attempt *Best = G.best();
  const auto Shown = shownOf(G, PrintsAll);
  for (const Attempt *A : Shown) {
    OS << llvm::formatv("  {0} {1,-32} ", A == Best ? '*' : ' ',
                        A->Name + (A->IsDefault ? " (the default)" : ""));
    OS << (A->Speedup ? speedupText(*A->Speedup) : problemText(*A)) << '\n';
  }
  if (Shown.size() < G.Attempts.size())
    OS << "  and " << G.Attempts.size() - Shown.size()
       << " more; --verbose prints all\n";
  if (const std::string Untried = untriedText(G); !Untried.empty())
    OS << "  " << Untried << '\n';
  if (const std::string End = conclusionOf(G); !End.empty())
    OS << "  " << End << '\n';
}

void bankstripe::printTuning(llvm::raw_ostream &OS, const TuneResult &Tuned,
                             bool PrintsAll) {
  OS << headline(Tuned) << "; speedups over the original, * is the best\n";
  for (const TuneGroup &G : Tuned.Groups)
    printGroup(OS, Tuned, G, PrintsAll);
  if (const std::string End = conclusionOf(Tuned); !End.empty())
    OS << '\n' << End << '\n';
  if (isOtherBehindLauncher(Tuned))
    OS << "\nmeasured in place; a build with 'bankstripe wrap' may make "
          "versions of these kernels instead: for it, tune with --versions\n";
  for (const std::string &Kernel : Tuned.NotLaunched)
    OS << "\nkernel " << Kernel << "\n  not measured: "
       << (Tuned.WhyEnded.empty() ? "the program does not launch it; give it "
                                    "other arguments"
                                  : "no launch was seen; " + Tuned.WhyEnded)
       << '\n';
}

// Why A is slower than another one: there is less room on an SM, or its
// accesses take longer.
static std::string whySlower(const Attempt &A, const Attempt &Than) {
  if (A.Got == Than.Got && !(A.GotCarved == Than.GotCarved))
    return "resources: the same code with another carveout";
  bool HasMoreShared = false;
  for (auto [Own, Other] : llvm::zip(A.Uses, Than.Uses)) {
    if (!Own.Warps || !Other.Warps)
      return "slower, and it is not known how many warps an SM holds";
    if (Own.Warps < Other.Warps)
      return llvm::formatv("resources: {0} warps per SM instead of {1}",
                           Own.Warps, Other.Warps);
    HasMoreShared |= Own.SharedBytes > Other.SharedBytes;
  }
  return A.Uses.empty() || Than.Uses.empty()
             ? "slower, and it is not known how many warps an SM holds"
         : HasMoreShared
             ? "access, or a smaller L1: slower with no fewer warps per SM"
             : "access: slower with no fewer warps per SM";
}

// What became of A, and why it is not the best.
static std::string standingOf(const TuneGroup &G, const Attempt &A) {
  const Attempt *Best = G.best();
  const Attempt &Than = Best ? *Best : G.Attempts.front();
  if (&A == Best)
    return "the best";
  if (!A.Speedup)
    return problemText(A);
  if (&A == &G.Attempts.front())
    return "the original, compiled once more";
  if (*A.Speedup >= *Than.Speedup ||
      (A.Sure && Than.Sure && A.Sure->second >= Than.Sure->first))
    return Best ? "as fast, as far as that can be told" : conclusionOf(G);
  return (A.IsStopped ? "stopped early, as it is clearly slower; " : "") +
         whySlower(A, Than);
}

static json::Object toJson(const TuneResult &Tuned, const TuneGroup &G,
                           const Attempt &A) {
  json::Array Arrays;
  for (auto [I, L] : A.Got) {
    const ArrayDecision D = decisionAbout(Tuned.Movable, I, L);
    json::Object Row{{"name", D.Array},
                     {"function", D.Function},
                     {"layout", nameOf(L.Kind)}};
    if (L.First)
      Row["first"] = L.First;
    Arrays.push_back(std::move(Row));
  }
  json::Array Resources;
  for (const KernelUse &U : A.Uses)
    Resources.push_back(json::Object{{"warps", U.Warps},
                                     {"registers", U.Registers},
                                     {"localBytes", U.LocalBytes},
                                     {"sharedBytes", U.SharedBytes}});
  json::Object Result{{"name", A.Name},
                      {"isDefault", A.IsDefault},
                      {"arrays", std::move(Arrays)},
                      {"carveout", textOf(A.GotCarved)},
                      {"speedup", A.Speedup},
                      {"speedupInterval", nullptr},
                      {"resources", std::move(Resources)},
                      {"standing", standingOf(G, A)}};
  if (A.Sure)
    Result["speedupInterval"] = json::Array{A.Sure->first, A.Sure->second};
  if (!A.Problem.empty())
    Result["problem"] = A.Problem;
  return Result;
}

json::Value bankstripe::toJson(const TuneResult &Tuned) {
  json::Array Groups;
  for (const TuneGroup &G : Tuned.Groups) {
    json::Array Kernels, Attempts;
    for (unsigned Row : G.Kernels)
      Kernels.push_back(Tuned.Movable.Kernels[Row].Facts.Name);
    for (const Attempt &A : G.Attempts)
      Attempts.push_back(::toJson(Tuned, G, A));
    const Attempt *Best = G.best();
    Groups.push_back(json::Object{
        {"kernels", std::move(Kernels)},
        {"titles", json::Array(namesOf(Tuned, G))},
        {"how", howMeasured(G)},
        {"conclusion", conclusionOf(G)},
        {"measuredBy", G.WhyWhole.empty() ? "replay" : "program"},
        {"whyNotReplayed", G.WhyWhole},
        {"varies", G.Varies},
        {"inProgram", G.InProgram},
        {"noise", G.Noise},
        {"share", G.Share},
        {"untried", json::Array(G.Untried)},
        {"best", Best ? json::Value(Best->Name) : json::Value(nullptr)},
        {"attempts", std::move(Attempts)}});
  }
  return json::Object{{"schema", 4},
                      {"tool", "bankstripe"},
                      {"summary", headline(Tuned)},
                      {"conclusion", conclusionOf(Tuned)},
                      {"device", Tuned.Device},
                      {"architecture", Tuned.Architecture},
                      {"timeIsUp", Tuned.IsTimeUp},
                      {"replays", Tuned.Replays},
                      {"knownReplays", Tuned.Known},
                      {"comparisons", Tuned.Comparisons},
                      {"notLaunched", json::Array(Tuned.NotLaunched)},
                      {"together", Tuned.Together
                                       ? json::Value(Tuned.Together->Speedup)
                                       : nullptr},
                      {"groups", std::move(Groups)}};
}
