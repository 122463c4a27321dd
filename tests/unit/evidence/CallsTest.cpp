//===-- CallsTest.cpp - who calls whom in a unit's IR ---------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which kernels reach an array, whether its function can be entered again
// before it returns, and what shared memory a kernel has with its callees.
// Calls that stand nowhere in the text count too.
//
//===----------------------------------------------------------------------===//

#include "Snippet.h"
#include "find/Find.h"
#include "support/ParseSnippet.h"
#include "llvm/ADT/STLExtras.h"
#include <gtest/gtest.h>

using namespace bankstripe;
using namespace bankstripe::testing;

namespace {

/// All that is known of \p Code before planning.
UnitFacts completeFacts(llvm::StringRef Code,
                        std::vector<std::string> Arguments = {}) {
  UnitFacts Facts;
  llvm::append_range(Arguments, WithoutHeaders);
  llvm::Error Failure = parseSnippet(
      Code, SnippetFile,
      [&](ParsedUnit &Unit) {
        Facts = findAll(Unit, [](llvm::StringRef) { return true; });
        EXPECT_EQ(gatherEvidence(Unit, Facts, "sm_90").Problem, "");
      },
      std::move(Arguments));
  EXPECT_FALSE(Failure) << toString(std::move(Failure));
  return Facts;
}

/// Why the array `a` cannot move; empty when nothing is said of recursion.
std::string whyReentered(llvm::StringRef Code,
                         std::vector<std::string> Arguments = {}) {
  for (const Finding &F : completeFacts(Code, std::move(Arguments)).Findings)
    for (const Obstacle &O : F.Obstacles)
      if (F.Name == "a" && O.Why == Reason::RecursiveFunction)
        return O.Detail;
  return "";
}

/// The kernels that reach the only array of \p Code.
std::vector<std::string> kernelsOf(llvm::StringRef Code,
                                   std::vector<std::string> Arguments = {}) {
  UnitFacts Facts = completeFacts(Code, std::move(Arguments));
  EXPECT_EQ(Facts.Findings.size(), 1u);
  return Facts.Findings.empty() ? std::vector<std::string>()
                                : Facts.Findings.front().Kernels;
}

Kernel kernelIn(llvm::StringRef Code, llvm::StringRef Name = "kernel") {
  // Whatever is asked, there is an array to ask it for.
  const std::string Whole =
      Code.str() + "\n__global__ void any(int *p, int i) { int a[4]; a[i] = 1;"
                   " *p = a[i / 2]; }\n";
  for (const Kernel &K : completeFacts(Whole).Kernels)
    if (K.Name == Name)
      return K;
  ADD_FAILURE() << "no kernel '" << Name.str() << "' in " << Code.str();
  return Kernel();
}

constexpr llvm::StringRef Itself = "it calls itself";
constexpr llvm::StringRef Hidden =
    "it may call itself through a pointer or a virtual function";

} // namespace

// --- The kernels that reach an array -----------------------------------------

TEST(Reach, ByCalls) {
  EXPECT_EQ(kernelsOf("__device__ int f(int i) { int a[4]; a[i] = 1;\n"
                      "  return a[0]; }\n"
                      "__global__ void one(int *out) { *out = f(1); }\n"
                      "__global__ void two(int *out) { *out = f(2); }\n"
                      "__global__ void none(int *out) { *out = 0; }"),
            (std::vector<std::string>{"_Z3onePi", "_Z3twoPi"}));
}

TEST(Reach, OfAKernelByItself) {
  EXPECT_EQ(kernelsOf("__global__ void k(int *out, int i) {\n"
                      "  int a[4]; a[i] = 1; *out = a[0]; }"),
            std::vector<std::string>{"_Z1kPii"});
  EXPECT_EQ(kernelsOf("static __global__ void unused(int *out, int i) {\n"
                      "  int a[4]; a[i] = 1; *out = a[0]; }"),
            std::vector<std::string>{"_ZL6unusedPii"});
}

TEST(Reach, ByNobody) {
  EXPECT_TRUE(
      kernelsOf("__device__ void f(int i) { int a[4]; a[i] = 1; }").empty());
}

TEST(Reach, OfEachInstantiation) {
  Finding F = completeFacts("template <int N> __device__ int f(int i) {\n"
                            "  int a[N]; a[i & 1] = i; return a[0]; }\n"
                            "__global__ void both(int *out, int i) {\n"
                            "  *out = f<2>(i) + f<3>(i); }\n"
                            "__global__ void one(int *out, int i) {\n"
                            "  *out = f<3>(i); }")
                  .Findings.front();
  EXPECT_EQ(F.Kernels.size(), 2u);
  ASSERT_EQ(F.Instances.size(), 2u);
  EXPECT_EQ(F.Instances[0].FunctionId, "_Z1fILi2EEii");
  EXPECT_EQ(F.Instances[0].Kernels.size(), 1u);
  EXPECT_EQ(F.Instances[1].Kernels.size(), 2u);
}

TEST(Reach, OfConstructors) {
  EXPECT_EQ(kernelsOf("struct S { int x; __device__ S(int i) {\n"
                      "  int a[4]; a[i] = 1; x = a[i / 2]; } };\n"
                      "__global__ void k(int *out) { *out = S(*out).x; }"),
            std::vector<std::string>{"_Z1kPi"});
}

TEST(Reach, ByRewrittenOperators) {
  EXPECT_EQ(kernelsOf("struct V { int x; };\n"
                      "__device__ bool operator==(const V &l, const V &r) {\n"
                      "  int a[4]; a[l.x] = 1; return a[r.x]; }\n"
                      "__global__ void k(V *v) { v->x = v[0] != v[1]; }",
                      {"-std=c++20"}),
            std::vector<std::string>{"_Z1kP1V"});
}

TEST(Reach, ThroughTablesOfFunctions) {
  EXPECT_EQ(kernelsOf("__device__ int f(int i) { int a[4]; a[i] = 1;\n"
                      "  return a[0]; }\n"
                      "__device__ int (*table[])(int) = {f};\n"
                      "__global__ void k(int *out) { *out = table[0](1); }\n"
                      "__global__ void none(int *out) { *out = 0; }"),
            std::vector<std::string>{"_Z1kPi"});
}

TEST(Reach, ByKernelsOfSystemHeaders) {
  const std::string Library =
      "# 1 \"/lib/lib.h\" 1 3\n"
      "template <class F> __global__ void each(F f, int *p) { *p = f(*p); }\n"
      "# 1 \"/snippet.cu\" 2\n"
      "struct User { __device__ int operator()(int i) const {\n"
      "  int a[4]; a[i] = 1; return a[i / 2]; } };\n";
  UnitFacts Facts = completeFacts(
      Library + "void run(int *p) { each<<<1, 32>>>(User(), p); }");
  ASSERT_EQ(Facts.Findings.size(), 1u);
  ASSERT_EQ(Facts.Findings[0].Obstacles.size(), 1u);
  EXPECT_EQ(Facts.Findings[0].Obstacles[0].Why, Reason::BlockSizeUnknown);
  EXPECT_TRUE(completeFacts(Library).Findings[0].Obstacles.empty());
}

// What a pointer to a function points to may be the user's.
TEST(Reach, ByKernelsOfSystemHeadersThroughPointers) {
  UnitFacts Facts = completeFacts(
      "# 1 \"/lib/lib.h\" 1 3\n"
      "template <class F> __global__ void each(F f, int *p) { *p = f(*p); }\n"
      "# 1 \"/snippet.cu\" 2\n"
      "__device__ int pick(int i) { int a[4]; a[i] = 1; return a[i / 2]; }\n"
      "__device__ int (*pointer)(int) = pick;\n"
      "void run(int (*f)(int), int *p) { each<<<1, 32>>>(f, p); }");
  ASSERT_EQ(Facts.Findings.size(), 1u);
  ASSERT_EQ(Facts.Findings[0].Obstacles.size(), 1u);
  EXPECT_EQ(Facts.Findings[0].Obstacles[0].Why, Reason::BlockSizeUnknown);
}

// --- Calls that can be seen ------------------------------------------------

TEST(Reentry, OfAFunctionThatCallsItself) {
  EXPECT_EQ(whyReentered("__device__ int f(int n) {\n"
                         "  int a[4]; a[n & 3] = n;\n"
                         "  return n ? f(n - 1) : a[0]; }"),
            Itself);
}

TEST(Reentry, NotOfAFunctionThatCallsAnother) {
  EXPECT_EQ(whyReentered("__device__ int g(int n) { return n + 1; }\n"
                         "__device__ int f(int n) {\n"
                         "  int a[4]; a[n & 3] = n; return g(n) + a[0]; }"),
            "");
}

TEST(Reentry, OfFunctionsThatCallEachOther) {
  const char *Code = "__device__ int g(int n);\n"
                     "__device__ int f(int n) {\n"
                     "  int a[4]; a[n & 3] = n; return g(n) + a[0]; }\n"
                     "__device__ int g(int n) { return n ? f(n - 1) : 0; }";
  EXPECT_EQ(whyReentered(Code), Itself);
}

// The cycle lies below the function, which itself runs once at a time.
TEST(Reentry, NotOfACallerOfARecursiveFunction) {
  EXPECT_EQ(whyReentered("__device__ int g(int n) { return n ? g(n - 1) : 0; }"
                         "__device__ int f(int n) {\n"
                         "  int a[4]; a[n & 3] = n; return g(n) + a[0]; }"),
            "");
}

TEST(Reentry, OfAnotherInstantiationIsNone) {
  EXPECT_EQ(whyReentered("template <int N> __device__ int f(int i) {\n"
                         "  int a[4]; a[i & 3] = i;\n"
                         "  if constexpr (N > 0) return f<N - 1>(i) + a[0];\n"
                         "  return a[1]; }\n"
                         "__global__ void k(int *out) { *out = f<3>(1); }"),
            "");
}

TEST(Reentry, OfTheSameInstantiation) {
  EXPECT_EQ(whyReentered("template <class T> __device__ T f(T i) {\n"
                         "  T a[4]; a[i & 3] = i;\n"
                         "  return i ? f(i - 1) : a[0]; }\n"
                         "__global__ void k(int *out) { *out = f(1); }"),
            Itself);
}

TEST(Reentry, OfMethods) {
  EXPECT_EQ(whyReentered("struct S { __device__ int f(int n) {\n"
                         "  int a[4]; a[n & 3] = n;\n"
                         "  return n ? f(n - 1) : a[0]; } };\n"
                         "__global__ void k(int *p) { *p = S().f(*p); }"),
            Itself);
}

// --- Calls that stand elsewhere --------------------------------------------

TEST(HiddenCalls, InDefaultArguments) {
  EXPECT_EQ(whyReentered("__device__ int f(int n);\n"
                         "__device__ int g(int n, int m = f(0)) {\n"
                         "  return n + m; }\n"
                         "__device__ int f(int n) {\n"
                         "  int a[4]; a[n & 3] = n;\n"
                         "  return n ? g(n) : a[0]; }"),
            Itself);
  EXPECT_EQ(whyReentered("__device__ int h(int n);\n"
                         "__device__ int g(int n, int m = h(0)) {\n"
                         "  return n + m; }\n"
                         "__device__ int f(int n) {\n"
                         "  int a[4]; a[n & 3] = n;\n"
                         "  return n ? g(n) : a[0]; }"),
            "");
}

TEST(HiddenCalls, InMemberInitialisers) {
  EXPECT_EQ(whyReentered("__device__ int f(int n);\n"
                         "struct S { int x = f(0); };\n"
                         "__device__ int f(int n) {\n"
                         "  int a[4]; a[n & 3] = n;\n"
                         "  return n ? S().x : a[0]; }"),
            Itself);
  EXPECT_EQ(whyReentered("__device__ int f(int n);\n"
                         "struct S { int x; __device__ S() : x(f(0)) {} };\n"
                         "__device__ int f(int n) {\n"
                         "  int a[4]; a[n & 3] = n;\n"
                         "  return n ? S().x : a[0]; }"),
            Itself);
}

TEST(HiddenCalls, OfTheStepsOfARangeFor) {
  EXPECT_EQ(whyReentered("__device__ int f(int n);\n"
                         "struct Range { int v[2];\n"
                         "  __device__ int *begin() { f(0); return v; }\n"
                         "  __device__ int *end() { return v + 2; } };\n"
                         "__device__ int f(int n) {\n"
                         "  int a[4]; a[n & 3] = n;\n"
                         "  if (n) { Range r; for (int x : r) n += x; }\n"
                         "  return n + a[0]; }"),
            Itself);
}

TEST(HiddenCalls, OfOperatorsAndConversions) {
  EXPECT_EQ(whyReentered("__device__ int f(int n);\n"
                         "struct S { __device__ operator int() const {\n"
                         "  return f(0); } };\n"
                         "__device__ int f(int n) {\n"
                         "  int a[4]; a[n & 3] = n;\n"
                         "  return n ? int(S()) : a[0]; }"),
            Itself);
}

TEST(HiddenCalls, OfDestructors) {
  const std::string Class = "__device__ int f(int n);\n"
                            "struct S { int x; __device__ ~S() { f(x); } };\n";
  EXPECT_EQ(whyReentered(Class + "__device__ int f(int n) {\n"
                                 "  int a[4]; a[n & 3] = n;\n"
                                 "  if (n) { S s; s.x = 0; }\n"
                                 "  return a[0]; }"),
            Itself);
  EXPECT_EQ(whyReentered("__device__ int g(int n) { return n; }\n"
                         "struct S { int x; __device__ ~S() { g(x); } };\n"
                         "__device__ int f(int n) {\n"
                         "  int a[4]; a[n & 3] = n;\n"
                         "  if (n) { S s; s.x = 0; }\n"
                         "  return a[0]; }"),
            "");
}

TEST(HiddenCalls, OfRewrittenOperators) {
  const std::string Class = "struct V { int x; };\n"
                            "__device__ int f(int n);\n"
                            "__device__ bool operator==(V l, V r) {\n"
                            "  return f(l.x - r.x); }\n"
                            "__device__ int f(int n) {\n"
                            "  int a[4]; a[n & 3] = n;\n"
                            "  V l{n - 1}, r{1};\n";
  EXPECT_EQ(
      whyReentered(Class + "return n && l != r ? 1 : a[0]; }", {"-std=c++20"}),
      Itself);
  EXPECT_EQ(
      whyReentered(Class + "return l.x != r.x ? 1 : a[0]; }", {"-std=c++20"}),
      "");
}

TEST(HiddenCalls, OfOperatorNew) {
  EXPECT_EQ(whyReentered("using size_t = decltype(sizeof 0);\n"
                         "__device__ void *f(int n);\n"
                         "struct S { int x;\n"
                         "  __device__ void *operator new(size_t) {\n"
                         "    return f(0); } };\n"
                         "__device__ void *f(int n) {\n"
                         "  int a[4]; a[n & 3] = n;\n"
                         "  return n && a[0] ? new S : nullptr; }"),
            Itself);
}

// --- Calls whose callee nobody can name ------------------------------------

TEST(UnknownCallees, OfPointers) {
  const std::string Declared = "__device__ int f(int n);\n"
                               "__device__ int (*pointer)(int);\n";
  const std::string Calling = "__device__ int f(int n) {\n"
                              "  int a[4]; a[n & 3] = n;\n"
                              "  return n ? pointer(n - 1) : a[0]; }\n";
  const std::string Taking = "__global__ void k() { pointer = f; }";
  EXPECT_EQ(whyReentered(Declared + Calling + Taking), Hidden);
  // Its address is never taken: the pointer means another function.
  EXPECT_EQ(whyReentered(Declared + Calling), "");
  EXPECT_EQ(whyReentered(Declared +
                         "__device__ int f(int n) {\n"
                         "  int a[4]; a[n & 3] = n; return a[0]; }\n" +
                         Taking),
            "");
}

TEST(UnknownCallees, OfPointersInTables) {
  EXPECT_EQ(whyReentered("__device__ int f(int n);\n"
                         "__device__ int (*table[])(int) = {f};\n"
                         "__device__ int f(int n) {\n"
                         "  int a[4]; a[n & 3] = n;\n"
                         "  return n ? table[0](n - 1) : a[0]; }\n"),
            Hidden);
}

TEST(UnknownCallees, OfPointerParameters) {
  EXPECT_EQ(whyReentered("__device__ int apply(int (*g)(int), int n) {\n"
                         "  return g(n); }\n"
                         "__device__ int f(int n) {\n"
                         "  int a[4]; a[n & 3] = n;\n"
                         "  return n ? apply(f, n - 1) : a[0]; }"),
            Hidden);
}

TEST(UnknownCallees, OfLambdas) {
  EXPECT_EQ(
      whyReentered("__device__ int f(int n);\n"
                   "__device__ int apply(int (*g)(int), int n) {\n"
                   "  return g(n); }\n"
                   "__device__ int f(int n) {\n"
                   "  int a[4]; a[n & 3] = n;\n"
                   "  return n ? apply([](int m) { return f(m - 1); }, n)\n"
                   "           : a[0]; }"),
      Hidden);
}

TEST(UnknownCallees, OfVirtualFunctions) {
  EXPECT_EQ(whyReentered("struct Base { __device__ virtual int f(int n) = 0; };"
                         "struct Derived : Base {\n"
                         "  Base *next;\n"
                         "  __device__ int f(int n) override {\n"
                         "    int a[4]; a[n & 3] = n;\n"
                         "    return n ? next->f(n - 1) : a[0]; } };\n"
                         "__global__ void k(int *p) {\n"
                         "  Derived d; Base *b = &d; *p = b->f(*p); }"),
            Hidden);
  EXPECT_EQ(whyReentered("struct Base { __device__ virtual int f(int n) = 0; };"
                         "struct Derived : Base {\n"
                         "  __device__ int f(int n) override {\n"
                         "    int a[4]; a[n & 3] = n; return a[0]; } };\n"
                         "__global__ void k(int *p) {\n"
                         "  Derived d; Base *b = &d; *p = b->f(*p); }"),
            "");
}

// A kernel is not called, whatever its callees do.
TEST(UnknownCallees, DoNotReachKernels) {
  EXPECT_EQ(whyReentered("__device__ int (*pointer)(int);\n"
                         "__global__ void kernel(int *out, int i) {\n"
                         "  int a[4]; a[i & 3] = pointer(i); *out = a[0]; }"),
            "");
}

// --- Calls that leave the translation unit ----------------------------------

namespace {

/// The function whose mangled name holds \p Part, as other units see it.
DeviceFunction functionIn(const UnitFacts &Facts, llvm::StringRef Part) {
  for (const DeviceFunction &F : Facts.Functions)
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

UnitFacts relocatable(llvm::StringRef Code) {
  return completeFacts(Code, {"-fgpu-rdc"});
}

} // namespace

TEST(CallsBetweenUnits, AreLeftToThePlan) {
  EXPECT_EQ(whyReentered(Leaving, {"-fgpu-rdc"}), "");
}

TEST(CallsBetweenUnits, AreListedWithWhoDefinesWhat) {
  UnitFacts Facts = relocatable(Leaving);
  DeviceFunction Leaves = functionIn(Facts, "leaves");
  EXPECT_TRUE(Leaves.Defined);
  EXPECT_TRUE(llvm::is_contained(Leaves.Calls, "_Z9elsewherei"));
  EXPECT_EQ(Leaves.StaticSharedBytes, 8u);
  EXPECT_FALSE(functionIn(Facts, "elsewhere").Defined);
  EXPECT_EQ(functionIn(Facts, "kernel").Calls,
            std::vector<std::string>{Leaves.Id});
}

// The IR has other names for them then.
TEST(CallsBetweenUnits, DoNotHideWhatIsStatic) {
  UnitFacts Facts;
  UnitEvidence Evidence;
  llvm::Error Failure =
      parseSnippet("static __global__ void k(int *out, int i) {\n"
                   "  int a[4]; a[i] = 1; *out = a[i / 2]; }\n"
                   "void run(int *p) { k<<<1, 32>>>(p, 1); }\n",
                   SnippetFile,
                   [&](ParsedUnit &Unit) {
                     Facts =
                         findAll(Unit, [](llvm::StringRef) { return true; });
                     Evidence = gatherEvidence(Unit, Facts, "sm_90");
                   },
                   {"-fgpu-rdc", "-nostdlibinc"});
  ASSERT_FALSE(Failure);
  ASSERT_EQ(Facts.Findings.size(), 1u);
  EXPECT_EQ(Facts.Findings[0].Kernels, std::vector<std::string>{"_ZL1kPii"});
  EXPECT_EQ(Evidence.Work.count("_ZL1kPii"), 1u);
}

// A kernel of another unit may call them.
TEST(CallsBetweenUnits, TellWhichFunctionsWait) {
  const char *Code = "__device__ void wait(volatile int *p) { while (!*p); }\n"
                     "__device__ void pass(int *p) { wait(p); }\n"
                     "__device__ int read(volatile int *p) { return *p; }\n"
                     "__device__ void meet(unsigned *p) {\n"
                     "  while (atomicAdd(p, 0u) < 3); }\n"
                     "__device__ int next(unsigned *p) {\n"
                     "  int i = 0; while (atomicAdd(p, 1u) < 3) ++i;\n"
                     "  return i; }\n";
  auto WaitingIn = [&](std::vector<std::string> Arguments) {
    UnitEvidence Evidence;
    llvm::append_range(Arguments, WithoutHeaders);
    llvm::Error Failure = parseSnippet(
        Code, SnippetFile,
        [&](ParsedUnit &Unit) {
          UnitFacts Facts = findAll(Unit, [](llvm::StringRef) { return true; });
          Evidence = gatherEvidence(Unit, Facts, "sm_90");
        },
        std::move(Arguments));
    EXPECT_FALSE(Failure) << toString(std::move(Failure));
    return Evidence.Waiting;
  };
  EXPECT_EQ(WaitingIn({"-fgpu-rdc"}),
            (std::set<std::string>{"_Z4meetPj", "_Z4passPi", "_Z4waitPVi"}));
  EXPECT_TRUE(WaitingIn({}).empty());
}

TEST(CallsBetweenUnits, AreNoneInAProgramOfOneUnit) {
  EXPECT_TRUE(completeFacts(Leaving).Functions.empty());
}

// Nobody defines them, and they do not call back.
TEST(CallsBetweenUnits, BuiltinFunctionsAreNotMissed) {
  UnitFacts Facts = relocatable("__device__ int f(int n) {\n"
                                "  __syncthreads(); return n; }");
  ASSERT_EQ(Facts.Functions.size(), 1u);
  EXPECT_EQ(Facts.Functions.front().Id, "_Z1fi");
}

// --- Shared memory ---------------------------------------------------------

TEST(SharedMemory, OfTheKernelItself) {
  EXPECT_EQ(kernelIn("__global__ void kernel(int i) {\n"
                     "  __shared__ int a[4]; __shared__ double b;\n"
                     "  if (i) { __shared__ char c[3]; c[0] = 1; }\n"
                     "  a[0] = b = 1; }")
                .StaticSharedBytes,
            16u + 8u + 3u);
}

TEST(SharedMemory, OfItsCallees) {
  const char *Code =
      "__device__ void g() { __shared__ int s[4]; s[0] = 1; }\n"
      "__device__ void f() { __shared__ int s[2]; s[0] = 1; g(); }\n"
      "struct S { __device__ S() { __shared__ int s; s = 1; } };\n"
      "__global__ void kernel() { f(); g(); S s; }\n"
      "__global__ void other() {}\n";
  EXPECT_EQ(kernelIn(Code).StaticSharedBytes, 16u + 8u + 4u);
  EXPECT_EQ(kernelIn(Code, "other").StaticSharedBytes, 0u);
}

TEST(SharedMemory, OfFunctionsWhoseAddressIsTaken) {
  EXPECT_EQ(kernelIn("__device__ void f() { __shared__ int s[4]; s[0] = 1; }\n"
                     "__global__ void kernel() { void (*p)() = f; p(); }")
                .StaticSharedBytes,
            16u);
}

TEST(SharedMemory, OfTheWholeFile) {
  const char *Code = "__shared__ int s[4];\n"
                     "__device__ void f() { s[0] = 1; }\n"
                     "__global__ void kernel() { s[1] = 2; f(); }\n"
                     "__global__ void other() {}\n";
  EXPECT_EQ(kernelIn(Code).StaticSharedBytes, 16u);
  EXPECT_EQ(kernelIn(Code, "other").StaticSharedBytes, 0u);
}

TEST(SharedMemory, OfDynamicSize) {
  EXPECT_TRUE(kernelIn("__global__ void kernel() {\n"
                       "  extern __shared__ int s[]; s[0] = 1; }")
                  .UsesDynamicShared);
  EXPECT_TRUE(kernelIn("extern __shared__ int s[];\n"
                       "__global__ void kernel() { s[0] = 1; }")
                  .UsesDynamicShared);
  EXPECT_TRUE(kernelIn("extern __shared__ int s[];\n"
                       "__device__ void f() { s[0] = 1; }\n"
                       "__global__ void kernel() { f(); }")
                  .UsesDynamicShared);
  EXPECT_FALSE(kernelIn("extern __shared__ int s[];\n"
                        "__global__ void kernel() {}")
                   .UsesDynamicShared);
  EXPECT_EQ(kernelIn("__global__ void kernel() {\n"
                     "  extern __shared__ int s[]; s[0] = 1; }")
                .StaticSharedBytes,
            0u);
}

TEST(SharedMemory, MayBeAskedForItsSize) {
  auto Asks = [](const std::string &Body) {
    return kernelIn("__device__ unsigned size() { unsigned n; " + Body +
                    " return n; }\n"
                    "__global__ void kernel(unsigned *out) { *out = size(); }")
        .Asks;
  };
  auto Register = [&](const std::string &Name) {
    return Asks("asm(\"mov.u32 %0, %%" + Name + ";\" : \"=r\"(n));");
  };
  EXPECT_EQ(Register("dynamic_smem_size"), AskedSize::Dynamic);
  EXPECT_EQ(Register("total_smem_size"), AskedSize::All);
  EXPECT_EQ(Register("aggr_smem_size"), AskedSize::All);
  EXPECT_EQ(Register("laneid"), AskedSize::None);
  EXPECT_EQ(Asks("n = 1;"), AskedSize::None);
}

// --- What is only right in local memory
// ----------------------------------------

namespace {

/// Whether something that `kernel` calls is said to be about local memory.
bool namesLocalMemory(llvm::StringRef Peek, llvm::StringRef Call,
                      std::vector<std::string> Arguments = {}) {
  UnitFacts Facts =
      completeFacts((Peek +
                     "\n__global__ void kernel(int *out, int i) {\n"
                     "  int a[4]; a[i & 3] = 1; *out = " +
                     Call + " + a[*out & 3]; }\n")
                        .str(),
                    std::move(Arguments));
  return llvm::any_of(Facts.Findings.at(0).Obstacles, [](const Obstacle &O) {
    return O.Why == Reason::InlineAssembly;
  });
}

} // namespace

TEST(LocalMemory, IsNamedByAssembly) {
  auto Assembly = [](const std::string &Code) {
    return "__device__ int peek(int *p) { int x = 0; asm(\"" + Code +
           "\" : \"=r\"(x) : \"l\"(p)); return x; }";
  };
  EXPECT_TRUE(
      namesLocalMemory(Assembly("ld.local.u32 %0, [%1];"), "peek(out)"));
  EXPECT_TRUE(namesLocalMemory(
      Assembly("{ .reg .pred q; isspacep.shared q, %1; selp.u32 %0,1,0,q; }"),
      "peek(out)"));
  EXPECT_FALSE(
      namesLocalMemory(Assembly("ld.global.u32 %0, [%1];"), "peek(out)"));
}

TEST(LocalMemory, IsAskedAbout) {
  auto Question = [](const std::string &Value) {
    return "__device__ int peek(int *p) { return " + Value + "; }";
  };
  EXPECT_TRUE(
      namesLocalMemory(Question("__nvvm_isspacep_local(p)"), "peek(out)"));
  EXPECT_TRUE(
      namesLocalMemory(Question("__nvvm_isspacep_shared(p)"), "peek(out)"));
  EXPECT_FALSE(
      namesLocalMemory(Question("__nvvm_isspacep_global(p)"), "peek(out)"));
}

// No call of the operator stands in the text.
TEST(LocalMemory, IsNamedByWhatIsCalledUnseen) {
  EXPECT_TRUE(namesLocalMemory("struct V { int *p; };\n"
                               "__device__ bool operator==(V v, V) {\n"
                               "  return __nvvm_isspacep_local(v.p); }",
                               "(V{out} != V{out})", {"-std=c++20"}));
}
