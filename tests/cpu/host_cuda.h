//===-- host_cuda.h - just enough CUDA to run kernels on the host ---------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes a CUDA program an ordinary C++ program that can be built with
// -fsanitize=address,undefined and that shows mistakes in how threads share
// memory. It is included before everything else; launches have been turned
// into calls of host_cuda::launch by run_on_host.py.
//
// How mistakes become visible:
//
//   - All threads of a block are alive at once, each as a fiber on a stack of
//     its own. Whenever a thread reads threadIdx, chance decides whether
//     another one goes on. The index helper reads threadIdx at each access, so
//     threads are interleaved at each access of a stripe: two of them that
//     share a byte overwrite each other's data.
//   - The order comes from a seed (HOST_CUDA_SEED); several seeds are tried.
//   - __shared__ variables are filled with a pattern, never zero, when the
//     first thread of a block comes to their declaration, so nothing can rely
//     on cleared memory or on an earlier block. run_on_host.py puts a call of
//     host_cuda::declareShared behind each declaration.
//   - They are static objects with red zones around them, and UBSan checks
//     subscripts: a block that is larger than the storage is caught.
//     Those of the whole file are filled when a block begins.
//   - Dynamic shared memory is an allocation of just the size that the launch
//     asks for, made and filled anew for each block.
//   - New device memory is filled with a pattern, so that it is the same in
//     all runs. After every launch a digest of each live allocation is
//     appended to the file HOST_CUDA_LOG.
//
// All code is taken for the device's: __CUDA_ARCH__ and __CUDACC__ are defined.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TESTS_CPU_HOST_CUDA_H
#define BANKSTRIPE_TESTS_CPU_HOST_CUDA_H

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <setjmp.h>
#include <string>
#include <type_traits>
#include <ucontext.h>
#include <unordered_map>
#include <utility>
#include <vector>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#else
inline void __sanitizer_start_switch_fiber(void **, const void *, size_t) {}
inline void __sanitizer_finish_switch_fiber(void *, const void **, size_t *) {}
#endif

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __noinline__
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __block_size__(...)
#define __align__(BYTES) __attribute__((aligned(BYTES)))
#define __constant__ static
#define __shared__ static
#define __CUDA_ARCH__ 900
#define __CUDACC__ 1
// What a compiler may assume is looked at instead.
#define __builtin_assume(CONDITION) ((CONDITION) ? void() : __trap())

//===----------------------------------------------------------------------===//
// Vector types
//===----------------------------------------------------------------------===//

#define HOST_CUDA_VECTORS(T, NAME, ALIGN2, ALIGN4)                             \
  struct NAME##1 { T x; };                                                     \
  struct alignas(ALIGN2) NAME##2 { T x, y; };                                  \
  struct NAME##3 { T x, y, z; };                                               \
  struct alignas(ALIGN4) NAME##4 { T x, y, z, w; };                            \
  inline NAME##2 make_##NAME##2(T x, T y) { return {x, y}; }                   \
  inline NAME##3 make_##NAME##3(T x, T y, T z) { return {x, y, z}; }           \
  inline NAME##4 make_##NAME##4(T x, T y, T z, T w) { return {x, y, z, w}; }

HOST_CUDA_VECTORS(signed char, char, 2, 4)
HOST_CUDA_VECTORS(unsigned char, uchar, 2, 4)
HOST_CUDA_VECTORS(short, short, 4, 8)
HOST_CUDA_VECTORS(unsigned short, ushort, 4, 8)
HOST_CUDA_VECTORS(int, int, 8, 16)
HOST_CUDA_VECTORS(unsigned, uint, 8, 16)
HOST_CUDA_VECTORS(float, float, 8, 16)
HOST_CUDA_VECTORS(double, double, 16, 16)
#undef HOST_CUDA_VECTORS

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned X = 1, unsigned Y = 1, unsigned Z = 1)
      : x(X), y(Y), z(Z) {}
};

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

// Fields of a configuration have these names, too, so they are no macros.
inline dim3 gridDim, blockDim;

namespace host_cuda {

/// A GPU does not start a kernel in larger blocks than its launch bounds say.
template <class... Others> void checkBounds(unsigned Threads, Others...) {
  if (blockDim.x * blockDim.y * blockDim.z <= Threads)
    return;
  std::fprintf(
      stderr,
      "host_cuda: the block is larger than launch bounds of %u threads\n",
      Threads);
  std::abort();
}

} // namespace host_cuda

namespace host_cuda {

constexpr unsigned MaximumThreads = 1024;
constexpr size_t StackBytes = 256 * 1024;
#ifdef __SANITIZE_ADDRESS__
constexpr size_t GuardBytes = 0; // It has red zones of its own.
#else
constexpr size_t GuardBytes = 4096; // On both sides of dynamic shared memory.
#endif

/// Small, fast, and the same everywhere.
struct Random {
  uint64_t State;
  uint32_t next() {
    State = State * 6364136223846793005u + 1442695040888963407u;
    return static_cast<uint32_t>(State >> 33);
  }
};

enum class FiberState { Ready, AtBarrier, Done };

/// Where a stack is left, to come back to it. AddressSanitizer loses track of
/// variables at jumps; without it, they save two system calls.
struct Place {
  ucontext_t Context;
  jmp_buf Point;
  bool Left = false;

  void switchTo(Place &Next) {
#ifdef __SANITIZE_ADDRESS__
    swapcontext(&Context, &Next.Context);
#else
    if (_setjmp(Point) != 0)
      return;
    Left = true;
    if (Next.Left)
      _longjmp(Next.Point, 1);
    setcontext(&Next.Context);
#endif
  }
};

/// One thread of the block that runs.
struct Fiber {
  uint3 Index;
  FiberState State = FiberState::Ready;
  Place Here;
  std::unique_ptr<unsigned char[]> Stack;
  void *FakeStack = nullptr; // AddressSanitizer's, while the fiber sleeps.
};

/// The block that runs: its fibers, and who is next.
class Block {
public:
  static Block &instance() {
    static Block TheBlock;
    return TheBlock;
  }

  void run(const dim3 &Dimensions, size_t BytesAtFirst,
           const std::function<void()> &Kernel) {
    ++Number;
    allocateDynamic(BytesAtFirst);
    for (auto [Variable, Bytes] : SharedOfFiles)
      declareShared(Variable, Bytes);
    const unsigned Threads = Dimensions.x * Dimensions.y * Dimensions.z;
    if (Fibers.size() < Threads)
      Fibers.resize(Threads);
    Count = Threads;
    Body = &Kernel;
    unsigned T = 0;
    for (unsigned Z = 0; Z < Dimensions.z; ++Z)
      for (unsigned Y = 0; Y < Dimensions.y; ++Y)
        for (unsigned X = 0; X < Dimensions.x; ++X)
          start(Fibers[T++], {X, Y, Z});
    while (anyReady() || releaseBarrier())
      switchTo(choose());
    for (size_t I = 0; I < GuardBytes; ++I)
      if (Dynamic[I] != Dynamic[0] ||
          Dynamic[GuardBytes + DynamicBytes + I] != Dynamic[0]) {
        std::fprintf(stderr, "host_cuda: shared memory is overrun\n");
        std::abort();
      }
  }

  /// The coordinates of the thread that asks. Others may run meanwhile.
  const uint3 &threadIndex() {
    if (Current && Chance.next() % 4 == 0)
      yield();
    return Current ? Current->Index : NoIndex;
  }

  void barrier() {
    Current->State = FiberState::AtBarrier;
    yield();
  }

  /// The thread that runs has come to the declaration of a shared variable.
  void declareShared(void *Variable, size_t Bytes) {
    unsigned &FilledFor = Shared[Variable];
    if (FilledFor != Number)
      std::memset(Variable, 0xA5 + 22 * (Number % 3), Bytes);
    FilledFor = Number;
  }

  /// A shared variable that is declared outside functions.
  void addShared(void *Variable, size_t Bytes) {
    SharedOfFiles.emplace_back(Variable, Bytes);
  }

  void allocateDynamic(size_t Bytes) {
    void *Memory = nullptr;
    if (posix_memalign(&Memory, 128, Bytes + 2 * GuardBytes) != 0)
      std::abort();
    Dynamic.reset(static_cast<unsigned char *>(Memory));
    DynamicBytes = Bytes;
    std::memset(Memory, 0xA5 + 22 * (Number % 3), Bytes + 2 * GuardBytes);
  }
  unsigned char *dynamicShared() { return Dynamic.get() + GuardBytes; }
  unsigned dynamicSharedBytes() const { return DynamicBytes; }

  void seed(uint64_t Seed) { Chance.State = Seed; }

private:
  void start(Fiber &F, uint3 Index) {
    if (!F.Stack)
      F.Stack.reset(new unsigned char[StackBytes]);
    F.Index = Index;
    F.State = FiberState::Ready;
    F.FakeStack = nullptr;
    ucontext_t &Context = F.Here.Context;
    F.Here.Left = false;
    getcontext(&Context);
    Context.uc_stack.ss_sp = F.Stack.get();
    Context.uc_stack.ss_size = StackBytes;
    Context.uc_link = nullptr;
    makecontext(&Context, &Block::enter, 0);
  }

  static void enter() {
    Block &B = instance();
    __sanitizer_finish_switch_fiber(nullptr, &B.MainStack, &B.MainStackBytes);
    (*B.Body)();
    B.Current->State = FiberState::Done;
    B.leave(/*ForGood=*/true);
  }

  // From the scheduler to a fiber, and back again.
  void switchTo(Fiber &F) {
    Current = &F;
    __sanitizer_start_switch_fiber(&MainFakeStack, F.Stack.get(), StackBytes);
    Main.switchTo(F.Here);
    __sanitizer_finish_switch_fiber(MainFakeStack, nullptr, nullptr);
    Current = nullptr;
  }
  void leave(bool ForGood) {
    Fiber &F = *Current;
    __sanitizer_start_switch_fiber(ForGood ? nullptr : &F.FakeStack, MainStack,
                                   MainStackBytes);
    F.Here.switchTo(Main);
    __sanitizer_finish_switch_fiber(F.FakeStack, &MainStack, &MainStackBytes);
  }
  void yield() { leave(/*ForGood=*/false); }

  bool anyReady() const {
    for (unsigned I = 0; I < Count; ++I)
      if (Fibers[I].State == FiberState::Ready)
        return true;
    return false;
  }
  // Threads that have left the kernel do not count, as on the device.
  bool releaseBarrier() {
    bool Any = false;
    for (unsigned I = 0; I < Count; ++I)
      if (Fibers[I].State == FiberState::AtBarrier) {
        Fibers[I].State = FiberState::Ready;
        Any = true;
      }
    return Any;
  }
  Fiber &choose() {
    unsigned I = Chance.next() % Count;
    while (Fibers[I].State != FiberState::Ready)
      I = I + 1 == Count ? 0 : I + 1;
    return Fibers[I];
  }

  struct Free {
    void operator()(void *Memory) const { std::free(Memory); }
  };

  std::unique_ptr<unsigned char[], Free> Dynamic;
  size_t DynamicBytes = 0;
  std::vector<Fiber> Fibers;
  unsigned Count = 0;
  unsigned Number = 0; // Of the block that runs, from 1.
  std::unordered_map<void *, unsigned> Shared; // The block each was filled for.
  std::vector<std::pair<void *, size_t>> SharedOfFiles;
  const std::function<void()> *Body = nullptr;
  Fiber *Current = nullptr;
  Place Main;
  void *MainFakeStack = nullptr;
  const void *MainStack = nullptr;
  size_t MainStackBytes = 0;
  Random Chance = {1};
  uint3 NoIndex = {0, 0, 0};
};

inline uint3 BlockIndex;

template <class T> void declareShared(T &Variable) {
  Block::instance().declareShared(
      const_cast<void *>(static_cast<const volatile void *>(&Variable)),
      sizeof Variable);
}

/// Makes a shared variable known that is declared outside functions.
struct SharedByFile {
  template <class T> explicit SharedByFile(T &Variable) {
    Block::instance().addShared(&Variable, sizeof Variable);
  }
};

//===----------------------------------------------------------------------===//
// Device memory
//===----------------------------------------------------------------------===//

/// Live allocations in the order in which they were made.
class Memory {
public:
  static Memory &instance() {
    static Memory TheMemory;
    return TheMemory;
  }
  void *allocate(size_t Bytes) {
    void *Result = std::malloc(Bytes);
    std::memset(Result, 0xCB, Bytes);
    Allocations[Next] = {static_cast<unsigned char *>(Result), Bytes};
    ++Next;
    return Result;
  }
  bool release(void *Pointer) {
    for (auto It = Allocations.begin(); It != Allocations.end(); ++It)
      if (It->second.first == Pointer) {
        std::free(Pointer);
        Allocations.erase(It);
        return true;
      }
    return Pointer == nullptr;
  }
  void log(std::FILE *Out) const {
    for (const auto &[Number, Allocation] : Allocations) {
      uint64_t Digest = 14695981039346656037u;
      for (size_t I = 0; I < Allocation.second; ++I)
        Digest = (Digest ^ Allocation.first[I]) * 1099511628211u;
      std::fprintf(Out, "  allocation %u: %zu bytes %016llx\n", Number,
                   Allocation.second, static_cast<unsigned long long>(Digest));
    }
  }

private:
  std::map<unsigned, std::pair<unsigned char *, size_t>> Allocations;
  unsigned Next = 0;
};

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

enum Error {
  Success = 0,
  InvalidConfiguration = 9,
  InvalidPointer = 17,
  CooperativeLaunchTooLarge = 720
};
inline Error LastError = Success;
inline unsigned Launches = 0;

// The grid of a cooperative launch depends on what else its blocks take.
inline void logLaunch(const char *Name, const dim3 &Grid, const dim3 &B,
                      bool Cooperative) {
  const char *Path = std::getenv("HOST_CUDA_LOG");
  std::FILE *Out = Path ? std::fopen(Path, "a") : nullptr;
  if (!Out)
    return;
  std::fprintf(Out, "launch %u: %s", Launches, Name);
  if (!Cooperative)
    std::fprintf(Out, " grid %u %u %u", Grid.x, Grid.y, Grid.z);
  std::fprintf(Out, " block %u %u %u\n", B.x, B.y, B.z);
  Memory::instance().log(Out);
  std::fclose(Out);
}

/// The launch that is under way.
struct Launch {
  size_t Dynamic;
  bool PassesStub; // And no thread has come to that yet: see host_rows.h.
  const void *Version = nullptr; // What the stub has chosen instead.
};
inline Launch LaunchUnderWay;

inline void runGrid(const dim3 &Grid, const dim3 &B, const Launch &L,
                    const std::function<void()> &Body) {
  LaunchUnderWay = L;
  const char *Seed = std::getenv("HOST_CUDA_SEED");
  Block::instance().seed(Seed ? std::strtoull(Seed, nullptr, 10) + 1 : 1);
  gridDim = Grid;
  blockDim = B;
  for (unsigned Z = 0; Z < Grid.z; ++Z)
    for (unsigned Y = 0; Y < Grid.y; ++Y)
      for (unsigned X = 0; X < Grid.x; ++X) {
        BlockIndex = {X, Y, Z};
        Block::instance().run(B, LaunchUnderWay.Dynamic, Body);
      }
}

/// A device of a few SMs, each with little shared memory.
constexpr unsigned Multiprocessors = 3;
constexpr size_t SharedPerMultiprocessor = 100 * 1024;

/// Blocks that are resident on an SM at once.
inline unsigned residentBlocks(unsigned Threads, size_t Dynamic) {
  const size_t ByMemory = SharedPerMultiprocessor / (Dynamic + 1024);
  return std::min<size_t>(2048 / ((Threads + 31) / 32 * 32), ByMemory);
}

/// What `kernel<<<...>>>(...)` becomes: a configuration, then its use.
struct Configuration {
  const char *Name;
  dim3 Grid, B;
  size_t Dynamic;
  bool Cooperative = false;

  Configuration(const char *Name, dim3 Grid, dim3 B, size_t Dynamic = 0,
                void * = nullptr)
      : Name(Name), Grid(Grid), B(B), Dynamic(Dynamic) {}

  template <class Callable, class... Arguments>
  void operator()(const Callable &Kernel, const Arguments &...Given) const {
    // Each thread has parameters of its own.
    start({Dynamic, /*PassesStub=*/true}, [&] { Kernel(Given...); });
  }

  /// The same of a kernel whose arguments Given points to.
  template <class... Parameters>
  Error launch(void (*Kernel)(Parameters...), void **Given) const {
    launch(Kernel, Given, std::index_sequence_for<Parameters...>());
    return problem();
  }

private:
  Error problem() const {
    const uint64_t Threads = static_cast<uint64_t>(B.x) * B.y * B.z;
    const uint64_t Blocks = static_cast<uint64_t>(Grid.x) * Grid.y * Grid.z;
    if (Threads == 0 || Threads > MaximumThreads || Blocks == 0)
      return InvalidConfiguration;
    if (Cooperative &&
        Blocks > Multiprocessors * residentBlocks(Threads, Dynamic))
      return CooperativeLaunchTooLarge;
    return Success;
  }
  void start(const Launch &L, const std::function<void()> &Body) const {
    if (const Error Problem = problem()) {
      LastError = Problem;
      return;
    }
    runGrid(Grid, B, L, Body);
    logLaunch(Name, Grid, B, Cooperative);
    ++Launches;
  }
  template <class... Parameters, size_t... Index>
  void launch(void (*Kernel)(Parameters...), void **Given,
              std::index_sequence<Index...>) const {
    start({Dynamic, /*PassesStub=*/false},
          [&] { Kernel(*static_cast<Parameters *>(Given[Index])...); });
  }
};

} // namespace host_cuda

#define threadIdx (host_cuda::Block::instance().threadIndex())
#define blockIdx (host_cuda::BlockIndex)
inline constexpr int warpSize = 32;
// How the helper asks for the block's dynamic shared memory.
#define BANKSTRIPE_SEGMENT (host_cuda::Block::instance().dynamicShared())
#define BANKSTRIPE_SEGMENT_BYTES                                               \
  (host_cuda::Block::instance().dynamicSharedBytes())

inline void __threadfence() {}
inline void __syncthreads() { host_cuda::Block::instance().barrier(); }
[[noreturn]] inline void __trap() {
  std::fprintf(stderr, "host_cuda: the kernel trapped\n");
  std::abort();
}

#include "host_functions.h" // Programs need the rest, too.
// And rewritten ones these.
#include "host_rows.h"

#endif
