//===-- UnsureConstantsTest.cpp - constants that are others for nvcc ------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FindTester.h"
#include "support/TemporaryFolder.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace bankstripe;
using namespace bankstripe::testing;
using ::testing::HasSubstr;

namespace {

/// Why what launches the kernel below \p Before is not known; empty if it is.
std::string whyUnseen(const std::string &Before, const std::string &Block,
                      std::vector<std::string> Options = {}) {
  const UnitFacts Facts = factsOf(
      Before + KernelCode + "void run(int *out) {\n  kernel<<<1, " + Block +
          ">>>(out);\n}\n",
      [](llvm::StringRef) { return true; }, std::move(Options));
  EXPECT_EQ(Facts.Launches.at(0).Threads.has_value(),
            Facts.Kernels.at(0).WhyUnseen.empty());
  return Facts.Kernels.at(0).WhyUnseen;
}

/// The block of a launch; 0 when it is not known.
unsigned threadsOf(const std::string &Before, const std::string &Block) {
  return launchOf(Before + KernelCode + "void run(int *out) { kernel<<<1, " +
                  Block + ">>>(out); }\n")
      .Threads.value_or(0);
}

} // namespace

// --- Sizes of the host -----------------------------------------------------

TEST(HostSizes, AreThoseOfLaunches) {
  EXPECT_EQ(threadsOf("", "4 * sizeof(long double)"), 64u);
  EXPECT_EQ(threadsOf("struct S { int n; long double d; };\n", "sizeof(S)"),
            32u);
  EXPECT_EQ(threadsOf("union U { char c; long double d[2]; };\n", "sizeof(U)"),
            32u);
  EXPECT_EQ(threadsOf("", "sizeof(1.5L + 1)"), 16u);
  EXPECT_EQ(threadsOf("", "sizeof(__builtin_va_list)"), 24u);
  EXPECT_EQ(threadsOf("template <class T> constexpr int n = 2 * sizeof(T);\n",
                      "(n<long double>)"),
            32u);
}

TEST(HostSizes, AreThoseOfDynamicMemory) {
  EXPECT_EQ(launchIn("kernel<<<1, 32, 10 * sizeof(long double)>>>(out);")
                .DynamicSharedBytes,
            160u);
}

TEST(HostSizes, AreThoseOfArrays) {
  const Finding F =
      findingOf("struct P { long double d; int n; };\n"
                "__global__ void kernel(int *out, int i) {\n"
                "  int a[sizeof(P)]; a[i] = i; *out = a[i / 2];\n}\n");
  EXPECT_EQ(F.Shape.BytesPerThread, 128u);
  ASSERT_EQ(F.Instances.size(), 1u);
  EXPECT_EQ(F.Instances[0].Shape.BytesPerThread, 128u);
}

TEST(HostSizes, AreNotTakenWhereTheHostMayHaveAnotherText) {
  const Finding F = findingOf("#ifdef __CUDA_ARCH__\n#define N 64\n#else\n"
                              "#define N 16\n#endif\nlong double unused;\n"
                              "__global__ void kernel(int *out, int i) {\n"
                              "  int a[N]; a[i] = i; *out = a[i / 2];\n}\n");
  EXPECT_EQ(F.Shape.BytesPerThread, 256u);
}

TEST(HostSizes, LeaveNoBoundsThatAreNumbers) {
  const auto Bounds = [](const std::string &Type) {
    return factsOf("__global__ void __launch_bounds__(16 * sizeof(" + Type +
                   ")) kernel(int *);\n" + KernelCode)
        .Kernels.at(0)
        .Bounds.has_value();
  };
  EXPECT_TRUE(Bounds("double"));
  EXPECT_FALSE(Bounds("long double"));
}

// --- Answers of nvcc -------------------------------------------------------

TEST(UnsureConstants, AreMadeOfTheNameOfAFunction) {
  EXPECT_THAT(whyUnseen("template <class T> constexpr int f() {\n"
                        "  return sizeof(__PRETTY_FUNCTION__); }\n",
                        "f<int>()"),
              HasSubstr(":2 depends on the text of __PRETTY_FUNCTION__, where "
                        "nvcc may differ"));
  EXPECT_THAT(whyUnseen("struct S { int n = 0; constexpr S() {\n"
                        "  for (auto *p = __PRETTY_FUNCTION__; *p; ++p) ++n;\n"
                        "} };\n",
                        "S().n"),
              HasSubstr(":2 depends on the text"));
  EXPECT_EQ(whyUnseen("void log(const char *);\n"
                      "void f() { log(__PRETTY_FUNCTION__); }\n"
                      "constexpr int n = 64;\n",
                      "n"),
            "");
}

TEST(UnsureConstants, AreMadeOfFunctionsOfTheOtherSide) {
  const std::string Both = "__device__ double f(int); char f(double);\n";
  EXPECT_THAT(
      whyUnseen(Both, "8 * sizeof(f(1))"),
      HasSubstr("depends on which 'f' is meant, that of the host or of the "
                "device, where nvcc may differ"));
  EXPECT_THAT(whyUnseen("struct S { __device__ double m(int); char m(double);"
                        " };\n",
                        "8 * sizeof(S().m(1))"),
              HasSubstr("which 'm' is meant"));
  EXPECT_THAT(whyUnseen("constexpr int f(double) { return 64; }\n"
                        "__device__ constexpr int f(int) { return 96; }\n",
                        "f(1)"),
              HasSubstr("which 'f' is meant"));
  EXPECT_EQ(whyUnseen(Both, "8 * sizeof(int)"), "");
  EXPECT_EQ(whyUnseen("__host__ __device__ double f(int);\n"
                      "__host__ __device__ char f(double);\n",
                      "8 * sizeof(f(1))"),
            "");
  EXPECT_EQ(whyUnseen("__device__ double f(int); double f(int);\n",
                      "8 * sizeof(f(1))"),
            "")
      << "the same for each side";
}

TEST(UnsureConstants, AreMadeOfClosuresForBothSides) {
  auto Sized = [](const std::string &Sides) {
    return whyUnseen("inline auto make(int q) {\n"
                     "  auto both = [=] " +
                         Sides +
                         " (int i) { return i + q; };\n"
                         "  static_assert(sizeof(both) != 1);\n"
                         "  return both;\n}\n"
                         "constexpr int n = 64;\n",
                     "n");
  };
  EXPECT_THAT(Sized("__host__ __device__"),
              HasSubstr("the size of an extended lambda"));
  EXPECT_EQ(Sized(""), "");
}

// --- OpenMP ----------------------------------------------------------------

TEST(UnsureConstants, AreVariablesThatAreReduced) {
  auto Threads = [](const std::string &Directive) {
    return launchIn("int b = 64;\n" + Directive +
                    "\nfor (int i = 0; i < n; ++i) b = 64;\n"
                    "kernel<<<1, b>>>(out);")
        .Threads.value_or(0);
  };
  EXPECT_EQ(Threads("#pragma omp parallel for reduction(+ : b)"), 0u);
  EXPECT_EQ(Threads("#pragma omp parallel for \\\n  linear(b)"), 0u);
  EXPECT_EQ(Threads("\n#define SUM _Pragma(\"omp parallel for "
                    "reduction(+ : b)\")\nSUM"),
            0u);
  EXPECT_EQ(Threads("#pragma omp parallel for num_threads(2)"), 64u);
  EXPECT_EQ(launchIn("int b = 0;\n#pragma omp parallel for reduction(+ : b)\n"
                     "for (int i = 0; i < n; ++i) b = i;\n"
                     "kernel<<<1, 64>>>(out);")
                .Threads,
            64u);
}

// Whatever lookup finds the other one.
TEST(UnsureConstants, AreMadeOfFunctionsOfOtherScopes) {
  const std::pair<const char *, const char *> Cases[] = {
      {"namespace A { struct S {}; __device__ double f(S, int); }\n"
       "__host__ char f(A::S, double);\n",
       "32 * sizeof(f(A::S(), 1))"},
      {"namespace A { __device__ double g(int); }\nusing A::g;\n"
       "__host__ char g(double);\n",
       "32 * sizeof(g(1))"},
      {"struct B { __device__ double m(int); };\n"
       "struct D : B { using B::m; __host__ char m(double); };\n",
       "32 * sizeof(D().m(1))"},
      {"template <class T> struct B { __device__ double m(int); };\n"
       "template <class T> struct D : B<T> {\n"
       "  using B<T>::m; __host__ char m(double); };\n",
       "32 * sizeof(D<int>().m(1))"},
      {"struct O { __device__ double operator+(int); };\n"
       "__host__ char operator+(O, double);\n",
       "32 * sizeof(O() + 1)"}};
  for (auto [Before, Block] : Cases)
    EXPECT_THAT(whyUnseen(Before, Block), HasSubstr("is meant")) << Before;
  // The host sees both.
  EXPECT_EQ(
      whyUnseen("constexpr int f(int x) { return x; }\n"
                "__host__ __device__ constexpr int f(char x, int) { "
                "return x; }\n"
                "__host__ __device__ constexpr int f(double) { return 2; }"
                "\n",
                "32 * f(1)"),
      "");
  // The same arguments, or no way from one to the other.
  EXPECT_EQ(whyUnseen("namespace A { template <class T> __device__ T f(T); }\n"
                      "template <class T> __host__ T f(T);\n",
                      "32 * sizeof(f(1))"),
            "");
  EXPECT_EQ(whyUnseen("struct A { __device__ double m(int); };\n"
                      "struct B { __host__ char m(double); };\n",
                      "32 * sizeof(B().m(1))"),
            "");
}

// --- What headers of libraries make ---------------------------------------

TEST(GivenHeaders, MakeConstantsOfHostSizes) {
  TemporaryFolder Folder;
  Folder.write("lib.h",
               "#pragma once\n"
               "constexpr int Number = sizeof(long double);\n"
               "template <class T> struct Traits {\n"
               "  static constexpr int Size = sizeof(long double); };\n"
               "constexpr int number() { return sizeof(long double); }\n"
               "enum { Enumerator = sizeof(long double) };\n"
               "struct alignas(long double) Aligned { char c; };\n"
               "struct Holder { char c[sizeof(long double)]; };\n");
  auto ThreadsOf = [&](const std::string &Block) {
    const UnitFacts Facts = factsOf(
        "#include <lib.h>\n" + std::string(KernelCode) +
            "void run(int *out) { kernel<<<1, 2 * " + Block + ">>>(out); }\n",
        [](llvm::StringRef) { return true; }, {"-isystem", Folder.path()});
    return Facts.Launches.at(0).Threads.value_or(0);
  };
  for (const char *Block : {"Number", "Traits<int>::Size", "number()",
                            "Enumerator", "sizeof(Aligned)", "sizeof(Holder)"})
    EXPECT_EQ(ThreadsOf(Block), 32u) << Block;
}

// --- Launches that arguments decide ----------------------------------------

namespace {

/// What is known of the launches of kernels `k` that take an ns::S, of \p More.
UnitFacts launchesByArgument(const std::string &Inside,
                             const std::string &More) {
  return factsOf("namespace ns { struct S; " + Inside + " }\n" + More);
}

constexpr char Other[] = "__global__ void k(S *) {}";
constexpr char Template[] = "template <class T> __global__ void k(T *) {}\n";

} // namespace

TEST(ArgumentLookup, MayFindAnotherKernel) {
  const UnitFacts Facts = launchesByArgument(
      Other, std::string(Template) +
                 "void run(ns::S *s, int *i) { k<<<1, 64>>>(s); }\n");
  ASSERT_EQ(Facts.Launches.size(), 1u);
  for (const Kernel &K : Facts.Kernels)
    EXPECT_THAT(K.WhyUnseen,
                HasSubstr("argument-dependent lookup may find it at "))
        << K.Name;
}

TEST(ArgumentLookup, FindsKernelsThatComeLater) {
  const UnitFacts Facts =
      factsOf(std::string(Template) + "struct S;\n"
                                      "template <class T> void run(T *p) {\n"
                                      "  k<<<1, 64>>>(p); }\n"
                                      "__global__ void k(S *) {}\n"
                                      "void all(S *s) { run(s); }\n");
  ASSERT_EQ(Facts.Launches.size(), 1u);
  ASSERT_FALSE(Facts.Kernels.empty());
  for (const Kernel &K : Facts.Kernels)
    EXPECT_THAT(K.WhyUnseen,
                HasSubstr("argument-dependent lookup may find it at "))
        << K.Name;
}

TEST(ArgumentLookup, FindsNothingElse) {
  const std::string Launches[] = {
      "void run(ns::S *s, int *i) { k<<<1, 64>>>(i); }\n",
      "void run(ns::S *s) { ::k<<<1, 64>>>(s); }\n",
      "void run(ns::S *s) { ns::k<<<1, 64>>>(s); }\n"};
  for (const std::string &Launch : Launches) {
    const UnitFacts Facts = launchesByArgument(Other, Template + Launch);
    ASSERT_EQ(Facts.Launches.size(), 1u) << Launch;
    for (const Kernel &K : Facts.Kernels)
      EXPECT_FALSE(K.AddressTaken) << Launch;
  }
  // Clang has seen both, and chose.
  const UnitFacts Beside = launchesByArgument(
      std::string(Other) + Template + "void run(S *s) { k<<<1, 64>>>(s); }",
      "");
  ASSERT_EQ(Beside.Launches.size(), 1u);
  for (const Kernel &K : Beside.Kernels)
    EXPECT_FALSE(K.AddressTaken) << K.Name;
}
