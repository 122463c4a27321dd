//===-- Cache.h - answers of earlier runs -----------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reading a unit and asking ptxas take seconds and give the same each time, as
// long as nothing changes that they depend on. So the answers are kept, in a
// folder that all processes of a user share (docs/cache.md):
//
//   what the answer depends on and can be named beforehand => key (KeyBuilder,
//                                                             Identity.h)
//   what it turned out to depend on, of the disk => a trace beside the answer
//                                                   (DiskTrace.h)
//
// An answer is taken only where the key is the same and the disk would give the
// same replies to everything in the trace. What cannot be traced is not kept.
// The cache is never needed: where it cannot be read or written, there is none.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_CACHE_CACHE_H
#define BANKSTRIPE_CACHE_CACHE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/CachePruning.h"
#include <optional>
#include <string>
#include <vector>

namespace bankstripe {

/// 40 hexadecimal digits that tell \p Text from all other texts.
std::string strongDigestOf(llvm::StringRef Text);

/// Makes a key of named parts.
class KeyBuilder {
public:
  KeyBuilder &add(llvm::StringRef Name, llvm::StringRef Value);
  /// 40 hexadecimal digits.
  std::string take();

private:
  llvm::TruncatedBLAKE3<20> Hasher;
};

/// A folder of values. Several processes may use it at the same time: an entry
/// appears whole or not at all, and one that is damaged is none.
class Cache {
public:
  Cache(std::string Folder, llvm::CachePruningPolicy Limits)
      : Folder(std::move(Folder)), Limits(Limits) {}

  /// A value that was put under \p Key and that \p IsRight accepts. There can
  /// be a few, since what a key does not name may have been different.
  std::optional<std::string>
  get(llvm::StringRef Key,
      llvm::function_ref<bool(llvm::StringRef Value)> IsRight);

  /// Keeps \p Value under \p Key, in the place of the oldest where there are
  /// many. Failures are silent.
  void put(llvm::StringRef Key, llvm::StringRef Value);

  /// Removes what was not asked for in the longest time, as long as there is
  /// too much. Does nothing when somebody did so lately, or nothing was put.
  void prune() const;

  const std::string &folder() const { return Folder; }

private:
  std::string path(llvm::StringRef Key, unsigned Variant) const;

  std::string Folder;
  llvm::CachePruningPolicy Limits;
  bool HasGrown = false;
};

/// The folder that the environment asks for: $BANKSTRIPE_CACHE_DIR,
/// $XDG_CACHE_HOME/bankstripe or ~/.cache/bankstripe; empty when there is none.
std::string usualCacheFolder();

/// The size that the environment asks for ($BANKSTRIPE_CACHE_SIZE, in bytes or
/// with K, M or G behind the number), else the usual one.
llvm::CachePruningPolicy usualCacheLimits();

} // namespace bankstripe

#endif
