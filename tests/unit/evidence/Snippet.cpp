//===-- Snippet.cpp - evidence of the arrays in a few lines ---------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Snippet.h"
#include "find/Find.h"
#include "support/ParseSnippet.h"

#include "llvm/ADT/StringExtras.h"
#include <gtest/gtest.h>

using namespace llvm;

namespace bankstripe::testing {

UnitFacts factsOf(StringRef Marked, StringRef FunctionId, std::string &Code) {
  UnitFacts Facts;
  Facts.MainFile = SnippetFile;
  unsigned Line = 1, Column = 1;
  for (size_t I = 0; I != Marked.size(); ++I) {
    char C = Marked[I];
    if (C == '@') {
      Finding F;
      F.Name = Marked.substr(I + 1)
                   .take_while([](char N) { return isAlnum(N) || N == '_'; })
                   .str();
      F.Where = {SnippetFile.str(), Line, Column};
      F.Function.Id = FunctionId;
      F.Instances.emplace_back();
      F.Instances.back().FunctionId = FunctionId;
      Facts.Findings.push_back(std::move(F));
      continue;
    }
    Code += C;
    Column = C == '\n' ? 1 : Column + 1;
    Line += C == '\n';
  }
  return Facts;
}

UnitEvidence evidenceOf(StringRef Marked, StringRef FunctionId) {
  std::string Code;
  UnitFacts Facts = factsOf(Marked, FunctionId, Code);
  UnitEvidence Evidence;
  Error Failure = parseSnippet(
      Code, SnippetFile,
      [&](ParsedUnit &Unit) { Evidence = gatherEvidence(Unit, Facts); },
      WithoutHeaders);
  EXPECT_FALSE(Failure) << toString(std::move(Failure));
  EXPECT_EQ(Evidence.Arrays.size(), Facts.Findings.size());
  Evidence.Arrays.resize(Facts.Findings.size());
  return Evidence;
}

ArrayEvidence evidenceOfOne(StringRef Marked, StringRef FunctionId) {
  UnitEvidence Evidence = evidenceOf(Marked, FunctionId);
  EXPECT_EQ(Evidence.Problem, "");
  EXPECT_EQ(Evidence.Arrays.size(), 1u);
  return Evidence.Arrays.empty() ? ArrayEvidence() : Evidence.Arrays.front();
}

ArrayEvidence evidenceInKernel(const std::string &Statements) {
  return evidenceOfOne(
      "extern \"C\" __global__ void k(const int *in, int *out, int n) {" +
      Statements + "}");
}

GatheredUnit gather(StringRef Code, std::vector<std::string> Arguments) {
  GatheredUnit Result;
  append_range(Arguments, WithoutHeaders);
  Error Failure = parseSnippet(
      Code, SnippetFile,
      [&](ParsedUnit &Unit) {
        Result.Facts = findAll(Unit, [](StringRef) { return true; });
        Result.Evidence = gatherEvidence(Unit, Result.Facts);
        EXPECT_EQ(Result.Evidence.Problem, "");
      },
      std::move(Arguments));
  EXPECT_FALSE(Failure) << toString(std::move(Failure));
  return Result;
}

} // namespace bankstripe::testing
