//===-- RecordedChoices.cpp - what programs chose -------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tune/RecordedChoices.h"
#include "plan/MakePlan.h"
#include "tune/Attempts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <cmath>

using namespace bankstripe;
using llvm::StringRef;
namespace json = llvm::json;

namespace bankstripe {

// For json::parse.
static bool fromJSON(const json::Value &Value, RecordedChoice &C,
                     json::Path P) {
  json::ObjectMapper Map(Value, P);
  return Map && Map.map("kernel", C.Kernel) && Map.map("gpu", C.Gpu) &&
         Map.map("architecture", C.Architecture) && Map.map("pairs", C.Pairs) &&
         Map.map("original_us", C.OriginalMicroseconds) &&
         Map.map("version_us", C.VersionMicroseconds) &&
         Map.map("grid", C.Grid) && Map.map("block", C.Block) &&
         Map.map("chosen", C.Chosen) &&
         Map.mapOptional("ran_original", C.OriginalLaunches) &&
         Map.mapOptional("ran_version", C.VersionLaunches) &&
         Map.mapOptional("waited_us", C.WaitedMicroseconds) &&
         Map.mapOptional("won_us", C.WonMicroseconds);
}

} // namespace bankstripe

llvm::Expected<std::vector<RecordedChoice>>
bankstripe::readChoices(StringRef Text) {
  std::vector<RecordedChoice> Result;
  for (StringRef Line : llvm::split(Text, '\n')) {
    if (Line.trim().empty())
      continue;
    auto Choice = json::parse<RecordedChoice>(Line);
    if (!Choice)
      return Choice.takeError();
    Result.push_back(std::move(*Choice));
  }
  return Result;
}

// `8000` of `[8000, 1, 1]`, `16x16` of `[16, 16, 1]`.
static std::string extents(std::vector<unsigned> Of) {
  while (Of.size() > 1 && Of.back() == 1)
    Of.pop_back();
  return llvm::join(
      llvm::map_range(Of, [](unsigned N) { return llvm::utostr(N); }), "x");
}

void bankstripe::printChoices(llvm::raw_ostream &OS,
                              std::vector<RecordedChoice> Choices) {
  std::ranges::stable_sort(Choices, std::greater(),
                           &RecordedChoice::WonMicroseconds);
  constexpr char Row[] =
      "{0,-30} {1,12} {2,10} {3,11} {4,10}  {5,-8} {6,9} {7,9} {8,10} {9,9}\n";
  OS << llvm::formatv(Row, "kernel", "grid", "block", "original us",
                      "version us", "chosen", "launches", "version",
                      "waited ms", "won ms");
  for (const RecordedChoice &C : Choices)
    OS << llvm::formatv(
        Row, C.Kernel, extents(C.Grid), extents(C.Block),
        llvm::formatv("{0:F1}", C.OriginalMicroseconds).str(),
        llvm::formatv("{0:F1}", C.VersionMicroseconds).str(), C.Chosen,
        C.OriginalLaunches + C.VersionLaunches, C.VersionLaunches,
        llvm::formatv("{0:F1}", C.WaitedMicroseconds / 1000).str(),
        llvm::formatv("{0:F1}", C.WonMicroseconds / 1000).str());
}

// `space::kernel` of `space::{anonymous}::kernel<int, 4>`: compilers print
// arguments, and namespaces without names, in their own ways.
static std::string plainName(StringRef Kernel) {
  std::string Result;
  for (StringRef Part : llvm::split(Kernel.split('<').first, "::"))
    if (!Part.empty() && !Part.contains("anonymous") &&
        !Part.contains("unnamed"))
      Result += (Result.empty() ? "" : "::") + Part.str();
  return Result;
}

namespace {

/// What is known of one kernel on one architecture, all instances together.
struct Comparison {
  double Gain = 0; ///< The sum of the logarithms of speedups.
  unsigned Settings = 0;
  std::string Gpu;
};

} // namespace

// By name and architecture.
static std::map<std::string, std::map<std::string, Comparison>>
comparisonsOf(const std::vector<RecordedChoice> &Choices) {
  std::map<std::string, std::map<std::string, Comparison>> Result;
  for (const RecordedChoice &C : Choices) {
    if (!C.Pairs || C.OriginalMicroseconds <= 0 || C.VersionMicroseconds <= 0)
      continue;
    Comparison &Known = Result[plainName(C.Kernel)][C.Architecture];
    Known.Gain += std::log(C.OriginalMicroseconds / C.VersionMicroseconds);
    ++Known.Settings;
    Known.Gpu = C.Gpu;
  }
  return Result;
}

DecisionsFile
bankstripe::decisionsFrom(const std::vector<RecordedChoice> &Choices,
                          const Plan &P) {
  const auto Known = comparisonsOf(Choices);
  const Arrangement Layouts = layoutsOf(P);
  std::map<std::string, std::set<TextRange>> Texts; // By name.
  for (const KernelPlan &K : P.Kernels)
    Texts[plainName(K.Facts.Name)].insert(K.Facts.Text.Definition);
  DecisionsFile Result;
  for (auto [I, A] : llvm::enumerate(P.Arrays)) {
    const KernelPlan *K =
        A.Kernels.empty() ? nullptr : &P.Kernels[A.Kernels[0]];
    if (!K || !K->Chooses || !A.Verdict.changesSource())
      continue;
    const std::string Name = plainName(K->Facts.Name);
    auto Found = Known.find(Name);
    if (Found == Known.end() || Texts[Name].size() != 1)
      continue;
    for (const auto &[Architecture, C] : Found->second) {
      const double Speedup = std::exp(C.Gain / C.Settings);
      ArrayDecision D = decisionAbout(
          P, I, Speedup > 1 ? Layouts.at(I) : LayoutChoice(Layout::Keep));
      D.ByTune = true;
      D.Gpu = Architecture;
      D.Why =
          llvm::formatv("programs chose on an {0}: {1:F2}x", C.Gpu, Speedup);
      Result.Arrays.push_back(std::move(D));
    }
  }
  return Result;
}
