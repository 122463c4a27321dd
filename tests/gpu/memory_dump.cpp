// memory_dump.cpp - what each launch of a program leaves in device memory
//
// A library that the CUDA driver loads into a program (CUDA_INJECTION64_PATH).
// After each launch it copies all memory that the program has from cudaMalloc()
// to the host, and writes what is new to the file that MEMORY_DUMP names:
//
//     launch N allocation I bytes B        allocations count from 0
//     (B bytes)
//     ...
//     launches N
//
// or, at the end, `launch N fails with error E`. It takes no digests, skips
// nothing, and shares no code with the recorder: it is what the recorder is
// judged by. Memory is filled with 0xA5 when it is
// allocated, as the recorder does, so that memory nobody wrote is the same in
// every run.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <cupti.h>
#include <map>
#include <vector>

namespace {

struct Memory {
  unsigned number;
  std::vector<unsigned char> bytes;
};

std::map<CUdeviceptr, Memory> allocations;
unsigned allocated = 0, launches = 0;
std::FILE *file = nullptr;
bool busy = false; // The calls are our own.

void check(CUresult result) {
  if (result == CUDA_SUCCESS)
    return;
  std::fprintf(file, "launch %u fails with error %d\n", launches,
               static_cast<int>(result));
  std::fflush(file);
  std::_Exit(9);
}

void dump() {
  check(cuCtxSynchronize());
  for (auto &[address, memory] : allocations) {
    std::vector<unsigned char> now(memory.bytes.size());
    check(cuMemcpyDtoH(now.data(), address, now.size()));
    if (now == memory.bytes)
      continue;
    std::fprintf(file, "launch %u allocation %u bytes %zu\n", launches,
                 memory.number, now.size());
    std::fwrite(now.data(), 1, now.size(), file);
    memory.bytes.swap(now);
  }
  ++launches;
}

void left(CUpti_CallbackId id, const CUpti_CallbackData &data) {
  check(*static_cast<const CUresult *>(data.functionReturnValue));
  if (id == CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2) {
    const auto &call =
        *static_cast<const cuMemAlloc_v2_params *>(data.functionParams);
    check(cuMemsetD8(*call.dptr, 0xa5, call.bytesize));
    allocations[*call.dptr] = {allocated++,
                               std::vector<unsigned char>(call.bytesize, 0xa5)};
  } else if (id == CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2) {
    allocations.erase(
        static_cast<const cuMemFree_v2_params *>(data.functionParams)->dptr);
  } else {
    dump();
  }
}

void CUPTIAPI called(void *, CUpti_CallbackDomain, CUpti_CallbackId id,
                     const void *what) {
  const auto &data = *static_cast<const CUpti_CallbackData *>(what);
  if (busy || data.callbackSite != CUPTI_API_EXIT)
    return;
  busy = true;
  left(id, data);
  busy = false;
}

void end() {
  std::fprintf(file, "launches %u\n", launches);
  std::fclose(file);
}

} // namespace

extern "C" int InitializeInjection() {
  const char *path = std::getenv("MEMORY_DUMP");
  file = path ? std::fopen(path, "wb") : nullptr;
  if (!file)
    return 1;
  CUpti_SubscriberHandle subscriber;
  cuptiSubscribe(&subscriber, called, nullptr);
  for (CUpti_CallbackId id :
       {CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2,
        CUPTI_DRIVER_TRACE_CBID_cuMemFree_v2,
        CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,
        CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
        CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
        CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
        CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
        CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz})
    cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, id);
  std::atexit(end);
  return 1;
}
