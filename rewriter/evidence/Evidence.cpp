//===-- Evidence.cpp - what the optimiser says of each finding ------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   ParsedUnit => device IR            (DeviceModule.cpp)
//              => banks of accesses    (Banks.cpp)
//              => allocas of findings  (Residency.cpp)
//              => optimised IR         (DeviceModule.cpp)
//              => surviving allocas    (Residency.cpp)
//              => uniform or not       (Divergence.cpp)
//              => what kernels do      (Work.cpp)
//
//===----------------------------------------------------------------------===//

#include "evidence/Evidence.h"

#include "evidence/Banks.h"
#include "evidence/Calls.h"
#include "evidence/DeviceModule.h"
#include "evidence/Residency.h"
#include "evidence/Work.h"
#include "clang/Frontend/CompilerInstance.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace bankstripe {

static bool isLinked(ParsedUnit &Unit) {
  return Unit.compiler().getLangOpts().GPURelocatableDeviceCode;
}

static Error gather(ParsedUnit &Unit, UnitFacts &Facts, StringRef GpuArch,
                    UnitEvidence &Result) {
  QuietContext Context;
  auto M = emitDeviceModule(Unit, Facts, Context);
  if (!M)
    return M.takeError();
  AllocaTracker Tracker(**M, Facts.Findings);
  readCalls(**M, Tracker, isLinked(Unit), Facts);
  readBanks(**M, Facts);
  const bool Holds = !Tracker.holders().empty();
  if (Holds) {
    keepOnly(**M, Tracker.holders());
    if (Error E = optimize(**M, Unit.compiler(), GpuArch, Context))
      return E;
  }
  for (auto [I, E] : enumerate(Result.Arrays))
    E.Where =
        Tracker.wasEmitted(I) ? Residency::Registers : Residency::NotEmitted;
  if (Holds)
    readOptimized(**M, Tracker, Result);
  return Error::success();
}

UnitEvidence gatherEvidence(ParsedUnit &Unit, UnitFacts &Facts,
                            StringRef GpuArch) {
  UnitEvidence Result;
  Result.Arrays.resize(Facts.Findings.size());
  // Kernels without arrays may call functions of other units that have some.
  if (Facts.Findings.empty() && Facts.SharedArrays.empty() && !isLinked(Unit))
    return Result;
  if (Error E = gather(Unit, Facts, GpuArch, Result))
    Result.Problem = toString(std::move(E));
  return Result;
}

} // namespace bankstripe
