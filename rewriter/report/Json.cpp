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

using namespace bankstripe;
namespace json = llvm::json;

// The value may outlive the plan.
json::Value bankstripe::jsonText(llvm::StringRef S) {
  return json::isUTF8(S) ? S.str() : json::fixUTF8(S);
}

static json::Value place(const Place &P) {
  if (!P.isValid())
    return nullptr;
  return json::Object{
      {"file", jsonText(P.File)}, {"line", P.Line}, {"column", P.Column}};
}

// A figure that is 0 when nobody knows it.
static json::Value known(uint64_t Value) {
  return Value ? json::Value(Value) : json::Value(nullptr);
}

static json::Value use(const Use &U) {
  static constexpr llvm::StringLiteral Names[] = {"read", "write", "read-write",
                                                  "address"};
  return json::Object{{"place", place(U.Where)},
                      {"access", Names[static_cast<unsigned>(U.Access)]},
                      {"constantIndex", U.ConstantIndex}};
}

// What every array has, be it a thread's own or a shared one, whose shape and
// function are Shape and Function.
template <class ArrayFacts, class ShapeFacts>
static json::Object commonOf(const ArrayFacts &Array, const ShapeFacts &Shape,
                             llvm::StringRef Function, VerdictKind Kind,
                             Reason Why, const Place &WhyWhere) {
  const ReasonInfo &Info = infoOf(Why);
  return json::Object{{"name", jsonText(Array.Name)},
                      {"place", place(Array.Where)},
                      {"function", jsonText(Function)},
                      {"type", jsonText(Shape.Type)},
                      {"elementBytes", Shape.ElementBytes},
                      {"extents", json::Array(Shape.Extents)},
                      {"verdict", nameOf(Kind)},
                      {"reason", Info.Id},
                      {"message", Info.Summary},
                      {"advice", Info.Advice},
                      {"reasonPlace", place(WhyWhere)}};
}

static json::Object array(const Plan &P, const PlannedArray &A) {
  const Verdict &V = A.Verdict;
  json::Array Kernels, Uses;
  for (unsigned K : A.Kernels)
    Kernels.push_back(jsonText(P.Kernels[K].Facts.Name));
  for (const Use &U : A.Array.Uses)
    Uses.push_back(use(U));
  json::Object Result = commonOf(A.Array, A.Array.Shape, A.Array.Function.Name,
                                 V.Kind, V.Why, V.Where);
  Result["kernels"] = std::move(Kernels);
  Result["bytesPerThread"] = A.Array.Shape.BytesPerThread;
  Result["uses"] = std::move(Uses);
  Result["residency"] = nameOf(A.Evidence.Where);
  Result["index"] = nameOf(A.Evidence.Index);
  Result["detail"] = jsonText(V.Detail);
  if (V.hasForm())
    Result["form"] = nameOf(V.Form);
  if (V.First)
    Result["first"] = V.First;
  if (V.usesShared()) {
    Result["sharedBytes"] = V.SharedBytes;
    Result["storage"] = V.Storage.Dynamic ? "dynamic" : "static";
    Result["inVersion"] = V.Storage.InVersion;
    Result["bytesPerWarp"] = V.Storage.BytesPerWarp;
  }
  return Result;
}

static json::Object sharedArray(const PlannedSharedArray &A) {
  json::Array Conflicts;
  for (const BankConflict &C : A.Conflicts)
    Conflicts.push_back(json::Object{
        {"place", place(C.Where)}, {"before", C.Before}, {"after", C.After}});
  json::Object Result =
      commonOf(A.Array, A.Array, A.Array.Function,
               A.Padding ? VerdictKind::Padded : VerdictKind::Unchanged, A.Why,
               A.WhyWhere);
  Result["conflicts"] = std::move(Conflicts);
  Result["padding"] = A.Padding;
  Result["addedBytes"] = A.AddedBytes;
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

static json::Value words(const Words &W) {
  return json::Object{{"loaded", W.Loaded}, {"stored", W.Stored}};
}

static json::Value work(const KernelPlan &K, const Plan &P) {
  if (!K.Work)
    return nullptr;
  json::Array Arrays;
  for (const auto &[Index, W] : K.Work->Arrays)
    Arrays.push_back(
        json::Object{{"array", jsonText(P.Arrays[Index].Array.Name)},
                     {"uniform", words(W.Uniform)},
                     {"nonUniform", words(W.NonUniform)},
                     {"counted", words(W.Counted)}});
  return json::Object{{"instructions", K.Work->Instructions},
                      {"doubleOperations", K.Work->DoubleOperations},
                      {"global", K.Work->Global},
                      {"rows", K.Work->Rows},
                      {"gathered", K.Work->Gathered},
                      {"shared", K.Work->Shared},
                      {"otherLocal", K.Work->OtherLocal},
                      {"arrays", std::move(Arrays)}};
}

static json::Value stateToJson(const PredictedState &State) {
  json::Array Arrays;
  for (const ArrayCost &Cost : State.Arrays)
    Arrays.push_back(
        json::Object{{"array", jsonText(Cost.Name)},
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

// The terms of the model (docs/guide/report.md); null when nothing was
// predicted.
static json::Value explanation(const KernelPlan &K) {
  if (!K.Explained)
    return nullptr;
  const Explanation &E = *K.Explained;
  json::Array Alternatives;
  for (const Alternative &A : E.Alternatives)
    Alternatives.push_back(json::Object{{"what", jsonText(A.What)},
                                        {"speedup", A.Predicted.Speedup},
                                        {"low", A.Predicted.Low},
                                        {"high", A.Predicted.High}});
  json::Array Splits;
  for (const SplitCost &S : E.Splits)
    Splits.push_back(json::Object{{"array", jsonText(S.Name)},
                                  {"first", S.First},
                                  {"sharedBytes", S.Bytes},
                                  {"warps", S.Warps}});
  return json::Object{{"taken", E.Taken},
                      {"speedup", E.Predicted.Speedup},
                      {"low", E.Predicted.Low},
                      {"high", E.Predicted.High},
                      {"resourceFactor", E.Predicted.ResourceFactor},
                      {"accessFactor", E.Predicted.AccessFactor},
                      {"worst", E.Predicted.Worst},
                      {"worstIf", E.Predicted.WorstIf},
                      {"codeGrowth", E.Predicted.CodeGrowth},
                      {"shareInFrame", E.Predicted.ShareInFrame},
                      {"speedupIfAgreeing", E.Agreeing},
                      {"speedupIfRandom", E.Random},
                      {"modelError", E.ModelError},
                      {"guessedLoops", E.GuessedLoops},
                      {"speedupIfLoopsRunOften", E.Often},
                      {"speedupIfLoopsRunSeldom", E.Seldom},
                      {"before", stateToJson(E.Before)},
                      {"after", stateToJson(E.After)},
                      {"alternatives", std::move(Alternatives)},
                      {"splits", std::move(Splits)}};
}

static json::Value prediction(const KernelPlan &K) {
  if (!K.Predicted)
    return nullptr;
  const Prediction &P = *K.Predicted;
  return json::Object{{"speedup", P.Speedup},
                      {"low", P.Low},
                      {"high", P.High},
                      {"resourceFactor", P.ResourceFactor},
                      {"accessFactor", P.AccessFactor},
                      {"explanation", explanation(K)}};
}

static json::Value kernel(const KernelPlan &K, const Plan &P,
                          const ConfirmedResources &R) {
  return json::Object{
      {"name", jsonText(K.Facts.Name)},
      {"mangledName", jsonText(K.Facts.Id)},
      {"place", place(K.Facts.Where)},
      {"blockSize", known(K.Block.Threads)},
      {"blockSizeSource", nameOf(K.Block.Source)},
      {"blockSizeText", jsonText(K.Block.Text)},
      {"addsLaunchBounds", K.AddLaunchBounds},
      {"hasVersion", K.HasVersion},
      {"redirected", K.Redirected},
      {"sharedBytesBefore", K.SharedBefore},
      {"sharedBytesAfter", K.SharedAfter},
      {"dynamicBytesPerWarp", K.WarpBytes},
      {"carveout", textOf(K.Carved)},
      {"warpsPerMultiprocessorBefore", known(K.WarpsBefore)},
      {"warpsPerMultiprocessorAfter", known(K.WarpsAfter)},
      {"work", work(K, P)},
      {"predicted", prediction(K)},
      {"ptxasBefore", resources(R.Before, K.Facts)},
      {"ptxasAfter", resources(R.After, K.Facts)},
  };
}

static json::Value decision(const DecisionOutcome &O) {
  const ArrayDecision &D = O.Decision;
  return json::Object{
      {"place", place(D.Where)},          {"file", jsonText(D.File)},
      {"function", jsonText(D.Function)}, {"array", jsonText(D.Array)},
      {"occurrence", D.Occurrence},       {"decision", nameOf(D.Wanted)},
      {"why", jsonText(D.Why)},           {"state", nameOf(O.State)},
      {"detail", jsonText(O.Detail)},     {"arrayPlace", place(O.Array)}};
}

static json::Value decision(const KernelOutcome &O) {
  const KernelDecision &D = O.Decision;
  return json::Object{
      {"place", place(D.Where)},
      {"file", jsonText(D.File)},
      {"kernel", jsonText(D.Kernel)},
      {"why", jsonText(D.Why)},
      {"state", nameOf(O.State)},
      {"detail", jsonText(O.Detail)},
      {"blockSize", D.BlockSize},
      {"carveout", D.Wanted ? json::Value(textOf(*D.Wanted)) : nullptr}};
}

json::Value bankstripe::toJson(const Plan &P,
                               const ConfirmedResources &Resources,
                               llvm::ArrayRef<ChangedFile> Changes) {
  json::Array Arrays, Shared, Kernels, Decisions, KernelDecisions;
  for (const PlannedArray &A : P.Arrays)
    Arrays.push_back(array(P, A));
  for (const PlannedSharedArray &A : P.SharedArrays)
    Shared.push_back(sharedArray(A));
  for (const KernelPlan &K : P.Kernels)
    Kernels.push_back(kernel(K, P, Resources));
  for (const DecisionOutcome &O : P.Outcomes)
    Decisions.push_back(decision(O));
  for (const KernelOutcome &O : P.KernelOutcomes)
    KernelDecisions.push_back(decision(O));
  json::Array Files;
  for (const ChangedFile &File : Changes) {
    std::string Diff;
    llvm::raw_string_ostream OS(Diff);
    printDiff(OS, displayName(File.Path), File);
    Files.push_back(
        json::Object{{"file", jsonText(File.Path)}, {"diff", jsonText(Diff)}});
  }
  json::Object Whole{{"schema", 1},
                     {"tool", "bankstripe"},
                     {"arrays", std::move(Arrays)},
                     {"sharedArrays", std::move(Shared)},
                     {"kernels", std::move(Kernels)},
                     {"decisions", std::move(Decisions)},
                     {"kernelDecisions", std::move(KernelDecisions)},
                     {"programFiles", known(P.ProgramFiles)},
                     {"changes", std::move(Files)}};
  if (std::string Gpu = otherFittedGpu(P); !Gpu.empty())
    Whole["constantsFittedOn"] = Gpu;
  return Whole;
}
