//===-- GpuMemory.cpp - captured memory on the GPU again ------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "replay/GpuMemory.h"
#include "contract/Launch.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>

using namespace bankstripe;
using namespace bankstripe::runtime;

constexpr uint64_t StagingBytes = uint64_t(16) << 20;
static_assert(StagingBytes % CapturePageBytes == 0);

void GpuMemory::reserve() {
  Spans = planAddresses(Of.Memory);
  for (const AddressSpan &Span : Spans) {
    CUdeviceptr Granted = 0;
    const AddressRange &Wish = Span.Reserved;
    const CUresult Result =
        D.cuMemAddressReserve(&Granted, Wish.Bytes, 0, Wish.Address, 0);
    if (Result != CUDA_SUCCESS || Granted != Wish.Address)
      throw AddressesTaken(fmt::format(
          "the addresses 0x{:x} to 0x{:x} are taken by something else",
          Wish.Address, Wish.end()));
  }
}

void GpuMemory::map(CUdevice Device) {
  uint64_t Needed = 0;
  for (const AddressSpan &Span : Spans)
    for (const AddressRange &Block : Span.Mapped)
      Needed += Block.Bytes;
  size_t Free = 0, Total = 0;
  if (D.cuMemGetInfo(&Free, &Total) == CUDA_SUCCESS && Free < Needed)
    throw GpuProblem(fmt::format("the capture needs {} bytes of the GPU's "
                                 "memory, of which {} are free",
                                 Needed, Free));
  CUmemAllocationProp Kind = {};
  Kind.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  Kind.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  Kind.location.id = Device;
  CUmemAccessDesc Access = {};
  Access.location = Kind.location;
  Access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  for (const AddressSpan &Span : Spans)
    for (const AddressRange &Block : Span.Mapped) {
      const std::string What =
          fmt::format("no memory could be put at 0x{:x}", Block.Address);
      CUmemGenericAllocationHandle Memory = 0;
      D.need(D.cuMemCreate(&Memory, Block.Bytes, &Kind, 0), What);
      D.need(D.cuMemMap(Block.Address, Block.Bytes, 0, Memory, 0), What);
      D.need(D.cuMemSetAccess(Block.Address, Block.Bytes, &Access, 1), What);
    }
  void *Host = nullptr;
  D.need(D.cuMemAllocHost(&Host, StagingBytes), "no host memory for copies");
  Staging = static_cast<char *>(Host);
}

// Whether the device can fill the page by itself: it sets words of 32 bits.
static bool isFill(const CapturedPage &Page) {
  return Page.Bytes.empty() && static_cast<uint32_t>(Page.Word) ==
                                   static_cast<uint32_t>(Page.Word >> 32);
}

void GpuMemory::upload(const CapturedMemory &M, CUdeviceptr To,
                       uint64_t FirstPage, uint64_t Pages) {
  const auto Offset = [&M](uint64_t Page) {
    return std::min(Page * CapturePageBytes, M.Bytes);
  };
  const uint64_t End = FirstPage + Pages;
  for (uint64_t At = FirstPage; At < End;) {
    uint64_t Next = At;
    while (Next < End && isFill(M.Before[Next]) &&
           M.Before[Next].Word == M.Before[At].Word)
      ++Next;
    const uint64_t Filled = Offset(Next) - Offset(At);
    if (Filled > 0 && Filled % 4 == 0 && (To + Offset(At)) % 4 == 0) {
      D.need(D.cuMemsetD32(To + Offset(At),
                           static_cast<uint32_t>(M.Before[At].Word),
                           Filled / 4),
             "memory could not be filled");
      At = Next;
      continue;
    }
    // What cannot be filled is gathered, up to the next page that can.
    uint64_t Bytes = 0;
    for (Next = At; Next < End && Bytes < StagingBytes; ++Next) {
      if (Next > At && isFill(M.Before[Next]))
        break;
      const uint64_t PageBytes = Offset(Next + 1) - Offset(Next);
      const std::string Page = pageBytes(M.Before[Next], PageBytes);
      std::memcpy(Staging + Bytes, Page.data(), PageBytes);
      Bytes += PageBytes;
    }
    D.need(D.cuMemcpyHtoD(To + Offset(At), Staging, Bytes),
           "memory could not be copied to the GPU");
    At = Next;
  }
}

void GpuMemory::download(
    const CapturedMemory &M, CUdeviceptr From,
    const std::function<void(uint64_t, std::string_view)> &Take) {
  for (uint64_t At = 0; At < M.Bytes; At += StagingBytes) {
    const uint64_t Bytes = std::min(StagingBytes, M.Bytes - At);
    D.need(D.cuMemcpyDtoH(Staging, From + At, Bytes),
           "memory could not be copied from the GPU");
    Take(At / CapturePageBytes, {Staging, Bytes});
  }
}

// Spans that are this close are one: an address costs nothing, a reservation
// may fail.
constexpr uint64_t MostGap = uint64_t(256) << 20;

static AddressRange aligned(const AddressRange &Range, uint64_t Alignment) {
  const uint64_t Begin = Range.Address / Alignment * Alignment;
  return {Begin, roundUp(Range.end(), Alignment) - Begin};
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
