// builtin_cuda_runtime.h - the CUDA runtime's interface without a toolkit
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The second half of the built-in declarations: what host code calls. Included
// by builtin_cuda.h.

#ifndef BANKSTRIPE_BUILTIN_CUDA_RUNTIME_H
#define BANKSTRIPE_BUILTIN_CUDA_RUNTIME_H
#pragma clang system_header

enum cudaError {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInitializationError = 3,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorNoDevice = 100,
  cudaErrorInvalidDevice = 101,
  cudaErrorInvalidResourceHandle = 400,
  cudaErrorNotReady = 600,
  cudaErrorIllegalAddress = 700,
  cudaErrorLaunchOutOfResources = 701,
  cudaErrorLaunchTimeout = 702,
  cudaErrorLaunchFailure = 719,
  cudaErrorUnknown = 999
};
typedef enum cudaError cudaError_t;

enum cudaMemcpyKind {
  cudaMemcpyHostToHost,
  cudaMemcpyHostToDevice,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice,
  cudaMemcpyDefault
};

enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
  cudaFuncAttributePreferredSharedMemoryCarveout = 9
};
enum cudaFuncCache {
  cudaFuncCachePreferNone,
  cudaFuncCachePreferShared,
  cudaFuncCachePreferL1,
  cudaFuncCachePreferEqual
};
enum cudaSharedMemConfig {
  cudaSharedMemBankSizeDefault,
  cudaSharedMemBankSizeFourByte,
  cudaSharedMemBankSizeEightByte
};
enum cudaSharedCarveout {
  cudaSharedmemCarveoutDefault = -1,
  cudaSharedmemCarveoutMaxL1 = 0,
  cudaSharedmemCarveoutMaxShared = 100
};
enum cudaLimit {
  cudaLimitStackSize,
  cudaLimitPrintfFifoSize,
  cudaLimitMallocHeapSize
};
enum cudaDeviceAttr {
  cudaDevAttrMaxThreadsPerBlock = 1,
  cudaDevAttrMaxSharedMemoryPerBlock = 8,
  cudaDevAttrWarpSize = 10,
  cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrMaxThreadsPerMultiProcessor = 39,
  cudaDevAttrComputeCapabilityMajor = 75,
  cudaDevAttrComputeCapabilityMinor = 76,
  cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
  cudaDevAttrMaxRegistersPerMultiprocessor = 82,
  cudaDevAttrCooperativeLaunch = 95,
  cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
  cudaDevAttrMaxBlocksPerMultiprocessor = 106,
  cudaDevAttrReservedSharedMemoryPerBlock = 111
};

typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;

struct cudaFuncAttributes {
  size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
  int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion;
  int cacheModeCA, maxDynamicSharedSizeBytes, preferredShmemCarveout;
};

struct cudaDeviceProp {
  char name[256];
  size_t totalGlobalMem, sharedMemPerBlock, totalConstMem;
  int regsPerBlock, warpSize, maxThreadsPerBlock;
  int maxThreadsDim[3], maxGridSize[3];
  int major, minor, multiProcessorCount;
  int concurrentKernels, maxThreadsPerMultiProcessor, managedMemory;
  int memoryBusWidth, l2CacheSize, cooperativeLaunch;
  size_t sharedMemPerMultiprocessor, sharedMemPerBlockOptin;
  int regsPerMultiprocessor, maxBlocksPerMultiProcessor;
};

enum cudaLaunchAttributeID {
  cudaLaunchAttributeIgnore = 0,
  cudaLaunchAttributeCooperative = 2,
  cudaLaunchAttributeClusterDimension = 4,
  cudaLaunchAttributeProgrammaticStreamSerialization = 6,
  cudaLaunchAttributePriority = 8
};
union cudaLaunchAttributeValue {
  char pad[64];
  int cooperative, priority, programmaticStreamSerializationAllowed;
  struct {
    unsigned int x, y, z;
  } clusterDim;
};
struct cudaLaunchAttribute {
  cudaLaunchAttributeID id;
  cudaLaunchAttributeValue val;
};
struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  size_t dynamicSmemBytes;
  cudaStream_t stream;
  cudaLaunchAttribute *attrs;
  unsigned int numAttrs;
};

#define cudaStreamDefault 0x00
#define cudaStreamNonBlocking 0x01
#define cudaEventDefault 0x00
#define cudaEventBlockingSync 0x01
#define cudaEventDisableTiming 0x02
#define cudaHostAllocDefault 0x00
#define cudaHostAllocMapped 0x02
#define cudaMemAttachGlobal 0x01

extern "C" {
cudaError_t cudaMalloc(void **, size_t);
cudaError_t cudaMallocHost(void **, size_t);
cudaError_t cudaHostAlloc(void **, size_t, unsigned int);
cudaError_t cudaMallocManaged(void **, size_t, unsigned int);
cudaError_t cudaMallocAsync(void **, size_t, cudaStream_t);
cudaError_t cudaMallocPitch(void **, size_t *, size_t, size_t);
cudaError_t cudaFree(void *);
cudaError_t cudaFreeAsync(void *, cudaStream_t);
cudaError_t cudaFreeHost(void *);
cudaError_t cudaMemcpy(void *, const void *, size_t, cudaMemcpyKind);
cudaError_t cudaMemcpy2D(void *, size_t, const void *, size_t, size_t, size_t,
                         cudaMemcpyKind);
cudaError_t cudaMemcpyAsync(void *, const void *, size_t, cudaMemcpyKind,
                            cudaStream_t = 0);
cudaError_t cudaMemcpyToSymbol(const void *, const void *, size_t, size_t = 0,
                               cudaMemcpyKind = cudaMemcpyHostToDevice);
cudaError_t cudaMemcpyFromSymbol(void *, const void *, size_t, size_t = 0,
                                 cudaMemcpyKind = cudaMemcpyDeviceToHost);
cudaError_t cudaGetSymbolAddress(void **, const void *);
cudaError_t cudaMemset(void *, int, size_t);
cudaError_t cudaMemsetAsync(void *, int, size_t, cudaStream_t = 0);
cudaError_t cudaMemGetInfo(size_t *, size_t *);
cudaError_t cudaMemPrefetchAsync(const void *, size_t, int, cudaStream_t = 0);

__host__ __device__ cudaError_t cudaDeviceSynchronize();
cudaError_t cudaThreadSynchronize();
cudaError_t cudaDeviceReset();
__host__ __device__ cudaError_t cudaGetLastError();
__host__ __device__ cudaError_t cudaPeekAtLastError();
__host__ __device__ const char *cudaGetErrorString(cudaError_t);
__host__ __device__ const char *cudaGetErrorName(cudaError_t);
cudaError_t cudaSetDevice(int);
cudaError_t cudaGetDevice(int *);
cudaError_t cudaGetDeviceCount(int *);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *, int);
cudaError_t cudaDeviceGetAttribute(int *, cudaDeviceAttr, int);
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache);
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig);
cudaError_t cudaDeviceSetLimit(cudaLimit, size_t);
cudaError_t cudaDeviceGetLimit(size_t *, cudaLimit);

cudaError_t cudaEventCreate(cudaEvent_t *);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *, unsigned int);
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = 0);
cudaError_t cudaEventSynchronize(cudaEvent_t);
cudaError_t cudaEventQuery(cudaEvent_t);
cudaError_t cudaEventElapsedTime(float *, cudaEvent_t, cudaEvent_t);
cudaError_t cudaEventDestroy(cudaEvent_t);
cudaError_t cudaStreamCreate(cudaStream_t *);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *, unsigned int);
cudaError_t cudaStreamSynchronize(cudaStream_t);
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned int = 0);
cudaError_t cudaStreamQuery(cudaStream_t);
cudaError_t cudaStreamDestroy(cudaStream_t);

cudaError_t cudaFuncSetAttribute(const void *, cudaFuncAttribute, int);
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *, const void *);
cudaError_t cudaFuncSetCacheConfig(const void *, cudaFuncCache);
cudaError_t cudaFuncSetSharedMemConfig(const void *, cudaSharedMemConfig);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *, const void *,
                                                          int, size_t);
cudaError_t cudaLaunchKernel(const void *, dim3, dim3, void **, size_t = 0,
                             cudaStream_t = 0);
cudaError_t cudaLaunchCooperativeKernel(const void *, dim3, dim3, void **,
                                        size_t = 0, cudaStream_t = 0);
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *, const void *,
                                void **);

// What Clang makes of `<<<...>>>`.
unsigned __cudaPushCallConfiguration(dim3, dim3, size_t = 0, void * = 0);
cudaError_t cudaConfigureCall(dim3, dim3, size_t = 0, cudaStream_t = 0);
// The same in a kernel.
__device__ void *cudaGetParameterBuffer(size_t, size_t);
__device__ cudaError_t cudaLaunchDevice(void *, void *, dim3, dim3,
                                        unsigned = 0, cudaStream_t = 0);
}

// The forms that take typed pointers and kernels.
template <class T> cudaError_t cudaMalloc(T **P, size_t Bytes) {
  return cudaMalloc((void **)P, Bytes);
}
template <class T> cudaError_t cudaMallocHost(T **P, size_t Bytes) {
  return cudaMallocHost((void **)P, Bytes);
}
template <class T>
cudaError_t cudaHostAlloc(T **P, size_t Bytes, unsigned int Flags) {
  return cudaHostAlloc((void **)P, Bytes, Flags);
}
template <class T>
cudaError_t cudaMallocManaged(T **P, size_t Bytes,
                              unsigned int Flags = cudaMemAttachGlobal) {
  return cudaMallocManaged((void **)P, Bytes, Flags);
}
template <class T>
cudaError_t cudaMallocAsync(T **P, size_t Bytes, cudaStream_t Stream) {
  return cudaMallocAsync((void **)P, Bytes, Stream);
}
template <class T>
cudaError_t cudaMallocPitch(T **P, size_t *Pitch, size_t Width, size_t Height) {
  return cudaMallocPitch((void **)P, Pitch, Width, Height);
}
template <class T>
cudaError_t cudaMemcpyToSymbol(const T &Symbol, const void *From, size_t Bytes,
                               size_t Offset = 0,
                               cudaMemcpyKind Kind = cudaMemcpyHostToDevice) {
  return cudaMemcpyToSymbol((const void *)&Symbol, From, Bytes, Offset, Kind);
}
template <class T>
cudaError_t cudaMemcpyFromSymbol(void *To, const T &Symbol, size_t Bytes,
                                 size_t Offset = 0,
                                 cudaMemcpyKind Kind = cudaMemcpyDeviceToHost) {
  return cudaMemcpyFromSymbol(To, (const void *)&Symbol, Bytes, Offset, Kind);
}
template <class T> cudaError_t cudaGetSymbolAddress(void **P, const T &Symbol) {
  return cudaGetSymbolAddress(P, (const void *)&Symbol);
}
template <class K>
cudaError_t cudaFuncSetAttribute(K *Kernel, cudaFuncAttribute A, int Value) {
  return cudaFuncSetAttribute((const void *)Kernel, A, Value);
}
template <class K>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *A, K *Kernel) {
  return cudaFuncGetAttributes(A, (const void *)Kernel);
}
template <class K>
cudaError_t cudaFuncSetCacheConfig(K *Kernel, cudaFuncCache C) {
  return cudaFuncSetCacheConfig((const void *)Kernel, C);
}
template <class K>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *Blocks, K Kernel,
                                                          int Threads,
                                                          size_t Shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      Blocks, (const void *)Kernel, Threads, Shared);
}
template <class K>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *Blocks, K Kernel, int Threads, size_t Shared, unsigned int Flags);
template <class K>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int *Grid, int *Block, K Kernel,
                                               size_t Shared = 0,
                                               int Limit = 0);
template <class Function, class K>
cudaError_t
cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *Grid, int *Block, K Kernel,
                                               Function Shared, int Limit = 0);
template <class K>
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *Bytes, K Kernel,
                                                      int Blocks, int Threads);
template <class K>
cudaError_t cudaOccupancyMaxActiveClusters(int *Clusters, K *Kernel,
                                           const cudaLaunchConfig_t *);
template <class K>
cudaError_t cudaOccupancyMaxPotentialClusterSize(int *Blocks, K *Kernel,
                                                 const cudaLaunchConfig_t *);
template <class K>
cudaError_t cudaLaunchKernel(K *Kernel, dim3 Grid, dim3 Block, void **Args,
                             size_t Shared = 0, cudaStream_t Stream = 0) {
  return cudaLaunchKernel((const void *)Kernel, Grid, Block, Args, Shared,
                          Stream);
}
template <class K>
cudaError_t cudaLaunchCooperativeKernel(K *Kernel, dim3 Grid, dim3 Block,
                                        void **Args, size_t Shared = 0,
                                        cudaStream_t Stream = 0) {
  return cudaLaunchCooperativeKernel((const void *)Kernel, Grid, Block, Args,
                                     Shared, Stream);
}
#if __cplusplus >= 201103L
template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *Configuration,
                               void (*Kernel)(Parameters...),
                               Arguments &&...Args);
#endif

#endif
