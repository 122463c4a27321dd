//===-- LaunchEditsTest.cpp - launches that bring the storage ------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Planned.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace bankstripe;
using namespace bankstripe::testing;
using llvm::StringRef;
using ::testing::HasSubstr;

namespace {

constexpr StringRef Code = "__global__ void k() { int a[4]; a[i] = 1; }\n"
                           "void run() { k<<<1, n>>>(); }\n";

TextRange rangeOf(StringRef Text, StringRef In = Code) {
  return {CodePath.str(), unsigned(In.find(Text)), unsigned(Text.size())};
}

// A plan in which the launch asks for what M needs.
Plan dynamicPlan(Moving M, StringRef In = Code) {
  Plan P = planFor(In, {std::move(M)});
  Verdict &V = P.Arrays[0].Verdict;
  V.Storage.Dynamic = true;
  V.Storage.WarpOffset = 512;
  V.Storage.BytesPerWarp = 512;
  V.Storage.WarpBytes = 1024;
  KernelPlan &K = P.Kernels[0];
  K.WarpBytes = 1024;
  K.Facts.Text.Name = "k";
  const size_t End = In.find("}\n") + 1;
  K.Facts.Text.Definition = {CodePath.str(), 0, unsigned(End)};
  PlannedLaunch L;
  L.Text.Kernel = "k";
  L.Text.Block = "n";
  const TextRange Block = rangeOf("n>>>", In);
  L.Text.Replaced = {CodePath.str(), Block.Offset + 1, 0};
  P.Launches.push_back(std::move(L));
  return P;
}

// What becomes of a launch in the form of Call, of which Part is replaced.
std::string carriedOutFor(const std::string &Call, StringRef Part,
                          llvm::function_ref<void(LaunchText &)> Change) {
  const std::string Text = "__global__ void k() { int a[4]; a[i] = 1; }\n"
                           "void run() { k<<<1, n>>>(); " +
                           Call + " }\n";
  Plan P = dynamicPlan({"a", {4}}, Text);
  P.Launches[0].Text.Replaced = rangeOf(Part, Text);
  Change(P.Launches[0].Text);
  return carriedOut(P);
}

} // namespace

TEST(DynamicStorage, OfAStripe) {
  EXPECT_EQ(carriedOut(dynamicPlan({"a", {4}})),
            "#include \"bankstripe.cuh\"\n"
            "\n"
            "__global__ void k() { auto a_stripes = "
            "::bankstripe::dynamic_stripe<int[4], 512, 1024, 1024>(); auto a = "
            "::bankstripe::begin(a_stripes); a[i] = 1; }\n"
            "\n"
            "// What a launch asks for that needs `own` bytes of dynamic "
            "shared memory itself.\n"
            "static inline size_t k_shared_bytes(dim3 block, size_t own) {\n"
            "  return ::bankstripe::shared_bytes<1024>(block, own);\n"
            "}\n"
            "\n"
            "void run() { k<<<1, n, k_shared_bytes(n, 0)>>>(); }\n");
}

TEST(DynamicStorage, OfASlot) {
  EXPECT_THAT(carriedOut(dynamicPlan(slot("a", {4}))),
              HasSubstr("auto &a_slots = ::bankstripe::dynamic_slots<int[4], "
                        "512, 1024, 1024>();\n"
                        "int (&a)[4] = a_slots.mine(); a[i] = 1;"));
}

TEST(DynamicStorage, OfPackedElements) {
  Moving M = {"a", {4}};
  M.Form = StripeForm::Packed;
  EXPECT_THAT(
      carriedOut(dynamicPlan(M)),
      HasSubstr("::bankstripe::dynamic_stripe<::bankstripe::packed<int>["
                "::bankstripe::packed_words<int>(4)], 512, 1024, 1024>()"));
}

TEST(DynamicStorage, BehindMemoryOfTheKernelsOwn) {
  Plan P = dynamicPlan(slot("a", {4}));
  P.Arrays[0].Verdict.Storage.Behind = true;
  EXPECT_THAT(carriedOut(P), HasSubstr("dynamic_slots<int[4], 512, 1024, 1024, "
                                       "::bankstripe::behind>()"));
  P.Arrays[0].Array.Instances[0].SlotAlignment = 16;
  EXPECT_THAT(carriedOut(P), HasSubstr(", ::bankstripe::behind, 16>()"));
  P.Arrays[0].Verdict.Storage.Behind = false;
  EXPECT_THAT(carriedOut(P), HasSubstr("512, 1024, 1024, false, 16>()"));
}

TEST(DynamicLaunches, ReplaceWhatWasAskedFor) {
  auto AskFor = [](LaunchText &T) { T.Shared = "16"; };
  EXPECT_THAT(carriedOutFor("m(16);", "16", AskFor),
              HasSubstr("m(k_shared_bytes(n, 16));"));
}

TEST(DynamicLaunches, WithAConfigurationGetACopyOfIt) {
  auto Configure = [](LaunchText &T) { T.Configuration = "&c"; };
  EXPECT_THAT(carriedOutFor("m(&c, k);", "&c", Configure),
              HasSubstr("m(::bankstripe::configured(&c, k_shared_bytes), k);"));
}

TEST(DynamicLaunches, OfMoreThanALaunchGetsUnasked) {
  Plan P = dynamicPlan({"a", {4}});
  P.Kernels[0].OptIn = true;
  EXPECT_THAT(carriedOut(P),
              HasSubstr("  static ::bankstripe::allowance allowed;\n"
                        "  return ::bankstripe::shared_bytes<1024>(allowed, "
                        "(const void *)k, block, own);\n"));
}

TEST(Carveouts, OfWhatTheGridNeeds) {
  Plan P = dynamicPlan({"a", {4}});
  P.Kernels[0].Carved = {Carveout::Rule::Auto, 0};
  P.Launches[0].Text.Grid = "1";
  EXPECT_THAT(
      carriedOut(P),
      HasSubstr(
          "k_shared_bytes(dim3 grid, dim3 block, size_t own) {\n"
          "  static ::bankstripe::carveout carved;\n"
          "  const size_t bytes = ::bankstripe::shared_bytes<1024>(block, "
          "own);\n"
          "  carved.fit((const void *)k, grid, block, bytes);\n"
          "  return bytes;\n}\n"));
  EXPECT_THAT(carriedOut(P), HasSubstr("k<<<1, n, k_shared_bytes(1, n, 0)>>>"));
  P.Launches[0].Text.Grid = "";
  EXPECT_THAT(carriedOut(P), HasSubstr("k<<<1, n, k_shared_bytes(0, n, 0)>>>"));
}

TEST(Carveouts, ThatWereDecided) {
  Plan P = dynamicPlan({"a", {4}});
  P.Kernels[0].Carved = {Carveout::Rule::Fixed, 30};
  P.Kernels[0].OptIn = true;
  EXPECT_THAT(carriedOut(P),
              HasSubstr("k_shared_bytes(dim3 block, size_t own) {\n"
                        "  static ::bankstripe::allowance allowed;\n"
                        "  static ::bankstripe::carveout carved;\n"));
  EXPECT_THAT(carriedOut(P), HasSubstr("  carved.set((const void *)k, 30);\n"));
}

TEST(Carveouts, OfKernelsWithStaticStorage) {
  Plan P = dynamicPlan({"a", {4}});
  P.Arrays[0].Verdict.Storage.Dynamic = false;
  P.Kernels[0].WarpBytes = 0;
  P.Kernels[0].Carved = {Carveout::Rule::Fixed, 30};
  EXPECT_THAT(carriedOut(P), HasSubstr("  const size_t bytes = own;\n"));
  EXPECT_THAT(carriedOut(P), HasSubstr("k<<<1, n, k_shared_bytes(n, 0)>>>"));
}

// They share one function.
TEST(Carveouts, OfInstancesThatDiffer) {
  Plan P = dynamicPlan({"a", {4}});
  P.Kernels[0].Carved = {Carveout::Rule::Auto, 0};
  P.Kernels.push_back(P.Kernels[0]);
  P.Kernels[1].Carved = Carveout();
  EXPECT_EQ(carriedOut(P).find("carved"), std::string::npos);
}

TEST(DynamicLaunches, OfATemplateNameTheInstanceWhereItMatters) {
  Plan P = dynamicPlan({"a", {4}});
  KernelText &Text = P.Kernels[0].Facts.Text;
  Text.TemplateHead = "template <class T>";
  Text.TemplateArguments = "<T>";
  P.Launches[0].Text.Arguments = "<int>";
  EXPECT_THAT(carriedOut(P), HasSubstr(", k_shared_bytes(n, 0)>>>"));
  P.Kernels[0].OptIn = true;
  const std::string Result = carriedOut(P);
  EXPECT_THAT(Result, HasSubstr("template <class T>\nstatic inline size_t k_"));
  EXPECT_THAT(Result, HasSubstr("(const void *)k<T>, block, own)"));
  EXPECT_THAT(Result, HasSubstr(", k_shared_bytes<int>(n, 0)>>>"));
}

TEST(DynamicLaunches, DeclareTheFunctionWhereTheKernelIs) {
  constexpr StringRef Declared =
      "__global__ void k();\n  __global__ void k() { int a[4]; a[i] = 1; }\n"
      "void run() { k<<<1, n>>>(); }\n";
  Plan P = dynamicPlan({"a", {4}}, Declared);
  KernelText &Text = P.Kernels[0].Facts.Text;
  Text.Declarations = {{CodePath.str(), 0, 0}};
  std::string Result = carriedOut(P);
  EXPECT_THAT(Result, HasSubstr("size_t k_shared_bytes(dim3 block, size_t "
                                "own);\n__global__ void k();"));
  EXPECT_THAT(Result, HasSubstr("\nsize_t k_shared_bytes(dim3 block, size_t "
                                "own) {"));
  Text.Internal = true;
  Result = carriedOut(P);
  EXPECT_THAT(Result, HasSubstr("static inline size_t k_shared_bytes(dim3 "
                                "block, size_t own);\n"));
}

// --- Versions beside their kernels ------------------------------------------

namespace {

// A plan in which the launch runs a version that stands beside the kernel.
Plan redirectedPlan(StringRef In) {
  Plan P = planFor(In, {{"a", {4}}});
  KernelPlan &K = P.Kernels[0];
  K.Redirected = true;
  K.Facts.Text.Name = "k";
  K.Facts.Text.Definition = {CodePath.str(), 0, unsigned(In.find("}\n") + 1)};
  K.Facts.Text.Specifiers = {CodePath.str(), 0, 0};
  K.Facts.Text.Linkage = "static";
  K.Facts.BoundsInsertion = {CodePath.str(), unsigned(In.find("k()")), 0};
  PlannedLaunch L;
  L.Text.Name = {CodePath.str(), unsigned(In.find("k<<<")), 1};
  P.Launches.push_back(std::move(L));
  return P;
}

} // namespace

TEST(Redirected, LaunchesRunTheVersionBehindTheKernel) {
  EXPECT_EQ(carriedOut(redirectedPlan(Code)),
            "#include \"bankstripe.cuh\"\n"
            "\n"
            "__global__ void k() { int a[4]; a[i] = 1; }\n"
            "\n"
            "// The same for the launches in this file, with arrays in shared "
            "memory.\n"
            "static __global__ void k_striped() { __shared__ int "
            "a_stripes[::bankstripe::warps(128)][4][32]; auto a = "
            "::bankstripe::begin(a_stripes); a[i] = 1; }\n"
            "\n"
            "void run() { k_striped<<<1, n>>>(); }\n");
}

TEST(Redirected, LinesAreCountedAsInTheOriginal) {
  EXPECT_EQ(carriedOut(redirectedPlan("__global__ void k() {\n"
                                      "  int a[4] = {};\n"
                                      "  a[i] = __LINE__;\n"
                                      "}\n"
                                      "void run() { k<<<1, n>>>(); }\n")),
            "#include \"bankstripe.cuh\"\n"
            "\n"
            "#line 1\n"
            "__global__ void k() {\n"
            "  int a[4] = {};\n"
            "  a[i] = __LINE__;\n"
            "}\n"
            "\n"
            "// The same for the launches in this file, with arrays in shared "
            "memory.\n"
            "#line 1\n"
            "static __global__ void k_striped() {\n"
            "  __shared__ int a_stripes[::bankstripe::warps(128)][4][32];\n"
            "  auto a = ::bankstripe::begin(a_stripes);\n"
            "  ::bankstripe::clear(a_stripes);\n"
            "#line 3\n"
            "  a[i] = __LINE__;\n"
            "}\n"
            "\n"
            "#line 5\n"
            "void run() { k_striped<<<1, n>>>(); }\n");
}

// --- Launches that choose ----------------------------------------------------

// The kernel and a launch `k<<<1, 64>>>()`, which chooses.
static Plan choosingPlan(StringRef In) {
  Plan P = planFor(In, {{"a", {4}}});
  KernelPlan &K = P.Kernels[0];
  K.Redirected = K.Chooses = true;
  K.Facts.Text.Name = "k";
  const size_t End = In.find("}\n") + 1;
  K.Facts.Text.Definition = {CodePath.str(), 0, unsigned(End)};
  K.Facts.Text.Specifiers = rangeOf("__global__", In);
  K.Facts.Text.Specifiers.Length = 0;
  K.Facts.Text.Linkage = "static";
  K.Facts.BoundsInsertion = rangeOf("k()", In);
  PlannedLaunch L;
  L.Text.Kernel = "k";
  L.Text.Block = "64";
  L.Text.Name =
      L.Text.Choice.Callee = {CodePath.str(), unsigned(In.find("k<<<")), 1};
  L.Text.Choice.Grid = "1";
  L.Text.Choice.Stream = "0";
  L.Text.Replaced = {CodePath.str(), rangeOf(">>>", In).Offset, 0};
  P.Launches.push_back(std::move(L));
  return P;
}

constexpr StringRef Choosing = "__global__ void k() { int a[4]; a[i] = 1; }\n"
                               "void run() { k<<<1, 64>>>(); }\n";

TEST(LaunchEdits, ChooseBetweenTheKernelAndItsVersion) {
  const std::string After = carriedOut(choosingPlan(Choosing));
  EXPECT_THAT(After, HasSubstr("#include \"bankstripe.cuh\"\n"
                               "#include \"bankstripe_choose.cuh\"\n"));
  EXPECT_THAT(After,
              HasSubstr("__global__ void k() { int a[4]; a[i] = 1; }\n"));
  EXPECT_THAT(After, HasSubstr("static __global__ void k_striped() {"));
  EXPECT_THAT(
      After,
      HasSubstr("::bankstripe::chosen<decltype(k), k, k_striped>()<<<1, 64, "
                "::bankstripe::choose<decltype(k), k, k_striped>(true, 1, 64, "
                "0, 0)>>>();"));
}

TEST(LaunchEdits, ChooseWithoutThreeBracketsInARow) {
  Plan P = choosingPlan(Choosing);
  P.Launches[0].Text.Arguments = "<List<int>>";
  const std::string After = carriedOut(P);
  EXPECT_THAT(After, HasSubstr("k_striped<List<int>> >(true, 1, 64, 0, 0)>>>"));
  EXPECT_THAT(After, HasSubstr("k_striped<List<int>> >()<<<"));
}

TEST(LaunchEdits, ChooseTheKernelWhereALossIsExpected) {
  Plan P = choosingPlan(Choosing);
  P.Kernels[0].Predicted.emplace().Speedup = 0.9;
  EXPECT_THAT(carriedOut(P), HasSubstr("k_striped>(false, 1, 64, 0, 0)>>>"));
}

TEST(LaunchEdits, ChooseWithTheStorageOfTheVersion) {
  Plan P = choosingPlan(Choosing);
  P.Kernels[0].WarpBytes = 1024;
  P.Launches[0].Text.Choice.Stream = "stream";
  const std::string After = carriedOut(P);
  EXPECT_THAT(After, HasSubstr("size_t k_striped_shared_bytes(dim3 block, "
                               "size_t own) {"));
  EXPECT_THAT(After, HasSubstr("(true, 1, 64, 0, stream, "
                               "k_striped_shared_bytes)>>>();"));
}

TEST(LaunchEdits, ChooseWithThePartOfTheHelperInTheFile) {
  const std::string After =
      carriedOut(choosingPlan(Choosing), /*EmbedHelper=*/true);
  EXPECT_EQ(After.find("#include \"bankstripe"), std::string::npos);
  EXPECT_THAT(After, HasSubstr("struct comparison {"));
}
