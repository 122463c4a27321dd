//===-- LiveMemory.cpp - the device memory of a running program -----------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "recorder/LiveMemory.h"
#include <algorithm>
#include <cassert>
#include <utility>

using namespace bankstripe::runtime;

// Visits the pieces that are meant, in the order of the addresses.
template <class Map, class Function>
void LiveMemory::forEach(Map &Pieces, const MemoryPart &Of, uint64_t Launches,
                         Function Do) {
  auto At = Of.Address ? Pieces.find(*Of.Address) : Pieces.begin();
  for (; At != Pieces.end(); ++At) {
    if ((!Of.StaleOnly || At->second.SeenAt < Launches) &&
        (!Of.VariablesOnly || At->second.What.IsVariable))
      Do(At->first, At->second);
    if (Of.Address)
      return;
  }
}

LiveMemory::PieceMap::iterator LiveMemory::erase(PieceMap::iterator At) {
  if (At->second.What.IsVariable)
    LiveNames.erase(At->second.What.Name);
  return Pieces.erase(At);
}

Allocation LiveMemory::add(Context In, uint64_t Address, uint64_t Bytes,
                           const std::string &Kind,
                           std::vector<unsigned> &Gone) {
  // Memory may end in ways that no callback tells of; a new allocation at its
  // addresses proves it, and digesting it any further would be a fault.
  auto At = Pieces.lower_bound(Address);
  if (At != Pieces.begin()) {
    const auto Before = std::prev(At);
    if (Before->first + Before->second.What.Bytes > Address)
      At = Before;
  }
  while (At != Pieces.end() && At->first < Address + Bytes) {
    if (!At->second.What.IsVariable)
      Gone.push_back(At->second.What.Id);
    At = erase(At);
  }

  Piece P;
  P.In = In;
  P.SeenAt = Launches;
  P.What.Id = Allocations++;
  P.What.Kind = Kind;
  P.What.Bytes = Bytes;
  P.What.ChunkBytes = chunkBytesFor(Bytes);
  return Pieces.insert_or_assign(Address, std::move(P)).first->second.What;
}

Allocation LiveMemory::addVariable(Context In, uint64_t Address, uint64_t Bytes,
                                   const std::string &Symbol, bool &IsNew) {
  IsNew = false;
  if (const auto Known = Pieces.find(Address); Known != Pieces.end())
    return Known->second.What;
  // Several modules may each have a variable of this symbol: the first that is
  // not live takes the next number.
  std::string Name = Symbol;
  for (unsigned Number = 2; LiveNames.contains(Name); ++Number)
    Name = Symbol + '#' + std::to_string(Number);

  auto [At, Inserted] = Variables.try_emplace(Name);
  Allocation &A = At->second;
  if (!Inserted && A.Bytes != Bytes)
    return A; // Another module's variable; its chunks would not fit.
  if (Inserted) {
    A.Id = static_cast<unsigned>(Variables.size() - 1);
    A.IsVariable = true;
    A.Kind = "variable";
    A.Name = Name;
    A.Bytes = Bytes;
    A.ChunkBytes = chunkBytesFor(Bytes);
    IsNew = true;
  }
  // The launch that made it known may have written it: it is stale.
  Pieces[Address] = Piece{In, A, 0, {}};
  LiveNames.insert(Name);
  return A;
}

std::optional<unsigned> LiveMemory::remove(uint64_t Address) {
  const auto At = Pieces.find(Address);
  if (At == Pieces.end() || At->second.What.IsVariable)
    return std::nullopt;
  const unsigned Id = At->second.What.Id;
  erase(At);
  return Id;
}

std::vector<unsigned> LiveMemory::removeContext(Context In) {
  std::vector<unsigned> Gone;
  for (auto At = Pieces.begin(); At != Pieces.end();) {
    if (At->second.In != In) {
      ++At;
      continue;
    }
    if (!At->second.What.IsVariable)
      Gone.push_back(At->second.What.Id);
    At = erase(At);
  }
  std::sort(Gone.begin(), Gone.end());
  return Gone;
}

void LiveMemory::removeVariables() {
  std::erase_if(Pieces,
                [](const auto &Item) { return Item.second.What.IsVariable; });
  LiveNames.clear();
}

std::vector<LiveMemory::Context>
LiveMemory::contexts(const MemoryPart &Of) const {
  std::vector<Context> Found;
  forEach(Pieces, Of, Launches, [&](uint64_t, const Piece &P) {
    if (std::find(Found.begin(), Found.end(), P.In) == Found.end())
      Found.push_back(P.In);
  });
  return Found;
}

std::vector<DigestSegment> LiveMemory::segments(Context In,
                                                const MemoryPart &Of) const {
  std::vector<DigestSegment> Segments;
  uint64_t FirstChunk = 0, FirstTile = 0;
  forEach(Pieces, Of, Launches, [&](uint64_t Address, const Piece &P) {
    if (P.In != In)
      return;
    Segments.push_back(
        {Address, P.What.Bytes, P.What.ChunkBytes, FirstChunk, FirstTile});
    FirstChunk += chunkCountFor(P.What.Bytes);
    FirstTile += tileCountFor(P.What.Bytes);
  });
  return Segments;
}

// The ranges of chunks in which `New` is not `Old`; all of them without an old.
static std::vector<ChunkRange> changedRanges(const std::vector<uint64_t> &Old,
                                             const std::vector<uint64_t> &New) {
  std::vector<ChunkRange> Ranges;
  for (uint64_t I = 0; I < New.size(); ++I) {
    if (!Old.empty() && Old[I] == New[I])
      continue;
    if (Ranges.empty() ||
        Ranges.back().First + Ranges.back().Digests.size() != I)
      Ranges.push_back({I, {}});
    Ranges.back().Digests.push_back(New[I]);
  }
  return Ranges;
}

std::vector<DigestChange> LiveMemory::update(Context In,
                                             std::span<const uint64_t> Digests,
                                             const MemoryPart &Of) {
  std::vector<DigestChange> Changes;
  auto At = Digests.begin();
  forEach(Pieces, Of, Launches, [&](uint64_t, Piece &P) {
    if (P.In != In)
      return;
    const auto Count = static_cast<ptrdiff_t>(chunkCountFor(P.What.Bytes));
    assert(Digests.end() - At >= Count && "digests of other segments");
    const auto Begin = std::exchange(At, At + Count);
    P.SeenAt = Launches;
    // Most memory is not written by most launches: nothing is copied then.
    if (std::equal(P.Digests.begin(), P.Digests.end(), Begin, At))
      return;
    std::vector<uint64_t> New(Begin, At);
    Changes.push_back(
        {P.What.Id, P.What.IsVariable, changedRanges(P.Digests, New)});
    P.Digests = std::move(New);
  });
  // Addresses change from run to run, the order of the recording must not.
  std::ranges::sort(Changes, {}, &DigestChange::Allocation);
  return Changes;
}

// Memory that is mapped in parts counts as fresh in the first part alone: to
// fill what holds something would change what the program computes.
bool MappedRanges::mapped(uint64_t Address, uint64_t Bytes, Handle Memory) {
  // What is stored through the new addresses is there at the others as well.
  bool IsElsewhere = false;
  for (auto &[Start, R] : Ranges)
    if (R.Memory == Memory && Start != Address) {
      R.IsFresh = false;
      IsElsewhere = true;
    }
  Ranges[Address] = {Address, Bytes, Fresh.erase(Memory) > 0, Memory};
  return IsElsewhere;
}

void MappedRanges::unmapped(uint64_t Address, uint64_t Bytes) {
  for (const Range &R : within(Address, Bytes))
    Ranges.erase(R.Address);
}

std::vector<MappedRanges::Range> MappedRanges::within(uint64_t Address,
                                                      uint64_t Bytes) const {
  std::vector<Range> Found;
  for (auto At = Ranges.lower_bound(Address);
       At != Ranges.end() && At->first < Address + Bytes; ++At)
    if (At->first + At->second.Bytes <= Address + Bytes)
      Found.push_back(At->second);
  return Found;
}

void MappedRanges::filled(uint64_t Address) {
  if (const auto At = Ranges.find(Address); At != Ranges.end())
    At->second.IsFresh = false;
}
