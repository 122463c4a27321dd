//===-- runtime_stand_in.h - a CUDA runtime without a GPU -----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs that nvcc links with `-cudart none` and runtime_stand_in.cpp launch
// kernels that do nothing, on devices that are what stands here, and can ask
// what was launched.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TESTS_RUNTIME_STAND_IN_H
#define BANKSTRIPE_TESTS_RUNTIME_STAND_IN_H

#include <cuda_runtime_api.h>
#include <string>

namespace stand_in {

/// One kernel.
struct Kernel {
  std::string Name; ///< Readable, with template arguments.
  cudaFuncAttributes Attributes = {};
  int Launches = 0;
};

struct Launch {
  std::string Kernel;
  dim3 Grid, Block;
  size_t Bytes = 0;
  cudaStream_t Stream = nullptr;
  void *Argument = nullptr; ///< Where the first one is, if there is one.
};

struct Runtime {
  // What a program finds.
  int Devices = 1, Processors = 4;
  int OptinBytes = 227 * 1024;
  double OriginalTakes = 100, VersionTakes = 40; ///< Microseconds.
  bool IsCapturing = false, IsAhead = false;     ///< The host, of the GPU.
  int ReadyAfter = 0; ///< So many times events are asked for in vain.
  unsigned long long Context = 1;
  void (*DuringLaunch)() = nullptr; ///< Called once.

  // What it did.
  int Device = 0;
  Launch Last;
  double Clock = 0;
  int Events = 0; ///< That were recorded.
};
extern Runtime State;
extern thread_local cudaError_t Error; ///< The last one.

/// By the readable name.
Kernel &kernel(const std::string &Name);

} // namespace stand_in

#endif
