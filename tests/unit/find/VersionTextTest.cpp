//===-- VersionTextTest.cpp - what a version of a function needs ----------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FindTester.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

using namespace bankstripe;
using namespace bankstripe::testing;

namespace {

/// What the array `a` of \p Code needs for a version.
VersionText versionIn(const std::string &Code) {
  for (const Finding &F : factsOf(Code).Findings)
    if (F.Name == "a")
      return F.Version;
  ADD_FAILURE() << "no array 'a' in " << Code;
  return {};
}

/// The rest of the body in \p Code that a version holds.
std::string restIn(const std::string &Code) {
  const VersionText V = versionIn(Code);
  EXPECT_EQ(V.Problem, "");
  return Code.substr(V.Rest.Offset, V.Rest.Length);
}

/// What stands against a version of a kernel with the body \p Body.
std::string problemIn(const std::string &Body) {
  return versionIn(kernelAround(Body)).Problem;
}

} // namespace

TEST(VersionText, IsTheBodyFromTheArrayOn) {
  EXPECT_EQ(restIn("__global__ void k(int i) { int n = i; int a[4]; a[n] = 1;"
                   " }"),
            "int a[4]; a[n] = 1; ");
}

TEST(VersionText, IsTheBodyFromTheStatementAroundTheArrayOn) {
  EXPECT_EQ(restIn("__global__ void k(int i) { int n = i;\n"
                   "  while (i) { if (n) { int a[4]; a[n] = 1; } } ++n; }"),
            "while (i) { if (n) { int a[4]; a[n] = 1; } } ++n; ");
}

TEST(VersionText, BeginsWithThePragmasOfItsLoop) {
  EXPECT_EQ(restIn("__global__ void k(int i) {\n"
                   "  #pragma unroll 1\n"
                   "  for (int n = 0; n < i; ++n) { int a[4]; a[n] = 1; }\n}"),
            "#pragma unroll 1\n"
            "  for (int n = 0; n < i; ++n) { int a[4]; a[n] = 1; }\n");
  EXPECT_EQ(problemIn("_Pragma(\"unroll 1\") for (int n = 0; n < i; ++n) {"
                      " int a[4]; a[n] = 1; }"),
            "a macro stands before the statement");
}

// Else a `return` is added to it, which can have no value.
TEST(VersionText, MayReturnByItself) {
  const std::string Body = " f(int i) { int a[4]; a[i] = 1; ";
  EXPECT_TRUE(versionIn("__device__ void" + Body + "return; }").Returns);
  EXPECT_FALSE(
      versionIn("__device__ void" + Body + "if (i) return; ++i; }").Returns);
  EXPECT_TRUE(versionIn("__device__ int" + Body +
                        "if (i) return a[0]; else return i; }")
                  .Returns);
}

TEST(VersionText, CountsTheSharedVariablesThatAreThereTwice) {
  const std::string Array = "int a[4]; a[i] = 1;";
  EXPECT_EQ(
      versionIn(kernelAround("__shared__ int s[64]; " + Array)).SharedBytes,
      0u);
  EXPECT_EQ(versionIn(kernelAround(Array + "__shared__ int s[64];"
                                           "if (i) { __shared__ char c; }"
                                           "extern __shared__ int e[];"))
                .SharedBytes,
            256u + 16u);
}

TEST(VersionText, CountsSharedObjectsWhoseConstructorsDoNotRun) {
  EXPECT_EQ(versionIn("struct Barrier { long left[9]; __device__ Barrier() { "
                      "left[0] = 1; } };" +
                      kernelAround("int a[4]; a[i] = 1;"
                                   "__shared__ Barrier one; one.left[1] = i;"))
                .SharedBytes,
            80u);
}

TEST(VersionText, KnowsWhatOtherFilesHaveToo) {
  auto IsWeak = [](const std::string &Head, std::vector<std::string> Options) {
    const UnitFacts Facts = factsOf(
        Head + " k(int i) { int a[4]; a[i] = 1; }", [](auto) { return true; },
        std::move(Options));
    return Facts.Findings.at(0).Version.IsWeak;
  };
  EXPECT_TRUE(IsWeak("inline __device__ void", {"-fgpu-rdc"}));
  EXPECT_FALSE(IsWeak("inline __device__ void", {}));
  EXPECT_FALSE(IsWeak("__global__ void", {"-fgpu-rdc"}));
  EXPECT_FALSE(IsWeak("static inline __device__ void", {"-fgpu-rdc"}));
}

// --- What can stand in a function only once ----------------------------------

TEST(VersionText, IsNoneWithALabel) {
  EXPECT_EQ(problemIn("int a[4]; again: a[i] = 1; if (++i < 4) goto again;"),
            "it has the label 'again'");
  EXPECT_EQ(problemIn("again: ++i; int a[4]; a[i] = 1;"), "");
}

TEST(VersionText, IsNoneWithAState) {
  EXPECT_EQ(problemIn("int a[4]; a[i] = 1; static __device__ int n; ++n;"),
            "its variable 'n' is static");
  EXPECT_EQ(problemIn("int a[4]; a[i] = 1; static const int n = 1; i = n;"),
            "");
}

TEST(VersionText, IsNoneWithAStateForATypeOfTheBody) {
  const std::string Head =
      "template <class T> __device__ int once(T f) { static int n; return "
      "n++ + f(); }\n"
      "template <class T> __device__ int twice(T f) { return once(f); }\n"
      "template <class T> __device__ int plain(T f) { return f(); }\n"
      "__device__ int three() { return 3; }\n"
      "__device__ void f(int i) { int a[4]; a[i] = ";
  auto ProblemOf = [&](const std::string &Value) {
    UnitFacts Facts = factsOf(Head + Value + "; }", [](auto) { return true; });
    return Facts.Findings.at(0).Version.Problem;
  };
  EXPECT_EQ(ProblemOf("once([] { return 3; })"),
            "a template keeps the state 'n' for a type that it may declare");
  EXPECT_EQ(ProblemOf("twice([] { return 3; })"),
            "a template keeps the state 'n' for a type that it may declare");
  EXPECT_EQ(ProblemOf("plain([] { return 3; })"), "");
  EXPECT_EQ(ProblemOf("once(three)"), "");
}

TEST(VersionText, MayNameWhatPragmasNameElsewhere) {
  EXPECT_EQ(problemIn("int a[4]; int once = i; a[i] = once;"), "");
}

TEST(VersionText, IsNoneWithNamesOfAssembly) {
  const std::string Array = "int a[4]; a[i] = 1; ";
  EXPECT_EQ(problemIn(Array + "asm(\".reg .u32 t; mov.u32 t, 1;\");"),
            "inline assembly declares a name there");
  EXPECT_EQ(problemIn(Array + "asm(\"done: mov.u32 %0, 1;\" : \"=r\"(i));"),
            "inline assembly declares a name there");
  EXPECT_EQ(problemIn(Array + "asm(\"{ .reg .u32 t; mov.u32 t, 1; }\");"), "");
  EXPECT_EQ(problemIn(Array + "asm(\"ld.global.L2::128B.u32 %0, [%1];\" : "
                              "\"=r\"(i) : \"l\"(out));"),
            "");
}

TEST(VersionText, IsNoneWhereMacrosChange) {
  const std::string Array = "int a[4]; a[i] = 1;\n";
  EXPECT_EQ(problemIn("int N = 1; " + Array + "#define N 1\n"), "");
  EXPECT_EQ(problemIn(Array + "int N = 1;\n#define N 1\n"),
            "N is another macro at its end");
  EXPECT_EQ(problemIn("\n#define N 1\n" + Array + "#define N 1\n"),
            "N is another macro at its end");
  EXPECT_EQ(problemIn(Array + "#define N 1\ni = N;"), "");
  EXPECT_EQ(problemIn(Array + "#undef N\n"), "");
  EXPECT_EQ(problemIn("\n#define N 1\n" + Array + "i = N;\n#undef N\n"),
            "N is another macro at its end");
  EXPECT_EQ(problemIn(Array + "int N = 1;\n#define N 1\ni = N;\n#undef N\n"),
            "");
  EXPECT_EQ(problemIn(Array + "#ifdef X\n#define N 1\n#else\n#define N 2\n"
                              "#endif\ni = N;\n#undef N\n"),
            "");
  EXPECT_EQ(problemIn("\n#define N 1\n" + Array), "");
}

TEST(VersionText, IsNoneWhereItCounts) {
  const std::string Array = "int a[4]; a[i] = 1;\n";
  const std::string Problem = "it mentions __COUNTER__";
  EXPECT_EQ(problemIn(Array + "i = __COUNTER__;"), Problem);
  EXPECT_EQ(problemIn("i = __COUNTER__; " + Array), "");
  auto ProblemAfter = [&](const std::string &Macros) {
    return versionIn(Macros + kernelAround(Array + "i = NEXT();")).Problem;
  };
  EXPECT_EQ(ProblemAfter("#define ID __COUNTER__\n#define NEXT() (ID)\n"),
            Problem);
  EXPECT_EQ(ProblemAfter("#define ID1 __COUNTER__\n#define GET(N) ID##N\n"
                         "#define NEXT() GET(1)\n"),
            Problem);
  EXPECT_EQ(ProblemAfter("#define ID 3\n#define NEXT() (ID)\n"), "");
}

// What a body includes stands there twice, too, as what it does not hold
// itself.
TEST(VersionText, IsNoneWhereMacrosOfIncludedTextChange) {
  auto ProblemWith = [](const std::string &Fragment, const std::string &Rest) {
    llvm::SmallString<64> Path;
    int File = -1;
    EXPECT_FALSE(llvm::sys::fs::createTemporaryFile("part", "inc", File, Path));
    llvm::FileRemover Remover(Path);
    llvm::raw_fd_ostream(File, /*shouldClose=*/true) << Fragment;
    return problemIn("int a[4]; a[i] = 1;\n#include \"" + Path.str().str() +
                     "\"\n" + Rest);
  };
  const std::string Problem = "N is another macro at its end";
  EXPECT_EQ(ProblemWith("i += 1;\n", "#define N 1\ni = N;"), "");
  EXPECT_EQ(ProblemWith("int N = 1;\n", "#define N 1\ni = N;"), Problem);
  EXPECT_EQ(ProblemWith("#define N 1\n", "i = N;"), "");
  EXPECT_EQ(ProblemWith("int N = 1;\n#define N 1\n", "i = N;"), Problem);
  EXPECT_EQ(ProblemWith("#if 0\n#include <other>\n#endif\n", ""),
            "it has an #include");
}

TEST(VersionText, HoldsWholeConditionals) {
  const std::string Array = "int a[4]; a[i] = 1;\n";
  EXPECT_EQ(problemIn(Array + "#if 1\n++i;\n#else\n--i;\n#endif\n"), "");
  EXPECT_EQ(problemIn("\n#if 1\n" + Array + "#endif\n++i;"),
            "it begins before an #endif");
  EXPECT_EQ(problemIn("\n#if 1\n" + Array + "#else\n++i;\n#endif\n"),
            "it begins before an #else");
}

TEST(VersionText, IsNoneOfAFunctionWhoseTypeIsDeduced) {
  const std::string Array = "(int i) { int a[4]; a[i] = 1; ";
  EXPECT_EQ(versionIn("__device__ auto f" + Array +
                      "struct S { int n; }; return S{a[0]}; }")
                .Problem,
            "its type is deduced");
  EXPECT_EQ(versionIn("struct S { int n; };\n__device__ S f" + Array +
                      "return S{a[0]}; }")
                .Problem,
            "");
}

TEST(VersionText, IsNoneOfABodyInAMacro) {
  EXPECT_EQ(versionIn("#define BODY(X) { X }\n"
                      "__global__ void k(int i) BODY(int a[4]; a[i] = 1;)")
                .Problem,
            "its body is not written in one piece");
}
