//===-- host_functions.h - what programs call of CUDA, on the host --------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of the device and of the runtime library that the programs of
// the tests call. The end of host_cuda.h, which has what they stand on.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TESTS_CPU_HOST_FUNCTIONS_H
#define BANKSTRIPE_TESTS_CPU_HOST_FUNCTIONS_H

#include "host_cuda.h"

//===----------------------------------------------------------------------===//
// Device functions
//===----------------------------------------------------------------------===//

// Fibers change places only where they ask for it, so these are atomic.
#define HOST_CUDA_ATOMIC(NAME, RESULT)                                         \
  template <class T> T NAME(T *Address, std::type_identity_t<T> Value) {       \
    const T Old = *Address;                                                    \
    *Address = RESULT;                                                         \
    return Old;                                                                \
  }
HOST_CUDA_ATOMIC(atomicAdd, static_cast<T>(Old + Value))
HOST_CUDA_ATOMIC(atomicSub, static_cast<T>(Old - Value))
HOST_CUDA_ATOMIC(atomicExch, Value)
HOST_CUDA_ATOMIC(atomicMin, Value < Old ? Value : Old)
HOST_CUDA_ATOMIC(atomicMax, Value > Old ? Value : Old)
HOST_CUDA_ATOMIC(atomicAnd, static_cast<T>(Old &Value))
HOST_CUDA_ATOMIC(atomicOr, static_cast<T>(Old | Value))
HOST_CUDA_ATOMIC(atomicXor, static_cast<T>(Old ^ Value))
HOST_CUDA_ATOMIC(atomicInc, Old >= Value ? 0 : Old + 1)
HOST_CUDA_ATOMIC(atomicDec, Old == 0 || Old > Value ? Value : Old - 1)
#undef HOST_CUDA_ATOMIC

template <class T>
T atomicCAS(T *Address, std::type_identity_t<T> Compare,
            std::type_identity_t<T> Value) {
  const T Old = *Address;
  if (Old == Compare)
    *Address = Value;
  return Old;
}

template <class A, class B> auto min(A X, B Y) {
  using T = std::common_type_t<A, B>;
  return static_cast<T>(Y) < static_cast<T>(X) ? static_cast<T>(Y)
                                               : static_cast<T>(X);
}
template <class A, class B> auto max(A X, B Y) {
  using T = std::common_type_t<A, B>;
  return static_cast<T>(X) < static_cast<T>(Y) ? static_cast<T>(Y)
                                               : static_cast<T>(X);
}
template <class T> T __ldg(const T *Address) { return *Address; }
inline int __popc(unsigned Value) { return __builtin_popcount(Value); }
inline int __clz(int Value) {
  return Value ? __builtin_clz(static_cast<unsigned>(Value)) : 32;
}
inline unsigned __float_as_uint(float Value) {
  return __builtin_bit_cast(unsigned, Value);
}
inline float __uint_as_float(unsigned Value) {
  return __builtin_bit_cast(float, Value);
}
inline float rsqrtf(float Value) { return 1.0f / std::sqrt(Value); }

//===----------------------------------------------------------------------===//
// The runtime library
//===----------------------------------------------------------------------===//

using cudaError_t = host_cuda::Error;
using cudaStream_t = void *;
inline constexpr cudaError_t cudaSuccess = host_cuda::Success;
enum cudaMemcpyKind {
  cudaMemcpyHostToHost,
  cudaMemcpyHostToDevice,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice,
  cudaMemcpyDefault
};

inline const char *cudaGetErrorString(cudaError_t Status) {
  switch (Status) {
  case host_cuda::Success:
    return "no error";
  case host_cuda::InvalidConfiguration:
    return "invalid configuration argument";
  case host_cuda::InvalidPointer:
    return "invalid device pointer";
  case host_cuda::CooperativeLaunchTooLarge:
    return "too many blocks in cooperative launch";
  }
  return "unknown error";
}
template <class T> cudaError_t cudaMalloc(T **Pointer, size_t Bytes) {
  *Pointer = static_cast<T *>(host_cuda::Memory::instance().allocate(Bytes));
  return cudaSuccess;
}
inline cudaError_t cudaFree(void *Pointer) {
  return host_cuda::Memory::instance().release(Pointer)
             ? cudaSuccess
             : host_cuda::InvalidPointer;
}
inline cudaError_t cudaMemcpy(void *To, const void *From, size_t Bytes,
                              cudaMemcpyKind) {
  std::memmove(To, From, Bytes);
  return cudaSuccess;
}
inline cudaError_t cudaMemset(void *To, int Value, size_t Bytes) {
  std::memset(To, Value, Bytes);
  return cudaSuccess;
}
template <class T>
cudaError_t cudaMemcpyToSymbol(T &Symbol, const void *From, size_t Bytes) {
  std::memcpy(&Symbol, From, Bytes);
  return cudaSuccess;
}
inline cudaError_t cudaGetDevice(int *Device) {
  *Device = 0;
  return cudaSuccess;
}
enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
  cudaFuncAttributePreferredSharedMemoryCarveout = 9
};
struct cudaFuncAttributes {
  size_t sharedSizeBytes;
  int numRegs;
  int maxDynamicSharedSizeBytes;
};
inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *Attributes,
                                         const void *) {
  *Attributes = {0, 40, 48 * 1024};
  return cudaSuccess;
}
inline cudaError_t cudaFuncSetAttribute(const void *, cudaFuncAttribute, int) {
  return cudaSuccess;
}
enum cudaDeviceAttr {
  cudaDevAttrMultiProcessorCount = host_cuda::Multiprocessors,
  cudaDevAttrMaxThreadsPerMultiProcessor = 2048,
  cudaDevAttrMaxSharedMemoryPerMultiprocessor =
      host_cuda::SharedPerMultiprocessor,
  cudaDevAttrMaxRegistersPerMultiprocessor = 65536,
  cudaDevAttrMaxBlocksPerMultiprocessor = 32,
  cudaDevAttrReservedSharedMemoryPerBlock = 1024
};
inline cudaError_t cudaDeviceGetAttribute(int *Value, cudaDeviceAttr What,
                                          int) {
  *Value = What;
  return cudaSuccess;
}
template <class Kernel>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *Blocks, Kernel,
                                                          int Threads,
                                                          size_t Dynamic) {
  *Blocks = host_cuda::residentBlocks(Threads, Dynamic);
  return cudaSuccess;
}

// Launches by functions. run_on_host.py sees to it that they get kernels of
// their own type.
template <class... P>
cudaError_t cudaLaunchKernel(void (*Kernel)(P...), dim3 Grid, dim3 Block,
                             void **Arguments, size_t Dynamic = 0,
                             cudaStream_t = nullptr) {
  return host_cuda::Configuration("function", Grid, Block, Dynamic)
      .launch(Kernel, Arguments);
}
template <class... P>
cudaError_t cudaLaunchCooperativeKernel(void (*Kernel)(P...), dim3 Grid,
                                        dim3 Block, void **Arguments,
                                        size_t Dynamic = 0,
                                        cudaStream_t = nullptr) {
  host_cuda::Configuration C("function", Grid, Block, Dynamic);
  C.Cooperative = true;
  return C.launch(Kernel, Arguments);
}

enum cudaLaunchAttributeID {
  cudaLaunchAttributeIgnore = 0,
  cudaLaunchAttributeCooperative = 2,
  cudaLaunchAttributePriority = 8
};
struct cudaLaunchAttribute {
  cudaLaunchAttributeID id;
  struct {
    int cooperative, priority;
  } val;
};
struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute *attrs;
  unsigned numAttrs;
};
template <class... P>
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *Given,
                                void (*Kernel)(P...), void **Arguments) {
  host_cuda::Configuration C("configuration", Given->gridDim, Given->blockDim,
                             Given->dynamicSmemBytes);
  for (unsigned I = 0; I < Given->numAttrs; ++I)
    C.Cooperative |= Given->attrs[I].id == cudaLaunchAttributeCooperative;
  return C.launch(Kernel, Arguments);
}
template <class... P>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *Given,
                               void (*Kernel)(P...),
                               std::type_identity_t<P>... Arguments) {
  void *Pointers[] = {&Arguments...};
  return cudaLaunchKernelExC(Given, Kernel, Pointers);
}

inline cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
enum cudaLimit { cudaLimitStackSize };
inline cudaError_t cudaDeviceSetLimit(cudaLimit, size_t) { return cudaSuccess; }
inline cudaError_t cudaPeekAtLastError() { return host_cuda::LastError; }
inline cudaError_t cudaGetLastError() {
  const cudaError_t Status = host_cuda::LastError;
  host_cuda::LastError = cudaSuccess;
  return Status;
}

#endif
