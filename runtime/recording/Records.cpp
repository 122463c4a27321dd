//===-- Records.cpp - files of records ------------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "recording/Records.h"
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/mman.h>
#include <sys/resource.h>
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

// What was never written, of a program that crashed, is zeros.
static bool isUnwritten(std::string_view Rest) {
  return Rest.front() == '\0' &&
         Rest.find_first_not_of('\0') == std::string_view::npos;
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
  while (!Rest.empty() && !(MayBeCutOff && isUnwritten(Rest))) {
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

MappedFile bankstripe::runtime::mapFile(const std::string &Path) {
  const int File = ::open(Path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat Status{};
  if (File < 0 || ::fstat(File, &Status) != 0) {
    MappedFile Failed{
        nullptr, {}, std::string("it cannot be read: ") + std::strerror(errno)};
    if (File >= 0)
      ::close(File);
    return Failed;
  }
  const auto Bytes = static_cast<size_t>(Status.st_size);
  void *Mapped = Bytes == 0
                     ? MAP_FAILED
                     : ::mmap(nullptr, Bytes, PROT_READ, MAP_PRIVATE, File, 0);
  ::close(File);
  if (Mapped == MAP_FAILED)
    return {nullptr,
            {},
            Bytes == 0 ? "it is empty" : "it cannot be mapped into memory"};
  return {{Mapped, [Bytes](void *At) { ::munmap(At, Bytes); }},
          {static_cast<const char *>(Mapped), Bytes},
          ""};
}

constexpr size_t LeastWindow = size_t(1) << 20;

OutputFile::~OutputFile() {
  finish();
  close();
}

bool OutputFile::create(const std::string &Path) {
  // Mapping it takes the right to read.
  File = ::open(Path.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0644);
  return File >= 0;
}

void OutputFile::append(std::string_view Bytes) {
  if (File < 0 || Bytes.empty())
    return;
  if (IsFinished || !makeRoom(Bytes.size()))
    return write(Bytes);
  char *const To = Window + Used;
  std::memcpy(To + 1, Bytes.data() + 1, Bytes.size() - 1);
  std::atomic_signal_fence(std::memory_order_release);
  *static_cast<volatile char *>(To) = Bytes.front();
  Used += Bytes.size();
}

// Beyond the limit on the size of files, a signal would end the program.
static bool mayGrowTo(uint64_t Bytes) {
  rlimit Limit{};
  return ::getrlimit(RLIMIT_FSIZE, &Limit) == 0 &&
         (Limit.rlim_cur == RLIM_INFINITY || Bytes <= Limit.rlim_cur);
}

// Without room on the disk, a mapped page would kill the program that writes to
// it; so the room is taken first. Where that or a mapping is not to be had,
// the file is written to.
bool OutputFile::makeRoom(size_t Bytes) {
  if (Window && WindowBytes - Used >= Bytes)
    return true;
  const uint64_t End = WindowAt + Used;
  const auto Page = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  unmap();
  WindowAt = End / Page * Page;
  Used = End - WindowAt;
  WindowBytes = std::max(LeastWindow, (Used + Bytes + Page - 1) / Page * Page);
  if (mayGrowTo(WindowAt + WindowBytes) &&
      ::posix_fallocate(File, static_cast<off_t>(WindowAt),
                        static_cast<off_t>(WindowBytes)) == 0) {
    void *const Mapped = ::mmap(nullptr, WindowBytes, PROT_READ | PROT_WRITE,
                                MAP_SHARED, File, static_cast<off_t>(WindowAt));
    if (Mapped != MAP_FAILED) {
      Window = static_cast<char *>(Mapped);
      return true;
    }
  }
  finish();
  return false;
}

void OutputFile::finish() {
  if (File < 0 || IsFinished)
    return;
  IsFinished = true;
  unmap();
  const auto End = static_cast<off_t>(WindowAt + Used);
  if (::ftruncate(File, End) != 0 || ::lseek(File, End, SEEK_SET) != End)
    close();
}

void OutputFile::write(std::string_view Bytes) {
  while (!Bytes.empty()) {
    const ssize_t Written = ::write(File, Bytes.data(), Bytes.size());
    if (Written < 0 && errno == EINTR)
      continue;
    // A full disk: what follows would not be readable any more.
    if (Written <= 0)
      return close();
    Bytes.remove_prefix(static_cast<size_t>(Written));
  }
}

void OutputFile::unmap() {
  if (Window)
    ::munmap(Window, WindowBytes);
  Window = nullptr;
}

void OutputFile::close() {
  if (File >= 0)
    ::close(File);
  File = -1;
}

std::optional<std::string>
bankstripe::runtime::readFile(const std::string &Path) {
  std::error_code Error;
  std::ifstream Input(Path, std::ios::binary);
  if (!Input || std::filesystem::is_directory(Path, Error))
    return std::nullopt;
  // An iterator would throw where reading fails; this does not.
  std::ostringstream Text;
  if (Input.peek() != std::ifstream::traits_type::eof())
    Text << Input.rdbuf();
  return Input.bad() ? std::nullopt : std::optional(Text.str());
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
