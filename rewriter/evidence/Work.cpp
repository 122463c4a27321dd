//===-- Work.cpp - what a kernel does beside its arrays -------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How much a kernel gains from faster arrays depends on what else it does. So
// the optimised IR is counted, each instruction as often as its loops run: the
// constant trip count where scalar evolution knows one, else a guess, and half
// as often where a loop does not need to come by. Nobody can know these
// numbers at compile time; ratios inside one loop nest, which decide most, are
// good all the same.
//
// Units: one instruction of a thread. What the GPU does in many (divisions,
// roots, transcendental functions) counts as many, by the length of the code
// that ptxas makes of it for sm_90, roughly.
//
//===----------------------------------------------------------------------===//

#include "evidence/Work.h"
#include "evidence/Lanes.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Passes/PassBuilder.h"

using namespace llvm;

namespace bankstripe {
namespace {

/// Of a loop whose trip count nobody knows; at least as many as the longest
/// known loop of its function has, which often only prepares for it.
constexpr double UnknownTrips = 100;
/// Of the same if it is short.
constexpr double ShortTrips = 10;
/// More would only say that the loop is all that matters.
constexpr double MostTrips = 1e9;

constexpr unsigned SharedAddressSpace = 3;
constexpr unsigned ConstantAddressSpace = 4;
constexpr unsigned LocalAddressSpace = 5;

/// What the GPU makes of one instruction that accesses no memory.
double costOf(const Instruction &I) {
  const bool Double = I.getType()->getScalarType()->isDoubleTy();
  switch (I.getOpcode()) {
  case Instruction::PHI:
  case Instruction::BitCast:
  case Instruction::AddrSpaceCast:
  case Instruction::Freeze:
  case Instruction::ExtractElement:
  case Instruction::InsertElement:
  case Instruction::ExtractValue:
  case Instruction::InsertValue:
  case Instruction::Alloca:
  case Instruction::Unreachable:
    return 0;
  case Instruction::GetElementPtr:
    return cast<GetElementPtrInst>(I).hasAllConstantIndices() ? 0 : 2;
  case Instruction::FDiv:
  case Instruction::FRem:
    return Double ? 30 : 10;
  case Instruction::UDiv:
  case Instruction::SDiv:
  case Instruction::URem:
  case Instruction::SRem:
    return isa<Constant>(I.getOperand(1)) ? 5 : 25;
  default:
    return 1;
  }
}

double costOfCall(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  if (!Callee)
    return 20;
  if (!Callee->isIntrinsic())
    return 20;
  if (isa<DbgInfoIntrinsic>(Call) || Call.isLifetimeStartOrEnd() ||
      Call.isDroppable())
    return 0;
  const StringRef Name = Callee->getName();
  const bool Double = Call.getType()->getScalarType()->isDoubleTy();
  for (StringRef Long : {"sqrt", "sin", "cos", "exp", "lg2", "ex2", "log",
                         "pow", "div", "rcp", "rsqrt"})
    if (Name.contains(Long))
      return Double ? 20 : 4;
  return 1;
}

/// How often each block of a function runs when the function does once.
class BlockWeights {
public:
  BlockWeights(Function &F, FunctionAnalysisManager &Analyses, Trips Guess)
      : Loops(Analyses.getResult<LoopAnalysis>(F)),
        Dominators(Analyses.getResult<DominatorTreeAnalysis>(F)),
        Evolution(Analyses.getResult<ScalarEvolutionAnalysis>(F)) {
    if (Guess == Trips::Few) {
      Unknown = ShortTrips;
      return;
    }
    for (const Loop *L : Loops.getLoopsInPreorder())
      Unknown =
          std::max<double>(Unknown, Evolution.getSmallConstantTripCount(L));
  }

  double of(const BasicBlock &Block) const {
    double Weight = 1;
    const BasicBlock *Inner = &Block;
    for (const Loop *L = Loops.getLoopFor(&Block); L; L = L->getParentLoop()) {
      Weight *= tripsOf(*L);
      const BasicBlock *Latch = L->getLoopLatch();
      if (Latch && !Dominators.dominates(Inner, Latch))
        Weight /= 2;
      Inner = L->getHeader();
    }
    return std::min(Weight, MostTrips);
  }
  /// The loops whose trips are a guess.
  unsigned guessed() const {
    return count_if(Loops.getLoopsInPreorder(), [&](const Loop *L) {
      return !Evolution.getSmallConstantTripCount(L);
    });
  }

private:
  double tripsOf(const Loop &L) const {
    if (unsigned Exact = Evolution.getSmallConstantTripCount(&L))
      return Exact;
    if (unsigned Most = Evolution.getSmallConstantMaxTripCount(&L))
      return std::max(1.0, std::min<double>(Unknown, Most));
    return Unknown;
  }

  const LoopInfo &Loops;
  const DominatorTree &Dominators;
  ScalarEvolution &Evolution;
  double Unknown = UnknownTrips;
};

bool isLaneNumber(const Instruction &I) {
  const auto *Call = dyn_cast<CallBase>(&I);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return Callee && (Callee->getName().contains("sreg.tid") ||
                    Callee->getName().contains("sreg.laneid"));
}

/// Arguments of class types lie in memory that is as fast as constants.
bool isArgumentInMemory(const Value &Object) {
  const auto *A = dyn_cast<Argument>(&Object);
  return A && A->hasByValAttr();
}

/// Whether an address is computed from counters alone, and not from data or
/// from the lane's number.
bool isOfCounters(const Value &Pointer) {
  SmallVector<const Value *> Pending{&Pointer};
  SmallPtrSet<const Value *, 32> Seen;
  while (!Pending.empty() && Seen.size() < 64) {
    const auto *I = dyn_cast<Instruction>(Pending.pop_back_val());
    if (!I || !Seen.insert(I).second)
      continue;
    if (const auto *Load = dyn_cast<LoadInst>(I)) {
      if (isArgumentInMemory(*getUnderlyingObject(Load->getPointerOperand())))
        continue;
      return false;
    }
    if (isLaneNumber(*I))
      return false;
    if (!isa<CallBase>(I))
      append_range(Pending, I->operand_values());
  }
  return Pending.empty();
}

/// Counts the work of the functions of one module.
class WorkCounter {
public:
  WorkCounter(Module &M, const AllocaTracker &Tracker, Trips Guess)
      : Layout(M.getDataLayout()), Tracker(Tracker), Guess(Guess) {
    Builder.registerModuleAnalyses(Modules);
    Builder.registerCGSCCAnalyses(Components);
    Builder.registerFunctionAnalyses(Analyses);
    Builder.registerLoopAnalyses(LoopAnalyses);
    Builder.crossRegisterProxies(LoopAnalyses, Analyses, Components, Modules);
  }

  void add(Function &F, double Weight, KernelWork &Work, unsigned Depth = 0);

private:
  /// What is known of the function that is counted.
  struct Context {
    Context(const Divergence &Divergent, ArrayRef<ResidentAlloca> Survivors,
            LaneDistances Lanes)
        : Divergent(divergentAccesses(Divergent, Survivors)),
          Lanes(std::move(Lanes)) {
      for (const ResidentAlloca &R : Survivors)
        Findings.try_emplace(R.Alloca, R.FindingIndex);
    }

    SmallDenseMap<const AllocaInst *, unsigned> Findings;
    SmallPtrSet<const Instruction *, 32> Divergent; ///< Accesses.
    LaneDistances Lanes;
  };

  void addAccess(const Value &Pointer, uint64_t Bytes, double Weight,
                 Context &Function, const Instruction &Access,
                 KernelWork &Work) const;
  static void addGlobal(const Value &Pointer, double Weight, Context &Function,
                        const Instruction &Access, KernelWork &Work);

  const DataLayout &Layout;
  const AllocaTracker &Tracker;
  const Trips Guess;
  PassBuilder Builder;
  LoopAnalysisManager LoopAnalyses;
  FunctionAnalysisManager Analyses;
  CGSCCAnalysisManager Components;
  ModuleAnalysisManager Modules;
};

void WorkCounter::addGlobal(const Value &Pointer, double Weight,
                            Context &Function, const Instruction &Access,
                            KernelWork &Work) {
  if (isa<StoreInst>(Access)) {
    Work.Instructions += Weight; // Nobody waits for it.
    return;
  }
  switch (Function.Lanes.of(Pointer)) {
  case LaneDistance::Near:
    Work.Global += Weight;
    return;
  case LaneDistance::Far:
    Work.Rows += Weight;
    return;
  case LaneDistance::Unknown:
    Work.Gathered += Weight;
    return;
  }
}

void WorkCounter::addAccess(const Value &Pointer, uint64_t Bytes, double Weight,
                            Context &Function, const Instruction &Access,
                            KernelWork &Work) const {
  // One word of a lane at a time.
  const double Words = Weight * double(std::max<uint64_t>(1, Bytes / 4));
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(&Pointer, Objects, nullptr, /*MaxLookup=*/0);
  for (const Value *Object : Objects)
    if (const auto *Alloca =
            dyn_cast<AllocaInst>(Object->stripPointerCasts())) {
      auto Found = Function.Findings.find(Alloca);
      if (Found == Function.Findings.end()) {
        Work.OtherLocal += Words;
        return;
      }
      ArrayWork &Array = Work.Arrays[Found->second];
      if (!Function.Divergent.contains(&Access))
        Array.Uniform += Words;
      else if (isOfCounters(Pointer))
        Array.Counted += Words;
      else
        Array.NonUniform += Words;
      return;
    }
  const Value &Object = Objects.size() == 1 ? *Objects.front() : Pointer;
  if (isArgumentInMemory(Object)) {
    Work.Instructions += Weight;
    return;
  }
  switch (Object.stripPointerCasts()->getType()->getPointerAddressSpace()) {
  case SharedAddressSpace:
    Work.Shared += Words;
    return;
  case ConstantAddressSpace:
    Work.Instructions += Weight;
    return;
  case LocalAddressSpace:
    Work.OtherLocal += Words;
    return;
  default:
    addGlobal(Pointer, Weight, Function, Access, Work);
    return;
  }
}

// Arithmetic on doubles has units of its own.
void addOperation(const Instruction &I, double Cost, KernelWork &Work) {
  const bool Double = I.getType()->getScalarType()->isDoubleTy();
  (Double ? Work.DoubleOperations : Work.Instructions) += Cost;
}

void WorkCounter::add(Function &F, double Weight, KernelWork &Work,
                      unsigned Depth) {
  const BlockWeights Weights(F, Analyses, Guess);
  Work.GuessedLoops += Weights.guessed();
  const Divergence Divergent(F);
  const SmallVector<ResidentAlloca> Survivors = Tracker.survivors(F);
  Context Known(Divergent, Survivors,
                LaneDistances(Layout, Divergent,
                              Analyses.getResult<ScalarEvolutionAnalysis>(F)));

  for (BasicBlock &Block : F) {
    const double Times = Weight * Weights.of(Block);
    auto Access = [&](const Value *Pointer, Type *Accessed, Instruction &I) {
      addAccess(*Pointer, Layout.getTypeStoreSize(Accessed), Times, Known, I,
                Work);
    };
    for (Instruction &I : Block) {
      if (auto *Load = dyn_cast<LoadInst>(&I)) {
        Access(Load->getPointerOperand(), Load->getType(), I);
      } else if (auto *Store = dyn_cast<StoreInst>(&I)) {
        Access(Store->getPointerOperand(), Store->getValueOperand()->getType(),
               I);
      } else if (auto *Atomic = dyn_cast<AtomicRMWInst>(&I)) {
        Access(Atomic->getPointerOperand(), Atomic->getType(), I);
      } else if (auto *Fill = dyn_cast<MemIntrinsic>(&I)) {
        const auto *Length = dyn_cast<ConstantInt>(Fill->getLength());
        addAccess(*Fill->getDest(), Length ? Length->getZExtValue() : 64, Times,
                  Known, I, Work);
      } else if (auto *Call = dyn_cast<CallBase>(&I)) {
        Function *Callee = Call->getCalledFunction();
        if (Callee && !Callee->isDeclaration() && Depth < 8)
          add(*Callee, Times, Work, Depth + 1);
        else
          addOperation(I, Times * costOfCall(*Call), Work);
      } else {
        addOperation(I, Times * costOf(I), Work);
      }
    }
  }
}

} // namespace

std::map<std::string, KernelWork>
countWork(Module &M, const AllocaTracker &Tracker, Trips Guess) {
  std::map<std::string, KernelWork> Result;
  WorkCounter Counter(M, Tracker, Guess);
  for (Function &F : M)
    if (!F.isDeclaration() && F.getCallingConv() == CallingConv::PTX_Kernel)
      Counter.add(F, 1, Result[F.getName().str()]);
  return Result;
}

} // namespace bankstripe
