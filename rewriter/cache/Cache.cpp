//===-- Cache.cpp - a folder of values ------------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One file for each entry:
//
//   bankstripe cache 2 <digest of the value>\n
//   <the value>
//
// It is written under another name and then renamed, so there are no locks.
// Names begin as llvm::pruneCache expects them, those of unfinished files too.
//
//===----------------------------------------------------------------------===//

#include "cache/Cache.h"
#include "model/SourceFile.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <sys/time.h>

using namespace bankstripe;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

static constexpr llvm::StringLiteral Heading = "bankstripe cache 2 ";

/// So many values there can be under one key.
static constexpr unsigned Variants = 4;

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

std::string KeyBuilder::key() { return hexOf(Hasher); }

static std::optional<std::string> readEntry(StringRef Text) {
  const auto [First, Value] = Text.split('\n');
  if (First != (Heading + strongDigestOf(Value)).str())
    return std::nullopt;
  return Value.str();
}

std::string Cache::path(StringRef Key, unsigned Variant) const {
  return (Folder + "/llvmcache-" + Key + "-" + llvm::Twine(Variant)).str();
}

std::optional<std::string>
Cache::get(StringRef Key, llvm::function_ref<bool(StringRef)> IsRight) {
  for (unsigned Variant = 0; Variant < Variants; ++Variant) {
    const std::string Path = path(Key, Variant);
    auto Value = readEntry(readText(Path).value_or(""));
    if (!Value || !IsRight(*Value))
      continue;
    // Not all disks note when a file is read. It is a hint; without it, the
    // entry may go too early.
    (void)utimes(Path.c_str(), nullptr);
    return Value;
  }
  return std::nullopt;
}

void Cache::put(StringRef Key, StringRef Value) {
  if (fs::create_directories(Folder, /*IgnoreExisting=*/true, fs::owner_all))
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
  auto Write = [&](llvm::raw_ostream &OS) {
    auto &File = static_cast<llvm::raw_fd_ostream &>(OS);
    File << Heading << strongDigestOf(Value) << '\n' << Value;
    File.flush();
    const std::error_code Full = File.error();
    File.clear_error();
    return llvm::errorCodeToError(Full);
  };
  if (llvm::Error E = llvm::writeToOutput(Place, Write))
    llvm::consumeError(std::move(E));
  else
    HasGrown = true;
}

std::set<std::string> Cache::keys() const {
  std::set<std::string> Keys;
  std::error_code EC;
  for (fs::directory_iterator It(Folder, EC), End; It != End && !EC;
       It.increment(EC))
    if (StringRef Name = path::filename(It->path());
        Name.consume_front("llvmcache-"))
      Keys.insert(Name.split('-').first.str());
  return Keys;
}

void Cache::remove(StringRef Key) const {
  for (unsigned Variant = 0; Variant < Variants; ++Variant)
    (void)fs::remove(path(Key, Variant)); // Not there, most often.
}

void Cache::prune() const {
  if (HasGrown)
    llvm::pruneCache(Folder, Limits);
}

std::string bankstripe::usualCacheFolder() {
  if (auto Own = llvm::sys::Process::GetEnv("BANKSTRIPE_CACHE_DIR"))
    return *Own;
  llvm::SmallString<256> Folder;
  const auto Value = llvm::sys::Process::GetEnv("XDG_CACHE_HOME");
  if (Value && path::is_absolute(*Value))
    Folder = *Value;
  else if (path::home_directory(Folder))
    path::append(Folder, ".cache");
  else
    return "";
  path::append(Folder, "bankstripe");
  return std::string(Folder);
}

llvm::CachePruningPolicy bankstripe::usualCacheLimits() {
  const std::string Usual = "prune_after=2160h:cache_size_bytes=";
  const auto Value = llvm::sys::Process::GetEnv("BANKSTRIPE_CACHE_SIZE");
  return llvm::expectedToOptional(
             llvm::parseCachePruningPolicy(Usual + Value.value_or("1g")))
      .value_or(llvm::cantFail(llvm::parseCachePruningPolicy(Usual + "1g")));
}
