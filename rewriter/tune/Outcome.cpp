//===-- Outcome.cpp - what came of a tuning -------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tune/Outcome.h"
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
         speedupText(*Shown->Speedup) + " on " + Device;
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

static std::vector<std::string> namesOf(const TuneOutcome &Outcome,
                                        const TuneGroup &G) {
  std::vector<std::string> Names;
  for (unsigned Row : G.Kernels) {
    const Kernel &K = Outcome.Movable.Kernels[Row].Facts;
    Names.push_back("kernel " + K.Name + " at " + placeOf(K.Where));
  }
  return Names;
}

static std::string howMeasured(const TuneGroup &G) {
  if (G.Attempts.empty())
    return "not measured: " + G.WhyWhole + "; with --build, whole programs are";
  if (!G.WhyWhole.empty())
    return "by runs of the whole program: " + G.WhyWhole;
  return G.Varies ? "each launch leaves something else, so that only the "
                    "program can be compared"
                  : "";
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

static std::string conclusionOf(const TuneOutcome &Outcome) {
  if (Outcome.Together)
    return "all kernels of the program together: " +
           speedupText(Outcome.Together->total().speedup());
  return std::ranges::any_of(Outcome.Groups, &TuneGroup::best)
             ? "not compared in the program, which takes a --build"
             : "";
}

static constexpr const char *WhyNotLaunched =
    "not measured: the program does not launch it; give it other arguments";

static void printGroup(llvm::raw_ostream &OS, const TuneOutcome &Outcome,
                       const TuneGroup &G) {
  OS << '\n' << llvm::join(namesOf(Outcome, G), "\n") << '\n';
  if (const std::string How = howMeasured(G); !How.empty())
    OS << "  " << How << '\n';
  const Attempt *Best = G.best();
  for (const Attempt &A : G.Attempts) {
    OS << llvm::formatv("  {0} {1,-32} ", &A == Best ? '*' : ' ', A.Name);
    OS << (A.Speedup ? speedupText(*A.Speedup) : A.Problem) << '\n';
  }
  if (const std::string End = conclusionOf(G); !End.empty())
    OS << "  " << End << '\n';
}

void bankstripe::printTuning(llvm::raw_ostream &OS,
                             const TuneOutcome &Outcome) {
  OS << headline(Outcome) << "; speedups over the original, * is the best\n";
  for (const TuneGroup &G : Outcome.Groups)
    printGroup(OS, Outcome, G);
  if (const std::string End = conclusionOf(Outcome); !End.empty())
    OS << '\n' << End << '\n';
  for (const std::string &Kernel : Outcome.NotLaunched)
    OS << "\nkernel " << Kernel << "\n  " << WhyNotLaunched << '\n';
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
    return A.Problem;
  if (&A == &G.Attempts.front())
    return "the original, compiled once more";
  if (*A.Speedup >= *Than.Speedup ||
      (A.Sure && Than.Sure && A.Sure->second >= Than.Sure->first))
    return Best ? "as fast, as far as that can be told" : conclusionOf(G);
  return (A.IsStopped ? "stopped early, as it is clearly slower; " : "") +
         whySlower(A, Than);
}

// As an element, if there is one.
static std::string element(const char *Tag, StringRef Text,
                           StringRef Attributes = "") {
  std::string Result;
  llvm::raw_string_ostream OS(Result);
  OS << '<' << Tag << Attributes << '>';
  llvm::printHTMLEscaped(Text, OS);
  OS << "</" << Tag << '>';
  return Text.empty() ? "" : Result;
}

static std::string rowOf(const TuneGroup &G, const Attempt &A) {
  const bool IsBest = &A == G.best();
  std::string Row =
      "<tr><th scope=\"row\">" +
      element(IsBest ? "strong" : "span", (IsBest ? "* " : "") + A.Name) +
      element("p", standingOf(G, A), " class=\"hint\"") + "</th>";
  auto Add = [&](StringRef Figure) {
    Row += ("<td class=\"figure\">" + Figure + "</td>").str();
  };
  Add(A.Speedup ? speedupText(*A.Speedup) : "");
  Add(A.Sure ? llvm::formatv("{0:F3} to {1:F3}", A.Sure->first, A.Sure->second)
                   .str()
             : "");
  for (unsigned KernelUse::*Figure :
       {&KernelUse::Warps, &KernelUse::Registers, &KernelUse::LocalBytes,
        &KernelUse::SharedBytes})
    Add(llvm::join(llvm::map_range(A.Uses,
                                   [&](const KernelUse &U) {
                                     return std::to_string(U.*Figure);
                                   }),
                   ", "));
  return Row + "</tr>\n";
}

static std::string tableOf(const TuneGroup &G) {
  std::string Table =
      R"(<div class="scroll" tabindex="0"><table class="figures"><thead><tr>)";
  for (const char *Head : {"version", "speedup", "95 % interval",
                           "warps per SM", "registers per thread",
                           "local bytes per thread", "shared bytes per block"})
    Table += element("th", Head, " scope=\"col\"");
  Table += "</tr></thead>\n<tbody>\n";
  for (const Attempt &A : G.Attempts)
    Table += rowOf(G, A);
  return G.Attempts.empty() ? "" : Table + "</tbody></table></div>\n";
}

// As the page of a verification (runtime/page), without a script.
std::string bankstripe::pageOf(const TuneOutcome &Outcome) {
  std::string Page = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
      content="default-src 'none'; style-src 'unsafe-inline'">
<title>bankstripe tune</title>
<style>
)" + pageStyle().str() +
                     R"(tbody th { min-width: 180px; }
tbody th .hint { margin-top: 2px; }
</style>
</head>
<body>
<header><h1>bankstripe tune</h1></header>
<main>
)";
  auto Add = [&](const std::string &Inside) {
    Page += "<section>\n" + Inside + "</section>\n";
  };
  Add(element("p", headline(Outcome)) + element("p", conclusionOf(Outcome)));
  for (const TuneGroup &G : Outcome.Groups) {
    std::string Heads;
    for (const std::string &Name : namesOf(Outcome, G))
      Heads += element("h2", Name);
    Add(Heads + element("p", howMeasured(G)) + tableOf(G) +
        element("p", conclusionOf(G), " class=\"hint\""));
  }
  for (const std::string &Kernel : Outcome.NotLaunched)
    Add(element("h2", "kernel " + Kernel) + element("p", WhyNotLaunched));
  return Page + "</main>\n</body>\n</html>\n";
}

static json::Object toJson(const TuneOutcome &Outcome, const TuneGroup &G,
                           const Attempt &A) {
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
                      {"speedup", A.Speedup},
                      {"speedupInterval", nullptr},
                      {"standing", standingOf(G, A)}};
  if (A.Sure)
    Result["speedupInterval"] = json::Array{A.Sure->first, A.Sure->second};
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
      Attempts.push_back(::toJson(Outcome, G, A));
    const Attempt *Best = G.best();
    Groups.push_back(json::Object{
        {"kernels", std::move(Kernels)},
        {"measuredBy", G.WhyWhole.empty() ? "replay" : "program"},
        {"whyNotReplayed", G.WhyWhole},
        {"varies", G.Varies},
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
