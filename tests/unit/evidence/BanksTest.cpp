//===-- BanksTest.cpp - what lanes ask of shared arrays -------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Snippet.h"
#include "find/Find.h"
#include "support/ParseSnippet.h"
#include <gtest/gtest.h>

using namespace bankstripe;
using namespace bankstripe::testing;

namespace {

/// `x`, `y`, `z` for threadIdx, `X` for blockDim.x, `?` for what is uniform.
std::string textOf(const std::vector<LaneStep> &Index) {
  std::string Text;
  for (const LaneStep &S : Index) {
    if (!Text.empty())
      Text += ' ';
    if (S.What == LaneStep::Kind::Constant)
      Text += std::to_string(S.Number);
    else if (S.What == LaneStep::Kind::Thread)
      Text += "xyz"[S.Number];
    else if (S.What == LaneStep::Kind::Extent)
      Text += "XYZ"[S.Number];
    else
      Text += "?+-*/%&|^<>"[int(S.What) - int(LaneStep::Kind::Uniform)];
  }
  return Text;
}

/// The accesses to `t`, a float[32][32], in a kernel with \p Body, each as
/// `[row][column]`; one that is not known as `unknown`.
std::vector<std::string> accessesIn(const std::string &Body) {
  const std::string Code = R"cu(
extern "C" __global__ void k(float *out, const int *data, int n) {
  __shared__ float t[32][32];
)cu" + Body + "}\n";
  UnitEvidence Evidence;
  llvm::Error Failure = parseSnippet(Code, SnippetFile, [&](ParsedUnit &Unit) {
    UnitFacts Facts = findAll(Unit, [](llvm::StringRef) { return true; });
    Evidence = gatherEvidence(Unit, Facts, "sm_90");
  });
  EXPECT_FALSE(Failure) << llvm::toString(std::move(Failure));
  std::vector<std::string> Result;
  for (const auto &[Id, Accesses] : Evidence.Shared)
    for (const SharedAccess &A : Accesses) {
      EXPECT_EQ(A.FunctionId, "k");
      std::string Text = A.Indices.empty() ? "unknown" : "";
      for (const auto &Index : A.Indices)
        Text += "[" + textOf(Index) + "]";
      Result.push_back(Text);
    }
  return Result;
}

using Texts = std::vector<std::string>;

} // namespace

TEST(Banks, IndicesAreTakenDownByDimension) {
  EXPECT_EQ(accessesIn("t[threadIdx.y][threadIdx.x] = 1;"),
            Texts{"[y 1 *][x 1 *]"});
  EXPECT_EQ(accessesIn("out[0] = t[threadIdx.x / 16][threadIdx.x % 16];"),
            Texts{"[x 16 / 1 *][x 16 % 1 *]"});
  EXPECT_EQ(accessesIn("t[3][5] = 1;"), Texts{"[3][5]"});
}

TEST(Banks, VariablesAreSeenThrough) {
  EXPECT_EQ(accessesIn("int i = threadIdx.x; i += 2; t[n][i] = 1;"),
            Texts{"[? 1 *][x 2 + 1 *]"});
}

TEST(Banks, CountersKeepWhatLanesBeginWith) {
  EXPECT_EQ(accessesIn("for (int j = threadIdx.y; j < 32; j += blockDim.y)"
                       "  t[j][threadIdx.x] = 1;"),
            Texts{"[y ? + 1 *][x 1 *]"});
  EXPECT_EQ(accessesIn("for (int k = 0; k < 32; ++k)"
                       "  out[k] = t[threadIdx.x][k];"),
            Texts{"[x 1 *][? 1 *]"});
}

TEST(Banks, DataIsUnknownUnlessUniform) {
  EXPECT_EQ(accessesIn("t[data[threadIdx.x]][0] = 1;"), Texts{"unknown"});
  EXPECT_EQ(accessesIn("t[data[n]][threadIdx.x] = 1;"),
            Texts{"[? 1 *][x 1 *]"});
}

TEST(Banks, ACompoundAssignmentIsTwoAccesses) {
  EXPECT_EQ(accessesIn("t[n][threadIdx.x] += 1;").size(), 2u);
}
