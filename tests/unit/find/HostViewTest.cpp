//===-- HostViewTest.cpp - arrays as the parse for the host has them ------===//
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

/// The obstacles to the array in a kernel whose macro READ is this for the host
/// and a plain subscript for the device.
static std::vector<Reason> obstaclesWith(const std::string &HostRead,
                                         const std::string &Attributes) {
  UnitFacts Facts =
      factsOf("#ifdef __CUDA_ARCH__\n#define READ(a, i) a[i]\n#else\n"
              "#define READ(a, i) " +
              HostRead + "\n#endif\n" + Attributes +
              " void f(int *out) { int a[8]; a[out[0]] = 1;\n"
              "  out[1] = READ(a, out[2]);\n"
              "#ifdef __CUDA_ARCH__\n  out[3] = a[out[4]];\n#endif\n}\n");
  EXPECT_EQ(Facts.Findings.size(), 1u);
  EXPECT_TRUE(Facts.AsksForSide);
  std::vector<Reason> Result;
  for (const Obstacle &O : Facts.Findings.at(0).Obstacles)
    Result.push_back(O.Why);
  return Result;
}

TEST(HostView, HasTheUsesThatMacrosHideFromTheDevice) {
  for (const char *Side : {"__global__", "__device__"}) {
    EXPECT_EQ(obstaclesWith("(*(&(a)[0] + (i)))", Side),
              std::vector{Reason::ElementAddressEscapes})
        << Side;
    EXPECT_EQ(obstaclesWith("(int)sizeof(a)", Side),
              std::vector{Reason::SizeOfArray});
    EXPECT_EQ(obstaclesWith("a[i]", Side), std::vector<Reason>());
  }
}

// There the host finds the array where it was.
TEST(HostView, DoesNotMatterWhereTheHostKeepsTheArray) {
  EXPECT_EQ(obstaclesWith("(*(&(a)[0] + (i)))", "__host__ __device__"),
            std::vector<Reason>());
}

TEST(HostView, ThatCannotBeReadKeepsArrays) {
  auto Obstacles = [](const std::string &Before) {
    const UnitFacts Facts = factsOf(
        "#ifndef __CUDA_ARCH__\n" + Before +
        "#endif\n__global__ void k(int *out) { int a[8]; a[out[0]] = 1; "
        "out[1] = a[out[2]]; }\n");
    return Facts.Findings.at(0).Obstacles;
  };
  EXPECT_TRUE(Obstacles("").empty());
  const auto Kept = Obstacles("#error host\n");
  ASSERT_EQ(Kept.size(), 1u);
  EXPECT_EQ(Kept[0].Why, Reason::TranslationUnitsDiffer);
  EXPECT_EQ(Kept[0].Detail, "what it is for the host was not read");
}

// nvcc takes calls, in device code, of what is there for the device alone.
TEST(HostView, KeepsArraysOfFunctionsThatCannotBeReadAlone) {
  const UnitFacts Facts = factsOf(R"cu(
#ifdef __CUDA_ARCH__
__device__ int f(int i) { return i; }
__device__ int g;
#endif
__global__ void k(int *out) { int a[8]; a[out[0]] = g; out[1] = a[out[2]]; }
__global__ void l(int *out) { int b[8]; b[out[0]] = 1; out[1] = b[out[2]]; }
template <class T> __global__ void m(T *out) {
  int c[8]; c[out[0]] = f(1); out[1] = c[f(out[2])];
}
template __global__ void m(int *);
)cu");
  std::map<std::string, bool> Stays;
  for (const Finding &F : Facts.Findings)
    Stays[F.Name] = !F.Obstacles.empty();
  EXPECT_EQ(Stays, (std::map<std::string, bool>{
                       {"a", true}, {"b", false}, {"c", true}}));
}

// --- Types that have another size there --------------------------------------

TEST(HostSizes, AreThoseOfLongDouble) {
  auto Differs = [](const std::string &Type) {
    const Finding F = findingOf("struct S { int n; long double d[2]; };\n"
                                "struct Derived : S { int m; };\n"
                                "__global__ void k(int i) { " +
                                Type + " a[4]; (void)a[i]; }\n");
    return llvm::any_of(F.Obstacles, [](const Obstacle &O) {
      return O.Why == Reason::TranslationUnitsDiffer;
    });
  };
  for (const char *Type :
       {"long double", "_Complex long double", "S", "Derived"})
    EXPECT_TRUE(Differs(Type)) << Type;
  for (const char *Type : {"double", "long", "long double *"})
    EXPECT_FALSE(Differs(Type)) << Type;
}
