//===-- LaunchesTest.cpp - launches, and what they ask for ----------------===//
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

/// The launch by the function in \p Call, which can name `args`.
Launch calledIn(const std::string &Call) {
  return launchIn("void *args[] = {&out};\n" + Call);
}

/// The launch with the configuration `c`, which \p Body fills.
Launch configuredIn(const std::string &Body) {
  return launchIn(Body + "\ncudaLaunchKernelEx(&c, kernel, out);");
}

/// Why the blocks of that launch may have to be resident at once.
std::string whyTogether(const std::string &Body) {
  Launch L =
      configuredIn("cudaLaunchConfig_t c = {}; c.blockDim = 64;\n" + Body);
  EXPECT_EQ(L.Cooperative, !L.Unfollowed.empty());
  return L.Unfollowed;
}

/// Whether a launch has a grid that follows the answer `b` to a question, where
/// \p Grid makes it.
bool isAsked(const std::string &Grid,
             const std::string &Call = "cudaLaunchCooperativeKernel("
                                       "(void *)kernel, grid, 64, args);") {
  return calledIn("int b; cudaOccupancyMaxActiveBlocksPerMultiprocessor(&b, "
                  "kernel, 64, 0);\n" +
                  Grid + "\n" + Call)
      .GridAsked;
}

/// The questions about the occupancy of the kernel in \p Body.
std::vector<OccupancyQuery> queriesIn(const std::string &Body) {
  UnitFacts Facts = hostFacts("void look(int);\n"
                              "void run(int *out, int n) {\n"
                              "int grid, block, b; size_t s;\n" +
                              Body + "\n}\n");
  EXPECT_FALSE(Facts.Kernels.at(0).AddressTaken);
  return Facts.Queries;
}

} // namespace

// --- Dynamic shared memory -------------------------------------------------

TEST(DynamicShared, BytesThatAreKnown) {
  EXPECT_EQ(launchIn("kernel<<<1, 128>>>(out);").DynamicSharedBytes, 0u);
  EXPECT_EQ(launchIn("kernel<<<1, 128, 0>>>(out);").DynamicSharedBytes, 0u);
  EXPECT_EQ(launchIn("kernel<<<1, 128, 128 * sizeof(int)>>>(out);")
                .DynamicSharedBytes,
            512u);
  EXPECT_EQ(launchIn("size_t b = 64; if (n) b = 256;"
                     "kernel<<<1, 128, b, 0>>>(out);")
                .DynamicSharedBytes,
            256u);
}

TEST(DynamicShared, BytesThatAreNot) {
  EXPECT_FALSE(launchIn("kernel<<<1, 128, n * sizeof(int)>>>(out);")
                   .DynamicSharedBytes.has_value());
  EXPECT_FALSE(launchIn("size_t b = 64; b += n; kernel<<<1, 128, b>>>(out);")
                   .DynamicSharedBytes.has_value());
}

// --- Other ways to launch --------------------------------------------------

TEST(LaunchFunctions, CudaLaunchKernel) {
  Launch L = calledIn("cudaLaunchKernel(kernel, dim3(4), dim3(16, 8), args);");
  EXPECT_EQ(L.Threads, 128u);
  EXPECT_EQ(L.DynamicSharedBytes, 0u);
  EXPECT_FALSE(L.Cooperative);
  L = calledIn("cudaLaunchKernel((const void *)kernel, 4, n, args, n, 0);");
  EXPECT_FALSE(L.Threads.has_value());
  EXPECT_FALSE(L.DynamicSharedBytes.has_value());
  L = calledIn("cudaLaunchKernel((void *)&kernel, 4, 64, args, 256, 0);");
  EXPECT_EQ(L.Threads, 64u);
  EXPECT_EQ(L.DynamicSharedBytes, 256u);
}

TEST(LaunchFunctions, Cooperative) {
  Launch L =
      calledIn("cudaLaunchCooperativeKernel((void *)kernel, 4, 64, args);");
  EXPECT_TRUE(L.Cooperative);
  EXPECT_EQ(L.Threads, 64u);
}

TEST(LaunchFunctions, CooperativeWithAGridThatWasAskedFor) {
  EXPECT_TRUE(isAsked("int grid = b;"));
  EXPECT_TRUE(isAsked("int most = b * ask(); dim3 grid(n < most ? n : most);"));
  EXPECT_TRUE(isAsked("dim3 grid; grid.x = b * n;"));
  EXPECT_TRUE(isAsked("b *= n; int grid = b;"));
  EXPECT_TRUE(isAsked("dim3 grid(2, b > 0 ? b : 1);"));
  EXPECT_TRUE(isAsked("int grid = n; if (grid > b * 4) grid = b * 4;"));
  EXPECT_TRUE(isAsked("dim3 grid(n, 2); if (grid.x > b) { grid.x = b; }"));
  EXPECT_TRUE(isAsked("int grid = (b + b) / 2 - 1;"));
  EXPECT_TRUE(isAsked("struct H { static int min(int i, int) { return i; }\n"
                      "  static int max(int, int i) { return i; } };\n"
                      "int grid = H::max(H::min(n, b), 1);"));
  EXPECT_FALSE(isAsked("int grid = ask(); if (grid > b) return;"));
}

TEST(LaunchConfigurations, WithAGridThatWasAskedFor) {
  auto IsAsked = [](const std::string &Grid) {
    return isAsked("cudaLaunchConfig_t c = {0}; c.blockDim = 64; " + Grid,
                   "cudaLaunchKernelEx(&c, kernel, out);");
  };
  EXPECT_TRUE(IsAsked("c.gridDim = b * n;"));
  EXPECT_TRUE(IsAsked("c.gridDim.x = b * n;"));
  EXPECT_FALSE(IsAsked("c.gridDim = n;"));
  EXPECT_FALSE(IsAsked("c.gridDim = b + 8;"));
}

TEST(LaunchFunctions, CooperativeWithAGridThatDoesNotFollowTheAnswer) {
  EXPECT_FALSE(isAsked("if (b < 8) b = 8; int grid = b * n;"));
  EXPECT_FALSE(isAsked("b = 16; int grid = b * n;"));
  EXPECT_FALSE(isAsked("int grid = b > 8 ? b : 8;"));
  EXPECT_FALSE(isAsked("int grid = n * 16 + 0 * b;"));
  EXPECT_FALSE(isAsked("int grid = b + 8;"));
  EXPECT_FALSE(isAsked("int grid = b; grid += 8;"));
  EXPECT_FALSE(isAsked("int grid = b; if (grid < 8) grid = 8;"));
  EXPECT_FALSE(isAsked("int &all = b; all = 16; int grid = b;"));
  EXPECT_FALSE(isAsked("dim3 grid(b); grid.x = n;"));
  EXPECT_FALSE(isAsked("dim3 grid(n);"));
}

TEST(LaunchFunctions, CooperativeWithTheAnswerAboutAnotherKernel) {
  UnitFacts Facts = hostFacts(
      "__global__ void other(int *) {}\n"
      "void run(int *out) { void *args[] = {&out}; int b;\n"
      "cudaOccupancyMaxActiveBlocksPerMultiprocessor(&b, other, 64, 0);\n"
      "cudaLaunchCooperativeKernel(kernel, b, 64, args); }");
  ASSERT_EQ(Facts.Launches.size(), 1u);
  EXPECT_FALSE(Facts.Launches[0].GridAsked);
}

TEST(LaunchConfigurations, FilledFieldByField) {
  Launch L = configuredIn("cudaLaunchConfig_t c = {0}; c.gridDim = n;\n"
                          "c.blockDim = dim3(16, 8); c.dynamicSmemBytes = 96;");
  EXPECT_EQ(L.Threads, 128u);
  EXPECT_EQ(L.DynamicSharedBytes, 96u);
  EXPECT_FALSE(L.Cooperative);
  L = configuredIn("cudaLaunchConfig_t c{}; c.blockDim = 64;\n"
                   "if (n) c.blockDim = 96;");
  EXPECT_EQ(L.Threads, 96u);
  EXPECT_EQ(L.DynamicSharedBytes, 0u);
}

TEST(LaunchConfigurations, Initialised) {
  Launch L = configuredIn("cudaLaunchConfig_t c = {4, dim3(32, 4), 16};");
  EXPECT_EQ(L.Threads, 128u);
  EXPECT_EQ(L.DynamicSharedBytes, 16u);
  EXPECT_FALSE(L.Cooperative);
}

TEST(LaunchConfigurations, OfTheCForm) {
  Launch L = launchIn("cudaLaunchConfig_t c = {}; c.blockDim = 64;\n"
                      "void *args[] = {&out};\n"
                      "cudaLaunchKernelExC(&c, (const void *)kernel, args);");
  EXPECT_EQ(L.Threads, 64u);
}

TEST(LaunchConfigurations, WithABlockOfTheCallers) {
  UnitFacts Facts = hostFacts(
      "static void run(int *out, int n) { cudaLaunchConfig_t c = {};\n"
      "  c.blockDim = n; cudaLaunchKernelEx(&c, kernel, out); }\n"
      "void go(int *out) { run(out, 64); }");
  ASSERT_EQ(Facts.Launches.size(), 1u);
  ASSERT_TRUE(Facts.Launches[0].Parameter);
  EXPECT_EQ(Facts.Launches[0].Parameter->Index, 1u);
}

TEST(LaunchConfigurations, ThatAreNotFollowed) {
  const std::string Unseen = "its configuration is not followed";
  auto Source = [](const std::string &Body) {
    Launch L = configuredIn(Body);
    EXPECT_FALSE(L.Threads.has_value());
    EXPECT_TRUE(L.Cooperative);
    return L.Source;
  };
  EXPECT_EQ(Source("cudaLaunchConfig_t c = {}; c.blockDim = 64;\n"
                   "cudaLaunchConfig_t *p = &c; p->blockDim = 128;"),
            Unseen);
  EXPECT_EQ(Source("static cudaLaunchConfig_t c; c.blockDim = 64;"), Unseen);
  EXPECT_EQ(Source("cudaLaunchConfig_t d = {}, c = d; c.blockDim = 64;"),
            Unseen);
  EXPECT_TRUE(launchIn("struct { cudaLaunchConfig_t c; } all = {};\n"
                       "all.c.blockDim = 64; all.c.numAttrs = 1;\n"
                       "cudaLaunchKernelEx(&all.c, kernel, out);")
                  .Cooperative);
}

TEST(LaunchConfigurations, WithFieldsThatAreNotFollowed) {
  EXPECT_EQ(
      configuredIn("cudaLaunchConfig_t c = {}; c.blockDim.x = 64;").Source,
      "a member of its blockDim is assigned");
  Launch L = configuredIn("cudaLaunchConfig_t c = {}; c.blockDim = 64;\n"
                          "c.dynamicSmemBytes += n;");
  EXPECT_EQ(L.Threads, 64u);
  EXPECT_FALSE(L.DynamicSharedBytes.has_value());
}

TEST(LaunchConfigurations, WithoutAttributesAreNotCooperative) {
  EXPECT_EQ(whyTogether(""), "");
  EXPECT_EQ(whyTogether("c.numAttrs = 0;"), "");
}

TEST(LaunchConfigurations, OfKnownAttributesAreWhatTheseSay) {
  auto With = [](const std::string &Attributes, const char *Count = "1") {
    return configuredIn("cudaLaunchConfig_t c = {}; " + Attributes +
                        " c.numAttrs = " + Count + ";");
  };
  for (const char *Known :
       {"cudaLaunchAttribute a[1]; c.attrs = a;\n"
        "a[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;\n"
        "a[0].val.programmaticStreamSerializationAllowed = 1;",
        "cudaLaunchAttribute a; a.id = cudaLaunchAttributePriority;\n"
        "a.val.priority = n; c.attrs = &a;",
        "cudaLaunchAttribute a[] = {{cudaLaunchAttributeClusterDimension}};\n"
        "a[0].val.clusterDim.x = 2; c.attrs = a;",
        "cudaLaunchAttribute a[2] = {}; c.attrs = &a[0];\n"
        "a[1].id = n ? cudaLaunchAttributePriority\n"
        "            : cudaLaunchAttributeClusterDimension;",
        "c.attrs = nullptr;"}) {
    EXPECT_FALSE(With(Known).Cooperative) << Known;
    EXPECT_FALSE(With(Known, "n").Cooperative) << Known;
  }
  const Launch L = With("cudaLaunchAttribute a[1]; c.attrs = a;\n"
                        "a[0].id = cudaLaunchAttributeCooperative;\n"
                        "a[0].val.cooperative = 1;");
  EXPECT_TRUE(L.Cooperative);
  EXPECT_EQ(L.Unfollowed, "");
}

TEST(LaunchConfigurations, OfOtherAttributesMayBeCooperative) {
  for (const char *Unknown :
       {"extern cudaLaunchAttribute *a; c.attrs = a;",
        "cudaLaunchAttribute a[1]; c.attrs = a; *out = 1; fill(a);",
        "cudaLaunchAttribute a[1]; c.attrs = a;\n"
        "a[0].id = (cudaLaunchAttributeID)n;",
        "cudaLaunchAttribute a[1], *p = a; c.attrs = a; p->id = some();",
        "cudaLaunchAttribute a[1]; c.attrs = a; a[0] = other();",
        "cudaLaunchAttribute a[1] = {}; c.attrs = a;\n"
        "c.attrs[0].id = cudaLaunchAttributeCooperative;",
        "cudaLaunchAttribute a[1] = {}; c.attrs = a;\n"
        "cudaLaunchConfig_t d = c;\n"
        "d.attrs->id = cudaLaunchAttributeCooperative;",
        "static cudaLaunchAttribute a[1]; c.attrs = a;"})
    EXPECT_EQ(whyTogether(std::string("void fill(cudaLaunchAttribute *);\n"
                                      "cudaLaunchAttributeID some();\n"
                                      "cudaLaunchAttribute other();\n") +
                          Unknown + " c.numAttrs = 1;"),
              "its attributes may ask for that")
        << Unknown;
}

// --- Questions about occupancy -----------------------------------------------

TEST(OccupancyQueries, AreAboutBlocksOfASize) {
  auto Q =
      queriesIn("cudaOccupancyMaxActiveBlocksPerMultiprocessor(&b, kernel, "
                "32 * 2, 16);");
  ASSERT_EQ(Q.size(), 1u);
  EXPECT_EQ(Q[0].KernelId, "_Z6kernelPi");
  EXPECT_TRUE(Q[0].HasBlock);
  EXPECT_EQ(Q[0].Threads, 64u);
  Q = queriesIn("cudaOccupancyMaxActiveBlocksPerMultiprocessor(&b, kernel, "
                "n * 2, 16);");
  ASSERT_EQ(Q.size(), 1u);
  EXPECT_TRUE(Q[0].HasBlock);
  EXPECT_FALSE(Q[0].Threads.has_value());
}

TEST(OccupancyQueries, AboutClustersOrMemoryNameNoBlock) {
  for (const char *Query :
       {"cudaOccupancyMaxActiveClusters(&b, kernel, &c);",
        "cudaOccupancyAvailableDynamicSMemPerBlock(&s, kernel, 2, 64);"}) {
    auto Q = queriesIn(std::string("cudaLaunchConfig_t c = {};\n") + Query);
    ASSERT_EQ(Q.size(), 1u) << Query;
    EXPECT_FALSE(Q[0].HasBlock) << Query;
  }
}

TEST(OccupancyQueries, ThatSuggestABlockMatterWhenTheirGridIsUsed) {
  const std::string Ask =
      "cudaOccupancyMaxPotentialBlockSize(&grid, &block, kernel, 0, 0);\n";
  EXPECT_TRUE(queriesIn(Ask + "kernel<<<n, block>>>(out);").empty());
  EXPECT_EQ(queriesIn(Ask + "look(grid);").size(), 1u);
}

// --- Host stubs --------------------------------------------------------------

TEST(HostStubs, ArePassedByAllLaunchesWithBrackets) {
  for (const char *Call :
       {"kernel<<<1, 64>>>(out);", "(kernel)<<<n, n, n, 0>>>(out);",
        "auto go = [&](auto b) { kernel<<<1, b>>>(out); }; go(n);",
        "\n#define GO(k, n) k<<<1, n>>>(out)\nGO(kernel, 64);"})
    EXPECT_TRUE(launchIn(Call).PassesStub) << Call;
  EXPECT_TRUE(launchOf("template <class T> __global__ void kernel(T *) {}\n"
                       "template <class T> void run(T *out, int n) {\n"
                       "  kernel<<<1, n>>>(out); }\n"
                       "void go(int *out) { run(out, 64); }\n")
                  .PassesStub);
}

TEST(HostStubs, AreNotPassedByLaunchFunctions) {
  for (const char *Call :
       {"cudaLaunchKernel(kernel, 4, 64, args);",
        "cudaLaunchCooperativeKernel((void *)kernel, 4, 64, args);",
        "cudaLaunchConfig_t c = {}; cudaLaunchKernelEx(&c, kernel, out);"})
    EXPECT_FALSE(calledIn(Call).PassesStub) << Call;
}

TEST(LaunchFunctions, ThatOnlyAskDoNotTakeTheAddress) {
  UnitFacts Facts = hostFacts(
      "void run() { int b; cudaFuncAttributes f;\n"
      "  cudaFuncGetAttributes(&f, kernel);\n"
      "  cudaFuncSetCacheConfig(kernel, cudaFuncCachePreferL1);\n"
      "  cudaFuncSetAttribute(kernel,\n"
      "      cudaFuncAttributeMaxDynamicSharedMemorySize, 1024);\n"
      "  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&b, kernel, 64, 0); }");
  EXPECT_FALSE(Facts.Kernels.at(0).AddressTaken);
  EXPECT_TRUE(Facts.Launches.empty());
}

TEST(LaunchFunctions, ThatSetAttributesAreNoted) {
  UnitFacts Facts =
      hostFacts("void run() { cudaFuncSetAttribute(kernel, "
                "cudaFuncAttributeMaxDynamicSharedMemorySize, 65536); }");
  EXPECT_EQ(Facts.Kernels.at(0).AttributeSetAt.Line, 2u);
  EXPECT_FALSE(Facts.Kernels.at(0).AddressTaken);
}

TEST(LaunchFunctions, OfTheUserAreNotKnown) {
  EXPECT_TRUE(hostFacts("void cudaFuncSetUp(void (*)(int *));\n"
                        "void run() { cudaFuncSetUp(kernel); }")
                  .Kernels.at(0)
                  .AddressTaken);
  UnitFacts Facts =
      hostFacts("namespace mine { void cudaLaunchKernel(void (*)(int *), int,\n"
                "    int, int); }\n"
                "void run() { mine::cudaLaunchKernel(kernel, 1, 2, 3); }");
  EXPECT_TRUE(Facts.Launches.empty());
  EXPECT_TRUE(Facts.Kernels.at(0).AddressTaken);
}

TEST(AddressTaken, AsAnArgumentOfAnotherKernel) {
  UnitFacts Facts = hostFacts("__global__ void caller(void (*)(int *)) {}\n"
                              "void run() { cudaLaunchConfig_t c = {};\n"
                              "  cudaLaunchKernelEx(&c, caller, kernel); }");
  ASSERT_EQ(Facts.Launches.size(), 1u);
  EXPECT_TRUE(Facts.Kernels.at(0).AddressTaken);
}

TEST(AddressTaken, InAFunction) {
  UnitFacts Facts = hostFacts("void start(void (*)(int *));\n"
                              "void run() { start(kernel); }");
  ASSERT_EQ(Facts.Kernels.size(), 1u);
  EXPECT_TRUE(Facts.Kernels[0].AddressTaken);
  EXPECT_EQ(Facts.Kernels[0].AddressTakenAt.Line, 3u);
  EXPECT_TRUE(hostFacts("void run(int *out) { auto k = &kernel;\n"
                        "  k<<<1, 64>>>(out); }")
                  .Kernels.at(0)
                  .AddressTaken);
  EXPECT_TRUE(
      hostFacts("void run(int *out) { auto k = out ? kernel : nullptr;\n"
                "  k<<<1, 64>>>(out); }")
          .Kernels.at(0)
          .AddressTaken);
}

TEST(AddressTaken, OutsideFunctions) {
  EXPECT_TRUE(hostFacts("void (*table[])(int *) = {kernel};")
                  .Kernels.at(0)
                  .AddressTaken);
  EXPECT_TRUE(hostFacts("struct S { void (*k)(int *) = kernel; } s;")
                  .Kernels.at(0)
                  .AddressTaken);
  EXPECT_TRUE(hostFacts("void start(void (*k)(int *) = &kernel);")
                  .Kernels.at(0)
                  .AddressTaken);
  EXPECT_TRUE(hostFacts("struct S { void (*k)(int *); S() : k(kernel) {} };")
                  .Kernels.at(0)
                  .AddressTaken);
}

TEST(AddressTaken, AsATemplateArgument) {
  UnitFacts Facts =
      hostFacts("template <void (*K)(int *)> void run(int *out) {\n"
                "  K<<<1, 64>>>(out); }\n"
                "void go(int *out) { run<kernel>(out); }");
  EXPECT_TRUE(Facts.Kernels.at(0).AddressTaken);
}

TEST(AddressTaken, ByAGenericLambdasArgument) {
  EXPECT_TRUE(hostFacts("void run(int *out) {\n"
                        "  auto go = [=](auto k) { k<<<1, 64>>>(out); };\n"
                        "  go(kernel); }")
                  .Kernels.at(0)
                  .AddressTaken);
}

TEST(AddressTaken, NotByALaunch) {
  UnitFacts Facts = hostFacts("void run(int *out) {\n"
                              "  kernel<<<1, 64>>>(out);\n"
                              "  (kernel)<<<1, 64>>>(out); }");
  EXPECT_FALSE(Facts.Kernels.at(0).AddressTaken);
  EXPECT_EQ(Facts.Launches.size(), 2u);
}

// Only with relocatable device code.
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

TEST(Launches, MayHaveAnotherStream) {
  auto HasStream = [](const std::string &Before, const std::string &Launch) {
    return hostFacts(Before + "\nvoid run(int *out, cudaStream_t s) { " +
                     Launch + " }")
        .Launches.at(0)
        .HasStream;
  };
  const std::string Plain = "kernel<<<1, 64>>>(out);";
  EXPECT_FALSE(HasStream("", Plain));
  EXPECT_TRUE(HasStream("", "kernel<<<1, 64, 0, s>>>(out);"));
  EXPECT_TRUE(HasStream("#define CUDA_API_PER_THREAD_DEFAULT_STREAM 1", Plain));
  // What depends on the lambda's parameter is not read.
  EXPECT_TRUE(HasStream("", "auto f = [&](auto n) { kernel<<<1, n>>>(out); }; "
                            "f(64);"));
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
