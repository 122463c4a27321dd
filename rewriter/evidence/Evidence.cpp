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
//              => who waits for others (Waiting.cpp)
//
//===----------------------------------------------------------------------===//

#include "evidence/Evidence.h"

#include "evidence/Banks.h"
#include "evidence/Calls.h"
#include "evidence/DeviceModule.h"
#include "evidence/Residency.h"
#include "evidence/Waiting.h"
#include "evidence/Work.h"
#include "clang/Frontend/CompilerInstance.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace bankstripe {

static bool isLinked(ParsedUnit &Unit) {
  return Unit.compiler().getLangOpts().GPURelocatableDeviceCode;
}

// Of a whole unit: kernels of other units may reach its functions, and shared
// arrays of kernels that hold no array of a thread may become larger.
static Expected<std::set<std::string>>
findWaiting(Module &M, clang::CompilerInstance &Compiler, StringRef GpuArch,
            QuietContext &Context) {
  if (functionsThatMayWait(M).empty())
    return std::set<std::string>();
  const std::unique_ptr<Module> Copy = CloneModule(M);
  keepOnly(*Copy, functionsThatMayWait(*Copy));
  if (Error E = optimize(*Copy, Compiler, GpuArch, Context))
    return std::move(E);
  return functionsThatWait(*Copy);
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
  std::optional<std::set<std::string>> Waiting;
  if (isLinked(Unit) || !Facts.SharedArrays.empty()) {
    auto Found = findWaiting(**M, Unit.compiler(), GpuArch, Context);
    if (!Found)
      return Found.takeError();
    Waiting = std::move(*Found);
  }
  const bool Holds = !Tracker.holders().empty();
  if (Holds) {
    keepOnly(**M, Tracker.holders());
    if (Error E = optimize(**M, Unit.compiler(), GpuArch, Context))
      return E;
  }
  for (auto [I, E] : enumerate(Result.Arrays))
    E.Where =
        Tracker.wasEmitted(I) ? Residency::Registers : Residency::NotEmitted;
  if (Holds) {
    readOptimized(**M, Tracker, Result);
    if (!Waiting)
      Waiting = functionsThatWait(**M);
  }
  Result.Waiting = Waiting.value_or(std::set<std::string>());
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
