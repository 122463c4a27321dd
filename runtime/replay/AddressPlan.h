//===-- AddressPlan.h - where captured memory has to lie --------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pointers in captured memory stay valid when all of it lies where it lay. The
// driver grants a wish for addresses (cuMemAddressReserve) when nothing else is
// there, which it mostly is not before there is a context, and when the wish
// begins at a multiple of 32 MiB: other wishes are granted further up (seen
// with driver 580 on an H200, by hand). So whole spans are reserved that cover
// all memory, and within them memory is mapped to what was in use, in blocks of
// 2 MiB, which is the granularity of device memory on all GPUs with it.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_REPLAY_ADDRESSPLAN_H
#define BANKSTRIPE_REPLAY_ADDRESSPLAN_H

#include "capture/Capture.h"

namespace bankstripe::runtime {

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

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_REPLAY_ADDRESSPLAN_H
