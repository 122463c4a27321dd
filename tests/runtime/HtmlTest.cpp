//===-- HtmlTest.cpp - the report as a page --------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HtmlSample.h"
#include "page/Diff.h"
#include "page/Occupancy.h"
#include "page/Plot.h"
#include "page/Text.h"
#include "verify/Child.h"
#include "verify/Print.h"
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>

using namespace bankstripe::runtime;
using testing::HasSubstr;
using testing::Not;

// The text on the page as a strict parser sees it, or what is wrong with it.
static std::string textOf(const std::string &Page) {
  const std::string Path =
      testing::TempDir() + "page-" +
      testing::UnitTest::GetInstance()->current_test_info()->name() + ".html";
  std::ofstream(Path, std::ios::binary) << Page;
  ChildRequest Request;
  Request.Program = PYTHON_PROGRAM;
  Request.Arguments = {PAGE_CHECKER, Path};
  Request.Environment = {{"PYTHONIOENCODING", "utf-8"}};
  const ChildResult Result = runChild(Request);
  std::filesystem::remove(Path);
  EXPECT_TRUE(Result.succeeded()) << Result.Errors;
  return Result.Output;
}

static std::string textOf(const VerifyReport &Report,
                          const HtmlInputs &Inputs = {}) {
  return textOf(htmlReport(Report, Inputs));
}

// A plan with one array that moves and one that does not, and one change.
static HtmlPlan samplePlan() {
  auto Plan = parsePlan(R"json({
    "schema": 1, "tool": "bankstripe",
    "arrays": [
      {"name": "counts", "type": "int[16]",
       "index": "non-uniform", "function": "countDigits",
       "place": {"file": "/src/digits.cu", "line": 7, "column": 3},
       "verdict": "stripe", "form": "plain", "storage": "static",
       "sharedBytes": 5120, "reason": "dynamic-index",
       "message": "its dynamic indices force it into local memory"},
      {"name": "stack", "type": "int[32]", "function": "findOverlaps",
       "place": {"file": "/src/tree.cu", "line": 43, "column": 7},
       "verdict": "keep", "reason": "not-profitable",
       "message": "moving it is not predicted to pay",
       "detail": "its kernels would run at 0.76", "advice": "measure it"}],
    "kernels": [
      {"name": "countDigits", "mangledName": "_Z11countDigitsPKjPi",
       "blockSize": 128, "blockSizeText": "launch at digits.cu:30 (literal)",
       "warpsPerMultiprocessorBefore": 64, "warpsPerMultiprocessorAfter": 48,
       "predicted": {"explanation": {
         "taken": true, "speedup": 5.5, "low": 2, "high": 12, "price": 0.5,
         "gain": 11, "worst": 0.9, "worstIf": "its grids are small",
         "before": {"time": 900, "warps": 64, "limiter": "threads", "arrays": [
           {"array": "counts", "issue": 700, "latency": 6400, "moved": false,
            "hitRate": 0.25}]},
         "after": {"time": 160, "warps": 48, "limiter": "shared memory",
           "arrays": [{"array": "counts", "issue": 70, "latency": 640,
                       "moved": true, "hitRate": null}]},
         "alternatives": [{"what": "'counts' packed", "speedup": 4.5,
                           "low": 2, "high": 9}]}}}],
    "changes": [{"file": "/src/digits.cu", "diff":
      "@@ -7 +7 @@\n-  counts[i] = 1;\n+  bankstripe::at(counts, i) = 1;\n"}]
  })json");
  EXPECT_TRUE(std::holds_alternative<HtmlPlan>(Plan));
  return std::get<HtmlPlan>(Plan);
}

TEST(Html, ReportOfAnIdenticalProgram) {
  HtmlInputs Inputs;
  Inputs.Gpu = sampleGpu();
  const std::string Text = textOf(sampleOfTestInputs(), Inputs);
  EXPECT_THAT(Text, HasSubstr("✓ Identical"));
  EXPECT_THAT(Text, HasSubstr("100 launches, 24 allocations"));
  EXPECT_THAT(Text, HasSubstr("132 multiprocessors of up to 2,048 threads"));
  EXPECT_THAT(Text, HasSubstr("9.62×"));
  EXPECT_THAT(Text, HasSubstr("▼ slower"));
  EXPECT_THAT(Text, HasSubstr("Most time won"));
  EXPECT_THAT(Text, HasSubstr("Most time lost"));
  EXPECT_THAT(Text, HasSubstr("0 → 26,624"));
  EXPECT_THAT(Text, HasSubstr("528 × 2,048 × 132 = 136 MiB before"));
}

TEST(Html, ReportOfADifferingProgramLocatesTheDifference) {
  VerifyReport Report = sampleOfTestInputs();
  makeDiffer(Report);
  Report.Output = compareOutput("sum 1\n", "sum 1\n", "sum 2\n");
  const std::string Text = textOf(Report);
  EXPECT_THAT(Text, HasSubstr("✗ Differs"));
  EXPECT_THAT(Text, HasSubstr("launch 17 of 100, play(int*)"));
  EXPECT_THAT(Text, HasSubstr("the first difference is in the bytes 4096"));
  EXPECT_THAT(Text, HasSubstr("the output differs in line 1"));
}

TEST(Html, ReasonAndDifferenceStandTogether) {
  VerifyReport Report = sampleOfTestInputs();
  makeDiffer(Report);
  Report.Reason = "the rewritten program: exit status 1";
  const std::string Page = htmlReport(Report, {});
  EXPECT_THAT(textOf(Page), HasSubstr("launch 17 of 100, play(int*)"));
  EXPECT_THAT(Page, Not(HasSubstr("Reservations")));
}

TEST(Html, LinesOfOneReservationStayTogether) {
  VerifyReport Report = sampleReport();
  Report.Within.emplace();
  ToleratedMemory Memory;
  Memory.WasRead = true;
  Memory.Where.Bytes = 100;
  Memory.Bytes = 50;
  Report.Tolerated = {Memory};
  EXPECT_THAT(htmlReport(Report, {}),
              HasSubstr("<br/>only the first 50 bytes were compared so</li>"));
}

TEST(Html, NotVerifiedSaysWhyAndHasNoEmptySections) {
  VerifyReport Report;
  Report.Reason = "the original program launches no kernel";
  const std::string Page = htmlReport(Report, {});
  EXPECT_THAT(textOf(Page), HasSubstr("? Not verified"));
  EXPECT_THAT(Page, HasSubstr(Report.Reason));
  EXPECT_THAT(Page, Not(HasSubstr("<table")));
  EXPECT_THAT(Page, Not(HasSubstr("<nav")));
}

// A long kernel within the noise may win more time than any that is faster.
TEST(Html, MostTimeIsWonByAKernelThatIsFaster) {
  VerifyReport Report = sampleReport();
  Report.Kernels = {sampleKernel("steady", 1005, 1000),
                    sampleKernel("quick", 2, 1)};
  const std::string Text = textOf(Report);
  EXPECT_THAT(Text, HasSubstr("Most time won"));
  EXPECT_THAT(Text, HasSubstr("quick, 2.00×"));
  EXPECT_THAT(Text, Not(HasSubstr("Most time lost")));
}

TEST(Html, OutputThatWasNotComparedIsNotCalledTheSame) {
  VerifyReport Report = sampleReport();
  Report.Verdict = Outcome::Differs;
  Report.Output = OutputComparison();
  EXPECT_THAT(textOf(Report), Not(HasSubstr("0 bytes, the same")));
  EXPECT_NE(jsonReport(Report).find("\"output\": null"), std::string::npos);
}

TEST(Html, MissingValuesAreDashes) {
  VerifyReport Report = sampleReport();
  Report.Kernels.resize(1);
  Report.Kernels[0].Name = "graph";
  const std::string Text = textOf(Report);
  EXPECT_THAT(Text, HasSubstr("not timed"));
  EXPECT_THAT(Text, HasSubstr("-, -")); // The spreads.
  EXPECT_THAT(Text, Not(HasSubstr("Time of the whole program")));
  EXPECT_THAT(Text, Not(HasSubstr("nan")));
}

TEST(Html, NotesAndLaunchesThatWereNotCompared) {
  VerifyReport Report = sampleReport();
  Report.Launches.NotDeterministic = {3, 4};
  Report.Launches.UndigestedLaunches = 7;
  Report.DigestedLaunches = 93;
  Report.Notes = {"CUDA graphs are recorded as one launch (2 times)"};
  const std::string Text = textOf(Report);
  EXPECT_THAT(Text, HasSubstr("their memory right after 93 of them"));
  EXPECT_THAT(Text, HasSubstr("2 not deterministic"));
  EXPECT_THAT(Text, HasSubstr("what they write is not compared"));
  EXPECT_THAT(Text, HasSubstr("CUDA graphs are recorded as one launch"));
}

TEST(Html, WhateverWasSaidIsText) {
  const std::string Evil = "<script>alert(\"1\")</script> & 'x' ]]> \xff\x01";
  VerifyReport Report = sampleReport();
  Report.Verdict = Outcome::Differs;
  Report.Reason = Report.Device = Report.Capability = Evil;
  Report.Notes = {Evil};
  Report.Output = compareOutput("a\n", "a\n", Evil + "\n");
  Report.Kernels = {sampleKernel(Evil, 2, 1)};
  HtmlInputs Inputs;
  Report.OriginalCommand = Report.RewrittenCommand = Inputs.Time = Evil;
  Inputs.Plan = samplePlan();
  for (PlannedArray &A : Inputs.Plan->Arrays)
    A.Name = A.Type = A.Index = A.Function = A.Where.File = A.Form = A.Storage =
        A.Message = A.Detail = A.Advice = A.Reason = Evil;
  Inputs.Plan->Arrays[1].Verdict = Evil;
  PlannedKernel &K = Inputs.Plan->Kernels[0];
  K.Name = K.BlockSize = K.Terms->WorstIf = K.Terms->After.Limiter = Evil;
  K.Terms->Before.Arrays[0].Name = K.Terms->Considered[0].What = Evil;
  Inputs.Plan->Changes[0].File = Evil;
  Inputs.Plan->Changes[0].Diff = "@@ -1 +1 @@\n-" + Evil + "\n+" + Evil + "!\n";
  const std::string Page = htmlReport(Report, Inputs);
  EXPECT_THAT(textOf(Page), HasSubstr("<script>alert(\"1\")</script> & 'x'"));
  EXPECT_THAT(Page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(Page, Not(HasSubstr("\xff")));
}

TEST(Html, WhatThePlanSaysIsShown) {
  HtmlInputs Inputs;
  Inputs.Plan = samplePlan();
  const std::string Text = textOf(sampleOfTestInputs(), Inputs);
  EXPECT_THAT(Text, HasSubstr("Private arrays rewritten1 of 2in 1 file"));
  EXPECT_THAT(Text, HasSubstr("bankstripe::at(counts, i) = 1;"));
  EXPECT_THAT(Text, HasSubstr("moving it is not predicted to pay"));
  EXPECT_THAT(Text, HasSubstr("to change that: measure it"));
  EXPECT_THAT(Text, HasSubstr("non-uniform"));
  EXPECT_THAT(Text, HasSubstr("64 → 48"));
  EXPECT_THAT(Text, HasSubstr("5.50 (2.00 to 12.00)"));
  EXPECT_THAT(Text, HasSubstr("within the range"));
  EXPECT_THAT(Text, HasSubstr("local memory, 25 % in the L1"));
  EXPECT_THAT(Text, HasSubstr("0.90 if its grids are small"));
}

TEST(Html, ChangeThatWasNotTakenHasNoMeasuredSpeedup) {
  HtmlInputs Inputs;
  Inputs.Plan = samplePlan();
  Inputs.Plan->Kernels[0].Terms->Taken = false;
  EXPECT_THAT(textOf(sampleOfTestInputs(), Inputs),
              HasSubstr("-not taken, so not measured"));
}

TEST(Html, WhatAnEqualKernelSeemsToWinIsLeftOut) {
  VerifyReport Report = sampleReport();
  Report.Kernels = {sampleKernel("steady", 1005, 1000)};
  EXPECT_THAT(textOf(Report), HasSubstr("= equal-"));
}

TEST(Html, PlanWithoutArraysAndChanges) {
  HtmlInputs Inputs;
  Inputs.Plan = HtmlPlan();
  EXPECT_THAT(textOf(sampleReport(), Inputs),
              HasSubstr("Nothing was rewritten"));
}

TEST(Html, FiftyKernelsAndTwentyDiffsFitIntoHalfAMegabyte) {
  VerifyReport Report = sampleReport();
  HtmlInputs Inputs;
  Inputs.Gpu = sampleGpu();
  Inputs.Plan = samplePlan();
  const PlannedKernel Kernel = Inputs.Plan->Kernels[0];
  std::string Diff = "@@ -1,400 +1,400 @@\n";
  for (int Line = 0; Line < 400; ++Line)
    Diff += "-  counts[digit(keys[i], " + std::to_string(Line) +
            ")]++;\n+  bankstripe::at(counts, digit(keys[i], " +
            std::to_string(Line) + "))++;\n";
  // One alone is too long as well.
  Inputs.Plan->Changes.assign(1, {"/src/digits.cu", Diff});
  EXPECT_THAT(textOf(htmlReport(Report, Inputs)),
              HasSubstr("lines more are left out here"));
  Inputs.Plan->Changes.assign(20, {"/src/digits.cu", Diff});
  for (int I = 0; I < 50; ++I) {
    Report.Kernels.push_back(sampleKernel("void kernel" + std::to_string(I) +
                                              "<" + std::string(600, 'T') +
                                              ">(int*)",
                                          2 + I, 1));
    Inputs.Plan->Kernels.push_back(Kernel);
  }
  const std::string Page = htmlReport(Report, Inputs);
  EXPECT_LT(Page.size(), 500'000U);
  EXPECT_THAT(textOf(Page), HasSubstr("lines more are left out here"));
}

TEST(HtmlPlan, OtherTextIsAnError) {
  for (const char *Text : {"", "{", "[]", "{\"tool\": \"other\"}",
                           "{\"tool\": \"bankstripe\", \"schema\": 2}"})
    EXPECT_TRUE(std::holds_alternative<PlanError>(parsePlan(Text))) << Text;
}

TEST(HtmlPlan, ValuesOfOtherTypesArePassedOver) {
  const auto Plan = parsePlan(
      R"({"schema": 1, "tool": "bankstripe", "changes": 7, "arrays": [null,
          {"name": 3, "place": null, "sharedBytes": -1, "verdict": "slot"}],
          "kernels": [{"blockSize": null, "predicted": null}]})");
  const auto *Read = std::get_if<HtmlPlan>(&Plan);
  ASSERT_TRUE(Read);
  ASSERT_EQ(Read->Arrays.size(), 2U);
  EXPECT_EQ(Read->Arrays[1].Name, "");
  EXPECT_TRUE(Read->Arrays[1].changes());
  EXPECT_FALSE(Read->Kernels[0].Terms);
}

TEST(HtmlRows, WhatChangesTheProgramMostComesFirst) {
  VerifyReport Report;
  Report.Kernels = {sampleKernel("same", 9, 9), sampleKernel("loses", 1, 4),
                    sampleKernel("wins", 6, 1)};
  const KernelRows Kernels = kernelRows(Report, nullptr);
  EXPECT_EQ(Kernels.Rows[0].Name, "wins");
  EXPECT_EQ(Kernels.Rows[1].Name, "loses");
  EXPECT_EQ(Kernels.Rows[2].Change, Effect::Equal);
  EXPECT_DOUBLE_EQ(*Kernels.speedup(), 16.0 / 14);
}

TEST(Html, KernelOfOneProgramAlone) {
  VerifyReport Report = sampleReport();
  Report.Kernels = {sampleKernel("added(int*)", 1, 2)};
  Report.Kernels[0].MedianOriginal.reset();
  Report.Kernels[0].TotalOriginal = 0;
  Report.Kernels[0].Sure.reset();
  const std::string Text = textOf(Report);
  EXPECT_THAT(Text, HasSubstr("rewritten only"));
  EXPECT_THAT(Text, Not(HasSubstr("0.00 µs")));
}

TEST(HtmlRows, NamesThatAreTheSameWhenShortenedAreNumbered) {
  const std::string Long(200, 'x');
  VerifyReport Report;
  Report.Kernels = {sampleKernel("void f<" + Long + "1>(int)", 4, 1),
                    sampleKernel("void f<" + Long + "2>(int)", 3, 1)};
  const KernelRows Kernels = kernelRows(Report, nullptr);
  EXPECT_EQ(Kernels.Rows[0].Short, "f<…> #1");
  EXPECT_EQ(Kernels.Rows[1].Short, "f<…> #2");
}

TEST(HtmlRows, PlannedKernelIsFoundByItsMangledNameOrTheNameInTheSource) {
  HtmlPlan Plan;
  Plan.Kernels.resize(3);
  Plan.Kernels[0].MangledName = "_Z4sortPi";
  Plan.Kernels[1].Name = "ns::scan<int>";
  Plan.Kernels[2].Name = "sort";
  VerifyReport Report;
  Report.Kernels = {sampleKernel("sort(int*)", 3, 1),
                    sampleKernel("void ns::scan<int>(int*)", 2, 1),
                    sampleKernel("other(int*)", 1, 1)};
  const KernelRows Kernels = kernelRows(Report, &Plan);
  EXPECT_EQ(Kernels.Rows[0].Planned, &Plan.Kernels[0]);
  EXPECT_EQ(Kernels.Rows[1].Planned, &Plan.Kernels[1]);
  EXPECT_EQ(Kernels.Rows[2].Planned, nullptr);
}

// Figures of an H200 that are in its documentation: 64 warps, 65536 registers,
// 228 KB of shared memory of which a block loses 1 KB.
TEST(HtmlRows, ResidentWarpsOfTheLaunchesThatWereSeen) {
  VerifyReport Report;
  Report.Kernels = {sampleKernel("sort(int*)", 2, 1)};
  KernelStatistics &K = Report.Kernels[0];
  K.OriginalShape = LaunchShape{128, 0};
  K.RewrittenShape = LaunchShape{128, 32768};
  K.Original->Registers = K.Rewritten->Registers = 32;
  const KernelRow Row = kernelRows(Report, nullptr, sampleGpu()).Rows[0];
  EXPECT_EQ(Row.WarpsBefore, 64U);
  EXPECT_EQ(Row.WarpsAfter, 6U * 4);
  EXPECT_FALSE(kernelRows(Report, nullptr).Rows[0].WarpsBefore);
  HtmlInputs Inputs;
  Inputs.Gpu = sampleGpu();
  const std::string Text = textOf(Report, Inputs);
  EXPECT_THAT(Text, HasSubstr("64 (100 %) → 24 (38 %)"));
  EXPECT_THAT(Text, HasSubstr("0 → 32,768"));
}

TEST(HtmlRows, RegistersLimitResidentWarps) {
  EXPECT_EQ(residentWarps({255, 0, 0}, {128, 0}, sampleGpu()), 8U);
  EXPECT_EQ(residentWarps({32, 0, 0}, {0, 0}, sampleGpu()), std::nullopt);
}

TEST(HtmlRows, IntervalThatHoldsOneIsEqual) {
  EXPECT_EQ(effectOf(1.3, Interval{0.9, 1.8}), Effect::Equal);
  EXPECT_EQ(effectOf(1.01, Interval{1.005, 1.02}), Effect::Faster);
  EXPECT_EQ(effectOf(0.9, Interval{0.8, 0.95}), Effect::Slower);
  EXPECT_EQ(effectOf(1.01, std::nullopt), Effect::Equal);
  EXPECT_EQ(effectOf(std::nullopt, std::nullopt), Effect::Unknown);
}

TEST(HtmlPlot, AxisHoldsOneAndAllIntervals) {
  std::vector<KernelRow> Rows(2);
  Rows[0].Speedup = 62.5;
  Rows[1].Speedup = 0.9;
  Rows[1].Sure = Interval{0.3, 1.1};
  const FactorAxis Axis(Rows);
  EXPECT_EQ(Axis.ticks().front(), 0.2);
  EXPECT_EQ(Axis.ticks().back(), 100);
  EXPECT_LT(Axis.place(0.3), Axis.place(1));
  EXPECT_LT(Axis.place(62.5), 100);
  EXPECT_EQ(Axis.place(1e9), Axis.place(100));
}

TEST(HtmlPlot, WideAxisHasFewLabels) {
  std::vector<KernelRow> Rows(2);
  Rows[0].Speedup = 3000;
  Rows[1].Speedup = 0.003;
  const FactorAxis Axis(Rows);
  EXPECT_THAT(Axis.ticks(), testing::Contains(1));
  EXPECT_LE(Axis.ticks().size(), 9U);
}

TEST(HtmlPlot, TitleHasTheFullName) {
  KernelRow Row;
  Row.Name = "void f<" + std::string(3000, 'x') + ">(int*)";
  Row.Short = plotName(Row.Name);
  Row.Speedup = 2;
  Row.Change = Effect::Faster;
  EXPECT_THAT(speedupPlot(Row, FactorAxis({Row})),
              HasSubstr("<title>void f&lt;xxx"));
  EXPECT_EQ(Row.Short, "f<…>");
}

TEST(HtmlDiff, LinesHaveTheirNumbersAndPairsTheirDifference) {
  const HtmlDiff Diff = htmlDiff("--- a/x.cu\n+++ b/x.cu\n@@ -7,2 +7,3 @@\n"
                                 " int i;\n-a[i] = 1;\n+at(a, i) = 1;\n",
                                 1000);
  EXPECT_EQ(Diff.Added, 1U);
  EXPECT_EQ(Diff.Removed, 1U);
  EXPECT_THAT(Diff.Html, HasSubstr("<span data-n=\"    7     7\"> int i;"));
  EXPECT_THAT(Diff.Html, HasSubstr("<del data-n=\"    8      \">-a<b>[i]</b>"));
  EXPECT_THAT(Diff.Html, HasSubstr("+a<b>t(a, i)</b> = 1;"));
}

TEST(HtmlDiff, CharactersStayWhole) {
  const HtmlDiff Diff =
      htmlDiff("@@ -1 +1 @@\n-x = \"ä\";\n+x = \"ö\";\n", 1000);
  EXPECT_THAT(Diff.Html, HasSubstr("<b>ä</b>"));
  EXPECT_THAT(Diff.Html, HasSubstr("<b>ö</b>"));
}

TEST(HtmlDiff, LinesBeyondTheLimitAreCounted) {
  const HtmlDiff Diff = htmlDiff("@@ -0,0 +1,3 @@\n+a\n+b\n+c\n", 100);
  EXPECT_EQ(Diff.Added, 3U);
  EXPECT_EQ(Diff.LinesLeftOut, 2U);
}

TEST(HtmlText, RepairsWhatXmlCannotHold) {
  EXPECT_EQ(repairText("a\tb\n"), "a\tb\n");
  EXPECT_EQ(repairText(std::string_view("a\0b\x1b", 4)), "a�b�");
  EXPECT_EQ(repairText("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"), "ä€😀");
  EXPECT_EQ(repairText("\xc3"), "�");                // Cut short.
  EXPECT_EQ(repairText("\xc0\xaf"), "��");           // Too long a form.
  EXPECT_EQ(repairText("\xed\xa0\x80"), "���");      // A surrogate.
  EXPECT_EQ(repairText("\xef\xbf\xbf"), "�");        // Not a character.
  EXPECT_EQ(repairText("\xf4\x90\x80\x80"), "����"); // Beyond the last plane.
}

TEST(HtmlText, PlotNames) {
  EXPECT_EQ(plotName("sort(int*, int)"), "sort");
  EXPECT_EQ(plotName("void sort<float, 25>(float const*)"), "sort<float, 25>");
  EXPECT_EQ(plotName("(anonymous namespace)::f(int (*)(int))"),
            "(anonymous namespace)::f");
  EXPECT_EQ(plotName("void cub::DeviceRadixSort<(cub::Policy)4, (1 > 0), "
                     "unsigned int, cub::NullType>::run<int>(int*)"),
            "cub::DeviceRadixSort<…>::run<…>");
  EXPECT_EQ(plotName("void cub::CUB_200700_NS::detail::radix::(anonymous "
                     "namespace)::DeviceRadixSortOnesweepKernel<int>(int*)"),
            "…::DeviceRadixSortOnesweepKernel<…>");
  const std::string Cut = plotName(std::string(80, 'a') + "äend");
  EXPECT_TRUE(Cut.starts_with("aaa") && Cut.ends_with("äend")) << Cut;
}

TEST(HtmlText, Figures) {
  EXPECT_EQ(countText(1234567), "1,234,567");
  EXPECT_EQ(countText(999), "999");
  EXPECT_EQ(durationText(std::nullopt), "-");
  EXPECT_EQ(durationText(1.5e6), "1.50 ms");
  EXPECT_EQ(durationText(999.6e3), "1.00 ms");
  EXPECT_EQ(bytesText(1), "1 byte");
  EXPECT_EQ(bytesText(1536), "1.50 KiB");
  EXPECT_EQ(bytesText(uint64_t{3} << 30), "3 GiB");
  EXPECT_EQ(factorText(31.25), "31.2×");
}
