//===-- replay.cu - launches that are hard to make again ------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each launch depends on another thing that a capture has to hold:
//
//     0 pointers in memory, from block to block and from kind to kind
//     1 variables, used by name and through a parameter, and constants
//     2 more dynamic shared memory than a launch has without opting in
//     3 a grid that waits for itself (cooperative)
//     4 blocks in clusters
//     5 device-side malloc, which a capture says that it does not hold
//     6 an address that is not there: the launch fails
//
// -DWRONG=N makes element 77 of launch N one too large. -DREWRITTEN keeps
// scratch in shared memory where the original has it in registers.
//
//===----------------------------------------------------------------------===//

#include "check.h"
#include <cooperative_groups.h>

namespace groups = cooperative_groups;

#ifndef WRONG
#define WRONG -1
#endif

constexpr unsigned Threads = 256, Blocks = 16, Count = Threads * Blocks;

__device__ unsigned counters[64];
__device__ unsigned long long total;
__constant__ unsigned weights[8];

struct Node {
  Node *next;
  unsigned value;
};

// What two parameters hold: pointers need not be parameters themselves.
struct Arguments {
  unsigned short small;
  unsigned *values;
  Node *first;
};

__device__ unsigned error(int launch, unsigned thread) {
  return launch == WRONG && thread == 77 ? 1 : 0;
}

__device__ unsigned threadNumber() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}

// What the rewritten program needs more dynamic shared memory for.
__device__ unsigned throughScratch(unsigned value) {
#ifdef REWRITTEN
  extern __shared__ unsigned scratch[];
  scratch[threadIdx.x] = value;
  return scratch[threadIdx.x];
#else
  return value;
#endif
}

__global__ void followPointers(Arguments a, char odd) {
  unsigned sum = a.small + odd;
  for (const Node *at = a.first; at; at = at->next)
    sum = sum * 31 + at->value;
  const unsigned thread = threadNumber();
  a.values[thread] += throughScratch(sum) + thread + error(0, thread);
}

__global__ void useVariables(unsigned *values, unsigned *same) {
  const unsigned thread = threadNumber();
  atomicAdd(&counters[thread % 64], thread + error(1, thread));
  atomicAdd(&total, thread);
  values[thread] = throughScratch(same[64 + thread % 8] * weights[thread % 8]);
}

__device__ unsigned unused[72]; // Its tail is what useVariables() reads.

__global__ void useSharedMemory(unsigned *values, unsigned bytes) {
  extern __shared__ unsigned shared[];
  const unsigned words = bytes / sizeof(unsigned);
  for (unsigned i = threadIdx.x; i < words; i += blockDim.x)
    shared[i] = i * 3 + blockIdx.x;
  __syncthreads();
  const unsigned thread = threadNumber();
  values[thread] ^= shared[words - 1 - threadIdx.x] + error(2, thread);
}

__global__ void waitForAll(unsigned *values) {
  const unsigned thread = threadNumber();
  values[thread] = values[thread] * 5 + error(3, thread);
  groups::this_grid().sync();
  const unsigned other = values[Count - 1 - thread];
  groups::this_grid().sync();
  values[thread] += other;
}

__global__ void useCluster(unsigned *values) {
#if __CUDA_ARCH__ >= 900
  __shared__ unsigned mine;
  const auto cluster = groups::this_cluster();
  if (threadIdx.x == 0)
    mine = blockIdx.x * 1000;
  cluster.sync();
  const unsigned *theirs =
      cluster.map_shared_rank(&mine, cluster.block_rank() ^ 1);
  const unsigned thread = threadNumber();
  values[thread] += *theirs + error(4, thread);
  cluster.sync();
#endif
}

__global__ void allocateHere(unsigned *values) {
  const unsigned thread = threadNumber();
  auto *memory = static_cast<unsigned *>(malloc(16));
  if (memory)
    memory[0] = thread;
  values[thread] += (memory ? memory[0] : 0) + error(5, thread);
  free(memory);
}

__global__ void fail(unsigned *values) { values[Count - 1 + (1ull << 40)] = 1; }

int main() {
  unsigned *values = nullptr, *table = nullptr;
  Node *managed = nullptr, *pinned = nullptr, *pooled = nullptr;
  CHECK(cudaMalloc(&values, Count * sizeof(unsigned)));
  CHECK(cudaMemset(values, 3, Count * sizeof(unsigned)));
  CHECK(cudaMallocManaged(&managed, sizeof(Node)));
  CHECK(cudaMallocHost(&pinned, sizeof(Node)));
  CHECK(cudaMallocAsync(&pooled, 2 * sizeof(Node), nullptr));
  *managed = {pinned, 17};
  *pinned = {pooled + 1, 19};
  const Node in_pool[2] = {{nullptr, 29}, {pooled, 23}};
  CHECK(cudaMemcpy(pooled, in_pool, sizeof in_pool, cudaMemcpyHostToDevice));
  unsigned some[72];
  for (unsigned i = 0; i < 72; ++i)
    some[i] = i * i;
  CHECK(cudaMemcpyToSymbol(weights, some + 3, 8 * sizeof(unsigned)));
  CHECK(cudaMemcpyToSymbol(unused, some, sizeof some));
  CHECK(cudaGetSymbolAddress(reinterpret_cast<void **>(&table), unused));
#ifdef REWRITTEN
  const unsigned scratch = Threads * sizeof(unsigned);
#else
  const unsigned scratch = 0;
#endif
  followPointers<<<Blocks, Threads, scratch>>>({7, values, managed}, 3);
  useVariables<<<Blocks, Threads, scratch>>>(values, table);
  const unsigned bytes = 100 * 1024;
  CHECK(cudaFuncSetAttribute(useSharedMemory,
                             cudaFuncAttributeMaxDynamicSharedMemorySize,
                             200 * 1024));
  useSharedMemory<<<Blocks, Threads, bytes>>>(values, bytes);
  void *arguments[] = {&values};
  CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<void *>(waitForAll),
                                    dim3(Blocks), dim3(Threads), arguments));
  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {2, 1, 1};
  cudaLaunchConfig_t config = {};
  config.gridDim = Blocks;
  config.blockDim = Threads;
  config.attrs = &cluster;
  config.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&config, useCluster, values));
  allocateHere<<<Blocks, Threads>>>(values);
  CHECK(cudaDeviceSynchronize());
  unsigned long long sum = 0;
  CHECK(cudaMemcpyFromSymbol(&sum, total, sizeof sum));
  std::printf("replay %llu\n", sum);
  fail<<<1, 1>>>(values);
  return cudaDeviceSynchronize() == cudaSuccess;
}
