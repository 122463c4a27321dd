//===-- FrameObjectsTest.cpp - what a stack frame may hold ----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "evidence/FrameObjects.h"
#include "Snippet.h"
#include "support/ParseSnippet.h"
#include "gtest/gtest.h"

using namespace bankstripe;
using namespace bankstripe::testing;

namespace {

// The objects of kernel `k` of Code that survive: "Setup s (68)".
std::vector<std::string> survivorsIn(llvm::StringRef Code) {
  std::vector<std::string> Result;
  llvm::Error Failure = parseSnippet(
      Code, SnippetFile,
      [&](ParsedUnit &Unit) {
        FrameObjects Found = gatherFrameObjects(Unit, SnippetFile, {"k"});
        for (const FrameObject &O : Found["k"])
          if (O.Survives)
            Result.push_back((O.IsParameter ? "parameter " : "") + O.Type +
                             " " + O.Name + " (" + std::to_string(O.Bytes) +
                             ") in " + O.Function + ":" +
                             std::to_string(O.Where.Line));
      },
      WithoutHeaders);
  EXPECT_FALSE(Failure) << toString(std::move(Failure));
  return Result;
}

using Names = std::vector<std::string>;

} // namespace

TEST(FrameObjects, AVectorThatIsIndexedAsAnArray) {
  EXPECT_EQ(survivorsIn(R"cu(
struct V3 { float x, y, z; };
extern "C" __global__ void k(const int *in, float *out) {
  V3 p{out[0], out[1], out[2]};
  V3 q{out[3], out[4], out[5]};
  (&p.x)[in[threadIdx.x]] += 1;
  out[threadIdx.x] = p.x + p.y + p.z + q.x + q.y;
})cu"),
            (Names{"V3 p (12) in k:4"}));
}

TEST(FrameObjects, AParameterThatIsChanged) {
  const std::string Struct = "struct Setup { float gain[16]; int n; };\n";
  EXPECT_EQ(survivorsIn(Struct + R"cu(
extern "C" __global__ void k(Setup s, const int *in, float *out) {
  s.gain[in[threadIdx.x] & 15] += 1;
  out[threadIdx.x] = s.gain[in[0] & 15];
})cu"),
            (Names{"parameter Setup s (68) in k:3"}));
  EXPECT_TRUE(survivorsIn(Struct + R"cu(
extern "C" __global__ void k(Setup s, const int *in, float *out) {
  out[threadIdx.x] = s.gain[in[threadIdx.x] & 15];
})cu")
                  .empty())
      << "it is only read";
}

TEST(FrameObjects, AParameterOfAFunctionThatIsNotInlined) {
  const Names Found = survivorsIn(R"cu(
struct Setup { float gain[16]; int n; };
__device__ __attribute__((noinline)) float read(Setup s, int i) {
  s.gain[i & 15] *= 2;
  return s.gain[i / 2 & 15];
}
extern "C" __global__ void k(const Setup s, const int *in, float *out) {
  out[threadIdx.x] = read(s, in[threadIdx.x]);
})cu");
  ASSERT_FALSE(Found.empty());
  EXPECT_NE(llvm::find(Found, "parameter Setup s (68) in read:3"), Found.end());
}

TEST(FrameObjects, AClosureThatIsChanged) {
  EXPECT_EQ(survivorsIn(R"cu(
template <class F> __device__ void apply(F f, int i, int *out) { out[i] = f(i); }
extern "C" __global__ void k(const int *in, int *out) {
  int counts[8] = {in[0], in[1], in[2], in[3], in[4], in[5], in[6], in[7]};
  auto f = [=](int i) mutable { counts[in[i] & 7]++; return counts[i & 7]; };
  out[threadIdx.x] = f(in[threadIdx.x]) + f(0);
})cu"),
            (Names{"a closure f (40) in k:5"}));
}

TEST(FrameObjects, AnArrayHasItsType) {
  EXPECT_EQ(survivorsIn(R"cu(
extern "C" __global__ void k(const int *in, int *out) {
  int a[4][2];
  a[in[1] & 3][in[0] & 1] = in[2];
  a[in[2] & 3][in[1] & 1] = in[3];
  out[threadIdx.x] = a[in[threadIdx.x] & 3][in[threadIdx.x + 1] & 1];
})cu"),
            (Names{"int[4][2] a (32) in k:3"}));
}
