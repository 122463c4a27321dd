//===-- Evidence.cpp - what the optimiser says of each finding ------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   ParsedUnit => device IR            (DeviceModule.cpp)
//              => allocas of findings  (Residency.cpp)
//              => optimised IR         (Optimize.cpp)
//              => surviving allocas    (Residency.cpp)
//              => uniform or not       (Uniformity.cpp)
//              => what kernels do      (Work.cpp)
//
//===----------------------------------------------------------------------===//

#include "evidence/Evidence.h"

#include "evidence/DeviceModule.h"
#include "evidence/Residency.h"
#include "evidence/Uniformity.h"
#include "evidence/Work.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace bankstripe {
namespace {

Uniformity summarize(const ArrayEvidence &E) {
  if (E.NonUniformAccesses)
    return Uniformity::NonUniform;
  return E.UniformAccesses ? Uniformity::Uniform : Uniformity::Unknown;
}

void readSurvivors(Module &M, const AllocaTracker &Tracker,
                   MutableArrayRef<ArrayEvidence> Arrays) {
  for (Function &F : M) {
    SmallVector<ResidentAlloca> Survivors = Tracker.survivors(F);
    for (const ResidentAlloca &R : Survivors) {
      ArrayEvidence &E = Arrays[R.FindingIndex];
      E.Where = Residency::LocalMemory;
      if (auto Size = R.Alloca->getAllocationSize(M.getDataLayout()))
        E.ResidentBytes = std::max(E.ResidentBytes, Size->getFixedValue());
    }
    if (!Survivors.empty())
      countAccesses(F, Survivors, Arrays);
  }
  for (ArrayEvidence &E : Arrays)
    E.Index = summarize(E);
}

Error gather(ParsedUnit &Unit, const UnitFacts &Facts, StringRef GpuArch,
             UnitEvidence &Result) {
  MutableArrayRef<ArrayEvidence> Arrays = Result.Arrays;
  QuietContext Context;
  auto M = emitDeviceModule(Unit, Facts, Context);
  if (!M)
    return M.takeError();
  AllocaTracker Tracker(**M, Facts.Findings);
  if (!Tracker.holders().empty()) {
    keepOnly(**M, Tracker.holders());
    if (Error E = optimize(**M, Unit.compiler(), GpuArch, Context))
      return E;
  }
  for (auto [I, E] : enumerate(Arrays))
    E.Where = Tracker.wasEmitted(I) ? Residency::Registers : Residency::Unknown;
  readSurvivors(**M, Tracker, Arrays);
  if (!Tracker.holders().empty()) {
    ModuleWork Counted = countWork(**M, Tracker);
    Result.Work = std::move(Counted.Work);
    Result.ShortWork = std::move(Counted.ShortWork);
  }
  return Error::success();
}

} // namespace

UnitEvidence gatherEvidence(ParsedUnit &Unit, const UnitFacts &Facts,
                            StringRef GpuArch) {
  UnitEvidence Result;
  Result.Arrays.resize(Facts.Findings.size());
  if (Facts.Findings.empty())
    return Result;
  if (Error E = gather(Unit, Facts, GpuArch, Result))
    Result.Problem = toString(std::move(E));
  return Result;
}

} // namespace bankstripe
