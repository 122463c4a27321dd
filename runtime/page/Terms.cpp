//===-- Terms.cpp - predictions beside what was measured ------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The terms of the model as `--explain` shows them (docs/explain.md).
//
//===----------------------------------------------------------------------===//

#include "page/Sections.h"
#include "page/Text.h"
#include <algorithm>
#include <fmt/format.h>

using namespace bankstripe::runtime;

constexpr size_t MostKernels = 60;
constexpr size_t MostConsidered = 3;

namespace {

// A kernel of the plan, and what it turned out to be.
struct Predicted {
  const PlannedKernel *Planned;
  const KernelRow *Measured; // Null when it was not launched.
};

} // namespace

static bool movesAny(const PlannedTerms &Terms) {
  return std::any_of(Terms.After.Arrays.begin(), Terms.After.Arrays.end(),
                     [](const PredictedArray &A) { return A.Moved; });
}

// In the order of the other tables; those that were not launched come last.
static std::vector<Predicted> gather(const HtmlPlan &Plan,
                                     const KernelRows &Kernels) {
  std::vector<Predicted> Found;
  for (const KernelRow &Row : Kernels.Rows)
    if (Row.Planned && Row.Planned->Terms)
      Found.push_back({Row.Planned, &Row});
  for (const PlannedKernel &K : Plan.Kernels)
    if (K.Terms &&
        std::none_of(Found.begin(), Found.end(),
                     [&](const Predicted &P) { return P.Planned == &K; }))
      Found.push_back({&K, nullptr});
  return Found;
}

static std::string rangeText(double Speedup, double Low, double High) {
  return fmt::format("{:.2f} ({:.2f} to {:.2f})", Speedup, Low, High);
}

static std::string nameHtml(const Predicted &P) {
  return "<code>" +
         escapeHtml(P.Measured ? P.Measured->Short
                               : plotName(P.Planned->Name)) +
         "</code>";
}

// A speedup of what was not done says nothing of what was predicted for it.
static std::optional<double> measuredSpeedup(const Predicted &P) {
  return P.Measured && P.Planned->Terms->Taken ? P.Measured->Speedup
                                               : std::nullopt;
}

static std::string judgement(const PlannedTerms &T,
                             const std::optional<double> &Measured) {
  if (!T.Taken)
    return movesAny(T) ? "not taken, so not measured" : "nothing was changed";
  if (!Measured)
    return "-";
  return *Measured < T.Low    ? "slower than predicted"
         : *Measured > T.High ? "faster than predicted"
                              : "within the range";
}

static std::string summaryRow(const Predicted &P) {
  const PlannedTerms &T = *P.Planned->Terms;
  const std::optional<double> Measured = measuredSpeedup(P);
  return fmt::format("<tr><th scope=\"row\">{}</th>", nameHtml(P)) +
         htmlCell(rangeText(T.Speedup, T.Low, T.High), T.Speedup) +
         htmlCell(fmt::format("{:.2f}", T.Price), T.Price) +
         htmlCell(fmt::format("{:.2f}", T.Gain), T.Gain) +
         htmlCell(factorText(Measured), Measured) + "<td>" +
         judgement(T, Measured) + "</td></tr>\n";
}

static std::string cycles(double Value) {
  return fmt::format("{:.{}f}", Value, Value >= 10 ? 0 : 1);
}

static std::string costRow(const PredictedState &State,
                           const PredictedArray &Cost, const char *When) {
  const std::string Where =
      Cost.Moved ? "shared memory"
      : Cost.HitRate
          ? fmt::format("local memory, {:.0f} % in the L1", *Cost.HitRate * 100)
          : "local memory";
  return fmt::format("<tr><th scope=\"row\"><code>{}</code> {}</th>",
                     escapeHtml(Cost.Name), When) +
         htmlCell(cycles(Cost.Issue), {}) +
         htmlCell(cycles(Cost.Latency / std::max(1U, State.Warps)), {}) +
         "<td>" + Where + "</td></tr>\n";
}

static std::string allRow(const PredictedState &State, const char *When) {
  return fmt::format("<tr><th scope=\"row\">all {}</th>", When) +
         htmlCell(cycles(State.Issue), {}) + htmlCell(cycles(State.Wait), {}) +
         "<td>" + cycles(State.Time) + " together</td></tr>\n";
}

static std::string timesTable(const PlannedTerms &T, const std::string &Name) {
  std::string Rows =
      htmlColumns({"cycles per warp", "issuing", "waiting", "where"}) +
      "<tbody>\n";
  const bool Moves = movesAny(T);
  for (size_t I = 0; I < T.Before.Arrays.size(); ++I) {
    Rows += costRow(T.Before, T.Before.Arrays[I], Moves ? "before" : "");
    if (Moves && I < T.After.Arrays.size())
      Rows += costRow(T.After, T.After.Arrays[I], "after");
  }
  Rows += allRow(T.Before, Moves ? "before" : "");
  if (Moves)
    Rows += allRow(T.After, "after");
  return htmlTable("class=\"terms\"",
                   "Where the model sees the time of " + Name,
                   Rows + "</tbody>");
}

static std::string resourcesText(const PlannedTerms &T) {
  const auto Warps = [](const PredictedState &S) {
    return std::to_string(S.Warps);
  };
  const auto Cache = [](const PredictedState &S) {
    return fmt::format("{:.0f}", S.FirstLevelCacheBytes / 1024);
  };
  std::string Text =
      changeText(Warps(T.Before), Warps(T.After)) + " warps per multiprocessor";
  if (!T.After.Limiter.empty())
    Text += ", limited by " + changeText(T.Before.Limiter, T.After.Limiter);
  Text += "; L1 of " + changeText(Cache(T.Before), Cache(T.After)) + " KB";
  if (T.CodeGrowth > 1.005)
    Text += fmt::format("; {:.2f} times as much code", T.CodeGrowth);
  return Text;
}

// What the range comes from most.
static std::string assumptionText(const PlannedTerms &T) {
  const double Most = std::max({T.Agreeing, T.Random, T.Speedup});
  const double Least = std::min({T.Agreeing, T.Random, T.Speedup});
  std::string Text =
      Most > Least * T.ModelError
          ? fmt::format("how far the indices of a warp are apart: {:.2f} if "
                        "they agree, {:.2f} if they are random",
                        T.Agreeing, T.Random)
          : fmt::format("the model, which errs by a factor of {:.1f} either "
                        "way",
                        T.ModelError);
  if (T.GuessedLoops)
    Text += fmt::format("; how often {} run is a guess",
                        pluralText(T.GuessedLoops, "loop"));
  return Text;
}

static std::string termsList(const PlannedKernel &K) {
  const PlannedTerms &T = *K.Terms;
  FactList List;
  List.add("block size", K.BlockSize);
  List.add("shared memory per block",
           changeText(countText(K.SharedBefore), countText(K.SharedAfter)) +
               " bytes");
  List.add("resources", resourcesText(T));
  List.add(T.Taken ? "speedup" : "speedup, not taken",
           movesAny(T)
               ? fmt::format("{:.2f} for the shared memory × {:.2f} for the "
                             "access = {}",
                             T.Price, T.Gain,
                             rangeText(T.Speedup, T.Low, T.High))
               : "1.00, since nothing better was found than no change");
  List.add("it rests on", assumptionText(T));
  if (!T.WorstIf.empty() && T.Worst < 1)
    List.add("at worst", fmt::format("{:.2f} if {}", T.Worst, T.WorstIf));
  for (size_t I = 0; I < std::min(T.Considered.size(), MostConsidered); ++I) {
    const ConsideredChange &C = T.Considered[I];
    List.add("also considered",
             rangeText(C.Speedup, C.Low, C.High) + " " + C.What);
  }
  return List.html();
}

static std::string detailsHtml(const Predicted &P) {
  return fmt::format("<details><summary>The terms of {}</summary>\n",
                     nameHtml(P)) +
         timesTable(*P.Planned->Terms, P.Measured ? P.Measured->Short
                                                  : plotName(P.Planned->Name)) +
         termsList(*P.Planned) + "</details>\n";
}

std::string bankstripe::runtime::termsSection(const HtmlPlan &Plan,
                                              const KernelRows &Kernels) {
  std::vector<Predicted> Found = gather(Plan, Kernels);
  if (Found.empty())
    return "";
  const size_t LeftOut =
      Found.size() > MostKernels ? Found.size() - MostKernels : 0;
  Found.resize(Found.size() - LeftOut);
  std::string Rows =
      htmlColumns({"kernel", "predicted", "shared memory costs", "access gains",
                   "measured", "measured against predicted"}) +
      "<tbody>\n";
  std::string Details;
  for (const Predicted &P : Found) {
    Rows += summaryRow(P);
    Details += detailsHtml(P);
  }
  if (LeftOut)
    Details += fmt::format("<p class=\"hint\">{} more are left out here.</p>\n",
                           pluralText(LeftOut, "kernel"));
  return htmlSection(
      "terms", "What was predicted",
      htmlTable("class=\"sortable predicted\"",
                "The speedup that the plan rests on (its range), its two "
                "factors, and what was measured",
                Rows + "</tbody>") +
          Details);
}
