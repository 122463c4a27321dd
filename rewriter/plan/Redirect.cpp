//===-- Redirect.cpp - launches that run a version of a kernel ------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where somebody else may launch a kernel, a static kernel beside it is its
// version, and the launches in sight name that one:
//
//     template <int N> __global__ void sum(...) { float t[N]; ... }
//     template <int N> static __global__ void sum_striped(...) { ... }
//
//     sum_striped<16><<<grid, block>>>(...);
//
// It is planned like any kernel of which all launches are in sight. Or the
// kernel chooses one in its own body, for the blocks that fit
// (KernelSetting.cpp): that serves whoever launches it, but ptxas chooses
// registers for both at once. So the version stands beside a kernel that nobody
// but its own file seems to launch, and beside others if a choice inside does
// not work or costs more: `__shared__` variables twice, or static storage for a
// block that nobody knows, or more of it than there is.
//
//===----------------------------------------------------------------------===//

#include "plan/Redirect.h"
#include "plan/Candidates.h"
#include "plan/KernelSetting.h"
#include "plan/Layout.h"
#include "llvm/ADT/STLExtras.h"

using namespace bankstripe;

// Whether the name in a launch can be that of a kernel behind the original.
static bool canName(const LaunchText &Text, const KernelText &Kernel) {
  if (!Text.Name.isValid())
    return false;
  return Text.Name.File == Kernel.Definition.File
             ? Text.Name.Offset >= Kernel.Definition.end()
             : Kernel.Declarations.empty();
}

// Launches of units that see no more than a declaration run the original.
static bool isInSight(const Launch &L) { return L.Text.SeesDefinition; }

// What it may be allowed to ask for beyond that, somebody else may have allowed
// the original.
static bool asksForLittle(const Launch &L, const MergedKernel &K) {
  return L.DynamicSharedBytes &&
         *L.DynamicSharedBytes + K.Shared.StaticBytes <= StaticSharedLimit;
}

// The arrays that kernel Row reaches and that may move.
static std::vector<const ReachedArray *> movableIn(unsigned Row,
                                                   const MergedRun &Run) {
  std::vector<const ReachedArray *> Result;
  for (const ReachedArray &A : Run.Arrays)
    if (llvm::is_contained(A.Kernels, Row) && !whyArrayStays(A))
      Result.push_back(&A);
  return Result;
}

// The text of a launch in a template may be that of several kernels.
static bool isShared(const Launch &L, const MergedKernel &K,
                     const MergedRun &Run) {
  return llvm::any_of(Run.Kernels, [&](const MergedKernel &Other) {
    return !(Other.Facts.Text.Definition == K.Facts.Text.Definition) &&
           llvm::any_of(Other.Launches, [&](const Launch &Its) {
             return Its.Text.Name == L.Text.Name;
           });
  });
}

static bool canRedirect(unsigned Row, const MergedRun &Run) {
  const MergedKernel &K = Run.Kernels[Row];
  const Kernel &Facts = K.Facts;
  if (!Facts.AddressTaken || Facts.AttributeSetAt.isValid() ||
      !Facts.Text.Problem.empty() || !Facts.Text.VersionProblem.empty() ||
      llvm::none_of(K.Launches, isInSight))
    return false;
  auto CanRunVersion = [&](const Launch &L) {
    return !isInSight(L) || (!L.OnDevice && canName(L.Text, Facts.Text) &&
                             asksForLittle(L, K) && !isShared(L, K, Run));
  };
  auto CanAskAboutVersion = [&](const OccupancyQuery &Q) {
    return Q.Text.SeesDefinition && canName(Q.Text, Facts.Text);
  };
  const auto Arrays = movableIn(Row, Run);
  return !Arrays.empty() && llvm::all_of(K.Launches, CanRunVersion) &&
         llvm::all_of(K.Queries, CanAskAboutVersion) &&
         llvm::all_of(Arrays, [](const ReachedArray *A) {
           return A->Array.Function.IsKernel || A->Array.Version.isPossible();
         });
}

// Arrays of functions are those of the original as well, whose blocks may be
// larger: the functions choose.
static bool callsVersions(unsigned Row, const MergedRun &Run) {
  return llvm::any_of(movableIn(Row, Run), [](const ReachedArray *A) {
    return !A->Array.Function.IsKernel;
  });
}

// As far as anybody can see, only launches in sight run it. What a driver loads
// it finds by its name.
static bool isOnlyLaunchedHere(const MergedKernel &K,
                               const PlanOptions &Options) {
  const KernelText &Text = K.Facts.Text;
  return Options.Others != Outside::Loaders &&
         K.Facts.AddressTakenAt == K.Facts.Where &&
         llvm::all_of(K.Launches, isInSight) &&
         llvm::all_of(Text.Declarations, [&](const TextRange &Declared) {
           return Declared.File == Text.Definition.File;
         });
}

// Whether all of its arrays take more than static storage can be.
static bool isAboveStatic(unsigned Row, const MergedRun &Run) {
  const MergedKernel &K = Run.Kernels[Row];
  unsigned Threads = 0;
  for (const Launch &L : K.Launches)
    if (isInSight(L))
      Threads = std::max(Threads, L.Threads.value_or(LargestBlock));
  if (K.Facts.Bounds)
    Threads = K.Facts.Bounds->Threads;
  uint64_t Sum = K.Shared.StaticBytes;
  for (const ReachedArray *A : movableIn(Row, Run))
    Sum += bytesIn(*A, smallestStripe(*A), Row, Threads);
  return Sum > StaticSharedLimit;
}

// Whether a version beside the kernel is better than what \p Inside says, which
// is what it has if it is launched itself.
static bool isBetter(unsigned Row, const MergedRun &Run,
                     const KernelSetting &Inside, const PlanOptions &Options) {
  const MergedKernel &K = Run.Kernels[Row];
  if (!Inside.HasVersion && callsVersions(Row, Run))
    return false;
  if (Options.SharedLimit > StaticSharedLimit && isAboveStatic(Row, Run))
    return true;
  if (!Inside.HasVersion)
    return Inside.Obstacle && !K.Facts.Bounds;
  return isOnlyLaunchedHere(K, Options) ||
         llvm::any_of(K.Launches,
                      [](const Launch &L) {
                        return isInSight(L) && !L.Threads &&
                               L.Text.Problem.empty();
                      }) ||
         llvm::any_of(movableIn(Row, Run), [](const ReachedArray *A) {
           return !A->Array.Version.isPossible() ||
                  A->Array.Version.SharedBytes != 0;
         });
}

// Whether arrays move in a version beside the kernel, as \p Beside says.
static bool works(unsigned Row, const MergedRun &Run,
                  const KernelSetting &Beside) {
  return !Beside.Obstacle && !Beside.HasVersion &&
         !(Beside.Dynamic && callsVersions(Row, Run)) &&
         llvm::any_of(movableIn(Row, Run), [&](const ReachedArray *A) {
           return bytesIn(*A, smallestStripe(*A), Row, Beside.largestBlock()) <=
                  Beside.Budget;
         });
}

RunWithSettings bankstripe::redirectLaunches(MergedRun Run,
                                             const PlanOptions &Options) {
  // Instances of a template share their text, and go one way.
  auto TextOf = [](const MergedKernel &K) { return K.Facts.Text.Definition; };
  const std::vector<MergedKernel> Originals = Run.Kernels;
  const std::vector<KernelSetting> Inside = settingsOf(Run, Options);
  std::set<TextRange> Stay, Beside;
  for (auto [Row, K] : llvm::enumerate(Originals)) {
    if (!canRedirect(Row, Run))
      Stay.insert(TextOf(K));
    else if (isBetter(Row, Run, Inside[Row], Options))
      Beside.insert(TextOf(K));
  }
  // Those for which it turns out not to work choose by themselves after all.
  std::vector<KernelSetting> Settings;
  for (size_t Before = SIZE_MAX; Stay.size() != Before;) {
    Before = Stay.size();
    Run.Kernels = Originals;
    for (MergedKernel &K : Run.Kernels) {
      K.Redirected = Beside.count(TextOf(K)) && !Stay.count(TextOf(K));
      if (!K.Redirected)
        continue;
      K.Facts.AddressTaken = false;
      llvm::erase_if(K.Launches, [](const Launch &L) { return !isInSight(L); });
    }
    Settings = settingsOf(Run, Options);
    for (auto [Row, K] : llvm::enumerate(Run.Kernels))
      if (K.Redirected && !works(Row, Run, Settings[Row]))
        Stay.insert(TextOf(K));
  }
  for (auto [S, Before] : llvm::zip(Settings, Inside))
    S.BoundsOfOriginal = Before.Block.ToAdd;
  return {std::move(Run), std::move(Settings)};
}
