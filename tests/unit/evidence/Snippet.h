//===-- Snippet.h - evidence of the arrays in a few lines -------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests write their code with an `@` before the name of each array that they
// ask about:
//
//   extern "C" __global__ void k(int *out, int i) { int @a[8]; ... }
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TESTS_UNIT_EVIDENCE_SNIPPET_H
#define BANKSTRIPE_TESTS_UNIT_EVIDENCE_SNIPPET_H

#include "evidence/Gather.h"
#include "llvm/ADT/StringRef.h"
#include <ostream>
#include <string>
#include <vector>

namespace bankstripe::testing {

/// The name that snippets are parsed under.
inline constexpr llvm::StringLiteral SnippetFile = "/snippet.cu";

/// The code without marks, and a finding per mark, in \p FunctionId.
UnitFacts factsOf(llvm::StringRef Marked, llvm::StringRef FunctionId,
                  std::string &Code);

/// The evidence of each marked array, in source order. The test fails when the
/// snippet cannot be parsed.
UnitEvidence evidenceOf(llvm::StringRef Marked,
                        llvm::StringRef FunctionId = "k");

/// The same when there is one array and the IR can be made.
ArrayEvidence evidenceOfOne(llvm::StringRef Marked,
                            llvm::StringRef FunctionId = "k");

/// The same of a kernel with the parameters `const int *in, int *out, int n`
/// that does \p Statements.
ArrayEvidence evidenceInKernel(const std::string &Statements);

/// All that is known of a unit before planning.
struct GatheredUnit {
  UnitFacts Facts;
  UnitEvidence Evidence;
};

/// That of \p Code, compiled with \p Arguments.
GatheredUnit gather(llvm::StringRef Code,
                    std::vector<std::string> Arguments = {});

} // namespace bankstripe::testing

namespace bankstripe {

// NOLINTBEGIN(readability-identifier-naming): GoogleTest's name.
inline void PrintTo(Residency R, std::ostream *OS) { *OS << nameOf(R).str(); }
inline void PrintTo(Uniformity U, std::ostream *OS) { *OS << nameOf(U).str(); }
// NOLINTEND(readability-identifier-naming)

} // namespace bankstripe

#endif
