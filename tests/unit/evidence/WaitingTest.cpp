//===-- WaitingTest.cpp - loops that may wait for other blocks ------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Snippet.h"
#include <gtest/gtest.h>

using namespace bankstripe;
using namespace bankstripe::testing;

namespace {

// Whether a kernel with an array may wait if it does Loop.
bool waits(const std::string &Loop, const std::string &Before = "") {
  UnitEvidence E = evidenceOf(R"cu(
__device__ unsigned arrived;
)cu" + Before + R"cu(
extern "C" __global__ void k(const int *in, int *out, int *flag, int n) {
  int @a[64];
  __shared__ volatile int mine;
#pragma unroll 1
  for (int i = 0; i < 64; ++i)
    a[i] = in[i];
  int x = 0;
  )cu" + Loop + R"cu(
  out[threadIdx.x] = a[(n + x) & 63] + mine;
})cu");
  EXPECT_EQ(E.Work.count("k"), 1u) << E.Problem;
  return E.Waiting.count("k") != 0;
}

// Assembly that loads into x.
std::string load(const std::string &Operation, const std::string &Address,
                 const std::string &Asm = "asm volatile") {
  return Asm + "(\"" + Operation + " %0, [%1];\" : \"=r\"(x) : " + Address +
         "); ";
}

} // namespace

TEST(Waiting, ForWhatIsReadAnew) {
  EXPECT_TRUE(waits("while (!*(volatile int *)flag);"));
  EXPECT_TRUE(waits("while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE));"));
  EXPECT_TRUE(waits("while (atomicAdd(&arrived, 0u) < n);"));
  EXPECT_TRUE(waits("while (atomicOr(flag, 0) != n) __syncthreads();"));
  EXPECT_TRUE(waits("while (atomicExch(flag, 1) != 0);"));
  EXPECT_TRUE(waits("while (atomicCAS(flag, 0, 1) != 0);"));
  EXPECT_TRUE(waits("while (atomicSub(flag, 1) <= 0) atomicAdd(flag, 1);"));
  EXPECT_TRUE(waits("while (__nvvm_atom_sys_add_gen_i(flag, 0) < n);"));
  EXPECT_TRUE(waits("while (__nvvm_atom_sys_cas_gen_i(flag, 0, 1));"));
}

// Another one has succeeded where this one has not.
TEST(Waiting, NotForAnExchangeThatIsTriedAgain) {
  EXPECT_FALSE(waits("int old = *flag, seen; do { seen = old; old = atomicCAS("
                     "flag, seen, seen * n); } while (seen != old);"));
  EXPECT_FALSE(waits("int old = *flag; while (old < n) { int seen = old; "
                     "old = atomicCAS(flag, seen, n); if (old == seen) break; "
                     "}"));
  EXPECT_FALSE(waits(
      "int old = *flag, seen; do { seen = old; old = atomicCAS(flag, seen, "
      "__float_as_int(__int_as_float(seen) + 1)); } while (seen != old);"));
  EXPECT_FALSE(waits(
      "float value = n, old = __int_as_float(*flag), seen; do { seen = old; "
      "old = __int_as_float(atomicCAS(flag, __float_as_int(seen), "
      "__float_as_int(value))); value = fminf(value, old); } while (old != "
      "seen);"));
  EXPECT_TRUE(waits("do x = atomicCAS(flag, x, x); while (x != n);"));
  EXPECT_TRUE(waits("while (atomicCAS(flag, n, x) != n);"));
  // It waits until the upper bits are 0.
  EXPECT_TRUE(waits("int old = *flag, seen; do { seen = old & 0xffff; old = "
                    "atomicCAS(flag, seen, seen + 1); } while (seen != old);"));
  EXPECT_TRUE(waits("int old = *flag; short seen; do { seen = old; old = "
                    "atomicCAS(flag, seen, seen + 1); } while (seen != old);"));
  EXPECT_TRUE(waits("int old = *flag, seen; do { seen = old; old = atomicCAS("
                    "flag, seen, seen); } while (seen != old || old != n);"));
}

// Values alone could tell these from waits.
TEST(Waiting, ForWorkThatIsShared) {
  EXPECT_TRUE(waits("while ((x = atomicAdd(flag, 1)) < n) out[x] = x;"));
  EXPECT_TRUE(waits("for (int i = 0; i < n && !*(volatile int *)flag; ++i) "
                    "out[i] = 1;"));
}

TEST(Waiting, ByAssembly) {
  const std::string Until = "while (x != n);";
  EXPECT_TRUE(waits("do " + load("ld.acquire.gpu.u32", "\"l\"(flag)") + Until));
  EXPECT_TRUE(waits("do " + load("ld.volatile.u32", "\"l\"(flag)") + Until));
  EXPECT_TRUE(waits("do asm volatile(\"atom.or.b32 %0, [%1], 0;\" : \"=r\"(x)"
                    " : \"l\"(flag) : \"memory\");" +
                    Until));
  // nvcc's headers have volatile where Clang's have nothing.
  EXPECT_TRUE(
      waits("do " + load("ld.global.cg.s32", "\"l\"(flag)", "asm") + Until));
  EXPECT_FALSE(waits("do " + load("ld.global.nc.u32", "\"l\"(flag)") + Until));
  EXPECT_FALSE(waits("do " + load("ld.shared.u32", "\"r\"(n)") + Until));
  // As libcu++ loads from a barrier, for every kind of memory.
  EXPECT_FALSE(waits("__shared__ int own[4]; do " +
                     load("ld.acquire.cta.u32", "\"l\"(own + (n & 3))") +
                     Until));
  EXPECT_FALSE(waits("do asm volatile(\"mov.u32 %0, %%clock;\" : \"=r\"(x)); "
                     "while (x < n);"));
}

TEST(Waiting, InALoopOfAssembly) {
  auto Polls = [](const std::string &Load, const std::string &Address) {
    return waits("asm volatile(\"{.reg .pred p; .reg .u32 v; AGAIN: " + Load +
                 " v, [%0]; setp.lt.u32 p, v, %1; @p bra AGAIN;}\" :: " +
                 Address + ", \"r\"(n) : \"memory\");");
  };
  EXPECT_TRUE(Polls("ld.acquire.gpu.u32", "\"l\"(flag)"));
  EXPECT_FALSE(Polls("ld.shared.u32", "\"r\"(n)"));
}

TEST(Waiting, Asleep) {
  EXPECT_TRUE(waits("for (int i = 0; i < n; ++i) __nvvm_nanosleep(100);"));
  EXPECT_TRUE(waits("for (int i = 0; i < n; ++i) "
                    "asm volatile(\"nanosleep.u32 100;\");"));
}

TEST(Waiting, WithPlainLoadsThatAFenceKeepsInTheLoop) {
  const std::string Get =
      "__device__ __noinline__ int get(int *p) { return *p; }\n";
  EXPECT_TRUE(waits("while (*flag != n) __threadfence();"));
  EXPECT_TRUE(waits("while (*flag != n) __syncthreads();"));
  EXPECT_TRUE(waits("while (!flag[x]) { x = (x + 1) % n; __threadfence(); }"));
  EXPECT_TRUE(waits("while (get(flag) != n) __threadfence();", Get));
  EXPECT_FALSE(waits("while (get(out + x) != n) out[++x] = n;", Get));
  EXPECT_FALSE(waits("for (int i = 0; i < *flag; ++i) "
                     "out[i] = 1, __threadfence();"));
  EXPECT_FALSE(waits("float v = n; while (sinf(v) > .5f) v += .1f, "
                     "__syncthreads();"));
}

TEST(Waiting, NotForPlainLoads) {
  EXPECT_FALSE(waits("while (x < n) x = in[x];"));
  EXPECT_FALSE(waits("for (int i = 0; i < *flag; ++i) out[i] = 1;"));
  EXPECT_FALSE(waits("int low = 0, high = n; while (low < high) { "
                     "const int mid = (low + high) / 2; "
                     "(in[mid] < x ? low : high) = mid; }"));
}

TEST(Waiting, NotForMemoryOfItsOwnBlock) {
  EXPECT_FALSE(waits("while (mine != n);"));
  EXPECT_FALSE(waits("__shared__ int next; while (atomicAdd(&next, 1) < n);"));
}

TEST(Waiting, NotForWhatDecidesNothing) {
  auto Counted = [](const std::string &Body, const std::string &Before = "") {
    return waits("for (int i = 0; i < n; ++i) { " + Body + " }", Before);
  };
  EXPECT_FALSE(Counted("atomicAdd(out + in[i], 1);"));
  EXPECT_FALSE(Counted("out[atomicAdd(flag, 1)] = i;"));
  EXPECT_FALSE(Counted("if (atomicAdd(out + in[i], 1) == 0) out[i] = i;"));
  EXPECT_FALSE(Counted("x += ((volatile int *)flag)[i];"));
  EXPECT_FALSE(Counted("x += read(flag + i);", R"cu(
__device__ __noinline__ int read(volatile int *p) { return *p; })cu"));
  EXPECT_FALSE(waits("while (x < n) atomicAdd(out + x, 1), x = in[x];"));
}

TEST(Waiting, WhereOneStepDependsOnAFlag) {
  EXPECT_TRUE(waits("for (int i = 0; i < n;) if (((volatile int *)flag)[7]) "
                    "out[i++] = 1;"));
  EXPECT_TRUE(waits("for (int i = 0; i < n; ++i) "
                    "while (((volatile int *)flag)[i] == 0);"));
  EXPECT_TRUE(waits("bool all; do { all = true; for (int i = 0; i < n; ++i) "
                    "all &= ((volatile int *)flag)[i] != 0; } while (!all);"));
  EXPECT_TRUE(waits("for (;;) if (*(volatile int *)flag) { "
                    "if (in[x] == n) break; ++x; }"));
}

TEST(Waiting, ForFlagsThatItReadsInTurn) {
  EXPECT_TRUE(waits("unsigned pending = (1u << n) - 1; while (pending) { "
                    "if ((pending >> x & 1) && ((volatile int *)flag)[x * 8]) "
                    "pending &= ~(1u << x); x = (x + 1) % n; }"));
  EXPECT_TRUE(waits("unsigned there = 0; for (unsigned i = 0; there < n; ++i) "
                    "there = ((volatile int *)flag)[i % n] ? there + 1 : 0;"));
  EXPECT_TRUE(waits("struct Node { int ready; Node *next; }; int left = n; "
                    "volatile Node *p = (volatile Node *)in; while (left) { "
                    "left = p->ready ? left - 1 : n; p = p->next; }"));
  EXPECT_TRUE(waits("__shared__ volatile unsigned done; while (done != 15) { "
                    "if (((volatile int *)flag)[x]) "
                    "atomicOr((unsigned *)&done, 1u << x); "
                    "x = (x + 1) & 3; }"));
  EXPECT_TRUE(waits("while (mine) { if (((volatile int *)flag)[x * 8]) --mine; "
                    "x = (x + 1) % n; }"));
  EXPECT_TRUE(waits("while (x < n) x += ((volatile int *)flag)[x];"));
}

TEST(Waiting, WithALimit) {
  EXPECT_TRUE(waits("for (int i = 0; i < 1000000; ++i) "
                    "if (atomicAdd(&arrived, 0u) >= n) break;"));
  EXPECT_TRUE(waits("long long begin = clock64(); "
                    "while (*(volatile unsigned *)&arrived < n) { "
                    "atomicAdd(out, 1); "
                    "if (clock64() - begin > 1000000) __trap(); }"));
}

TEST(Waiting, ForWhatOneThreadReadsForItsBlock) {
  const std::string End = " __syncthreads(); } while (!x);";
  EXPECT_TRUE(waits("__shared__ bool ready; do { if (threadIdx.x == 0) ready = "
                    "*(volatile unsigned *)&arrived >= n; "
                    "__syncthreads(); x = ready;" +
                    End));
  EXPECT_TRUE(waits("__shared__ int got; do { if (threadIdx.x == 0) "
                    "atomicCAS(&got, 0, *(volatile int *)flag >= n); "
                    "__syncthreads(); x = got;" +
                    End));
  EXPECT_TRUE(waits("do { if (threadIdx.x == 0) out[n] = "
                    "((volatile int *)flag)[n]; __syncthreads(); x = out[n];" +
                    End));
}

TEST(Waiting, InACycleWithTwoEntries) {
  EXPECT_TRUE(waits("if (n > 7) goto inside; again: x += 1; inside: "
                    "if (*(volatile unsigned *)&arrived < n) goto again;"));
}

TEST(Waiting, ByRecursion) {
  auto Recurses = [](const std::string &Read) {
    return waits("x = spin(flag, n);",
                 "__device__ __noinline__ int spin(int *f, int n) {\n"
                 "  return " +
                     Read + " < n ? spin(f, n - 1) * n + n : 0; }");
  };
  EXPECT_TRUE(Recurses("*(volatile int *)f"));
  EXPECT_FALSE(Recurses("f[n]"));
}

TEST(Waiting, InAFunctionThatIsNotInlined) {
  EXPECT_TRUE(waits("barrier(n);", R"cu(
__device__ __noinline__ void barrier(int n) {
  while (atomicAdd(&arrived, 0u) < n);
})cu"));
  EXPECT_TRUE(waits("while (!isSet(flag));", R"cu(
__device__ __noinline__ bool isSet(int *flag) {
  return *(volatile int *)flag;
})cu"));
  EXPECT_FALSE(waits("while (step(out, x) < n) ++x;", R"cu(
__device__ __noinline__ int step(int *out, int x) { return out[x]; }
)cu"));
  // It only counts.
  EXPECT_FALSE(waits("float v = n; do v = halve(v); while (v > 1);", R"cu(
__device__ __noinline__ float halve(float v) {
  atomicAdd(&arrived, 1u); return v / 2; }
)cu"));
}

TEST(Waiting, InAFunctionThatIsCalledByPointer) {
  const std::string Functions = R"cu(
typedef void (*Function)(int *);
__device__ __noinline__ void spin(int *f) { while (!*(volatile int *)f) ; }
__device__ __noinline__ void nothing(int *f) { *f = 0; }
__global__ void put(Function *p) { *p = )cu";
  EXPECT_TRUE(waits("(*(Function *)in)(flag);", Functions + "spin; }"));
  EXPECT_FALSE(waits("(*(Function *)in)(flag);", Functions + "nothing; }"));
  EXPECT_TRUE(waits("(*(Sync **)in)->sync(flag);", R"cu(
struct Sync { virtual __device__ void sync(int *f) = 0; };
struct Spin : Sync {
  __device__ void sync(int *f) override { while (!*(volatile int *)f) ; }
};
__global__ void make(Sync **s) { *s = new Spin; })cu"));
}

TEST(Waiting, ForWhatACallPutsIntoMemory) {
  const std::string Poll = "__device__ __noinline__ void poll(int *f) { ";
  EXPECT_TRUE(waits("Barrier b{flag, n, false}; while (!b.open) b.poll();",
                    R"cu(
struct Barrier {
  int *counter; int goal; bool open;
  __device__ __noinline__ void poll() {
    open = *(volatile int *)counter >= goal; }
};
)cu"));
  EXPECT_TRUE(
      waits("do poll(flag); while (seen < n);",
            "__device__ int seen;\n" + Poll + "seen = *(volatile int *)f; }"));
  EXPECT_TRUE(waits("do poll(flag); while (seen < n);",
                    "__shared__ int seen;\n" + Poll +
                        "if (threadIdx.x == 0) seen = *(volatile int *)f;"
                        "__syncthreads(); }"));
  // Assembly that only computes reads nothing.
  EXPECT_FALSE(waits("double v = n; do half(v); while (v > 1);", R"cu(
__device__ __noinline__ void half(double &v) {
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(v) : "d"(v)); }
)cu"));
}

TEST(Waiting, OfKernelsWithoutArrays) {
  const GatheredUnit Unit = gather(R"cu(
__device__ unsigned arrived;
extern "C" __global__ void waiting(unsigned n) {
  while (atomicAdd(&arrived, 0u) < n);
}
__global__ void k(const int *in, int *out, int n) {
  int a[64];
#pragma unroll 1
  for (int i = 0; i < 64; ++i)
    a[i] = in[i];
  out[threadIdx.x] = a[n & 63];
})cu");
  EXPECT_EQ(Unit.Evidence.Waiting, std::set<std::string>{"waiting"});
}
