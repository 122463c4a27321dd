//===-- RecorderTest.cpp - what the recorder writes, without a GPU --------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver's functions are here. The memory of the device is memory of the
// host, and launches do nothing. Contexts take their memory along when they
// end.
//
//===----------------------------------------------------------------------===//

#include "recorder/Recorder.h"
#include "Images.h"
#include <cstring>
#include <filesystem>
#include <gtest/gtest.h>
#include <memory>

using namespace bankstripe;
using namespace bankstripe::runtime;
namespace fs = std::filesystem;

namespace {

using Blocks = std::map<const void *, std::unique_ptr<char[]>>;

// What the recorder allocated in the current context, and in those that ended.
Blocks Own, Ended;

void *allocate(size_t Bytes) {
  auto Fresh = std::make_unique<char[]>(Bytes);
  void *At = Fresh.get();
  Own[At] = std::move(Fresh);
  return At;
}

void *at(CUdeviceptr Address) { return reinterpret_cast<void *>(Address); }

} // namespace

extern "C" {

extern const unsigned char BankstripeDigestImage[];
const unsigned char BankstripeDigestImage[] = {0};

CUresult cuMemAllocHost(void **Memory, size_t Bytes) {
  *Memory = allocate(Bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemAlloc(CUdeviceptr *Memory, size_t Bytes) {
  *Memory = reinterpret_cast<CUdeviceptr>(allocate(Bytes));
  return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoHAsync(void *To, CUdeviceptr From, size_t Bytes, CUstream) {
  if (Ended.contains(To))
    return CUDA_ERROR_INVALID_VALUE;
  std::memcpy(To, at(From), Bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr To, const void *From, size_t Bytes,
                           CUstream) {
  std::memcpy(at(To), From, Bytes);
  return CUDA_SUCCESS;
}
CUresult cuMemsetD8Async(CUdeviceptr To, unsigned char Value, size_t Bytes,
                         CUstream) {
  std::memset(at(To), Value, Bytes);
  return CUDA_SUCCESS;
}
// No kernel has parameters.
CUresult cuFuncGetParamInfo(CUfunction, size_t, size_t *, size_t *) {
  return CUDA_ERROR_INVALID_VALUE;
}

#define ALWAYS(RESULT, NAME, ...)                                              \
  CUresult NAME(__VA_ARGS__) { return RESULT; }
ALWAYS(CUDA_SUCCESS, cuCtxGetDevice, CUdevice *)
ALWAYS(CUDA_SUCCESS, cuCtxPopCurrent, CUcontext *)
ALWAYS(CUDA_SUCCESS, cuCtxPushCurrent, CUcontext)
ALWAYS(CUDA_SUCCESS, cuCtxSynchronize)
ALWAYS(CUDA_SUCCESS, cuDeviceGetAttribute, int *, CUdevice_attribute, CUdevice)
ALWAYS(CUDA_SUCCESS, cuDeviceGetName, char *, int, CUdevice)
ALWAYS(CUDA_SUCCESS, cuLaunchKernel, CUfunction, unsigned, unsigned, unsigned,
       unsigned, unsigned, unsigned, unsigned, CUstream, void **, void **)
ALWAYS(CUDA_SUCCESS, cuMemFree, CUdeviceptr)
ALWAYS(CUDA_SUCCESS, cuMemFreeHost, void *)
ALWAYS(CUDA_SUCCESS, cuModuleGetFunction, CUfunction *, CUmodule, const char *)
ALWAYS(CUDA_SUCCESS, cuModuleLoadData, CUmodule *, const void *)
ALWAYS(CUDA_SUCCESS, cuOccupancyMaxActiveBlocksPerMultiprocessor, int *,
       CUfunction, int, size_t)
ALWAYS(CUDA_SUCCESS, cuStreamCreate, CUstream *, unsigned)
ALWAYS(CUDA_SUCCESS, cuStreamSynchronize, CUstream)
ALWAYS(CUDA_SUCCESS, cuThreadExchangeStreamCaptureMode, CUstreamCaptureMode *)
ALWAYS(CUDA_ERROR_UNKNOWN, cuCtxGetLimit, size_t *, CUlimit)
ALWAYS(CUDA_ERROR_UNKNOWN, cuFuncGetAttribute, int *, CUfunction_attribute,
       CUfunction)
ALWAYS(CUDA_ERROR_UNKNOWN, cuFuncGetModule, CUmodule *, CUfunction)
ALWAYS(CUDA_ERROR_UNKNOWN, cuFuncGetName, const char **, CUfunction)
ALWAYS(CUDA_ERROR_UNKNOWN, cuGetErrorName, CUresult, const char **)
ALWAYS(CUDA_ERROR_UNKNOWN, cuKernelGetFunction, CUfunction *, CUkernel)
ALWAYS(CUDA_ERROR_UNKNOWN, cuKernelGetLibrary, CUlibrary *, CUkernel)
ALWAYS(CUDA_ERROR_UNKNOWN, cuKernelGetName, const char **, CUkernel)
ALWAYS(CUDA_ERROR_UNKNOWN, cuLibraryEnumerateKernels, CUkernel *, unsigned,
       CUlibrary)
ALWAYS(CUDA_ERROR_UNKNOWN, cuLibraryGetGlobal, CUdeviceptr *, size_t *,
       CUlibrary, const char *)
ALWAYS(CUDA_ERROR_UNKNOWN, cuLibraryGetKernelCount, unsigned *, CUlibrary)
ALWAYS(CUDA_ERROR_UNKNOWN, cuModuleEnumerateFunctions, CUfunction *, unsigned,
       CUmodule)
ALWAYS(CUDA_ERROR_UNKNOWN, cuModuleGetFunctionCount, unsigned *, CUmodule)
ALWAYS(CUDA_ERROR_UNKNOWN, cuModuleGetGlobal, CUdeviceptr *, size_t *, CUmodule,
       const char *)
ALWAYS(CUDA_ERROR_UNKNOWN, cuStreamIsCapturing, CUstream,
       CUstreamCaptureStatus *)
#undef ALWAYS

} // extern "C"

namespace {

class Recorded : public testing::Test {
protected:
  void SetUp() override {
    std::string Pattern = testing::TempDir() + "recorder-XXXXXX";
    ASSERT_TRUE(mkdtemp(Pattern.data()));
    Folder = Pattern;
    Request.Recording = Folder + "/recording";
    ASSERT_TRUE(Output.open(Request.Recording));
  }
  void TearDown() override {
    fs::remove_all(Folder);
    Own.clear();
    Ended.clear();
  }

  // The program's memory, and one launch over it.
  void launchOver(Recorder &R, std::string &Memory) {
    AllocationRequest New;
    New.In = Context;
    New.Kind = "device";
    New.Address = reinterpret_cast<CUdeviceptr>(Memory.data());
    New.Bytes = Memory.size();
    New.IsFilled = true;
    R.allocated(New);
    LaunchRequest L;
    L.Function = reinterpret_cast<CUfunction>(this);
    L.Symbol = "_Z4stepPi";
    L.Context = Context;
    R.launching(L);
    R.launched(L);
  }

  std::map<std::string, uint64_t> notes() {
    Output.end();
    return std::get<Recording>(readRecording(Request.Recording)).Notes;
  }

  CUcontext Context = reinterpret_cast<CUcontext>(this);
  std::string Folder, Memory = "what the launch leaves";
  RecordRequest Request;
  RecordingWriter Output;
};

} // namespace

TEST_F(Recorded, BytesThatAreAskedForAreInAFile) {
  Request.Bytes = {0, false, 0, 5, 15};
  Recorder R(Output, Request);
  launchOver(R, Memory);
  EXPECT_EQ(readFile(Request.Recording + ".bytes"), "the launch");
  EXPECT_TRUE(notes().empty());
}

TEST_F(Recorded, BytesThatDoNotFitOntoTheDiskAreInNoFile) {
  Request.Bytes = {0, false, 0, 5, 15};
  const std::string Bytes = Request.Recording + ".bytes";
  fs::create_symlink("/dev/full", Bytes);
  Recorder R(Output, Request);
  launchOver(R, Memory);
  EXPECT_FALSE(fs::is_symlink(Bytes));
  EXPECT_EQ(notes().count("bytes that differ could not be written"), 1u);
}

// As after cudaDeviceReset.
TEST_F(Recorded, CapturesGoOnWhereAContextEnds) {
  Request.Mode = RecordingMode::Survey;
  Request.Survey = {Folder, {"step(int*)"}, 1 << 20};
  Recorder R(Output, Request);
  Image Module;
  Module.kernel("_Z4stepPi");
  const std::string Code = Module.bytes();
  R.moduleLoaded(Code.data(), Code.size());
  launchOver(R, Memory);
  EXPECT_TRUE(fs::exists(Folder + "/0-0"));
  R.contextEnds(Context);
  std::swap(Own, Ended);
  launchOver(R, Memory);
  EXPECT_TRUE(fs::exists(Folder + "/0-1"));
  EXPECT_TRUE(notes().empty());
}
