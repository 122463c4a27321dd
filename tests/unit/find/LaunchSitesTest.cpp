//===-- LaunchSitesTest.cpp - the text of launches and kernels ------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FindTester.h"
#include "gtest/gtest.h"

using namespace bankstripe;
using namespace bankstripe::testing;

namespace {

// The text of the launch in a host function with the body Body.
LaunchText launchText(const std::string &Body,
                      const std::string &Before = KernelCode) {
  return launchOf(Before +
                  "int next();\nstruct Shape { int threads; };\n"
                  "void run(int *out, int n, Shape s) { " +
                  Body + " }\n")
      .Text;
}

std::string problemOf(const std::string &Body,
                      const std::string &Before = KernelCode) {
  return launchText(Body, Before).Problem;
}

KernelText kernelText(const std::string &Code) {
  UnitFacts Facts = factsOf(Code);
  EXPECT_FALSE(Facts.Kernels.empty());
  return Facts.Kernels.empty() ? KernelText() : Facts.Kernels[0].Text;
}

} // namespace

// --- Launches ----------------------------------------------------------------

TEST(LaunchSites, WithoutSharedMemoryHaveAPlaceForIt) {
  LaunchText T = launchText("kernel<<<1, n + 1>>>(out);");
  EXPECT_EQ(T.Kernel, "kernel");
  EXPECT_EQ(T.Block, "n + 1");
  EXPECT_EQ(T.Shared, "");
  EXPECT_EQ(T.Replaced.Length, 0u);
  EXPECT_EQ(T.Problem, "");
}

TEST(LaunchSites, WithSharedMemoryHaveItReplaced) {
  LaunchText T = launchText("kernel<<<1, dim3(n, 2), n * 4, 0>>>(out);");
  EXPECT_EQ(T.Block, "dim3(n, 2)");
  EXPECT_EQ(T.Shared, "n * 4");
  EXPECT_EQ(T.Replaced.Length, 5u);
}

TEST(LaunchSites, KeepMacrosAsTheyAreWritten) {
  EXPECT_EQ(launchText("kernel<<<1, UP(n)>>>(out);",
                       KernelCode + "#define UP(n) ((n) + 31) / 32 * 32\n")
                .Block,
            "UP(n)");
}

TEST(LaunchSites, OfTemplatesNameTheInstance) {
  LaunchText T = launchText(
      "space::kernel<int, 4><<<1, n>>>(out);",
      "namespace space { template <class T, int N> __global__ void kernel(T *) "
      "{} }\n");
  EXPECT_EQ(T.Kernel, "space::kernel");
  EXPECT_EQ(T.Arguments, "<int, 4>");
}

TEST(LaunchSites, OfTemplatesMayLeaveArgumentsToBeDeduced) {
  const std::string Template =
      "template <int N, class T> __global__ void kernel(T *) {}\n";
  EXPECT_FALSE(launchText("kernel<4, int><<<1, n>>>(out);", Template).Deduced);
  EXPECT_TRUE(launchText("kernel<4><<<1, n>>>(out);", Template).Deduced);
  EXPECT_TRUE(launchText("kernel<int><<<1, n>>>(out);",
                         "template <class... T> __global__ void kernel(T *...) "
                         "{}\n")
                  .Deduced);
  EXPECT_FALSE(launchText("kernel<<<1, n>>>(out);").Deduced);
}

TEST(LaunchSites, OfTheRuntimesFunction) {
  UnitFacts Facts = factsOf(
      KernelCode + "void run(int n, void **arguments) {\n"
                   "  cudaLaunchKernel((const void *)kernel, dim3(1), dim3(n), "
                   "arguments, 16, nullptr); }\n");
  ASSERT_EQ(Facts.Launches.size(), 1u);
  EXPECT_EQ(Facts.Launches[0].Text.Block, "dim3(n)");
  EXPECT_EQ(Facts.Launches[0].Text.Shared, "16");
}

TEST(LaunchSites, WithAConfigurationHaveItReplaced) {
  LaunchText T = launchText("cudaLaunchConfig_t c = {}; c.blockDim = next();\n"
                            "cudaLaunchKernelEx(&c, kernel, out);");
  EXPECT_EQ(T.Kernel, "kernel");
  EXPECT_EQ(T.Configuration, "&c");
  EXPECT_EQ(T.Replaced.Length, 2u);
  EXPECT_EQ(T.Problem, "");
}

// The launch can do without it.
TEST(LaunchSites, HaveAGridUnlessItMayNotBeComputedTwice) {
  EXPECT_EQ(launchText("kernel<<<(n + 31) / 32, n>>>(out);").Grid,
            "(n + 31) / 32");
  EXPECT_EQ(
      launchText("cudaLaunchKernel(kernel, dim3(n, 2), n, (void **)0);").Grid,
      "dim3(n, 2)");
  EXPECT_EQ(launchText("kernel<<<n, n, 0, nullptr>>>(out);").Grid, "n");
  EXPECT_EQ(launchText("kernel<<<n, n, 0, 0>>>(out);").Grid, "n");
  LaunchText T = launchText("kernel<<<next(), n>>>(out);");
  EXPECT_EQ(T.Grid, "");
  EXPECT_EQ(T.Problem, "");
}

// Others may run beside it.
TEST(LaunchSites, IntoAStreamHaveNoGrid) {
  EXPECT_EQ(launchText("cudaStream_t t; kernel<<<n, n, 0, t>>>(out);").Grid,
            "");
  EXPECT_EQ(launchText("cudaStream_t t;\n"
                       "cudaLaunchKernel(kernel, n, n, (void **)0, 0, t);")
                .Grid,
            "");
}

// Most calls that return an error stand in such a macro.
TEST(LaunchSites, OfCallsThatAMessageRepeats) {
  const std::string Check = KernelCode + "void say(const char *);\n"
                                         "#define CHECK(x) if (x) say(#x)\n"
                                         "#define PASTE(x) (x, x##1)\n";
  EXPECT_EQ(
      problemOf("CHECK(cudaLaunchKernel(kernel, 1, n, (void **)0));", Check),
      "");
  EXPECT_EQ(problemOf("cudaLaunchConfig_t c = {};\n"
                      "CHECK(cudaLaunchKernelEx(&c, kernel, out));",
                      Check),
            "");
  EXPECT_EQ(problemOf("CHECK((kernel<<<1, n>>>(out), 1));", Check),
            "it stands in a macro");
}

TEST(LaunchSites, WhoseBlockMayNotBeComputedTwice) {
  const std::string Twice = "its block size would be computed twice";
  EXPECT_EQ(problemOf("kernel<<<1, next()>>>(out);"), Twice);
  EXPECT_EQ(problemOf("kernel<<<1, n++>>>(out);"), Twice);
  EXPECT_EQ(problemOf("kernel<<<1, n = 4>>>(out);"), Twice);
  EXPECT_EQ(problemOf("volatile int v = n; kernel<<<1, v>>>(out);"), Twice);
  EXPECT_EQ(problemOf("struct C { int x; C(int &c) : x(c++) {} };\n"
                      "kernel<<<1, C(n).x>>>(out);"),
            Twice);
  EXPECT_EQ(problemOf("__builtin_va_list list;\n"
                      "kernel<<<1, __builtin_va_arg(list, int)>>>(out);"),
            Twice);
  const std::string Base = "struct B { int x; B(int &c) : x(c++) {} };\n"
                           "struct D : B { using B::B; };\n";
  EXPECT_EQ(problemOf(Base + "kernel<<<1, D(n).x>>>(out);"), Twice);
  EXPECT_EQ(problemOf("kernel<<<1, of()>>>(out);",
                      KernelCode + "int count;\n"
                                   "int of(int n = count++) { return n; }\n"),
            Twice);
  EXPECT_EQ(problemOf("kernel<<<1, n > 64 ? s.threads : 64>>>(out);"), "");
  EXPECT_EQ(problemOf("struct H { static int of(int i) { return i / 2; } };\n"
                      "kernel<<<1, H::of(n)>>>(out);"),
            "");
}

// Half of a condition would be repeated.
TEST(LaunchSites, WithADirectiveInTheirConfiguration) {
  const std::string Inside = "a directive stands in it";
  EXPECT_EQ(problemOf("kernel<<<1, n\n#ifdef WIDE\n* 2\n#else\n+ 32\n"
                      "#endif\n>>>(out);"),
            Inside);
  EXPECT_EQ(problemOf("kernel<<<\n#ifdef X\n7\n#else\n(n + 63)\n#endif\n"
                      "/ 64, n>>>(out);"),
            Inside);
  EXPECT_EQ(problemOf("kernel<<<1, n>>>(\n#ifdef X\nout\n#else\nout + 1\n"
                      "#endif\n);"),
            "");
  EXPECT_EQ(problemOf("cudaLaunchKernel(kernel, 1, n\n  #ifdef X\n* 2\n"
                      "  #endif\n, (void **)0);"),
            Inside);
}

// The macro would get another argument.
TEST(LaunchSites, InTheBodyOfAMacro) {
  auto Launched = [](const std::string &Macro, const std::string &Use) {
    return problemOf(Use, KernelCode + "#define " + Macro + "\n");
  };
  EXPECT_EQ(Launched("START(n) kernel<<<1, n>>>(out)", "START(n);"),
            "it stands in a macro");
  EXPECT_EQ(Launched("START(k, n) k<<<1, n>>>(out)", "START(kernel, n);"),
            "it stands in a macro");
  EXPECT_EQ(
      Launched("START(k, n, a) k<<<1, n>>> a", "START(kernel, n, (out));"),
      "it stands in a macro");
  EXPECT_EQ(Launched("CHECK(x) (x)", "CHECK((kernel<<<1, n>>>(out)));"), "");
  EXPECT_EQ(Launched("CHECK(x) (x, #x)", "CHECK((kernel<<<1, n>>>(out)));"),
            "it stands in a macro");
}

TEST(LaunchSites, KnowWhereTheirKernelIsDeclared) {
  EXPECT_TRUE(launchText("kernel<<<1, n>>>(out);").SeesDefinition);
  LaunchText T = launchText("kernel<<<1, n>>>(out);",
                            "\n__global__ void kernel(int *out);\n");
  EXPECT_FALSE(T.SeesDefinition);
  ASSERT_EQ(T.Declarations.size(), 1u);
  EXPECT_EQ(T.Declarations[0].Offset, 1u);
}

TEST(LaunchSites, OutsideTheGivenPaths) {
  UnitFacts Facts = factsOf(
      KernelCode + "void run(int *out, int n) { kernel<<<1, n>>>(out); }",
      [](llvm::StringRef) { return false; });
  EXPECT_EQ(Facts.Launches.at(0).Text.Problem, "it is outside the given paths");
  EXPECT_EQ(Facts.Kernels.at(0).Text.Problem,
            "it is declared outside the given paths");
}

// --- Kernels -----------------------------------------------------------------

TEST(KernelTexts, OfAPlainKernel) {
  KernelText T = kernelText("__global__ void kernel(int *out);\n"
                            "__global__ void kernel(int *out) {}\n");
  EXPECT_EQ(T.Name, "kernel");
  EXPECT_EQ(T.Definition.Offset, 34u);
  ASSERT_EQ(T.Declarations.size(), 1u);
  EXPECT_EQ(T.Declarations[0].Offset, 0u);
  EXPECT_FALSE(T.Internal);
  EXPECT_TRUE(T.TemplateHead.empty());
}

TEST(KernelTexts, OfATemplate) {
  UnitFacts Facts =
      factsOf("template <class T, int N>\n__global__ void kernel(T *) {}\n"
              "void run(int *out) { kernel<int, 4><<<1, 32>>>(out); }");
  ASSERT_EQ(Facts.Kernels.size(), 1u);
  const KernelText &T = Facts.Kernels[0].Text;
  EXPECT_EQ(T.TemplateHead, "template <class T, int N>");
  EXPECT_EQ(T.TemplateArguments, "<T, N>");
  EXPECT_EQ(T.Definition.Offset, 0u);
}

TEST(KernelTexts, OfAKernelThatNobodyElseCanName) {
  EXPECT_TRUE(kernelText("static __global__ void kernel() {}").Internal);
  EXPECT_TRUE(kernelText("namespace { __global__ void kernel() {} }").Internal);
}

TEST(KernelTexts, ThatLeaveNoPlaceForAFunction) {
  auto Problem = [](const std::string &Code) {
    return kernelText(Code).Problem;
  };
  EXPECT_EQ(Problem("__global__ void k() {}\n__global__ void k(int) {}"),
            "its name is overloaded");
  EXPECT_EQ(Problem("namespace n { __global__ void k(); }\n"
                    "__global__ void n::k() {}"),
            "it is defined outside its namespace");
  EXPECT_EQ(Problem("int k_shared_bytes;\n__global__ void k() {}"),
            "the name of its function is taken");
  EXPECT_EQ(Problem("#define KERNEL __global__ void k() {}\nKERNEL"),
            "a macro or a directive gives a part of it");
  EXPECT_EQ(Problem("__global__ void k() {\n#if 1\n#endif\n}"),
            "a macro or a directive gives a part of it");
  EXPECT_EQ(Problem("__global__ void k() {\n#pragma unroll 1\n"
                    "for (int i = 0; i < 4; ++i);\n}"),
            "");
  EXPECT_EQ(Problem("__global__ void k() {}\n"
                    "struct S { friend __global__ void k(); };"),
            "it is declared in a class or a function too");
  EXPECT_EQ(Problem("__global__ void own() {}"),
            "its name means something else in its function");
  EXPECT_EQ(Problem("__global__ void k() {}"), "");
}

TEST(KernelTexts, WhoseAttributesAreSet) {
  UnitFacts Facts = factsOf(
      KernelCode + "void run() { cudaFuncSetAttribute(kernel, "
                   "cudaFuncAttributeMaxDynamicSharedMemorySize, 65536); }");
  EXPECT_EQ(Facts.Kernels.at(0).AttributeSetAt.Line, 2u);
  EXPECT_FALSE(Facts.Kernels.at(0).AddressTaken);
}
