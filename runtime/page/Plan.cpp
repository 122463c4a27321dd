//===-- Plan.cpp - reads what the rewriter says ---------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The file may be from another version of bankstripe, so nothing in it is
// taken for granted: what is missing, null or of another type keeps the value
// that the structs begin with.
//
//===----------------------------------------------------------------------===//

#include "page/Plan.h"
#include <limits>
#include <nlohmann/json.hpp>

using namespace bankstripe::runtime;
using Json = nlohmann::json;

constexpr unsigned PlanSchema = 1;

bool PlannedArray::changes() const {
  return Verdict == "stripe" || Verdict == "slot" || Verdict == "constant" ||
         Reason == "unrolled-loop";
}

// The member, or null.
static const Json &member(const Json &Object, const char *Name) {
  static const Json Null;
  if (!Object.is_object())
    return Null;
  const auto At = Object.find(Name);
  return At == Object.end() ? Null : *At;
}

static void read(const Json &Object, const char *Name, std::string &Value) {
  if (const Json &J = member(Object, Name); J.is_string())
    Value = J.get<std::string>();
}

static void read(const Json &Object, const char *Name, double &Value) {
  if (const Json &J = member(Object, Name); J.is_number())
    Value = J.get<double>();
}

static void read(const Json &Object, const char *Name, bool &Value) {
  if (const Json &J = member(Object, Name); J.is_boolean())
    Value = J.get<bool>();
}

static void read(const Json &Object, const char *Name, uint64_t &Value) {
  if (const Json &J = member(Object, Name); J.is_number_unsigned())
    Value = J.get<uint64_t>();
}

static void read(const Json &Object, const char *Name, unsigned &Value) {
  uint64_t Wide = Value;
  read(Object, Name, Wide);
  if (Wide <= std::numeric_limits<unsigned>::max())
    Value = static_cast<unsigned>(Wide);
}

static void read(const Json &Object, const char *Name, PlannedPlace &Value) {
  read(member(Object, Name), "file", Value.File);
  read(member(Object, Name), "line", Value.Line);
}

template <class T>
static void read(const Json &Object, const char *Name,
                 std::optional<T> &Value) {
  if (!member(Object, Name).is_number())
    return;
  T Found{};
  read(Object, Name, Found);
  Value = Found;
}

template <class T, class Reader>
static std::vector<T> readList(const Json &Object, const char *Name,
                               Reader ReadOne) {
  std::vector<T> List;
  if (const Json &J = member(Object, Name); J.is_array())
    for (const Json &Element : J)
      List.push_back(ReadOne(Element));
  return List;
}

static PlannedArray readArray(const Json &J) {
  PlannedArray A;
  read(J, "name", A.Name);
  read(J, "function", A.Function);
  read(J, "type", A.Type);
  read(J, "place", A.Where);
  read(J, "reasonPlace", A.ReasonWhere);
  read(J, "index", A.Index);
  read(J, "verdict", A.Verdict);
  read(J, "reason", A.Reason);
  read(J, "message", A.Message);
  read(J, "detail", A.Detail);
  read(J, "advice", A.Advice);
  read(J, "form", A.Form);
  read(J, "storage", A.Storage);
  read(J, "sharedBytes", A.SharedBytes);
  return A;
}

static PredictedArray readCost(const Json &J) {
  PredictedArray A;
  read(J, "array", A.Name);
  read(J, "moved", A.Moved);
  read(J, "issue", A.Issue);
  read(J, "latency", A.Latency);
  read(J, "hitRate", A.HitRate);
  return A;
}

static PredictedState readState(const Json &J) {
  PredictedState S;
  read(J, "time", S.Time);
  read(J, "issue", S.Issue);
  read(J, "wait", S.Wait);
  read(J, "warps", S.Warps);
  read(J, "limiter", S.Limiter);
  read(J, "firstLevelCacheBytes", S.FirstLevelCacheBytes);
  S.Arrays = readList<PredictedArray>(J, "arrays", readCost);
  return S;
}

static ConsideredChange readConsidered(const Json &J) {
  ConsideredChange C;
  read(J, "what", C.What);
  read(J, "speedup", C.Speedup);
  read(J, "low", C.Low);
  read(J, "high", C.High);
  return C;
}

static PlannedTerms readTerms(const Json &J) {
  PlannedTerms T;
  read(J, "taken", T.Taken);
  read(J, "speedup", T.Speedup);
  read(J, "low", T.Low);
  read(J, "high", T.High);
  read(J, "price", T.Price);
  read(J, "gain", T.Gain);
  read(J, "speedupIfAgreeing", T.Agreeing);
  read(J, "speedupIfRandom", T.Random);
  read(J, "worst", T.Worst);
  read(J, "worstIf", T.WorstIf);
  read(J, "codeGrowth", T.CodeGrowth);
  read(J, "modelError", T.ModelError);
  read(J, "guessedLoops", T.GuessedLoops);
  T.Before = readState(member(J, "before"));
  T.After = readState(member(J, "after"));
  T.Considered = readList<ConsideredChange>(J, "alternatives", readConsidered);
  return T;
}

static PlannedKernel readKernel(const Json &J) {
  PlannedKernel K;
  read(J, "name", K.Name);
  read(J, "mangledName", K.MangledName);
  uint64_t Threads = 0;
  read(J, "blockSize", Threads);
  read(J, "blockSizeText", K.BlockSize);
  if (Threads)
    K.BlockSize = std::to_string(Threads) + " threads" +
                  (K.BlockSize.empty() ? "" : ", from ") + K.BlockSize;
  read(J, "sharedBytesBefore", K.SharedBefore);
  read(J, "sharedBytesAfter", K.SharedAfter);
  read(J, "warpsPerMultiprocessorBefore", K.WarpsBefore);
  read(J, "warpsPerMultiprocessorAfter", K.WarpsAfter);
  if (const Json &Terms = member(member(J, "predicted"), "explanation");
      Terms.is_object())
    K.Terms = readTerms(Terms);
  return K;
}

static ChangedSource readChange(const Json &J) {
  ChangedSource C;
  read(J, "file", C.File);
  read(J, "diff", C.Diff);
  return C;
}

std::variant<HtmlPlan, PlanError>
bankstripe::runtime::parsePlan(const std::string &Text) {
  const Json J = Json::parse(Text, nullptr, /*allow_exceptions=*/false);
  std::string Tool;
  read(J, "tool", Tool);
  if (Tool != "bankstripe")
    return PlanError{"it is not what 'bankstripe rewrite --format=json' "
                     "prints"};
  unsigned Schema = 0;
  read(J, "schema", Schema);
  if (Schema != PlanSchema)
    return PlanError{"its schema is not " + std::to_string(PlanSchema) +
                     "; use the bankstripe of this version"};
  HtmlPlan Plan;
  Plan.Arrays = readList<PlannedArray>(J, "arrays", readArray);
  Plan.Kernels = readList<PlannedKernel>(J, "kernels", readKernel);
  Plan.Changes = readList<ChangedSource>(J, "changes", readChange);
  return Plan;
}
