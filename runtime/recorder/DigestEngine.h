//===-- DigestEngine.h - runs the digest kernel in a context ----*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_RECORDER_DIGESTENGINE_H
#define BANKSTRIPE_RECORDER_DIGESTENGINE_H

#include "recording/DigestMix.h"
#include <cuda.h>
#include <span>
#include <string_view>
#include <vector>

namespace bankstripe::runtime {

/// The recorder's own kernel (DigestKernel.cu).
inline constexpr char DigestKernelName[] = "bankstripe_recorder_digest";

/// That kernel, a stream and buffers in one context of the program's. The
/// context must be current in every call. Nothing is freed: the context takes
/// everything along when it goes.
class DigestEngine {
public:
  /// Digests \p Segments. All work of the context must be over.
  ///
  /// \param Digests receives one digest per chunk, in the segments' order;
  /// they stay until the next call.
  /// \returns the first error of the driver's.
  CUresult run(const std::vector<DigestSegment> &Segments,
               std::span<const uint64_t> &Digests);

  /// Copies device memory to the host, on the engine's own stream.
  CUresult copyOut(CUdeviceptr From, void *To, size_t Bytes);

  /// The most that copyOut() takes to pinned memory, in bytes.
  static constexpr size_t StagingBytes = size_t(16) << 20;

  /// Copies up to StagingBytes to pinned memory of this context, where \p Copy
  /// lies until the next call.
  CUresult copyOut(CUdeviceptr From, size_t Bytes, std::string_view &Copy);

  /// Fills fresh memory with the fixed pattern and waits for it.
  CUresult fill(CUdeviceptr Address, size_t Bytes);

private:
  /// A device buffer that only grows.
  struct Buffer {
    CUdeviceptr Address = 0;
    size_t Bytes = 0;
    CUresult atLeast(size_t Needed);
  };

  CUresult prepareStream();
  CUresult prepareKernel();
  CUresult prepareBuffers(const std::vector<DigestSegment> &Segments,
                          uint64_t Chunks);

  CUstream Stream = nullptr;
  CUfunction Kernel = nullptr;
  unsigned MostBlocks = 0; ///< That the device runs at a time.
  Buffer Table, Sums;
  uint64_t *HostSums = nullptr; ///< Where the device can write to.
  size_t HostSumsBytes = 0;
  void *Staging = nullptr; ///< Likewise.
  std::vector<DigestSegment> TableHolds;
};

/// While it lives, a context is the calling thread's.
class CurrentContext {
public:
  explicit CurrentContext(CUcontext Context)
      : Result(cuCtxPushCurrent(Context)) {}
  ~CurrentContext() {
    CUcontext Popped = nullptr;
    if (Result == CUDA_SUCCESS)
      cuCtxPopCurrent(&Popped);
  }
  CurrentContext(const CurrentContext &) = delete;
  CurrentContext &operator=(const CurrentContext &) = delete;

  const CUresult Result; ///< Whether it could be.
};

/// The byte that fresh allocations are filled with.
constexpr unsigned char FillByte = 0xA5;

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_RECORDER_DIGESTENGINE_H
