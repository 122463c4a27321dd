//===-- BlockWeights.h - how often a block runs -----------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An estimate of how often each block of a function runs when the function
// does once. What it rests on stands in BlockWeights.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_EVIDENCE_BLOCKWEIGHTS_H
#define BANKSTRIPE_EVIDENCE_BLOCKWEIGHTS_H

#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/BranchProbabilityInfo.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"

namespace bankstripe {

/// What loops whose trip count nobody knows are taken for.
enum class Trips { Many, Few };

/// Valid as long as the analyses of its function are.
class BlockWeights {
public:
  BlockWeights(llvm::Function &F, llvm::FunctionAnalysisManager &Analyses);

  /// How often \p Block runs, from 0 to 1e9.
  double of(const llvm::BasicBlock &Block, Trips Guess) const;
  /// The loops whose trips are a guess.
  unsigned guessed() const;

private:
  double tripsOf(const llvm::Loop &L, Trips Guess) const;
  double shareOfTurns(const llvm::BasicBlock &Block, const llvm::Loop *Inside,
                      const llvm::Loop &L) const;
  void noteRareBranches(llvm::Function &F);

  const llvm::LoopInfo &Loops;
  const llvm::DominatorTree &Dominators;
  llvm::ScalarEvolution &Evolution;
  llvm::BranchProbabilityInfo Branches;
  llvm::BlockFrequencyInfo Frequencies;
  double Longest = 0; ///< Known trip count.
};

} // namespace bankstripe

#endif
