//===-- Groups.cpp - kernels that share arrays ----------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plan/Plan.h"
#include "llvm/ADT/EquivalenceClasses.h"

using namespace bankstripe;

std::vector<KernelGroup> bankstripe::groupKernels(
    const std::vector<PlannedArray> &Arrays,
    llvm::function_ref<bool(const PlannedArray &)> Counts) {
  llvm::EquivalenceClasses<unsigned> Classes;
  std::set<unsigned> Kernels;
  std::vector<unsigned> Counted;
  for (unsigned I = 0; I < Arrays.size(); ++I) {
    const PlannedArray &A = Arrays[I];
    if (A.Kernels.empty() || !Counts(A))
      continue;
    Counted.push_back(I);
    for (unsigned K : A.Kernels) {
      Classes.unionSets(A.Kernels.front(), K);
      Kernels.insert(K);
    }
  }
  std::map<unsigned, KernelGroup> ByLeader;
  for (unsigned K : Kernels)
    ByLeader[Classes.getLeaderValue(K)].Kernels.push_back(K);
  for (unsigned I : Counted)
    ByLeader[Classes.getLeaderValue(Arrays[I].Kernels.front())]
        .Arrays.push_back(I);
  std::vector<KernelGroup> Result;
  for (auto &[Leader, G] : ByLeader)
    Result.push_back(std::move(G));
  return Result;
}
