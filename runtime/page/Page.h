//===-- Page.h - a verification as a page -----------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One file that needs nothing else: no network, no fonts, no scripts but an
// embedded one without which everything can be read as well. docs/report.md
// says how to read it.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_PAGE_PAGE_H
#define BANKSTRIPE_PAGE_PAGE_H

#include "page/GpuFacts.h"
#include "page/Plan.h"
#include "verify/Session.h"

namespace bankstripe::runtime {

/// What the report says besides what a verification found. All of it may be
/// missing.
struct HtmlInputs {
  std::optional<HtmlPlan> Plan;
  std::optional<GpuFacts> Gpu;
  std::string Time; ///< Of the verification.
};

/// A whole HTML document, which is well-formed XML too.
std::string htmlReport(const VerifyReport &Report, const HtmlInputs &Inputs);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_PAGE_PAGE_H
