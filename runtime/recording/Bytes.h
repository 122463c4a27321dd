//===-- Bytes.h - numbers and texts as bytes --------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What records are made of. A number has seven bits per byte, the lowest
// first; the high bit says that another byte follows. A digest has its eight
// bytes, the lowest first. A text is its length and its bytes.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_RECORDING_BYTES_H
#define BANKSTRIPE_RECORDING_BYTES_H

#include "recording/DigestMix.h"
#include <bit>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace bankstripe::runtime {

static_assert(std::endian::native == std::endian::little,
              "digests are stored as they lie in memory");

/// The first bytes of a recording; its version and its mode (0: digest, 1:
/// time) follow.
constexpr std::string_view RecordingMagic = "\x89"
                                            "bankstripe\n";
constexpr size_t RecordingHeaderBytes = RecordingMagic.size() + 2;

/// What a record is about: its first byte.
enum class RecordType : unsigned char {
  Text = 1,
  Shape,
  Stack,
  Device,
  Allocation,
  Variable,
  Free,
  Launch,
  Late,
  Execution,
  Note,
  Skipped,
  Failure,
  End,
};

/// Bits of a launch's record; it ends before them when none is set.
constexpr unsigned LaunchDigested = 1, LaunchFailed = 2;

/// No record is larger; a larger length is a fault of the file.
constexpr uint64_t MostRecordBytes = uint64_t(1) << 31;
constexpr size_t ChecksumBytes = 4;

/// The checksum of a record's bytes, its type included.
inline uint32_t recordChecksum(std::string_view Record) {
  const uint64_t Mixed =
      mixPlaced(digestBytes(Record.data(), Record.size()) + Record.size());
  return static_cast<uint32_t>(Mixed >> 32);
}

/// Puts values behind each other.
class ByteWriter {
public:
  ByteWriter &number(uint64_t Value) {
    while (Value >= 0x80) {
      Out += static_cast<char>(Value | 0x80);
      Value >>= 7;
    }
    Out += static_cast<char>(Value);
    return *this;
  }
  ByteWriter &text(std::string_view Text) {
    number(Text.size());
    Out += Text;
    return *this;
  }
  ByteWriter &digests(const std::vector<uint64_t> &Digests) {
    Out.append(reinterpret_cast<const char *>(Digests.data()),
               Digests.size() * sizeof(uint64_t));
    return *this;
  }

  std::string Out;
};

/// Takes values off the front of some bytes. After a value that is not there,
/// or that does not fit its type, nothing more is taken and failed() is true.
class ByteReader {
public:
  explicit ByteReader(std::string_view Bytes) : Rest(Bytes) {}

  template <class T> T number() {
    uint64_t Value = 0;
    for (unsigned Shift = 0; Shift < 64; Shift += 7) {
      if (Rest.empty())
        break;
      const auto Byte = static_cast<unsigned char>(Rest.front());
      Rest.remove_prefix(1);
      const uint64_t Bits = Byte & 0x7f;
      if ((Bits << Shift) >> Shift != Bits)
        break;
      Value |= Bits << Shift;
      if (Byte & 0x80)
        continue;
      if (Value > std::numeric_limits<T>::max())
        break;
      return static_cast<T>(Value);
    }
    fail();
    return 0;
  }
  std::string_view text() { return bytes(number<uint64_t>()); }
  /// Takes \p Count digests.
  void digests(uint64_t Count, std::vector<uint64_t> &Digests) {
    if (Count > Rest.size() / sizeof(uint64_t))
      return fail();
    if (Count == 0)
      return;
    const std::string_view Bytes = bytes(Count * sizeof(uint64_t));
    Digests.resize(Count);
    std::memcpy(Digests.data(), Bytes.data(), Bytes.size());
  }

  bool failed() const { return Failed; }
  /// Whether everything was taken.
  bool finished() const { return !Failed && Rest.empty(); }
  size_t left() const { return Rest.size(); }

private:
  std::string_view bytes(uint64_t Count) {
    if (Count > Rest.size()) {
      fail();
      return {};
    }
    const std::string_view Taken = Rest.substr(0, Count);
    Rest.remove_prefix(Count);
    return Taken;
  }
  void fail() {
    Failed = true;
    Rest = {};
  }

  std::string_view Rest;
  bool Failed = false;
};

/// Appends a record to \p To: its length, its type, \p Fields and \p Bytes, and
/// the checksum of what lies between.
inline void addRecord(std::string &To, unsigned char Type,
                      const ByteWriter &Fields, std::string_view Bytes = {}) {
  To += ByteWriter().number(1 + Fields.Out.size() + Bytes.size()).Out;
  const size_t Begin = To.size();
  To += static_cast<char>(Type);
  To += Fields.Out;
  To += Bytes;
  const uint32_t Checksum = recordChecksum(std::string_view(To).substr(Begin));
  To.append(reinterpret_cast<const char *>(&Checksum), ChecksumBytes);
}

/// What takeRecord() found.
enum class RecordState {
  Whole,
  CutOff, ///< The bytes end within it.
  Damaged,
};

/// Takes a record off the front of \p Rest; \p Record receives it, without its
/// length and checksum.
inline RecordState takeRecord(std::string_view &Rest,
                              std::string_view &Record) {
  constexpr size_t MostLengthBytes = 10;
  ByteReader From(Rest);
  const auto Length = From.number<uint64_t>();
  if (From.failed())
    return Rest.size() < MostLengthBytes ? RecordState::CutOff
                                         : RecordState::Damaged;
  if (Length == 0 || Length > MostRecordBytes)
    return RecordState::Damaged;
  if (From.left() < Length + ChecksumBytes)
    return RecordState::CutOff;
  const size_t Before = Rest.size() - From.left();
  Record = Rest.substr(Before, Length);
  uint32_t Checksum = 0;
  std::memcpy(&Checksum, Record.data() + Length, ChecksumBytes);
  Rest.remove_prefix(Before + Length + ChecksumBytes);
  return Checksum == recordChecksum(Record) ? RecordState::Whole
                                            : RecordState::Damaged;
}

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_RECORDING_BYTES_H
