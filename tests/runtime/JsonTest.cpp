//===-- JsonTest.cpp - the names in the JSON, and their documents ---------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "harness/Json.h"
#include "PageSample.h"
#include "recording/Records.h"
#include "replay/Report.h"
#include <gtest/gtest.h>
#include <set>

using namespace bankstripe;
using namespace bankstripe::runtime;

namespace {

using Names = std::set<std::string>;

void collect(const Json &Value, Names &Into) {
  for (const auto &[Name, Part] : Value.items()) {
    if (Value.is_object())
      Into.insert(Name);
    if (Part.is_structured())
      collect(Part, Into);
  }
}

// Of docs/reference/json.md, from one heading to the next, or to the end.
std::string sections(const std::string &From, const std::string &To = "") {
  const std::string Page =
      readFile(BANKSTRIPE_DOCS "/reference/json.md").value_or("");
  const size_t Begin = Page.find("## " + From);
  if (Begin == std::string::npos)
    return "";
  return Page.substr(Begin, To.empty() ? std::string::npos
                                       : Page.find("## " + To) - Begin);
}

// The first columns of the tables in Markdown.
Names firstColumns(const std::string &Text) {
  Names Found;
  std::istringstream Lines(Text);
  for (std::string Line; std::getline(Lines, Line);)
    if (Line.starts_with("| `")) {
      std::istringstream Cell(Line.substr(0, Line.find('|', 1)));
      std::string Name;
      std::getline(Cell, Name, '`');
      for (; std::getline(Cell, Name, '`'); std::getline(Cell, Line, '`'))
        Found.insert(Name);
    }
  return Found;
}

// With everything that there can be, if not all at once.
Names namesOfVerifications() {
  VerifyReport R = sampleOfTestInputs();
  makeDiffer(R);
  R.Found = Location{{2, 7}, 1, "the program hid", {}};
  R.Launches.First->Original = "1";
  R.Launches.SequenceNotDeterministicFrom = 3;
  R.Launches.FollowsOccupancy = R.Launches.First;
  R.Output = compareOutput("a\n", "a\n", "b\n");
  Names Found;
  collect(Json::parse(jsonReport(R)), Found);
  R.Launches.First->IsVariable = true;
  collect(Json::parse(jsonReport(R)), Found);
  return Found;
}

Names namesOfSurveys() {
  SurveyResult S;
  S.Kernels = {{"step(int*)", 1, 1, 32, {{}}, ""}};
  Names Found;
  collect(jsonOf(S), Found);
  return Found;
}

Names namesOfReplays() {
  ReplayResults R;
  R.Original = SideResult();
  R.Times = sampleKernel("step(int*)", 2, 1);
  Names Found;
  collect(jsonOf(resultOf({}, R)), Found);
  return Found;
}

// As in docs/reference/json.md.
void expectGoodNames(const Names &Of, const std::string &Documents) {
  EXPECT_GT(Of.size(), 5u);
  for (const std::string &Name : Of) {
    EXPECT_TRUE(std::islower(Name[0]) &&
                std::ranges::all_of(
                    Name, [](unsigned char C) { return std::isalpha(C); }))
        << Name << " is not camelCase";
    EXPECT_NE(Documents.find('`' + Name + '`'), std::string::npos)
        << Name << " is not described";
  }
}

TEST(Json, NamesAreCamelCaseAndDescribed) {
  const std::string Verify = sections("The result of bankstripe-verify",
                                      "The result of bankstripe-replay");
  expectGoodNames(namesOfVerifications(), Verify);
  expectGoodNames(namesOfSurveys(), Verify);
  expectGoodNames(namesOfReplays(),
                  sections("The result of bankstripe-verify"));
}

TEST(Json, WhatIsDescribedIsPrinted) {
  Names Printed = namesOfVerifications();
  Printed.merge(namesOfSurveys());
  Printed.merge(namesOfReplays());
  const Names Described =
      firstColumns(sections("The result of bankstripe-verify"));
  EXPECT_GT(Described.size(), 40u);
  for (const std::string &Name : Described)
    EXPECT_TRUE(Printed.contains(Name)) << Name << " is not printed";
}

} // namespace
