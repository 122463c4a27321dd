//===-- Gather.cpp - what the optimiser says of each finding --------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   ParsedUnit => device IR            (DeviceModule.cpp)
//              => allocas of findings  (Residency.cpp)
//              => optimised IR         (DeviceModule.cpp)
//              => surviving allocas    (Residency.cpp)
//              => uniform or not       (Divergence.cpp)
//              => what kernels do      (Work.cpp)
//              => who waits for others (Waiting.cpp)
//
//===----------------------------------------------------------------------===//

#include "evidence/Gather.h"

#include "evidence/Calls.h"
#include "evidence/DeviceModule.h"
#include "evidence/Residency.h"
#include "evidence/Waiting.h"
#include "evidence/Work.h"
#include "frontend/UserFiles.h"
#include "clang/Frontend/CompilerInstance.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace bankstripe {

static bool isLinked(ParsedUnit &Unit) {
  return Unit.compiler().getLangOpts().GPURelocatableDeviceCode;
}

static bool namesSharedMemory(ParsedUnit &Unit) {
  bool Result = false;
  forEachUserFile(Unit.compiler().getSourceManager(),
                  [&](clang::SourceLocation, StringRef Content) {
                    Result |= Content.contains("__shared__");
                  });
  return Result;
}

// Of a whole unit: kernels of other units may reach its functions, and another
// kernel may write what a pointer calls.
static Expected<std::set<std::string>> findAllWaits(Module &M, ParsedUnit &Unit,
                                                    QuietContext &Context) {
  if (functionsThatMayWait(M).empty())
    return std::set<std::string>();
  const std::unique_ptr<Module> Copy = CloneModule(M);
  keepOnly(*Copy, functionsThatMayWait(*Copy));
  if (Error E = optimize(*Copy, Unit.compiler(), Context))
    return std::move(E);
  return findWaits(*Copy);
}

namespace {

/// The evidence of one unit, step by step.
class Gatherer {
public:
  Gatherer(ParsedUnit &Unit, const UnitFacts &Facts)
      : Unit(Unit), Facts(Facts) {
    Result.Arrays.resize(Facts.Findings.size());
  }
  Error readModule();
  Error readOptimizedModule();

  UnitEvidence Result;

private:
  ParsedUnit &Unit;
  const UnitFacts &Facts;
  QuietContext Context;
  std::unique_ptr<Module> M;
  std::optional<AllocaTracker> Tracker;
};

} // namespace

Error Gatherer::readModule() {
  if (Error E = emitDeviceModule(Unit, Facts, Context).moveInto(M))
    return E;
  Tracker.emplace(*M, Facts.Findings);
  readCalls(*M, *Tracker, isLinked(Unit), Facts, Result);
  for (auto [I, E] : enumerate(Result.Arrays)) {
    SmallDenseSet<Function *> Reaching = Tracker->holdersOf(I);
    addCallers(Reaching);
    for (const Function *F : Reaching)
      if (F->getCallingConv() != CallingConv::PTX_Kernel)
        E.Functions.insert(sourceName(*F).str());
  }
  return Error::success();
}

Error Gatherer::readOptimizedModule() {
  if (Error E = findAllWaits(*M, Unit, Context).moveInto(Result.Waiting))
    return E;
  const bool Holds = !Tracker->holders().empty();
  if (Holds) {
    keepOnly(*M, Tracker->holders());
    if (Error E = optimize(*M, Unit.compiler(), Context))
      return E;
  }
  for (auto [I, E] : enumerate(Result.Arrays))
    E.Where =
        Tracker->wasEmitted(I) ? Residency::Registers : Residency::NotEmitted;
  if (!Holds)
    return Error::success();
  readOptimized(*M, *Tracker, Result);
  // Functions without arrays had to look as if they wait before.
  Result.Waiting.merge(findWaits(*M));
  return Error::success();
}

UnitEvidence gatherEvidence(ParsedUnit &Unit, const UnitFacts &Facts) {
  Gatherer Steps(Unit, Facts);
  // Kernels without arrays may call functions of other units that have some,
  // and the report says what shared memory they have of their own.
  if (Facts.Findings.empty() && !isLinked(Unit) && !namesSharedMemory(Unit))
    return std::move(Steps.Result);
  Error Problem = Steps.readModule();
  if (!Problem)
    Problem = Steps.readOptimizedModule();
  Steps.Result.Problem = toString(std::move(Problem));
  return std::move(Steps.Result);
}

} // namespace bankstripe
