//===-- Records.h - files of records ----------------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recordings and captures are such files: a line of magic bytes and a byte for
// the version, then records. A record is its length, that many bytes of which
// the first is its type, and their checksum.
//
// In a record, a number has seven bits per byte, the lowest first; the high bit
// says that another byte follows. A text is its length and its bytes, a list
// its length and its elements. Digests have eight bytes each, the lowest first.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_RECORDING_RECORDS_H
#define BANKSTRIPE_RECORDING_RECORDS_H

#include "recording/DigestMix.h"
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace bankstripe::runtime {

static_assert(std::endian::native == std::endian::little,
              "digests are stored as they lie in memory");

/// No record is larger; a larger length is a fault of the file.
constexpr uint64_t MostRecordBytes = uint64_t(1) << 31;
constexpr size_t ChecksumBytes = 4;

/// The checksum of a record's bytes, its type included.
inline uint32_t recordChecksum(std::string_view Record) {
  const uint64_t Mixed =
      mixPlaced(digestBytes(Record.data(), Record.size()) + Record.size());
  return static_cast<uint32_t>(Mixed >> 32);
}

// Structs that are written to files list their fields once, for ByteWriter and
// ByteReader alike: a static listFields(Visitor, Value) calls Visitor.fields()
// of them.

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
  /// Numbers, texts, structs that list theirs, and vectors of these.
  template <class... Values> ByteWriter &fields(const Values &...Of) {
    (field(Of), ...);
    return *this;
  }

  std::string Out;

private:
  template <class T> void field(const T &Value) {
    if constexpr (std::is_same_v<T, bool>)
      number(Value);
    else if constexpr (std::is_integral_v<T>)
      number(std::make_unsigned_t<T>(Value));
    else if constexpr (std::is_convertible_v<T, std::string_view>)
      text(Value);
    else if constexpr (std::is_convertible_v<T, const std::string &>)
      text(static_cast<const std::string &>(Value));
    else
      T::listFields(*this, Value);
  }
  template <class T> void field(const std::vector<T> &Values) {
    number(Values.size());
    for (const T &Value : Values)
      field(Value);
  }
  void field(const std::vector<uint64_t> &Digests) {
    number(Digests.size());
    Out.append(reinterpret_cast<const char *>(Digests.data()),
               Digests.size() * sizeof(uint64_t));
  }
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
  /// Takes what ByteWriter::fields() put there, in the same order. \returns
  /// whether all of it was.
  template <class... Values> bool fields(Values &...Into) {
    (field(Into), ...);
    return !Failed;
  }

  bool failed() const { return Failed; }
  /// Whether everything was taken.
  bool finished() const { return !Failed && Rest.empty(); }
  size_t left() const { return Rest.size(); }

private:
  template <class T> void field(T &Into) {
    if constexpr (std::is_same_v<T, bool>)
      Into = number<unsigned>() != 0;
    else if constexpr (std::is_integral_v<T>)
      Into = static_cast<T>(number<std::make_unsigned_t<T>>());
    else if constexpr (std::is_convertible_v<std::string, T>)
      Into = std::string(text());
    else
      T::listFields(*this, Into);
  }
  template <class T> void field(std::vector<T> &Into) {
    const auto Count = number<uint64_t>();
    for (uint64_t I = 0; I < Count && !Failed; ++I)
      field(Into.emplace_back());
  }
  void field(std::vector<uint64_t> &Digests) {
    const auto Count = number<uint64_t>();
    if (Count > Rest.size() / sizeof(uint64_t))
      return fail();
    Digests.resize(Count);
    if (Count > 0)
      std::memcpy(Digests.data(), bytes(Count * sizeof(uint64_t)).data(),
                  Count * sizeof(uint64_t));
  }
  std::string_view bytes(uint64_t Count) {
    if (Count > Rest.size()) {
      fail();
      return {};
    }
    const std::string_view Front = Rest.substr(0, Count);
    Rest.remove_prefix(Count);
    return Front;
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

/// What kind of file it is: its first bytes.
struct FileKind {
  std::string_view Magic;
  unsigned Version = 0;

  std::string header() const {
    return std::string(Magic) + static_cast<char>(Version);
  }
};

/// Hands each record of a file, without its length and checksum, to \p Take,
/// which returns what is wrong with it, or an empty text.
///
/// \param MayBeCutOff whether the file may end within a record, as that of a
/// program that crashed does. The rest is then left out.
/// \returns what is wrong; empty when nothing is.
std::string
readRecords(std::string_view File, const FileKind &Kind, bool MayBeCutOff,
            const std::function<std::string(std::string_view)> &Take);

/// A file in memory, as long as something refers to it.
struct MappedFile {
  std::shared_ptr<const void> Storage;
  std::string_view Bytes;
  std::string Problem; ///< Why it cannot be read; else empty.
};
MappedFile mapFile(const std::string &Path);

/// A whole file; none when \p Path cannot be read, as a folder cannot.
std::optional<std::string> readFile(const std::string &Path);

/// \param Path "-" for standard output.
/// \return whether everything was written.
bool writeFile(const std::string &Path, const std::string &Text);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_RECORDING_RECORDS_H
