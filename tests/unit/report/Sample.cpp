//===-- Sample.cpp - a plan with one array of each kind -------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The source text is there because messages quote it.
//
//===----------------------------------------------------------------------===//

#include "Sample.h"

using namespace bankstripe;

static const char Source[] = R"(__global__ void count(int *out, int i) {
  char seen[16];
  int pair[2];
  int list[4];
  sort(list);
  int row[4];
  decltype(row) other;
}
void launch() { count<<<1, 128>>>(nullptr, 0); }
)";

PlannedArray bankstripe::testing::sampleArray(const std::string &Name,
                                              unsigned Line, Reason Why) {
  PlannedArray A;
  A.Array.Name = Name;
  A.Array.Where = {SampleFile, Line, 7};
  A.Array.Function.Name = "count";
  A.Kernels = {0};
  A.Verdict.Why = Why;
  A.Verdict.Kind = infoOf(Why).Verdict;
  A.Verdict.Where = A.Array.Where;
  return A;
}

static PlannedArray seen() {
  PlannedArray A =
      bankstripe::testing::sampleArray("seen", 2, Reason::DynamicIndex);
  A.Array.Where.Column = 8;
  A.Array.Shape.Type = "char[16]";
  A.Array.Shape.ElementBytes = 1;
  A.Array.Shape.Extents = {16};
  A.Array.Shape.BytesPerThread = 16;
  Use U;
  U.Where = {bankstripe::testing::SampleFile, 5, 3};
  U.Access = AccessKind::ReadWrite;
  A.Array.Uses = {U};
  A.Evidence.Where = Residency::LocalMemory;
  A.Evidence.Index = Uniformity::NonUniform;
  A.Verdict.Where = A.Array.Where;
  A.Verdict.Form = StripeForm::Wide;
  A.Verdict.SharedBytes = 8192;
  return A;
}

Plan bankstripe::testing::samplePlan() {
  Plan P;
  P.Contents[SampleFile] = Source;
  PlannedArray Pair = sampleArray("pair", 3, Reason::StaysInRegisters);
  Pair.Array.Shape.Type = "int[2]";
  Pair.Array.Shape.BytesPerThread = 8;
  Pair.Evidence.Where = Residency::Registers;
  PlannedArray List = sampleArray("list", 4, Reason::PassedToFunction);
  List.Array.Shape.Type = "int[4]";
  List.Array.Shape.BytesPerThread = 16;
  List.Evidence.Where = Residency::LocalMemory;
  List.Verdict.Where = {SampleFile, 5, 8};
  List.Verdict.Detail = "sort";
  List.Verdict.SharedBytes = 2560;
  PlannedArray Row = sampleArray("row", 6, Reason::Decltype);
  Row.Array.Shape.Type = "int[4]";
  Row.Array.Shape.BytesPerThread = 16;
  Row.Evidence.Where = Residency::LocalMemory;
  Row.Verdict.Where = {SampleFile, 7, 12};
  P.Arrays = {seen(), Pair, List, Row};

  KernelPlan &K = P.Kernels.emplace_back();
  K.Facts.Id = "_Z5countPii";
  K.Facts.Name = "count";
  K.Facts.Where = {SampleFile, 1, 17};
  K.Block.Threads = 128;
  K.Block.Source = BlockSizeSource::Launches;
  K.Block.Text = "launch at count.cu:9 (literal)";
  K.AddLaunchBounds = true;
  K.SharedBefore = 0;
  K.SharedAfter = 10752;
  K.MovesArrays = true;
  K.Registers = 24;
  K.WarpsBefore = 64;
  K.WarpsAfter = 60;
  return P;
}

Plan bankstripe::testing::predictedPlan() {
  Plan P = samplePlan();
  P.Kernels[0].Predicted = {2.25, 0.75, 4.5, 0.9, 2.5};
  return P;
}

KernelOutcome
bankstripe::testing::sampleKernelOutcome(DecisionState State,
                                         const std::string &Detail) {
  KernelOutcome O;
  O.Decision.File = SampleFile;
  O.Decision.Kernel = "count";
  O.Decision.Wanted = {Carveout::Rule::Fixed, 30};
  O.Decision.Why = "measured";
  O.Decision.Where = {"/src/.bankstripe.yaml", 3, 5};
  O.State = State;
  O.Detail = Detail;
  return O;
}

DecisionOutcome bankstripe::testing::sampleOutcome(DecisionState State,
                                                   const std::string &Detail) {
  DecisionOutcome O;
  O.Decision.File = SampleFile;
  O.Decision.Function = "count";
  O.Decision.Array = "seen";
  O.Decision.Wanted = Layout::Slot;
  O.Decision.Why = "measured";
  O.Decision.Where = {"/src/.bankstripe.yaml", 3, 5};
  O.State = State;
  O.Detail = Detail;
  O.Array = {SampleFile, 2, 8};
  return O;
}
