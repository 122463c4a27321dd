// plugin.cu - a program that forks, and loads its kernels late
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled twice: with PLUGIN as the library plugin.so, without as the program.
// With WRONG the library's variable is off by one.

#include "check.h"
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef PLUGIN

__device__ unsigned counters[64];

__global__ void count_up(unsigned by) {
  counters[threadIdx.x] += by * threadIdx.x;
#ifdef WRONG
  if (threadIdx.x == 7)
    ++counters[threadIdx.x];
#endif
}

extern "C" void run_plugin(unsigned by) {
  count_up<<<1, 64>>>(by);
  CHECK(cudaDeviceSynchronize());
}

#else

__global__ void fill(unsigned *values) { values[threadIdx.x] = threadIdx.x; }

int main() {
  unsigned *values = nullptr;
  CHECK(cudaMalloc(&values, 4096));
  fill<<<1, 256>>>(values);
  CHECK(cudaDeviceSynchronize());
  std::printf("parent\n");
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    std::printf("child\n");
    std::exit(3); // Runs the handlers that the parent registered.
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::printf("child ended with %d\n", WEXITSTATUS(status));
#ifdef WRONG
  void *plugin = dlopen("./plugin-wrong.so", RTLD_NOW);
#else
  void *plugin = dlopen("./plugin.so", RTLD_NOW);
#endif
  auto run = plugin ? reinterpret_cast<void (*)(unsigned)>(
                          dlsym(plugin, "run_plugin"))
                    : nullptr;
  if (!run)
    return 8;
  run(3);
  run(5);
  fill<<<1, 256>>>(values);
  CHECK(cudaDeviceSynchronize());
  return 0;
}

#endif
