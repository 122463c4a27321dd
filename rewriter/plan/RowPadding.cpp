//===-- RowPadding.cpp - bank conflicts of shared arrays ------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What accesses cost with rows of each length is known from the IR
// (evidence/Banks.cpp). The length with which they cost least is chosen, and
// the array stays as it is where that is no real gain, is not known for all
// accesses or could be noticed.
//
//===----------------------------------------------------------------------===//

#include "plan/RowPadding.h"
#include "arch/ArchInfo.h"
#include "plan/Decide.h"
#include "plan/Form.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace bankstripe;

/// How often a loop of unknown length is taken to run.
static constexpr double LoopTrips = 8;
/// Rows get longer where no more than this is left of the time for accesses.
static constexpr double MostLeft = 0.9;

using Instances = std::vector<AccessedArray>;
using Accesses = std::vector<const SharedAccess *>;

// To all of Arrays, in blocks of all shapes that are launched; nothing where
// not all is known.
static std::optional<Accesses> accessesTo(const Instances &Arrays,
                                          const MergedRun &Run) {
  Accesses Result;
  std::map<std::string, std::set<std::vector<unsigned>>> Shapes;
  for (const AccessedArray &A : Arrays) {
    if (!A.Accesses)
      return std::nullopt;
    for (const SharedAccess &S : *A.Accesses) {
      auto &Known = Shapes[S.FunctionId];
      if (S.Shape.empty())
        continue; // Another unit may launch it.
      if (S.Degrees.empty())
        return std::nullopt;
      Known.insert(S.Shape);
      Result.push_back(&S);
    }
  }
  for (const MergedKernel &K : Run.Kernels)
    if (auto Known = Shapes.find(K.Facts.Id); Known != Shapes.end())
      for (const Launch &L : K.Launches)
        if (!Known->second.count(L.Shape))
          return std::nullopt;
  const bool AreKnown = llvm::none_of(
      Shapes, [](const auto &Each) { return Each.second.empty(); });
  return AreKnown ? std::optional(std::move(Result)) : std::nullopt;
}

static double costOf(const Accesses &All, unsigned Padding) {
  double Cost = 0;
  for (const SharedAccess *S : All)
    Cost += S->Degrees[Padding] * std::pow(LoopTrips, S->LoopDepth);
  return Cost;
}

// The padding that leaves the least to do, with the fewest bytes; 0 if none
// leaves much less.
static unsigned bestPadding(const Accesses &All) {
  size_t Lengths = All.front()->Degrees.size();
  for (const SharedAccess *S : All)
    Lengths = std::min(Lengths, S->Degrees.size());
  unsigned Best = 0;
  for (unsigned Padding = 1; Padding < Lengths; ++Padding)
    if (costOf(All, Padding) < costOf(All, Best))
      Best = Padding;
  return costOf(All, Best) <= MostLeft * costOf(All, 0) ? Best : 0;
}

static std::vector<BankConflict>
conflictsOf(const Accesses &All, llvm::StringRef File, unsigned Padding) {
  std::map<Place, BankConflict> Found;
  for (const SharedAccess *S : All) {
    const Place Where{File.str(), S->Line, S->Column};
    BankConflict &C =
        Found.try_emplace(Where, BankConflict{Where}).first->second;
    C.Before = std::max(C.Before, S->Degrees[0]);
    C.After = std::max(C.After, S->Degrees[Padding]);
  }
  std::vector<BankConflict> Result;
  for (const auto &[Where, C] : Found)
    if (C.Before > 1 || C.After > 1)
      Result.push_back(C);
  return Result;
}

static uint64_t addedBytes(const Instances &Arrays, unsigned Padding) {
  uint64_t Most = 0;
  for (const AccessedArray &A : Arrays) {
    uint64_t Bytes = Padding * A.Array.ElementBytes;
    for (uint64_t Extent : llvm::ArrayRef(A.Array.Extents).drop_back())
      Bytes *= Extent;
    Most = std::max(Most, Bytes);
  }
  return Most;
}

// Whether a launch of K, be it one that nobody saw, may ask for so much that
// Bytes leave it no room in Limit; or it may need all its blocks at once.
static bool mayFail(const MergedKernel &K, uint64_t Bytes, uint64_t Limit) {
  if (K.WaitsForBlocks || K.Shared.Asks == AskedSize::All ||
      (K.Shared.UsesDynamic && (K.Launches.empty() || !K.WhyUnseen.empty())))
    return true;
  return llvm::any_of(K.Launches, [&](const Launch &L) {
    return !L.DynamicSharedBytes || *L.DynamicSharedBytes + Bytes > Limit;
  });
}

// Whether K may rely on an alignment of its dynamic shared memory that it does
// not have behind Bytes more.
static bool mayMisalign(const MergedKernel &K, uint64_t Bytes) {
  const unsigned Claimed = K.Facts.ClaimedAlignment;
  return K.Shared.UsesDynamic && Claimed > PlaceAlignment && Bytes % Claimed;
}

// Gives the kernels of A that many bytes more, unless something stands against
// it.
static std::optional<Reason> addBytes(const PlannedSharedArray &A,
                                      uint64_t Bytes, const MergedRun &Run,
                                      const PlanOptions &Options, Plan &P) {
  for (unsigned Row : A.Kernels) {
    const KernelPlan &K = P.Kernels[Row];
    auto Warps = [&](uint64_t Static) {
      return residentWarps(P.GpuArch, K.Block.Threads, K.Registers,
                           Static + K.DynamicSharedBytes);
    };
    // Launches that bring storage may opt in to more.
    const uint64_t Limit =
        K.WarpBytes ? std::min(commonSharedLimit(Options), Options.SharedLimit)
                    : StaticSharedLimit;
    const uint64_t Brought = broughtBytes(K.WarpBytes, K.Block.Threads);
    if (K.SharedAfter + Bytes > Limit ||
        K.SharedAfter + Bytes - Brought > StaticSharedLimit)
      return Reason::OverBudget;
    const bool IsUnsafe =
        llvm::any_of(Run.Kernels, [&](const MergedKernel &Merged) {
          return Merged.Facts.Id == K.Facts.Id &&
                 (mayFail(Merged, K.SharedAfter + Bytes, Limit) ||
                  mayMisalign(Merged, Bytes));
        });
    if (IsUnsafe)
      return Reason::DynamicSharedMemory;
    if (!A.Asked && Warps(K.SharedAfter + Bytes) < Warps(K.SharedAfter))
      return Reason::NotProfitable;
  }
  for (unsigned Row : A.Kernels)
    P.Kernels[Row].SharedAfter += Bytes;
  return std::nullopt;
}

// What was decided about A, the Occurrence-th of its name; Outcome becomes the
// row about it.
static Wish wishFor(const SharedArray &A, unsigned Occurrence,
                    const PlanOptions &Options,
                    std::vector<DecisionOutcome> &Outcomes,
                    DecisionOutcome *&Outcome) {
  Wish Result = {defaultFor(A.Where.File, Options)};
  for (DecisionOutcome &O : Outcomes) {
    const ArrayDecision &D = O.Decision;
    if (D.File != A.Where.File || D.Function != A.Function ||
        D.Array != A.Name || D.Occurrence != Occurrence || O.Array.isValid())
      continue;
    Outcome = &O;
    if (D.Wanted == Layout::Keep || D.Wanted == Layout::Padded)
      Result = {D.Wanted, &D};
  }
  return Result;
}

static PlannedSharedArray decide(const Instances &Arrays, const MergedRun &Run,
                                 const PlanOptions &Options, const Wish &W,
                                 Plan &P) {
  PlannedSharedArray Result;
  Result.Array = Arrays.front().Array;
  Result.Asked = W.Wanted == Layout::Padded;
  const std::string &File = Result.Array.Where.File;
  auto Stays = [&](Reason Why, const Place &Where) {
    Result.Why = Why;
    Result.WhyWhere = Where;
    return Result;
  };
  const auto All = accessesTo(Arrays, Run);
  if (All)
    Result.Conflicts = conflictsOf(*All, File, 0);
  if (All && Result.Conflicts.empty())
    return Stays(Reason::ConflictFree, Result.Array.Where);
  // Without rows there is nothing that an obstacle would stand against.
  const bool HasRows = Result.Array.hasRows();
  if (!All && !HasRows)
    return Stays(Reason::BanksUnknown, Result.Array.Where);
  for (const AccessedArray &A : Arrays)
    if (const auto &Found = A.Array.Obstacles; !Found.empty())
      return Stays(Found.front().Why, Found.front().Where);
  if (!All)
    return Stays(Reason::BanksUnknown, Result.Array.Where);
  if (W.Wanted == Layout::Keep)
    return Stays(Reason::DecidedKeep,
                 W.Decision ? W.Decision->Where : Result.Array.Where);
  if (!HasRows)
    return Stays(Reason::OneDimensional, Result.Array.Where);
  for (const SharedAccess *S : *All)
    if (S->MayLeaveRow)
      return Stays(Reason::LeavesRow, {File, S->Line, S->Column});
  const unsigned Padding = bestPadding(*All);
  if (!Padding)
    return Stays(Reason::ConflictsStay, Result.Array.Where);
  for (unsigned Row = 0; Row < P.Kernels.size(); ++Row)
    if (llvm::any_of(*All, [&](const SharedAccess *S) {
          return S->FunctionId == P.Kernels[Row].Facts.Id;
        }))
      Result.Kernels.push_back(Row);
  if (Result.Array.IsWeak && Options.Others != Outside::Nobody)
    return Stays(Reason::LinkedStorage, Result.Array.Where);
  const uint64_t Bytes = addedBytes(Arrays, Padding);
  if (auto Why = addBytes(Result, Bytes, Run, Options, P))
    return Stays(*Why, Result.Array.Where);
  Result.Padding = Padding;
  Result.AddedBytes = Bytes;
  Result.Conflicts = conflictsOf(*All, File, Padding);
  return Stays(Reason::BankConflicts, Result.Array.Where);
}

void bankstripe::planPadding(const MergedRun &Run, const PlanOptions &Options,
                             Plan &Into) {
  std::map<std::tuple<std::string, std::string, std::string>, unsigned> Count;
  for (const auto &[Where, Arrays] : Run.SharedArrays) {
    const SharedArray &First = Arrays.front().Array;
    DecisionOutcome *Outcome = nullptr;
    const Wish W =
        wishFor(First, ++Count[{Where.File, First.Function, First.Name}],
                Options, Into.Outcomes, Outcome);
    const PlannedSharedArray &A =
        Into.SharedArrays.emplace_back(decide(Arrays, Run, Options, W, Into));
    if (!Outcome)
      continue;
    const bool CanBe = W.Decision == &Outcome->Decision;
    const bool IsAsDecided = CanBe && A.Asked == (A.Padding != 0);
    const ReasonInfo &Info = infoOf(A.Why);
    Outcome->State =
        IsAsDecided ? DecisionState::Used : DecisionState::Unfulfilled;
    Outcome->Detail =
        IsAsDecided ? ""
        : CanBe     ? (Info.Summary + " [" + Info.Id + "]").str()
                    : "it is a shared array, which can only be padded or kept";
  }
}
