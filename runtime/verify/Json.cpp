//===-- Json.cpp - a verification for programs ----------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "verify/Json.h"
#include "arch/ArchInfo.h"
#include "recording/Optional.h"
#include "verify/Print.h"

using namespace bankstripe::runtime;
using Json = nlohmann::ordered_json;

static Json differenceJson(const VerifyReport &Report) {
  const Difference &D = *Report.Launches.First;
  Json Result = {{"kind", kindName(D.Kind)},
                 {"launch", D.Launch},
                 {"original-kernel", D.OriginalKernel},
                 {"rewritten-kernel", D.RewrittenKernel}};
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
    Result["first-byte"] = {
        {"offset", Report.Bytes->Offset},
        {"looked-at", {Report.Bytes->Begin, Report.Bytes->End}},
        {"differing-bytes", Report.Bytes->DifferingBytes}};
  if (Report.Bytes)
    for (const ElementDifference &E : Report.Bytes->Elements)
      Result["first-elements"].push_back({{"type", E.Type},
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
          {"static-shared", L->StaticSharedBytes},
          {"local", L->LocalBytes},
          {"block-threads", L->Threads},
          {"dynamic-shared", L->DynamicSharedBytes},
          {"resident-warps", Warps ? Json(Warps) : Json()}};
}

Json bankstripe::runtime::timesJson(const PairedTimes &T) {
  return {{"original-median-ns", T.MedianOriginal},
          {"rewritten-median-ns", T.MedianRewritten},
          {"speedup", T.speedup()},
          {"speedup-interval",
           T.Sure ? Json({T.Sure->Low, T.Sure->High}) : Json(nullptr)},
          {"result", T.verdict()}};
}

static Json kernelJson(const KernelStatistics &K,
                       const std::string &Architecture) {
  Json Result = {{"name", K.Name},
                 {"function", functionName(K.Name)},
                 {"launches", K.Launches}};
  Result.update(timesJson(K));
  Result["original-total-ns"] = K.TotalOriginal;
  Result["rewritten-total-ns"] = K.TotalRewritten;
  Result["original"] = resourcesJson(K.Original, Architecture);
  Result["rewritten"] = resourcesJson(K.Rewritten, Architecture);
  return Result;
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

static Json captureJson(const CaptureReport &C) {
  Json Result = {{"file", C.Path}, {"launch", C.What}, {"problem", C.Problem}};
  if (!C.isThere())
    return Result;
  Result["kernel"] = C.Kernel;
  Result["bytes"] = C.Bytes;
  Result["replay"] = C.command();
  Result["rewritten-problem"] = C.RewrittenProblem;
  Result["lacks"] = C.Lacks;
  return Result;
}

std::string bankstripe::runtime::jsonReport(const VerifyReport &Report) {
  const char *Verdict = Report.Verdict == ExitIdentical ? "identical"
                        : Report.Verdict == ExitDiffers ? "differs"
                                                        : "not-verified";
  Json Result = {{"version", 1},
                 {"verdict", Verdict},
                 {"reason", Report.Reason},
                 {"verdict-text", printVerdict(Report)},
                 {"reservations", reservations(Report)},
                 {"device", Report.Device},
                 {"capability", Report.Capability},
                 {"original-command", Report.OriginalCommand},
                 {"rewritten-command", Report.RewrittenCommand},
                 {"runs", Report.Runs},
                 {"launches", Report.LaunchCount},
                 {"compared-launches", Report.Launches.ComparedLaunches},
                 {"undigested-launches", Report.Launches.UndigestedLaunches},
                 {"unmatched-digests", Report.Launches.UnmatchedDigests},
                 {"differing-launches", Report.Launches.DifferingLaunches},
                 {"digested-launches", Report.DigestedLaunches},
                 {"digests-before-free", Report.DigestsBeforeFree},
                 {"skipped", Report.Skipped},
                 {"budget", Report.Budget},
                 {"repeats", Report.Repeats},
                 {"not-deterministic", Report.Launches.NotDeterministic}};
  if (Report.Launches.SequenceNotDeterministicFrom)
    Result["sequence-not-deterministic-from"] =
        *Report.Launches.SequenceNotDeterministicFrom;
  Result["threads"] = Report.Launches.Threads;
  Result["order-not-deterministic"] = Report.Launches.OrderNotDeterministic;
  Result["allocations"] = Report.AllocationCount;
  Result["variables"] = Report.VariableCount;
  Result["difference"] =
      Report.Launches.First ? differenceJson(Report) : Json(nullptr);
  if (Report.Captured)
    Result["capture"] = captureJson(*Report.Captured);
  Result["output"] = outputJson(Report);
  // "9.0" is sm_90.
  std::string Architecture = "sm_" + Report.Capability;
  std::erase(Architecture, '.');
  Result["kernels"] = Json::array();
  for (const KernelStatistics &K : Report.Kernels)
    Result["kernels"].push_back(kernelJson(K, Architecture));
  Result["all-launches"] = timesJson(Report.Total);
  Result["notes"] = Report.Notes;
  // What programs print need not be UTF-8.
  return Result.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}
