//===-- Waiting.cpp - loops that wait for other blocks --------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program can build a barrier across blocks by itself, which works as long as
// all blocks are resident:
//
//     atomicAdd(&arrived, 1);
//     while (atomicAdd(&arrived, 0) < gridDim.x)
//       __nanosleep(100);
//
// Such a kernel must not have fewer resident blocks than before. No analysis
// tells all waits from all work, so what is free is listed, and the rest waits.
// A loop waits if each way out of it is decided by memory that others write (a
// way that only leads to a trap is none), or one of them if the loop does no
// work but polls, as with a limit of tries. Such memory is read by
//
//   a load that is volatile or atomic, at any place: flags are polled in turn
//   an atomic operation, assembly that loads with a 64-bit address
//   a call that is not inlined and hands on what it reads so (CallReads.h)
//   a plain load, if the loop writes nothing, and a fence or the like keeps the
//   load in it
//
// One thread may read for its block, and store that for the others. A loop may
// also be inside of one assembly statement.
//
// Two kinds of atomic operations are free, since a thread needs nobody to go
// on: an addition that hands out work, of a constant, where the loop does not
// take back what it added, as who waits for a semaphore does; and a compare and
// exchange of what the loop has just read there. If nothing but its failure
// leads to another iteration, others have made progress: each thread takes a
// part of a list. Locks are taken for waiting.
//
//===----------------------------------------------------------------------===//

#include "evidence/Waiting.h"
#include "evidence/CallReads.h"
#include "evidence/DeviceModule.h"
#include "evidence/MemoryReads.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MustExecute.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using bankstripe::CallReads;
using bankstripe::callsUnseen;
using bankstripe::pollsInAssembly;
using bankstripe::Read;
using bankstripe::WaitEvidence;

namespace {

using FunctionSet = SmallDenseSet<Function *>;

/// Whether one loop waits.
class LoopReader {
public:
  /// \p Reading: the functions that may read anew; \p Calls: what they do with
  /// that.
  LoopReader(const Loop &L, const FunctionSet &Reading, const CallReads &Calls,
             const DominatorTree &Dominators)
      : L(L), Reading(Reading), Calls(Calls), Dominators(Dominators) {}
  bool waits() const;

private:
  bool mayRead(const CallBase &Call) const;
  bool mayTakeBack(const Instruction &I, const Value *Pointer,
                   int Direction) const;
  bool handsOutWork(const Instruction &I) const;
  Read readsAnew(const Instruction &I) const;
  void addDeciding(SmallVector<const BasicBlock *> Pending,
                   SmallVectorImpl<const Value *> &To) const;
  void addStored(const Value &Pointer,
                 SmallVectorImpl<const Value *> &To) const;
  bool isJustRead(const Value &V, const Value &Place,
                  SmallPtrSetImpl<const Value *> &Seen) const;
  std::optional<bool> retryEndsIf(const Value &Condition) const;
  bool retriesAlways(const BasicBlock &Block, const BasicBlock &Exit) const;
  bool dependsOnOthers(const Value &Condition) const;
  bool isWayOutByOthers(const Value &Condition, bool LeavesIfTrue) const;
  bool isAnywhere(function_ref<bool(const Instruction &)> Is) const;
  bool writes() const;
  bool worksAt(const Instruction &I) const;

  const Loop &L;
  const FunctionSet &Reading;
  const CallReads &Calls;
  const DominatorTree &Dominators;
};

} // namespace

// What a function does that no file in sight defines is not known.
bool LoopReader::mayRead(const CallBase &Call) const {
  if (Call.isInlineAsm())
    return true;
  return callsUnseen(Call) || Reading.contains(Call.getCalledFunction());
}

static const Value *withoutCasts(const Value *V) {
  while (const auto *Cast = dyn_cast<CastInst>(V))
    V = Cast->getOperand(0);
  return V;
}

// Whether V is what the loop has read there in this iteration, or at the end of
// the one before. What is computed from that, as a lock without its bit, or is
// from another place may be what others never write.
bool LoopReader::isJustRead(const Value &V, const Value &Place,
                            SmallPtrSetImpl<const Value *> &Seen) const {
  const auto *I = dyn_cast<Instruction>(withoutCasts(&V));
  if (!I || !L.contains(I) || !Seen.insert(I).second)
    return false;
  const auto *Phi = dyn_cast<PHINode>(I);
  if (!Phi) {
    const auto *Part = dyn_cast<ExtractValueInst>(I);
    const Value *By = Part ? Part->getAggregateOperand() : I;
    return isa<LoadInst, AtomicRMWInst, AtomicCmpXchgInst, CallBase>(By) &&
           any_of(cast<Instruction>(By)->operand_values(),
                  [&](const Value *Each) {
                    return withoutCasts(Each) == withoutCasts(&Place);
                  });
  }
  return all_of(Phi->blocks(), [&](const BasicBlock *From) {
    return (Phi->getParent() == L.getHeader() && !L.contains(From)) ||
           isJustRead(*Phi->getIncomingValueForBlock(From), Place, Seen);
  });
}

namespace {

/// A compare and exchange; empty: none.
struct Exchange {
  const Value *Pointer = nullptr, *Wanted = nullptr;
};

} // namespace

// The one of which V is what it has read, or whether it took place.
static Exchange exchangeOf(const Value *V) {
  V = withoutCasts(V);
  if (const auto *Part = dyn_cast<ExtractValueInst>(V))
    if (const auto *I =
            dyn_cast<AtomicCmpXchgInst>(Part->getAggregateOperand()))
      return {I->getPointerOperand(), I->getCompareOperand()};
  if (const auto *Call = dyn_cast<CallBase>(V);
      Call && bankstripe::exchangesByCall(*Call))
    return {Call->getArgOperand(0), Call->getArgOperand(1)};
  return {};
}

// Whether Condition is true or false where a compare and exchange with what the
// loop has just read took place, if it tells that.
std::optional<bool> LoopReader::retryEndsIf(const Value &Condition) const {
  const auto *Compare = dyn_cast<ICmpInst>(&Condition);
  Exchange Tried;
  if (isa<ExtractValueInst>(withoutCasts(&Condition)))
    Tried = exchangeOf(&Condition);
  else if (Compare && Compare->isEquality())
    for (unsigned Side : {0, 1})
      if (const Exchange Other = exchangeOf(Compare->getOperand(Side));
          Other.Wanted && withoutCasts(Other.Wanted) ==
                              withoutCasts(Compare->getOperand(1 - Side)))
        Tried = Other;
  SmallPtrSet<const Value *, 8> Seen;
  if (!Tried.Wanted || !isJustRead(*Tried.Wanted, *Tried.Pointer, Seen))
    return std::nullopt;
  return !Compare || Compare->getPredicate() == CmpInst::ICMP_EQ;
}

// Whether Block, with a way out, ends by a retry, without which there is no
// further iteration.
bool LoopReader::retriesAlways(const BasicBlock &Block,
                               const BasicBlock &Exit) const {
  SmallVector<BasicBlock *> Latches;
  L.getLoopLatches(Latches);
  const Instruction &End = *Block.getTerminator();
  return retryEndsIf(*End.getOperand(0)) == (End.getSuccessor(0) == &Exit) &&
         all_of(Latches, [&](const BasicBlock *Latch) {
           return Dominators.dominates(&Block, Latch);
         });
}

// Whether Is says so of any instruction of the loop.
bool LoopReader::isAnywhere(function_ref<bool(const Instruction &)> Is) const {
  return any_of(L.blocks(),
                [&](const BasicBlock *Block) { return any_of(*Block, Is); });
}

// Whether the loop itself writes something.
bool LoopReader::writes() const {
  return isAnywhere([](const Instruction &I) {
    const auto *Call = dyn_cast<CallBase>(&I);
    if (Call && !Call->isInlineAsm() && !isa<IntrinsicInst>(I))
      return Call->mayWriteToMemory();
    return bankstripe::valueStoredBy(I) || isa<MemIntrinsic>(I);
  });
}

// Adds the conditions that decide whether control reaches the blocks in
// Pending: those at the ends of these, or before.
void LoopReader::addDeciding(SmallVector<const BasicBlock *> Pending,
                             SmallVectorImpl<const Value *> &To) const {
  SmallPtrSet<const BasicBlock *, 8> Seen;
  while (!Pending.empty()) {
    const BasicBlock *Block = Pending.pop_back_val();
    if (!L.contains(Block) || !Seen.insert(Block).second)
      continue;
    const Instruction *End = Block->getTerminator();
    if (End->getNumSuccessors() > 1)
      To.push_back(End->getOperand(0));
    else if (Block != L.getHeader())
      append_range(Pending, predecessors(Block));
  }
}

// Whether A and B may lead to the same object, as far as that can be seen.
static bool maySharePlace(const Value *A, const Value *B) {
  if (!A || !B)
    return true;
  const Value *First = getUnderlyingObject(A, /*MaxLookup=*/0);
  const Value *Second = getUnderlyingObject(B, /*MaxLookup=*/0);
  return First == Second ||
         !(isIdentifiedFunctionLocal(First) ||
           isIdentifiedFunctionLocal(Second) ||
           (isIdentifiedObject(First) && isIdentifiedObject(Second)));
}

// Adds what the loop stores to what may be the object of Pointer, and what
// decides whether it does.
void LoopReader::addStored(const Value &Pointer,
                           SmallVectorImpl<const Value *> &To) const {
  for (const BasicBlock *Block : L.blocks())
    for (const Instruction &I : *Block) {
      const Value *Stored = bankstripe::valueStoredBy(I);
      if (!Stored || !maySharePlace(&Pointer, bankstripe::pointerOf(I)))
        continue;
      To.push_back(Stored);
      if (Block != L.getHeader())
        addDeciding({pred_begin(Block), pred_end(Block)}, To);
    }
}

// Whether I may change what is at Pointer, which others read, otherwise than by
// adding in Direction. Plain stores elsewhere are results of the work.
bool LoopReader::mayTakeBack(const Instruction &I, const Value *Pointer,
                             int Direction) const {
  const Value *Stored = bankstripe::valueStoredBy(I);
  if (const auto *Call = dyn_cast<CallBase>(&I); Call && !Stored)
    return Call->mayWriteToMemory() && !isa<IntrinsicInst>(I) &&
           !bankstripe::writesNothing(*Call) && mayRead(*Call) &&
           bankstripe::directionOf(I) != Direction;
  if (const auto *Store = dyn_cast<StoreInst>(&I); Store && Store->isSimple())
    return Store->getPointerOperand() == Pointer;
  return Stored && bankstripe::directionOf(I) != Direction &&
         maySharePlace(Pointer, bankstripe::pointerOf(I));
}

// Whether I adds a constant, and nothing in the loop may take it back.
bool LoopReader::handsOutWork(const Instruction &I) const {
  const int Direction = bankstripe::directionOf(I);
  const Value *Pointer = bankstripe::pointerOf(I);
  return Direction && !isAnywhere([&](const Instruction &Other) {
           return mayTakeBack(Other, Pointer, Direction);
         });
}

// Whether I is a call of a function in sight that only loads, as far as its
// result goes.
static bool loadsByCall(const Instruction &I) {
  const auto *Call = dyn_cast<CallBase>(&I);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return Callee && !Callee->isDeclaration() && Call->mayReadFromMemory();
}

// Whether I reads, in each iteration of the loop, what others write.
Read LoopReader::readsAnew(const Instruction &I) const {
  const Read Kind = bankstripe::kindOf(I);
  if (Calls.handedOnBy(I).ByResult || (Kind == Read::Anew && !handsOutWork(I)))
    return Read::Anew;
  const Value *Pointer = bankstripe::pointerOf(I);
  const bool Loads = (Kind == Read::Plain || loadsByCall(I)) && !writes() &&
                     ((Pointer && L.isLoopInvariant(Pointer)) ||
                      isAnywhere(std::mem_fn(&Instruction::mayWriteToMemory)));
  return Loads ? Read::Plain : Read::No;
}

// Whether Condition is decided by what the loop reads anew, be it by the way
// that control takes to a PHI.
bool LoopReader::dependsOnOthers(const Value &Condition) const {
  SmallVector<const Value *> Pending{&Condition};
  SmallPtrSet<const Value *, 32> Seen;
  bool Counts = false, ReadsPlainly = false;
  while (!Pending.empty()) {
    const auto *I = dyn_cast<Instruction>(Pending.pop_back_val());
    if (!I || !L.contains(I) || !Seen.insert(I).second || retryEndsIf(*I))
      continue;
    if (const Read Kind = readsAnew(*I); Kind != Read::No) {
      if (Kind == Read::Anew)
        return true;
      ReadsPlainly = true;
      continue;
    }
    if (const auto *Phi = dyn_cast<PHINode>(I)) {
      Counts |= Phi->getParent() == L.getHeader();
      if (count_if(Phi->blocks(), [&](const BasicBlock *From) {
            return L.contains(From);
          }) > 1)
        addDeciding({Phi->block_begin(), Phi->block_end()}, Pending);
    }
    // One thread may hand on to its block what it has read, and a call to the
    // loop.
    if (const auto *Load = dyn_cast<LoadInst>(I)) {
      const Value &From = *Load->getPointerOperand();
      if (isAnywhere([&](const Instruction &Each) {
            return Calls.mayFill(Each, From);
          }))
        return true;
      addStored(From, Pending);
    }
    append_range(Pending, I->operand_values());
  }
  // A bound that is loaded again beside a counter.
  return ReadsPlainly && !Counts;
}

// Of `a && b`, which leaves if one of them is false, each is a way out.
bool LoopReader::isWayOutByOthers(const Value &Condition,
                                  bool LeavesIfTrue) const {
  using namespace PatternMatch;
  const Value *A = nullptr, *B = nullptr;
  if (LeavesIfTrue ? match(&Condition, m_LogicalOr(m_Value(A), m_Value(B)))
                   : match(&Condition, m_LogicalAnd(m_Value(A), m_Value(B))))
    return isWayOutByOthers(*A, LeavesIfTrue) &&
           isWayOutByOthers(*B, LeavesIfTrue);
  return dependsOnOthers(Condition);
}

// Whether I is more than what a loop needs that only polls: it uses another
// place in each iteration, or is not over when it is done once.
bool LoopReader::worksAt(const Instruction &I) const {
  if (const auto *Call = dyn_cast<CallBase>(&I);
      Call && !Call->isInlineAsm() && !isa<IntrinsicInst>(I)) {
    const Function *Callee = Call->getCalledFunction();
    return Call->mayWriteToMemory() &&
           !(Callee && bankstripe::isOfSystem(*Callee));
  }
  const Value *Pointer = bankstripe::pointerOf(I);
  return isa<MemIntrinsic>(I) || bankstripe::directionOf(I) ||
         (Pointer && !L.isLoopInvariant(Pointer) &&
          bankstripe::kindOf(I) != Read::Anew);
}

// Whether every path from Block ends in a trap or the like.
static bool neverReturns(const BasicBlock &Block) {
  SmallVector<const BasicBlock *> Pending{&Block};
  SmallPtrSet<const BasicBlock *, 16> Seen;
  while (!Pending.empty()) {
    const BasicBlock *Next = Pending.pop_back_val();
    if (!Seen.insert(Next).second)
      continue;
    if (isa<ReturnInst>(Next->getTerminator()))
      return false;
    append_range(Pending, successors(Next));
  }
  return true;
}

bool LoopReader::waits() const {
  SmallVector<std::pair<BasicBlock *, BasicBlock *>> Ways;
  L.getExitEdges(Ways);
  erase_if(Ways, [](const auto &Way) { return neverReturns(*Way.second); });
  // A block of the loop with a way out has another one, and a condition.
  if (Ways.empty() || any_of(Ways, [&](const auto &Way) {
        return retriesAlways(*Way.first, *Way.second);
      }))
    return false;
  // Where the flag is free alone, a lock is tried by what was read.
  auto IsByOthers = [&](const auto &Way) {
    const Instruction *End = Way.first->getTerminator();
    return retryEndsIf(*End->getOperand(0)) ||
           isWayOutByOthers(*End->getOperand(0),
                            End->getSuccessor(0) == Way.second);
  };
  auto DependsOnOthers = [&](const auto &Way) {
    return dependsOnOthers(*Way.first->getTerminator()->getOperand(0));
  };
  auto WorksAt = [&](const Instruction &I) { return worksAt(I); };
  return all_of(Ways, IsByOthers) ||
         (any_of(Ways, DependsOnOthers) && !isAnywhere(WorksAt));
}

// All functions that may read anew, and those that name them.
static FunctionSet functionsThatRead(Module &M) {
  FunctionSet Result;
  for (Function &F : M)
    if (any_of(instructions(F), [](const Instruction &I) {
          return bankstripe::mayMakeLoopWait(I) || callsUnseen(I);
        }))
      Result.insert(&F);
  bankstripe::addCallers(Result);
  return Result;
}

SmallDenseSet<Function *> bankstripe::functionsThatMayWait(Module &M) {
  FunctionSet Result;
  for (Function *F : functionsThatRead(M))
    if (!isOfSystem(*F))
      Result.insert(F);
  return Result;
}

// Those with loops that wait, or that lead to such a function.
static FunctionSet waitingAmong(Module &M, const FunctionSet &Reading,
                                const CallReads &Calls) {
  FunctionSet Waiting;
  for (Function &F : M) {
    if (F.isDeclaration())
      continue;
    const DominatorTree Dominators(F);
    const LoopInfo Loops(Dominators);
    // A cycle with two entries is no loop that anybody knows.
    if (any_of(instructions(F), pollsInAssembly) ||
        (Reading.contains(&F) && mayContainIrreducibleControl(F, &Loops)) ||
        any_of(Loops.getLoopsInPreorder(), [&](const Loop *L) {
          return LoopReader(*L, Reading, Calls, Dominators).waits();
        }))
      Waiting.insert(&F);
  }
  bankstripe::addCallers(Waiting);
  return Waiting;
}

WaitEvidence bankstripe::findWaits(Module &M, bool IsLinked) {
  const FunctionSet Reading = functionsThatRead(M);
  const CallReads Calls(M, /*CountsUnseen=*/!IsLinked);
  WaitEvidence Result;
  auto Names = [](const FunctionSet &Functions) {
    std::set<std::string> Result;
    for (const Function *F : Functions)
      Result.insert(sourceName(*F).str());
    return Result;
  };
  Result.Waiting = Names(waitingAmong(M, Reading, Calls));
  if (!IsLinked)
    return Result;
  const CallReads AnyCalls(M, /*CountsUnseen=*/true);
  Result.WaitingByCalls = Names(waitingAmong(M, Reading, AnyCalls));
  for (const Function &F : M)
    if (Calls.handedOnBy(F).any())
      Result.HandingOn.insert(sourceName(F).str());
  return Result;
}
