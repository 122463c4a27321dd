//===-- Carveout.cpp - what launches leave to the L1 ----------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of kernels see to it where there are any, and where kernels may lose if
// the driver chooses (docs/internals/layouts.md, "The carveout").
//
//===----------------------------------------------------------------------===//

#include "plan/Carveout.h"
#include "plan/Decide.h"

using namespace bankstripe;

// Why the launches of a kernel do not see to its carveout; empty when they do.
static std::string whyDriver(const KernelPlan &K) {
  if (K.SharedAfter == K.SharedBefore)
    return "nothing moves into its shared memory";
  if (K.HasVersion)
    return "";
  return K.WhyNoRow;
}

static void settle(KernelOutcome &O, Plan &P) {
  const KernelDecision &D = O.Decision;
  O.State = DecisionState::Stale;
  O.Detail = D.Problem;
  if (!O.Detail.empty())
    return;
  if (!P.Contents.count(D.File)) {
    O.State = DecisionState::Skipped;
    O.Detail = "this run saw no array and no kernel in that file";
    return;
  }
  O.Detail = "no kernel '" + D.Kernel + "' was found in that file";
  for (KernelPlan &K : P.Kernels) {
    if (!speaksOf(D, K.Facts))
      continue;
    O.Detail = D.Wanted && *D.Wanted != Carveout() ? whyDriver(K) : "";
    const bool Carves = D.Wanted && O.Detail.empty();
    // Where launches bring storage, any block will do.
    if (O.Detail.empty() && D.BlockSize && K.Block.Threads &&
        K.Block.Threads != *D.BlockSize)
      O.Detail = "its block size is known";
    O.State = O.Detail.empty()   ? DecisionState::Used
              : !K.Facts.MayEdit ? DecisionState::Skipped
                                 : DecisionState::Unfulfilled;
    if (D.Wanted)
      K.Carved = Carves ? *D.Wanted : Carveout();
  }
}

void bankstripe::chooseCarveouts(Plan &P, const PlanOptions &Options) {
  for (KernelPlan &K : P.Kernels) {
    K.Carved = Options.DefaultCarveout.value_or(Carveout{
        K.WarpBytes || K.HasVersion || K.NeedsCarveout ? Carveout::Rule::Auto
                                                       : Carveout::Rule::Driver,
        0});
    if (!whyDriver(K).empty())
      K.Carved = Carveout();
  }
  for (const KernelDecision &D : Options.KernelDecisions)
    settle(P.KernelOutcomes.emplace_back(KernelOutcome{D, {}, ""}), P);
  std::ranges::sort(P.KernelOutcomes, {},
                    [](const KernelOutcome &O) { return O.Decision.Where; });
}
