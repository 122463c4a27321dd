//===-- Json.cpp - the plan for machines ----------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything that the text form shows, under stable names.
// docs/reference/json.md is the description; "schema" counts up when a name
// changes its meaning.
//
//===----------------------------------------------------------------------===//

#include "report/Report.h"

namespace json = llvm::json;

namespace bankstripe {

// The value may outlive the plan.
json::Value jsonText(llvm::StringRef S) {
  return json::isUTF8(S) ? S.str() : json::fixUTF8(S);
}

// A figure that is 0 when nobody knows it.
static json::Value known(uint64_t Value) {
  return Value ? json::Value(Value) : json::Value(nullptr);
}

// The toJSON are for json::Value, which makes vectors and optional values of
// such structs by itself.

static json::Value toJSON(const Place &P) {
  if (!P.isValid())
    return nullptr;
  return json::Object{
      {"file", jsonText(P.File)}, {"line", P.Line}, {"column", P.Column}};
}

static json::Value toJSON(const Use &U) {
  static constexpr llvm::StringLiteral Names[] = {"read", "write", "read-write",
                                                  "address"};
  return json::Object{{"place", U.Where},
                      {"access", Names[static_cast<unsigned>(U.Access)]},
                      {"constantIndex", U.ConstantIndex}};
}

static json::Object array(const Plan &P, const PlannedArray &A) {
  const Verdict &V = A.Verdict;
  const ArrayShape &Shape = A.Array.Shape;
  const ReasonInfo &Info = infoOf(V.Why);
  json::Array Kernels;
  for (unsigned K : A.Kernels)
    Kernels.push_back(jsonText(P.Kernels[K].Facts.Name));
  json::Object Result{{"name", jsonText(A.Array.Name)},
                      {"place", A.Array.Where},
                      {"function", jsonText(A.Array.Function.Name)},
                      {"type", jsonText(Shape.Type)},
                      {"elementBytes", Shape.ElementBytes},
                      {"extents", Shape.Extents},
                      {"bytesPerThread", Shape.BytesPerThread},
                      {"verdict", nameOf(V.Kind)},
                      {"reason", Info.Id},
                      {"message", Info.Summary},
                      {"advice", V.advice()},
                      {"detail", jsonText(V.Detail)},
                      {"reasonPlace", V.Where},
                      {"kernels", std::move(Kernels)},
                      {"uses", A.Array.Uses},
                      {"residency", nameOf(residencyOf(A))},
                      {"residencySource", A.Frame == FrameAnswer::NotAsked
                                              ? "optimizer"
                                              : "ptxas"},
                      {"index", nameOf(A.Evidence.Index)}};
  if (V.hasForm())
    Result["form"] = nameOf(V.Form);
  if (V.First)
    Result["first"] = V.First;
  if (V.usesShared()) {
    Result["sharedBytes"] = V.SharedBytes;
    Result["storage"] = V.Storage.Dynamic ? "dynamic" : "static";
    Result["bytesPerWarp"] = V.Storage.BytesPerWarp;
  }
  return Result;
}

static json::Value resources(const ResourceTable &Table, const Kernel &K) {
  auto It = Table.find(K.Id);
  if (It == Table.end())
    return nullptr;
  const KernelResources &R = It->second;
  return json::Object{
      {"stackFrame", R.StackFrame},   {"spillStores", R.SpillStores},
      {"spillLoads", R.SpillLoads},   {"registers", R.Registers},
      {"sharedBytes", R.SharedBytes}, {"codeBytes", R.CodeBytes}};
}

static json::Value toJSON(const Words &W) {
  return json::Object{{"loaded", W.Loaded}, {"stored", W.Stored}};
}

static json::Value work(const KernelPlan &K, const Plan &P) {
  if (!K.Work)
    return nullptr;
  json::Array Arrays;
  for (const auto &[Index, W] : K.Work->Arrays)
    Arrays.push_back(
        json::Object{{"array", jsonText(P.Arrays[Index].Array.Name)},
                     {"uniform", W.Uniform},
                     {"nonUniform", W.NonUniform},
                     {"counted", W.Counted}});
  return json::Object{{"instructions", K.Work->Instructions},
                      {"doubleOperations", K.Work->DoubleOperations},
                      {"global", K.Work->Global},
                      {"rows", K.Work->Rows},
                      {"gathered", K.Work->Gathered},
                      {"shared", K.Work->Shared},
                      {"otherLocal", K.Work->OtherLocal},
                      {"arrays", std::move(Arrays)}};
}

static json::Value toJSON(const Prediction &P) {
  return json::Object{{"speedup", P.Speedup},
                      {"low", P.Low},
                      {"high", P.High},
                      {"resourceFactor", P.ResourceFactor},
                      {"accessFactor", P.AccessFactor}};
}

static json::Value kernel(const KernelPlan &K, const Plan &P,
                          const ConfirmedResources &R) {
  json::Array Failing;
  for (const auto &[Where, Threads] : K.Failing)
    Failing.push_back(json::Object{{"place", Where}, {"threads", Threads}});
  return json::Object{
      {"name", jsonText(K.Facts.Name)},
      {"mangledName", jsonText(K.Facts.Id)},
      {"place", K.Facts.Where},
      {"blockSize", known(K.Block.Threads)},
      {"blockSizeSource", nameOf(K.Block.Source)},
      {"blockSizeText", jsonText(K.Block.Text)},
      {"addsLaunchBounds", K.AddLaunchBounds},
      {"failingLaunches", std::move(Failing)},
      {"hasVersion", K.HasVersion},
      {"whereResident", K.WhereResident},
      {"chooses", K.Chooses},
      {"whyNoChoice", jsonText(K.WhyNoChoice)},
      {"sharedBytesBefore", K.SharedBefore},
      {"sharedBytesAfter", K.SharedAfter},
      {"dynamicBytesPerWarp", K.WarpBytes},
      {"carveout", textOf(K.Carved)},
      {"warpsPerMultiprocessorBefore", known(K.WarpsBefore)},
      {"warpsPerMultiprocessorAfter", known(K.WarpsAfter)},
      {"work", work(K, P)},
      {"predicted", K.Predicted},
      {"ptxasBefore", resources(R.Before, K.Facts)},
      {"ptxasAfter", resources(R.After, K.Facts)},
      {"unnamedFrameBytes", K.Frame.UnnamedBytes},
  };
}

static json::Value toJSON(const DecisionOutcome &O) {
  const ArrayDecision &D = O.Decision;
  return json::Object{{"place", D.Where},
                      {"file", jsonText(D.File)},
                      {"function", jsonText(D.Function)},
                      {"array", jsonText(D.Array)},
                      {"occurrence", D.Occurrence},
                      {"decision", nameOf(D.Wanted)},
                      {"why", jsonText(D.Why)},
                      {"state", nameOf(O.State)},
                      {"detail", jsonText(O.Detail)},
                      {"arrayPlace", O.Array}};
}

static json::Value toJSON(const KernelOutcome &O) {
  const KernelDecision &D = O.Decision;
  return json::Object{
      {"place", D.Where},
      {"file", jsonText(D.File)},
      {"kernel", jsonText(D.Kernel)},
      {"why", jsonText(D.Why)},
      {"state", nameOf(O.State)},
      {"detail", jsonText(O.Detail)},
      {"blockSize", D.BlockSize},
      {"carveout", D.Wanted ? json::Value(textOf(*D.Wanted)) : nullptr}};
}

static json::Value toJSON(const ChangedFile &File) {
  std::string Diff;
  llvm::raw_string_ostream OS(Diff);
  printDiff(OS, displayName(File.Path), File);
  return json::Object{{"file", jsonText(File.Path)}, {"diff", jsonText(Diff)}};
}

json::Value toJson(const Plan &P, const ConfirmedResources &Resources,
                   llvm::ArrayRef<ChangedFile> Changes) {
  json::Array Arrays, Kernels;
  for (const PlannedArray &A : P.Arrays)
    Arrays.push_back(array(P, A));
  for (const KernelPlan &K : P.Kernels)
    Kernels.push_back(kernel(K, P, Resources));
  json::Object Whole{{"schema", 1},
                     {"tool", "bankstripe"},
                     {"arrays", std::move(Arrays)},
                     {"kernels", std::move(Kernels)},
                     {"decisions", P.Outcomes},
                     {"kernelDecisions", P.KernelOutcomes},
                     {"programFiles", known(P.ProgramFiles)},
                     {"changes", json::Array(Changes)}};
  if (std::string Gpu = otherFittedGpu(P); !Gpu.empty())
    Whole["constantsFittedOn"] = Gpu;
  return Whole;
}

} // namespace bankstripe
