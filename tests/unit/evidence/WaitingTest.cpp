//===-- WaitingTest.cpp - loops that wait for other blocks ----------------===//
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

// Whether a kernel with an array waits if it does Loop.
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
  return E.Waits.Waiting.count("k") != 0;
}

} // namespace

TEST(Waiting, ForWhatIsReadAnew) {
  EXPECT_TRUE(waits("while (!*(volatile int *)flag);"));
  EXPECT_TRUE(waits("while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE));"));
  EXPECT_TRUE(waits("while (atomicAdd(&arrived, 0u) < n);"));
  EXPECT_TRUE(waits("while (atomicOr(flag, 0) != n) __syncthreads();"));
  EXPECT_TRUE(waits("do x = *(volatile int *)(flag + n); while (x != n);"));
}

// For which Clang has intrinsics.
TEST(Waiting, ByAtomicsOfTheSystem) {
  EXPECT_TRUE(
      waits("while (__nvvm_atom_sys_add_gen_i((int *)&arrived, 0) < n);"));
  EXPECT_TRUE(waits("while (__nvvm_atom_sys_cas_gen_i(flag, 0, 1));"));
  EXPECT_FALSE(waits("while ((x = __nvvm_atom_sys_add_gen_i(flag, 1)) < n) "
                     "out[x] = x;"));
  EXPECT_TRUE(waits("while (__nvvm_atom_sys_add_gen_i(flag, 1)) "
                    "__nvvm_atom_sys_add_gen_i(flag, -1);"));
  EXPECT_FALSE(waits("int old = *flag, seen; while ((seen = "
                     "__nvvm_atom_sys_cas_gen_i(flag, old, old + n)) != old) "
                     "old = seen;"));
}

TEST(Waiting, ByAssembly) {
  EXPECT_TRUE(
      waits("do asm volatile(\"ld.acquire.gpu.u32 %0, [%1];\" : \"=r\"(x)"
            " : \"l\"(flag) : \"memory\"); while (x != n);"));
  EXPECT_TRUE(waits("do asm volatile(\"atom.or.b32 %0, [%1], 0;\" : \"=r\"(x)"
                    " : \"l\"(flag) : \"memory\"); while (x != n);"));
  // The clock, and shared memory.
  EXPECT_FALSE(waits("do asm volatile(\"mov.u32 %0, %%clock;\" : \"=r\"(x)); "
                     "while (x < n);"));
  EXPECT_FALSE(waits("do asm volatile(\"ld.shared.u32 %0, [%1];\" : \"=r\"(x)"
                     " : \"r\"(n) : \"memory\"); while (x != n);"));
  // As libcu++ loads from a barrier, for every kind of memory.
  auto At = [](const std::string &Address) {
    return waits("do asm volatile(\"ld.acquire.cta.u32 %0, [%1];\" : \"=r\"(x)"
                 " : \"l\"(" +
                     Address + ") : \"memory\"); while (x != n);",
                 "__shared__ int own[4]; __device__ int all[4];");
  };
  EXPECT_FALSE(At("own + (n & 3)"));
  EXPECT_FALSE(At("(unsigned long long)(own + (n & 3))"));
  EXPECT_TRUE(At("all + (n & 3)"));
  EXPECT_TRUE(At("(unsigned long long)(n < 7 ? own : all)"));
}

TEST(Waiting, WithPlainLoadsThatAFenceKeepsInTheLoop) {
  EXPECT_TRUE(waits("while (*flag != n) __threadfence();"));
  EXPECT_TRUE(waits("while (*flag != n) __syncthreads();"));
}

TEST(Waiting, ForALock) {
  EXPECT_TRUE(waits("while (atomicCAS(flag, 0, 1) != 0);"));
  EXPECT_TRUE(waits("while (atomicExch(flag, 1) != 0);"));
}

TEST(Waiting, ForAllOfSeveralFlags) {
  EXPECT_TRUE(waits("bool all; do { all = true; for (int i = 0; i < n; ++i) "
                    "all &= ((volatile int *)flag)[i] != 0; } while (!all);"));
}

TEST(Waiting, WhereOneStepDependsOnAFlag) {
  EXPECT_TRUE(waits("for (int i = 0; i < n;) if (((volatile int *)flag)[7]) "
                    "out[i++] = 1;"));
  EXPECT_TRUE(waits("for (int i = 0; i < n;) if (((volatile int *)flag)[i]) "
                    "++i;"));
  EXPECT_TRUE(waits("for (int i = 0; i < n; ++i) "
                    "while (((volatile int *)flag)[i] == 0);"));
}

TEST(Waiting, WhereAWayOutOnlyTraps) {
  EXPECT_TRUE(waits("long long begin = clock64(); "
                    "while (*(volatile unsigned *)&arrived < n) "
                    "if (clock64() - begin > 1000000) __trap();"));
  // It works, so all ways out count but that one.
  EXPECT_TRUE(waits("long long begin = clock64(); "
                    "while (*(volatile unsigned *)&arrived < n) { "
                    "atomicAdd(out, 1); "
                    "if (clock64() - begin > 1000000) __trap(); }"));
  EXPECT_FALSE(waits("for (int i = 0; i < n; ++i) "
                     "if (*(volatile int *)flag) __trap();"));
}

TEST(Waiting, ForALimitOfTries) {
  EXPECT_TRUE(waits("for (int i = 0; i < 1000000; ++i) "
                    "if (atomicAdd(&arrived, 0u) >= n) break;"));
  EXPECT_TRUE(waits("int ns = 8; for (int i = 0; i < n && !*(volatile int *)"
                    "flag; ++i) __nanosleep(ns *= 2);"));
  EXPECT_TRUE(waits("while (!*(volatile int *)flag) { if (++x > 1000000) { "
                    "out[7] = 1; break; } out[blockIdx.x] = x; }"));
  // A loop that works until it is told to stop.
  EXPECT_FALSE(waits("for (int i = 0; i < n && !*(volatile int *)flag; ++i) "
                     "x += in[i];"));
  EXPECT_FALSE(waits("for (int i = 0; i < n; ++i) { "
                     "if (*(volatile int *)flag) break; atomicAdd(out, 1); }"));
}

TEST(Waiting, ForWhatOneThreadReadsForItsBlock) {
  const std::string Flag = "__shared__ bool ready; do { ";
  const std::string End = " __syncthreads(); x = ready; __syncthreads(); } "
                          "while (!x);";
  EXPECT_TRUE(waits(Flag +
                    "if (threadIdx.x == 0) ready = "
                    "*(volatile unsigned *)&arrived >= n;" +
                    End));
  EXPECT_TRUE(waits("__shared__ bool ready; ready = false; do { "
                    "if (*(volatile unsigned *)&arrived >= n) ready = true;" +
                    End));
  // A queue that hands out work.
  EXPECT_FALSE(waits(Flag +
                     "if (threadIdx.x == 0) ready = "
                     "atomicAdd(&arrived, 1u) >= n; out[x] = 1;" +
                     End));
}

TEST(Waiting, ForWhatOneThreadHandsOnInGlobalMemory) {
  const std::string End = " __syncthreads(); x = out[n]; __syncthreads(); } "
                          "while (!x);";
  EXPECT_TRUE(waits("do { if (threadIdx.x == 0) out[n] = "
                    "((volatile int *)flag)[n];" +
                    End));
  EXPECT_FALSE(waits("do { if (threadIdx.x == 0) out[n] = "
                     "atomicAdd(&arrived, 1u) >= n;" +
                     End));
}

TEST(Waiting, ForFlagsThatItReadsInTurn) {
  EXPECT_TRUE(waits("unsigned pending = (1u << n) - 1; while (pending) { "
                    "if ((pending >> x & 1) && ((volatile int *)flag)[x * 8]) "
                    "pending &= ~(1u << x); x = (x + 1) % n; }"));
  EXPECT_TRUE(waits("int left = 2; while (left) { if (((volatile int *)flag)["
                    "x ? n : 7]) --left; x ^= 1; }"));
  EXPECT_TRUE(waits("unsigned there = 0; for (unsigned i = 0; there < n; ++i) "
                    "there = ((volatile int *)flag)[i % n] ? there + 1 : 0;"));
  EXPECT_TRUE(waits("struct Node { int ready; Node *next; }; int left = n; "
                    "volatile Node *p = (volatile Node *)in; while (left) { "
                    "left = p->ready ? left - 1 : n; p = p->next; }"));
  EXPECT_TRUE(waits("int left = n; while (left) { if (((volatile int *)flag)["
                    "x]) --left; x += x == n ? -n : 1; }"));
  EXPECT_TRUE(waits("__shared__ volatile unsigned done; while (done != 15) { "
                    "if (((volatile int *)flag)[x]) "
                    "atomicOr((unsigned *)&done, 1u << x); "
                    "x = (x + 1) & 3; }"));
  EXPECT_TRUE(waits("while (mine) { if (((volatile int *)flag)[x * 8]) --mine; "
                    "x = (x + 1) % n; }"));
  EXPECT_TRUE(waits("int left = n; for (unsigned char i = 0; left; ++i) "
                    "if (((volatile int *)flag)[i]) --left;"));
  EXPECT_TRUE(waits("while (!flag[x]) { x = (x + 1) % n; __threadfence(); }"));
  EXPECT_TRUE(waits("while (((volatile int *)flag)[x] != n) ++x;"));
  EXPECT_TRUE(waits("while (x < n) x += ((volatile int *)flag)[x];"));
  EXPECT_TRUE(
      waits("while (atomicCAS(flag + x, 0, n) != 0) x = (x + 1) & 63;"));
  EXPECT_TRUE(waits("int y; while ((y = ((volatile int *)flag)[x]) != x) "
                    "x = y;"));
}

TEST(Waiting, NotForPlainLoadsAtAnotherPlaceEachTime) {
  EXPECT_FALSE(waits("while (x < n) x = in[x];"));
  EXPECT_FALSE(waits("int low = 0, high = n; while (low < high) { "
                     "const int mid = (low + high) / 2; "
                     "(in[mid] < x ? low : high) = mid; }"));
}

TEST(Waiting, InAFunctionThatAnotherKernelPutsIntoMemory) {
  const std::string Functions = R"cu(
typedef void (*Function)(int *);
__device__ __noinline__ void spin(int *f) { while (!*(volatile int *)f) ; }
__device__ __noinline__ void nothing(int *f) { *f = 0; }
__global__ void put(Function *p) { *p = )cu";
  EXPECT_TRUE(waits("(*(Function *)in)(flag);", Functions + "spin; }"));
  EXPECT_FALSE(waits("(*(Function *)in)(flag);", Functions + "nothing; }"));
}

TEST(Waiting, InAVirtualFunction) {
  EXPECT_TRUE(waits("(*(Sync **)in)->sync(flag);", R"cu(
struct Sync { virtual __device__ void sync(int *f) = 0; };
struct Spin : Sync {
  __device__ void sync(int *f) override { while (!*(volatile int *)f) ; }
};
__global__ void make(Sync **s) { *s = new Spin; })cu"));
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

TEST(Waiting, InACycleWithTwoEntries) {
  EXPECT_TRUE(waits("if (n > 7) goto inside; again: x += 1; inside: "
                    "if (*(volatile unsigned *)&arrived < n) goto again;"));
}

TEST(Waiting, InAFunctionThatIsNotInlined) {
  EXPECT_TRUE(waits("barrier(n);", R"cu(
__device__ __noinline__ void barrier(int n) {
  atomicAdd(&arrived, 1u);
  while (atomicAdd(&arrived, 0u) < n);
})cu"));
  EXPECT_TRUE(waits("while (!isSet(flag));", R"cu(
__device__ __noinline__ bool isSet(int *flag) {
  return *(volatile int *)flag;
})cu"));
  EXPECT_FALSE(waits("while (step(out, x) < n) ++x;", R"cu(
__device__ __noinline__ int step(int *out, int x) { return out[x]; }
)cu"));
}

// A function that is not inlined puts what it has read into an object.
TEST(Waiting, ForWhatACallPutsIntoAnObject) {
  const std::string Object = R"cu(
struct Barrier {
  int *counter; int goal; bool open;
  __device__ __attribute__((noinline)) void poll() {
    open = *(volatile int *)counter >= goal; }
  __device__ __attribute__((noinline)) void step() { open = ++goal > 9; }
};
__device__ __attribute__((noinline)) void load(int *from, int &to) {
  to = *(volatile int *)from; }
)cu";
  const std::string Start = "Barrier b{flag, n, false}; int v = 0, w = 0;";
  EXPECT_TRUE(waits(Start + "while (!b.open) b.poll();", Object));
  EXPECT_TRUE(waits(Start + "do load(flag, v); while (v != n);", Object));
  EXPECT_FALSE(waits(Start + "while (!b.open) b.step(); load(flag, v);"
                             "x = v;",
                     Object));
  EXPECT_FALSE(waits(Start + "do load(flag, v), w += in[w]; while (w < n);"
                             "x = v;",
                     Object));
  // Assembly that only computes reads nothing.
  EXPECT_FALSE(waits("double v = n; do half(v); while (v > 1);", R"cu(
__device__ __attribute__((noinline)) void half(double &v) {
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(v) : "d"(v)); }
)cu"));
}

// The same in a variable, or in an object that another one leads to.
TEST(Waiting, ForWhatACallPutsElsewhere) {
  EXPECT_TRUE(waits("do poll(flag); while (seen < n);", R"cu(
__device__ int seen;
__device__ __attribute__((noinline)) void poll(int *f) { seen = *(volatile int *)f; }
)cu"));
  EXPECT_TRUE(waits("do poll(flag); while (seen < n);", R"cu(
__shared__ int seen;
__device__ __attribute__((noinline)) void poll(int *f) {
  if (threadIdx.x == 0) seen = *(volatile int *)f;
  __syncthreads(); }
)cu"));
  const std::string Poller = R"cu(
struct Poller {
  int *flag; int &out;
  __device__ __attribute__((noinline)) void poll() { out = *(volatile int *)flag; }
};
)cu";
  EXPECT_TRUE(
      waits("int v = 0; Poller p{flag, v}; while (v < n) p.poll();", Poller));
  EXPECT_FALSE(waits("int v = 0, w = 0; Poller p{flag, v};"
                     "while (w < n) p.poll(), ++w; x = v;",
                     Poller));
  // The first thread stores by an exchange.
  EXPECT_TRUE(waits("__shared__ int got; do { if (threadIdx.x == 0) "
                    "atomicCAS(&got, 0, *(volatile int *)flag >= n); "
                    "__syncthreads(); } while (!got);"));
}

// The loop keeps the loads that a function does.
TEST(Waiting, ForPlainLoadsOfACallThatAFenceKeepsInTheLoop) {
  const std::string Get =
      "__device__ __noinline__ int get(int *p) { return *p; }\n";
  EXPECT_TRUE(waits("while (get(flag) != n) __threadfence();", Get));
  EXPECT_FALSE(waits("while (get(out + x) != n) out[++x] = n;", Get));
  EXPECT_FALSE(waits("float v = n; while (sinf(v) > .5f) v += .1f, "
                     "__syncthreads();"));
}

// What a function counts beside its work decides nothing.
TEST(Waiting, ForNoResultThatAnAtomicOperationHasNoPartIn) {
  EXPECT_FALSE(waits("float v = n; do v = halve(v); while (v > 1);", R"cu(
__device__ unsigned calls;
__device__ __attribute__((noinline)) float halve(float v) {
  atomicAdd(&calls, 1u); return v / 2; }
)cu"));
  EXPECT_TRUE(waits("float v = n; do v = halve(v); while (v > 1);", R"cu(
__device__ unsigned calls;
__device__ __attribute__((noinline)) float halve(float v) {
  return atomicAdd(&calls, 0u) ? v / 2 : v; }
)cu"));
}

// Those of libcu++ are assembly, with fences beside them.
TEST(Waiting, ForNoneOfTheAtomicOperationsInAssemblyThatAreFree) {
  const std::string Operations = R"cu(
__device__ __forceinline__ int cas(int *p, int wanted, int next) {
  int old;
  asm volatile("atom.cas.acquire.gpu.b32 %0,[%1],%2,%3;"
               : "=r"(old) : "l"(p), "r"(wanted), "r"(next) : "memory");
  return old; }
__device__ __forceinline__ int add(int *p, int by) {
  int old;
  asm volatile("fence.sc.gpu;" ::: "memory");
  asm volatile("atom.add.acquire.gpu.u32 %0,[%1],%2;"
               : "=r"(old) : "l"(p), "r"(by) : "memory");
  return old; }
)cu";
  auto Waits = [&](const std::string &Loop) { return waits(Loop, Operations); };
  EXPECT_FALSE(
      Waits("int old = *(volatile int *)flag, seen; do { seen = old; "
            "old = cas(flag, seen, max(seen, n)); } while (old != seen);"));
  EXPECT_FALSE(Waits("for (int i; (i = add(flag, 1)) < n;) out[i] = i;"));
  // A lock, and a flag.
  EXPECT_TRUE(Waits("while (cas(flag, 0, 1) != 0);"));
  EXPECT_TRUE(Waits("while (add(flag, 0) < n);"));
}

// The pointer may lead to another file's function.
TEST(Waiting, InAFunctionWithoutLoadsThatCallsByPointer) {
  const std::string Code = R"cu(
__device__ void wait(bool (*done)(int *), int *p) { while (!done(p)) {} }
__device__ void once(bool (*done)(int *), int *p) { done(p); }
)cu";
  const GatheredUnit Unit = gather(Code, {"-fgpu-rdc"});
  EXPECT_EQ(Unit.Evidence.Waits.WaitingByCalls,
            std::set<std::string>{"_Z4waitPFbPiES_"});
  EXPECT_TRUE(Unit.Evidence.Waits.Waiting.empty());
}

TEST(Waiting, InAFunctionOfATable) {
  EXPECT_TRUE(waits("table[n & 1](n);", R"cu(
__device__ __noinline__ void none(int) {}
__device__ __noinline__ void barrier(int n) {
  while (atomicAdd(&arrived, 0u) < n);
}
__device__ void (*table[])(int) = {none, barrier};)cu"));
}

TEST(Waiting, InAFunctionThatAddsWhatItIsGiven) {
  EXPECT_TRUE(waits("x = added(flag, 1); while (added(flag, 0) < n);", R"cu(
__device__ __noinline__ int added(int *to, int value) {
  int old;
  asm volatile("atom.add.relaxed.gpu.u32 %0,[%1],%2;"
               : "=r"(old) : "l"(to), "r"(value) : "memory");
  return old;
})cu"));
}

TEST(Waiting, NotForWorkThatIsHandedOut) {
  EXPECT_FALSE(waits("while ((x = atomicAdd(flag, 1)) < n) out[x] = x;"));
  EXPECT_FALSE(waits("while ((x = atomicSub(flag, 4)) > 0) out[x] = x;"));
  EXPECT_FALSE(waits("while ((x = atomicAdd(flag, blockDim.x)) < n) "
                     "atomicAdd(out + x, 1);"));
  EXPECT_FALSE(waits("while ((x = atomicAdd(flag, 1)) < n) { int y; "
                     "asm(\"ld.global.cg.s32 %0, [%1];\" : \"=r\"(y) : "
                     "\"l\"(in + x)); out[x] = y; __syncthreads(); }"));
  // Of nothing it hands out nothing.
  EXPECT_TRUE(waits("while ((x = atomicAdd(flag, n)) > 0) out[x] = x;"));
}

TEST(Waiting, ForASemaphore) {
  EXPECT_TRUE(waits("while (atomicSub(flag, 1) <= 0) atomicAdd(flag, 1);"));
  EXPECT_TRUE(waits("while (atomicAdd(&arrived, 1u)) atomicSub(flag, 1);"));
  EXPECT_TRUE(waits("while (atomicAdd(flag, 1)) atomicExch(flag, 0);"));
  EXPECT_TRUE(waits("while (atomicAdd(flag, 1)) *(volatile int *)flag = 0;"));
  EXPECT_TRUE(waits("while (atomicAdd(flag, 1)) *flag = 0;"));
  EXPECT_TRUE(waits("while (atomicSub(flag, 1) <= 0) asm volatile("
                    "\"red.add.u32 [%0], 1;\" :: \"l\"(flag) : \"memory\");"));
  EXPECT_TRUE(waits("while (atomicAdd(flag, 1)) release(flag);", R"cu(
__device__ __noinline__ void release(int *f) { atomicSub(f, 1); })cu"));
  // Of another object.
  EXPECT_FALSE(waits("__shared__ int left; while ((x = atomicAdd(&arrived, 1u))"
                     " < n) atomicSub(&left, 1);"));
}

TEST(Waiting, NotForWorkThatAssemblyHandsOut) {
  auto Added = [](const std::string &Value) {
    return waits("do asm volatile(\"atom.add.relaxed.gpu.u32 %0,[%1],%2;\" : "
                 "\"=r\"(x) : \"l\"(flag), \"r\"(" +
                 Value + ") : \"memory\"); while (x < n);");
  };
  EXPECT_FALSE(Added("1"));
  EXPECT_TRUE(Added("0"));
}

TEST(Waiting, NotWhereACounterEndsTheLoop) {
  EXPECT_FALSE(waits("for (int i = 0; i < n && !*(volatile int *)flag; ++i) "
                     "out[i] = 1;"));
  EXPECT_FALSE(waits("for (int i = 0; i < *(volatile int *)flag; ++i) {"
                     " if (i == n) break; out[i] = 1; }"));
}

// Those of `__ldcg` and its like are volatile for nvcc, and not for Clang,
// which takes them out of loops.
TEST(Waiting, ForLoadsWithHints) {
  auto Loads = [](const std::string &Asm) {
    return waits("do " + Asm +
                 "(\"ld.global.cg.s32 %0, [%1];\" : \"=r\"(x) : "
                 "\"l\"(flag)); while (x != n);");
  };
  EXPECT_TRUE(Loads("asm"));
  EXPECT_TRUE(Loads("asm volatile"));
  EXPECT_FALSE(waits("int y; for (int i = 0; i < n; ++i) { "
                     "asm(\"ld.global.cg.s32 %0, [%1];\" : \"=r\"(y) : "
                     "\"l\"(flag + i)); out[i] = y; }"));
  // The writes of others may never be seen.
  EXPECT_FALSE(waits("do asm volatile(\"ld.global.nc.u32 %0, [%1];\" : "
                     "\"=r\"(x) : \"l\"(flag)); while (x != n);"));
}

TEST(Waiting, OfKernelsWithoutArraysInAnotherStream) {
  auto WaitsBeside = [](const std::string &Stream) {
    return gather(R"cu(
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
}
void run(const int *in, int *out, int n, cudaStream_t stream) {
  k<<<1, 128, 0, )cu" +
                  Stream +
                  R"cu(>>>(in, out, n);
})cu")
        .Evidence.Waits.Waiting.contains("waiting");
  };
  EXPECT_TRUE(WaitsBeside("stream"));
  EXPECT_FALSE(WaitsBeside("0"));
}

TEST(Waiting, NotToTryAgain) {
  EXPECT_FALSE(waits("int old = *flag, seen; do { seen = old; old = atomicCAS("
                     "flag, seen, seen * n); } while (seen != old);"));
  EXPECT_FALSE(waits("int seen; do seen = *(volatile int *)flag; while "
                     "(atomicCAS(flag, seen, seen * n) != seen);"));
}

// Whoever fails to take the first of a list has seen another one do it.
TEST(Waiting, NotToTakeFromAList) {
  const std::string List = "struct Node { Node *next; };\n"
                           "__device__ Node *volatile first;\n";
  auto Takes = [&](const std::string &Body, const std::string &Again) {
    return waits("Node *head; do { head = first; " + Body + " } while (" +
                     Again + "); x = head != nullptr;",
                 List);
  };
  const std::string Taken =
      "(Node *)atomicCAS((unsigned long long *)&first, (unsigned long "
      "long)head, (unsigned long long)head->next)";
  EXPECT_FALSE(Takes("", Taken + " != head"));
  EXPECT_FALSE(Takes("if (!head) break;", Taken + " != head"));
  // Of others it waits for what they put there.
  EXPECT_TRUE(Takes("if (!head) continue;", "!head"));
  EXPECT_TRUE(Takes("", "!head || " + Taken + " != head"));
}

// Only who holds it can set it free.
TEST(Waiting, ForALockThatIsABit) {
  EXPECT_TRUE(waits("do x = *(volatile int *)flag & ~1; "
                    "while (atomicCAS(flag, x, x | 1) != x);"));
  EXPECT_TRUE(waits("for (;;) { int was = *(volatile int *)flag; if (was != n "
                    "&& atomicCAS(flag, was, n) == was) break; }"));
}

TEST(Waiting, ForAValueFromElsewhereThatAnExchangeExpects) {
  EXPECT_TRUE(waits("while (atomicCAS(flag, in[n], 7) != in[n]);"));
  EXPECT_TRUE(waits("while (atomicCAS(flag, mine, 7) != mine);"));
}

TEST(Waiting, UntilAnExchangeFails) {
  EXPECT_TRUE(waits("int seen; do seen = *(volatile int *)flag; "
                    "while (atomicCAS(flag, seen, seen) == seen);"));
}

TEST(Waiting, NotForMemoryOfItsOwnBlock) {
  EXPECT_FALSE(waits("while (mine != n);"));
}

TEST(Waiting, NotForABoundThatIsLoadedAgain) {
  EXPECT_FALSE(waits("for (int i = 0; i < *flag; ++i) out[i] = 1;"));
  EXPECT_FALSE(waits("for (int i = 0; i < *flag; ++i) __syncthreads();"));
}
