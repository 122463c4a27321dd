//===-- LiveMemory.h - the device memory of a running program ---*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which device memory is live, by address, and the digests it had last. Knows
// nothing of the driver, so that it can be tested without one.
//
// Memory is stale when a launch happened since it was digested, or since it
// was made: no more is known of it than that any launch may write anything.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_RECORDER_LIVEMEMORY_H
#define BANKSTRIPE_RECORDER_LIVEMEMORY_H

#include "recording/DigestMix.h"
#include "recording/Recording.h"
#include <map>
#include <set>
#include <span>
#include <vector>

namespace bankstripe::runtime {

/// Which of the live memory is meant.
struct MemoryPart {
  bool StaleOnly = false;
  bool VariablesOnly = false;
  std::optional<uint64_t> Address; ///< Only what starts there.
};

class LiveMemory {
public:
  using Context = const void *;

  /// A launch happened: all memory is stale.
  void launched() { ++Launches; }

  /// Adds memory of the program's own.
  ///
  /// \param Gone receives the allocations that lay at these addresses and of
  /// whose end nothing was heard.
  /// \returns its description, for the recording.
  Allocation add(Context In, uint64_t Address, uint64_t Bytes,
                 const std::string &Kind, std::vector<unsigned> &Gone);

  /// Adds a `__device__` variable. One that was live before under the same
  /// symbol (its module was loaded again) keeps its number.
  ///
  /// \param IsNew receives whether the recording has to be told of it.
  Allocation addVariable(Context In, uint64_t Address, uint64_t Bytes,
                         const std::string &Symbol, bool &IsNew);

  /// Removes the allocation that starts at \p Address.
  ///
  /// \returns its number, or none when no such memory is known.
  std::optional<unsigned> remove(uint64_t Address);

  /// Removes all memory of a context that ends; returns the numbers of the
  /// allocations among it.
  std::vector<unsigned> removeContext(Context In);

  /// Forgets the addresses of all variables, not their numbers.
  void removeVariables();

  /// The contexts that hold such memory.
  std::vector<Context> contexts(const MemoryPart &Of = {}) const;

  /// What to digest in a context, in the order of the addresses.
  std::vector<DigestSegment> segments(Context In,
                                      const MemoryPart &Of = {}) const;

  /// Takes the digests of segments(In, Of) and returns what changed, in the
  /// order of the numbers.
  std::vector<DigestChange> update(Context In,
                                   std::span<const uint64_t> Digests,
                                   const MemoryPart &Of = {});

  /// A live piece of memory.
  struct Piece {
    Context In = nullptr;
    Allocation What;
    uint64_t SeenAt = 0;           ///< Launches before its last digest.
    std::vector<uint64_t> Digests; ///< Empty before the first.
  };
  using PieceMap = std::map<uint64_t, Piece>; ///< By address.
  const PieceMap &pieces() const { return Pieces; }

private:
  template <class Map, class Function>
  static void forEach(Map &Pieces, const MemoryPart &Of, uint64_t Launches,
                      Function Do);
  PieceMap::iterator erase(PieceMap::iterator At);

  PieceMap Pieces;
  unsigned Allocations = 0;
  uint64_t Launches = 0;
  std::map<std::string, Allocation> Variables; ///< By numbered symbol.
  std::set<std::string> LiveNames;             ///< Of variables.
};

/// Virtual memory comes in three steps: memory is created, mapped to addresses,
/// and made accessible. Only then may the recorder look at it, and it has to
/// know what was mapped.
class MappedRanges {
public:
  using Handle = uint64_t;

  struct Range {
    uint64_t Address = 0, Bytes = 0;
    /// Nothing was ever stored there: the memory was not mapped before.
    bool IsFresh = false;
    Handle Memory = 0;
  };

  void created(Handle Memory) { Fresh.insert(Memory); }
  /// \returns whether \p Memory was mapped elsewhere already, and still is.
  bool mapped(uint64_t Address, uint64_t Bytes, Handle Memory);
  void unmapped(uint64_t Address, uint64_t Bytes);

  /// The ranges that lie within these addresses, whole.
  std::vector<Range> within(uint64_t Address, uint64_t Bytes) const;

  /// The range that starts at \p Address was filled.
  void filled(uint64_t Address);

private:
  std::set<Handle> Fresh;
  std::map<uint64_t, Range> Ranges; ///< By address.
};

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_RECORDER_LIVEMEMORY_H
