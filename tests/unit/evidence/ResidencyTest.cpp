//===-- ResidencyTest.cpp - which arrays stay in local memory -------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Snippet.h"

#include <gtest/gtest.h>
#include <thread>

using namespace bankstripe;
using namespace bankstripe::testing;

namespace {

TEST(Residency, ConstantIndicesStayInRegisters) {
  ArrayEvidence E = evidenceInKernel(R"cu(
  int @a[3];
  a[0] = in[0];
  a[1] = in[threadIdx.x];
  a[2] = a[0] * a[1];
  out[threadIdx.x] = a[2] + a[0];)cu");
  EXPECT_EQ(E.Where, Residency::Registers);
  EXPECT_EQ(E.Index, Uniformity::Unknown);
  EXPECT_EQ(E.ResidentBytes, 0u);
}

TEST(Residency, FullyUnrolledLoopsStayInRegisters) {
  ArrayEvidence E = evidenceInKernel(R"cu(
  int @a[16];
  for (int i = 0; i < 16; ++i)
    a[i] = in[i * 32 + threadIdx.x];
  int s = 1;
  for (int i = 15; i >= 0; --i)
    s = s * 3 + a[i];
  out[threadIdx.x] = s;)cu");
  EXPECT_EQ(E.Where, Residency::Registers);
}

TEST(Residency, ADynamicIndexKeepsTheWholeArrayInLocalMemory) {
  ArrayEvidence E = evidenceInKernel(R"cu(
  int @a[10] = {};
  a[in[0]] = 1;
  out[threadIdx.x] = a[n];)cu");
  EXPECT_EQ(E.Where, Residency::LocalMemory);
  EXPECT_EQ(E.ResidentBytes, 40u);
}

TEST(Residency, AnArrayThatNobodyUsesIsNotResident) {
  ArrayEvidence E = evidenceInKernel(R"cu(
  int @unused[100];
  out[0] = 1;)cu");
  EXPECT_EQ(E.Where, Residency::Registers);
}

TEST(Residency, AnArrayThatIsOnlyWrittenIsNotResident) {
  ArrayEvidence E = evidenceInKernel(R"cu(
  int @a[100];
  a[n] = 1;
  out[0] = 1;)cu");
  EXPECT_EQ(E.Where, Residency::Registers);
}

TEST(Residency, VolatileArraysStayEvenAtConstantIndices) {
  ArrayEvidence E = evidenceInKernel(R"cu(
  volatile int @a[2];
  a[0] = 1;
  out[0] = a[0];)cu");
  EXPECT_EQ(E.Where, Residency::LocalMemory);
  EXPECT_EQ(E.Index, Uniformity::Unknown);
}

TEST(Residency, InlinedCopiesCountForTheirDeclaration) {
  UnitEvidence E = evidenceOf(R"cu(
__device__ int pick(const int *in, int n, int i) {
  int @a[8];
  for (int j = 0; j < n; ++j)
    a[j & 7] = in[j];
  return a[i & 7];
}
extern "C" __global__ void k(const int *in, int *out, int n) {
  out[threadIdx.x] = pick(in, n, in[0]) + pick(in + 1, n, n);
}
extern "C" __global__ void l(const int *in, int *out, int n) {
  out[threadIdx.x] = pick(in, n, threadIdx.x);
})cu",
                              "_Z4pickPKiii");
  ASSERT_EQ(E.Problem, "");
  EXPECT_EQ(E.Arrays[0].Where, Residency::LocalMemory);
  EXPECT_EQ(E.Arrays[0].ResidentBytes, 32u);
  EXPECT_EQ(E.Arrays[0].Index, Uniformity::NonUniform) << "in kernel l";
  EXPECT_GE(E.Arrays[0].UniformAccesses, 4u) << "in kernel k";
}

TEST(Residency, AFunctionThatIsNotInlinedKeepsItsArray) {
  ArrayEvidence E = evidenceOfOne(R"cu(
__device__ __attribute__((noinline)) int pick(const int *in, int n) {
  int @a[8];
  for (int j = 0; j < n; ++j)
    a[j & 7] = in[j];
  return a[in[n] & 7];
}
extern "C" __global__ void k(const int *in, int *out, int n) {
  out[threadIdx.x] = pick(in + threadIdx.x, n);
})cu",
                                  "_Z4pickPKii");
  EXPECT_EQ(E.Where, Residency::LocalMemory);
  EXPECT_EQ(E.Index, Uniformity::NonUniform);
}

TEST(Residency, PartsThatAPointerSelectsAreResident) {
  ArrayEvidence E = evidenceInKernel(R"cu(
  int @best[4] = {in[0], in[1], in[2], in[3]};
  for (int i = 0; i < n; ++i) {
    int *p;
    switch (in[i + threadIdx.x]) {
    case 0: p = best; break;
    case 1: p = best + 1; break;
    case 2: p = best + 2; break;
    default: p = best + 3;
    }
    *p += in[i];
  }
  out[threadIdx.x] = best[0] - best[1] + best[2] * best[3];)cu");
  EXPECT_EQ(E.Where, Residency::LocalMemory);
  EXPECT_EQ(E.Index, Uniformity::NonUniform);
  // Split into four scalars, which the optimiser no longer sees as an array.
  EXPECT_EQ(E.ResidentBytes, 4u);
  EXPECT_EQ(E.UniformAccesses, 0u);
}

TEST(Residency, TwoArraysOfOneNameAreToldApart) {
  UnitEvidence E = evidenceOf(R"cu(
extern "C" __global__ void k(const int *in, int *out, int n) {
  {
    int @a[8] = {};
    a[in[threadIdx.x]] = n;
    out[0] = a[n];
  }
  { int @a[4] = {1, 2, 3, n}; out[1] = a[3]; } { int @a[6] = {}; a[n] = 1; out[2] = a[in[1]]; }
})cu");
  ASSERT_EQ(E.Problem, "");
  EXPECT_EQ(E.Arrays[0].Where, Residency::LocalMemory);
  EXPECT_EQ(E.Arrays[0].ResidentBytes, 32u);
  EXPECT_EQ(E.Arrays[0].Index, Uniformity::NonUniform);
  EXPECT_EQ(E.Arrays[1].Where, Residency::Registers);
  EXPECT_EQ(E.Arrays[2].Where, Residency::LocalMemory);
  EXPECT_EQ(E.Arrays[2].ResidentBytes, 24u);
  EXPECT_EQ(E.Arrays[2].Index, Uniformity::Uniform);
}

TEST(Residency, AClassObjectWithAnArrayIsResidentAsAWhole) {
  ArrayEvidence E = evidenceOfOne(R"cu(
struct Stack {
  int size = 0;
  int data[15];
  __device__ void push(int v) { data[size++] = v; }
  __device__ int pop() { return data[--size]; }
};
extern "C" __global__ void k(const int *in, int *out, int n) {
  Stack @s;
  for (int i = 0; i < n; ++i)
    s.push(in[i]);
  for (int i = 0; i < n; ++i)
    out[i] = s.pop();
})cu");
  EXPECT_EQ(E.Where, Residency::LocalMemory);
  EXPECT_GE(E.ResidentBytes, 60u);
  EXPECT_LE(E.ResidentBytes, 64u);
}

TEST(Residency, AnObjectThatIsReturnedIsResidentInItsCaller) {
  ArrayEvidence E = evidenceOfOne(R"cu(
struct Counts {
  int of[9];
  __device__ Counts() : of{} {}
  __device__ ~Counts() { of[0] = 0; } // So it is returned by address.
};
__device__ Counts count(const int *in, int n) {
  Counts @c;
  for (int i = 0; i < n; ++i)
    c.of[in[i + threadIdx.x]]++;
  return c;
}
extern "C" __global__ void k(const int *in, int *out, int n) {
  Counts all = count(in, n);
  out[0] = all.of[n];
})cu",
                                  "_Z5countPKii");
  EXPECT_EQ(E.Where, Residency::LocalMemory);
  EXPECT_EQ(E.ResidentBytes, 36u);
  EXPECT_EQ(E.Index, Uniformity::NonUniform);
}

TEST(Residency, TwoArraysThatTheOptimiserMergesAreBothResident) {
  UnitEvidence E = evidenceOf(R"cu(
struct Counts { int of[64]; };
extern "C" __global__ void k(const int *in, int *out, int n) {
  Counts @before;
  for (int i = 0; i < 64; ++i)
    before.of[i] = in[i];
  before.of[in[n]] = 1;
  Counts @after = before;
  after.of[in[n + 1]] = 3;
  out[0] = after.of[n];
})cu");
  ASSERT_EQ(E.Problem, "");
  EXPECT_EQ(E.Arrays[0].Where, Residency::LocalMemory);
  EXPECT_EQ(E.Arrays[1].Where, Residency::LocalMemory);
}

TEST(Residency, UnitsCanBeAskedAboutInParallel) {
  std::vector<ArrayEvidence> Evidence(4);
  std::vector<std::thread> Threads;
  for (ArrayEvidence &E : Evidence)
    Threads.emplace_back([&E] {
      E = evidenceInKernel(R"cu(
  int @a[8] = {};
  a[in[threadIdx.x]] = 1;
  out[0] = a[n];)cu");
    });
  for (std::thread &T : Threads)
    T.join();
  for (const ArrayEvidence &E : Evidence)
    EXPECT_EQ(E.Index, Uniformity::NonUniform);
}

TEST(Residency, EveryInstanceOfATemplateCounts) {
  UnitEvidence E = evidenceOf(R"cu(
template <class T, int N> __global__ void t(const T *in, T *out, int n) {
  T @a[N];
  for (int i = 0; i < N; ++i)
    a[i] = in[i];
  out[0] = N == 4 ? a[3] : a[n];
}
void launch() {
  t<int, 4><<<1, 1>>>(nullptr, nullptr, 0);
  t<double, 9><<<1, 1>>>(nullptr, nullptr, 0);
})cu",
                              "");
  ASSERT_EQ(E.Problem, "");
  EXPECT_EQ(E.Arrays[0].Where, Residency::LocalMemory);
  EXPECT_EQ(E.Arrays[0].ResidentBytes, 72u);
}

TEST(Residency, AFunctionThatIsNeverInstantiatedTellsNothing) {
  UnitEvidence E = evidenceOf(R"cu(
template <class T> __device__ T never(int n) {
  T @a[8] = {};
  return a[n];
}
extern "C" __global__ void k(int *out) { out[0] = 1; }
)cu",
                              "");
  EXPECT_EQ(E.Problem, "");
  EXPECT_EQ(E.Arrays[0].Where, Residency::NotEmitted);
}

TEST(Residency, AFunctionThatIsCalledByItsAddressIsKept) {
  ArrayEvidence E = evidenceOfOne(R"cu(
__device__ int pick(const int *in, int n) {
  int @a[8] = {};
  a[in[n]] = n;
  return a[in[1]];
}
__device__ int (*table[2])(const int *, int) = {pick, nullptr};
extern "C" __global__ void k(const int *in, int *out, int n) {
  out[threadIdx.x] = table[in[0]](in, n);
})cu",
                                  "_Z4pickPKii");
  EXPECT_EQ(E.Where, Residency::LocalMemory);
}

/// A kernel of a library that calls the user's code.
const char *const LibraryAndUser = R"cu(
# 1 "/usr/include/library.cuh" 1 3
template <class F> __global__ void apply(F f, int *out, int n) {
  out[threadIdx.x] = f(out, n);
}
# 7 "/snippet.cu" 2
struct User {
  __device__ int operator()(const int *in, int n) const {
    int @a[8] = {};
    a[in[0]] = n;
    return a[n];
  }
};
void launch(int *out) { apply<<<1, 32>>>(User(), out, 3); }
)cu";

TEST(Residency, ALibrarysKernelMayHoldTheUsersCode) {
  ArrayEvidence E = evidenceOfOne(LibraryAndUser, "");
  EXPECT_EQ(E.Where, Residency::LocalMemory);
}

TEST(Residency, LineDirectivesDoNotHideAnArray) {
  ArrayEvidence E = evidenceOfOne(R"cu(
#line 1000 "elsewhere.h"
extern "C" __global__ void k(const int *in, int *out, int n) {
  int @a[8] = {};
  a[in[0]] = 1;
  out[0] = a[n];
})cu");
  EXPECT_EQ(E.Where, Residency::LocalMemory);
}

TEST(Residency, IsKnownForEachArchitecture) {
  for (const char *Arch : {"sm_75", "sm_80", "sm_86", "sm_87", "sm_88", "sm_89",
                           "sm_90a", "sm_100f", "sm_103a", "sm_110", "sm_110f",
                           "sm_120a", "sm_121", "sm_121f", "sm_999"}) {
    const GatheredUnit Unit = gather(
        R"cu(
__global__ void k(const int *in, int *out, int i) {
  int a[10] = {};
  a[in[0]] = 1;
  out[threadIdx.x] = a[i];
})cu",
        {std::string("--cuda-gpu-arch=") + Arch});
    ASSERT_EQ(Unit.Evidence.Arrays.size(), 1u) << Arch;
    EXPECT_EQ(Unit.Evidence.Arrays[0].Where, Residency::LocalMemory) << Arch;
  }
}

/// What is said of the parameter `s` of \p Code.
ArrayEvidence ofParameter(llvm::StringRef Code) {
  const GatheredUnit Unit =
      gather(("struct S { int a[16], n; };\n" + Code).str());
  for (auto [F, E] : llvm::zip(Unit.Facts.Findings, Unit.Evidence.Arrays))
    if (F.isParameter())
      return E;
  ADD_FAILURE() << "no parameter is found in " << Code.str();
  return {};
}

TEST(Residency, ParametersThatAreChangedAreCopiedToLocalMemory) {
  const ArrayEvidence OfKernel = ofParameter(R"cu(
__global__ void k(S s, const int *in, int *out) {
  for (int i = 0; i < s.n; ++i)
    s.a[in[i] & 15] += i;
  out[0] = s.a[in[1] & 15];
})cu");
  EXPECT_EQ(OfKernel.Where, Residency::LocalMemory);
  EXPECT_EQ(OfKernel.ResidentBytes, 68u);
  const ArrayEvidence OfFunction = ofParameter(R"cu(
__device__ __attribute__((noinline)) int f(S s, int i) {
  s.a[i & 15] *= 2;
  return s.a[i / 2 & 15];
}
__global__ void k(const S s, const int *in, int *out) {
  out[threadIdx.x] = f(s, in[threadIdx.x]);
})cu");
  EXPECT_EQ(OfFunction.Where, Residency::LocalMemory);
  EXPECT_EQ(OfFunction.Index, Uniformity::NonUniform);
  EXPECT_EQ(OfFunction.Kernels.at(0).size(), 1u);
}

TEST(Residency, ParametersThatAreOnlyReadStayWhereTheyAre) {
  EXPECT_EQ(ofParameter(R"cu(
__device__ int at(S &s, int i) { return s.a[i & 15]; }
__global__ void k(S s, const int *in, int *out) {
  out[threadIdx.x] = at(s, in[threadIdx.x]);
})cu")
                .Where,
            Residency::Registers);
  EXPECT_EQ(ofParameter(R"cu(
__device__ int sum(S s) {
  int Result = 0;
  for (int i = 0; i < 16; ++i)
    Result += s.a[i]++;
  return Result;
}
__global__ void k(S s, int *out) { out[threadIdx.x] = sum(s); }
)cu")
                .Where,
            Residency::Registers);
}

TEST(Residency, NoFindingsNeedNoCodeGeneration) {
  UnitEvidence E = evidenceOf(R"cu(
extern "C" __global__ void k(int *out) { out[0] = 1; }
)cu");
  EXPECT_EQ(E.Problem, "");
  EXPECT_TRUE(E.Arrays.empty());
}

TEST(Residency, CodeThatCannotBeEmittedIsAProblem) {
  // Accepted by the parser; the code generator alone finds out that both
  // functions have one name.
  UnitEvidence E = evidenceOf(R"cu(
__device__ int twice() __asm__("same_name");
__device__ int twice() { return 1; }
__device__ int again() __asm__("same_name");
__device__ int again() { return 2; }
extern "C" __global__ void k(int *out, int n) {
  int @a[8] = {};
  a[n] = twice() + again();
  out[0] = a[out[1]];
})cu");
  EXPECT_NE(E.Problem.find("same_name"), std::string::npos) << E.Problem;
  EXPECT_EQ(E.Arrays[0].Where, Residency::Unknown);
  EXPECT_EQ(E.Arrays[0].Index, Uniformity::Unknown);
}

} // namespace
