//===-- AddressPlan.cpp - where captured memory has to lie ----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "replay/AddressPlan.h"
#include <algorithm>

using namespace bankstripe::runtime;

// Spans that are this close are one: an address costs nothing, a reservation
// may fail.
constexpr uint64_t MostGap = uint64_t(256) << 20;

static AddressRange aligned(const AddressRange &Range, uint64_t Alignment) {
  const uint64_t Begin = Range.Address / Alignment * Alignment;
  const uint64_t End = (Range.end() + Alignment - 1) / Alignment * Alignment;
  return {Begin, End - Begin};
}

std::vector<AddressSpan>
bankstripe::runtime::planAddresses(const std::vector<CapturedMemory> &Memory) {
  std::vector<AddressRange> Ranges;
  Ranges.reserve(Memory.size());
  for (const CapturedMemory &M : Memory)
    Ranges.push_back(aligned({M.Address, M.Bytes}, BlockAlignment));
  std::ranges::sort(Ranges, {}, &AddressRange::Address);
  std::vector<AddressSpan> Spans;
  for (const AddressRange &Block : Ranges) {
    const AddressRange Wide = aligned(Block, SpanAlignment);
    if (Spans.empty() || Wide.Address > Spans.back().Reserved.end() + MostGap)
      Spans.push_back({Wide, {}});
    AddressSpan &Span = Spans.back();
    Span.Reserved.Bytes =
        std::max(Span.Reserved.end(), Wide.end()) - Span.Reserved.Address;
    if (Span.Mapped.empty() || Block.Address > Span.Mapped.back().end()) {
      Span.Mapped.push_back(Block);
      continue;
    }
    AddressRange &Last = Span.Mapped.back();
    Last.Bytes = std::max(Last.end(), Block.end()) - Last.Address;
  }
  return Spans;
}
