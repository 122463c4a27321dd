// launches.cu - the other ways to launch a kernel, and other memory
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch with a cluster, a cooperative launch, one that fails, and other
// memory: pinned, registered, an array (which is not digested), and some that
// is never mapped.
// With WRONG the cooperative kernel is off in one element.

#include "check.h"
#include <cooperative_groups.h>
#include <cuda.h>
#include <vector>

__global__ void clustered(unsigned *values, unsigned add) {
  values[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x + add;
}

__global__ void together(unsigned *values, unsigned count) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned other = values[(thread + 300) % count];
  cooperative_groups::this_grid().sync();
  values[thread] += other;
#ifdef WRONG
  if (thread == 1023)
    ++values[thread];
#endif
}

__global__ void host_memory(unsigned *pinned) { pinned[threadIdx.x] = 1; }

static void map_memory() {
  CUmemAllocationProp what = {};
  what.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  what.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  size_t bytes = 0;
  CUmemGenericAllocationHandle handle;
  if (cuMemGetAllocationGranularity(
          &bytes, &what, CU_MEM_ALLOC_GRANULARITY_MINIMUM) == CUDA_SUCCESS &&
      cuMemCreate(&handle, bytes, &what, 0) == CUDA_SUCCESS)
    cuMemRelease(handle);
}

int main() {
  unsigned *values = nullptr, *pinned = nullptr;
  unsigned count = 1024, add = 3;
  CHECK(cudaMalloc(&values, count * sizeof(unsigned)));
  cudaLaunchConfig_t config = {};
  config.gridDim = 8;
  config.blockDim = 128;
  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = 2;
  cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
  config.attrs = &cluster;
  config.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&config, clustered, values, add));
  void *arguments[] = {&values, &count};
  CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<void *>(together), 8, 128,
                                    arguments, 0, 0));
  // Too much dynamic shared memory: the launch fails, the program goes on.
  clustered<<<8, 128, 1 << 20>>>(values, 4);
  std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));

  CHECK(cudaMallocHost(&pinned, 4096));
  host_memory<<<1, 32>>>(pinned);
  std::vector<char> pageable(8192);
  CHECK(cudaHostRegister(pageable.data(), pageable.size(),
                         cudaHostRegisterDefault));
  cudaArray_t array;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  CHECK(cudaMallocArray(&array, &format, 64, 64));
  map_memory();
  CHECK(cudaDeviceSynchronize());
  std::printf("%u\n", pinned[31]);
  CHECK(cudaHostUnregister(pageable.data()));
  return 0;
}
