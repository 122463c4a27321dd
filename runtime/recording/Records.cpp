//===-- Records.cpp - files of records ------------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "recording/Records.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace bankstripe::runtime;

enum class RecordState {
  Whole,
  CutOff, ///< The bytes end within it.
  Damaged,
};

// Takes a record off the front of Rest.
static RecordState takeRecord(std::string_view &Rest,
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

static std::string whatHeader(std::string_view File, const FileKind &Kind) {
  if (!File.starts_with(Kind.Magic) || File.size() == Kind.Magic.size())
    return "it is of another kind";
  const auto Version = static_cast<unsigned char>(File[Kind.Magic.size()]);
  return Version == Kind.Version
             ? ""
             : "it has version " + std::to_string(Version) +
                   " of the format, known is " + std::to_string(Kind.Version);
}

std::string bankstripe::runtime::readRecords(
    std::string_view File, const FileKind &Kind, bool MayBeCutOff,
    const std::function<std::string(std::string_view)> &Take) {
  if (std::string Problem = whatHeader(File, Kind); !Problem.empty())
    return Problem;
  std::string_view Rest = File.substr(Kind.Magic.size() + 1);
  while (!Rest.empty()) {
    const size_t At = File.size() - Rest.size();
    std::string_view Record;
    const RecordState State = takeRecord(Rest, Record);
    if (State == RecordState::CutOff && MayBeCutOff)
      return "";
    std::string Problem =
        State == RecordState::Whole ? Take(Record) : "it is damaged";
    if (!Problem.empty())
      return "the record at byte " + std::to_string(At) + ": " + Problem;
  }
  return "";
}

// Only what can be read to its end: neither what waits for a writer nor what
// has no end.
MappedFile bankstripe::runtime::mapFile(const std::string &Path) {
  const int File = ::open(Path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat Status{};
  void *Mapped = MAP_FAILED;
  std::string Problem;
  if (File < 0 || ::fstat(File, &Status) != 0)
    Problem = std::string("it cannot be read: ") + std::strerror(errno);
  else if (!S_ISREG(Status.st_mode))
    Problem = "it cannot be read: it is no regular file";
  else if (Status.st_size == 0)
    Problem = "it is empty";
  const auto Bytes = static_cast<size_t>(Status.st_size);
  if (Problem.empty() && (Mapped = ::mmap(nullptr, Bytes, PROT_READ,
                                          MAP_PRIVATE, File, 0)) == MAP_FAILED)
    Problem = "it cannot be mapped into memory";
  if (File >= 0)
    ::close(File);
  if (!Problem.empty())
    return {nullptr, {}, Problem};
  return {{Mapped, [Bytes](void *At) { ::munmap(At, Bytes); }},
          {static_cast<const char *>(Mapped), Bytes},
          ""};
}

std::optional<std::string>
bankstripe::runtime::readFile(const std::string &Path) {
  std::error_code Error;
  if (!std::filesystem::is_regular_file(Path, Error))
    return std::nullopt;
  std::ifstream File(Path, std::ios::binary | std::ios::ate);
  const std::streamoff Bytes = File.tellg();
  if (Bytes < 0)
    return std::nullopt;
  std::string Text(static_cast<size_t>(Bytes), '\0');
  File.seekg(0).read(Text.data(), Bytes);
  Text.resize(static_cast<size_t>(File.gcount()));
  return File.bad() ? std::nullopt : std::optional(std::move(Text));
}

bool bankstripe::runtime::writeFile(const std::string &Path,
                                    const std::string &Text) {
  if (Path == "-")
    return std::fputs(Text.c_str(), stdout) >= 0;
  std::ofstream File(Path, std::ios::binary);
  File << Text;
  File.close();
  return File.good();
}
