//===-- LaunchesTest.cpp - what the text tells of launches ----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FindTester.h"
#include <gtest/gtest.h>

using namespace bankstripe;
using namespace bankstripe::testing;

namespace {

/// The block size of the launch in \p Body; 0 when it is not known.
unsigned threadsIn(const std::string &Body) {
  const Launch L = launchIn(Body);
  EXPECT_TRUE(L.Threads || !L.IsFixed);
  return L.Threads.value_or(0);
}

/// Whether the launch in \p Body has a block of 128 threads in all builds.
bool isFixedIn(const std::string &Body) {
  const Launch L = launchIn(Body);
  EXPECT_EQ(L.Threads, 128u) << L.Source;
  return L.IsFixed;
}

/// Whether the launch of blocks of \p Block below \p Before has one of 128
/// threads in all builds; an #endif follows.
bool isFixedBelow(const std::string &Before,
                  const std::string &Block = "THREADS") {
  const UnitFacts Facts =
      hostFacts(Before + "\nvoid run(int *out) { kernel<<<1, " + Block +
                ">>>(out); }\n#endif");
  EXPECT_EQ(Facts.Launches.at(0).Threads, 128u);
  return Facts.Launches.at(0).IsFixed;
}

} // namespace

// --- Blocks ------------------------------------------------------------------

TEST(Blocks, AreLiterals) {
  EXPECT_TRUE(isFixedIn("kernel<<<1, 128>>>(out);"));
  EXPECT_TRUE(isFixedIn("kernel<<<dim3(4), dim3(128)>>>(out);"));
  EXPECT_TRUE(isFixedIn("kernel<<<n, dim3(16, 8)>>>(out);"));
  EXPECT_EQ(launchIn("kernel<<<1, 128>>>(out);").Source, "literal");
}

TEST(Blocks, AreMacrosAndConstants) {
  EXPECT_TRUE(isFixedIn("\n#define THREADS 128\nkernel<<<1, THREADS>>>(out);"));
  EXPECT_TRUE(isFixedIn("constexpr int T = 64; kernel<<<1, 2 * T>>>(out);"));
  EXPECT_TRUE(isFixedIn("const int T = 128; kernel<<<1, T>>>(out);"));
  EXPECT_TRUE(isFixedIn("enum { T = 128 }; kernel<<<1, T>>>(out);"));
  EXPECT_TRUE(isFixedIn("kernel<<<1, sizeof(int) * 32>>>(out);"));
  EXPECT_TRUE(isFixedBelow("const int T = 128;\n#if 1", "T"));
}

TEST(Blocks, AreVariablesThatNothingChanges) {
  EXPECT_TRUE(isFixedIn("int t = 128; kernel<<<(n + t - 1) / t, t>>>(out);"));
  EXPECT_TRUE(isFixedIn("dim3 b(16, 8); kernel<<<1, b>>>(out);"));
  EXPECT_TRUE(isFixedIn("dim3 b = 128; dim3 c = b; kernel<<<1, c>>>(out);"));
  EXPECT_TRUE(isFixedIn("int t = 128; dim3 b(t); kernel<<<1, b>>>(out);"));
  EXPECT_TRUE(isFixedIn("int t = 128; auto run = [=] {"
                        "  kernel<<<1, t>>>(out); }; run();"));
  EXPECT_EQ(launchIn("int t = 128; kernel<<<1, t>>>(out);").Source,
            "variable 't'");
}

TEST(Blocks, OfVariablesThatChangeAreUnknown) {
  for (const char *Change :
       {"if (n) t = 256;", "change(t);", "int &u = t; u = n;", "++t;",
        "int *p = &t; *p = n;", "auto f = [&] { t = n; }; f();"})
    EXPECT_EQ(threadsIn("int t = 128; " + std::string(Change) +
                        " kernel<<<1, t>>>(out);"),
              0u)
        << Change;
  EXPECT_EQ(threadsIn("dim3 b(16, 8); b.x = n; kernel<<<1, b>>>(out);"), 0u);
  EXPECT_EQ(threadsIn("volatile int t = 128; kernel<<<1, t>>>(out);"), 0u);
  EXPECT_EQ(threadsIn("static int t = 128; kernel<<<1, t>>>(out);"), 0u);
}

TEST(Blocks, OfInputAreUnknown) {
  EXPECT_EQ(threadsIn("kernel<<<1, n>>>(out);"), 0u);
  EXPECT_EQ(threadsIn("int t = n * 2; kernel<<<1, t>>>(out);"), 0u);
  EXPECT_EQ(threadsIn("kernel<<<1, n ? 64 : 128>>>(out);"), 0u);
  EXPECT_EQ(threadsIn("kernel<<<1, dim3(16, n)>>>(out);"), 0u);
  EXPECT_EQ(launchIn("kernel<<<1, n>>>(out);").Source,
            "variable 'n' is not a constant");
}

TEST(Blocks, OutsideOneToAThousandAreUnknown) {
  for (const char *Block : {"0", "-1", "1025", "dim3(32, 64)", "dim3(1024, 0)"})
    EXPECT_EQ(threadsIn("kernel<<<1, " + std::string(Block) + ">>>(out);"), 0u)
        << Block;
}

TEST(Blocks, OfTemplatesAreKnownAndNotFixed) {
  const UnitFacts Facts = hostFacts("template <int N> void run(int *out) {"
                                    " kernel<<<1, N>>>(out); }\n"
                                    "void go(int *out) { run<128>(out); }");
  EXPECT_EQ(Facts.Launches.at(0).Threads, 128u);
  EXPECT_FALSE(Facts.Launches.at(0).IsFixed);
}

TEST(Blocks, OfGenericLambdasAreUnknown) {
  EXPECT_EQ(threadsIn("auto f = [&](auto t) { kernel<<<1, t>>>(out); };"), 0u);
}

// --- Blocks that are the same in all builds ----------------------------------

TEST(FixedBlocks, AreNotWhatAnotherBuildMayDefineOtherwise) {
  const std::string Mine = "#ifndef THREADS\n#define THREADS 128\n#endif\n";
  EXPECT_FALSE(isFixedBelow(Mine + "#if 1"));
  EXPECT_FALSE(isFixedBelow(Mine + "const int T = THREADS;\n#if 1", "T"));
  EXPECT_FALSE(isFixedBelow(Mine + "#define T (THREADS)\n#if 1", "T"));
  EXPECT_FALSE(isFixedBelow("#ifdef BIG\nconst int T = 512;\n#else\n"
                            "const int T = 128;\n#endif\n#if 1",
                            "T"));
}

TEST(FixedBlocks, MayStandInTheConditionOfTheirLaunch) {
  EXPECT_TRUE(isFixedBelow("#if 1\n#define THREADS 128"));
}

TEST(FixedBlocks, MayStandInAHeader) {
  EXPECT_TRUE(isFixedBelow("#ifndef HEADER_H\n#define HEADER_H\n"
                           "#define THREADS 128\n#endif\n#if 1"));
}

// Clang and nvcc may answer in different ways.
TEST(FixedBlocks, AreMadeOfNumbersAlone) {
  EXPECT_FALSE(isFixedIn("struct S { int a[32]; };"
                         "kernel<<<1, sizeof(S)>>>(out);"));
  EXPECT_FALSE(isFixedIn("kernel<<<1, sizeof(long double) == 8 ? 128 : 128"
                         ">>>(out);"));
  EXPECT_FALSE(isFixedBelow("constexpr int t() { return 128; }\n#if 1", "t()"));
}

// --- Dynamic shared memory ---------------------------------------------------

TEST(DynamicShared, BytesThatAreKnown) {
  EXPECT_EQ(launchIn("kernel<<<1, 128>>>(out);").DynamicSharedBytes, 0u);
  EXPECT_EQ(launchIn("kernel<<<1, 128, 0>>>(out);").DynamicSharedBytes, 0u);
  EXPECT_EQ(launchIn("kernel<<<1, 128, 128 * sizeof(int)>>>(out);")
                .DynamicSharedBytes,
            512u);
  EXPECT_EQ(launchIn("size_t b = 64; kernel<<<1, 128, b, 0>>>(out);")
                .DynamicSharedBytes,
            64u);
}

TEST(DynamicShared, BytesThatAreNot) {
  EXPECT_FALSE(launchIn("kernel<<<1, 128, n * sizeof(int)>>>(out);")
                   .DynamicSharedBytes.has_value());
  EXPECT_FALSE(launchIn("size_t b = 64; b += n; kernel<<<1, 128, b>>>(out);")
                   .DynamicSharedBytes.has_value());
}

// --- Launches ----------------------------------------------------------------

TEST(Launches, ByAKernel) {
  UnitFacts Facts =
      factsOf(KernelCode + "__global__ void parent(int *out) {\n"
                           "  kernel<<<1, 64, 16>>>(out); }",
              [](llvm::StringRef) { return true; }, {"-fgpu-rdc"});
  ASSERT_EQ(Facts.Launches.size(), 1u);
  EXPECT_TRUE(Facts.Launches[0].OnDevice);
  EXPECT_EQ(Facts.Launches[0].Threads, 64u);
  EXPECT_EQ(Facts.Launches[0].DynamicSharedBytes, 16u);
}

TEST(Launches, InTheArgumentOfAMacro) {
  UnitFacts Facts = hostFacts("#define CHECK(x) do { x; } while (0)\n"
                              "void run(int *out) {\n"
                              "  CHECK((kernel<<<1, 64>>>(out))); }");
  ASSERT_EQ(Facts.Launches.size(), 1u);
  EXPECT_EQ(Facts.Launches[0].Threads, 64u);
}

TEST(Launches, HavePlaces) {
  Launch L = launchIn("kernel<<<1,\n    64>>>(out);");
  EXPECT_EQ(L.Where, (Place{SnippetFile.str(), 4, 1}));
}

// Those that the text is searched for.
TEST(Launches, HaveThePlaceOfTheNameBehindQualifiers) {
  Launch L = launchIn("::kernel<<<1, 64>>>(out);");
  EXPECT_EQ(L.Where, (Place{SnippetFile.str(), 4, 3}));
}
