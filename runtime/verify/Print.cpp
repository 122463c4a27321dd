//===-- Print.cpp - a verification for people and for programs ------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "arch/ArchInfo.h"
#include "harness/Json.h"
#include "verify/Session.h"
#include <algorithm>
#include <fmt/ranges.h>
#include <functional>

using namespace bankstripe;
using namespace bankstripe::runtime;

constexpr size_t LongestKernelName = 40;
constexpr size_t MostListedLaunches = 8;

// A name without its parameters, and short enough for a column.
static std::string shortName(const std::string &Name) {
  std::string Short(withoutParameters(Name));
  if (Short.size() > LongestKernelName)
    Short = Short.substr(0, LongestKernelName - 3) + "...";
  return Short;
}

namespace {

struct KindFacts {
  const char *Name, *Text;
};

} // namespace

// In the order of DifferenceKind.
static constexpr KindFacts Kinds[] = {
    {"contents",
     "{memory}: the first difference is in the bytes {begin} to {last}"},
    {"kernel", "the rewritten program launches {rewritten_kernel} instead of "
               "{original_kernel}"},
    {"grid", "the grid is {original} in the original and {rewritten} in the "
             "rewritten program"},
    {"block", "the block is {original} in the original and {rewritten} in the "
              "rewritten program"},
    {"missing-launch",
     "the original program has {original}, the rewritten one {rewritten}"},
    {"extra-launch",
     "the original program has {original}, the rewritten one {rewritten}"},
    {"launch-error", "the launch ends with {original} in the original and with "
                     "{rewritten} in the rewritten program"},
    {"missing-allocation", "{memory} is live in the original program only"},
    {"extra-allocation", "{memory} is live in the rewritten program only"},
    {"allocation-size", "allocation {number} has {original} in the original "
                        "and {rewritten} in the rewritten program"},
    {"left", "{memory}: the first difference is in the bytes {begin} to "
             "{last}"},
};

static std::string describeDifference(const Difference &D) {
  const auto OrNothing = [](const std::string &Text) {
    return Text.empty() ? "no error" : Text;
  };
  return fmt::format(fmt::runtime(Kinds[static_cast<size_t>(D.Kind)].Text),
                     fmt::arg("memory", memoryName(D.IsVariable ? D.Name : "",
                                                   D.Allocation, D.Bytes)),
                     fmt::arg("number", D.Allocation),
                     fmt::arg("begin", D.Begin), fmt::arg("last", D.End - 1),
                     fmt::arg("original_kernel", D.OriginalKernel),
                     fmt::arg("rewritten_kernel", D.RewrittenKernel),
                     fmt::arg("original", OrNothing(D.Original)),
                     fmt::arg("rewritten", OrNothing(D.Rewritten)));
}

// How sure it is that no launch before differs.
static std::string describeLocation(const Location &L) {
  if (L.Range.isOne())
    return L.Rounds ? fmt::format("  found by running both programs {} more\n",
                                  plural(L.Rounds, "time"))
                    : "";
  return fmt::format("  it arose in one of the launches {} to {}, which is as "
                     "close as it gets: {}\n",
                     L.Range.first(), L.Range.Differs, L.Problem);
}

static std::string describeLaunchDifference(const VerifyReport &Report) {
  const Difference &D = *Report.Launches.First;
  const std::string &Kernel =
      D.OriginalKernel.empty() ? D.RewrittenKernel : D.OriginalKernel;
  std::string Text =
      fmt::format("{}\n  {}\n",
                  D.Kind == DifferenceKind::Left
                      ? "in the end"
                      : fmt::format("launch {} of {}, {}", D.Launch,
                                    Report.LaunchCount, Kernel),
                  describeDifference(D));
  if (Report.Found)
    Text += describeLocation(*Report.Found);
  if (D.Kind == DifferenceKind::Contents && Report.Bytes)
    Text += differenceText(*Report.Bytes);
  if (Report.Launches.DifferingLaunches > 1)
    Text += fmt::format("  {} differ in all\n",
                        plural(Report.Launches.DifferingLaunches, "launch"));
  return Text;
}

static std::string describeOutput(const OutputComparison &Output) {
  if (Output.Original == Output.Rewritten)
    return "the output differs in how it ends\n";
  return fmt::format("the output differs in line {}\n"
                     "  original   {}\n  rewritten  {}\n",
                     Output.Line, Output.Original, Output.Rewritten);
}

// The verdict, with the first difference.
static std::string printVerdict(const VerifyReport &Report) {
  if (Report.Verdict == ExitCannotRecord)
    return "not verified: " + Report.Reason + '\n';
  if (Report.Verdict == ExitIdentical)
    return fmt::format(
        "identical{}{}: {}, {}, {}, {} of output\n",
        Report.Skipped.empty() && Report.Launches.UnmatchedDigests == 0 &&
                !Report.Launches.FollowsOccupancy
            ? ""
            : " where it was compared",
        Report.Launches.deterministic() && !Report.Output.NotDeterministic
            ? ""
            : " as far as the original is deterministic",
        plural(Report.Launches.ComparedLaunches, "launch"),
        plural(Report.AllocationCount, "allocation"),
        plural(Report.VariableCount, "variable"),
        plural(Report.OutputBytes, "byte"));
  std::string Text = "differs: ";
  if (!Report.Reason.empty())
    Text += Report.Reason + '\n';
  if (Report.Launches.First)
    Text += describeLaunchDifference(Report);
  if (Report.Output.failed())
    Text += describeOutput(Report.Output);
  return Text;
}

static std::string runsOfOriginal(const VerifyReport &Report) {
  return (Report.Repeats == 2 ? "two" : std::to_string(Report.Repeats)) +
         " runs of the original";
}

static std::string listLaunches(const std::vector<unsigned> &Launches) {
  const auto Count = std::min(Launches.size(), MostListedLaunches);
  return fmt::format("{}{}",
                     fmt::join(Launches.data(), Launches.data() + Count, ", "),
                     Launches.size() > Count ? ", ..." : "");
}

static std::vector<std::string> nondeterminism(const VerifyReport &Report) {
  std::vector<std::string> Found;
  const Comparison &C = Report.Launches;
  const std::string Runs = runsOfOriginal(Report);
  if (!C.NotDeterministic.empty())
    Found.push_back(
        fmt::format("not deterministic: {} in {} ({}); what they write is not "
                    "compared\n",
                    plural(C.NotDeterministic.size(), "launch"), Runs,
                    listLaunches(C.NotDeterministic)));
  if (C.SequenceNotDeterministicFrom)
    Found.push_back(
        fmt::format("not deterministic: from launch {} on, {} launch different "
                    "things; the rest is not compared\n",
                    *C.SequenceNotDeterministicFrom, Runs));
  if (C.OrderNotDeterministic)
    Found.push_back(fmt::format(
        "not deterministic: {} host threads launch kernels, in another order "
        "in {}; the numbers of launches are compared, memory is not\n",
        C.Threads, Runs));
  else if (C.Threads > 1)
    Found.push_back(fmt::format("note: {} host threads launch kernels; their "
                                "order is taken to be the same in every run\n",
                                C.Threads));
  if (Report.Output.NotDeterministic)
    Found.push_back("output not deterministic: " + Runs +
                    " print different texts\n");
  return Found;
}

// Which launches were left out, and why: nothing is passed over in silence.
static std::vector<std::string> coverage(const VerifyReport &Report) {
  std::string Reasons;
  for (const auto &[Reason, Count] : Report.Skipped)
    if (Reason != "freed")
      Reasons += fmt::format(
          "{}{} {}", Reasons.empty() ? "" : ", ", Count,
          Reason == "collective" ? "of kernels that wait for others"
          : Report.First         ? fmt::format("by --first={}", *Report.First)
                                 : "by the survey");
  std::vector<std::string> Found;
  if (const auto &D = Report.Launches.FollowsOccupancy)
    Found.push_back(fmt::format(
        "from launch {} on, where {}, launches differ, probably since the "
        "program asks how many blocks are resident: of these, what both "
        "programs leave in the end and print is compared{}. With --versions, "
        "the answers stay as they were\n",
        D->Launch, describeDifference(*D),
        Report.Launches.WithoutCounterpart
            ? fmt::format(
                  ", but for {}",
                  plural(Report.Launches.WithoutCounterpart, "allocation") +
                      " without digests or an equal of its size")
            : ""));
  if (!Reasons.empty())
    Found.push_back(fmt::format(
        "memory was compared after {} of {}{} and at the end; left out: {}. "
        "What a launch that is left out writes is compared with the next one "
        "or at the end{}\n",
        Report.DigestedLaunches, plural(Report.LaunchCount, "launch"),
        Report.DigestsBeforeFree
            ? fmt::format(", {} before it was freed",
                          plural(Report.DigestsBeforeFree, "time"))
            : "",
        Reasons, Report.First ? "; --all leaves none out" : ""));
  if (Report.Launches.UnmatchedDigests > 0)
    Found.push_back(
        fmt::format("memory could not be compared after {}, since one of "
                    "the programs has no digests there\n",
                    plural(Report.Launches.UnmatchedDigests, "launch")));
  if (const auto At = Report.Skipped.find("freed"); At != Report.Skipped.end())
    Found.push_back(fmt::format(
        "{} freed before what was left in {} was compared\n",
        At->second == 1 ? "1 allocation was"
                        : fmt::format("{} allocations were", At->second),
        At->second == 1 ? "it" : "them"));
  return Found;
}

static std::string change(const KernelStatistics &K,
                          unsigned Resources::*Field) {
  const auto One = [&](const std::optional<FirstLaunch> &L) {
    return L ? std::to_string((*L).*Field) : std::string("-");
  };
  const std::string Before = One(K.Original), After = One(K.Rewritten);
  return Before == After ? Before : Before + " -> " + After;
}

using Cells = std::vector<std::string>;

static Cells timeCells(std::string Name, unsigned Launches,
                       const PairedTimes &T) {
  return {std::move(Name),
          std::to_string(Launches),
          plainDurationText(T.OriginalTime),
          plainDurationText(T.RewrittenTime),
          T.speedup() ? fmt::format("{:.2f}x", *T.speedup()) : "-",
          T.SpeedupInterval
              ? fmt::format("{:.3f} to {:.3f}", T.SpeedupInterval->Low,
                            T.SpeedupInterval->High)
              : "-",
          T.SpeedupInterval ? std::string(T.verdict()) : "-"};
}

static std::string table(const VerifyReport &Report) {
  std::vector<Cells> Rows = {{"kernel", "launches", "original", "rewritten",
                              "speedup", "95 % interval", "result", "registers",
                              "static shared", "local"}};
  std::vector<KernelStatistics> Kernels = Report.Kernels;
  std::ranges::stable_sort(Kernels, std::greater(),
                           [](const KernelStatistics &K) {
                             return std::max(K.OriginalTime, K.RewrittenTime);
                           });
  for (const KernelStatistics &K : Kernels) {
    Cells &Row = Rows.emplace_back(timeCells(shortName(K.Name), K.Launches, K));
    for (unsigned Resources::*Field :
         {&Resources::Registers, &Resources::StaticSharedBytes,
          &Resources::LocalBytes})
      Row.push_back(change(K, Field));
    for (const ComparedLaunches &Size : K.Sizes)
      Rows.push_back(timeCells("  " + Size.Name, Size.Launches, Size));
  }
  if (Report.Total.speedup())
    Rows.push_back(
        timeCells("all launches of a run", Report.LaunchCount, Report.Total));
  std::vector<size_t> Widths(Rows[0].size());
  for (auto &Row : Rows) {
    Row.resize(Widths.size());
    for (size_t I = 0; I < Row.size(); ++I)
      Widths[I] = std::max(Widths[I], Row[I].size());
  }
  std::string Text;
  for (const auto &Row : Rows) {
    std::string Line;
    for (size_t I = 0; I < Row.size(); ++I)
      Line += I == 0 ? fmt::format("{:<{}}", Row[I], Widths[I])
                     : fmt::format("  {:>{}}", Row[I], Widths[I]);
    Line.erase(Line.find_last_not_of(' ') + 1);
    Text += Line + '\n';
  }
  return Text;
}

// What the verdict does not cover, and notes; of one or more lines each.
static std::vector<std::string> reservations(const VerifyReport &Report) {
  std::vector<std::string> Found = nondeterminism(Report);
  if (Report.Verdict != ExitCannotRecord)
    for (std::string &Text : coverage(Report))
      Found.push_back(std::move(Text));
  if (Report.Launches.UndigestedLaunches > 0 && Report.Skipped.empty())
    Found.push_back(
        fmt::format("note: {} could be compared only by name and size\n",
                    plural(Report.Launches.UndigestedLaunches, "launch")));
  for (const std::string &Note : Report.Notes)
    Found.push_back("note: " + Note + '\n');
  return Found;
}

std::string bankstripe::runtime::printReport(const VerifyReport &Report) {
  std::string Text = printVerdict(Report);
  for (const std::string &Found : reservations(Report))
    Text += Found;
  if (Report.Kernels.empty())
    return Text;
  Text += fmt::format(
      "\n{} (compute capability {}); {}\n", Report.Device, Report.Capability,
      Report.Runs ? fmt::format("all launches of a run together, "
                                "medians of {} each",
                                plural(Report.Runs, "run"))
                  : std::string("not timed"));
  if (Report.Runs > 0 && Report.Runs < FewestRunsForInterval)
    Text += fmt::format("no intervals: they need --runs={} or more\n",
                        FewestRunsForInterval);
  return Text + table(Report);
}

static Json differenceJson(const VerifyReport &Report) {
  const Difference &D = *Report.Launches.First;
  Json Result = {{"launch", D.Launch}, {"rewrittenKernel", D.RewrittenKernel}};
  const bool OfMemory = D.Bytes > 0;
  if (OfMemory && D.IsVariable)
    Result["variable"] = D.Name;
  else if (OfMemory)
    Result["allocation"] = D.Allocation;
  if (OfMemory)
    Result["bytes"] = D.Bytes;
  if (D.Kind == DifferenceKind::Contents)
    Result["range"] = {D.Begin, D.End};
  if (!D.Original.empty() || !D.Rewritten.empty()) {
    Result["original"] = D.Original;
    Result["rewritten"] = D.Rewritten;
  }
  if (Report.Found)
    Result["located"] = {
        {"exactly", Report.Found->Range.isOne()},
        {"launches",
         {Report.Found->Range.first(), Report.Found->Range.Differs}},
        {"rounds", Report.Found->Rounds},
        {"problem", Report.Found->Problem}};
  if (Report.Bytes)
    Result["firstByte"] = {
        {"offset", Report.Bytes->Offset},
        {"lookedAt", {Report.Bytes->Begin, Report.Bytes->End}},
        {"differingBytes", Report.Bytes->DifferingBytes}};
  if (Report.Bytes)
    for (const ElementDifference &E : Report.Bytes->Elements)
      Result["firstElements"].push_back({{"type", E.Type},
                                         {"index", E.Index},
                                         {"original", E.Original},
                                         {"rewritten", E.Rewritten}});
  return Result;
}

// Of a kernel in one of the programs, as its first launch takes them.
static Json resourcesJson(const std::optional<FirstLaunch> &L,
                          const std::string &Architecture) {
  if (!L)
    return nullptr;
  const unsigned Warps =
      bankstripe::residentWarps(Architecture, L->Threads, L->Registers,
                                L->StaticSharedBytes + L->DynamicSharedBytes);
  return {{"registers", L->Registers},
          {"staticShared", L->StaticSharedBytes},
          {"local", L->LocalBytes},
          {"blockThreads", L->Threads},
          {"dynamicShared", L->DynamicSharedBytes},
          {"residentWarps", Warps ? Json(Warps) : Json()}};
}

static Json outputJson(const VerifyReport &Report) {
  const OutputComparison &O = Report.Output;
  if (!O.Compared)
    return nullptr;
  Json Result = {{"bytes", Report.OutputBytes},
                 {"identical", !O.Differs},
                 {"deterministic", !O.NotDeterministic}};
  if (O.Differs) {
    Result["line"] = O.Line;
    Result["original"] = O.Original;
    Result["rewritten"] = O.Rewritten;
  }
  return Result;
}

// What the tool reads as well.
static ComparisonResult resultOf(const VerifyReport &Report) {
  ComparisonResult Result;
  Result.Verdict = Report.Verdict == ExitIdentical ? ResultVerdict::Identical
                   : Report.Verdict == ExitDiffers ? ResultVerdict::Differs
                                                   : ResultVerdict::NotVerified;
  Result.Reason = Report.Reason;
  Result.Device = Report.Device;
  Result.Capability = Report.Capability;
  if (const std::optional<Difference> &D = Report.Launches.First)
    Result.Difference = {Kinds[static_cast<size_t>(D->Kind)].Name,
                         D->OriginalKernel};
  Result.Kernels.assign(Report.Kernels.begin(), Report.Kernels.end());
  Result.AllLaunches = Report.Total;
  return Result;
}

std::string bankstripe::runtime::jsonReport(const VerifyReport &Report) {
  const Comparison &Launches = Report.Launches;
  Json Result = jsonOf(resultOf(Report));
  Result.update({{"verdictText", printVerdict(Report)},
                 {"reservations", reservations(Report)},
                 {"originalCommand", Report.OriginalCommand},
                 {"rewrittenCommand", Report.RewrittenCommand},
                 {"runs", Report.Runs},
                 {"launches", Report.LaunchCount},
                 {"comparedLaunches", Launches.ComparedLaunches},
                 {"undigestedLaunches", Launches.UndigestedLaunches},
                 {"unmatchedDigests", Launches.UnmatchedDigests},
                 {"differingLaunches", Launches.DifferingLaunches},
                 {"digestedLaunches", Report.DigestedLaunches},
                 {"digestsBeforeFree", Report.DigestsBeforeFree},
                 {"skipped", Report.Skipped},
                 {"first", Report.First},
                 {"repeats", Report.Repeats},
                 {"notDeterministic", Launches.NotDeterministic},
                 {"threads", Launches.Threads},
                 {"orderNotDeterministic", Launches.OrderNotDeterministic},
                 {"allocations", Report.AllocationCount},
                 {"variables", Report.VariableCount},
                 {"output", outputJson(Report)},
                 {"notes", Report.Notes}});
  if (Launches.SequenceNotDeterministicFrom)
    Result["sequenceNotDeterministicFrom"] =
        *Launches.SequenceNotDeterministicFrom;
  if (Launches.FollowsOccupancy)
    Result["followsOccupancyFrom"] = Launches.FollowsOccupancy->Launch;
  if (Launches.First)
    Result["difference"].update(differenceJson(Report));
  // "9.0" is sm_90.
  std::string Architecture = "sm_" + Report.Capability;
  std::erase(Architecture, '.');
  for (size_t I = 0; I < Report.Kernels.size(); ++I) {
    const KernelStatistics &K = Report.Kernels[I];
    Result["kernels"][I].update(
        {{"function", withoutParameters(K.Name)},
         {"original", resourcesJson(K.Original, Architecture)},
         {"rewritten", resourcesJson(K.Rewritten, Architecture)}});
  }
  return jsonText(Result);
}
