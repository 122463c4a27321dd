//===-- Measurement.cpp - what the runtime's programs found ---------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tune/Measurement.h"
#include "contract/Symbols.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/JSON.h"

using namespace bankstripe;
using llvm::StringRef;
namespace json = llvm::json;

// Demanglers differ in blanks, as in `> >`.
std::string bankstripe::comparableName(StringRef Name) {
  std::string Result = canonicalName(Name.str(), llvm::demangle);
  llvm::erase(Result, ' ');
  return Result;
}

namespace bankstripe {

namespace {

/// Reads the fields that a struct lists. What follows from them is passed over,
/// and what is missing stays as it is.
class FieldReader {
public:
  FieldReader(const json::Value &From, json::Path Where)
      : Fields(From, Where), IsGood(Fields) {}

  template <class T> void field(llvm::StringLiteral Name, T &Into) {
    IsGood = IsGood && Fields.mapOptional(Name, Into);
  }
  template <class T> void derived(llvm::StringLiteral, const T &) {}
  bool isGood() const { return IsGood; }

private:
  json::ObjectMapper Fields;
  bool IsGood;
};

} // namespace

// LLVM finds these by their arguments' namespace.

static bool fromJSON(const json::Value &From, Interval &Into,
                     json::Path Where) {
  std::vector<double> Ends;
  if (!json::fromJSON(From, Ends, Where) || Ends.size() != 2)
    return false;
  Into = {Ends[0], Ends[1]};
  return true;
}

static bool fromJSON(const json::Value &From, ResultVerdict &Into,
                     json::Path Where) {
  const auto *Found = llvm::find(VerdictTexts, From.getAsString().value_or(""));
  if (Found == std::end(VerdictTexts)) {
    Where.report("there is no such verdict");
    return false;
  }
  Into = static_cast<ResultVerdict>(Found - std::begin(VerdictTexts));
  return true;
}

template <class T>
  requires requires(FieldReader With, T &Of) { T::listFields(With, Of); }
static bool fromJSON(const json::Value &From, T &Into, json::Path Where) {
  FieldReader Reader(From, Where);
  T::listFields(Reader, Into);
  return Reader.isGood();
}

} // namespace bankstripe

static llvm::Error describe(StringRef From, const llvm::Twine &Problem) {
  return llvm::createStringError("the result of " + From + " " + Problem);
}

// One of the results, or a list of them.
template <class T>
static llvm::Expected<T> parse(StringRef Json, StringRef From) {
  llvm::Expected<json::Value> Parsed = json::parse(Json);
  if (!Parsed)
    return describe(From, "is no JSON: " + toString(Parsed.takeError()));
  const json::Array *List = Parsed->getAsArray();
  const json::Object *First = List && !List->empty()
                                  ? List->front().getAsObject()
                                  : Parsed->getAsObject();
  if (!First || First->getInteger("version") != int64_t{ResultVersion})
    return describe(From, "is of another version; install all programs from "
                          "the same release");
  T Result;
  json::Path::Root Root;
  if (!fromJSON(*Parsed, Result, Root))
    return describe(From, "is of another form: " + toString(Root.getError()));
  return Result;
}

llvm::Expected<Measurement> bankstripe::parseMeasurement(StringRef Json) {
  auto Result = parse<ComparisonResult>(Json, "bankstripe-verify");
  if (!Result)
    return Result.takeError();
  if (Result->Verdict == ResultVerdict::NotVerified)
    return llvm::createStringError(Result->Reason);
  Measurement M;
  if (Result->Verdict != ResultVerdict::Identical)
    M.Problem =
        Result->Difference
            ? "'" + Result->Difference->OriginalKernel +
                  "' computes something else: " + Result->Difference->Kind
        : Result->Reason.empty() ? "the program prints something else"
                                 : Result->Reason;
  for (const ComparedKernel &K : Result->Kernels)
    if (K.speedup())
      M.Kernels[comparableName(K.Name)] = K;
  M.Speedup = Result->AllLaunches.speedup().value_or(1);
  return M;
}

llvm::Expected<ProgramRun> bankstripe::parseSurvey(StringRef Json) {
  auto Result = parse<SurveyResult>(Json, "bankstripe-verify");
  if (!Result)
    return Result.takeError();
  ProgramRun Run;
  Run.Device = Result->Device;
  Run.EndedAfter = Result->EndedAfter;
  Run.Architecture = Result->Capability;
  llvm::erase(Run.Architecture, '.');
  if (!Run.Architecture.empty())
    Run.Architecture.insert(0, "sm_");
  for (SurveyedKernel &K : Result->Kernels)
    Run.Kernels[comparableName(K.Name)] = K;
  return Run;
}

static Replayed summarize(const ReplayResult &Result) {
  Replayed R;
  R.Problem = Result.Problem;
  R.Varies = Result.Verdict == ResultVerdict::Varies;
  if (Result.Rewritten && !Result.Rewritten->Error.empty())
    R.Problem = "fails with " + Result.Rewritten->Error;
  else if ((R.Differs = Result.Verdict == ResultVerdict::Differs))
    R.Problem = "computes something else";
  if (Result.Rewritten)
    R.Digest = Result.Rewritten->Digest;
  if (const auto &Times = Result.Times) {
    R.Speedup = Times->speedup();
    R.IsStopped = Times->IsStopped;
    if (const auto &Range = Times->SpeedupInterval)
      R.Sure = {Range->Low, Range->High};
  }
  if (!R.Speedup && R.Problem.empty())
    R.Problem = "not timed: " + Result.Untimed;
  return R;
}

llvm::Expected<std::vector<Replayed>> bankstripe::parseReplays(StringRef Json) {
  auto Results = parse<std::vector<ReplayResult>>(Json, "bankstripe-replay");
  if (!Results)
    return Results.takeError();
  std::vector<Replayed> All;
  for (const ReplayResult &R : *Results) {
    if (R.Verdict == ResultVerdict::NotReproduced)
      return llvm::createStringError(
          "launched again, it does not leave what it left in its program");
    if (!R.Original)
      return llvm::createStringError(R.Problem);
    All.push_back(summarize(R));
  }
  return All;
}
