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
// Such a kernel must not have fewer resident blocks than before. A loop waits
// if each way out of it is decided by memory that others write, read anew in
// each iteration at the same place (a way that only leads to a trap is none),
// or one of them if the loop does no work but polls, as with a limit of tries:
//
//   a load that is volatile or atomic
//   an atomic operation that changes nothing, or nothing more when it is
//   repeated (addition of 0, exchange, maximum, compare and exchange)
//   assembly that loads, with a 64-bit address
//   a call that is not inlined and may do any of these
//   a plain load, if the loop writes nothing, and a fence or the like keeps the
//   load in it
//
// One thread may read for its block, and store that for the others. A loop may
// also be inside of one assembly statement.
//
// It does not wait if what leaves it is computed from what it counts: a counter
// of its own, a place that differs in each iteration, an atomic operation that
// hands out work (addition of 1), a compare and exchange of what the loop has
// just read. If nothing but the failure of such a one leads to another
// iteration, others have made progress: each thread takes a part of a list. A
// place that comes back is one that differs as long as the loop remembers
// nothing of what it has read there: a hash table is probed so, but flags are
// polled in turn. Locks are taken for waiting.
//
//===----------------------------------------------------------------------===//

#include "evidence/Waiting.h"
#include "evidence/AssemblyText.h"
#include "evidence/BackwardSearch.h"
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
using bankstripe::Read;
using bankstripe::searchBack;
using bankstripe::Step;

namespace {

using FunctionSet = SmallDenseSet<Function *>;

// Whether a function without a body is one of those of the toolkit. Any library
// may be in a folder of system headers.
bool returnsSoon(const Function &F) {
  const StringRef Name = F.getName();
  return bankstripe::isOfSystem(F) &&
         (Name.starts_with("__nv_") || Name.starts_with("cuda") ||
          is_contained({"vprintf", "malloc", "free", "__assertfail"}, Name));
}

/// Whether one loop waits.
class LoopReader {
public:
  /// \p Reading: the functions that may read anew.
  LoopReader(const Loop &L, const FunctionSet &Reading,
             const DominatorTree &Dominators)
      : L(L), Reading(Reading), Dominators(Dominators) {}
  bool waits() const;

private:
  Read kindOfAny(const Instruction &I) const;
  bool movesOn(const Instruction &I) const;
  bool isReadAnew(const Instruction &I) const;
  void addDeciding(SmallVector<const BasicBlock *> Pending,
                   SmallVectorImpl<const Value *> &To) const;
  void addStored(const Value &Pointer,
                 SmallVectorImpl<const Value *> &To) const;
  bool comesFrom(ArrayRef<const Value *> From,
                 function_ref<bool(const Instruction &)> Is) const;
  bool isSumOf(const Value &V, const PHINode &Phi,
               SmallPtrSetImpl<const Value *> &Seen) const;
  bool advances(const Value &V, const PHINode &Phi,
                SmallPtrSetImpl<const Value *> &Seen) const;
  bool isCarried(const Instruction &I) const;
  bool isCounted(ArrayRef<const Value *> From) const;
  bool goesOn(const Value &V, const PHINode &Phi, bool Down,
              SmallPtrSetImpl<const Value *> &Seen) const;
  bool neverComesBack(ArrayRef<const Value *> From) const;
  bool decides(const Instruction &I, const Value &V) const;
  bool isRemembered(const Instruction &I) const;
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
  const DominatorTree &Dominators;
};

} // namespace

// What a function does that no file in sight defines is not known.
Read LoopReader::kindOfAny(const Instruction &I) const {
  const auto *Call = dyn_cast<CallBase>(&I);
  if (!Call || Call->isInlineAsm() || isa<IntrinsicInst>(I))
    return bankstripe::kindOf(I);
  Function *Callee = Call->getCalledFunction();
  const bool Reads = !Callee                   ? true
                     : Callee->isDeclaration() ? !returnsSoon(*Callee)
                                               : Reading.contains(Callee);
  return Reads && Call->mayReadFromMemory() ? Read::Anew : Read::No;
}

// Whether From, or what it is computed from in the loop, is such that Is says
// so.
bool LoopReader::comesFrom(ArrayRef<const Value *> From,
                           function_ref<bool(const Instruction &)> Is) const {
  return searchBack(From, L, [&](const Instruction &I) {
    return Is(I) ? Step::Found : Step::On;
  });
}

// The values of which I is one, if it is not computed but chosen.
static SmallVector<const Value *> alternativesOf(const Instruction &I) {
  if (const auto *Joined = dyn_cast<PHINode>(&I))
    return SmallVector<const Value *>(Joined->incoming_values());
  if (const auto *Choice = dyn_cast<SelectInst>(&I))
    return {Choice->getTrueValue(), Choice->getFalseValue()};
  return {};
}

// Whether V is Phi with something added to it, which no division or mask brings
// back.
bool LoopReader::isSumOf(const Value &V, const PHINode &Phi,
                         SmallPtrSetImpl<const Value *> &Seen) const {
  constexpr unsigned EnoughBits = 32; // A byte comes back soon.
  const auto *I = dyn_cast<Instruction>(&V);
  if (!I || !L.contains(I) ||
      (V.getType()->isIntegerTy() &&
       V.getType()->getIntegerBitWidth() < EnoughBits))
    return false;
  if (I == &Phi || !Seen.insert(I).second)
    return true;
  auto IsSum = [&](const Value *Each) { return isSumOf(*Each, Phi, Seen); };
  if (const auto Each = alternativesOf(*I); !Each.empty())
    return all_of(Each, IsSum);
  const auto *Bits = dyn_cast<PossiblyDisjointInst>(I);
  const bool Adds = isa<GetElementPtrInst, CastInst, FreezeInst>(I) ||
                    is_contained({Instruction::Add, Instruction::Sub,
                                  Instruction::Mul, Instruction::Shl},
                                 I->getOpcode()) ||
                    (Bits && Bits->isDisjoint());
  return Adds && any_of(I->operand_values(), IsSum);
}

// Whether V, what Phi is in the next iteration, is another value than before,
// whatever others write. Where two loops were made one, it may begin again, or
// stay what it is until a flag is set.
bool LoopReader::advances(const Value &V, const PHINode &Phi,
                          SmallPtrSetImpl<const Value *> &Seen) const {
  const auto *I = dyn_cast<Instruction>(&V);
  if (!I || I == &Phi || !L.contains(I))
    return false;
  if (!Seen.insert(I).second)
    return true;
  auto Advances = [&](const Value *Each) { return advances(*Each, Phi, Seen); };
  if (const auto Each = alternativesOf(*I); !Each.empty())
    return all_of(Each, Advances);
  return comesFrom(I, [&](const Instruction &Each) { return &Each == &Phi; }) &&
         !comesFrom(I, [&](const Instruction &Each) {
           return kindOfAny(Each) == Read::Anew;
         });
}

bool LoopReader::isCarried(const Instruction &I) const {
  const auto *Phi = dyn_cast<PHINode>(&I);
  return Phi && Phi->getParent() == L.getHeader() &&
         all_of(Phi->blocks(), [&](const BasicBlock *From) {
           SmallPtrSet<const Value *, 8> Seen;
           return !L.contains(From) ||
                  advances(*Phi->getIncomingValueForBlock(From), *Phi, Seen);
         });
}

// Whether a value in From differs from iteration to iteration by what the loop
// itself does.
bool LoopReader::isCounted(ArrayRef<const Value *> From) const {
  return comesFrom(From, [&](const Instruction &I) { return isCarried(I); });
}

// Whether V is Phi and, on all ways to it, constants of one sign.
bool LoopReader::goesOn(const Value &V, const PHINode &Phi, bool Down,
                        SmallPtrSetImpl<const Value *> &Seen) const {
  const auto *I = dyn_cast<Instruction>(&V);
  if (!I || I == &Phi || !L.contains(I))
    return false;
  if (!Seen.insert(I).second)
    return true;
  auto GoesOn = [&](const Value *Each) {
    return goesOn(*Each, Phi, Down, Seen);
  };
  if (const auto Each = alternativesOf(*I); !Each.empty())
    return all_of(Each, GoesOn);
  APInt Step;
  if (const auto *Address = dyn_cast<GetElementPtrInst>(I)) {
    const DataLayout &Layout = I->getDataLayout();
    Step = APInt(Layout.getIndexTypeSizeInBits(I->getType()), 0);
    if (!Address->accumulateConstantOffset(Layout, Step))
      return false;
  } else if (I->getOpcode() == Instruction::Add &&
             isa<ConstantInt>(I->getOperand(1))) {
    Step = cast<ConstantInt>(I->getOperand(1))->getValue();
  } else {
    return false;
  }
  return !Step.isZero() && Step.isNegative() == Down &&
         (I->getOperand(0) == &Phi || GoesOn(I->getOperand(0)));
}

// Whether that value is another one in all iterations.
bool LoopReader::neverComesBack(ArrayRef<const Value *> From) const {
  return any_of(L.getHeader()->phis(), [&](const PHINode &Phi) {
    auto IsSum = [&](const Value *Each) {
      SmallPtrSet<const Value *, 8> Seen;
      return isSumOf(*Each, Phi, Seen);
    };
    auto GoesOn = [&](bool Down) {
      return all_of(Phi.blocks(), [&](const BasicBlock *Before) {
        SmallPtrSet<const Value *, 8> Seen;
        return !L.contains(Before) ||
               goesOn(*Phi.getIncomingValueForBlock(Before), Phi, Down, Seen);
      });
    };
    return any_of(From, IsSum) && isCarried(Phi) &&
           (GoesOn(/*Down=*/false) || GoesOn(/*Down=*/true));
  });
}

// Whether V is computed from I, be it by the way that control takes.
bool LoopReader::decides(const Instruction &I, const Value &V) const {
  SmallVector<const Value *> Pending{&V};
  SmallPtrSet<const Value *, 32> Seen;
  while (!Pending.empty()) {
    const auto *Each = dyn_cast<Instruction>(Pending.pop_back_val());
    if (!Each || !L.contains(Each) || !Seen.insert(Each).second)
      continue;
    if (Each == &I)
      return true;
    const auto *Phi = dyn_cast<PHINode>(Each);
    if (Phi && Phi->getParent() != L.getHeader())
      addDeciding({Phi->block_begin(), Phi->block_end()}, Pending);
    append_range(Pending, Each->operand_values());
  }
  return false;
}

// Whether the loop keeps something of what I reads for its next iterations,
// other than where to read then, in memory or not.
bool LoopReader::isRemembered(const Instruction &I) const {
  SmallVector<const Value *> Operands(I.operand_values());
  if (isAnywhere([&](const Instruction &Each) {
        if (!isa<StoreInst, AtomicRMWInst>(Each) || &Each == &I)
          return false;
        SmallVector<const Value *> Deciding(Each.operand_values());
        if (Each.getParent() != L.getHeader())
          addDeciding(
              {pred_begin(Each.getParent()), pred_end(Each.getParent())},
              Deciding);
        return any_of(Deciding, [&](const Value *V) { return decides(I, *V); });
      }))
    return true;
  return any_of(L.getHeader()->phis(), [&](const PHINode &Phi) {
    return !comesFrom(Operands, [&](const Instruction &Each) {
      return &Each == &Phi;
    }) && any_of(Phi.blocks(), [&](const BasicBlock *From) {
      return L.contains(From) &&
             decides(I, *Phi.getIncomingValueForBlock(From));
    });
  });
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

// Whether Condition is true or false where a compare and exchange with what the
// loop has just read took place, if it tells that.
std::optional<bool> LoopReader::retryEndsIf(const Value &Condition) const {
  auto ExchangeOf = [](const Value *V) {
    const auto *Part = dyn_cast<ExtractValueInst>(withoutCasts(V));
    return Part ? dyn_cast<AtomicCmpXchgInst>(Part->getAggregateOperand())
                : nullptr;
  };
  const AtomicCmpXchgInst *Exchange = ExchangeOf(&Condition);
  const auto *Compare = dyn_cast<ICmpInst>(&Condition);
  if (Compare && Compare->isEquality())
    for (unsigned Side : {0, 1})
      if (const auto *Other = ExchangeOf(Compare->getOperand(Side));
          Other && withoutCasts(Other->getCompareOperand()) ==
                       withoutCasts(Compare->getOperand(1 - Side)))
        Exchange = Other;
  SmallPtrSet<const Value *, 8> Seen;
  if (!Exchange || !isJustRead(*Exchange->getCompareOperand(),
                               *Exchange->getPointerOperand(), Seen))
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
    return isa<StoreInst, AtomicRMWInst, AtomicCmpXchgInst, MemIntrinsic>(I);
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

// Adds what the loop stores to what may be the object of Pointer, and what
// decides whether it does.
void LoopReader::addStored(const Value &Pointer,
                           SmallVectorImpl<const Value *> &To) const {
  const Value *Object = getUnderlyingObject(&Pointer, /*MaxLookup=*/0);
  for (const BasicBlock *Block : L.blocks())
    for (const Instruction &I : *Block) {
      const auto *Store = dyn_cast<StoreInst>(&I);
      const auto *Atomic = dyn_cast<AtomicRMWInst>(&I);
      if (!Store && !Atomic)
        continue;
      const Value *Other = getUnderlyingObject(
          Store ? Store->getPointerOperand() : Atomic->getPointerOperand(),
          /*MaxLookup=*/0);
      if (Other != Object &&
          (isIdentifiedObject(Other) || isIdentifiedObject(Object)))
        continue;
      To.push_back(Store ? Store->getValueOperand() : Atomic->getValOperand());
      if (Block != L.getHeader())
        addDeciding({pred_begin(Block), pred_end(Block)}, To);
    }
}

// Whether I reads next where what it has read says, as in a list or a tree, and
// that alone: a place to which it is added stays what it is while that is 0. A
// comparison says no place.
bool LoopReader::movesOn(const Instruction &I) const {
  auto ComesFrom = [&](const Value *Next, const Instruction &What) {
    return searchBack(Next, L, [&](const Instruction &Each) {
      return &Each == &What                      ? Step::Found
             : &Each == &I || isa<CmpInst>(Each) ? Step::Stop
                                                 : Step::On;
    });
  };
  SmallVector<const Value *> Operands(I.operand_values());
  return comesFrom(Operands, [&](const Instruction &Each) {
    const auto *Phi = dyn_cast<PHINode>(&Each);
    return Phi && Phi->getParent() == L.getHeader() &&
           any_of(Phi->incoming_values(), [&](const Value *Next) {
             return ComesFrom(Next, I) && !ComesFrom(Next, *Phi);
           });
  });
}

// Whether I reads, in each iteration of the loop, what others write there.
bool LoopReader::isReadAnew(const Instruction &I) const {
  const Read Kind = kindOfAny(I);
  if (Kind == Read::No || (Kind == Read::Plain && writes()))
    return false;
  SmallVector<const Value *> Operands(I.operand_values());
  return !movesOn(I) && !neverComesBack(Operands) &&
         (!isCounted(Operands) || isRemembered(I));
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
    if (isReadAnew(*I)) {
      if (kindOfAny(*I) == Read::Anew)
        return true;
      ReadsPlainly = true;
    }
    if (const auto *Phi = dyn_cast<PHINode>(I)) {
      Counts |= Phi->getParent() == L.getHeader();
      if (count_if(Phi->blocks(), [&](const BasicBlock *From) {
            return L.contains(From);
          }) > 1)
        addDeciding({Phi->block_begin(), Phi->block_end()}, Pending);
    }
    // One thread may hand on to its block what it has read.
    if (const auto *Load = dyn_cast<LoadInst>(I))
      addStored(*Load->getPointerOperand(), Pending);
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
  const Value *Pointer = getPointerOperand(&I);
  const auto *Atomic = dyn_cast<AtomicRMWInst>(&I);
  return isa<MemIntrinsic>(I) || (Pointer && isCounted(Pointer)) ||
         (Atomic && !bankstripe::isRepeatable(*Atomic));
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
    if (any_of(instructions(F), bankstripe::mayMakeLoopWait))
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

std::set<std::string> bankstripe::functionsThatWait(Module &M) {
  const FunctionSet Reading = functionsThatRead(M);
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
          return LoopReader(*L, Reading, Dominators).waits();
        }))
      Waiting.insert(&F);
  }
  bankstripe::addCallers(Waiting);
  std::set<std::string> Result;
  for (const Function *F : Waiting)
    Result.insert(sourceName(*F).str());
  return Result;
}
