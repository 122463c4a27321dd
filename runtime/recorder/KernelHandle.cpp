//===-- KernelHandle.cpp - the kernel of a launch -------------------------===//
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

int KernelHandle::attribute(CUfunction_attribute Which) const {
  int Value = 0;
  return cuFuncGetAttribute(&Value, Which, Function) == CUDA_SUCCESS ? Value
                                                                     : 0;
}

bool KernelHandle::parameters(std::vector<ParameterPlace> &Places) const {
  for (;;) {
    size_t Offset = 0, Bytes = 0;
    const CUresult Result =
        cuFuncGetParamInfo(Function, Places.size(), &Offset, &Bytes);
    // The one behind the last parameter.
    if (Result == CUDA_ERROR_INVALID_VALUE)
      return true;
    if (Result != CUDA_SUCCESS)
      return false;
    Places.push_back({Offset, Bytes});
  }
}

Resources KernelHandle::resources() const {
  const auto Attribute = [this](CUfunction_attribute Which) {
    return static_cast<unsigned>(attribute(Which));
  };
  return {Attribute(CU_FUNC_ATTRIBUTE_NUM_REGS),
          Attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES),
          Attribute(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)};
}

// Asks for the number of kernels, then for the kernels, then for their names.
template <class Kernel, class Home>
static std::vector<std::string>
kernelsOf(Home In, CUresult (*Count)(unsigned *, Home),
          CUresult (*List)(Kernel *, unsigned, Home),
          CUresult (*NameOf)(const char **, Kernel)) {
  std::vector<std::string> Names;
  unsigned Found = 0;
  if (Count(&Found, In) != CUDA_SUCCESS)
    return Names;
  std::vector<Kernel> Kernels(Found);
  if (List(Kernels.data(), Found, In) != CUDA_SUCCESS)
    return Names;
  for (Kernel One : Kernels)
    if (const char *Name = nullptr; NameOf(&Name, One) == CUDA_SUCCESS && Name)
      Names.emplace_back(Name);
  return Names;
}

std::vector<std::string> KernelHandle::neighbours() const {
  if (Library)
    return kernelsOf(Library, cuLibraryGetKernelCount,
                     cuLibraryEnumerateKernels, cuKernelGetName);
  return Module ? kernelsOf(Module, cuModuleGetFunctionCount,
                            cuModuleEnumerateFunctions, cuFuncGetName)
                : std::vector<std::string>();
}

bool KernelHandle::variable(const std::string &Symbol, CUdeviceptr &Address,
                            size_t &Bytes) const {
  if (Library)
    return cuLibraryGetGlobal(&Address, &Bytes, Library, Symbol.c_str()) ==
           CUDA_SUCCESS;
  return Module && cuModuleGetGlobal(&Address, &Bytes, Module,
                                     Symbol.c_str()) == CUDA_SUCCESS;
}
