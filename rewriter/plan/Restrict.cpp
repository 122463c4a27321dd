//===-- Restrict.cpp - the part of a plan that a report is about ----------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plan/Plan.h"
#include "llvm/ADT/STLExtras.h"

using namespace bankstripe;

namespace {

/// The new index of each element that stays.
using Renumbering = std::map<unsigned, unsigned>;

} // namespace

// Takes out of Values whatever Stays does not name by its index.
template <class T>
static Renumbering keep(std::vector<T> &Values,
                        llvm::function_ref<bool(unsigned)> Stays) {
  Renumbering New;
  std::vector<T> Kept;
  for (unsigned I = 0; I < Values.size(); ++I)
    if (Stays(I)) {
      New[I] = Kept.size();
      Kept.push_back(std::move(Values[I]));
    }
  Values = std::move(Kept);
  return New;
}

void bankstripe::restrictTo(
    Plan &P, llvm::function_ref<bool(llvm::StringRef File)> Shown) {
  const Renumbering Arrays = keep(P.Arrays, [&](unsigned I) {
    return Shown(P.Arrays[I].Array.Where.File);
  });
  std::set<unsigned> Reaching;
  for (const PlannedArray &A : P.Arrays)
    Reaching.insert(A.Kernels.begin(), A.Kernels.end());
  const Renumbering Kernels = keep(P.Kernels, [&](unsigned I) {
    return Reaching.count(I) || Shown(P.Kernels[I].Facts.Where.File);
  });
  keep(P.Launches, [&](unsigned I) {
    return Kernels.count(P.Launches[I].Kernel) &&
           Shown(P.Launches[I].Text.Replaced.File);
  });
  keep(P.Outcomes,
       [&](unsigned I) { return Shown(P.Outcomes[I].Decision.File); });
  keep(P.KernelOutcomes,
       [&](unsigned I) { return Shown(P.KernelOutcomes[I].Decision.File); });
  for (PlannedArray &A : P.Arrays) {
    for (unsigned &K : A.Kernels)
      K = Kernels.at(K);
    for (std::vector<unsigned> &Rows : A.InstanceKernels)
      for (unsigned &K : Rows)
        K = Kernels.at(K);
  }
  for (PlannedLaunch &L : P.Launches)
    L.Kernel = Kernels.at(L.Kernel);
  for (KernelPlan &K : P.Kernels)
    if (K.Work) {
      std::map<unsigned, ArrayWork> Work;
      for (const auto &[Index, W] : K.Work->Arrays)
        if (auto It = Arrays.find(Index); It != Arrays.end())
          Work[It->second] = W;
      K.Work->Arrays = std::move(Work);
    }
}
