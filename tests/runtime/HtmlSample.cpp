//===-- HtmlSample.cpp - writes a page to look at -------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//     html_sample identical|differs|not-verified [PLAN] > page.html
//
// For work on the report without a GPU; nothing on the page was measured so.
//
//===----------------------------------------------------------------------===//

#include "HtmlSample.h"
#include <cstdio>
#include <fstream>
#include <iterator>

using namespace bankstripe::runtime;

int main(int Count, char **Arguments) {
  const std::string Kind = Count > 1 ? Arguments[1] : "identical";
  VerifyReport Report = sampleOfTestInputs();
  HtmlInputs Inputs;
  Inputs.Gpu = sampleGpu();
  if (Kind == "differs")
    makeDiffer(Report);
  if (Kind == "not-verified") {
    Report = VerifyReport();
    Report.Reason = "the original program launches no kernel (exit status 0)";
  }
  if (Count > 2) {
    std::ifstream File(Arguments[2], std::ios::binary);
    auto Plan = parsePlan({std::istreambuf_iterator<char>(File), {}});
    if (const auto *Error = std::get_if<PlanError>(&Plan)) {
      std::fprintf(stderr, "%s\n", Error->Message.c_str());
      return 1;
    }
    Inputs.Plan = std::move(std::get<HtmlPlan>(Plan));
  }
  std::fputs(htmlReport(Report, Inputs).c_str(), stdout);
  return 0;
}
