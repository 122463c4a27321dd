//===-- BlockSizeTest.cpp - the block sizes that launches ask for ---------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FindTester.h"
#include "find/Find.h"
#include "support/ParseSnippet.h"
#include <gtest/gtest.h>

using namespace bankstripe;
using namespace bankstripe::testing;

/// The block size of the launch in \p Body; 0 when it is not known.
static unsigned threadsIn(const std::string &Body) {
  return launchIn(Body).Threads.value_or(0);
}

// --- Known block sizes -----------------------------------------------------

TEST(BlockSize, Literals) {
  EXPECT_EQ(threadsIn("kernel<<<1, 128>>>(out);"), 128u);
  EXPECT_EQ(threadsIn("kernel<<<dim3(4), dim3(100)>>>(out);"), 100u);
  EXPECT_EQ(threadsIn("kernel<<<n, 1024>>>(out);"), 1024u);
  EXPECT_EQ(launchIn("kernel<<<1, 128>>>(out);").Source, "literal");
}

TEST(BlockSize, MacrosAndConstants) {
  EXPECT_EQ(threadsIn("\n#define THREADS 128\nkernel<<<1, THREADS>>>(out);"),
            128u);
  EXPECT_EQ(threadsIn("constexpr int T = 64; kernel<<<1, 2 * T>>>(out);"),
            128u);
  EXPECT_EQ(threadsIn("const int T = 96; kernel<<<1, T>>>(out);"), 96u);
  EXPECT_EQ(threadsIn("enum { T = 32 }; kernel<<<1, T>>>(out);"), 32u);
  EXPECT_EQ(threadsIn("kernel<<<1, sizeof(int) * 8>>>(out);"), 32u);
  EXPECT_EQ(hostFacts("const int T = 192;\n"
                      "void run(int *out) { kernel<<<1, T>>>(out); }")
                .Launches.at(0)
                .Threads,
            192u);
}

TEST(BlockSize, NotWhatAnotherBuildMayDefineOtherwise) {
  auto ThreadsWith = [](const std::string &Before,
                        const std::string &Block = "THREADS") {
    return hostFacts(Before + "\nvoid run(int *out) { kernel<<<1, " + Block +
                     ">>>(out); }\n#endif")
        .Launches.at(0)
        .Threads.value_or(0);
  };
  const std::string Mine = "#ifndef THREADS\n#define THREADS 128\n#endif\n";
  EXPECT_EQ(ThreadsWith(Mine + "#if 1"), 0u);
  EXPECT_EQ(ThreadsWith(Mine + "const int T = THREADS;\n#if 1", "T"), 0u);
  EXPECT_EQ(ThreadsWith(Mine + "enum { T = THREADS * 2 };\n#if 1", "T"), 0u);
  EXPECT_EQ(ThreadsWith(Mine + "#define T (2 * THREADS)\n#if 1", "T"), 0u);
  EXPECT_EQ(ThreadsWith("#ifdef BIG\n#define THREADS 512\n#else\n"
                        "#define THREADS 64\n#endif\n#if 1"),
            0u);
  EXPECT_EQ(
      ThreadsWith(Mine + "constexpr int t() { return THREADS; }\n#if 1", "t()"),
      0u);
  auto ThreadsOf = [&](const std::string &Template, const std::string &Call) {
    return hostFacts(Mine + "#define SMALL 32\ntemplate <int N> " + Template +
                     "\nvoid go(int *out) { " + Call + "(out); }")
        .Launches.at(0)
        .Threads.value_or(0);
  };
  const std::string Run = "void run(int *out) { kernel<<<1, N>>>(out); }";
  EXPECT_EQ(ThreadsOf(Run, "run<THREADS>"), 0u);
  EXPECT_EQ(ThreadsOf(Run, "run<SMALL>"), 32u);
  EXPECT_EQ(ThreadsOf("struct S { static " + Run + " };", "S<THREADS>::run"),
            0u);
  EXPECT_EQ(ThreadsOf("struct S { static " + Run + " };", "S<SMALL>::run"),
            32u);
  // Its launch is compiled together with it, and a header is read once.
  EXPECT_EQ(ThreadsWith("#if 1\n#define THREADS 128"), 128u);
  EXPECT_EQ(ThreadsWith("#ifndef HEADER_H\n#define HEADER_H\n"
                        "#define THREADS 128\n#endif\n#if 1"),
            128u);
  EXPECT_EQ(ThreadsWith("#if !defined(HEADER_H)\n#define HEADER_H\n"
                        "#define THREADS 128\n#endif\n#if 1"),
            128u);
}

TEST(BlockSize, VariablesAssignedOnce) {
  EXPECT_EQ(threadsIn("int t = 128; kernel<<<1, t>>>(out);"), 128u);
  EXPECT_EQ(threadsIn("int t; t = 128; kernel<<<n / t, t>>>(out);"), 128u);
  EXPECT_EQ(threadsIn("int t = 64, u = t * 2; kernel<<<1, u>>>(out);"), 128u);
  EXPECT_EQ(threadsIn("const int t = n ? 64 : 128; kernel<<<1, t>>>(out);"),
            128u);
  EXPECT_EQ(launchIn("int t = 128; kernel<<<1, t>>>(out);").Source,
            "variable 't'");
}

TEST(BlockSize, VariablesThatAreReadElsewhere) {
  EXPECT_EQ(threadsIn("int t = 128; look(t); int u = t + n; change(u);"
                      "kernel<<<(n + t - 1) / t, t>>>(out);"),
            128u);
}

TEST(BlockSize, SeveralConstantsGiveTheLargest) {
  EXPECT_EQ(threadsIn("int t = 64; if (n > 9) t = 256; else if (n > 5) t = 128;"
                      "kernel<<<1, t>>>(out);"),
            256u);
  EXPECT_EQ(threadsIn("kernel<<<1, n > 9 ? 256 : 64>>>(out);"), 256u);
  EXPECT_EQ(threadsIn("int t = 512; kernel<<<1, t / 4 + 8 % 3>>>(out);"), 130u);
  EXPECT_EQ(threadsIn("int t = 5; kernel<<<1, 1 << t>>>(out);"), 32u);
}

TEST(BlockSize, OfOneToThreeDimensions) {
  EXPECT_EQ(threadsIn("kernel<<<1, dim3(16, 8)>>>(out);"), 128u);
  EXPECT_EQ(threadsIn("kernel<<<1, dim3(4, 4, 8)>>>(out);"), 128u);
  EXPECT_EQ(threadsIn("dim3 block(16, 8); kernel<<<1, block>>>(out);"), 128u);
  EXPECT_EQ(threadsIn("dim3 block = 128; kernel<<<1, block>>>(out);"), 128u);
  EXPECT_EQ(threadsIn("dim3 block{16, 8}; kernel<<<1, block>>>(out);"), 128u);
  EXPECT_EQ(threadsIn("dim3 block = {16, 8, 2}; kernel<<<1, block>>>(out);"),
            256u);
  EXPECT_EQ(threadsIn("auto block = dim3(16, 8); kernel<<<1, block>>>(out);"),
            128u);
  EXPECT_EQ(threadsIn("const int x = 16; int y = 8;"
                      "dim3 block(x, y); kernel<<<1, block>>>(out);"),
            128u);
}

TEST(BlockSize, Dim3IsCopiedAndAssigned) {
  EXPECT_EQ(threadsIn("dim3 a(16, 8); dim3 b = a; kernel<<<1, b>>>(out);"),
            128u);
  EXPECT_EQ(threadsIn("dim3 b; b = dim3(16, 8); kernel<<<1, b>>>(out);"), 128u);
  EXPECT_EQ(threadsIn("dim3 b(32); if (n) b = dim3(16, 8);"
                      "kernel<<<1, b>>>(out);"),
            128u);
}

TEST(BlockSize, MembersOfADim3) {
  EXPECT_EQ(threadsIn("dim3 b(16, 8); kernel<<<n / b.x, b.x * b.y>>>(out);"),
            128u);
  EXPECT_EQ(threadsIn("dim3 b(16, 8); dim3 c(b.y, 4); kernel<<<1, c>>>(out);"),
            32u);
}

TEST(BlockSize, TemplateArgumentsOfTheHost) {
  UnitFacts Facts =
      hostFacts("template <int T> void run(int *out) {\n"
                "  kernel<<<1, T>>>(out); }\n"
                "void go(int *out) { run<64>(out); run<256>(out); }");
  ASSERT_EQ(Facts.Launches.size(), 2u);
  EXPECT_EQ(*Facts.Launches[0].Threads + *Facts.Launches[1].Threads, 320u);
  EXPECT_TRUE(hostFacts("template <int T> void run(int *out) {\n"
                        "  kernel<<<1, T>>>(out); }\n")
                  .Launches.empty());
}

TEST(BlockSize, OfKernelTemplates) {
  UnitFacts Facts = factsOf("template <class T> __global__ void k(T *) {}\n"
                            "void run(int *p, float *q) {\n"
                            "  k<<<1, 64>>>(p); k<float><<<1, 128>>>(q); }");
  ASSERT_EQ(Facts.Launches.size(), 2u);
  ASSERT_EQ(Facts.Kernels.size(), 2u);
  for (const Launch &L : Facts.Launches)
    EXPECT_TRUE(L.KernelId == Facts.Kernels[0].Id ||
                L.KernelId == Facts.Kernels[1].Id);
}

// --- Unknown block sizes ---------------------------------------------------

TEST(BlockSize, OfParametersIsUnknown) {
  Launch L = launchIn("kernel<<<1, n>>>(out);");
  EXPECT_FALSE(L.Threads.has_value());
  EXPECT_EQ(L.Source, "parameter 'n' of the launching function");
  EXPECT_EQ(threadsIn("int t = n; kernel<<<1, t>>>(out);"), 0u);
  EXPECT_EQ(threadsIn("dim3 b(16, n); kernel<<<1, b>>>(out);"), 0u);
}

TEST(BlockSize, OfInputIsUnknown) {
  EXPECT_EQ(threadsIn("int t = 128; change(t); kernel<<<1, t>>>(out);"), 0u);
  EXPECT_EQ(threadsIn("int t = 128; int *p = &t; *p = 512;"
                      "kernel<<<1, t>>>(out);"),
            0u);
  EXPECT_EQ(threadsIn("int t = 128; int &r = t; r = 512;"
                      "kernel<<<1, t>>>(out);"),
            0u);
  EXPECT_EQ(threadsIn("int t = ask(); kernel<<<1, t>>>(out);"), 0u);
  UnitFacts Facts = hostFacts("extern \"C\" int scanf(const char *, ...);\n"
                              "void run(int *out) { int t = 128;\n"
                              "  scanf(\"%d\", &t); kernel<<<1, t>>>(out); }");
  ASSERT_EQ(Facts.Launches.size(), 1u);
  EXPECT_FALSE(Facts.Launches[0].Threads.has_value());
}

TEST(BlockSize, OfVariablesThatChangeIsUnknown) {
  EXPECT_EQ(threadsIn("int t = 128; ++t; kernel<<<1, t>>>(out);"), 0u);
  EXPECT_EQ(threadsIn("int t = 128; t *= 2; kernel<<<1, t>>>(out);"), 0u);
  EXPECT_EQ(threadsIn("int t = 32; while (t < n) t = t + t;"
                      "kernel<<<1, t>>>(out);"),
            0u);
  EXPECT_EQ(threadsIn("for (int t = 32; t <= 256; t <<= 1)"
                      "  kernel<<<1, t>>>(out);"),
            0u);
  EXPECT_EQ(threadsIn("int t = 128; auto f = [&] { t = n; }; f();"
                      "kernel<<<1, t>>>(out);"),
            0u);
  EXPECT_EQ(threadsIn("int t; kernel<<<1, t>>>(out);"), 0u);
}

TEST(BlockSize, OfADim3WhoseMembersAreAssignedIsUnknown) {
  EXPECT_EQ(threadsIn("dim3 b(16, 8); b.y = 16; kernel<<<1, b>>>(out);"), 0u);
  EXPECT_EQ(threadsIn("dim3 b; b.x = 128; kernel<<<1, b>>>(out);"), 0u);
  EXPECT_EQ(threadsIn("dim3 b(16, 8); unsigned *p = &b.x; *p = 64;"
                      "kernel<<<1, b>>>(out);"),
            0u);
  EXPECT_EQ(threadsIn("dim3 b(16, 8); b = dim3(n); dim3 c(b.x, 4);"
                      "kernel<<<1, c>>>(out);"),
            0u);
  EXPECT_EQ(threadsIn("dim3 b(16, 8); b = dim3(32, 32);"
                      "kernel<<<1, b.x>>>(out);"),
            0u);
}

TEST(BlockSize, OfGlobalsThatAreNoConstantsIsUnknown) {
  UnitFacts Facts =
      hostFacts("int T = 128; static int U = 128;\n"
                "void run(int *out) {\n"
                "  static int V = 128;\n"
                "  kernel<<<1, T>>>(out); kernel<<<1, U>>>(out);\n"
                "  kernel<<<1, V>>>(out); }");
  ASSERT_EQ(Facts.Launches.size(), 3u);
  for (const Launch &L : Facts.Launches)
    EXPECT_FALSE(L.Threads.has_value());
}

TEST(BlockSize, OutsideOneToAThousandIsUnknown) {
  EXPECT_EQ(threadsIn("kernel<<<1, 2048>>>(out);"), 0u);
  EXPECT_EQ(threadsIn("kernel<<<1, 0>>>(out);"), 0u);
  EXPECT_EQ(threadsIn("kernel<<<1, dim3(64, 64)>>>(out);"), 0u);
}

TEST(BlockSize, WhereConversionsLoseBitsIsUnknown) {
  EXPECT_EQ(threadsIn("unsigned char t; t = n ? 300 : 4;"
                      "kernel<<<1, 1024 - t>>>(out);"),
            0u);
  EXPECT_EQ(
      threadsIn("int t = 300; kernel<<<1, 1024 - (unsigned char)t>>>(out);"),
      0u);
  EXPECT_EQ(threadsIn("unsigned t = 4; kernel<<<1, (t - 5) / 8388608>>>(out);"),
            0u);
  EXPECT_EQ(threadsIn("unsigned char t = 200; kernel<<<1, t>>>(out);"), 200u);
}

TEST(BlockSize, OfAVeryDeepExpressionIsUnknown) {
  auto SourceOfSum = [](unsigned Terms) {
    std::string Sum = "t";
    while (--Terms)
      Sum += " + t";
    return launchIn("int t = 1; kernel<<<1, " + Sum + ">>>(out);").Source;
  };
  EXPECT_EQ(SourceOfSum(40), "variable 't'");
  EXPECT_EQ(SourceOfSum(400), "it is too deep an expression");
}

TEST(BlockSize, InAGenericLambdaIsUnknown) {
  UnitFacts Facts =
      hostFacts("void run(int *out) {\n"
                "  auto go = [=](auto t) { kernel<<<1, t>>>(out); };\n"
                "  go(128); kernel<<<1, 64>>>(out); }");
  ASSERT_EQ(Facts.Launches.size(), 2u);
  EXPECT_EQ(Facts.Launches[0].Threads.has_value() +
                Facts.Launches[1].Threads.has_value(),
            1);
}

TEST(BlockSize, InALambda) {
  EXPECT_EQ(threadsIn("int t = 128; auto go = [=] { kernel<<<1, t>>>(out); };"
                      "go();"),
            128u);
  EXPECT_EQ(
      threadsIn("auto go = [=](int t) { kernel<<<1, t>>>(out); }; go(1);"), 0u);
}

// --- Variables that others may change ----------------------------------------

TEST(BlockSize, OfAVariableBehindAConstReferenceIsUnknown) {
  for (const char *Use :
       {"show(t);", "const int &r = t; show(r);",
        "const int &r = t; const_cast<int &>(r) = 256;",
        "const_cast<int &>(t) = 256;", "*(int *)(const int *)&t = 256;",
        "(int &)(const int &)t = 256;", "struct { const int &r; } s{t};",
        "auto f = [&r = t] { return r; };", "asm(\"\" : \"+r\"(t));",
        "static const int &r = t;"})
    EXPECT_EQ(
        threadsIn("int t = 64; " + std::string(Use) + "kernel<<<1, t>>>(out);"),
        0u)
        << Use;
}

TEST(BlockSize, OfAVariableThatIsSeenToBeReadIsKnown) {
  for (const char *Use :
       {"look(t);", "look(look(t));", "const int &r = t; look(r);",
        "int m = min(t, n);", "auto f = [t] { return t; };", "(void)t;"})
    EXPECT_EQ(
        threadsIn("int t = 64; " + std::string(Use) + "kernel<<<1, t>>>(out);"),
        64u)
        << Use;
  EXPECT_EQ(threadsIn("const int t = 64; show(t); kernel<<<1, t>>>(out);"),
            64u);
  EXPECT_EQ(threadsIn("dim3 b(16, 8), c; c = b; uint3 u = b;"
                      "kernel<<<1, b>>>(out);"),
            128u);
}

TEST(BlockSize, OfAVariableThatAFunctionCastsIsUnknown) {
  UnitFacts Facts = hostFacts(
      "void inner(const int &t) { const_cast<int &>(t) = 256; }\n"
      "void outer(const int &t) { inner(t); }\n"
      "void again(const int &t, int n) { if (n) again(t, n - 1); }\n"
      "void run(int *out) { int t = 64; outer(t); kernel<<<1, t>>>(out); }\n"
      "void two(int *out) { int t = 64; again(t, 2); kernel<<<1, t>>>(out); "
      "}\n");
  ASSERT_EQ(Facts.Launches.size(), 2u);
  for (const Launch &L : Facts.Launches)
    EXPECT_FALSE(L.Threads.has_value());
}

TEST(BlockSize, OfAVariableThatALibraryMayKeepIsUnknown) {
  auto ThreadsWith = [](const std::string &Use) {
    UnitFacts Facts = hostFacts(
        "# 1 \"lib.h\" 1 3\n"
        "struct Ref { const int &r; }; struct Two : Ref {};\n"
        "Ref hold(const int &); Two hold(const int &, int);\n"
        "const int &self(const int &); int add(const int &, const int &);\n"
        "template <class F> void call(F f, const int &n) { f(n); }\n"
        "# 9 \"a.cu\" 2\n"
        "void run(int *out) { int t = 64; " +
        Use + "; kernel<<<1, t>>>(out); }");
    return Facts.Launches.at(0).Threads.value_or(0);
  };
  for (const char *Use :
       {"hold(t)", "hold(t, 1)",
        "const int &r = self(t); const_cast<int &>(r) = 2",
        "call([](const int &) {}, t)", "const_cast<int &>(self(t)) = 128"})
    EXPECT_EQ(ThreadsWith(Use), 0u) << Use;
  for (const char *Use : {"add(t, t)", "self(t)", "int u = self(t)"})
    EXPECT_EQ(ThreadsWith(Use), 64u) << Use;
}

TEST(BlockSize, OfAFunctionThatOthersMayDefineIsUnknown) {
  for (bool Weak : {false, true})
    EXPECT_EQ(hostFacts((Weak ? "__attribute__((weak)) " : "") +
                        std::string("constexpr int n() { return 64; }\n"
                                    "void run(int *p) { kernel<<<1, n()>>>(p); "
                                    "}"))
                  .Launches.at(0)
                  .Threads.value_or(0),
              Weak ? 0u : 64u);
}

TEST(BlockSize, OfAVariableThatIsAssignedTwiceAtOnceIsUnknown) {
  EXPECT_EQ(threadsIn("int t; (t = 64) = 128; kernel<<<1, t>>>(out);"), 0u);
  EXPECT_EQ(threadsIn("int t; change(t = 64); kernel<<<1, t>>>(out);"), 0u);
  EXPECT_EQ(threadsIn("dim3 b; (b = dim3(64)).y = 2; kernel<<<1, b>>>(out);"),
            0u);
  EXPECT_EQ(
      threadsIn("int t, u; u = t = 64; if ((t = 32)) kernel<<<1, t>>>(out);"),
      64u);
}

TEST(BlockSize, OfAVariableThatIsNotItsOwnIsUnknown) {
  EXPECT_EQ(threadsIn("const volatile int t = 64; kernel<<<1, t>>>(out);"), 0u);
  EXPECT_EQ(threadsIn("try { ask(); } catch (int t) { if (n) t = 32;"
                      "  kernel<<<1, t>>>(out); }"),
            0u);
  UnitFacts Facts = hostFacts(
      "extern \"C\" __attribute__((weak)) extern const int A = 64;\n"
      "#pragma weak B\nextern \"C\" { extern const int B = 64; }\n"
      "extern const int C = 64;\n"
      "void run(int *out) { kernel<<<1, A>>>(out); kernel<<<1, B>>>(out);\n"
      "  kernel<<<1, C>>>(out); }");
  ASSERT_EQ(Facts.Launches.size(), 3u);
  EXPECT_FALSE(Facts.Launches[0].Threads.has_value());
  EXPECT_FALSE(Facts.Launches[1].Threads.has_value());
  EXPECT_EQ(Facts.Launches[2].Threads, 64u);
}

TEST(BlockSize, OfAClassThatBecomesADim3IsUnknown) {
  UnitFacts Facts = hostFacts(
      "struct Warps : dim3 { Warps(int n) : dim3(n * 32) {} };\n"
      "namespace own { struct dim3 { int x; dim3(int n) : x(n * 32) {}\n"
      "  operator ::dim3() const { return ::dim3(x); } }; }\n"
      "void run(int *out) { kernel<<<1, Warps{4}>>>(out);\n"
      "  own::dim3 b(4); kernel<<<1, b>>>(out); }");
  ASSERT_EQ(Facts.Launches.size(), 2u);
  for (const Launch &L : Facts.Launches)
    EXPECT_FALSE(L.Threads.has_value());
}

// --- Bounds and callers ------------------------------------------------------

TEST(BlockSize, AMinimumIsAtMostWhatIsKnown) {
  EXPECT_EQ(threadsIn("kernel<<<1, n < 256 ? n : 256>>>(out);"), 256u);
  EXPECT_EQ(threadsIn("const int T = 64; kernel<<<1, n < T ? n : T>>>(out);"),
            64u);
}

TEST(BlockSize, WhatOnlyLooksLikeAMinimumIsUnknown) {
  EXPECT_EQ(threadsIn("kernel<<<1, n < 512 ? n : 256>>>(out);"), 0u);
  EXPECT_EQ(threadsIn("kernel<<<1, n < 256 ? 256 : n>>>(out);"), 0u);
  EXPECT_EQ(threadsIn("volatile int m = n;"
                      "kernel<<<1, m < 256 ? m : 256>>>(out);"),
            0u);
}

TEST(BlockSize, NothingIsComputedFromAMinimumThatShrinks) {
  EXPECT_EQ(threadsIn("kernel<<<1, 512 / (n < 256 ? n : 256)>>>(out);"), 0u);
}

// -1 becomes 255, and 1000 may become anything.
TEST(BlockSize, OfAMinimumThatIsConvertedToLessIsUnknown) {
  EXPECT_EQ(threadsIn("kernel<<<1, (unsigned char)min(n, 64)>>>(out);"), 0u);
  EXPECT_EQ(threadsIn("unsigned short t = min(n, 64); kernel<<<1, t>>>(out);"),
            0u);
  EXPECT_EQ(threadsIn("long m = n; kernel<<<1, m < 64 ? m : 64>>>(out);"), 0u);
  EXPECT_EQ(threadsIn("kernel<<<1, n < 64 ? (unsigned char)n : 64>>>(out);"),
            0u);
  EXPECT_EQ(threadsIn("kernel<<<1, (unsigned char)n < 64 ? n : 64>>>(out);"),
            0u);
  EXPECT_EQ(threadsIn("kernel<<<1, min(n, 8) * min(n, 8)>>>(out);"), 0u);
}

TEST(BlockSize, OfAMinimumThatIsConvertedToAsMuchIsAtMostThat) {
  EXPECT_EQ(threadsIn("kernel<<<1, (unsigned)min(n, 64)>>>(out);"), 64u);
  EXPECT_EQ(threadsIn("kernel<<<1, min((unsigned char)n, 64)>>>(out);"), 64u);
  EXPECT_EQ(threadsIn("unsigned m = n; unsigned short t = min(m, 64u);"
                      "kernel<<<1, t>>>(out);"),
            64u);
  EXPECT_EQ(threadsIn("kernel<<<1, (long)n < 64 ? n : 64>>>(out);"), 64u);
}

// --- Where the host's code is another than the device's ---------------------

/// The largest block of all launches in \p Host; 0 when one is not known.
static unsigned largestIn(const std::string &Host, size_t Launches) {
  UnitFacts Facts = hostFacts(Host);
  EXPECT_EQ(Facts.Launches.size(), Launches);
  unsigned Largest = 0;
  for (const Launch &L : Facts.Launches) {
    EXPECT_EQ(L.KernelId, Facts.Kernels.at(0).Id);
    if (!L.Threads)
      return 0;
    Largest = std::max(Largest, *L.Threads);
  }
  return Largest;
}

TEST(HostView, HasTheLaunchesThatTheDeviceDoesNotSee) {
  EXPECT_EQ(largestIn("__host__ __device__ void run(int *out) {\n"
                      "#ifndef __CUDA_ARCH__\n  kernel<<<1, 64>>>(out);\n"
                      "#endif\n}\n"
                      "int main() { kernel<<<1, 32>>>(nullptr); }\n",
                      2),
            64u);
  EXPECT_EQ(
      largestIn("#if !defined(__CUDA_ARCH__)\n#define HOST_ONLY\n#endif\n"
                "void run(int *out) {\n"
                "#ifdef HOST_ONLY\n  kernel<<<1, 64>>>(out);\n#endif\n}\n",
                1),
      64u);
}

TEST(HostView, HasTheConstantsOfTheHost) {
  const std::string Chosen = "#ifdef __CUDA_ARCH__\nconstexpr int N = 32;\n"
                             "#else\nconstexpr int N = 64;\n#endif\n";
  EXPECT_EQ(
      largestIn(Chosen + "void run(int *out) { kernel<<<1, N>>>(out); }", 1),
      64u);
  EXPECT_EQ(largestIn(Chosen + "static void run(int *out, int t = N) {\n"
                               "  int u = 16;\n#ifndef __CUDA_ARCH__\n"
                               "  u = 96;\n#endif\n"
                               "  kernel<<<1, u>>>(out); }\n",
                      1),
            96u);
}

TEST(HostView, KeepsTheLaunchesByKernels) {
  UnitFacts Facts =
      factsOf("__global__ void k(int *) {}\n"
              "__global__ void parent(int *p) {\n"
              "#ifdef __CUDA_ARCH__\n  k<<<1, 96>>>(p);\n#endif\n"
              "}\n",
              [](llvm::StringRef) { return true; }, {"-fgpu-rdc"});
  ASSERT_EQ(Facts.Launches.size(), 1u);
  EXPECT_TRUE(Facts.Launches[0].OnDevice);
  EXPECT_EQ(Facts.Launches[0].Threads, 96u);
}

TEST(HostView, NotSeenMeansThatAnythingMayLaunchAKernel) {
  UnitFacts Facts = hostFacts("#ifndef __CUDA_ARCH__\n#error host\n#endif\n"
                              "void run(int *p) { kernel<<<1, 32>>>(p); }\n");
  EXPECT_TRUE(Facts.Kernels.at(0).AddressTaken);
  Facts = hostFacts("void run(int *p) { kernel<<<1, 32>>>(p); }\n");
  EXPECT_FALSE(Facts.Kernels.at(0).AddressTaken);
}

TEST(HostView, IsNotReadForAUnitAloneWithoutArrays) {
  auto LaunchesBeside = [](const std::string &Kernel) {
    size_t Launches = 0;
    llvm::Error E = parseSnippet(
        Kernel + "#ifndef __CUDA_ARCH__\n"
                 "void run(int *out) { kernel<<<1, 64>>>(out); }\n#endif\n",
        "snippet.cu", [&](ParsedUnit &Unit) {
          Launches = findAll(
                         Unit, [](llvm::StringRef) { return true; },
                         /*IsAlone=*/true)
                         .Launches.size();
        });
    EXPECT_FALSE(bool(E)) << toString(std::move(E));
    return Launches;
  };
  EXPECT_EQ(LaunchesBeside(KernelCode), 0u);
  EXPECT_EQ(
      LaunchesBeside("__global__ void kernel(int *out) {\n"
                     "  int a[4]; a[out[0]] = 1; out[1] = a[out[2]]; }\n"),
      1u);
}

// --- Arrays that the host's parse sees in another way ------------------------

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
