//===-- Fatbin.cpp - device code in what nvcc wrote -----------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fatbin is a header and entries, one for each cubin and each PTX text:
//
//   header | entry header, payload | entry header, payload | ...
//
// NVIDIA does not document it. The fields below were seen in objects of CUDA
// 13.0. What does not look like that is passed over. A cubin lies there as it
// is, or compressed by zstd, as with -rdc=true.
//
//===----------------------------------------------------------------------===//

#include "evidence/Fatbin.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Error.h"

using namespace llvm;
using support::ulittle16_t;
using support::ulittle32_t;
using support::ulittle64_t;

namespace {

constexpr StringLiteral Magic = "\x50\xed\x55\xba";

struct Header {
  ulittle32_t Magic;
  ulittle16_t Version, HeaderSize;
  ulittle64_t Size; ///< Of all entries.
};

struct Entry {
  static constexpr unsigned IsCubin = 2;
  static constexpr unsigned IsCompressed = 0x8000; ///< By zstd.

  ulittle16_t Kind, Version;
  ulittle32_t HeaderSize;
  ulittle64_t Size; ///< Of the payload.
  ulittle32_t CompressedSize, Unused;
  ulittle16_t Minor, Major;
  ulittle32_t Arch; ///< 90 for sm_90.
  ulittle32_t NameOffset, NameSize;
  ulittle64_t Flags, Zero;
  ulittle64_t FullSize; ///< Of what is compressed.
};
static_assert(sizeof(Header) == 16 && sizeof(Entry) == 64);

/// The largest cubin that is unpacked.
constexpr uint64_t MostBytes = uint64_t(1) << 28;

} // namespace

// The cubin in Payload; empty if it cannot be read.
static std::string unpack(const Entry &E, StringRef Payload) {
  if (!(E.Flags & Entry::IsCompressed))
    return Payload.starts_with(ELF::ElfMagic) ? Payload.str() : "";
  SmallVector<uint8_t> Full;
  if (!compression::zstd::isAvailable() || E.CompressedSize > Payload.size() ||
      E.FullSize > MostBytes)
    return "";
  if (Error Problem = compression::zstd::decompress(
          arrayRefFromStringRef(Payload.take_front(E.CompressedSize)), Full,
          E.FullSize)) {
    consumeError(std::move(Problem));
    return "";
  }
  return toStringRef(Full).str();
}

std::string bankstripe::findCubin(StringRef Bytes, StringRef Arch) {
  unsigned Number = 0;
  if (!Arch.consume_front("sm_") || Arch.consumeInteger(10, Number))
    return "";
  std::string Found;
  bool Any = false;
  for (size_t At = 0; (At = Bytes.find(Magic, At)) != StringRef::npos; ++At) {
    StringRef Rest = Bytes.substr(At);
    const auto *H = reinterpret_cast<const Header *>(Rest.data());
    if (Rest.size() < sizeof(Header) || H->HeaderSize != sizeof(Header))
      continue;
    Rest = Rest.substr(sizeof(Header), H->Size);
    while (Rest.size() >= sizeof(Entry)) {
      const auto *E = reinterpret_cast<const Entry *>(Rest.data());
      if (E->HeaderSize < sizeof(Entry) || E->HeaderSize > Rest.size() ||
          E->Size > Rest.size() - E->HeaderSize)
        break;
      const StringRef Payload = Rest.substr(E->HeaderSize, E->Size);
      Rest = Rest.substr(E->HeaderSize + E->Size);
      if (E->Kind != Entry::IsCubin || E->Arch != Number)
        continue;
      if (Any) // sm_90 and sm_90a.
        return "";
      Any = true;
      Found = unpack(*E, Payload);
    }
  }
  return Found;
}
