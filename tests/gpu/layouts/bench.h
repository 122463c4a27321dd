//===-- bench.h - what the layout benchmarks share ------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A benchmark compares kernels that compute the same from the same input, but
// keep an array in different places ("variants"). They take turns, so that
// what changes during a run changes for all; each gets one line:
//
//     question | case | pattern | variant | median ms | spread % | registers |
//     local bytes | shared bytes | blocks per SM | same or DIFFERENT
//
// "same" is about the results of all threads, held against the first variant.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TESTS_GPU_LAYOUTS_BENCH_H
#define BANKSTRIPE_TESTS_GPU_LAYOUTS_BENCH_H

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "bankstripe.cuh"

constexpr int BlockSize = 128;
constexpr int BlocksPerMultiprocessor = 256;
constexpr int Runs = 11;

inline void check(cudaError_t Status, const char *What) {
  if (Status == cudaSuccess)
    return;
  std::fprintf(stderr, "%s: %s\n", What, cudaGetErrorString(Status));
  std::exit(1);
}

//===----------------------------------------------------------------------===//
// Input
//===----------------------------------------------------------------------===//

struct Job {
  const uint2 *Seeds; // One per thread: where its indices begin, and an offset.
  unsigned *Results;  // One per thread.
  int Steps;
  int Count; // An extent that the compiler is not to know.
};

/// The lanes of a warp ask for the same element, each for one of its own
/// choice, each for the one after its left neighbour's, or for the one before
/// it.
enum class Pattern { Uniform, Random, Rising, Falling };

/// Pseudo-random numbers. Which pattern they follow is in the data, not in the
/// code, so that all patterns run the same instructions.
struct Numbers {
  unsigned State, Offset;

  __device__ explicit Numbers(const Job &J)
      : State(J.Seeds[blockIdx.x * BlockSize + threadIdx.x].x),
        Offset(J.Seeds[blockIdx.x * BlockSize + threadIdx.x].y) {}
  __device__ unsigned next() {
    State = State * 1664525u + 1013904223u;
    return (State >> 16) + Offset;
  }
};

__device__ inline void finish(const Job &J, unsigned Result) {
  J.Results[blockIdx.x * BlockSize + threadIdx.x] = Result;
}

//===----------------------------------------------------------------------===//
// Measuring
//===----------------------------------------------------------------------===//

struct Variant {
  const char *Name;
  void (*Kernel)(Job);
};

class Bench {
public:
  explicit Bench(const char *Question) : Question(Question) {
    cudaDeviceProp Properties;
    check(cudaGetDeviceProperties(&Properties, 0), "cudaGetDeviceProperties");
    Blocks = Properties.multiProcessorCount * BlocksPerMultiprocessor;
    const size_t Threads = size_t(Blocks) * BlockSize;
    check(cudaMalloc(&Seeds, Threads * sizeof(uint2)), "cudaMalloc");
    check(cudaMalloc(&Results, Threads * sizeof(unsigned)), "cudaMalloc");
    check(cudaEventCreate(&Begin), "cudaEventCreate");
    check(cudaEventCreate(&End), "cudaEventCreate");
  }

  void compare(const std::string &Case, Pattern P, int Steps, int Count,
               const std::vector<Variant> &Variants) {
    seed(P);
    const Job J = {Seeds, Results, Steps, Count};
    std::vector<std::vector<float>> Times(Variants.size());
    std::vector<unsigned> Expected;
    std::vector<bool> Same;
    for (const Variant &V : Variants) {
      const std::vector<unsigned> Seen = results(V, J);
      if (Expected.empty())
        Expected = Seen;
      Same.push_back(Seen == Expected);
    }
    for (int Run = 0; Run < Runs; ++Run)
      for (size_t I = 0; I < Variants.size(); ++I)
        Times[I].push_back(time(Variants[I], J));
    for (size_t I = 0; I < Variants.size(); ++I)
      print(Case, P, Variants[I], Times[I], Same[I]);
  }

  /// What main returns.
  int status() const { return AnyDiffers; }

private:
  void seed(Pattern P) {
    std::vector<uint2> Values(size_t(Blocks) * BlockSize);
    for (size_t T = 0; T < Values.size(); ++T) {
      const unsigned Lane = T % 32;
      const unsigned Number = P == Pattern::Random ? T : T / 32;
      Values[T].x = (Number + 1) * 2654435761u;
      Values[T].y = P == Pattern::Rising    ? Lane
                    : P == Pattern::Falling ? 0x10000 - Lane
                                            : 0;
    }
    check(cudaMemcpy(Seeds, Values.data(), Values.size() * sizeof(uint2),
                     cudaMemcpyHostToDevice),
          "cudaMemcpy");
  }

  float time(const Variant &V, const Job &J) {
    check(cudaEventRecord(Begin), V.Name);
    V.Kernel<<<Blocks, BlockSize>>>(J);
    check(cudaGetLastError(), V.Name);
    check(cudaEventRecord(End), V.Name);
    check(cudaEventSynchronize(End), V.Name);
    float Milliseconds = 0;
    check(cudaEventElapsedTime(&Milliseconds, Begin, End), V.Name);
    return Milliseconds;
  }

  std::vector<unsigned> results(const Variant &V, const Job &J) {
    std::vector<unsigned> Values(size_t(Blocks) * BlockSize);
    const size_t Bytes = Values.size() * sizeof(unsigned);
    check(cudaMemset(Results, 0xCB, Bytes), "cudaMemset");
    time(V, J);
    check(cudaMemcpy(Values.data(), Results, Bytes, cudaMemcpyDeviceToHost),
          "cudaMemcpy");
    return Values;
  }

  void print(const std::string &Case, Pattern P, const Variant &V,
             std::vector<float> &Times, bool Same) {
    static const char *const Names[] = {"uniform", "random", "rising",
                                        "falling"};
    std::sort(Times.begin(), Times.end());
    const float Median = Times[Times.size() / 2];
    cudaFuncAttributes A;
    const auto *Kernel = reinterpret_cast<const void *>(V.Kernel);
    check(cudaFuncGetAttributes(&A, Kernel), V.Name);
    int Resident = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&Resident, Kernel,
                                                        BlockSize, 0),
          V.Name);
    std::printf("%s | %s | %s | %s | %.4f | %.1f | %d | %zu | %zu | %d | %s\n",
                Question, Case.c_str(), Names[int(P)], V.Name, Median,
                100 * (Times[Times.size() - 2] - Times[1]) / Median, A.numRegs,
                A.localSizeBytes, A.sharedSizeBytes, Resident,
                Same ? "same" : "DIFFERENT");
    AnyDiffers = AnyDiffers || !Same;
  }

  const char *Question;
  int Blocks = 0;
  uint2 *Seeds = nullptr;
  unsigned *Results = nullptr;
  cudaEvent_t Begin, End;
  bool AnyDiffers = false;
};

#endif // BANKSTRIPE_TESTS_GPU_LAYOUTS_BENCH_H
