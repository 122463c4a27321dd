// driver.cpp - the driver API alone: a module, a function, no runtime
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A host program; its kernel is PTX text. It unloads the module, loads it
// again, and leaves without destroying anything.

#include <cstdio>
#include <cstdlib>
#include <cuda.h>

static const char Kernel[] = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .global .align 4 .u32 launches;
.visible .entry square(.param .u64 values) {
  .reg .u32 %r<6>;
  .reg .u64 %a<5>;
  ld.param.u64 %a1, [values];
  cvta.to.global.u64 %a2, %a1;
  mov.u32 %r1, %tid.x;
  mul.lo.u32 %r2, %r1, %r1;
  mul.wide.u32 %a3, %r1, 4;
  add.u64 %a4, %a2, %a3;
  st.global.u32 [%a4], %r2;
  atom.global.add.u32 %r3, [launches], 1;
  ret;
}
)";

static void check(CUresult result, const char *what) {
  if (result == CUDA_SUCCESS)
    return;
  std::fprintf(stderr, "%s: error %d\n", what, static_cast<int>(result));
  std::exit(9);
}

int main() {
  CUdevice device;
  CUcontext context;
  check(cuInit(0), "cuInit");
  check(cuDeviceGet(&device, 0), "cuDeviceGet");
  check(cuDevicePrimaryCtxRetain(&context, device), "retain");
  check(cuCtxSetCurrent(context), "cuCtxSetCurrent");
  CUdeviceptr values;
  check(cuMemAlloc(&values, 1024), "cuMemAlloc");
  for (int round = 0; round < 2; ++round) {
    CUmodule module;
    CUfunction function;
    check(cuModuleLoadData(&module, Kernel), "cuModuleLoadData");
    check(cuModuleGetFunction(&function, module, "square"), "function");
    void *arguments[] = {&values};
    for (int i = 0; i < 2; ++i)
      check(cuLaunchKernel(function, 1, 1, 1, 256, 1, 1, 0, nullptr, arguments,
                           nullptr),
            "cuLaunchKernel");
    check(cuCtxSynchronize(), "cuCtxSynchronize");
    check(cuModuleUnload(module), "cuModuleUnload");
  }
  unsigned last = 0;
  check(cuMemcpyDtoH(&last, values + 1020, 4), "cuMemcpyDtoH");
  std::printf("driver %u\n", last);
  std::fflush(stdout);
  std::_Exit(0);
}
