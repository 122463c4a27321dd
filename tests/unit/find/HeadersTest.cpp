//===-- HeadersTest.cpp - headers that others than nvcc may read ----------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FindTester.h"
#include "find/Find.h"
#include "support/ParseSnippet.h"
#include <gtest/gtest.h>

using namespace bankstripe;
using namespace bankstripe::testing;

/// The facts of \p Code in a file of that name.
static UnitFacts factsIn(llvm::StringRef File, const std::string &Code) {
  UnitFacts Facts;
  llvm::Error E = parseSnippet(Code, File, [&](ParsedUnit &Unit) {
    Facts = findAll(Unit, [](llvm::StringRef) { return true; });
  });
  EXPECT_FALSE(bool(E)) << toString(std::move(E));
  return Facts;
}

static bool mayBeReadForHost(llvm::StringRef File, const std::string &Macros,
                             const std::string &Attributes) {
  UnitFacts Facts =
      factsIn(File, Macros + "\n" + Attributes +
                        " inline int f(int i) { bool a[4] = {}; a[i] = true;\n"
                        "  return a[i + 1]; }\n");
  EXPECT_EQ(Facts.Findings.size(), 1u);
  const Finding &F = Facts.Findings.at(0);
  EXPECT_TRUE(F.Function.HostDevice || !F.Function.MayBeReadForHost);
  EXPECT_TRUE(F.AsBits);
  return F.Function.MayBeReadForHost;
}

TEST(Headers, WithFunctionsForBothMayBeReadForTheHost) {
  const std::string Both = "__host__ __device__";
  EXPECT_TRUE(mayBeReadForHost("/h.h", "", Both));
  EXPECT_TRUE(mayBeReadForHost("/h.cuh", "", Both));
  EXPECT_FALSE(mayBeReadForHost("/h.cu", "", Both));
  for (const char *Guard : {"__NVCC__", "USE_CUDA", "__CUDACC__"})
    EXPECT_TRUE(mayBeReadForHost("/h.h",
                                 "#define USE_CUDA\n#define __NVCC__\n#ifdef " +
                                     std::string(Guard) +
                                     "\n#define HD __host__ __device__\n#else\n"
                                     "#define HD\n#endif\n",
                                 "HD"))
        << Guard;
}

TEST(Headers, WithFunctionsForBothHaveCopiesForCudaAlone) {
  for (auto [Attributes, ForBoth] :
       {std::pair("__host__ __device__", true), {"__device__", false}}) {
    const UnitFacts Facts = factsIn(
        "/h.h", Attributes + std::string(" inline int f(int i) { int a[4] = {};"
                                         " a[i] = i; return a[i / 2]; }\n"));
    ASSERT_EQ(Facts.Functions.size(), 1u);
    EXPECT_EQ(Facts.Functions[0].Problem, "");
    EXPECT_EQ(Facts.Functions[0].MayBeReadForHost, ForBoth);
  }
}

TEST(Headers, WithAttributesThatMayBeEmptyMayBeReadForTheHost) {
  EXPECT_TRUE(mayBeReadForHost("/h.h", "#define ON_GPU __device__", "ON_GPU"));
  EXPECT_FALSE(mayBeReadForHost("/h.h", "", "__device__"));
  EXPECT_TRUE(mayBeReadForHost(
      "/h.h", "#ifdef NONE\n#  define  __device__\n#endif", "__device__"));
  EXPECT_FALSE(mayBeReadForHost(
      "/h.h", "// They define __device__.\n#define __device__x", "__device__"));
}

TEST(Headers, WithKernelsThatMayBeFunctionsGetNoBounds) {
  auto KernelIn = [](const std::string &Attributes) {
    return factsIn("/h.h", "#define KERNEL __global__\n" + Attributes +
                               " void k(int *) {}\n")
        .Kernels.at(0);
  };
  EXPECT_TRUE(KernelIn("__global__").BoundsInsertion.isValid());
  EXPECT_FALSE(KernelIn("KERNEL").BoundsInsertion.isValid());
  EXPECT_EQ(KernelIn("KERNEL").Text.Problem,
            "a compiler for the host may read it");
}
