//===-- HostCallsTest.cpp - what callers give host functions --------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FindTester.h"
#include <gtest/gtest.h>

using namespace bankstripe;
using namespace bankstripe::testing;

/// Whether all arguments for the block of `go(int b)` are known in \p Host, and
/// no other call is possible. \p Launcher declares and defines it.
static bool isKnown(const std::string &Host,
                    const std::string &Launcher =
                        "static void go(int b) { kernel<<<1, b>>>(0); }\n") {
  UnitFacts Facts =
      factsOf(KernelCode + Launcher + Host,
              [](llvm::StringRef) { return true; }, {"-std=c++20"});
  EXPECT_EQ(Facts.Launches.size(), 1u);
  if (Facts.Launches.empty() || !Facts.Launches[0].Parameter)
    return false;
  bool Known = false;
  for (const HostArgument &A : Facts.Arguments)
    if (A.For == *Facts.Launches[0].Parameter) {
      if (!A.Values)
        return false;
      Known = true;
    }
  return Known;
}

TEST(HostArguments, ALaunchingFunctionIsAskedAboutByItsCallers) {
  UnitFacts Facts = hostFacts("static void run(int *out, int threads) { "
                              "kernel<<<1, threads>>>(out); }\n"
                              "void small(int *out) { run(out, 96); }\n");
  ASSERT_EQ(Facts.Launches.size(), 1u);
  ASSERT_TRUE(Facts.Launches[0].Parameter);
  const HostParameter Asked = *Facts.Launches[0].Parameter;
  EXPECT_EQ(Asked.Index, 1u);
  ASSERT_EQ(Facts.Arguments.size(), 1u);
  EXPECT_EQ(Facts.Arguments[0].For.FunctionId, Asked.FunctionId);
  EXPECT_EQ(Facts.Arguments[0].Values, std::set<int64_t>{96});
}

TEST(HostArguments, AFunctionAsAValueMayGetAnything) {
  UnitFacts Facts = hostFacts("static void run(int *out, int threads) { "
                              "kernel<<<1, threads>>>(out); }\n"
                              "void (*pointer)(int *, int) = run;\n");
  ASSERT_FALSE(Facts.Arguments.empty());
  for (const HostArgument &A : Facts.Arguments)
    EXPECT_FALSE(A.Values || A.Same);
}

// What is compiled for the host alone is not read, and may call it.
TEST(HostArguments, AFunctionThatOthersCanNameMayGetAnything) {
  UnitFacts Facts = hostFacts(
      "void run(int *out, int threads) { kernel<<<1, threads>>>(out); }\n"
      "void small(int *out) { run(out, 96); }\n");
  ASSERT_EQ(Facts.Launches.size(), 1u);
  EXPECT_FALSE(Facts.Launches[0].Parameter);
  EXPECT_EQ(Facts.Launches[0].Threads, std::nullopt);
}

TEST(HostArguments, CallsOfEveryKindAreKnown) {
  EXPECT_TRUE(isKnown("void run() { go(32); }"));
  EXPECT_TRUE(isKnown("#define GO(n) go(n)\nvoid run() { GO(32); (go)(64); }"));
  EXPECT_TRUE(isKnown("template <int N> void run() { go(N); }\n"
                      "void all() { run<32>(); run<64>(); }"));
  EXPECT_TRUE(isKnown("template <class T> void run(T t) { go(sizeof(t)); }\n"
                      "void all() { run(1); run(2.0); }"));
  EXPECT_TRUE(isKnown("void run() { struct L { void f() { go(32); } } l; l.f();"
                      " auto m = [] { go(64); }; m(); }"));
  EXPECT_TRUE(isKnown("struct S { int n = (go(32), 1); S() {} };\n"
                      "int g = (go(64), 1);"));
  EXPECT_TRUE(isKnown("void run() { S().go(32); }",
                      "namespace { struct S { void go(int b) {\n"
                      "  kernel<<<1, b>>>(0); } }; }\n"));
}

TEST(HostArguments, CallsThatDependOnATemplateAreNot) {
  const std::string Once = "void once() { go(32); }\n";
  EXPECT_FALSE(isKnown(Once + "void run() { auto f = [](auto b) { go(b); };\n"
                              "  f(128); }"));
  EXPECT_FALSE(isKnown(Once + "template <class F> void call(F f) { f(128); }\n"
                              "void run() { call(go); }"));
  EXPECT_FALSE(isKnown(Once + "template <auto F> void call() { F(128); }\n"
                              "void run() { call<&go>(); }"));
  EXPECT_FALSE(isKnown(Once + "int n = sizeof(decltype(&go));"));
}

TEST(HostArguments, CallsByCodeThatNobodyWroteAreNot) {
  EXPECT_FALSE(isKnown("void once() { S s; s.begin(32); }\n"
                       "void run() { S s; for (int i : s) ; }",
                       "namespace { struct S { int *end() { return 0; }\n"
                       "  int *begin(int b = 128) { kernel<<<1, b>>>(0);\n"
                       "    return 0; } }; }\n"));
  EXPECT_FALSE(isKnown("void run() { S s; s(32); }",
                       "namespace { struct S { void operator()(int b) {\n"
                       "  kernel<<<1, b>>>(0); } }; }\n"));
}

TEST(HostArguments, FunctionsOfOtherNamesMayGetAnything) {
  const std::string Once = "void once() { go(32); }\n";
  const std::string Body = "static void go(int b) { kernel<<<1, b>>>(0); }\n";
  EXPECT_FALSE(isKnown(Once, "static void go(int b) asm(\"go_impl\");\n" +
                                 Body +
                                 "extern \"C\" void go_alias(int) "
                                 "__attribute__((alias(\"go_impl\")));\n"));
  EXPECT_FALSE(isKnown(Once + "extern \"C\" void other(int) "
                              "__attribute__((alias(\"_ZL2goi\")));"));
  EXPECT_FALSE(isKnown(Once + "void other(int) asm(\"_ZL2goi\");"));
  EXPECT_FALSE(isKnown(Once + "static void other(int) "
                              "__attribute__((weakref(\"_ZL2goi\")));"));
  EXPECT_FALSE(isKnown(Once + "asm(\".globl o; .set o, _ZL2goi\");"));
  EXPECT_FALSE(isKnown(Once + "void run() { asm(\"call _ZL2goi\"); }"));
  for (const char *Attribute : {"used", "constructor"})
    EXPECT_FALSE(isKnown(Once, "__attribute__((" + std::string(Attribute) +
                                   ")) " + Body));
  EXPECT_TRUE(isKnown(Once + "void other(int) asm(\"other_name\");"));
}

TEST(AddressTaken, InAnInstanceOfAGenericLambda) {
  UnitFacts Facts =
      factsOf("template <class T> __global__ void k(T *) {}\n"
              "void run(int *out) { k<<<1, 32>>>(out);\n"
              "  auto f = [](auto p) { k<<<1, 128>>>(p); }; f(out); }\n"
              "template <class T> void all(T *p) { k<<<1, 128>>>(p); }\n"
              "void go(float *p) { all(p); }");
  ASSERT_EQ(Facts.Kernels.size(), 2u);
  for (const Kernel &K : Facts.Kernels)
    EXPECT_EQ(K.AddressTaken, K.Name == "k<int>") << K.Name;
}

TEST(AddressTaken, ByAnAlias) {
  const std::string Launch = "void run(int *p) { kernel<<<1, 32>>>(p); }\n";
  EXPECT_TRUE(hostFacts(Launch + "extern \"C\" void other(int *) "
                                 "__attribute__((alias(\"_Z6kernelPi\")));")
                  .Kernels.at(0)
                  .AddressTaken);
  EXPECT_FALSE(hostFacts(Launch).Kernels.at(0).AddressTaken);
}

TEST(GraphNodes, WithOtherParametersAreNoticed) {
  EXPECT_FALSE(hostFacts("").NodesChangedAt.isValid());
  EXPECT_EQ(hostFacts("int cudaGraphKernelNodeSetParams();\n"
                      "int x = cudaGraphKernelNodeSetParams();")
                .NodesChangedAt.Line,
            2u);
}

TEST(AddressTaken, ByALaunchOfAnotherConfiguration) {
  auto TakenIn = [](const std::string &Condition, const std::string &Other) {
    const std::string Code = "namespace n {\n"
                             "template <class T> __global__ void k(T *p) {}\n"
                             "}\n"
                             "void run(int *p) {\n"
                             "  n::k<int><<<1, 64>>>(p);\n" +
                             Condition + "\n  " + Other + "\n#endif\n}\n";
    const Kernel K = factsOf(Code).Kernels.at(0);
    EXPECT_EQ(K.WhyUnseen.empty(), !K.AddressTaken);
    return K.AddressTaken;
  };
  EXPECT_TRUE(TakenIn("#ifdef BIG", "n::k<int><<<1, 512>>>(p);"));
  EXPECT_TRUE(TakenIn("#ifdef BIG", "cudaLaunchKernel(n::k<int>, 1, 512, a);"));
  EXPECT_TRUE(TakenIn("#if BIG > 2", "n::k<<<1, 512>>>(p);"));
  EXPECT_TRUE(TakenIn("#if 0 || BIG", "n::k<<<1, 512>>>(p);"));
  EXPECT_FALSE(TakenIn("#if 0", "n::k<<<1, 512>>>(p);"));
  EXPECT_FALSE(TakenIn("# if 0 // old", "n::k<<<1, 512>>>(p);"));
  EXPECT_FALSE(TakenIn("#ifdef BIG", "use(n::k<int>);"));
  EXPECT_FALSE(TakenIn("#ifdef BIG", "n::other<<<1, 512>>>(p);"));
  EXPECT_FALSE(TakenIn("#ifdef BIG", "// n::k<<<1, 512>>>(p);"));
  EXPECT_TRUE(
      TakenIn("#ifdef BIG", "n::k<<<1, 512>>>(p);\n#endif // BIG\n#if 1"));
  EXPECT_FALSE(TakenIn("#ifdef BIG", "f<<<1, 512>>>(p);\n#endif // k\n#if 1"));
  // The host sees it.
  EXPECT_FALSE(TakenIn("#ifndef __CUDA_ARCH__", "n::k<<<1, 512>>>(p);"));
}
