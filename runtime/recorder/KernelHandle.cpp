//===-- KernelHandle.cpp - what a launched handle stands for --------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "recorder/KernelHandle.h"

using namespace bankstripe::runtime;

KernelHandle::KernelHandle(CUfunction Launched) {
  auto *const Kernel = reinterpret_cast<CUkernel>(Launched);
  if (cuKernelGetFunction(&Function, Kernel) == CUDA_SUCCESS) {
    if (cuKernelGetLibrary(&Library, Kernel) != CUDA_SUCCESS)
      Library = nullptr;
    return;
  }
  Function = Launched;
  if (cuFuncGetModule(&Module, Function) != CUDA_SUCCESS)
    Module = nullptr;
}

std::string KernelHandle::symbol() const {
  const char *Name = nullptr;
  if (cuFuncGetName(&Name, Function) != CUDA_SUCCESS || !Name)
    return "unknown kernel";
  return Name;
}

Resources KernelHandle::resources() const {
  const auto Attribute = [this](CUfunction_attribute Which) -> unsigned {
    int Value = 0;
    if (cuFuncGetAttribute(&Value, Which, Function) != CUDA_SUCCESS)
      return 0;
    return static_cast<unsigned>(Value);
  };
  return {Attribute(CU_FUNC_ATTRIBUTE_NUM_REGS),
          Attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES),
          Attribute(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)};
}

bool KernelHandle::variable(const std::string &Symbol, CUdeviceptr &Address,
                            size_t &Bytes) const {
  if (Library)
    return cuLibraryGetGlobal(&Address, &Bytes, Library, Symbol.c_str()) ==
           CUDA_SUCCESS;
  return Module && cuModuleGetGlobal(&Address, &Bytes, Module,
                                     Symbol.c_str()) == CUDA_SUCCESS;
}
