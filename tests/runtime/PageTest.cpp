//===-- PageTest.cpp - data in the page --------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the scripts make of the data: page/script_test.js, page/golden_test.py.
//
//===----------------------------------------------------------------------===//

#include "page/Page.h"
#include "PageSample.h"
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

using namespace bankstripe::runtime;
using testing::HasSubstr;
using testing::Not;
using Json = nlohmann::json;

// The data in a page.
static std::string dataOf(const PageInputs &Inputs) {
  const std::string Page = htmlPage(Inputs);
  const std::string Mark = "id=\"data\">";
  const size_t Begin = Page.find(Mark) + Mark.size();
  return Page.substr(Begin, Page.find("</script>", Begin) - Begin);
}

TEST(Page, HoldsBothDocuments) {
  PageInputs Inputs;
  Inputs.Verification = jsonReport(sampleOfTestInputs());
  Inputs.Plan = R"({"schema": 1, "tool": "bankstripe", "arrays": []})";
  Inputs.Time = "2026-01-02";
  const Json Data = Json::parse(dataOf(Inputs));
  EXPECT_EQ(Data["verify"], Json::parse(Inputs.Verification));
  EXPECT_EQ(Data["plan"]["schema"], 1);
  EXPECT_EQ(Data["time"], "2026-01-02");
}

TEST(Page, NothingInTheDataEndsIt) {
  VerifyReport Report = sampleReport();
  Report.Reason = "</script><!-- <script> \xff PAGE_DATA";
  PageInputs Inputs;
  Inputs.Verification = jsonReport(Report);
  const std::string Text = dataOf(Inputs);
  EXPECT_THAT(Text, Not(HasSubstr("<")));
  EXPECT_EQ(Json::parse(Text)["verify"]["reason"],
            "</script><!-- <script> \xef\xbf\xbd PAGE_DATA");
}

TEST(Page, LeavesOutWhatItDoesNotShowOfAPlan) {
  PageInputs Inputs;
  Inputs.Verification = "{}";
  Inputs.Plan = R"({"schema": 1, "tool": "bankstripe", "arrays": [null, 3,
      {"name": "a", "uses": []}], "kernels": []})";
  const Json Plan = Json::parse(dataOf(Inputs))["plan"];
  EXPECT_EQ(Plan["arrays"][2], Json({{"name", "a"}}));
  EXPECT_FALSE(Plan.contains("kernels"));
}

TEST(Page, OtherTextIsNoPlan) {
  for (const char *Text :
       {"", "{", "[]", "{}", R"({"tool": "other"})",
        R"({"tool": "bankstripe"})", R"({"tool": "bankstripe", "schema": 2})"})
    EXPECT_NE(whyNoPlan(Text), "") << Text;
  EXPECT_EQ(whyNoPlan(R"({"tool": "bankstripe", "schema": 1})"), "");
}

// Figures of an H200 that are in its documentation: 64 warps, 65536 registers,
// 228 KB of shared memory of which a block loses 1 KB.
TEST(Json, TellsResidentWarps) {
  VerifyReport Report = sampleReport();
  Report.Kernels = {sampleKernel("sort(int*)", 2, 1)};
  const Json Known = Json::parse(jsonReport(Report));
  EXPECT_EQ(Known["kernels"][0]["original"]["residentWarps"], 48);
  Report.Capability = "1.0";
  const Json Unknown = Json::parse(jsonReport(Report));
  EXPECT_TRUE(Unknown["kernels"][0]["original"]["residentWarps"].is_null());
  EXPECT_EQ(Unknown["kernels"][0]["original"]["blockThreads"], 128);
}
