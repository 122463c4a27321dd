//===-- Page.h - a verification as a page -----------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// It shows two JSON documents: what was verified and the plan
// (docs/reference/json.md). docs/guide/report.md says how to read it.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_PAGE_PAGE_H
#define BANKSTRIPE_PAGE_PAGE_H

#include <string>

namespace bankstripe::runtime {

/// What the page is made of.
struct PageInputs {
  std::string Verification; ///< What jsonReport() says.
  std::string Plan;         ///< What the rewriter said, or empty.
  std::string Time;         ///< Of the verification.
};

/// Why \p Text is not what `bankstripe rewrite --format=json` prints; empty
/// when it is.
std::string whyNoPlan(const std::string &Text);

/// A whole HTML document. A plan that is none is left out.
std::string htmlPage(const PageInputs &Inputs);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_PAGE_PAGE_H
