//===-- MemoryTest.cpp - the memory that code names -----------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What shared memory a kernel has with its callees, and code that is only right
// while arrays are in local memory.
//
//===----------------------------------------------------------------------===//

#include "Snippet.h"
#include <gtest/gtest.h>

using namespace bankstripe;
using namespace bankstripe::testing;

namespace {

SharedMemory kernelIn(llvm::StringRef Code, llvm::StringRef Name = "kernel") {
  // Whatever is asked, there is an array to ask it for.
  const GatheredUnit Unit =
      gather(Code.str() + "\n__global__ void any(int *p, int i) {"
                          " int a[4]; a[i] = 1; *p = a[i / 2]; }\n");
  for (const Kernel &K : Unit.Facts.Kernels)
    if (K.Name == Name)
      return Unit.Evidence.Kernels.at(K.Id);
  ADD_FAILURE() << "no kernel '" << Name.str() << "' in " << Code.str();
  return {};
}

} // namespace

// --- Shared memory ---------------------------------------------------------

TEST(SharedMemory, OfTheKernelItself) {
  EXPECT_EQ(kernelIn("__global__ void kernel(int i) {\n"
                     "  __shared__ int a[4]; __shared__ double b;\n"
                     "  if (i) { __shared__ char c[3]; c[0] = 1; }\n"
                     "  a[0] = b = 1; }")
                .StaticBytes,
            16u + 8u + 3u);
}

TEST(SharedMemory, OfAKernelWhereNoThreadHasAnArray) {
  const GatheredUnit Unit =
      gather("__global__ void kernel() { __shared__ int s[4]; s[0] = 1; }");
  EXPECT_EQ(Unit.Evidence.Kernels.at("_Z6kernelv").StaticBytes, 16u);
}

TEST(SharedMemory, OfItsCallees) {
  const char *Code =
      "__device__ void g() { __shared__ int s[4]; s[0] = 1; }\n"
      "__device__ void f() { __shared__ int s[2]; s[0] = 1; g(); }\n"
      "struct S { __device__ S() { __shared__ int s; s = 1; } };\n"
      "__global__ void kernel() { f(); g(); S s; }\n"
      "__global__ void other() {}\n";
  EXPECT_EQ(kernelIn(Code).StaticBytes, 16u + 8u + 4u);
  EXPECT_EQ(kernelIn(Code, "other").StaticBytes, 0u);
}

TEST(SharedMemory, OfFunctionsWhoseAddressIsTaken) {
  EXPECT_EQ(kernelIn("__device__ void f() { __shared__ int s[4]; s[0] = 1; }\n"
                     "__global__ void kernel() { void (*p)() = f; p(); }")
                .StaticBytes,
            16u);
}

TEST(SharedMemory, OfTheWholeFile) {
  const char *Code = "__shared__ int s[4];\n"
                     "__device__ void f() { s[0] = 1; }\n"
                     "__global__ void kernel() { s[1] = 2; f(); }\n"
                     "__global__ void other() {}\n";
  EXPECT_EQ(kernelIn(Code).StaticBytes, 16u);
  EXPECT_EQ(kernelIn(Code, "other").StaticBytes, 0u);
}

TEST(SharedMemory, OfDynamicSize) {
  EXPECT_TRUE(kernelIn("__global__ void kernel() {\n"
                       "  extern __shared__ int s[]; s[0] = 1; }")
                  .UsesDynamic);
  EXPECT_TRUE(kernelIn("extern __shared__ int s[];\n"
                       "__global__ void kernel() { s[0] = 1; }")
                  .UsesDynamic);
  EXPECT_TRUE(kernelIn("extern __shared__ int s[];\n"
                       "__device__ void f() { s[0] = 1; }\n"
                       "__global__ void kernel() { f(); }")
                  .UsesDynamic);
  EXPECT_FALSE(kernelIn("extern __shared__ int s[];\n"
                        "__global__ void kernel() {}")
                   .UsesDynamic);
  EXPECT_EQ(kernelIn("__global__ void kernel() {\n"
                     "  extern __shared__ int s[]; s[0] = 1; }")
                .StaticBytes,
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

// --- What is only right in local memory --------------------------------------

namespace {

/// Whether something that `kernel` calls is said to be about local memory.
bool namesLocalMemory(llvm::StringRef Peek, llvm::StringRef Call,
                      std::vector<std::string> Arguments = {}) {
  const GatheredUnit Unit =
      gather((Peek +
              "\n__global__ void kernel(int *out, int i) {\n"
              "  int a[4]; a[i & 3] = 1; *out = " +
              Call + " + a[*out & 3]; }\n")
                 .str(),
             std::move(Arguments));
  return llvm::any_of(
      Unit.Evidence.Arrays.at(0).Obstacles,
      [](const Obstacle &O) { return O.Why == Reason::InlineAssembly; });
}

} // namespace

TEST(LocalMemory, IsNamedByAssembly) {
  auto Assembly = [](const std::string &Code) {
    return "__device__ int peek(int *p) { int x = 0; asm(\"" + Code +
           "\" : \"=r\"(x) : \"l\"(p)); return x; }";
  };
  EXPECT_TRUE(namesLocalMemory(Assembly("ld.local.u32 %0, [%1];"), "peek(a)"));
  EXPECT_TRUE(namesLocalMemory(
      Assembly("{ .reg .pred q; isspacep.shared q, %1; selp.u32 %0,1,0,q; }"),
      "peek(a + 1)"));
  EXPECT_FALSE(
      namesLocalMemory(Assembly("ld.global.u32 %0, [%1];"), "peek(a)"));
}

TEST(LocalMemory, IsAskedAbout) {
  auto Question = [](const std::string &Value) {
    return "__device__ int peek(int *p) { return " + Value + "; }";
  };
  EXPECT_TRUE(
      namesLocalMemory(Question("__nvvm_isspacep_local(p)"), "peek(a)"));
  EXPECT_TRUE(
      namesLocalMemory(Question("__nvvm_isspacep_shared(p)"), "peek(a)"));
  EXPECT_TRUE(namesLocalMemory(Question("__nvvm_isspacep_shared_cluster(p)"),
                               "peek(a)"));
  EXPECT_FALSE(
      namesLocalMemory(Question("__nvvm_isspacep_global(p)"), "peek(a)"));
}

// As barriers ask where they lie.
TEST(LocalMemory, OfOtherAddressesIsNoMatter) {
  const std::string Peek =
      "__device__ int peek(int *p) { return __nvvm_isspacep_shared(p); }\n"
      "__device__ int sum(const int *p) { return p[0] + p[3]; }\n";
  EXPECT_FALSE(namesLocalMemory(Peek, "peek(out)"));
  EXPECT_FALSE(namesLocalMemory(Peek, "peek(out) + (a[1] = 2)"));
  // Who reads an address where it gets to is not followed.
  for (const char *Call : {"sum(a) + peek(out)", "*&*a + peek(out + (long)a)",
                           "[&] { return a[1]; }() + peek(out)",
                           "peek((int *)(unsigned long long)a)"})
    EXPECT_TRUE(namesLocalMemory(Peek, Call)) << Call;
}

// No call of the operator stands in the text.
TEST(LocalMemory, IsNamedByWhatIsCalledUnseen) {
  EXPECT_TRUE(namesLocalMemory("struct V { int *p; };\n"
                               "__device__ bool operator==(V v, V) {\n"
                               "  return __nvvm_isspacep_local(v.p); }",
                               "(V{a} != V{out})", {"-std=c++20"}));
}
