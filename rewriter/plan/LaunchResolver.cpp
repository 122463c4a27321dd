//===-- LaunchResolver.cpp - launches as their callers see them -----------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plan/LaunchResolver.h"

using namespace bankstripe;

LaunchResolver::LaunchResolver(const std::vector<UnitResult> &Units,
                               bool OthersChangeNodes)
    : NodesChange(OthersChangeNodes) {
  for (const UnitResult &Unit : Units) {
    for (const HostArgument &A : Unit.Facts.Arguments)
      Arguments[A.For].push_back(&A);
    NodesChange |= Unit.Facts.NodesChangedAt.isValid();
  }
}

// Every value of P; nothing when one cannot be known.
std::optional<std::set<int64_t>>
LaunchResolver::valuesOf(const HostParameter &P) {
  auto It = Arguments.find(P);
  if (It == Arguments.end() || !Active.insert(P).second)
    return std::nullopt;
  std::optional<std::set<int64_t>> All = std::set<int64_t>();
  for (const HostArgument *A : It->second) {
    auto Values = A->Values;
    if (!Values && A->Same)
      Values = valuesOf(*A->Same);
    if (!Values) {
      All.reset();
      break;
    }
    All->insert(Values->begin(), Values->end());
  }
  Active.erase(P);
  return All;
}

Launch LaunchResolver::resolve(Launch L) {
  if (NodesChange && !L.OnDevice) {
    L.Threads.reset();
    L.Parameter.reset();
    L.Shape.clear();
    L.Source = "graphs may have it with other blocks";
    L.PassesStub = false; // Its nodes have bytes of their own.
  }
  if (L.Threads || !L.Parameter)
    return L;
  auto Values = valuesOf(*L.Parameter);
  if (Values && !Values->empty() && *Values->begin() > 0 &&
      *Values->rbegin() <= LargestBlock) {
    L.Threads = *Values->rbegin();
    L.Source += ", from its callers";
  }
  return L;
}

void LaunchResolver::forgetMemory(MergedKernel &K) const {
  for (Launch &L : K.Launches)
    if (NodesChange && K.Shared.UsesDynamic && !L.OnDevice)
      L.DynamicSharedBytes.reset();
}
