// memory.cu - memory that is not had by cudaMalloc
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels write pinned and registered host memory, a virtual mapping, memory of
// a pool, and a mapping that is undone and done again. With WRONG=N the Nth of
// them (from 0) is off in one element.

#include "check.h"
#include "check_driver.h"
#include <cstring>
#include <cuda.h>
#include <vector>

#ifndef WRONG
#define WRONG -1
#endif

__global__ void write(unsigned *values, unsigned add, bool wrong) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  values[thread] += thread * 7 + add;
  if (wrong && thread == 500)
    ++values[thread];
}

struct Mapping {
  CUdeviceptr address = 0;
  size_t bytes = 0;
  CUmemGenericAllocationHandle memory = 0;

  Mapping() {
    CUmemAllocationProp what = {};
    what.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    what.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    CHECK_DRIVER(cuMemGetAllocationGranularity(
        &bytes, &what, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    CHECK_DRIVER(cuMemAddressReserve(&address, bytes, 0, 0, 0));
    CHECK_DRIVER(cuMemCreate(&memory, bytes, &what, 0));
    map();
  }
  void map() {
    CUmemAccessDesc access = {};
    access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    CHECK_DRIVER(cuMemMap(address, bytes, 0, memory, 0));
    CHECK_DRIVER(cuMemSetAccess(address, bytes, &access, 1));
  }
  void unmap() {
    CHECK(cudaDeviceSynchronize());
    CHECK_DRIVER(cuMemUnmap(address, bytes));
  }
  unsigned *values() const { return reinterpret_cast<unsigned *>(address); }
};

static unsigned last(const unsigned *values) {
  unsigned value = 0;
  CHECK(cudaMemcpy(&value, values + 1023, sizeof value, cudaMemcpyDefault));
  return value;
}

int main() {
  constexpr size_t bytes = 1024 * sizeof(unsigned);
  CHECK(cudaFree(nullptr));
  unsigned *pinned = nullptr, *pooled = nullptr;
  CHECK(cudaHostAlloc(&pinned, bytes, cudaHostAllocDefault));
  std::memset(pinned, 0, bytes);
  std::vector<unsigned> plain(1024 + 1);
  unsigned *registered = plain.data() + 1; // At no multiple of 8.
  CHECK(cudaHostRegister(registered, bytes, cudaHostRegisterDefault));
  Mapping mapping;
  cudaMemPool_t pool;
  cudaMemPoolProps properties = {};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  CHECK(cudaMemPoolCreate(&pool, &properties));
  CHECK(cudaMallocFromPoolAsync(&pooled, bytes, pool, cudaStreamPerThread));
  CHECK(cudaMemsetAsync(pooled, 0, bytes, cudaStreamPerThread));
  CHECK(cudaMemsetAsync(mapping.values(), 0, bytes, cudaStreamPerThread));
  unsigned *all[] = {pinned, registered, mapping.values(), pooled};
  for (int i = 0; i < 4; ++i)
    write<<<4, 256, 0, cudaStreamPerThread>>>(all[i], i, WRONG == i);
  CHECK(cudaDeviceSynchronize());
  for (const unsigned *values : all)
    std::printf("%u\n", last(values));
  mapping.unmap();
  mapping.map(); // It still holds what it held.
  write<<<4, 256, 0, cudaStreamPerThread>>>(mapping.values(), 9, WRONG == 4);
  CHECK(cudaDeviceSynchronize());
  std::printf("%u\n", last(mapping.values()));
  mapping.unmap();
  CHECK(cudaFreeAsync(pooled, cudaStreamPerThread));
  CHECK(cudaHostUnregister(registered));
  CHECK(cudaFreeHost(pinned));
  return 0;
}
