//===-- RestrictTest.cpp - the part of a plan that a report is about ------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Units.h"
#include "gtest/gtest.h"

using namespace bankstripe;
using namespace bankstripe::testing;

namespace {

// Kernels `j` of /a.cu and `k` of /b.cu, each with an array; `f` of /h.cuh has
// one that only `k` reaches.
Plan twoFiles() {
  TestUnit U("/b.cu", /*WithKernel=*/false);
  auto AddKernel = [&](const std::string &Name, const std::string &File) {
    U.Result.Facts.Kernels.push_back(makeKernel(Name, 1, File));
    U.Result.Facts.Launches.push_back(makeLaunch(64, Name));
    Finding F = makeArray("of_" + Name);
    F.Where.File = File;
    F.Kernels = {Name};
    U.array(F);
    U.Result.Evidence.Work[Name]
        .Arrays[U.Result.Facts.Findings.size() - 1]
        .Uniform.Loaded = Name == "j" ? 1 : 2;
  };
  AddKernel("j", "/a.cu");
  AddKernel("k", "/b.cu");
  Finding F = makeArray("of_f");
  F.Where.File = "/h.cuh";
  U.array(F);
  return U.plan();
}

// What is left of twoFiles() of the files with the suffix Shown.
Plan restricted(llvm::StringRef Shown) {
  Plan P = twoFiles();
  restrictTo(P, [&](llvm::StringRef File) { return File.ends_with(Shown); });
  return P;
}

} // namespace

TEST(Restrict, ArraysAndKernelsOfTheFile) {
  Plan P = restricted("/b.cu");
  ASSERT_EQ(P.Arrays.size(), 1u);
  EXPECT_EQ(P.Arrays[0].Array.Name, "of_k");
  ASSERT_EQ(P.Kernels.size(), 1u);
  EXPECT_EQ(P.Kernels[0].Facts.Name, "k");
}

TEST(Restrict, IndicesFollow) {
  Plan P = restricted("/b.cu");
  EXPECT_EQ(P.Arrays[0].Kernels, std::vector<unsigned>{0});
  EXPECT_EQ(P.Arrays[0].InstanceKernels[0], std::vector<unsigned>{0});
  ASSERT_EQ(P.Kernels[0].Work->Arrays.size(), 1u);
  EXPECT_EQ(P.Kernels[0].Work->Arrays.at(0).Uniform.Loaded, 2);
}

TEST(Restrict, KernelOfAnotherFileThatReachesAnArray) {
  Plan P = restricted("/h.cuh");
  ASSERT_EQ(P.Kernels.size(), 1u);
  EXPECT_EQ(P.Kernels[0].Facts.Name, "k");
  EXPECT_EQ(find(P, "of_f").Kernels, std::vector<unsigned>{0});
}

TEST(Restrict, AllFiles) {
  EXPECT_EQ(restricted("").Arrays.size(), 3u);
  EXPECT_EQ(restricted("").Kernels.size(), 2u);
}

TEST(Restrict, LaunchesOfTheFile) {
  Plan P = twoFiles();
  P.Launches.resize(2);
  P.Launches[0].Text.Replaced.File = "/a.cu";
  P.Launches[1].Text.Replaced.File = "/b.cu";
  P.Launches[1].Kernel = 1;
  restrictTo(P, [](llvm::StringRef File) { return File == "/b.cu"; });
  ASSERT_EQ(P.Launches.size(), 1u);
  EXPECT_EQ(P.Launches[0].Kernel, 0u);
}

TEST(Restrict, DecisionsAboutTheFile) {
  Plan P = twoFiles();
  P.Outcomes.resize(2);
  P.Outcomes[1].Decision.File = "/b.cu";
  P.KernelOutcomes.resize(2);
  P.KernelOutcomes[1].Decision.File = "/b.cu";
  restrictTo(P, [](llvm::StringRef File) { return File == "/b.cu"; });
  EXPECT_EQ(P.Outcomes.size(), 1u);
  EXPECT_EQ(P.KernelOutcomes.size(), 1u);
}
