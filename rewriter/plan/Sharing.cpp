//===-- Sharing.cpp - arrays in the same bytes ----------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lifetimes are those of one thread (Lifetimes.cpp). The others of its block
// run ahead or behind: one may write to the array a while another still reads
// b, which lies in the same bytes. That is no harm, and needs no barrier, if
// and only if each byte belongs to the same thread in both. For then a thread's
// accesses to it come in the order of its program, one lifetime after the
// other; and where a byte belongs to two threads, nothing orders theirs.
//
// A stripe and a slot are rows of 32 pieces, a piece per lane, in one warp's
// part of the storage: lane l owns the bytes x with
//
//     (x - beginning) / piece % 32 = l
//
// where a piece is a stripe's unit or a whole slot. Two beginnings give all
// bytes the same owner if and only if the pieces are equally long and the
// beginnings whole rows apart (within a row of pieces that are shorter, or
// moved, one lane's piece reaches into its neighbour's). Parts of different
// warps never overlap if all arrays have the same parts, so the storage is in
// warps first, for all arrays in it; not each array by itself, where the second
// warp of a small one would lie in the first warp of a large one.
//
// Storage that launches bring is so already, and Dynamic.cpp finds the places.
// Static storage that is shared is pooled here: the arrays of a pool are apart
// from each other, all begin at its beginning, and it is as large as the
// largest. Arrays are put into pools by size, the largest first.
//
//===----------------------------------------------------------------------===//

#include "plan/PlanInternal.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace bankstripe;

// A row of the one or more instances of A; 0 where they differ.
static uint64_t rowBytesOf(const PlannedArray &A, const Verdict &V) {
  uint64_t Row = 0;
  for (const ArrayInstance &I : A.Array.Instances) {
    const uint64_t Own = uint64_t(32) * laneBytes(I, V);
    if (Row && Row != Own)
      return 0;
    Row = Own;
  }
  return Row;
}

uint64_t bankstripe::sharedRowBytes(const Mover &A, const Mover &B) {
  const Verdict &OfA = *A.Decision, &OfB = *B.Decision;
  if (!OfA.MayShareBytes || !OfB.MayShareBytes || OfA.Dynamic != OfB.Dynamic ||
      !A.Array->Apart.count(B.Array->Array.Where))
    return 0;
  const uint64_t Row = rowBytesOf(*A.Array, OfA);
  return Row == rowBytesOf(*B.Array, OfB) ? Row : 0;
}

// Whether A can be a view of static storage that B is another view of. That is
// for the kernels that reach both, so no other should have to make room.
static bool canPool(const Mover &A, const Mover &B) {
  const PlannedArray &OfA = *A.Array, &OfB = *B.Array;
  return sharedRowBytes(A, B) != 0 &&
         (A.Decision->Dynamic ||
          (OfA.FileHoldsStorage && OfB.FileHoldsStorage && hasOnePlace(OfA) &&
           hasOnePlace(OfB) && OfA.Kernels == OfB.Kernels &&
           OfA.Array.Where.File == OfB.Array.Where.File &&
           A.Decision->Threads == B.Decision->Threads));
}

std::vector<std::vector<Mover>> bankstripe::poolsOf(std::vector<Mover> Movers) {
  llvm::sort(Movers, [](const Mover &A, const Mover &B) {
    const uint64_t OfA = warpBytesOf(*A.Array, *A.Decision),
                   OfB = warpBytesOf(*B.Array, *B.Decision);
    return std::tie(OfB, A.Array->Array.Where) <
           std::tie(OfA, B.Array->Array.Where);
  });
  std::vector<std::vector<Mover>> Pools;
  for (const Mover &M : Movers) {
    auto Pool = llvm::find_if(Pools, [&](const std::vector<Mover> &Members) {
      return llvm::all_of(
          Members, [&](const Mover &Other) { return canPool(M, Other); });
    });
    if (Pool == Pools.end())
      Pools.push_back({M});
    else
      Pool->push_back(M);
  }
  return Pools;
}

uint64_t bankstripe::bytesTogether(
    std::vector<Mover> Movers, unsigned Row,
    llvm::function_ref<unsigned(const Verdict &)> Threads) {
  uint64_t Bytes = 0;
  for (const std::vector<Mover> &Pool : poolsOf(std::move(Movers))) {
    const Mover &Largest = Pool.front();
    const unsigned Block = Threads(*Largest.Decision);
    if (Pool.size() > 1) {
      // One variable serves all kernels, and is made for the largest block.
      const unsigned Most = Largest.Decision->Dynamic
                                ? Block
                                : std::max(Block, Largest.Decision->Threads);
      Bytes += warpBytesOf(*Largest.Array, *Largest.Decision) *
               llvm::divideCeil(Most, 32u);
      continue;
    }
    for (size_t I = 0; I < Largest.Array->Array.Instances.size(); ++I)
      if (llvm::is_contained(Largest.Array->InstanceKernels[I], Row))
        Bytes += sharedBytes(Largest.Array->Array.Instances[I],
                             *Largest.Decision, Block);
  }
  return Bytes;
}

std::vector<Mover> bankstripe::moversOf(const std::vector<PlannedArray> &Arrays,
                                        unsigned Row) {
  std::vector<Mover> Movers;
  for (const PlannedArray &A : Arrays)
    if (A.Decision.usesShared() && llvm::is_contained(A.Kernels, Row))
      Movers.push_back({&A, &A.Decision});
  return Movers;
}

// A name for the storage of First that no other storage has. The first name is
// one that no other in the unit begins with.
static std::string storageName(const Finding &First,
                               std::set<std::string> &Given) {
  std::string Name = First.StorageName;
  for (unsigned I = 2; !Given.insert(Name).second; ++I)
    Name = First.StorageName + "_" + std::to_string(I);
  return Name;
}

void bankstripe::placeStatic(Plan &P) {
  std::vector<Mover> Movers;
  for (PlannedArray &A : P.Arrays) {
    A.Decision.Storage.clear();
    if (A.Decision.usesShared() && !A.Decision.Dynamic)
      Movers.push_back({&A, &A.Decision});
  }
  std::set<std::string> Names;
  for (const std::vector<Mover> &Pool : poolsOf(std::move(Movers))) {
    if (Pool.size() < 2)
      continue;
    const Mover &First =
        *llvm::min_element(Pool, [](const Mover &A, const Mover &B) {
          return A.Array->Array.Where < B.Array->Array.Where;
        });
    const std::string Name = storageName(First.Array->Array, Names);
    const uint64_t Bytes =
        warpBytesOf(*Pool.front().Array, *Pool.front().Decision);
    for (const Mover &M : Pool) {
      Verdict &V = P.Arrays[M.Array - P.Arrays.data()].Decision;
      V.Storage = Name;
      V.BytesPerWarp = warpBytesOf(*M.Array, V);
      V.WarpBytes = Bytes;
    }
  }
}

// Whether A and B of a plan have bytes in common.
static bool overlap(const PlannedArray &A, const PlannedArray &B) {
  const Verdict &OfA = A.Decision, &OfB = B.Decision;
  if (!OfA.usesShared() || !OfB.usesShared() || OfA.Dynamic != OfB.Dynamic ||
      !shareKernel(A, B))
    return false;
  if (!OfA.Dynamic)
    return !OfA.Storage.empty() && OfA.Storage == OfB.Storage;
  return OfA.WarpOffset < OfB.WarpOffset + OfB.BytesPerWarp &&
         OfB.WarpOffset < OfA.WarpOffset + OfA.BytesPerWarp;
}

void bankstripe::noteSharing(Plan &P) {
  for (PlannedArray &A : P.Arrays) {
    A.Decision.SharesBytesWith.clear();
    for (const PlannedArray &Other : P.Arrays)
      if (&Other != &A && overlap(A, Other))
        A.Decision.SharesBytesWith.push_back(
            {Other.Array.Name, Other.Array.Where});
  }
}
