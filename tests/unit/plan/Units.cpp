//===-- Units.cpp - facts and evidence built by hand ----------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Units.h"
#include "plan/Outside.h"
#include "gtest/gtest.h"
#include <numeric>

using namespace bankstripe;
using namespace bankstripe::testing;

Place bankstripe::testing::onLine(unsigned Line, const std::string &File) {
  return {File, Line, 3};
}

Kernel bankstripe::testing::makeKernel(const std::string &Name, unsigned Line,
                                       const std::string &File) {
  Kernel K;
  K.Id = K.Name = Name;
  K.Where = onLine(Line, File);
  K.BoundsInsertion = {File, 100 * Line + 11, 0};
  K.Text.Problem = "it has no text";
  return K;
}

void bankstripe::testing::forgetBlock(Launch &L) {
  L.Threads.reset();
  L.IsFixed = false;
  L.Source = "variable 'n' is not a constant";
}

void bankstripe::testing::giveText(UnitResult &Unit) {
  for (Kernel &K : Unit.Facts.Kernels) {
    K.Text = KernelText();
    K.Text.Name = K.Name;
    K.Text.Definition = {K.Where.File, 100 * K.Where.Line, 90};
  }
}

Launch bankstripe::testing::makeLaunch(unsigned Threads,
                                       const std::string &Name, unsigned Line) {
  Launch L;
  L.KernelId = Name;
  L.Where = onLine(Line);
  L.Threads = Threads;
  L.IsFixed = true;
  L.Source = "literal";
  L.DynamicSharedBytes = 0;
  return L;
}

TestArray bankstripe::testing::makeArray(const std::string &Name,
                                         uint64_t Elements,
                                         unsigned ElementBytes, unsigned Line) {
  TestArray F;
  F.Name = Name;
  F.Where = onLine(Line);
  F.Function.Name = F.Function.Id = "k";
  F.Function.IsKernel = true;
  F.Kernels = {"k"};
  F.Shape.ElementBytes = ElementBytes;
  F.Shape.Extents = {Elements};
  F.Shape.BytesPerThread = Elements * ElementBytes;
  F.Uses = {makeUse()};
  return F;
}

ArrayInstance bankstripe::testing::makeInstance(const Finding &F,
                                                const std::string &FunctionId) {
  ArrayInstance I;
  I.FunctionId = FunctionId;
  I.Shape = F.Shape;
  I.Shape.BytesPerThread = I.Shape.elements() * F.Shape.ElementBytes;
  // As of a structure of the largest scalars that fill it.
  I.Alignment = std::gcd(F.Shape.ElementBytes, 8u);
  return I;
}

ArrayInstance
bankstripe::testing::makeInstance(TestArray &F, const std::string &FunctionId,
                                  std::vector<std::string> Kernels) {
  F.KernelsOf[FunctionId] = std::move(Kernels);
  return makeInstance(F, FunctionId);
}

Use bankstripe::testing::makeUse() {
  Use U;
  U.Where = onLine(11);
  return U;
}

Obstacle bankstripe::testing::obstacle(Reason Why, unsigned Line,
                                       std::string Detail) {
  return {Why, onLine(Line), std::move(Detail)};
}

PlanOptions bankstripe::testing::decidedBlock(unsigned Threads) {
  KernelDecision D;
  D.File = "/a.cu";
  D.Kernel = "k";
  D.BlockSize = Threads;
  PlanOptions Options;
  Options.KernelDecisions = {D};
  return Options;
}

ArrayDecision bankstripe::testing::decision(Layout Wanted, std::string Array,
                                            unsigned Occurrence) {
  ArrayDecision D;
  D.File = "/a.cu";
  D.Function = "k";
  D.Array = std::move(Array);
  D.Occurrence = Occurrence;
  D.Wanted = Wanted;
  D.Why = "measured";
  D.Where = {"/.bankstripe.yaml", 3, 5};
  return D;
}

ArrayEvidence bankstripe::testing::resident(Uniformity Index) {
  ArrayEvidence E;
  E.Where = Residency::LocalMemory;
  E.Index = Index;
  return E;
}

TestUnit::TestUnit(const std::string &File, bool WithKernel) {
  Result.Facts.MainFile = File;
  Result.Facts.Contents[File] = "";
  if (WithKernel)
    Result.Facts.Kernels.push_back(makeKernel("k", 1, File));
}

Launch &TestUnit::launch(unsigned Threads) {
  unsigned Line = 100 + Result.Facts.Launches.size();
  Result.Facts.Launches.push_back(makeLaunch(Threads, "k", Line));
  return Result.Facts.Launches.back();
}

TestArray &TestUnit::array(TestArray F, ArrayEvidence E) {
  Result.Evidence.Arrays.push_back(std::move(E));
  return Arrays.emplace_back(std::move(F));
}

UnitResult TestUnit::result() const {
  UnitResult Complete = Result;
  for (auto [I, Made] : llvm::enumerate(Arrays)) {
    Finding &F = Complete.Facts.Findings.emplace_back(Made);
    if (F.Instances.empty())
      F.Instances = {makeInstance(F, F.Function.Id)};
    if (I >= Complete.Evidence.Arrays.size())
      continue;
    for (const ArrayInstance &Instance : F.Instances) {
      auto Own = Made.KernelsOf.find(Instance.FunctionId);
      const std::vector<std::string> &Kernels =
          Own == Made.KernelsOf.end() ? Made.Kernels : Own->second;
      Complete.Evidence.Arrays[I].Kernels.emplace_back(Kernels.begin(),
                                                       Kernels.end());
    }
  }
  return Complete;
}

Plan TestUnit::plan(const PlanOptions &Options, const Measured &Known) const {
  PlanOptions WithMentions = Options;
  WithMentions.Mentions = Mentions;
  return makePlan({result()}, WithMentions, Known);
}

NvccTrial bankstripe::testing::confirmed(const TestUnit &U,
                                         const PlanOptions &Options) {
  const Plan P = U.plan(Options);
  NvccTrial V;
  V.Changed = changesOf(P);
  for (const KernelPlan &K : P.Kernels) {
    V.Before[K.Facts.Id].StackFrame = 64;
    V.After[K.Facts.Id].StackFrame = 0;
  }
  return V;
}

Plan bankstripe::testing::planWithFramesKept(const TestUnit &U,
                                             std::vector<std::string> Kernels,
                                             const PlanOptions &Options) {
  NvccTrial V = confirmed(U, Options);
  for (const std::string &Id : Kernels)
    V.After[Id].StackFrame = 64;
  return U.plan(Options, {{V}});
}

Plan bankstripe::testing::planWithFileRejected(const TestUnit &U,
                                               const PlanOptions &Options) {
  NvccTrial V = confirmed(U, Options);
  V.After.clear();
  V.Rejected = {"/a.cu"};
  return U.plan(Options, {{V}});
}

StaticBound bankstripe::testing::boundOf(const TestUnit &U,
                                         unsigned BlockSizeOption) {
  MergedKernel K;
  K.Facts = U.Result.Facts.Kernels.front();
  K.Launches = U.Result.Facts.Launches;
  if (auto Shared = U.Result.Evidence.Kernels.find(K.Facts.Id);
      Shared != U.Result.Evidence.Kernels.end())
    K.Shared = Shared->second;
  K.WaitsForBlocks = U.Result.Evidence.Waiting.count(K.Facts.Id) != 0;
  PlanOptions Options;
  Options.BlockSize = BlockSizeOption;
  Options.Mentions = U.Mentions;
  K.WhyUnseen = whyUnseen(K.Facts, Options);
  return boundBlock(K, Options);
}

const PlannedArray &bankstripe::testing::find(const Plan &P,
                                              llvm::StringRef Name) {
  for (const PlannedArray &A : P.Arrays)
    if (A.Array.Name == Name)
      return A;
  ADD_FAILURE() << "no array " << Name.str();
  static const PlannedArray None;
  return None;
}

Reason bankstripe::testing::reasonOf(const Plan &P, llvm::StringRef Name) {
  return find(P, Name).Verdict.Why;
}
