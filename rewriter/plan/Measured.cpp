//===-- Measured.cpp - what nvcc has against a plan -----------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clang's optimiser foresees what ptxas will do, but only ptxas knows. What
// follows from its answers is in docs/internals/model.md, "What nvcc adds".
//
//===----------------------------------------------------------------------===//

#include "plan/Measured.h"
#include "plan/Frames.h"
#include "plan/Profit.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace bankstripe;

/// Of the code that finds a thread's storage, which runs once.
static constexpr unsigned PrologueBytes = 512;

/// No further move is doubted once nvcc was asked about so many plans.
static constexpr unsigned MostAnswers = MostTrials + 6;

// What the plan makes of A; null where it changed nothing.
static const Treatment *
treatmentIn(const std::map<Place, Treatment> &Treatments,
            const ReachedArray &A) {
  auto It = Treatments.find(A.Array.Where);
  return It == Treatments.end() ? nullptr : &It->second;
}

static unsigned frameOf(const KernelResources &R) {
  return R.StackFrame + R.calleeFrames();
}

// What ptxas said of a kernel in V, as it was and changed; nulls when nothing.
static std::pair<const KernelResources *, const KernelResources *>
resourcesIn(const NvccTrial &V, const Kernel &K) {
  auto Was = V.Before.find(K.Id), Is = V.After.find(K.Id);
  if (Was == V.Before.end() || Is == V.After.end())
    return {nullptr, nullptr};
  return {&Was->second, &Is->second};
}

// The trials that tell what to do next. The last of all is for the frames.
static llvm::ArrayRef<NvccTrial> instructive(const Measured &Known) {
  return llvm::ArrayRef(Known.Trials).take_front(MostTrials - 1);
}

// --- Code -------------------------------------------------------------------

static double growthOf(const KernelResources &Was, const KernelResources &Is) {
  if (!Was.CodeBytes || !Is.CodeBytes)
    return 1;
  if (Is.CodeBytes <= Was.CodeBytes + PrologueBytes)
    return 1;
  return double(Is.CodeBytes - PrologueBytes) / Was.CodeBytes;
}

// Of the subsets of a kernel's arrays only the first is looked at; the others
// are taken to be like it. A kernel in which a table becomes constant has
// another reason to grow or to shrink.
std::map<std::string, ChangedCode>
bankstripe::changedCode(const MergedRun &Run, const Measured &Known) {
  std::map<std::string, ChangedCode> Result;
  for (const NvccTrial &V : instructive(Known)) {
    std::set<unsigned> Moving, Otherwise;
    for (const ReachedArray &A : Run.Arrays)
      if (const Treatment *T = treatmentIn(V.Changed, A))
        (T->Kind == VerdictKind::Constant ? Otherwise : Moving)
            .insert(A.Kernels.begin(), A.Kernels.end());
    for (unsigned Row : Moving) {
      const Kernel &K = Run.Kernels[Row].Facts;
      auto [Was, Is] = resourcesIn(V, K);
      if (Was && !Otherwise.count(Row))
        Result.try_emplace(K.Id,
                           ChangedCode{growthOf(*Was, *Is), Is->Registers});
    }
  }
  return Result;
}

// --- What nvcc has against it ------------------------------------------------

// The last trial that changes the same arrays of kernel Row as Planned, and
// Beside, if that is one.
template <class ArrayList>
static const NvccTrial *
trialLike(unsigned Row, const std::map<Place, Treatment> &Planned,
          const ArrayList &Arrays, const Measured &Known,
          const ReachedArray *Beside = nullptr) {
  auto IsLike = [&](const NvccTrial &V) {
    return llvm::all_of(Arrays, [&](const ReachedArray &A) {
      if (!llvm::is_contained(A.Kernels, Row))
        return true;
      const Treatment *X = treatmentIn(Planned, A),
                      *Y = treatmentIn(V.Changed, A);
      if (&A == Beside)
        return Y != nullptr;
      return X && Y ? *X == *Y : X == Y;
    });
  };
  for (const NvccTrial &V : llvm::reverse(Known.Trials))
    if (IsLike(V))
      return &V;
  return nullptr;
}

std::optional<Why>
bankstripe::whyTakenBack(unsigned I, const std::map<Place, Treatment> &Planned,
                         const MergedRun &Run, const Measured &Known) {
  const ReachedArray &A = Run.Arrays[I];
  if (!treatmentIn(Planned, A))
    return std::nullopt;
  std::optional<Why> Result;
  for (unsigned Row : A.Kernels) {
    const NvccTrial *V = trialLike(Row, Planned, Run.Arrays, Known);
    if (!V)
      continue;
    if (V->Rejected.count(A.Array.Where.File))
      return Why{Reason::CompileFailed, A.Array.Where, ""};
    auto [Was, Is] = resourcesIn(*V, Run.Kernels[Row].Facts);
    if (!Was)
      continue;
    const unsigned Before = frameOf(*Was), After = frameOf(*Is);
    if (After < Before)
      return std::nullopt;
    Result = Why{Reason::StackFrameKept, A.Array.Where,
                 llvm::formatv("{0} -> {1} bytes", Before, After)};
  }
  return Result;
}

bool bankstripe::keepsFrames(const ReachedArray &A, const MergedRun &Run,
                             const Measured &Known) {
  return llvm::any_of(Known.Trials, [&](const NvccTrial &V) {
    return treatmentIn(V.Changed, A) && !A.Kernels.empty() &&
           llvm::all_of(A.Kernels, [&](unsigned Row) {
             auto [Was, Is] = resourcesIn(V, Run.Kernels[Row].Facts);
             return Was && !Is->spills() && frameOf(*Was) == frameOf(*Is);
           });
  });
}

uint64_t bankstripe::smallestFrame(const MergedKernel &K,
                                   const Measured &Known) {
  uint64_t Result = K.Original ? K.Original->StackFrame : 0;
  for (const NvccTrial &V : Known.Trials)
    if (auto [Was, Is] = resourcesIn(V, K.Facts); Was && !Is->SpillStores)
      Result = std::min<uint64_t>(Result, Is->StackFrame);
  return Result;
}

bool bankstripe::isSettled(const Plan &P, const Measured &Known) {
  // A doubt is one more question, and what follows from it another.
  if (Known.Trials.size() >= MostTrials + 2 * Known.Doubts.size())
    return true;
  for (unsigned Row = 0; Row < P.Kernels.size(); ++Row)
    if (!trialLike(Row, P.Treatments, P.Arrays, Known))
      return false;
  return true;
}

// --- Moves in doubt ----------------------------------------------------------

// Whether the frame of kernel Row of P loses fewer bytes than arrays that move.
static bool losesLess(unsigned Row, const Plan &P, const Measured &Known) {
  uint64_t Leaving = 0;
  unsigned Moving = 0;
  for (const PlannedArray &A : P.Arrays)
    if (A.Verdict.changesSource() && llvm::is_contained(A.Kernels, Row)) {
      ++Moving;
      Leaving +=
          A.Verdict.First
              ? A.Verdict.First * uint64_t(A.Array.Shape.ElementBytes)
              : std::min(A.Evidence.ResidentBytes, declaredBytesIn(A, Row));
    }
  const NvccTrial *V = trialLike(Row, P.Treatments, P.Arrays, Known);
  if (!V || Moving < 2)
    return false;
  auto [Was, Is] = resourcesIn(*V, P.Kernels[Row].Facts);
  return Was && frameOf(*Was) > frameOf(*Is) &&
         Leaving > frameOf(*Was) - frameOf(*Is);
}

// Whether no frame is larger in P, without the move of A, than with it.
static bool isInRegisters(const PlannedArray &A, const Plan &P,
                          const Measured &Known) {
  return llvm::all_of(A.Kernels, [&](unsigned Row) {
    auto Find = [&](const ReachedArray *Beside) -> const KernelResources * {
      const auto *V = trialLike(Row, P.Treatments, P.Arrays, Known, Beside);
      return V ? resourcesIn(*V, P.Kernels[Row].Facts).second : nullptr;
    };
    const KernelResources *Moved = Find(&A), *Stays = Find(nullptr);
    return Moved && Stays && !Moved->spills() &&
           frameOf(*Stays) <= frameOf(*Moved);
  });
}

// Whether an array that stays may have the bytes that A leaves, so that frames
// tell nothing of A.
static bool mayShareBytes(const PlannedArray &A, const Plan &P) {
  return llvm::any_of(P.Arrays, [&](const PlannedArray &B) {
    return !B.Verdict.changesSource() &&
           B.Evidence.Where == Residency::LocalMemory && areApart(A, B) &&
           llvm::any_of(A.Kernels, [&](unsigned Row) {
             return llvm::is_contained(B.Kernels, Row);
           });
  });
}

bool bankstripe::doubtMoves(const Plan &P, Measured &Known) {
  bool Settles = false;
  for (const PlannedArray &A : P.Arrays) {
    if (!Known.isOpen(A.Array.Where))
      continue;
    Known.Doubts[A.Array.Where] =
        isInRegisters(A, P, Known) ? Doubt::InRegisters : Doubt::InFrame;
    Settles = true;
  }
  if (Settles || Known.Trials.size() >= MostAnswers)
    return Settles;
  // The smallest first, which registers hold most likely.
  auto Order = llvm::to_vector(llvm::make_pointer_range(P.Arrays));
  llvm::stable_sort(Order, [](const PlannedArray *A, const PlannedArray *B) {
    return A->Evidence.ResidentBytes < B->Evidence.ResidentBytes;
  });
  std::set<unsigned> Asked;
  for (const PlannedArray *A : Order) {
    auto IsAsked = [&](unsigned Row) { return Asked.count(Row) != 0; };
    auto LosesLess = [&](unsigned Row) { return losesLess(Row, P, Known); };
    if (!A->Verdict.usesHelper() || Known.Doubts.count(A->Array.Where) ||
        mayShareBytes(*A, P) || llvm::any_of(A->Kernels, IsAsked) ||
        llvm::none_of(A->Kernels, LosesLess))
      continue;
    Known.Doubts[A->Array.Where] = Doubt::Open;
    Asked.insert(A->Kernels.begin(), A->Kernels.end());
  }
  return !Asked.empty();
}

std::map<Place, Treatment> bankstripe::changesOf(const Plan &P) {
  std::map<Place, Treatment> Result;
  for (const PlannedArray &A : P.Arrays)
    if (A.Verdict.changesSource())
      Result[A.Array.Where] = P.Treatments.at(A.Array.Where);
  return Result;
}

bool bankstripe::keepsOriginals(const Plan &P) {
  auto IsInVersions = [&](const PlannedArray &A) {
    return (A.Array.Function.IsKernel || A.Verdict.Storage.InCopy) &&
           llvm::all_of(A.Kernels, [&](unsigned Row) {
             return P.Kernels[Row].HasVersion;
           });
  };
  return llvm::all_of(P.Arrays, [&](const PlannedArray &A) {
    return !A.Verdict.changesSource() || IsInVersions(A);
  });
}
