//===-- PageSample.cpp - writes a page to look at -------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//     page_sample identical|differs|not-verified [PLAN] > page.html
//
// For work on the page without a GPU, and for check_page.py; nothing on the
// page was measured so.
//
//===----------------------------------------------------------------------===//

#include "PageSample.h"
#include "page/Page.h"
#include "recording/Records.h"
#include <cstdio>

using namespace bankstripe::runtime;

int main(int Count, char **Arguments) {
  const std::string Kind = Count > 1 ? Arguments[1] : "identical";
  VerifyReport Report = sampleOfTestInputs();
  if (Kind == "differs") {
    makeDiffer(Report);
    Report.Kernels.resize(2);
  }
  if (Kind == "not-verified") {
    Report = VerifyReport();
    Report.Reason = "the original program launches no kernel (exit status 0)";
  }
  PageInputs Inputs;
  Inputs.Verification = jsonReport(Report);
  if (Count > 2)
    Inputs.Plan = readFile(Arguments[2]).value_or("");
  std::fputs(htmlPage(Inputs).c_str(), stdout);
  return 0;
}
