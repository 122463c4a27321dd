//===-- GpuMemory.h - captured memory on the GPU again ----------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_REPLAY_GPUMEMORY_H
#define BANKSTRIPE_REPLAY_GPUMEMORY_H

#include "harness/Driver.h"
#include "recording/Capture.h"
#include <functional>

namespace bankstripe::runtime {

// What addresses the driver grants: docs/internals/recorder.md, "Replay". Whole
// spans are reserved that cover all memory, and within them memory is mapped to
// what was in use, in blocks of the granularity of device memory.

constexpr uint64_t SpanAlignment = uint64_t(32) << 20;
constexpr uint64_t BlockAlignment = uint64_t(2) << 20;

/// Consecutive addresses.
struct AddressRange {
  uint64_t Address = 0, Bytes = 0;
  uint64_t end() const { return Address + Bytes; }
  bool operator==(const AddressRange &) const = default;
};

/// Addresses to reserve, and those of them to put memory behind.
struct AddressSpan {
  AddressRange Reserved;
  std::vector<AddressRange> Mapped; ///< In order; they do not touch.
};

/// The spans that hold all of \p Memory, in order.
std::vector<AddressSpan>
planAddresses(const std::vector<CapturedMemory> &Memory);

/// Something else lies at the addresses, which may be otherwise in another
/// process.
struct AddressesTaken : GpuProblem {
  using GpuProblem::GpuProblem;
};

/// Memory at the addresses of a capture. Nothing is freed: the process goes.
/// Functions throw a GpuProblem.
class GpuMemory {
public:
  GpuMemory(const Driver &D, const Capture &Of) : D(D), Of(Of) {}

  /// Reserves the addresses; before there is a context. Throws AddressesTaken.
  void reserve();

  /// Puts memory of the device behind the addresses; with a context.
  void map(CUdevice Device);

  /// Copies pages as they were before the launch to \p To, where the first byte
  /// of the memory \p M lies.
  void upload(const CapturedMemory &M, CUdeviceptr To, uint64_t FirstPage,
              uint64_t Pages);

  /// Hands the memory at \p From to \p Take, in pieces of whole pages of M.
  void download(
      const CapturedMemory &M, CUdeviceptr From,
      const std::function<void(uint64_t FirstPage, std::string_view)> &Take);

private:
  const Driver &D;
  const Capture &Of;
  std::vector<AddressSpan> Spans;
  char *Staging = nullptr; ///< Host memory that the device copies fast from.
};

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_REPLAY_GPUMEMORY_H
