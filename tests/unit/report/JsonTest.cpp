//===-- JsonTest.cpp - the plan for machines ------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// docs/reference/json.md promises these names and values.
//
//===----------------------------------------------------------------------===//

#include "Sample.h"
#include "report/Report.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

using namespace bankstripe;
using namespace bankstripe::testing;
namespace json = llvm::json;

namespace {

json::Value parsed(llvm::StringRef Text) {
  llvm::Expected<json::Value> Value = json::parse(Text);
  if (Value)
    return *Value;
  ADD_FAILURE() << toString(Value.takeError());
  return nullptr;
}

std::string text(const json::Value &V) {
  return llvm::formatv("{0:2}", V).str();
}

// Equal, with a message that can be read.
void expectEqual(const json::Value &Actual, llvm::StringRef Expected) {
  EXPECT_EQ(text(Actual), text(parsed(Expected)));
}

const json::Object &arrayOf(const json::Value &Whole, size_t Index) {
  return *(*Whole.getAsObject()->getArray("arrays"))[Index].getAsObject();
}
const json::Object &kernelOf(const json::Value &Whole) {
  return *(*Whole.getAsObject()->getArray("kernels"))[0].getAsObject();
}

TEST(Json, SaysWhatItIs) {
  expectEqual(toJson(Plan(), ConfirmedResources()),
              R"json({"schema": 1, "tool": "bankstripe", "arrays": [],
                  "kernels": [], "decisions": [], "kernelDecisions": [],
                  "programFiles": null, "changes": []})json");
}

TEST(Json, SaysWhichGpuPredictionsComeFromIfItIsAnother) {
  Plan P;
  P.GpuArch = "sm_90a";
  EXPECT_FALSE(toJson(P, {}).getAsObject()->get("constantsFittedOn"));
  P.GpuArch = "sm_80";
  EXPECT_EQ(toJson(P, {}).getAsObject()->getString("constantsFittedOn"),
            "NVIDIA H200 (sm_90)");
}

TEST(Json, ArrayThatMoves) {
  json::Value Whole = toJson(samplePlan(), ConfirmedResources());
  expectEqual(json::Object(arrayOf(Whole, 0)), R"json({
    "name": "seen", "function": "count", "kernels": ["count"],
    "place": {"file": "/src/count.cu", "line": 2, "column": 8},
    "type": "char[16]", "elementBytes": 1, "extents": [16],
    "bytesPerThread": 16,
    "uses": [{"place": {"file": "/src/count.cu", "line": 5, "column": 3},
              "access": "read-write", "constantIndex": false}],
    "residency": "local memory", "residencySource": "optimizer",
    "index": "non-uniform",
    "verdict": "stripe", "reason": "dynamic-index",
    "message": "its dynamic indices force it into local memory",
    "detail": "", "advice": "",
    "reasonPlace": {"file": "/src/count.cu", "line": 2, "column": 8},
    "form": "one element per word", "sharedBytes": 8192,
    "storage": "static", "bytesPerWarp": 0})json");
}

TEST(Json, ArrayThatStaysHasNoForm) {
  json::Value Whole = toJson(samplePlan(), ConfirmedResources());
  expectEqual(json::Object(arrayOf(Whole, 3)), R"json({
    "name": "row", "function": "count", "kernels": ["count"],
    "place": {"file": "/src/count.cu", "line": 6, "column": 7},
    "type": "int[4]", "elementBytes": 0, "extents": [],
    "bytesPerThread": 16, "uses": [],
    "residency": "local memory", "residencySource": "optimizer",
    "index": "unknown",
    "verdict": "unsupported", "reason": "decltype",
    "message": "decltype or a constant expression looks at it, and would see a reference afterwards",
    "detail": "", "advice": "write the type, or the number of its elements",
    "reasonPlace": {"file": "/src/count.cu", "line": 7, "column": 12}})json");
}

TEST(Json, ResidencyIsWhatPtxasSays) {
  Plan P = samplePlan();
  P.Arrays[0].Frame = FrameAnswer::NoFrame;
  P.Arrays[3].Frame = FrameAnswer::TooSmall;
  P.Kernels[0].Frame = {72, 24};
  json::Value Whole = toJson(P, ConfirmedResources());
  EXPECT_EQ(arrayOf(Whole, 0).getString("residency"), "registers");
  EXPECT_EQ(arrayOf(Whole, 0).getString("residencySource"), "ptxas");
  EXPECT_EQ(arrayOf(Whole, 3).getString("residency"), "unknown");
  EXPECT_EQ(kernelOf(Whole).getInteger("unnamedFrameBytes"), 24);
}

TEST(Json, SlotHasBytesAndNoForm) {
  json::Value Whole = toJson(samplePlan(), ConfirmedResources());
  const json::Object &List = arrayOf(Whole, 2);
  EXPECT_EQ(List.getString("verdict"), "slot");
  EXPECT_EQ(List.getString("advice"), "use it by subscripts in the kernel");
  EXPECT_EQ(List.getInteger("sharedBytes"), 2560);
  EXPECT_EQ(List.get("form"), nullptr);
}

TEST(Json, TableHasNeitherBytesNorForm) {
  Plan P = samplePlan();
  P.Arrays = {sampleArray("list", 4, Reason::ConstantTable)};
  json::Value Whole = toJson(P, ConfirmedResources());
  const json::Object &List = arrayOf(Whole, 0);
  EXPECT_EQ(List.getString("verdict"), "constant");
  EXPECT_EQ(List.get("sharedBytes"), nullptr);
  EXPECT_EQ(List.get("form"), nullptr);
}

KernelResources resources(unsigned StackFrame, unsigned SpillStores,
                          unsigned SpillLoads, unsigned Registers,
                          unsigned SharedBytes) {
  KernelResources R;
  R.StackFrame = StackFrame;
  R.SpillStores = SpillStores;
  R.SpillLoads = SpillLoads;
  R.Registers = Registers;
  R.SharedBytes = SharedBytes;
  return R;
}

TEST(Json, NamesOfAccesses) {
  Plan P = samplePlan();
  Use U = P.Arrays[0].Array.Uses.front();
  P.Arrays[0].Array.Uses.clear();
  for (AccessKind A : {AccessKind::Read, AccessKind::Write,
                       AccessKind::ReadWrite, AccessKind::Address}) {
    U.Access = A;
    P.Arrays[0].Array.Uses.push_back(U);
  }
  json::Value Whole = toJson(P, ConfirmedResources());
  std::vector<std::string> Names;
  for (const json::Value &Use : *arrayOf(Whole, 0).getArray("uses"))
    Names.push_back(Use.getAsObject()->getString("access")->str());
  EXPECT_EQ(Names, (std::vector<std::string>{"read", "write", "read-write",
                                             "address"}));
}

TEST(Json, Kernel) {
  ConfirmedResources R;
  R.Before["_Z5countPii"] = resources(64, 8, 4, 24, 0);
  R.After["_Z5countPii"] = resources(0, 0, 0, 32, 8192);
  R.After["_Z5countPii"].CodeBytes = 640;
  expectEqual(json::Object(kernelOf(toJson(samplePlan(), R))), R"json({
    "name": "count", "mangledName": "_Z5countPii",
    "place": {"file": "/src/count.cu", "line": 1, "column": 17},
    "blockSize": 128, "blockSizeSource": "launches",
    "blockSizeText": "launch at count.cu:9 (literal)",
    "addsLaunchBounds": true, "failingLaunches": [], "hasVersion": false,
    "whereResident": false, "chooses": false, "whyNoChoice": "",
    "sharedBytesBefore": 0, "sharedBytesAfter": 10752,
    "dynamicBytesPerWarp": 0, "carveout": "driver",
    "work": null, "predicted": null,
    "warpsPerMultiprocessorBefore": 64, "warpsPerMultiprocessorAfter": 60,
    "ptxasBefore": {"stackFrame": 64, "spillStores": 8, "spillLoads": 4,
                    "registers": 24, "sharedBytes": 0, "codeBytes": 0},
    "ptxasAfter": {"stackFrame": 0, "spillStores": 0, "spillLoads": 0,
                   "registers": 32, "sharedBytes": 8192, "codeBytes": 640},
    "unnamedFrameBytes": 0
})json");
}

TEST(Json, WhatNobodyKnowsIsNull) {
  Plan P = samplePlan();
  P.Kernels[0].Block.Threads = 0;
  P.Kernels[0].WarpsBefore = P.Kernels[0].WarpsAfter = 0;
  P.Arrays[0].Verdict.Where = Place();
  json::Value Whole = toJson(P, ConfirmedResources());
  for (const char *Name :
       {"blockSize", "warpsPerMultiprocessorBefore",
        "warpsPerMultiprocessorAfter", "ptxasBefore", "ptxasAfter"})
    EXPECT_TRUE(kernelOf(Whole).getNull(Name)) << Name;
  EXPECT_TRUE(arrayOf(Whole, 0).getNull("reasonPlace"));
}

TEST(Json, Decision) {
  Plan P = samplePlan();
  P.Outcomes = {sampleOutcome(DecisionState::Unfulfilled, "it cannot be")};
  const json::Value Whole = toJson(P, ConfirmedResources());
  expectEqual(json::Value((*Whole.getAsObject()->getArray("decisions"))[0]),
              R"json({
    "place": {"file": "/src/.bankstripe.yaml", "line": 3, "column": 5},
    "file": "/src/count.cu", "function": "count", "array": "seen",
    "occurrence": 1, "decision": "slot", "why": "measured",
    "state": "unfulfilled", "detail": "it cannot be",
    "arrayPlace": {"file": "/src/count.cu", "line": 2, "column": 8}})json");
}

TEST(Json, KernelDecision) {
  Plan P = samplePlan();
  P.KernelOutcomes = {
      sampleKernelOutcome(DecisionState::Unfulfilled, "it cannot be")};
  const json::Value Whole = toJson(P, ConfirmedResources());
  expectEqual(
      json::Value((*Whole.getAsObject()->getArray("kernelDecisions"))[0]),
      R"json({
    "place": {"file": "/src/.bankstripe.yaml", "line": 3, "column": 5},
    "file": "/src/count.cu", "kernel": "count", "carveout": "30",
    "blockSize": null, "why": "measured", "state": "unfulfilled", "detail": "it cannot be"})json");
}

TEST(Json, DecisionWithoutAnArray) {
  Plan P;
  P.Outcomes = {sampleOutcome(DecisionState::Stale, "it is gone")};
  P.Outcomes[0].Array = Place();
  const json::Value Whole = toJson(P, ConfirmedResources());
  const json::Object &D =
      *(*Whole.getAsObject()->getArray("decisions"))[0].getAsObject();
  EXPECT_EQ(D.getString("state"), "stale");
  EXPECT_TRUE(D.getNull("arrayPlace"));
}

TEST(Json, IsUtf8WhateverTheSource) {
  Plan P = samplePlan();
  P.Arrays[0].Array.Name = "caf\xE9";
  P.Arrays[0].Array.Where.File = "/src/\xFF.cu";
  json::Value Whole = toJson(P, ConfirmedResources());
  std::string Text = text(Whole);
  EXPECT_TRUE(json::isUTF8(Text));
  EXPECT_EQ(text(parsed(Text)), Text);
}

TEST(Json, Prediction) {
  const json::Value Whole = toJson(predictedPlan(), ConfirmedResources());
  const json::Value *Predicted = kernelOf(Whole).get("predicted");
  ASSERT_NE(Predicted, nullptr);
  expectEqual(*Predicted, R"json({
    "speedup": 2.25, "low": 0.75, "high": 4.5, "resourceFactor": 0.9,
    "accessFactor": 2.5})json");
}

} // namespace
