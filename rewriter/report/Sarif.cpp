//===-- Sarif.cpp - the plan as a SARIF log -------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Written by hand, since clang::SarifDocumentWriter knows no notifications and
// no names relative to a folder, and needs a SourceManager for each place. What
// is done is the same otherwise: one run, all rules in the driver, results that
// name theirs by id and index.
//
//===----------------------------------------------------------------------===//

#include "report/Report.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace bankstripe;
using llvm::StringRef;
namespace json = llvm::json;

// Braces are placeholders, and "](" is a link.
static json::Object sarifMessage(StringRef Text) {
  std::string Escaped;
  for (char C : Text) {
    if (C == '(' && StringRef(Escaped).ends_with("]"))
      Escaped += ' ';
    Escaped += C;
    if (C == '{' || C == '}')
      Escaped += C;
  }
  return json::Object{{"text", jsonText(Escaped)}};
}

// With a capital letter and a period.
static std::string asSentence(StringRef Text) {
  std::string Result = Text.str() + ".";
  Result.front() = llvm::toUpper(Result.front());
  return Result;
}

static StringRef levelOf(Reason R) {
  return needsAction(R) ? "warning" : "note";
}

// What would change the verdict, as a sentence to append; empty when nothing
// would.
static std::string adviceOn(Reason R, StringRef Advice) {
  const ReasonInfo &Info = infoOf(R);
  if (Advice.empty())
    return "";
  const bool Stays = staysAsItIs(Info.Verdict);
  if (Stays || Info.Verdict == VerdictKind::Slot)
    return ((Stays ? " To move it: " : " For a stripe: ") + Advice + ".").str();
  return " " + asSentence(Advice);
}

// A verdict is a proposal while nothing has changed, hence "can".
static std::string title(const ReasonInfo &Info) {
  StringRef Text = outcomeOf(Info.R);
  return (Text.consume_front("moves ") ? "can move " : "") + Text.str();
}

// One for each reason, in the order of the enumeration. A code host shows the
// short description as a title, and the help beside a result.
static json::Array rules(StringRef DocumentsUrl) {
  json::Array Rules;
  for (const ReasonInfo &Info : allReasons()) {
    const std::string Short = asSentence("per-thread array " + title(Info) +
                                         ": " + Info.Summary.str());
    const std::string Full = Short + adviceOn(Info.R, Info.Advice);
    json::Object Rule{
        {"id", Info.Id},
        {"shortDescription", json::Object{{"text", Short}}},
        {"fullDescription", json::Object{{"text", Full}}},
        {"help", json::Object{{"text", Full}}},
        {"defaultConfiguration", json::Object{{"level", levelOf(Info.R)}}}};
    if (!DocumentsUrl.empty())
      Rule["helpUri"] =
          (DocumentsUrl.rtrim('/') + "/reference/reasons/" + Info.Id + ".md")
              .str();
    Rules.push_back(std::move(Rule));
  }
  return Rules;
}

static std::string percentEncoded(StringRef Path) {
  std::string Result;
  for (char C : Path) {
    if (llvm::isAlnum(C) || StringRef("/-._~").contains(C))
      Result += C;
    else
      Result += "%" + llvm::toHex(StringRef(&C, 1));
  }
  return Result;
}

// `src/a.cu` below Root; of a file elsewhere, its URI.
static json::Object artifact(StringRef File, StringRef Root) {
  if (File.consume_front((Root.rtrim('/') + "/").str()))
    return json::Object{{"uri", percentEncoded(File)},
                        {"uriBaseId", "%SRCROOT%"}};
  return json::Object{{"uri", "file://" + percentEncoded(File)}};
}

// Places are lines: SARIF counts columns in characters, Clang in bytes.
static json::Object location(const Place &P, StringRef Root) {
  return json::Object{
      {"physicalLocation",
       json::Object{{"artifactLocation", artifact(P.File, Root)},
                    {"region", json::Object{{"startLine", P.Line}}}}}};
}

// What was decided to stay is settled, and what is in registers is right.
static bool isShown(const PlannedArray &A, Detail Level) {
  const Verdict &V = A.Verdict;
  if (V.Why == Reason::Nolint || V.Why == Reason::DecidedKeep)
    return false;
  if (V.Kind == VerdictKind::Registers)
    return false;
  // An access outside an array is a mistake, whatever becomes of the array.
  return Level != Detail::Quiet || V.changesSource() ||
         V.Why == Reason::OutOfBounds;
}

// The first sentence is all that is shown where there is little room.
static std::string message(const Plan &P, const PlannedArray &A) {
  const Verdict &V = A.Verdict;
  std::string Text = asSentence(headline(A));
  if (V.usesHelper())
    Text += " " + asSentence(cost(A));
  if (!V.changesSource())
    Text += adviceOn(V.Why, V.advice());
  if (V.usesHelper())
    for (unsigned K : A.Kernels)
      if (const KernelPlan &Kernel = P.Kernels[K]; Kernel.Predicted)
        Text += llvm::formatv(" Predicted speedup of kernel '{0}': {1}.",
                              Kernel.Facts.Name, predictionText(Kernel));
  return Text;
}

static json::Object result(Reason Why, const std::string &Message,
                           const Place &Where, StringRef Root) {
  return json::Object{{"ruleId", infoOf(Why).Id},
                      {"ruleIndex", static_cast<unsigned>(Why)},
                      {"level", levelOf(Why)},
                      {"message", sarifMessage(Message)},
                      {"locations", json::Array{location(Where, Root)}}};
}

static json::Object result(const Plan &P, const PlannedArray &A,
                           StringRef Root) {
  const Verdict &V = A.Verdict;
  json::Object Result = result(V.Why, message(P, A), A.Array.Where, Root);
  if (!isWarning(A))
    Result["level"] = "note";
  if (V.Where.isValid() && !(V.Where == A.Array.Where)) {
    json::Object Why = location(V.Where, Root);
    Why["id"] = 1;
    Why["message"] =
        sarifMessage(asSentence("why: " + infoOf(V.Why).Summary.str()));
    Result["relatedLocations"] = json::Array{std::move(Why)};
  }
  return Result;
}

static json::Object invocation(const SarifRun &Run) {
  json::Array Notifications;
  for (const Problem &Found : Run.Problems) {
    json::Object N{{"level", "error"},
                   {"message", sarifMessage(Found.Message)}};
    if (!Found.File.empty())
      N["locations"] = json::Array{
          json::Object{{"physicalLocation",
                        json::Object{{"artifactLocation",
                                      artifact(Found.File, Run.Root)}}}}};
    Notifications.push_back(std::move(N));
  }
  return json::Object{{"executionSuccessful", Run.Succeeded},
                      {"exitCode", Run.ExitCode},
                      {"toolExecutionNotifications", std::move(Notifications)}};
}

json::Value bankstripe::toSarif(const Plan &P, const SarifRun &Run) {
  json::Object Driver{{"name", "bankstripe"},
                      {"version", Run.Version},
                      {"rules", rules(Run.DocumentsUrl)}};
  if (!Run.DocumentsUrl.empty())
    Driver["informationUri"] = Run.DocumentsUrl;
  json::Array Results;
  for (const PlannedArray &A : P.Arrays)
    if (isShown(A, Run.Level))
      Results.push_back(result(P, A, Run.Root));
  for (const KernelPlan &K : P.Kernels)
    for (const auto &[Where, Threads] : K.Failing)
      Results.push_back(result(Reason::BlockSizeConflict,
                               asSentence(failureText(K, Threads)), Where,
                               Run.Root));
  const std::string Root =
      "file://" + percentEncoded(StringRef(Run.Root).rtrim('/').str() + "/");
  json::Object Only{{"tool", json::Object{{"driver", std::move(Driver)}}},
                    {"originalUriBaseIds",
                     json::Object{{"%SRCROOT%", json::Object{{"uri", Root}}}}},
                    {"invocations", json::Array{invocation(Run)}},
                    {"results", std::move(Results)}};
  return json::Object{
      {"$schema", "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/"
                  "schemas/sarif-schema-2.1.0.json"},
      {"version", "2.1.0"},
      {"runs", json::Array{std::move(Only)}}};
}
