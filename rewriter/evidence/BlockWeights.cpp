//===-- BlockWeights.cpp - how often a block runs -------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How often a block runs is the product over the loops around it of their trip
// counts, where scalar evolution knows one, else a guess, and of the part of
// their turns in which it is reached, by LLVM's branch probabilities. To those
// is added what they do not look at, a counter that is compared for equality:
//
//   data[length++] = byte; if (length == 64) transform();    1 turn in 64
//   if (i % 16 == 0) ...                                     1 turn in 16
//
// The frequencies of LLVM are not used across loops, since they take every
// loop to run 32 times, and not outside of loops, where a kernel's guard would
// halve all that it does.
//
//===----------------------------------------------------------------------===//

#include "evidence/BlockWeights.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace bankstripe {
namespace {

/// Turns of a loop whose trip count nobody knows; at least as many as the
/// longest known loop of its function has, which often only prepares for it.
constexpr double UnknownTrips = 100;
/// Of the same if it is short.
constexpr double ShortTrips = 10;
/// More would only say that the loop is all that matters.
constexpr double MostTrips = 1e9;

/// Every how many turns a counter that grows by \p Step comes to \p End.
double turnsTo(const Value &End, const APInt &Step) {
  const auto *Constant = dyn_cast<ConstantInt>(&End);
  if (!Constant)
    return UnknownTrips;
  return Constant->getValue().abs().roundToDouble() /
         Step.abs().roundToDouble();
}

/// Every how many turns the two sides are the same, 2 where nothing is known.
double turnsBetweenEqual(const Value &Left, const Value &Right) {
  const APInt *Number;
  if (match(&Left, m_URem(m_Value(), m_APInt(Number))) ||
      match(&Left, m_SRem(m_Value(), m_APInt(Number))))
    return Number->abs().roundToDouble();
  if (match(&Left, m_And(m_Value(), m_LowBitMask(Number))))
    return Number->roundToDouble() + 1;
  const Value *Before;
  if (match(&Left, m_Add(m_Value(Before), m_APInt(Number))) &&
      isa<PHINode, LoadInst>(Before) && !Number->isZero())
    return turnsTo(Right, *Number);
  return 2;
}

} // namespace

BlockWeights::BlockWeights(Function &F, FunctionAnalysisManager &Analyses)
    : Loops(Analyses.getResult<LoopAnalysis>(F)),
      Dominators(Analyses.getResult<DominatorTreeAnalysis>(F)),
      Evolution(Analyses.getResult<ScalarEvolutionAnalysis>(F)),
      Branches(F, Loops) {
  noteRareBranches(F);
  Frequencies.calculate(F, Branches, Loops);
  for (const Loop *L : Loops.getLoopsInPreorder())
    Longest = std::max<double>(Longest, Evolution.getSmallConstantTripCount(L));
}

// Branches that leave a loop are left alone: how often it runs is asked
// elsewhere.
void BlockWeights::noteRareBranches(Function &F) {
  for (const BasicBlock &Block : F) {
    const Loop *L = Loops.getLoopFor(&Block);
    CmpPredicate Predicate;
    Value *Left, *Right;
    BasicBlock *Then, *Else;
    if (!L || L->isLoopExiting(&Block) ||
        !match(Block.getTerminator(),
               m_Br(m_ICmp(Predicate, m_Value(Left), m_Value(Right)),
                    m_BasicBlock(Then), m_BasicBlock(Else))) ||
        !ICmpInst::isEquality(Predicate))
      continue;
    const double Turns = std::max(turnsBetweenEqual(*Left, *Right),
                                  turnsBetweenEqual(*Right, *Left));
    if (Turns <= 2)
      continue;
    const auto Rare = BranchProbability::getBranchProbability(
        1, uint64_t(std::min(Turns, MostTrips)));
    SmallVector<BranchProbability, 2> Probabilities{Rare, Rare.getCompl()};
    if (Predicate == ICmpInst::ICMP_NE)
      std::swap(Probabilities[0], Probabilities[1]);
    Branches.setEdgeProbability(&Block, Probabilities);
  }
}

/// In which part of the turns of \p L control comes to \p Block, which is the
/// header of \p Inside, or lies in no loop inside L if that is null.
double BlockWeights::shareOfTurns(const BasicBlock &Block, const Loop *Inside,
                                  const Loop &L) const {
  const BasicBlock *Latch = L.getLoopLatch();
  if (Latch && Dominators.dominates(&Block, Latch))
    return 1;
  auto FrequencyOf = [&](const BasicBlock &B) {
    return double(Frequencies.getBlockFreq(&B).getFrequency());
  };
  double Comes = 0;
  if (!Inside)
    Comes = FrequencyOf(Block);
  else
    for (const BasicBlock *From : predecessors(&Block))
      if (!Inside->contains(From)) {
        const BranchProbability P = Branches.getEdgeProbability(From, &Block);
        Comes += FrequencyOf(*From) * P.getNumerator() / P.getDenominator();
      }
  return std::min(1.0, Comes / std::max(1.0, FrequencyOf(*L.getHeader())));
}

double BlockWeights::of(const BasicBlock &Block, Trips Guess) const {
  double Weight = 1;
  const BasicBlock *Entered = &Block;
  const Loop *Inside = nullptr;
  for (const Loop *L = Loops.getLoopFor(&Block); L; L = L->getParentLoop()) {
    Weight *= tripsOf(*L, Guess) * shareOfTurns(*Entered, Inside, *L);
    Entered = L->getHeader();
    Inside = L;
  }
  return std::min(Weight, MostTrips);
}

unsigned BlockWeights::guessed() const {
  return count_if(Loops.getLoopsInPreorder(), [&](const Loop *L) {
    return !Evolution.getSmallConstantTripCount(L);
  });
}

double BlockWeights::tripsOf(const Loop &L, Trips Guess) const {
  if (unsigned Exact = Evolution.getSmallConstantTripCount(&L))
    return Exact;
  const double Unknown =
      Guess == Trips::Few ? ShortTrips : std::max(UnknownTrips, Longest);
  if (unsigned Most = Evolution.getSmallConstantMaxTripCount(&L))
    return std::max(1.0, std::min<double>(Unknown, Most));
  return Unknown;
}

} // namespace bankstripe
