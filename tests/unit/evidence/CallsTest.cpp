//===-- CallsTest.cpp - who calls whom in a unit's IR ---------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which kernels reach an array, and what other units have to know of functions.
//
//===----------------------------------------------------------------------===//

#include "Snippet.h"
#include <gtest/gtest.h>

using namespace bankstripe;
using namespace bankstripe::testing;

namespace {

/// The kernels that reach the only array of \p Code.
std::set<std::string> kernelsOf(llvm::StringRef Code,
                                std::vector<std::string> Arguments = {}) {
  return gather(Code, std::move(Arguments)).Evidence.Arrays.at(0).Kernels.at(0);
}

/// What the calls of \p Code say against moving its only array.
std::optional<Reason> obstacleOf(llvm::StringRef Code) {
  const ArrayEvidence E = gather(Code).Evidence.Arrays.at(0);
  return E.Obstacles.empty() ? std::nullopt
                             : std::optional(E.Obstacles.front().Why);
}

} // namespace

// --- The kernels that reach an array -----------------------------------------

TEST(Reach, ByCalls) {
  EXPECT_EQ(kernelsOf("__device__ int f(int i) { int a[4]; a[i] = 1;\n"
                      "  return a[0]; }\n"
                      "__global__ void one(int *out) { *out = f(1); }\n"
                      "__global__ void two(int *out) { *out = f(2); }\n"
                      "__global__ void none(int *out) { *out = 0; }"),
            (std::set<std::string>{"_Z3onePi", "_Z3twoPi"}));
}

TEST(Reach, OfAKernelByItself) {
  EXPECT_EQ(kernelsOf("__global__ void k(int *out, int i) {\n"
                      "  int a[4]; a[i] = 1; *out = a[0]; }"),
            std::set<std::string>{"_Z1kPii"});
  EXPECT_EQ(kernelsOf("static __global__ void unused(int *out, int i) {\n"
                      "  int a[4]; a[i] = 1; *out = a[0]; }"),
            std::set<std::string>{"_ZL6unusedPii"});
}

TEST(Reach, ByNobody) {
  EXPECT_TRUE(
      kernelsOf("__device__ void f(int i) { int a[4]; a[i] = 1; }").empty());
}

TEST(Reach, OfEachInstantiation) {
  const GatheredUnit Unit =
      gather("template <int N> __device__ int f(int i) {\n"
             "  int a[N]; a[i & 1] = i; return a[0]; }\n"
             "__global__ void both(int *out, int i) {\n"
             "  *out = f<2>(i) + f<3>(i); }\n"
             "__global__ void one(int *out, int i) {\n"
             "  *out = f<3>(i); }");
  const std::vector<ArrayInstance> &Instances =
      Unit.Facts.Findings.at(0).Instances;
  ASSERT_EQ(Instances.size(), 2u);
  EXPECT_EQ(Instances[0].FunctionId, "_Z1fILi2EEii");
  EXPECT_EQ(Unit.Evidence.Arrays[0].Kernels[0].size(), 1u);
  EXPECT_EQ(Unit.Evidence.Arrays[0].Kernels[1].size(), 2u);
}

TEST(Reach, OfConstructors) {
  EXPECT_EQ(kernelsOf("struct S { int x; __device__ S(int i) {\n"
                      "  int a[4]; a[i] = 1; x = a[i / 2]; } };\n"
                      "__global__ void k(int *out) { *out = S(*out).x; }"),
            std::set<std::string>{"_Z1kPi"});
}

TEST(Reach, ByRewrittenOperators) {
  EXPECT_EQ(kernelsOf("struct V { int x; };\n"
                      "__device__ bool operator==(const V &l, const V &r) {\n"
                      "  int a[4]; a[l.x] = 1; return a[r.x]; }\n"
                      "__global__ void k(V *v) { v->x = v[0] != v[1]; }",
                      {"-std=c++20"}),
            std::set<std::string>{"_Z1kP1V"});
}

TEST(Reach, ThroughTablesOfFunctions) {
  EXPECT_EQ(kernelsOf("__device__ int f(int i) { int a[4]; a[i] = 1;\n"
                      "  return a[0]; }\n"
                      "__device__ int (*table[])(int) = {f};\n"
                      "__global__ void k(int *out) { *out = table[0](1); }\n"
                      "__global__ void none(int *out) { *out = 0; }"),
            std::set<std::string>{"_Z1kPi"});
}

TEST(Reach, ByKernelsOfSystemHeaders) {
  const std::string Library =
      "# 1 \"/lib/lib.h\" 1 3\n"
      "template <class F> __global__ void each(F f, int *p) { *p = f(*p); }\n"
      "# 1 \"/snippet.cu\" 2\n"
      "struct User { __device__ int operator()(int i) const {\n"
      "  int a[4]; a[i] = 1; return a[i / 2]; } };\n";
  EXPECT_EQ(
      obstacleOf(Library + "void run(int *p) { each<<<1, 32>>>(User(), p); }"),
      Reason::BlockSizeUnknown);
  EXPECT_EQ(obstacleOf(Library), std::nullopt);
}

TEST(Reach, ByKernelsOfSystemHeadersWithLaunchBounds) {
  const UnitEvidence E =
      gather("# 1 \"/lib/lib.h\" 1 3\n"
             "template <class F> __global__ void __launch_bounds__(192)\n"
             "each(F f, int *p) { *p = f(*p); }\n"
             "__global__ void __launch_bounds__(64) other(int *p) { *p = 1; }\n"
             "# 1 \"/snippet.cu\" 2\n"
             "struct User { __device__ int operator()(int i) const {\n"
             "  int a[4]; a[i] = 1; return a[i / 2]; } };\n"
             "void run(int *p) { each<<<1, 32>>>(User(), p); }\n")
          .Evidence;
  EXPECT_TRUE(E.Arrays.at(0).Obstacles.empty());
  ASSERT_EQ(E.SystemKernels.size(), 1u);
  const auto &[Id, Kernel] = *E.SystemKernels.begin();
  EXPECT_EQ(Kernel.Threads, 192u);
  EXPECT_EQ(Kernel.Where.File, "/lib/lib.h");
  EXPECT_EQ(E.Arrays[0].Kernels, std::vector<std::set<std::string>>{{Id}});
  EXPECT_TRUE(E.Kernels.count(Id));
}

// What a pointer to a function points to may be the user's.
TEST(Reach, ByKernelsOfSystemHeadersThroughPointers) {
  const std::string Code =
      "# 1 \"/lib/lib.h\" 1 3\n"
      "template <class F> __global__ void each(F f, int *p) { *p = f(*p); }\n"
      "# 1 \"/snippet.cu\" 2\n"
      "__device__ int pick(int i) { int a[4]; a[i] = 1; return a[i / 2]; }\n"
      "__device__ int (*pointer)(int) = pick;\n"
      "void run(int (*f)(int), int *p) { each<<<1, 32>>>(f, p); }";
  EXPECT_EQ(obstacleOf(Code), Reason::BlockSizeUnknown);
}

// --- Calls that leave the translation unit ----------------------------------

namespace {

/// The function whose mangled name holds \p Part, as other units see it.
DeviceFunction functionIn(const UnitEvidence &E, llvm::StringRef Part) {
  for (const DeviceFunction &F : E.Functions)
    if (llvm::StringRef(F.Id).contains(Part))
      return F;
  ADD_FAILURE() << "no function " << Part.str();
  return {};
}

constexpr llvm::StringRef Leaving =
    "__device__ int elsewhere(int n);\n"
    "__device__ int leaves(int n) {\n"
    "  int a[4]; a[n & 3] = n; __shared__ int s[2]; s[0] = n;\n"
    "  __syncthreads(); return n ? elsewhere(n - 1) : a[0] + s[0]; }\n"
    "__global__ void kernel(int *out) { *out = leaves(1); }\n";

UnitEvidence relocatable(llvm::StringRef Code) {
  return gather(Code, {"-fgpu-rdc"}).Evidence;
}

} // namespace

TEST(CallsBetweenUnits, AreLeftToThePlan) {
  EXPECT_TRUE(relocatable(Leaving).Arrays.at(0).Obstacles.empty());
}

TEST(CallsBetweenUnits, AreListedWithWhoDefinesWhat) {
  const UnitEvidence E = relocatable(Leaving);
  const DeviceFunction Leaves = functionIn(E, "leaves");
  EXPECT_TRUE(Leaves.Defined);
  EXPECT_TRUE(llvm::is_contained(Leaves.Calls, "_Z9elsewherei"));
  EXPECT_EQ(Leaves.Shared.StaticBytes, 8u);
  EXPECT_FALSE(Leaves.Shared.UsesDynamic);
  EXPECT_FALSE(functionIn(E, "elsewhere").Defined);
  EXPECT_EQ(functionIn(E, "kernel").Calls, std::vector<std::string>{Leaves.Id});
}

TEST(CallsBetweenUnits, AreListedWithWhatPointersMayLeadTo) {
  const UnitEvidence E = relocatable(
      "struct Shape { __device__ virtual int area(int n) = 0; };\n"
      "struct Square : Shape { __device__ int area(int n) override; };\n"
      "__device__ int Square::area(int n) { return n * n; }\n"
      "__device__ int measure(Shape *s) { return s->area(2); }\n"
      "__device__ int twice(int n) { return n + n; }\n"
      "__device__ int (*table[])(int) = {twice};\n");
  EXPECT_EQ(functionIn(E, "measure").Calls,
            std::vector<std::string>{CalledByPointer.str()});
  const DeviceFunction Any = functionIn(E, CalledByPointer);
  EXPECT_TRUE(Any.Defined);
  EXPECT_TRUE(llvm::is_contained(Any.Calls, "_ZN6Square4areaEi"));
  EXPECT_TRUE(llvm::is_contained(Any.Calls, "_Z5twicei"));
}

TEST(CallsBetweenUnits, AreListedWithTheirDynamicMemory) {
  EXPECT_TRUE(functionIn(relocatable("extern __shared__ int s[];\n"
                                     "__device__ void f() { s[0] = 1; }"),
                         "f")
                  .Shared.UsesDynamic);
}

// The IR has other names for them then.
TEST(CallsBetweenUnits, DoNotHideWhatIsStatic) {
  const UnitEvidence E =
      relocatable("static __global__ void k(int *out, int i) {\n"
                  "  int a[4]; a[i] = 1; *out = a[i / 2]; }\n"
                  "void run(int *p) { k<<<1, 32>>>(p, 1); }\n");
  EXPECT_EQ(E.Arrays.at(0).Kernels.at(0), std::set<std::string>{"_ZL1kPii"});
  EXPECT_EQ(E.Work.count("_ZL1kPii"), 1u);
}

// A kernel of another unit may call them.
TEST(CallsBetweenUnits, TellWhichFunctionsMayWait) {
  const char *Code = "__device__ int next(int);\n"
                     "__device__ void wait(volatile int *p) { while (!*p); }\n"
                     "__device__ void pass(int *p) { wait(p); }\n"
                     "__device__ int read(volatile int *p) { return *p; }\n"
                     "__device__ int once(int v) { return next(v); }\n"
                     "__device__ void until(bool (*done)(int)) {\n"
                     "  while (!done(3)); }\n"
                     "__device__ int iterate(int v) {\n"
                     "  do v = next(v); while (v > 1); return v; }\n";
  EXPECT_EQ(relocatable(Code).Waiting,
            (std::set<std::string>{"_Z4passPi", "_Z4waitPVi", "_Z5untilPFbiE",
                                   "_Z7iteratei"}));
  EXPECT_TRUE(gather(Code).Evidence.Waiting.empty());
}

TEST(CallsBetweenUnits, AreNoneInAProgramOfOneUnit) {
  EXPECT_TRUE(gather(Leaving).Evidence.Functions.empty());
}

// Nobody defines them, and they do not call back.
TEST(CallsBetweenUnits, BuiltinFunctionsAreNotMissed) {
  const UnitEvidence E = relocatable("__device__ int f(int n) {\n"
                                     "  __syncthreads(); return n; }");
  ASSERT_EQ(E.Functions.size(), 1u);
  EXPECT_EQ(E.Functions.front().Id, "_Z1fi");
}
