//===-- Compare.cpp - two recordings, launch by launch --------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A recording lists what changed from launch to launch, so the comparison plays
// both recordings back: it keeps the digests of all memory of both programs
// and, after each launch, compares the allocations that either launch changed.
// What a launch that varies writes is compared no more; the rest is.
//
//===----------------------------------------------------------------------===//

#include "verify/Compare.h"
#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>

using namespace bankstripe::runtime;

// Digests are comparable when they were taken at the same moment.
static bool areComparable(const Launch &A, const Launch &B) {
  return A.hasDigests() && B.hasDigests() && A.Digested == B.Digested &&
         A.DigestedAtEnd == B.DigestedAtEnd;
}

namespace {

// The digests of all memory of one program, while its launches are played back.
class Memory {
public:
  explicit Memory(const Recording &From) {
    Digests[0].resize(From.Allocations.size());
    Digests[1].resize(From.Variables.size());
  }

  void apply(const Launch &L) {
    for (const DigestChange &Change : L.Changes) {
      auto &Held = Digests[Change.IsVariable][Change.Allocation];
      for (const ChunkRange &Run : Change.Ranges) {
        if (Held.size() < Run.First + Run.Digests.size())
          Held.resize(Run.First + Run.Digests.size());
        std::copy(Run.Digests.begin(), Run.Digests.end(),
                  Held.begin() + static_cast<ptrdiff_t>(Run.First));
      }
    }
  }

  const std::vector<uint64_t> &digests(bool Variable, unsigned Id) const {
    return Digests[Variable][Id];
  }

private:
  std::vector<std::vector<uint64_t>> Digests[2]; // By IsVariable, by number.
};

// Plays two recordings back.
class PairPlayer {
public:
  PairPlayer(const Recording &A, const Recording &B)
      : A(A), B(B), MemoryA(A), MemoryB(B) {
    for (const Allocation &V : B.Variables)
      VariablesOfB.emplace(V.Name, V.Id);
    for (const Allocation &V : A.Variables)
      if (const auto At = VariablesOfB.find(V.Name); At != VariablesOfB.end())
        VariablesOfA.emplace(At->second, V.Id);
  }

  PairComparison run() {
    const auto InA = static_cast<unsigned>(A.Launches.size());
    const auto InB = static_cast<unsigned>(B.Launches.size());
    for (unsigned Index = 0; Index < std::min(InA, InB); ++Index) {
      Result.Stop = structure(Index);
      if (Result.Stop)
        return std::move(Result);
      newAllocations(Index);
      const Launch &OfA = A.Launches[Index];
      const Launch &OfB = B.Launches[Index];
      MemoryA.apply(OfA);
      MemoryB.apply(OfB);
      if (areComparable(OfA, OfB)) {
        contents(Index);
      } else {
        holdBack(Index);
        // A failed launch changes nothing.
        Result.UndigestedLaunches += OfA.Error.empty();
        Result.UnmatchedDigests += OfA.hasDigests() || OfB.hasDigests();
      }
      ++Result.ComparedLaunches;
    }
    if (InA > InB)
      Result.Stop = at(InB, DifferenceKind::MissingLaunch);
    if (InB > InA)
      Result.Stop = at(InA, DifferenceKind::ExtraLaunch);
    if (Result.Stop) {
      Result.Stop->Original = std::to_string(InA) + " launches";
      Result.Stop->Rewritten = std::to_string(InB) + " launches";
    }
    return std::move(Result);
  }

  // Compares what both leave in the end, where their launches do not
  // correspond. \returns how many allocations have no equal.
  unsigned compareLeft(std::vector<Difference> &Into) {
    for (const Launch &L : A.Launches)
      MemoryA.apply(L);
    for (const Launch &L : B.Launches)
      MemoryB.apply(L);
    const auto Last = static_cast<unsigned>(A.Launches.size() - 1);
    const size_t Both = std::min(A.Allocations.size(), B.Allocations.size());
    auto Without = static_cast<unsigned>(
        std::max(A.Allocations.size(), B.Allocations.size()) - Both);
    for (size_t Id = 0; Id < Both; ++Id) {
      const Allocation &OfA = A.Allocations[Id], &OfB = B.Allocations[Id];
      if (OfA.Bytes == OfB.Bytes && isKnownAtLast(A, OfA) &&
          isKnownAtLast(B, OfB))
        contentsOf(Last, OfA, OfB);
      else
        ++Without;
    }
    for (const auto &[OfB, OfA] : VariablesOfA)
      if (A.Variables[OfA].Bytes == B.Variables[OfB].Bytes)
        contentsOf(Last, A.Variables[OfA], B.Variables[OfB]);
    for (Difference &D : Result.Contents)
      D.Kind = DifferenceKind::Left;
    Into = std::move(Result.Contents);
    return Without;
  }

private:
  // Whether there are digests from when the program ended or it was freed.
  static bool isKnownAtLast(const Recording &In, const Allocation &Of) {
    const size_t Gone = Of.FreedBefore.value_or(In.Launches.size());
    return Gone > 0 && In.Launches[Gone - 1].hasDigests();
  }

  Difference at(unsigned Index, DifferenceKind Kind) const {
    Difference D;
    D.Kind = Kind;
    D.Launch = Index;
    if (Index < A.Launches.size())
      D.OriginalKernel = A.Launches[Index].Kernel;
    if (Index < B.Launches.size())
      D.RewrittenKernel = B.Launches[Index].Kernel;
    return D;
  }

  std::optional<Difference> structure(unsigned Index) const {
    const Launch &InA = A.Launches[Index];
    const Launch &InB = B.Launches[Index];
    const auto Differ = [&](DifferenceKind Kind, std::string OfA,
                            std::string OfB) {
      Difference D = at(Index, Kind);
      D.Original = std::move(OfA);
      D.Rewritten = std::move(OfB);
      return D;
    };
    if (InA.Kernel != InB.Kernel)
      return Differ(DifferenceKind::Kernel, "", "");
    if (InA.Grid != InB.Grid)
      return Differ(DifferenceKind::Grid, InA.Grid.text(), InB.Grid.text());
    if (InA.Block != InB.Block)
      return Differ(DifferenceKind::Block, InA.Block.text(), InB.Block.text());
    if (InA.Error != InB.Error)
      return Differ(DifferenceKind::LaunchError, InA.Error, InB.Error);
    return std::nullopt;
  }

  void newAllocations(unsigned Index) {
    const auto IsMade = [&](const Recording &R, unsigned Id) {
      return Id < R.Allocations.size() && R.Allocations[Id].MadeBefore <= Index;
    };
    for (;; ++SeenAllocations) {
      const unsigned Id = SeenAllocations;
      const bool InA = IsMade(A, Id), InB = IsMade(B, Id);
      if (!InA && !InB)
        return;
      if (InA && InB && A.Allocations[Id].Bytes == B.Allocations[Id].Bytes)
        continue;
      Difference D = at(Index, !InB   ? DifferenceKind::MissingAllocation
                               : !InA ? DifferenceKind::ExtraAllocation
                                      : DifferenceKind::AllocationSize);
      D.Allocation = D.RewrittenAllocation = Id;
      D.Bytes = InA ? A.Allocations[Id].Bytes : B.Allocations[Id].Bytes;
      if (InA && InB) {
        D.Original = std::to_string(A.Allocations[Id].Bytes) + " bytes";
        D.Rewritten = std::to_string(B.Allocations[Id].Bytes) + " bytes";
      }
      Unmatched.insert(Id);
      Result.Contents.push_back(std::move(D));
    }
  }

  void contents(unsigned Index) {
    std::set<std::pair<bool, unsigned>> Changed = changedAllocations(Index);
    Changed.merge(Pending);
    Pending.clear();
    for (const auto &[IsVariable, Id] : Changed) {
      if (IsVariable) {
        // A variable that only one program has, or that has another size, was
        // made or taken away by the rewrite: nothing to compare it with.
        const Allocation &OfA = A.Variables[Id];
        const auto At = VariablesOfB.find(OfA.Name);
        if (At != VariablesOfB.end() &&
            B.Variables[At->second].Bytes == OfA.Bytes)
          contentsOf(Index, OfA, B.Variables[At->second]);
        continue;
      }
      if (Unmatched.contains(Id))
        continue;
      const Allocation &OfA = A.Allocations[Id];
      const Allocation &OfB = B.Allocations[Id];
      const auto IsLive = [Index](const Allocation &Of) {
        return !Of.FreedBefore || *Of.FreedBefore > Index;
      };
      if (!IsLive(OfA) && !IsLive(OfB))
        continue;
      // Before a free, only what is freed was digested.
      const auto IsSeen = [Index](const Launch &L, const Allocation &Of) {
        return L.Digested || L.DigestedAtEnd || Of.FreedBefore == Index + 1;
      };
      if (!IsSeen(A.Launches[Index], OfA) || !IsSeen(B.Launches[Index], OfB)) {
        Pending.emplace(false, Id);
        continue;
      }
      if (IsLive(OfA) && IsLive(OfB)) {
        contentsOf(Index, OfA, OfB);
        continue;
      }
      Difference D = at(Index, IsLive(OfA) ? DifferenceKind::MissingAllocation
                                           : DifferenceKind::ExtraAllocation);
      D.Allocation = D.RewrittenAllocation = Id;
      D.Bytes = OfA.Bytes;
      Result.Contents.push_back(std::move(D));
    }
  }

  // The allocations that a launch changed in A or in B, by their number in A.
  std::set<std::pair<bool, unsigned>> changedAllocations(unsigned Index) const {
    std::set<std::pair<bool, unsigned>> Changed;
    for (const DigestChange &Change : A.Launches[Index].Changes)
      Changed.emplace(Change.IsVariable, Change.Allocation);
    for (const DigestChange &Change : B.Launches[Index].Changes) {
      if (!Change.IsVariable)
        Changed.emplace(false, Change.Allocation);
      else if (const auto At = VariablesOfA.find(Change.Allocation);
               At != VariablesOfA.end())
        Changed.emplace(true, At->second);
    }
    return Changed;
  }

  void contentsOf(unsigned Index, const Allocation &OfA,
                  const Allocation &OfB) {
    const auto &InA = MemoryA.digests(OfA.IsVariable, OfA.Id);
    const auto &InB = MemoryB.digests(OfB.IsVariable, OfB.Id);
    const size_t Chunks = std::max(InA.size(), InB.size());
    const auto Same = [&](size_t I) {
      return I < InA.size() && I < InB.size() && InA[I] == InB[I];
    };
    size_t First = 0;
    while (First < Chunks && Same(First))
      ++First;
    if (First == Chunks)
      return;
    size_t Last = First;
    while (Last < Chunks && !Same(Last))
      ++Last;
    size_t Final = Chunks;
    while (Same(Final - 1))
      --Final;
    Difference D = at(Index, DifferenceKind::Contents);
    D.IsVariable = OfA.IsVariable;
    D.Allocation = OfA.Id;
    D.RewrittenAllocation = OfB.Id;
    D.Name = OfA.Name;
    D.Bytes = OfA.Bytes;
    D.Begin = First * OfA.ChunkBytes;
    D.End = std::min(Last * OfA.ChunkBytes, OfA.Bytes);
    D.LastEnd = std::min(Final * OfA.ChunkBytes, OfA.Bytes);
    Result.Contents.push_back(std::move(D));
  }

  void holdBack(unsigned Index) { Pending.merge(changedAllocations(Index)); }

  const Recording &A, &B;
  Memory MemoryA, MemoryB;
  /// Changed in digests that the other program has no equal of.
  std::set<std::pair<bool, unsigned>> Pending;
  std::map<std::string, unsigned> VariablesOfB; // By name.
  std::map<unsigned, unsigned> VariablesOfA;    // By number in B.
  unsigned SeenAllocations = 0;
  std::set<unsigned> Unmatched;
  PairComparison Result;
};

} // namespace

PairComparison bankstripe::runtime::comparePair(const Recording &Original,
                                                const Recording &Rewritten) {
  return PairPlayer(Original, Rewritten).run();
}

// Whether the digests after a launch speak of that launch alone: the launch
// before was digested as well.
static bool coversOneLaunch(const Recording &R, unsigned Index) {
  return Index == 0 ||
         (Index <= R.Launches.size() && R.Launches[Index - 1].Digested);
}

namespace {

// What further runs of the original tell of it.
class Excuses {
public:
  using Key = std::pair<bool, unsigned>;

  Excuses(const Recording &Original, const PairComparison &Self)
      : Original(Original), Self(Self) {
    for (const Difference &D : Self.Contents)
      Launches.insert(D.Launch);
  }

  // Whether nothing can be said of this launch or any later one.
  bool sequenceEnds(unsigned Launch) const {
    return Self.Stop && Self.Stop->Launch <= Launch;
  }

  bool covers(const Difference &D) {
    for (;
         Next < Self.Contents.size() && Self.Contents[Next].Launch <= D.Launch;
         ++Next)
      Spoiled.insert(key(Self.Contents[Next]));
    if (Launches.contains(D.Launch) && !isTentative(D))
      Spoiled.insert(key(D));
    if (!Spoiled.contains(key(D)))
      return false;
    if (D.Kind == DifferenceKind::Contents)
      Used.insert(key(D));
    return true;
  }

  // Digests of several launches: another of them may be the one that varies.
  bool isTentative(const Difference &D) const {
    return Launches.contains(D.Launch) && !coversOneLaunch(Original, D.Launch);
  }

  std::vector<unsigned> launches() const {
    return {Launches.begin(), Launches.end()};
  }
  // The memory that they were used for.
  const std::set<Key> &used() const { return Used; }

private:
  static Key key(const Difference &D) { return {D.IsVariable, D.Allocation}; }

  const Recording &Original;
  const PairComparison &Self;
  std::set<unsigned> Launches;
  std::set<Key> Spoiled, Used;
  size_t Next = 0;
};

} // namespace

// The original compared with each of its further runs, as if they were one.
static PairComparison compareSelf(const Recording &Original,
                                  const std::vector<Recording> &Controls) {
  PairComparison Result;
  for (const Recording &Control : Controls) {
    PairComparison One = comparePair(Original, Control);
    std::move(One.Contents.begin(), One.Contents.end(),
              std::back_inserter(Result.Contents));
    if (One.Stop && (!Result.Stop || One.Stop->Launch < Result.Stop->Launch))
      Result.Stop = std::move(One.Stop);
  }
  std::ranges::sort(Result.Contents, {}, [](const Difference &D) {
    return std::tie(D.Launch, D.IsVariable, D.Allocation, D.Begin);
  });
  return Result;
}

static unsigned launchingThreads(const Recording &R) {
  std::set<unsigned> Threads;
  for (const Launch &L : R.Launches)
    Threads.insert(L.Thread);
  return static_cast<unsigned>(Threads.size());
}

// A kernel with its grid and block, as far as threads that race leave it alone.
static std::string signature(const Launch &L) {
  return L.Kernel.text() + " <<<" + L.Grid.text() + ", " + L.Block.text() +
         ">>>";
}

static std::map<std::string, unsigned> countLaunches(const Recording &R) {
  std::map<std::string, unsigned> Counts;
  for (const Launch &L : R.Launches)
    ++Counts[signature(L)];
  return Counts;
}

// The first kernel that the two programs do not launch equally often.
static std::optional<Difference> compareCounts(const Recording &Original,
                                               const Recording &Rewritten) {
  const auto InOriginal = countLaunches(Original);
  const auto InRewritten = countLaunches(Rewritten);
  const auto Find = [&](const Recording &In) -> std::optional<Difference> {
    for (const Launch &L : In.Launches) {
      const auto A = InOriginal.find(signature(L));
      const auto B = InRewritten.find(signature(L));
      const unsigned CountA = A == InOriginal.end() ? 0 : A->second;
      const unsigned CountB = B == InRewritten.end() ? 0 : B->second;
      if (CountA == CountB)
        continue;
      Difference D;
      D.Kind = CountA > CountB ? DifferenceKind::MissingLaunch
                               : DifferenceKind::ExtraLaunch;
      D.Launch = L.Index;
      D.OriginalKernel = D.RewrittenKernel = L.Kernel;
      D.Original = std::to_string(CountA) + " such launches";
      D.Rewritten = std::to_string(CountB) + " such launches";
      return D;
    }
    return std::nullopt;
  };
  const auto First = Find(Original);
  return First ? First : Find(Rewritten);
}

// The first difference in what is left in the end, where launches follow what
// the original asked about occupancy; \p Stop where they do not.
static std::optional<Difference> differenceAfter(const Difference &Stop,
                                                 const Recording &Original,
                                                 const PairComparison &Self,
                                                 const Recording &Rewritten,
                                                 Comparison &Result) {
  if (!Original.Notes.contains(OccupancyNote) ||
      (Stop.Kind != DifferenceKind::Grid && Stop.Kind != DifferenceKind::Block))
    return Stop;
  Result.FollowsOccupancy = Stop;
  std::vector<Difference> Left;
  Result.WithoutCounterpart = PairPlayer(Original, Rewritten).compareLeft(Left);
  for (const Difference &D : Left)
    if (std::ranges::none_of(Self.Contents, [&D](const Difference &Varying) {
          return Varying.IsVariable == D.IsVariable &&
                 Varying.Allocation == D.Allocation;
        }))
      return D;
  return std::nullopt;
}

// Launches of the same number are the same launches.
static Comparison compareInOrder(const Recording &Original,
                                 const PairComparison &Self,
                                 const Recording &Rewritten) {
  const PairComparison Pair = comparePair(Original, Rewritten);
  Excuses Excused(Original, Self);
  Comparison Result;
  Result.ComparedLaunches = Pair.ComparedLaunches;
  Result.UndigestedLaunches = Pair.UndigestedLaunches;
  Result.UnmatchedDigests = Pair.UnmatchedDigests;
  Result.NotDeterministic = Excused.launches();
  if (Self.Stop) {
    Result.SequenceNotDeterministicFrom = Self.Stop->Launch;
    Result.ComparedLaunches =
        std::min(Result.ComparedLaunches, Self.Stop->Launch);
  }
  std::set<unsigned> Differing;
  for (const Difference &D : Pair.Contents) {
    if (Excused.sequenceEnds(D.Launch) || Excused.covers(D))
      continue;
    Differing.insert(D.Launch);
    if (Result.First)
      continue;
    Result.First = D;
    Result.FirstIsTentative = Excused.isTentative(D);
  }
  Result.Excused = Excused.used();
  if (Pair.Stop && !Excused.sequenceEnds(Pair.Stop->Launch))
    if (const auto D =
            differenceAfter(*Pair.Stop, Original, Self, Rewritten, Result)) {
      Differing.insert(D->Launch);
      if (!Result.First)
        Result.First = D;
    }
  Result.DifferingLaunches = static_cast<unsigned>(Differing.size());
  return Result;
}

Comparison bankstripe::runtime::compare(const Recording &Original,
                                        const std::vector<Recording> &Controls,
                                        const Recording &Rewritten) {
  const PairComparison Self = compareSelf(Original, Controls);
  const unsigned Threads = launchingThreads(Original);
  Comparison Result;
  if (Threads < 2 || (!Self.Stop && Self.Contents.empty())) {
    Result = compareInOrder(Original, Self, Rewritten);
  } else {
    Result.OrderNotDeterministic = true;
    const auto Counts = countLaunches(Original);
    if (std::all_of(Controls.begin(), Controls.end(), [&](const Recording &C) {
          return countLaunches(C) == Counts;
        }))
      Result.First = compareCounts(Original, Rewritten);
    Result.DifferingLaunches = Result.First ? 1 : 0;
  }
  Result.Threads = Threads;
  return Result;
}

// The line that starts at `At`; moves `At` behind it.
static std::string nextLine(const std::string &Text, size_t &At) {
  const size_t End = std::min(Text.find('\n', At), Text.size());
  const std::string Line = Text.substr(At, End - At);
  At = std::min(End + 1, Text.size());
  return Line;
}

OutputComparison
bankstripe::runtime::compareOutput(const std::string &Original,
                                   const std::string &Control,
                                   const std::string &Rewritten) {
  OutputComparison Result;
  Result.Compared = true;
  Result.NotDeterministic = Original != Control;
  Result.Differs = Original != Rewritten;
  if (!Result.Differs)
    return Result;
  size_t AtOriginal = 0, AtRewritten = 0;
  do {
    ++Result.Line;
    Result.Original = nextLine(Original, AtOriginal);
    Result.Rewritten = nextLine(Rewritten, AtRewritten);
  } while (Result.Original == Result.Rewritten &&
           (AtOriginal < Original.size() || AtRewritten < Rewritten.size()));
  return Result;
}
