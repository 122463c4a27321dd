// builtin_cuda_runtime.h - the CUDA runtime's interface without a toolkit
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The second half of the built-in declarations: what host code calls. Included
// by builtin_cuda.h. What a function does, and what exactly it takes, is asked
// of those alone that launch kernels or say something about them.

#ifndef BANKSTRIPE_BUILTIN_CUDA_RUNTIME_H
#define BANKSTRIPE_BUILTIN_CUDA_RUNTIME_H
#pragma clang system_header

// clang-format off
typedef enum cudaError {
  cudaSuccess = 0, cudaErrorInvalidValue, cudaErrorMemoryAllocation,
  cudaErrorInitializationError, cudaErrorInvalidConfiguration = 9,
  cudaErrorNoDevice = 100, cudaErrorInvalidDevice,
  cudaErrorInvalidResourceHandle = 400, cudaErrorNotReady = 600,
  cudaErrorIllegalAddress = 700, cudaErrorLaunchOutOfResources,
  cudaErrorLaunchTimeout, cudaErrorLaunchFailure = 719, cudaErrorUnknown = 999
} cudaError_t;
enum cudaMemcpyKind {
  cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice, cudaMemcpyDefault
};
enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
  cudaFuncAttributePreferredSharedMemoryCarveout
};
enum cudaFuncCache {
  cudaFuncCachePreferNone, cudaFuncCachePreferShared, cudaFuncCachePreferL1,
  cudaFuncCachePreferEqual
};
enum cudaSharedMemConfig {
  cudaSharedMemBankSizeDefault, cudaSharedMemBankSizeFourByte,
  cudaSharedMemBankSizeEightByte
};
enum cudaSharedCarveout {
  cudaSharedmemCarveoutDefault = -1, cudaSharedmemCarveoutMaxL1,
  cudaSharedmemCarveoutMaxShared = 100
};
enum cudaLimit {
  cudaLimitStackSize, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize
};
enum cudaDeviceAttr {
  cudaDevAttrMaxThreadsPerBlock = 1, cudaDevAttrMaxSharedMemoryPerBlock = 8,
  cudaDevAttrWarpSize = 10, cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrMaxThreadsPerMultiProcessor = 39,
  cudaDevAttrComputeCapabilityMajor = 75, cudaDevAttrComputeCapabilityMinor,
  cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
  cudaDevAttrMaxRegistersPerMultiprocessor,
  cudaDevAttrCooperativeLaunch = 95,
  cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
  cudaDevAttrMaxBlocksPerMultiprocessor = 106,
  cudaDevAttrReservedSharedMemoryPerBlock = 111
};
enum cudaLaunchAttributeID {
  cudaLaunchAttributeIgnore = 0, cudaLaunchAttributeCooperative = 2,
  cudaLaunchAttributeClusterDimension = 4,
  cudaLaunchAttributeProgrammaticStreamSerialization = 6,
  cudaLaunchAttributePriority = 8
};
enum : unsigned {
  cudaStreamDefault, cudaStreamNonBlocking, cudaEventDefault = 0,
  cudaEventBlockingSync, cudaEventDisableTiming, cudaHostAllocDefault = 0,
  cudaHostAllocMapped = 2, cudaMemAttachGlobal = 1
};
// clang-format on

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

// Whatever they are given, the symbols of the device among it.
#define BS_CALL(Name)                                                          \
  template <class... Given>                                                    \
  __host__ __device__ cudaError_t Name(const Given &...);
// clang-format off
BS_CALL(cudaMalloc) BS_CALL(cudaMallocHost) BS_CALL(cudaHostAlloc)
BS_CALL(cudaMallocManaged) BS_CALL(cudaMallocAsync) BS_CALL(cudaMallocPitch)
BS_CALL(cudaFree) BS_CALL(cudaFreeAsync) BS_CALL(cudaFreeHost)
BS_CALL(cudaMemcpy) BS_CALL(cudaMemcpy2D) BS_CALL(cudaMemcpyAsync)
BS_CALL(cudaMemcpyToSymbol) BS_CALL(cudaMemcpyFromSymbol)
BS_CALL(cudaGetSymbolAddress) BS_CALL(cudaMemset) BS_CALL(cudaMemsetAsync)
BS_CALL(cudaMemGetInfo) BS_CALL(cudaMemPrefetchAsync)
BS_CALL(cudaDeviceSynchronize) BS_CALL(cudaThreadSynchronize)
BS_CALL(cudaDeviceReset) BS_CALL(cudaGetLastError)
BS_CALL(cudaPeekAtLastError) BS_CALL(cudaSetDevice) BS_CALL(cudaGetDevice)
BS_CALL(cudaGetDeviceCount) BS_CALL(cudaGetDeviceProperties)
BS_CALL(cudaDeviceGetAttribute) BS_CALL(cudaDeviceSetCacheConfig)
BS_CALL(cudaDeviceSetSharedMemConfig) BS_CALL(cudaDeviceSetLimit)
BS_CALL(cudaDeviceGetLimit) BS_CALL(cudaEventCreate)
BS_CALL(cudaEventCreateWithFlags) BS_CALL(cudaEventRecord)
BS_CALL(cudaEventSynchronize) BS_CALL(cudaEventQuery)
BS_CALL(cudaEventElapsedTime) BS_CALL(cudaEventDestroy)
BS_CALL(cudaStreamCreate) BS_CALL(cudaStreamCreateWithFlags)
BS_CALL(cudaStreamSynchronize) BS_CALL(cudaStreamWaitEvent)
BS_CALL(cudaStreamQuery) BS_CALL(cudaStreamDestroy)
// clang-format on
#undef BS_CALL
                                                                __host__
    __device__ const char *cudaGetErrorString(cudaError_t);
__host__ __device__ const char *cudaGetErrorName(cudaError_t);

// What is asked or told of a kernel, which may come as a `const void *`.
template <class K>
cudaError_t cudaFuncSetAttribute(K *Kernel, cudaFuncAttribute A, int Value);
template <class K>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *A, K *Kernel);
template <class K> cudaError_t cudaFuncSetCacheConfig(K *Kernel, cudaFuncCache);
template <class K>
cudaError_t cudaFuncSetSharedMemConfig(K *Kernel, cudaSharedMemConfig);
template <class K>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *Blocks, K Kernel,
                                                          int Threads,
                                                          size_t Shared);
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
                             size_t Shared = 0, cudaStream_t Stream = 0);
template <class K>
cudaError_t cudaLaunchCooperativeKernel(K *Kernel, dim3 Grid, dim3 Block,
                                        void **Args, size_t Shared = 0,
                                        cudaStream_t Stream = 0);
template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *Configuration,
                               void (*Kernel)(Parameters...),
                               Arguments &&...Args);
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *, const void *,
                                void **);

extern "C" {
// What Clang makes of `<<<...>>>`.
unsigned __cudaPushCallConfiguration(dim3, dim3, size_t = 0, void * = 0);
cudaError_t cudaConfigureCall(dim3, dim3, size_t = 0, cudaStream_t = 0);
// The same in a kernel.
__device__ void *cudaGetParameterBuffer(size_t, size_t);
__device__ cudaError_t cudaLaunchDevice(void *, void *, dim3, dim3,
                                        unsigned = 0, cudaStream_t = 0);
}

#endif
