//===-- ShimTest.cpp - what nvcc takes and Clang does not -----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FrontendTester.h"
#include "gmock/gmock.h"

using namespace bankstripe;
using namespace bankstripe::testing;
using ::testing::HasSubstr;

namespace {

/// Whether this machine has a toolkit, which the file is read with.
bool hasToolkit() {
  llvm::Expected<Toolkit> Kit = findToolkit("");
  EXPECT_TRUE(bool(Kit));
  return Kit && !Kit->Root.empty();
}

Parsed parseWithToolkit(const std::string &Text,
                        std::vector<std::string> Args = {}) {
  llvm::Expected<Toolkit> Kit = findToolkit("");
  EXPECT_TRUE(bool(Kit));
  TemporaryFolder Folder;
  CompileJob Job = builtinJob(Folder.write("a.cu", Text));
  Job.CudaPath = Kit->Root;
  Job.OriginalArgs = {"nvcc"};
  llvm::append_range(Job.OriginalArgs, Args);
  translateCommand(Job, FrontendOptions(), *Kit);
  return parse(Job);
}

/// The file is rejected as it is and taken with the shim.
void expectShim(const Parsed &P) {
  EXPECT_TRUE(P.Succeeded) << P.Error << "\n" << P.Diagnostics;
  EXPECT_TRUE(P.Outcome.UsedShim) << "Clang takes the file as it is";
  EXPECT_EQ(P.Diagnostics, "");
  EXPECT_EQ(P.Calls, 1u);
}

TEST(Shim, IsNotUsedWhereClangTakesTheFile) {
  Parsed P = parseText("__global__ void k() {}\n");
  EXPECT_TRUE(P.Succeeded) << P.Diagnostics;
  EXPECT_FALSE(P.Outcome.UsedShim);
}

TEST(Shim, RegisterVariables) {
  expectShim(parseText("__global__ void k(int *p) { register int i = 3; "
                       "p[0] = i; }\n",
                       {"-std=c++17"}));
}

TEST(Shim, AtomicsOfNvcc) {
  expectShim(parseText(
      "__global__ void k(int *p, int *q) {\n"
      "  __nv_atomic_fetch_add(p, 1, __NV_ATOMIC_RELAXED, "
      "__NV_THREAD_SCOPE_DEVICE);\n"
      "  __nv_atomic_store_n(p, __nv_atomic_load_n(q, __NV_ATOMIC_ACQUIRE), "
      "__NV_ATOMIC_RELEASE);\n"
      "  __nv_atomic_max(p, 2, __NV_ATOMIC_SEQ_CST);\n"
      "}\n"));
}

TEST(Shim, InputAndOutputWithoutItsHeader) {
  if (!parses("#if !__has_include(<stdio.h>)\n#error\n#endif\n"))
    GTEST_SKIP() << "no C library here";
  expectShim(parseText("int main() { fprintf(stderr, \"x\"); }\n"));
}

TEST(Shim, StoresPastTheCaches) {
  expectShim(parseText("__global__ void k(float *p, float4 *q) {\n"
                       "  __stcs(p, 1.0f); __stcg(q, q[1]); __stwb(p, 2.0f); "
                       "}\n"));
}

TEST(Shim, LoadsThatNameACache) {
  expectShim(
      parseText("__global__ void k(const int *p, const float4 *q,\n"
                "    const unsigned char *r, float4 *out) {\n"
                "  out[__ldca(p)] = __ldlu(q); out[__ldlu(r)] = __ldca(q);"
                "}\n"));
}

TEST(Shim, AtomicsOfSixteenBytes) {
  const std::string Text =
      "struct alignas(16) Pair { Pair() = delete; unsigned long long a, b; };\n"
      "__global__ void k(Pair *p, __int128 *i) {\n"
      "  *p = atomicCAS(p, p[1], p[2]); *p = atomicExch_system(p, p[1]);\n"
      "  *i = atomicExch(i, *i) + atomicCAS_block(i, i[1], i[2]); }\n";
  expectShim(parseText(Text, {"--cuda-gpu-arch=sm_90"}));
  EXPECT_FALSE(parseText(Text, {"--cuda-gpu-arch=sm_80"}).Succeeded);
}

TEST(Shim, TypesOfExpressions) {
  expectShim(parseText("__device__ int f(int a) { typeof(a) b = a; return b; }"
                       "\n",
                       {"-std=c++17"}));
}

TEST(Shim, ArithmeticOnPairs) {
  expectShim(parseText("__global__ void k(float2 *p) { p[0] = __ffma2_rn(\n"
                       "  __fadd2_rz(p[1], p[2]), p[3], p[4]); }\n",
                       {"--cuda-gpu-arch=sm_100"}));
}

TEST(Shim, WarningsThatAreErrorsForClangAlone) {
  for (const char *Text :
       {"__device__ bool f(int a) { if (a < 0) return; return true; }\n",
        "void f(int a) { return 1; }\n",
        "int g(); constexpr int f() { return g(); }\n",
        "struct S { S(); S(const S &); }; void say(const char *, ...);\n"
        "void f(S s) { say(\"\", s); }\n",
        "struct S { static const float X = 1.5f; };\n"})
    if (const std::string Code = Text; !parses(Code))
      expectShim(parseText(Code));
}

TEST(Shim, ValueOfTheMacroThatTellsCuda) {
  if (!hasToolkit())
    GTEST_SKIP() << "no CUDA toolkit here";
  expectShim(parseWithToolkit("#if __CUDACC__\n__global__ void k() {}\n#endif\n"
                              "void run() { k<<<1, 1>>>(); }\n"));
}

TEST(Shim, NarrowingInBraces) {
  expectShim(
      parseText("int f(int n) { unsigned char c[] = {n}; return c[0]; }\n"));
}

TEST(Shim, MacroNextToAString) {
  expectShim(parseText("#define D \"d\"\nconst char *s = \"%\"D;\n"));
}

TEST(Shim, DeviceFunctionsForWhoeverIsCalledNvcc) {
  expectShim(parseText("#ifdef __NVCC__\n#define BOTH __host__ __device__\n"
                       "#else\n#define BOTH\n#endif\n"
                       "BOTH int twice(int a) { return a + a; }\n"
                       "__global__ void k(int *p) { p[0] = twice(p[1]); }\n"));
}

// Where both branches are right for Clang, nvcc's is read all the same.
TEST(Shim, WhoAsksForTheCompilerSeesNvcc) {
  for (const char *Condition : {"defined(__NVCC__)", "!defined(__clang__)"})
    expectShim(parseText("#if " + std::string(Condition) +
                         "\nint nvcc;\n#else\nint clang;\n#endif\n"
                         "#ifdef BANKSTRIPE_NVCC_SHIM_H\n"
                         "int *look = &nvcc;\n#endif\n"));
}

// As libraries do that know of nvcc and of Clang.
TEST(Shim, IsClangWhereTheTextForNvccFails) {
  TemporaryFolder Folder;
  for (const char *Condition : {"defined(__NVCC__)", "!defined(__clang__)"}) {
    CompileJob Job = builtinJob(Folder.write(
        "a.cu", "#if " + std::string(Condition) +
                    "\nint nvcc = ::missing;\n#endif\n"
                    "int f() { register int r = __CUDACC__; return r; }\n"));
    Job.OriginalArgs = {"nvcc", "-std=c++17"};
    translateCommand(Job, FrontendOptions(), Toolkit());
    std::string Said;
    llvm::raw_string_ostream Messages(Said);
    auto Outcome = parseUnit(Job, Messages, [](ParsedUnit &) {});
    EXPECT_TRUE(bool(Outcome)) << toString(Outcome.takeError()) << Said;
  }
}

TEST(Shim, OpenMPOfAnotherCompiler) {
  if (parses("#if !__has_include(<omp.h>)\n#error\n#endif\n"))
    GTEST_SKIP() << "Clang has an OpenMP here";
  expectShim(parseText("#include <omp.h>\n"
                       "int main() {\n"
                       "#pragma omp parallel\n"
                       "  return omp_get_thread_num() + (int)omp_get_wtime();\n"
                       "}\n"));
}

TEST(Shim, MinAndMaxOnTheHostWithoutAHeader) {
  if (!hasToolkit())
    GTEST_SKIP() << "no CUDA toolkit here; the built-in header has them";
  expectShim(parseWithToolkit(
      "int f(int a, unsigned b) { return min(a, 3) + max(b, 2u); }\n"
      "double g(float a) { return max(a, 0.0); }\n"));
}

// CUDA 13's libcu++ refuses such old C++, and nvcc does not.
TEST(Shim, ServesOldStandards) {
  if (!hasToolkit())
    GTEST_SKIP() << "no CUDA toolkit here, and so no libcu++";
  for (const char *Standard : {"-std=c++11", "-std=c++14"})
    expectShim(parseWithToolkit("int f(int a, unsigned b) {\n"
                                "  register int m = min(a, 3u); return m; }\n",
                                {Standard}));
}

TEST(Shim, MacrosWithTheNamesOfParameters) {
  if (!hasToolkit())
    GTEST_SKIP() << "no CUDA toolkit here, whose headers have an N";
  TemporaryFolder Folder;
  const std::string First =
      Folder.write("first.h", "#ifndef N\n#error\n#endif\n");
  const std::string Uses = "static_assert(N == 16, \"\");\n"
                           "__global__ void k(int *p) { p[0] = N; }\n";
  expectShim(parseWithToolkit(Uses, {"-include", First, "-DN=16"}));
  expectShim(parseWithToolkit(Uses, {"-include", First, "-D", "N=16"}));
  expectShim(parseWithToolkit("int one[N == 1 ? 1 : -1];\n",
                              {"-include", First, "-DN", "-DLONGER=N"}));
}

TEST(Shim, ManagedVariables) {
  if (!hasToolkit())
    GTEST_SKIP() << "no CUDA toolkit here; the built-in header has them";
  expectShim(parseWithToolkit("__managed__ int m;\n"
                              "__global__ void k(int *p) { p[0] = m; }\n"
                              "int main() { m = 3; k<<<1, 1>>>(nullptr); }\n"));
}

/// A toolkit's libcu++ of which only this is left: a guide for the host.
Parsed parseWithCccl(const std::string &Version) {
  TemporaryFolder Folder;
  Folder.write("cuda/std/__cccl/version.h",
               "#pragma once\n#define CCCL_VERSION " + Version + "\n");
  Folder.write("cuda/std/detail/__config",
               "#pragma once\n#define _CCCL_HOST __attribute__((host))\n");
  Folder.write("cuda/std/string_view",
               "#pragma once\n#include <cuda/std/detail/__config>\n"
               "template <class T> struct view { view(T); };\n"
               "_CCCL_HOST view(const char *) -> view<char>;\n");
  return parse(builtinJob(
      Folder.write("a.cu", "#include <cuda/std/string_view>\n"
                           "#include <cuda/std/__cccl/version.h>\n"
                           "_CCCL_HOST void f();\n"
                           "__attribute__((device)) void f();\n"
                           "__global__ void k(int *p) { p[0] = 1; }\n"),
      {"-std=c++17", "-isystem", Folder.path()}));
}

TEST(Shim, DeductionGuidesForTheHostAlone) {
  expectShim(parseWithCccl("3002000"));
}

TEST(Shim, DeductionGuidesOfOtherVersionsAreNotTouched) {
  Parsed P = parseWithCccl("3005000");
  EXPECT_FALSE(P.Succeeded);
  EXPECT_THAT(P.Diagnostics, HasSubstr("deduction guides"));
}

TEST(Shim, WhatLeftTheToolkitStaysAnError) {
  Parsed P =
      parseText("texture<float, 1> t;\n"
                "__global__ void k(float *p) { p[0] = tex1Dfetch(t, 0); }\n");
  EXPECT_FALSE(P.Succeeded);
  EXPECT_THAT(P.Diagnostics, HasSubstr("texture"));
}

} // namespace
