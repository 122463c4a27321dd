//===-- SarifTest.cpp - the plan as a SARIF log ---------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// That whole logs are valid, tests/tool/sarif_test.py finds out.
//
//===----------------------------------------------------------------------===//

#include "Sample.h"
#include "report/Report.h"
#include "llvm/Support/FormatVariadic.h"
#include "gmock/gmock.h"

using namespace bankstripe;
using namespace bankstripe::testing;
using llvm::StringRef;
namespace json = llvm::json;

namespace {

SarifRun sampleRun() {
  SarifRun Run;
  Run.Version = "1.2.3";
  Run.Root = "/src";
  return Run;
}

std::string text(const json::Value &V) {
  return llvm::formatv("{0:2}", V).str();
}

/// The only run of a log.
class Log {
public:
  explicit Log(const Plan &P, const SarifRun &Run = sampleRun())
      : Whole(toSarif(P, Run)) {}

  const json::Object &run() const {
    return *(*Whole.getAsObject()->getArray("runs"))[0].getAsObject();
  }
  const json::Array &results() const { return *run().getArray("results"); }
  const json::Object &result(size_t I) const {
    return *results()[I].getAsObject();
  }
  const json::Object &placeOf(size_t I) const {
    return *(*result(I).getArray("locations"))[0].getAsObject()->getObject(
        "physicalLocation");
  }
  const json::Object &invocation() const {
    return *(*run().getArray("invocations"))[0].getAsObject();
  }
  const json::Object &driver() const {
    return *run().getObject("tool")->getObject("driver");
  }
  std::vector<std::string> ruleIds() const {
    std::vector<std::string> Ids;
    for (const json::Value &Result : results())
      Ids.push_back(Result.getAsObject()->getString("ruleId")->str());
    return Ids;
  }

private:
  json::Value Whole;
};

StringRef messageOf(const json::Object &Result) {
  return *Result.getObject("message")->getString("text");
}

// Equal, with a message that can be read.
void expectEqual(const json::Value *Actual, StringRef Expected) {
  ASSERT_NE(Actual, nullptr);
  EXPECT_EQ(text(*Actual), text(cantFail(json::parse(Expected))));
}

TEST(Sarif, ResultNamesItsRule) {
  const Log L(samplePlan());
  const json::Object &Seen = L.result(0);
  EXPECT_EQ(Seen.getString("ruleId"), "dynamic-index");
  const json::Array &Rules = *L.driver().getArray("rules");
  EXPECT_EQ(Rules[*Seen.getInteger("ruleIndex")].getAsObject()->getString("id"),
            "dynamic-index");
}

TEST(Sarif, MessageBeginsWithTheHeadline) {
  const Log L(samplePlan());
  EXPECT_EQ(
      messageOf(L.result(0)),
      "Per-thread array 'seen' (char[16], 16 bytes per thread) moves to a "
      "stripe in shared memory: its dynamic indices force it into local "
      "memory. It takes 8192 bytes of shared memory per block, one "
      "element per word; index non-uniform.");
}

TEST(Sarif, MessageAboutWhatStaysGivesAdvice) {
  const Log L(samplePlan());
  EXPECT_TRUE(
      messageOf(L.result(2))
          .ends_with(
              " To move it: write the type, or the number of its elements."));
}

TEST(Sarif, MessageTellsThePrediction) {
  const Log L(predictedPlan());
  EXPECT_TRUE(
      messageOf(L.result(0))
          .ends_with(
              "Predicted speedup of kernel 'count': 2.25 (0.75 to 4.50)."));
}

TEST(Sarif, PlaceIsTheLineOfTheArray) {
  const Log L(samplePlan());
  const json::Object &Place =
      *(*L.result(0).getArray("locations"))[0].getAsObject();
  expectEqual(Place.get("physicalLocation"), R"json({
    "artifactLocation": {"uri": "count.cu", "uriBaseId": "%SRCROOT%"},
    "region": {"startLine": 2}})json");
}

TEST(Sarif, RelatedPlaceIsTheReason) {
  const Log L(samplePlan());
  expectEqual(L.result(1).get("relatedLocations"), R"json([
    {"id": 1,
     "message": {"text": "Why: it is passed to a function by pointer."},
     "physicalLocation": {
       "artifactLocation": {"uri": "count.cu", "uriBaseId": "%SRCROOT%"},
       "region": {"startLine": 5}}}])json");
}

TEST(Sarif, LevelFollowsTheVerdict) {
  const Log L(samplePlan());
  EXPECT_EQ(L.ruleIds(),
            (std::vector<std::string>{"dynamic-index", "passed-to-function",
                                      "decltype"}));
  EXPECT_EQ(L.result(0).getString("level"), "note");
  EXPECT_EQ(L.result(1).getString("level"), "note");
  EXPECT_EQ(L.result(2).getString("level"), "warning");
  Plan P = samplePlan();
  P.Arrays[3].Kernels.clear(); // No kernel reaches it.
  EXPECT_EQ(Log(P).result(2).getString("level"), "note");
}

/// The rule for a reason.
class Rule {
public:
  explicit Rule(Reason R, const SarifRun &Run = sampleRun())
      : Whole(Plan(), Run),
        Of(*(*Whole.driver().getArray("rules"))[static_cast<unsigned>(R)]
                .getAsObject()) {}
  StringRef field(StringRef Name) const {
    return Of.getString(Name).value_or("");
  }
  StringRef field(StringRef Name, StringRef Inner) const {
    return Of.getObject(Name)->getString(Inner).value_or("");
  }

private:
  Log Whole;
  const json::Object &Of;
};

TEST(Sarif, WarnsOfWhatTheUserShouldActOn) {
  auto Level = [](Reason R) {
    return Rule(R).field("defaultConfiguration", "level").str();
  };
  EXPECT_EQ(Level(Reason::OutOfBounds), "warning");
  EXPECT_EQ(Level(Reason::Decltype), "warning");
  EXPECT_EQ(Level(Reason::DynamicIndex), "note");
  EXPECT_EQ(Level(Reason::NotProfitable), "note");
  EXPECT_EQ(Level(Reason::StackFrameKept), "note");
}

TEST(Sarif, QuietLogHoldsOnlyWhatWouldChange) {
  SarifRun Run = sampleRun();
  Run.Level = Detail::Quiet;
  EXPECT_EQ(Log(samplePlan(), Run).ruleIds(),
            (std::vector<std::string>{"dynamic-index", "passed-to-function"}));
}

TEST(Sarif, WhatIsDecidedToStayIsSettled) {
  Plan P = samplePlan();
  P.Arrays = {sampleArray("list", 4, Reason::Nolint),
              sampleArray("seen", 2, Reason::DecidedKeep),
              sampleArray("row", 6, Reason::Decltype)};
  EXPECT_EQ(Log(P).ruleIds(), std::vector<std::string>{"decltype"});
}

TEST(Sarif, FilesAreNamedFromTheRoot) {
  SarifRun Run = sampleRun();
  EXPECT_EQ(
      text(*Log(samplePlan(), Run).run().get("originalUriBaseIds")),
      text(json::Object{{"%SRCROOT%", json::Object{{"uri", "file:///src/"}}}}));
}

std::string uriOf(StringRef File, StringRef Root) {
  Plan P = samplePlan();
  P.Arrays[0].Array.Where.File = File.str();
  SarifRun Run = sampleRun();
  Run.Root = Root.str();
  const Log L(P, Run);
  return L.placeOf(0).getObject("artifactLocation")->getString("uri")->str();
}

TEST(Sarif, FilesElsewhereHaveAbsoluteNames) {
  EXPECT_EQ(uriOf("/src/sub/a.cu", "/src"), "sub/a.cu");
  EXPECT_EQ(uriOf("/src/sub/a.cu", "/"), "src/sub/a.cu");
  EXPECT_EQ(uriOf("/src-2/a.cu", "/src"), "file:///src-2/a.cu");
  EXPECT_EQ(uriOf("/src/a b:c#d%\xFC.cu", "/src"), "a%20b%3Ac%23d%25%FC.cu");
}

TEST(Sarif, InvocationTellsOfTheEnd) {
  SarifRun Run = sampleRun();
  Run.ExitCode = 3;
  Run.Succeeded = false;
  Run.Problems = {{"/src/bad.cu", "Clang could not parse '{}'"}, {"", "none"}};
  const Log L(Plan(), Run);
  EXPECT_EQ(L.invocation().getBoolean("executionSuccessful"), false);
  EXPECT_EQ(L.invocation().getInteger("exitCode"), 3);
  expectEqual(L.invocation().get("toolExecutionNotifications"), R"json([
    {"level": "error", "message": {"text": "Clang could not parse '{{}}'"},
     "locations": [{"physicalLocation": {"artifactLocation": {
       "uri": "bad.cu", "uriBaseId": "%SRCROOT%"}}}]},
    {"level": "error", "message": {"text": "none"}}])json");
}

TEST(Sarif, IsUtf8WhateverTheSource) {
  Plan P = samplePlan();
  P.Arrays[0].Array.Name = P.Arrays[0].Array.Function.Name = "caf\xE9";
  P.Arrays[0].Array.Where.File = "/src/\xFF.cu";
  const Log L(P);
  EXPECT_TRUE(json::isUTF8(text(json::Object(L.run()))));
}

TEST(Sarif, MessagesHaveNoPlaceholdersAndNoLinks) {
  SarifRun Run = sampleRun();
  Run.Problems = {{"", "'a' (int[4]) = {0}, [&](int)"}};
  const Log L(Plan(), Run);
  EXPECT_EQ(
      messageOf(*(*L.invocation().getArray("toolExecutionNotifications"))[0]
                     .getAsObject()),
      "'a' (int[4]) = {{0}}, [&] (int)");
}

TEST(SarifRules, OnePerReasonInOrder) {
  const Log L{Plan()};
  EXPECT_EQ(L.driver().getArray("rules")->size(), allReasons().size());
  for (const ReasonInfo &Info : allReasons()) {
    EXPECT_EQ(Rule(Info.R).field("id"), Info.Id);
    EXPECT_EQ(Rule(Info.R).field("helpUri"), "");
  }
}

TEST(SarifRules, Texts) {
  const Rule Of(Reason::Decltype);
  EXPECT_EQ(Of.field("shortDescription", "text"),
            "Per-thread array stays in local memory: decltype or a constant "
            "expression "
            "looks at it, and would see a reference afterwards.");
  EXPECT_EQ(Of.field("fullDescription", "text"),
            "Per-thread array stays in local memory: decltype or a constant "
            "expression "
            "looks at it, and would see a reference afterwards. To move it: "
            "write the type, or the number of its elements.");
  EXPECT_EQ(
      Rule(Reason::DynamicIndex).field("shortDescription", "text"),
      "Per-thread array can move to a stripe in shared memory: its dynamic "
      "indices force it into local memory.");
}

TEST(SarifRules, AdviceSaysWhatItIsFor) {
  auto Text = [](Reason R) {
    return Rule(R).field("fullDescription", "text").str();
  };
  using ::testing::EndsWith;
  EXPECT_THAT(Text(Reason::Nolint),
              EndsWith(". To move it: remove the comment."));
  EXPECT_THAT(Text(Reason::RangeFor),
              EndsWith(". For a stripe: loop over an index."));
  EXPECT_THAT(Text(Reason::ConstantTable),
              EndsWith(". Declare it static const or __constant__ at file "
                       "scope."));
  EXPECT_THAT(Text(Reason::NeverUsed), EndsWith(": no code uses it."));
}

TEST(SarifRules, LinkToTheDocumentsWhereTheyCanBeRead) {
  SarifRun Run = sampleRun();
  for (const char *Url :
       {"https://example.com/docs/", "https://example.com/docs"}) {
    Run.DocumentsUrl = Url;
    EXPECT_EQ(Rule(Reason::DynamicIndex, Run).field("helpUri"),
              "https://example.com/docs/reference/reasons/dynamic-index.md");
  }
  EXPECT_EQ(Log(Plan(), Run).driver().getString("informationUri"),
            "https://example.com/docs");
}

} // namespace
