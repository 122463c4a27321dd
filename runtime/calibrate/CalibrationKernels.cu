//===-- CalibrationKernels.cu - what bankstripe calibrate measures --------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A part of the sweep (tests/gpu/sweep/sweep.h says what its kernels do and
// why), compiled for one ELEMENT and one STREAM: 0 nothing is loaded, 1 what
// the L2 answers, 2 each lane walks through a line of its own, 3 each picks
// from a table. First it prints
//
//     # name | compute capability | multiprocessors | MHz
//
// and then lines as in the sweep's figures (tests/gpu/sweep/driver.cu).
//
//===----------------------------------------------------------------------===//

#include "bankstripe.cuh"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <type_traits>
#include <vector>

using Element = ELEMENT;
using Number = std::conditional_t<sizeof(Element) < 4, unsigned, Element>;
constexpr unsigned TableFloats = 1u << 14, StreamFloats = 1u << 21;
constexpr int Waves = 3, Runs = 3;

struct Job {
  const uint2 *Seeds; // One per thread: where its indices begin, and an offset.
  const float *Stream;
  unsigned Steps, *Results;
  Number Factor, Term;
};

enum class Layout { Original, Registers, Stripe, Word, Packed };

extern __shared__ __align__(16) unsigned char DynamicMemory[];

template <Layout L, int N> struct Storage {
  using Unit = std::conditional_t<
      L == Layout::Word, bankstripe::word<Element>,
      std::conditional_t<L == Layout::Packed, bankstripe::packed<Element>,
                         Element>>;
  static constexpr int Rows =
      L == Layout::Packed ? (N * sizeof(Element) + 3) / 4 : N;
  using Array = Unit[bankstripe::warps(1024)][Rows][32];
  static constexpr size_t BytesPerWarp = L > Layout::Registers
                                             ? sizeof(Unit[Rows][32])
                                             : 0;
  static __device__ Element get(const Element (&Own)[N], unsigned I) {
    if constexpr (L == Layout::Original)
      return Own[I];
    else if constexpr (L > Layout::Registers)
      return bankstripe::begin(reinterpret_cast<Array &>(DynamicMemory))[I];
    Element Found = 0;
#pragma unroll
    for (unsigned K = 0; K < N; ++K)
      Found = K == I ? Own[K] : Found;
    return Found;
  }
  static __device__ void set(Element (&Own)[N], unsigned I, Element Value) {
    if constexpr (L == Layout::Original) {
      Own[I] = Value;
    } else if constexpr (L > Layout::Registers) {
      bankstripe::begin(reinterpret_cast<Array &>(DynamicMemory))[I] = Value;
    } else {
#pragma unroll
      for (unsigned K = 0; K < N; ++K)
        Own[K] = K == I ? Value : Own[K];
    }
  }
};

__device__ unsigned nextRandom(unsigned X) { return X * 1664525 + 1013904223; }
__device__ unsigned multiplyAdd(unsigned X, unsigned Y, unsigned Z) {
  return X * Y + Z;
}
__device__ float multiplyAdd(float X, float Y, float Z) {
  return fmaf(X, Y, Z);
}
__device__ double multiplyAdd(double X, double Y, double Z) {
  return fma(X, Y, Z);
}
__device__ unsigned bits(unsigned X) { return X; }
__device__ unsigned bits(float X) { return __float_as_uint(X); }
__device__ unsigned bits(double X) {
  return __double2loint(X) * 31u + __double2hiint(X);
}

template <Layout L, int N, bool Uniform, int Arithmetic, bool Reads>
__global__ void kernel(Job J) {
  using Array = Storage<L, N>;
  Element Own[N];
  const unsigned Thread = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned Random = Uniform ? 0 : J.Seeds[Thread].x;
  const unsigned Offset = Uniform ? 0 : J.Seeds[Thread].y;
  unsigned Look = Thread * 2654435761u;
  const Number Mine = Look >> 24;
  Number Filling = Mine;
#pragma unroll 1
  for (unsigned I = 0; I < N; ++I) {
    Array::set(Own, I, static_cast<Element>(Filling));
    Filling = multiplyAdd(Filling, J.Factor, J.Term);
  }
  unsigned Digest = Thread;
#pragma unroll 1
  for (unsigned Step = 0; Step < J.Steps; ++Step) {
    Random = nextRandom(Random);
    const unsigned I = (Uniform ? 3 + Step * 7 : (Random >> 16) + Offset) % N;
    unsigned Loaded = 0;
    if (STREAM == 1)
      Loaded = bits(J.Stream[(Thread + Step * 32992) % StreamFloats]);
    if (STREAM == 2)
      Loaded = bits(J.Stream[(Thread * 32 + Step % 32) % StreamFloats]);
    if (STREAM == 3)
      Loaded = bits(J.Stream[((Look = nextRandom(Look)) >> 8) % TableFloats]);
    Number X = Array::get(Own, I) + Mine;
    for (int K = 0; K < Arithmetic; ++K)
      X = multiplyAdd(X, J.Factor, J.Term);
    if (!Reads)
      Array::set(Own, I, static_cast<Element>(X));
    Digest = (Digest ^ Loaded) * 31 + bits(X);
  }
#pragma unroll 1
  for (unsigned I = 0; I < N; ++I)
    Digest = Digest * 31 + bits(static_cast<Number>(Array::get(Own, I)));
  J.Results[Thread] = Digest;
}

struct Variant {
  const char *Name;
  void (*Kernel)(Job);
  size_t BytesPerWarp;
};

static Job Arguments;
static unsigned Threads;
static cudaDeviceProp Device;
static cudaEvent_t Begin, End;

static void check(cudaError_t Status) {
  if (Status == cudaSuccess)
    return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(Status));
  std::exit(1);
}

template <class Type> static Type *upload(const std::vector<Type> &Values) {
  Type *Memory;
  check(cudaMalloc(&Memory, Values.size() * sizeof(Type)));
  check(cudaMemcpy(Memory, Values.data(), Values.size() * sizeof(Type),
                   cudaMemcpyHostToDevice));
  return Memory;
}

/// Lanes of a warp go one way, so many elements apart, or each its own.
static void seed(unsigned Apart) {
  std::vector<uint2> Values(Threads);
  for (unsigned T = 0; T < Threads; ++T)
    Values[T] =
        make_uint2(((Apart ? T / 32 : T) + 1) * 2654435761u, T % 32 * Apart);
  check(cudaFree(const_cast<uint2 *>(Arguments.Seeds)));
  Arguments.Seeds = upload(Values);
}

static float timeOf(const Variant &V, int Block, size_t Shared) {
  check(cudaEventRecord(Begin));
  V.Kernel<<<Threads / Block, Block, Shared>>>(Arguments);
  check(cudaEventRecord(End));
  check(cudaEventSynchronize(End));
  float Milliseconds;
  check(cudaEventElapsedTime(&Milliseconds, Begin, End));
  return Milliseconds;
}

static void measure(const Variant &V, int Block, const char *Point,
                    std::vector<unsigned> &Expected) {
  const size_t Shared = V.BytesPerWarp * (Block / 32);
  if (Shared > Device.sharedMemPerBlockOptin)
    return;
  cudaFuncAttributes Has;
  int Resident;
  check(cudaFuncSetAttribute(V.Kernel,
                             cudaFuncAttributeMaxDynamicSharedMemorySize,
                             Device.sharedMemPerBlockOptin));
  check(cudaFuncGetAttributes(&Has, V.Kernel));
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&Resident, V.Kernel,
                                                      Block, Shared));
  float Times[Runs];
  timeOf(V, Block, Shared);
  for (float &Time : Times)
    Time = timeOf(V, Block, Shared);
  std::sort(Times, Times + Runs);
  std::vector<unsigned> Results(Threads);
  check(cudaMemcpy(Results.data(), Arguments.Results,
                   Threads * sizeof(unsigned), cudaMemcpyDeviceToHost));
  if (Expected.empty())
    Expected = Results;
  std::printf("%s | %d | %u | %s | %.4f | %.1f | %d | %zu | %zu | %d | %s\n",
              Point, Block, Threads / Block, V.Name, Times[Runs / 2],
              100 * (Times[Runs - 1] - Times[0]) / Times[Runs / 2], Has.numRegs,
              Has.localSizeBytes, Shared, Resident,
              Results == Expected ? "same" : "DIFFERENT");
}

template <int N, bool Uniform, int Arithmetic, bool Reads> static void point() {
  std::vector<Variant> Variants;
  auto Add = [&](const char *Name, auto L) {
    Variants.push_back({Name, kernel<L.value, N, Uniform, Arithmetic, Reads>,
                        Storage<L.value, N>::BytesPerWarp});
  };
  auto As = [](auto L) { return L; };
#define AS(L) As(std::integral_constant<Layout, Layout::L>())
  Add("original", AS(Original));
  if constexpr (!Reads && sizeof(Element) >= 4)
    Add("stripe", AS(Stripe));
  if constexpr (!Reads && sizeof(Element) < 4) {
    Add("word", AS(Word));
    Add("packed", AS(Packed));
    Add("unpacked", AS(Stripe));
  }
  if constexpr (!Reads && sizeof(Element) == 4 && STREAM == 0 && N == 32)
    Add("registers", AS(Registers));
  // The original beside storage that nothing uses.
  if (Variants.size() > 1)
    Variants.push_back(
        {"reserved", Variants[0].Kernel, Variants[1].BytesPerWarp});
  Arguments.Steps = std::max(256, 2 * N);
  for (const char *Pattern : {"uniform", "random", "worst"}) {
    if (Uniform != (Pattern[0] == 'u'))
      continue;
    seed(Pattern[0] == 'w' ? std::max(N / 32, 1) : 0);
    char Point[99];
    std::snprintf(Point, sizeof(Point), "%d | %d | %s | %d | %s%s",
                  int(sizeof(Element)), N, Pattern, Arithmetic,
                  (const char *[]){"none", "loads", "rows", "table"}[STREAM],
                  Reads ? " reads" : "");
    for (int Block : {128, 512}) {
      std::vector<unsigned> Expected;
      for (const Variant &V : Variants)
        measure(V, Block, Point, Expected);
    }
  }
}

template <int N, bool Uniform> static void points() {
  point<N, Uniform, 0, false>();
  point<N, Uniform, 8, false>();
  if constexpr (STREAM < 2) {
    point<N, Uniform, 32, false>();
    point<N, Uniform, 0, true>();
    point<N, Uniform, 8, true>();
  }
}

template <int N> static void sizes() {
  points<N, true>();
  points<N, false>();
}

int main() {
  int Kilohertz;
  check(cudaGetDeviceProperties(&Device, 0));
  check(cudaDeviceGetAttribute(&Kilohertz, cudaDevAttrClockRate, 0));
  check(cudaEventCreate(&Begin));
  check(cudaEventCreate(&End));
  Threads = unsigned(Device.multiProcessorCount) *
            Device.maxThreadsPerMultiProcessor * Waves / 1024 * 1024;
  std::vector<float> Values(StreamFloats);
  for (unsigned I = 0; I < StreamFloats; ++I)
    Values[I] = float(I * 2654435761u >> 16);
  Arguments.Stream = upload(Values);
  Arguments.Results = upload(std::vector<unsigned>(Threads));
  // Integers grow out of any word; floating-point numbers must not.
  Arguments.Factor = std::is_integral<Number>() ? 1664525 : Number(1 + 0x1p-10);
  Arguments.Term = std::is_integral<Number>() ? 1013904223 : Number(0.25);
  std::printf("# %s | %d%d | %d | %.0f\n", Device.name, Device.major,
              Device.minor, Device.multiProcessorCount, Kilohertz / 1e3);
  sizes<4>();
  sizes<8>();
  sizes<16>();
  sizes<32>();
  sizes<64>();
  sizes<128>();
  sizes<256>();
  sizes<400>();
}
