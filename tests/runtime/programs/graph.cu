// graph.cu - a captured graph, launched twice
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With WRONG the graph's kernel is off in one element.

#include "check.h"

__global__ void step(unsigned *values, unsigned add) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  values[thread] = values[thread] * 3 + add;
#ifdef WRONG
  if (thread == 1000)
    ++values[thread];
#endif
}

int main() {
  unsigned *values = nullptr, *others = nullptr;
  CHECK(cudaMalloc(&values, 4096 * sizeof(unsigned)));
  CHECK(cudaMemset(values, 0, 4096 * sizeof(unsigned)));
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  cudaGraph_t graph;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  step<<<16, 256, 0, stream>>>(values, 1);
  step<<<16, 256, 0, stream>>>(values, 2);
  CHECK(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t executable;
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  CHECK(cudaGraphLaunch(executable, stream));
  CHECK(cudaGraphLaunch(executable, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaMalloc(&others, 1 << 20));
  CHECK(cudaMemset(others, 1, 1 << 20));
  step<<<16, 256>>>(others, 5);
  CHECK(cudaDeviceSynchronize());
  unsigned last = 0;
  CHECK(cudaMemcpy(&last, values + 4095, 4, cudaMemcpyDeviceToHost));
  std::printf("graph %u\n", last);
  return 0;
}
