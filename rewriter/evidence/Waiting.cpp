//===-- Waiting.cpp - loops that may wait for other blocks ----------------===//
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
//       ;
//
// Such a kernel must not have fewer resident blocks than before. Whether a loop
// waits for others, or only shares work with them, is a matter of values. A
// launch can decide by its grid instead, so a false alarm costs little, and no
// more is asked than this: may what other blocks write decide how often a loop
// runs?
//
// A *fresh* instruction finds what others have written since it ran last: a
// volatile or atomic load, an atomic operation, assembly that loads, a call of
// a function with one of these, or of one that is not in sight. Where a loop
// has a fence and stores nothing, a plain load is fresh, too. An exchange that
// is tried again with what it found, until it succeeds, is not: it fails only
// where another one has succeeded.
//
// For each loop with fresh instructions, a set of its instructions grows. It
// begins with the branches that leave the loop, and those that lead to them.
// Each instruction adds what it is computed from: its operands, and for a PHI
// the branches that choose among these. The loop may wait if one in the set is
// fresh, or reads any memory, where results of fresh ones may be. No
// instruction is added twice, so this ends.
//
// A function may wait if it has such a loop, sleeps, or calls a function that
// may wait. If it has fresh instructions, any other way to run them again will
// do: recursion, a cycle with two entries, a loop inside of assembly.
//
// A loop polls if it ends by what a plain load finds that the kernel writes:
// the L1 may answer with what it held before (docs/internals/model.md).
//
//===----------------------------------------------------------------------===//

#include "evidence/Waiting.h"
#include "evidence/DeviceModule.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/CallGraph.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/MustExecute.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;
using bankstripe::isOfSystem;

using FunctionSet = SmallDenseSet<Function *>;

// Whether other blocks can write where Pointer leads.
static bool isSeenByBlocks(const Value &Pointer) {
  const Value *Object = getUnderlyingObject(&Pointer, /*MaxLookup=*/0);
  const unsigned Space = Object->getType()->getPointerAddressSpace();
  return !isa<AllocaInst>(Object) && (Space == NVPTXAS::ADDRESS_SPACE_GENERIC ||
                                      Space == NVPTXAS::ADDRESS_SPACE_GLOBAL);
}

// The call if I is one of a function.
static const CallBase *functionCall(const Instruction &I) {
  const auto *Call = dyn_cast<CallBase>(&I);
  return Call && !Call->isInlineAsm() && !isa<IntrinsicInst>(I) ? Call
                                                                : nullptr;
}

// The assembly that I is, or the name of the intrinsic; else empty.
static StringRef textOf(const Instruction &I) {
  const auto *Call = dyn_cast<CallBase>(&I);
  if (!Call || functionCall(I))
    return "";
  const auto *Code = dyn_cast<InlineAsm>(Call->getCalledOperand());
  return Code ? StringRef(Code->getAsmString())
              : Call->getCalledFunction()->getName();
}

// Whether V may be an address of memory that other blocks write: a pointer, or
// a number of 64 bits. Addresses of shared memory may have 32.
static bool mayBeSeenAt(const Value *V) {
  if (const auto *Number = dyn_cast<PtrToIntOperator>(V))
    V = Number->getPointerOperand();
  return V->getType()->isPointerTy()
             ? isSeenByBlocks(*V)
             : V->getType()->isIntegerTy(64) && !isa<ConstantInt>(V);
}

// Whether I is assembly that loads what others may write: `ld.global.nc` may
// never see that.
static bool loadsInAssembly(const Instruction &I) {
  const auto *Call = dyn_cast<CallBase>(&I);
  return Call && Call->isInlineAsm() && any_of(Call->args(), mayBeSeenAt) &&
         any_of(split(textOf(I), ';'), [](StringRef Text) {
           return (Text.contains("ld.") || Text.contains("ld_") ||
                   Text.contains("atom.")) &&
                  !Text.contains(".nc");
         });
}

// Where I is an atomic operation, or null.
static const Value *atomicAddress(const Instruction &I) {
  // Those of the whole system are intrinsics.
  return isa<AtomicRMWInst, AtomicCmpXchgInst>(I) ||
                 (isa<IntrinsicInst>(I) && textOf(I).contains(".atomic."))
             ? I.getOperand(0)
             : nullptr;
}

// Whether I is fresh in each loop. A call of a function in sight is not.
static bool isAlwaysFresh(const Instruction &I) {
  if (const auto *Load = dyn_cast<LoadInst>(&I))
    return !Load->isSimple() && isSeenByBlocks(*Load->getPointerOperand());
  if (const Value *Address = atomicAddress(I))
    return !I.use_empty() && isSeenByBlocks(*Address);
  if (const CallBase *Call = functionCall(I)) {
    const Function *Callee = Call->getCalledFunction();
    return !Callee || (Callee->isDeclaration() && !isOfSystem(*Callee));
  }
  return loadsInAssembly(I);
}

// Whether L has a fence, a barrier or the like, which keeps loads where they
// are, and stores nothing.
static bool onlyHasFences(const Loop &L) {
  bool HasFence = false;
  for (const BasicBlock *Block : L.blocks())
    for (const Instruction &I : *Block) {
      const auto *Call = dyn_cast<CallBase>(&I);
      if (isa<LoadInst>(I) || !I.mayWriteToMemory())
        continue;
      if (!isa<FenceInst>(I) && (!Call || functionCall(I) || atomicAddress(I)))
        return false;
      HasFence |=
          !Call ||
          isModSet(Call->getMemoryEffects().getModRef(IRMemLocation::Other));
    }
  return HasFence;
}

namespace {

/// Whether fresh instructions decide how often one loop runs.
class LoopReader {
public:
  /// \p Reading: the functions with fresh instructions.
  LoopReader(const Loop &L, const FunctionSet &Reading, const LoopInfo &Loops,
             const DominatorTree &Dominators)
      : L(L), Reading(Reading), Loops(Loops), Dominators(Dominators),
        OnlyHasFences(onlyHasFences(L)) {}
  bool mayWait();

private:
  bool isRetry(const Instruction &I) const;
  bool isFresh(const Instruction &I) const;
  void add(const Value *V);
  void addWaysTo(const BasicBlock &Block, const BasicBlock *From);
  void addSources(const Instruction &I);

  const Loop &L;
  const FunctionSet &Reading;
  const LoopInfo &Loops;
  const DominatorTree &Dominators;
  const bool OnlyHasFences;
  SmallPtrSet<const Instruction *, 32> Added;
  SmallVector<const Instruction *> Pending; ///< Added, and to be asked.
};

} // namespace

// Whether I is a load, or a call that may load.
static bool readsMemory(const Instruction &I) {
  return isa<LoadInst>(I) || (functionCall(I) && I.mayReadFromMemory());
}

// What V has the bits of: an exchange of floats is one of integers.
static const Value *withoutBitCasts(const Value *V) {
  while (const auto *Cast = dyn_cast<BitCastInst>(V))
    V = Cast->getOperand(0);
  return V;
}

// `do { seen = found; found = atomicCAS(p, seen, f(seen)); } while (found !=
// seen);`, which may have more exits.
bool LoopReader::isRetry(const Instruction &I) const {
  const auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I);
  const auto *Seen =
      Exchange
          ? dyn_cast<PHINode>(withoutBitCasts(Exchange->getCompareOperand()))
          : nullptr;
  if (!Seen || !L.contains(Seen))
    return false;
  auto IsResult = [&](const Value *V, unsigned Index) {
    const auto *Part = dyn_cast<ExtractValueInst>(withoutBitCasts(V));
    return Part && Part->getAggregateOperand() == Exchange &&
           Part->getIndices().front() == Index;
  };
  const auto *Branch =
      dyn_cast<BranchInst>(Exchange->getParent()->getTerminator());
  if (!Branch || !Branch->isConditional() ||
      none_of(Seen->incoming_values(),
              [&](const Value *V) { return IsResult(V, 0); }))
    return false;
  const auto *Compare = dyn_cast<CmpInst>(Branch->getCondition());
  const bool Compares =
      Compare && Compare->isEquality() &&
      any_of(Compare->operands(),
             [&](const Value *V) { return IsResult(V, 0); }) &&
      is_contained(map_range(Compare->operands(), withoutBitCasts), Seen);
  if (!Compares && !IsResult(Branch->getCondition(), 1))
    return false;
  const bool OnFalse = Compares &&
                       !CmpInst::isTrueWhenEqual(Compare->getPredicate()) &&
                       Compare->getPredicate() != CmpInst::FCMP_OEQ;
  return !Loops.getLoopFor(Exchange->getParent())
              ->contains(Branch->getSuccessor(OnFalse));
}

bool LoopReader::isFresh(const Instruction &I) const {
  if (isRetry(I))
    return false;
  if (const CallBase *Call = functionCall(I);
      Call && Reading.contains(Call->getCalledFunction()))
    return true;
  const auto *Load = dyn_cast<LoadInst>(&I);
  return isAlwaysFresh(I) ||
         (OnlyHasFences && readsMemory(I) &&
          (!Load || isSeenByBlocks(*Load->getPointerOperand())));
}

void LoopReader::add(const Value *V) {
  const auto *I = dyn_cast<Instruction>(V);
  if (I && L.contains(I) && Added.insert(I).second)
    Pending.push_back(I);
}

// Adds the branches between From, which dominates Block, and that.
void LoopReader::addWaysTo(const BasicBlock &Block, const BasicBlock *From) {
  SmallPtrSet<const BasicBlock *, 16> Seen;
  SmallVector<const BasicBlock *> Open(predecessors(&Block));
  while (!Open.empty()) {
    const BasicBlock *Before = Open.pop_back_val();
    if (!L.contains(Before) || !Seen.insert(Before).second)
      continue;
    add(Before->getTerminator());
    if (Before != From)
      append_range(Open, predecessors(Before));
  }
}

void LoopReader::addSources(const Instruction &I) {
  for (const Value *Operand : I.operand_values())
    add(Operand);
  const BasicBlock &Block = *I.getParent();
  if (isa<PHINode>(I) && !(&Block == L.getHeader() && L.getLoopLatch()))
    addWaysTo(Block, Dominators.getNode(&Block)->getIDom()->getBlock());
}

bool LoopReader::mayWait() {
  if (none_of(L.blocks(), [&](const BasicBlock *Block) {
        return any_of(*Block, [&](const Instruction &I) { return isFresh(I); });
      }))
    return false;
  SmallVector<BasicBlock *> Exiting;
  L.getExitingBlocks(Exiting);
  const BasicBlock *Latch = L.getLoopLatch();
  for (const BasicBlock *Block : Exiting) {
    add(Block->getTerminator());
    const BasicBlock *Common =
        Latch ? Dominators.findNearestCommonDominator(Block, Latch)
              : L.getHeader();
    if (Block != Common)
      addWaysTo(*Block, Common);
  }
  bool Found = Exiting.empty(); // Assembly can end the thread.
  while (!Found && !Pending.empty()) {
    const Instruction *I = Pending.pop_back_val();
    Found = isFresh(*I) || readsMemory(*I);
    addSources(*I);
  }
  return Found;
}

// Whether I waits by itself.
static bool waits(const Instruction &I) {
  const StringRef Text = textOf(I);
  return Text.contains("nanosleep") ||
         (Text.contains("bra") && loadsInAssembly(I));
}

static bool mayWait(Function &F, const FunctionSet &Reading) {
  const DominatorTree Dominators(F);
  const LoopInfo Loops(Dominators);
  return any_of(instructions(F),
                [](const Instruction &I) { return waits(I); }) ||
         (Reading.contains(&F) && mayContainIrreducibleControl(F, &Loops)) ||
         any_of(Loops.getLoopsInPreorder(), [&](const Loop *L) {
           return LoopReader(*L, Reading, Loops, Dominators).mayWait();
         });
}

// Those with an instruction of which Is says so, and those that may call them.
static FunctionSet functionsWith(Module &M,
                                 function_ref<bool(const Instruction &)> Is) {
  FunctionSet Result;
  for (Function &F : M)
    if (any_of(instructions(F), Is))
      Result.insert(&F);
  bankstripe::addCallers(Result);
  return Result;
}

void bankstripe::keepLoadsInAssembly(Module &M) {
  for (Function &F : M)
    for (Instruction &I : instructions(F)) {
      if (!loadsInAssembly(I))
        continue;
      auto &Call = cast<CallBase>(I);
      const auto &Code = *cast<InlineAsm>(Call.getCalledOperand());
      Call.setCalledOperand(InlineAsm::get(
          Code.getFunctionType(), Code.getAsmString(),
          Code.getConstraintString(), /*hasSideEffects=*/true,
          Code.isAlignStack(), Code.getDialect(), Code.canThrow()));
      Call.removeFnAttr(Attribute::Memory);
    }
}

FunctionSet bankstripe::functionsThatMayWait(Module &M) {
  FunctionSet Result;
  for (Function *F : functionsWith(M, [](const Instruction &I) {
         const StringRef Text = textOf(I);
         return isAlwaysFresh(I) || waits(I) || isa<FenceInst>(I) ||
                Text.contains("membar") || Text.contains("fence");
       }))
    if (!isOfSystem(*F))
      Result.insert(F);
  return Result;
}

std::set<std::string> bankstripe::findWaits(Module &M) {
  const FunctionSet Reading = functionsWith(M, isAlwaysFresh);
  FunctionSet Waiting;
  for (Function &F : M)
    if (!F.isDeclaration() && mayWait(F, Reading))
      Waiting.insert(&F);
  CallGraph Calls(M);
  for (auto Component = scc_begin(&Calls); !Component.isAtEnd(); ++Component)
    for (const CallGraphNode *Node : *Component)
      if (Component.hasCycle() && Reading.contains(Node->getFunction()))
        Waiting.insert(Node->getFunction());
  addCallers(Waiting);
  std::set<std::string> Result;
  for (const Function *F : Waiting)
    Result.insert(sourceName(*F).str());
  return Result;
}

// --- Polling -----------------------------------------------------------------

namespace {

/// Memory that all threads find at one address: an offset from an argument of
/// the kernel or from a variable.
using SharedPlace = std::pair<const Value *, int64_t>;

} // namespace

static std::optional<SharedPlace> sharedPlaceOf(const Value &Pointer,
                                                const DataLayout &Layout) {
  int64_t Offset = 0;
  const Value *Base =
      GetPointerBaseWithConstantOffset(&Pointer, Offset, Layout);
  const bool IsVariable =
      isa<GlobalVariable>(Base) && Base->getType()->getPointerAddressSpace() ==
                                       NVPTXAS::ADDRESS_SPACE_GLOBAL;
  // Where the argument is a structure, a pointer in it.
  const auto *L = dyn_cast<LoadInst>(Base);
  const auto *A = dyn_cast<Argument>(
      L ? getUnderlyingObject(L->getPointerOperand()) : Base);
  const bool IsPointerOfLaunch = A && A->hasByValAttr() == bool(L);
  if (!IsVariable && !IsPointerOfLaunch)
    return std::nullopt;
  return SharedPlace{Base, Offset};
}

// What F writes, or has written by what it calls.
static DenseSet<SharedPlace> placesWritten(Function &F,
                                           const DataLayout &Layout) {
  DenseSet<SharedPlace> Result;
  auto Add = [&](const Value &Pointer) {
    if (auto Place = sharedPlaceOf(Pointer, Layout))
      Result.insert(*Place);
  };
  for (Instruction &I : instructions(F)) {
    if (!I.mayWriteToMemory())
      continue;
    if (auto *Call = dyn_cast<CallBase>(&I)) {
      for (const Use &Argument : Call->args())
        if (Argument->getType()->isPointerTy())
          Add(*Argument);
    } else if (auto Written = MemoryLocation::getOrNone(&I)) {
      Add(*Written->Ptr);
    }
  }
  return Result;
}

// Whether Condition is computed, in L, from a plain load of one of Places.
static bool comesFrom(const DenseSet<SharedPlace> &Places,
                      const Value *Condition, const Loop &L,
                      const DataLayout &Layout) {
  constexpr unsigned MostValues = 32;
  SmallVector<const Value *> Pending{Condition};
  SmallPtrSet<const Value *, MostValues> Seen;
  while (!Pending.empty() && Seen.size() < MostValues) {
    const auto *I = dyn_cast<Instruction>(Pending.pop_back_val());
    if (!I || !L.contains(I) || isa<CallBase>(I) || !Seen.insert(I).second)
      continue;
    if (const auto *Load = dyn_cast<LoadInst>(I)) {
      const auto Place = sharedPlaceOf(*Load->getPointerOperand(), Layout);
      if (Load->isSimple() && Place && Places.contains(*Place))
        return true;
      continue;
    }
    append_range(Pending, I->operand_values());
  }
  return false;
}

bool bankstripe::pollsMemory(Function &Kernel,
                             FunctionAnalysisManager &Analyses) {
  const DataLayout &Layout = Kernel.getParent()->getDataLayout();
  const DenseSet<SharedPlace> Places = placesWritten(Kernel, Layout);
  const auto Polls = [&](const Loop *L) {
    SmallVector<BasicBlock *> Exits;
    L->getExitingBlocks(Exits);
    return any_of(Exits, [&](const BasicBlock *Block) {
      const auto *Branch = dyn_cast<BranchInst>(Block->getTerminator());
      return Branch && Branch->isConditional() &&
             comesFrom(Places, Branch->getCondition(), *L, Layout);
    });
  };
  return !Places.empty() &&
         any_of(Analyses.getResult<LoopAnalysis>(Kernel).getLoopsInPreorder(),
                Polls);
}
