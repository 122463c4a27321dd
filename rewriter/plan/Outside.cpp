//===-- Outside.cpp - what a run cannot know of other units ---------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plan/Outside.h"
#include "contract/Symbols.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace bankstripe;
using llvm::StringRef;

// The functions that are called but not defined here, directly or not.
static bool callsOtherUnits(const UnitFacts &Unit, const std::string &Kernel) {
  std::map<StringRef, const DeviceFunction *> ById;
  for (const DeviceFunction &F : Unit.Functions)
    ById[F.Id] = &F;
  std::set<StringRef> Seen;
  std::vector<StringRef> Open{Kernel};
  while (!Open.empty()) {
    auto Found = ById.find(Open.back());
    Open.pop_back();
    if (Found == ById.end())
      continue;
    if (!Found->second->Defined)
      return true;
    for (const std::string &Callee : Found->second->Calls)
      if (Seen.insert(Callee).second)
        Open.push_back(Callee);
  }
  return false;
}

// Linked device code: whoever calls a function of this unit does so with blocks
// of its own, and of a function in a header any unit's version may be taken.
static void keepLinked(UnitFacts &Unit) {
  for (Finding &F : Unit.Findings) {
    const bool Called =
        !F.InKernel && llvm::any_of(F.Instances, [](const ArrayInstance &I) {
          return !isInternal(I.FunctionId);
        });
    if (Called)
      F.Obstacles.push_back({Reason::BlockSizeUnknown, F.Where,
                             "other units may call '" + F.Function + "'"});
    else if (llvm::any_of(F.Kernels, [&](const std::string &Kernel) {
               return callsOtherUnits(Unit, Kernel);
             }))
      F.Obstacles.push_back({Reason::BlockSizeUnknown, F.Where,
                             "its kernels call functions of other units, whose "
                             "shared memory is not known"});
  }
}

void bankstripe::assumeOutside(UnitFacts &Unit, Outside Who) {
  if (Who == Outside::Nobody)
    return;
  // Who else includes a header may call its functions in another way.
  for (Callee &C : Unit.Callees)
    if (C.Where.File != Unit.MainFile)
      C.keepType();
  for (Kernel &K : Unit.Kernels) {
    if (K.Text.Internal && Who != Outside::Loaders)
      continue;
    if (!K.AddressTaken) {
      K.AddressTaken = true;
      K.AddressTakenAt = K.Where;
    }
  }
  if (!Unit.Functions.empty())
    keepLinked(Unit);
}

void bankstripe::assumeNodesChange(std::vector<UnitResult> &Units) {
  const auto Changes = llvm::find_if(Units, [](const UnitResult &Unit) {
    return Unit.Facts.NodesChangedAt.isValid();
  });
  if (Changes == Units.end())
    return;
  std::set<std::string> TakeMemory;
  for (const UnitResult &Unit : Units)
    for (const Kernel &K : Unit.Facts.Kernels)
      if (K.UsesDynamicShared)
        TakeMemory.insert(K.Id);
  for (UnitResult &Unit : Units)
    for (Launch &L : Unit.Facts.Launches) {
      if (L.OnDevice)
        continue;
      L.Threads.reset();
      L.Parameter.reset();
      L.Shape.clear();
      L.Source = "graphs may have it with other blocks";
      L.Text.Name = TextRange();
      L.Text.Problem = L.Source;
      if (TakeMemory.count(L.KernelId))
        L.DynamicSharedBytes.reset();
    }
}
