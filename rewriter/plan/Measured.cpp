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
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace bankstripe;

/// Of the code that finds a thread's storage, which runs once.
static constexpr unsigned PrologueBytes = 512;

// What the version made of A; null where it changed nothing.
static const Treatment *treatmentIn(const std::map<Place, Treatment> &Version,
                                    const ReachedArray &A) {
  auto It = Version.find(A.Array.Where);
  return It == Version.end() ? nullptr : &It->second;
}

static unsigned frameOf(const KernelResources &R) {
  return R.StackFrame + R.calleeFrames();
}

// What ptxas said of a kernel in V, as it was and changed; nulls when nothing.
static std::pair<const KernelResources *, const KernelResources *>
resourcesIn(const MeasuredVersion &V, const MergedKernel &K) {
  auto Was = V.Before.find(K.Facts.Id), Is = V.After.find(K.Facts.Id);
  if (Was == V.Before.end() || Is == V.After.end())
    return {nullptr, nullptr};
  return {&Was->second, &Is->second};
}

// The versions that tell what to do next. The last of all is for the frames.
static llvm::ArrayRef<MeasuredVersion> instructive(const Measured &Known) {
  return llvm::ArrayRef(Known.Versions).take_front(MostVersions - 1);
}

// --- Code and frames ---------------------------------------------------------

// Of all arrays that the version changes in kernel Row.
static uint64_t bytesThatLeave(unsigned Row,
                               const std::map<Place, Treatment> &Version,
                               const MergedRun &Run) {
  uint64_t Leaving = 0;
  for (const ReachedArray &A : Run.Arrays)
    if (const Treatment *T = treatmentIn(Version, A);
        T && llvm::is_contained(A.Kernels, Row))
      Leaving += T->First ? T->First * uint64_t(A.Array.Shape.ElementBytes)
                          : A.Evidence.ResidentBytes;
  return Leaving;
}

// Whether an array that changes in kernel Row is never alive at once with
// another one there, so that they could have had the same bytes of its frame:
// if both leave it they leave fewer than they have, and if one stays, none.
static bool mayHaveOverlapped(unsigned Row,
                              const std::map<Place, Treatment> &Version,
                              const MergedRun &Run) {
  std::vector<const ReachedArray *> Resident;
  for (const ReachedArray &A : Run.Arrays)
    if (A.Evidence.ResidentBytes > 0 && llvm::is_contained(A.Kernels, Row))
      Resident.push_back(&A);
  return llvm::any_of(Resident, [&](const ReachedArray *A) {
    return treatmentIn(Version, *A) &&
           llvm::any_of(Resident, [&](const ReachedArray *B) {
             return areApart(A->Array, B->Array);
           });
  });
}

// How much of the arrays that leave the frame of kernel Row it held. nvcc had
// the rest in registers, as far as it is known.
static double shareInFrame(unsigned Row, const MeasuredVersion &V,
                           const MergedRun &Run) {
  auto [Was, Is] = resourcesIn(V, Run.Kernels[Row]);
  const uint64_t Leaving = bytesThatLeave(Row, V.Changed, Run);
  if (frameOf(*Is) == 0 || frameOf(*Is) >= frameOf(*Was) ||
      mayHaveOverlapped(Row, V.Changed, Run))
    return 1;
  return std::min(1.0, double(frameOf(*Was) - frameOf(*Is)) / Leaving);
}

static double growthOf(const KernelResources &Was, const KernelResources &Is) {
  if (!Was.CodeBytes || !Is.CodeBytes)
    return 1;
  const unsigned Added =
      Is.CodeBytes > Was.CodeBytes ? Is.CodeBytes - Was.CodeBytes : 0;
  const double Growth =
      double(Is.CodeBytes - std::min(Added, PrologueBytes)) / Was.CodeBytes;
  return Growth > 1 || Growth <= NotableShrinkage ? Growth : 1;
}

// Of the subsets of a kernel's arrays only the first is looked at; the others
// are taken to be like it. A kernel in which a table becomes constant has
// another reason to grow or to shrink.
std::map<std::string, ChangedCode>
bankstripe::changedCode(const MergedRun &Run, const Measured &Known) {
  std::map<std::string, ChangedCode> Result;
  for (const MeasuredVersion &V : instructive(Known)) {
    std::set<unsigned> Moving, Otherwise;
    for (const ReachedArray &A : Run.Arrays)
      if (const Treatment *T = treatmentIn(V.Changed, A))
        (T->Kind == VerdictKind::Constant ? Otherwise : Moving)
            .insert(A.Kernels.begin(), A.Kernels.end());
    for (unsigned Row : Moving) {
      const MergedKernel &K = Run.Kernels[Row];
      auto [Was, Is] = resourcesIn(V, K);
      if (Was && !Otherwise.count(Row))
        Result.try_emplace(K.Facts.Id,
                           ChangedCode{growthOf(*Was, *Is), Is->Registers,
                                       shareInFrame(Row, V, Run)});
    }
  }
  return Result;
}

// --- What nvcc has against it ------------------------------------------------

// The last version that changes the same arrays of kernel Row as Planned.
template <class ArrayList>
static const MeasuredVersion *
versionLike(unsigned Row, const std::map<Place, Treatment> &Planned,
            const ArrayList &Arrays, const Measured &Known) {
  auto IsLike = [&](const MeasuredVersion &V) {
    return llvm::all_of(Arrays, [&](const ReachedArray &A) {
      if (!llvm::is_contained(A.Kernels, Row))
        return true;
      const Treatment *X = treatmentIn(Planned, A),
                      *Y = treatmentIn(V.Changed, A);
      return X && Y ? *X == *Y : X == Y;
    });
  };
  for (const MeasuredVersion &V : llvm::reverse(Known.Versions))
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
    const MeasuredVersion *V = versionLike(Row, Planned, Run.Arrays, Known);
    if (!V)
      continue;
    if (V->Rejected.count(A.Array.Where.File))
      return Why{Reason::CompileFailed, A.Array.Where, ""};
    auto [Was, Is] = resourcesIn(*V, Run.Kernels[Row]);
    if (!Was)
      continue;
    if (auto Waits = whyBlocksStay(Run.Kernels[Row]);
        Waits && Is->Registers > Was->Registers) {
      Waits->Detail += llvm::formatv(", and it takes {0} registers, {1} before",
                                     Is->Registers, Was->Registers);
      return Waits;
    }
    const unsigned Before = frameOf(*Was), After = frameOf(*Is);
    if (After < Before)
      return std::nullopt;
    Result = Why{Reason::StackFrameKept, A.Array.Where,
                 llvm::formatv("{0} > {1} bytes", Before, After)};
  }
  return Result;
}

bool bankstripe::isSettled(const Plan &P, const Measured &Known) {
  if (Known.Versions.size() >= MostVersions)
    return true;
  for (unsigned Row = 0; Row < P.Kernels.size(); ++Row)
    if (!versionLike(Row, P.Version, P.Arrays, Known))
      return false;
  return true;
}

std::map<Place, Treatment> bankstripe::changesOf(const Plan &P) {
  std::map<Place, Treatment> Result;
  for (const PlannedArray &A : P.Arrays)
    if (A.Verdict.changesSource())
      Result[A.Array.Where] = P.Version.at(A.Array.Where);
  return Result;
}
