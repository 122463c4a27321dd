//===-- Measurement.cpp - what the runtime's programs found ---------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tune/Measurement.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace bankstripe;
using llvm::StringRef;
namespace json = llvm::json;

// The version of docs/reference/json-verify.md that is read here.
static constexpr int64_t KnownVersion = 2;

// Demanglers differ in blanks, as in `> >`.
std::string bankstripe::comparableName(StringRef Name) {
  std::string Result = llvm::demangle(Name);
  llvm::erase(Result, ' ');
  return Result;
}

static StringRef textIn(const json::Object &O, StringRef Key) {
  return O.getString(Key).value_or("");
}

static void readDifference(const json::Object &Root, Measurement &M) {
  M.Problem = textIn(Root, "reason").str();
  if (const json::Object *D = Root.getObject("difference")) {
    M.Problem = ("'" + textIn(*D, "originalKernel") +
                 "' computes something else: " + textIn(*D, "kind"))
                    .str();
  }
  if (M.Problem.empty())
    M.Problem = "the program prints something else";
}

static llvm::Expected<json::Value> parse(StringRef Json, StringRef From) {
  llvm::Expected<json::Value> Parsed = json::parse(Json);
  if (!Parsed)
    return llvm::createStringError("the result of " + From + " is no JSON: " +
                                   toString(Parsed.takeError()));
  const json::Array *List = Parsed->getAsArray();
  const json::Object *First = List && !List->empty()
                                  ? List->front().getAsObject()
                                  : Parsed->getAsObject();
  if (!First || First->getInteger("version") != KnownVersion)
    return llvm::createStringError("the result of " + From +
                                   " is of another version; install all "
                                   "programs from the same release");
  return Parsed;
}

llvm::Expected<Measurement> bankstripe::parseMeasurement(StringRef Json) {
  llvm::Expected<json::Value> Parsed = parse(Json, "bankstripe-verify");
  if (!Parsed)
    return Parsed.takeError();
  const json::Object *Root = Parsed->getAsObject();
  if (!Root)
    return llvm::createStringError("the result of bankstripe-verify is a list");
  Measurement M;
  M.Device = textIn(*Root, "device").str();
  const StringRef Verdict = textIn(*Root, "verdict");
  if (Verdict == "not-verified")
    return llvm::createStringError(textIn(*Root, "reason"));
  if (Verdict != "identical")
    readDifference(*Root, M);
  if (const json::Array *Kernels = Root->getArray("kernels"))
    for (const json::Value &V : *Kernels) {
      const json::Object *K = V.getAsObject();
      if (!K)
        continue;
      const double Original = K->getNumber("originalTotalNs").value_or(0);
      const double Changed = K->getNumber("rewrittenTotalNs").value_or(0);
      if (Original > 0 && Changed > 0)
        M.Kernels[comparableName(textIn(*K, "name"))] = {Original, Changed};
    }
  return M;
}

KernelTimes Measurement::total() const {
  KernelTimes All;
  for (const auto &[Name, Times] : Kernels) {
    All.Original += Times.Original;
    All.Changed += Times.Changed;
  }
  return All;
}

static SeenKernel readKernel(const json::Object &K) {
  SeenKernel Seen;
  Seen.BlockThreads = K.getInteger("blockThreads").value_or(0);
  Seen.Problem = textIn(K, "problem").str();
  if (const json::Array *Captures = K.getArray("captures"))
    for (const json::Value &V : *Captures)
      if (const json::Object *C = V.getAsObject())
        Seen.Captures.push_back(
            {textIn(*C, "file").str(), C->getNumber("ns").value_or(0),
             static_cast<uint64_t>(C->getInteger("bytes").value_or(0)),
             textIn(*C, "digest").str()});
  return Seen;
}

llvm::Expected<ProgramRun> bankstripe::parseSurvey(StringRef Json) {
  llvm::Expected<json::Value> Parsed = parse(Json, "bankstripe-verify");
  if (!Parsed)
    return Parsed.takeError();
  ProgramRun Run;
  const json::Object *Root = Parsed->getAsObject();
  const json::Array *Kernels = Root ? Root->getArray("kernels") : nullptr;
  if (!Kernels)
    return llvm::createStringError("bankstripe-verify lists no kernels");
  Run.Device = textIn(*Root, "device").str();
  Run.Architecture = textIn(*Root, "capability").str();
  llvm::erase(Run.Architecture, '.');
  if (!Run.Architecture.empty())
    Run.Architecture.insert(0, "sm_");
  for (const json::Value &V : *Kernels)
    if (const json::Object *K = V.getAsObject())
      Run.Kernels[comparableName(textIn(*K, "name"))] = readKernel(*K);
  return Run;
}

static Replayed readReplay(const json::Object &Root) {
  Replayed R;
  R.Problem = textIn(Root, "problem").str();
  const StringRef Verdict = textIn(Root, "verdict");
  R.Varies = Verdict == "varies";
  const json::Object *Rewritten = Root.getObject("rewritten");
  const StringRef Error = Rewritten ? textIn(*Rewritten, "error") : "";
  if (!Error.empty())
    R.Problem = ("fails with " + Error).str();
  else if (Verdict == "differs")
    R.Problem = "computes something else";
  if (const json::Object *Times = Root.getObject("times")) {
    R.Speedup = Times->getNumber("speedup");
    if (const json::Array *Sure = Times->getArray("speedupInterval");
        Sure && Sure->size() == 2)
      R.Sure = {(*Sure)[0].getAsNumber().value_or(0),
                (*Sure)[1].getAsNumber().value_or(0)};
  }
  if (!R.Speedup && R.Problem.empty())
    R.Problem = ("not timed: " + textIn(Root, "untimed")).str();
  return R;
}

llvm::Expected<std::vector<Replayed>> bankstripe::parseReplays(StringRef Json) {
  llvm::Expected<json::Value> Parsed = parse(Json, "bankstripe-replay");
  if (!Parsed)
    return Parsed.takeError();
  const json::Array *List = Parsed->getAsArray();
  if (!List)
    return llvm::createStringError(
        "the result of bankstripe-replay is no list");
  std::vector<Replayed> Result;
  for (const json::Value &V : *List) {
    const json::Object *Root = V.getAsObject();
    if (!Root || textIn(*Root, "verdict") == "not reproduced")
      return llvm::createStringError(
          "launched again, it does not leave what it "
          "left in its program");
    if (!Root->getObject("original"))
      return llvm::createStringError(textIn(*Root, "problem"));
    Result.push_back(readReplay(*Root));
  }
  return Result;
}
