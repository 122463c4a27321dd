//===-- VersionsTest.cpp - functions that have a version already ----------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FindTester.h"
#include "llvm/ADT/STLExtras.h"
#include <gtest/gtest.h>

using namespace bankstripe;
using namespace bankstripe::testing;
using llvm::StringRef;

/// Whether the array of \p Function, behind \p Version or before it, stays for
/// that of the version.
static bool hasVersionIn(const std::string &Function,
                         const std::string &Version, bool IsBefore = false) {
  const std::string Helper =
      "namespace bankstripe { __device__ int stripe();\n"
      "template <class T> struct row { typedef void type; }; }\n";
  const Finding F =
      findingOf(Helper + (IsBefore ? Version + Function : Function + Version));
  return llvm::any_of(F.Obstacles, [](const Obstacle &O) {
    return O.Why == Reason::HasVersion;
  });
}

static const std::string Body = "(int *p, int i) {\n"
                                "  int a[4]; a[i] = 1; *p = a[*p]; }\n";
static const std::string MovedBody =
    "(int *p, int i) { *p = ::bankstripe::stripe(); }\n";

TEST(Versions, OfKernelsAreSeen) {
  const std::string Kernel = "__global__ void k" + Body;
  EXPECT_TRUE(
      hasVersionIn(Kernel, "static __global__ void k_striped" + MovedBody));
  EXPECT_TRUE(
      hasVersionIn("extern \"C\" " + Kernel,
                   "extern \"C\" __global__ void k_striped" + MovedBody));
  EXPECT_FALSE(
      hasVersionIn(Kernel, "static __global__ void k2_striped" + MovedBody));
  // Somebody else's.
  EXPECT_FALSE(hasVersionIn(Kernel, "__global__ void k_striped" + MovedBody));
  EXPECT_FALSE(
      hasVersionIn(Kernel, "static __device__ void k_striped" + MovedBody));
  EXPECT_FALSE(hasVersionIn(
      Kernel, "static __global__ void k_striped(int *p, int i) { *p = i; }"));
}

TEST(Versions, OfAnotherTextAreOutdated) {
  const std::string Head =
      "namespace bankstripe { __device__ int stripe(); }\n";
  auto ReasonWith = [&](StringRef Digest) {
    return findingOf(Head + "__global__ void k" + Body +
                     "// The same as text " + Digest.str() +
                     ", with arrays in shared memory.\n" +
                     "static __global__ void k_striped" + MovedBody)
        .Obstacles.at(0)
        .Why;
  };
  const std::string Text = "k" + StringRef(Body).trim().str();
  EXPECT_EQ(ReasonWith(textDigest(Text)), Reason::HasVersion);
  EXPECT_EQ(
      ReasonWith(textDigest("k (int *p,int i){int a[4];a[i]=1;*p=a[*p];}")),
      Reason::HasVersion);
  EXPECT_EQ(
      ReasonWith(textDigest("k(int *p,int i){int a[4];a[i]=2;*p=a[*p];}")),
      Reason::VersionOutdated);
  // That of an earlier version says nothing of this one.
  EXPECT_EQ(ReasonWith("00000000.\nvoid another() {}\n//"), Reason::HasVersion);
}

TEST(Versions, OfFunctionsAreSeen) {
  EXPECT_TRUE(hasVersionIn("__device__ void f" + Body,
                           "static __device__ void f_striped" + MovedBody));
}

TEST(Versions, OfAnotherOverloadAreNone) {
  EXPECT_FALSE(
      hasVersionIn("__device__ void f" + Body,
                   "static __device__ void f_striped(int *p, float) { *p = "
                   "::bankstripe::stripe(); }"));
}

TEST(Versions, OfTemplatesStandBeforeThem) {
  EXPECT_TRUE(hasVersionIn("template <class T> __global__ void k" + Body +
                               "template __global__ void k<int>(int *, int);\n",
                           "template <class T> static __global__ typename "
                           "::bankstripe::row<T>::type "
                           "k_striped" +
                               MovedBody,
                           /*IsBefore=*/true));
}

TEST(Versions, KnowWhatOtherFilesHaveToo) {
  auto IsWeak = [](const std::string &Head, std::vector<std::string> Options) {
    return factsOf(
               Head + " k" + Body, [](auto) { return true; },
               std::move(Options))
        .Findings.at(0)
        .IsWeak;
  };
  EXPECT_TRUE(IsWeak("inline __device__ void", {"-fgpu-rdc"}));
  EXPECT_FALSE(IsWeak("inline __device__ void", {}));
  EXPECT_FALSE(IsWeak("__global__ void", {"-fgpu-rdc"}));
  EXPECT_FALSE(IsWeak("static inline __device__ void", {"-fgpu-rdc"}));
}
