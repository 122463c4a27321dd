// unseen.cu - what the recorder cannot follow, and has to say so
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A host function in a stream, memory that a graph allocates, a mipmapped
// array, and memory that other processes may open.

#include "check.h"

__global__ void fill(unsigned *values, unsigned start) {
  values[threadIdx.x] = start + threadIdx.x;
}

static void CUDART_CB add_one(void *counter) {
  ++*static_cast<unsigned *>(counter);
}

int main() {
  unsigned *values = nullptr, *inside = nullptr, counter = 0;
  CHECK(cudaMalloc(&values, 4096));
  fill<<<1, 256>>>(values, 1);
  CHECK(cudaLaunchHostFunc(nullptr, add_one, &counter));
  CHECK(cudaDeviceSynchronize());

  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
  CHECK(cudaMallocAsync(&inside, 4096, stream));
  fill<<<1, 256, 0, stream>>>(inside, 5);
  CHECK(cudaMemcpyAsync(values, inside, 1024, cudaMemcpyDeviceToDevice, stream));
  CHECK(cudaFreeAsync(inside, stream));
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  for (int i = 0; i < 3; ++i)
    CHECK(cudaGraphLaunch(executable, stream));
  CHECK(cudaStreamSynchronize(stream));

  cudaMipmappedArray_t levels;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  CHECK(cudaMallocMipmappedArray(&levels, &format, make_cudaExtent(64, 64, 0),
                                 3));
  cudaIpcMemHandle_t handle;
  const bool shared = cudaIpcGetMemHandle(&handle, values) == cudaSuccess;
  unsigned last = 0;
  CHECK(cudaMemcpy(&last, values + 255, sizeof last, cudaMemcpyDeviceToHost));
  std::printf("unseen %u %u %s\n", last, counter, shared ? "shared" : "alone");
  return 0;
}
