//===-- driver_stand_in.cpp - a libcuda.so.1 without a GPU ----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What bankstripe-replay asks of the driver, done in the memory of the host: a
// reservation maps nothing, memory is memory, and the "module" is a text with a
// line for each thing that a launch does to the memory whose address is the
// first parameter:
//
//     add INDEX VALUE      adds to the 32-bit integer INDEX
//     count SYMBOL         adds one to the first integer of a variable
//     variable SYMBOL      the module has such a variable, of 64 bytes
//     follow INDEX         adds one to the integer at the address in the 64-bit
//                          word INDEX, and the result to the integer 0
//     random               the first integer becomes the process's number
//     vary                 it becomes another one with each launch
//     fail                 the launch ends with an illegal address
//     fail-after COUNT     so does each launch but the first COUNT
//     hang                 the launch does not end
//     expect INDEX VALUE   the launch fails if the integer INDEX is another one
//     needs BYTES          the launch fails with another amount of dynamic
//                          shared memory
//
// STAND_IN_TAKEN=N: in the first N processes of a chain, no wish for an address
// is granted. STAND_IN_FULL=1: no memory can be allocated.
//
//===----------------------------------------------------------------------===//

#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace {

struct Module {
  std::string Text;
  size_t Launches = 0;
  std::map<std::string, std::unique_ptr<char[]>> Variables;
};

constexpr size_t VariableBytes = 64;

void *at(CUdeviceptr Address) { return reinterpret_cast<void *>(Address); }

int &number(void *Memory, size_t Index) {
  return static_cast<int *>(Memory)[Index];
}

// What a module's variable holds before anything is stored there.
std::unique_ptr<char[]> filled() {
  auto Bytes = std::make_unique<char[]>(VariableBytes);
  std::memset(Bytes.get(), 99, VariableBytes);
  return Bytes;
}

CUresult perform(Module &M, const CUlaunchConfig &Config, char *Parameters) {
  CUdeviceptr First = 0;
  std::memcpy(&First, Parameters, sizeof First);
  ++M.Launches;
  std::istringstream Text(M.Text);
  for (std::string Word, Symbol; Text >> Word;) {
    size_t Index = 0, Value = 0;
    if (Word == "add" && Text >> Index >> Value)
      number(at(First), Index) += static_cast<int>(Value);
    else if (Word == "variable")
      Text >> Symbol;
    else if (Word == "follow" && Text >> Index) {
      CUdeviceptr To = 0;
      std::memcpy(&To, static_cast<char *>(at(First)) + 8 * Index, sizeof To);
      number(at(First), 0) += ++number(at(To), 0);
    } else if (Word == "count" && Text >> Symbol)
      ++number(M.Variables.at(Symbol).get(), 0);
    else if (Word == "random")
      number(at(First), 0) = ::getpid();
    else if (Word == "vary") {
      static int Count = 1000;
      number(at(First), 0) = ++Count;
    } else if (Word == "fail")
      return CUDA_ERROR_ILLEGAL_ADDRESS;
    else if (Word == "fail-after" && Text >> Value && M.Launches > Value)
      return CUDA_ERROR_ILLEGAL_ADDRESS;
    else if (Word == "expect" && Text >> Index >> Value &&
             number(at(First), Index) != static_cast<int>(Value))
      return CUDA_ERROR_ILLEGAL_INSTRUCTION;
    else if (Word == "needs" && Text >> Value && Value != Config.sharedMemBytes)
      return CUDA_ERROR_ILLEGAL_INSTRUCTION;
    while (Word == "hang")
      ::sleep(1);
  }
  return CUDA_SUCCESS;
}

} // namespace

extern "C" {

CUresult cuInit(unsigned) { return CUDA_SUCCESS; }
CUresult cuGetErrorName(CUresult Error, const char **Name) {
  *Name = Error == CUDA_ERROR_ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                                              : "CUDA_ERROR_OTHER";
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetCount(int *) { return CUDA_ERROR_NOT_SUPPORTED; }
CUresult cuDeviceGet(CUdevice *Device, int) {
  *Device = 0;
  return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int *Value, CUdevice_attribute Which, CUdevice) {
  *Value = Which == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? 9 : 0;
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext *, CUdevice) {
  return CUDA_SUCCESS;
}
CUresult cuCtxSetCurrent(CUcontext) { return CUDA_SUCCESS; }
CUresult cuCtxSetLimit(CUlimit, size_t) { return CUDA_SUCCESS; }
CUresult cuCtxSynchronize() { return CUDA_SUCCESS; }

CUresult cuMemAddressReserve(CUdeviceptr *Given, size_t, size_t,
                             CUdeviceptr Wish, unsigned long long) {
  const char *Taken = std::getenv("STAND_IN_TAKEN");
  const char *Tries = std::getenv("BANKSTRIPE_REPLAY_TRIES");
  const bool IsTaken =
      (Tries ? std::atoi(Tries) : 0) < (Taken ? std::atoi(Taken) : 0);
  *Given = IsTaken ? Wish + 4096 : Wish;
  return CUDA_SUCCESS;
}
CUresult cuMemCreate(CUmemGenericAllocationHandle *, size_t,
                     const CUmemAllocationProp *, unsigned long long) {
  return CUDA_SUCCESS;
}
CUresult cuMemMap(CUdeviceptr Address, size_t Bytes, size_t,
                  CUmemGenericAllocationHandle, unsigned long long) {
  const void *Got =
      ::mmap(at(Address), Bytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  return Got == at(Address) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuMemSetAccess(CUdeviceptr, size_t, const CUmemAccessDesc *, size_t) {
  return CUDA_SUCCESS;
}
CUresult cuMemGetInfo_v2(size_t *Free, size_t *Total) {
  *Free = *Total = size_t(1) << 30;
  return CUDA_SUCCESS;
}
CUresult cuMemAlloc_v2(CUdeviceptr *Memory, size_t Bytes) {
  *Memory = reinterpret_cast<CUdeviceptr>(std::malloc(Bytes));
  return std::getenv("STAND_IN_FULL") ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}
CUresult cuMemFree_v2(CUdeviceptr Memory) {
  std::free(at(Memory));
  return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoD_v2(CUdeviceptr To, CUdeviceptr From, size_t Bytes) {
  std::memcpy(at(To), at(From), Bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemAllocHost_v2(void **Memory, size_t Bytes) {
  *Memory = std::malloc(Bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemcpyHtoD_v2(CUdeviceptr To, const void *From, size_t Bytes) {
  std::memcpy(at(To), From, Bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoH_v2(void *To, CUdeviceptr From, size_t Bytes) {
  std::memcpy(To, at(From), Bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemsetD32_v2(CUdeviceptr To, unsigned Value, size_t Count) {
  for (size_t I = 0; I < Count; ++I)
    std::memcpy(at(To + 4 * I), &Value, sizeof Value);
  return CUDA_SUCCESS;
}

CUresult cuModuleLoadData(CUmodule *Loaded, const void *Image) {
  auto *M = new Module{static_cast<const char *>(Image), 0, {}};
  std::istringstream Text(M->Text);
  for (std::string Word; Text >> Word;)
    if (Word == "variable" && Text >> Word)
      M->Variables[Word] = filled();
  *Loaded = reinterpret_cast<CUmodule>(M);
  return CUDA_SUCCESS;
}
CUresult cuModuleGetFunction(CUfunction *Function, CUmodule From,
                             const char *) {
  *Function = reinterpret_cast<CUfunction>(From);
  return CUDA_SUCCESS;
}
CUresult cuModuleGetGlobal_v2(CUdeviceptr *Address, size_t *Bytes,
                              CUmodule From, const char *Symbol) {
  auto &Variables = reinterpret_cast<Module *>(From)->Variables;
  const auto Found = Variables.find(Symbol);
  if (Found == Variables.end())
    return CUDA_ERROR_NOT_FOUND;
  *Address = reinterpret_cast<CUdeviceptr>(Found->second.get());
  *Bytes = VariableBytes;
  return CUDA_SUCCESS;
}
CUresult cuFuncGetAttribute(int *Value, CUfunction_attribute, CUfunction) {
  *Value = 0;
  return CUDA_SUCCESS;
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *Blocks, CUfunction,
                                                     int, size_t) {
  *Blocks = 1;
  return CUDA_SUCCESS;
}
CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute, int) {
  return CUDA_SUCCESS;
}
CUresult cuLaunchKernelEx(const CUlaunchConfig *Config, CUfunction Function,
                          void **, void **Extra) {
  return perform(*reinterpret_cast<Module *>(Function), *Config,
                 static_cast<char *>(Extra[1]));
}

} // extern "C"
