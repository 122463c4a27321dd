//===-- Cache.cpp - a folder of values ------------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One file for each entry:
//
//   bankstripe cache 1 <digest of the rest> <size when unpacked>\n
//   <the value, packed>
//
// It is written under another name and then renamed, so there are no locks.
// Names begin as llvm::pruneCache expects them, those of unfinished files too.
//
//===----------------------------------------------------------------------===//

#include "cache/Cache.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CachePruning.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

using namespace bankstripe;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

static constexpr llvm::StringLiteral Heading = "bankstripe cache 1 ";

/// So many values there can be under one key.
static constexpr unsigned Variants = 4;

/// No value is as large; a damaged size would ask for a lot of memory.
static constexpr uint64_t LargestValue = uint64_t(1) << 30;

/// Finer than this nobody needs to know when an entry was last asked for.
static constexpr std::chrono::minutes TouchInterval(10);

static std::string hexOf(llvm::TruncatedBLAKE3<20> &Hasher) {
  return llvm::toHex(Hasher.final(), /*LowerCase=*/true);
}

std::string bankstripe::strongDigestOf(StringRef Text) {
  llvm::TruncatedBLAKE3<20> Hasher;
  Hasher.update(Text);
  return hexOf(Hasher);
}

KeyBuilder &KeyBuilder::add(StringRef Name, StringRef Value) {
  // With their lengths, so that nothing runs into its neighbour.
  Hasher.update((llvm::Twine(Name.size()) + ":" + Name + "=" +
                 llvm::Twine(Value.size()) + ":")
                    .str());
  Hasher.update(Value);
  return *this;
}

std::string KeyBuilder::take() { return hexOf(Hasher); }

static std::string pack(StringRef Value) {
  if (!llvm::compression::zstd::isAvailable())
    return Value.str();
  llvm::SmallVector<uint8_t, 0> Packed;
  llvm::compression::zstd::compress(
      llvm::arrayRefFromStringRef(Value), Packed,
      llvm::compression::zstd::BestSpeedCompression);
  return llvm::toStringRef(Packed).str();
}

static std::optional<std::string> unpack(StringRef Packed, uint64_t Size) {
  if (!llvm::compression::zstd::isAvailable())
    return Packed.str();
  llvm::SmallVector<uint8_t, 0> Value;
  if (llvm::Error E = llvm::compression::zstd::decompress(
          llvm::arrayRefFromStringRef(Packed), Value, Size)) {
    llvm::consumeError(std::move(E)); // As if it were not there.
    return std::nullopt;
  }
  return llvm::toStringRef(Value).str();
}

static std::optional<std::string> readEntry(StringRef Text) {
  auto [First, Packed] = Text.split('\n');
  if (!First.consume_front(Heading))
    return std::nullopt;
  const auto [Digest, SizeText] = First.split(' ');
  uint64_t Size = 0;
  if (SizeText.getAsInteger(10, Size) || Size > LargestValue ||
      Digest != strongDigestOf((SizeText + "\n" + Packed).str()))
    return std::nullopt;
  return unpack(Packed, Size);
}

static std::string makeEntry(StringRef Value) {
  const std::string Rest = std::to_string(Value.size()) + "\n" + pack(Value);
  return Heading.str() + strongDigestOf(Rest) + " " + Rest;
}

// Not all disks note when a file is read.
static void touch(StringRef Path) {
  fs::file_status Status;
  if (fs::status(Path, Status) ||
      std::chrono::system_clock::now() - Status.getLastModificationTime() <
          TouchInterval)
    return;
  auto File = fs::openNativeFileForRead(Path);
  if (!File) {
    llvm::consumeError(File.takeError()); // Somebody removed it.
    return;
  }
  // It is a hint; without it, the entry may go too early.
  (void)fs::setLastAccessAndModificationTime(*File,
                                             std::chrono::system_clock::now());
  (void)fs::closeFile(*File);
}

std::string Cache::path(StringRef Key, unsigned Variant) const {
  llvm::SmallString<256> Path(Folder);
  path::append(Path, "llvmcache-" + Key + "-" + llvm::Twine(Variant));
  return std::string(Path);
}

std::optional<std::string>
Cache::get(StringRef Key, llvm::function_ref<bool(StringRef)> IsRight) {
  for (unsigned Variant = 0; Variant < Variants; ++Variant) {
    const std::string Path = path(Key, Variant);
    auto Text = llvm::MemoryBuffer::getFile(Path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
    if (!Text)
      continue;
    auto Value = readEntry((*Text)->getBuffer());
    if (!Value || !IsRight(*Value))
      continue;
    touch(Path);
    return Value;
  }
  return std::nullopt;
}

void Cache::put(StringRef Key, StringRef Value) {
  if (Value.size() > LargestValue ||
      fs::create_directories(Folder, /*IgnoreExisting=*/true, fs::owner_all))
    return;
  // The first free place, else the one that was not used for the longest time.
  std::string Place;
  llvm::sys::TimePoint<> Oldest = llvm::sys::TimePoint<>::max();
  for (unsigned Variant = 0; Variant < Variants; ++Variant) {
    fs::file_status Status;
    std::string Path = path(Key, Variant);
    const auto Used = fs::status(Path, Status)
                          ? llvm::sys::TimePoint<>::min()
                          : Status.getLastModificationTime();
    if (Used < Oldest) {
      Oldest = Used;
      Place = std::move(Path);
    }
  }
  auto File = fs::TempFile::create(Folder + "/llvmcache-unfinished-%%%%%%%%",
                                   fs::owner_read | fs::owner_write);
  if (!File) {
    llvm::consumeError(File.takeError());
    return;
  }
  bool Written = false;
  {
    llvm::raw_fd_ostream OS(File->FD, /*shouldClose=*/false);
    OS << makeEntry(Value);
    OS.flush();
    Written = !OS.has_error();
    OS.clear_error();
  }
  HasGrown |= Written;
  llvm::Error Failure = Written ? File->keep(Place) : File->discard();
  llvm::consumeError(std::move(Failure));
}

void Cache::prune() const {
  if (!HasGrown)
    return;
  llvm::CachePruningPolicy Policy;
  Policy.Interval = Limits.Interval;
  Policy.Expiration = Limits.Expiration;
  Policy.MaxSizeBytes = Limits.Bytes;
  llvm::pruneCache(Folder, Policy);
}

std::string bankstripe::usualCacheFolder() {
  using llvm::sys::Process;
  if (auto Own = Process::GetEnv("BANKSTRIPE_CACHE_DIR"))
    return *Own;
  llvm::SmallString<256> Folder;
  if (auto Of = Process::GetEnv("XDG_CACHE_HOME"); Of && path::is_absolute(*Of))
    Folder = *Of;
  else if (path::home_directory(Folder))
    path::append(Folder, ".cache");
  else
    return "";
  path::append(Folder, "bankstripe");
  return std::string(Folder);
}

CacheLimits bankstripe::usualCacheLimits() {
  CacheLimits Limits;
  const auto Given = llvm::sys::Process::GetEnv("BANKSTRIPE_CACHE_SIZE");
  if (!Given)
    return Limits;
  StringRef Text = *Given;
  unsigned Shift = Text.consume_back("K")   ? 10
                   : Text.consume_back("M") ? 20
                   : Text.consume_back("G") ? 30
                                            : 0;
  uint64_t Number = 0;
  if (!Text.getAsInteger(10, Number) && Number > 0 &&
      Number <= (UINT64_MAX >> Shift))
    Limits.Bytes = Number << Shift;
  return Limits;
}
