//===-- Work.cpp - what a kernel does beside its arrays -------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How much a kernel gains from faster arrays depends on what else it does. So
// the optimised IR is counted, each instruction as often as its block runs by
// the estimate of BlockWeights. Nobody can know these numbers at compile time;
// ratios inside one loop nest, which decide most, are good all the same.
//
// Units: one instruction of a thread.
//
// What the GPU does in many instructions (divisions, roots, transcendental
// functions) counts as many, by the length of the code that ptxas makes of it
// for sm_90, roughly. That SASS does in one instruction what the IR does in
// two (LOP3, IADD3, IMAD, LEA) is left out: beside 22 kernels of real programs
// under ncu the share of local memory came out further off with it, since it
// is counted too high itself, by words where nvcc loads four at once.
//
//===----------------------------------------------------------------------===//

#include "evidence/Work.h"
#include "evidence/BlockWeights.h"
#include "evidence/DeviceModule.h"
#include "evidence/Lanes.h"
#include "evidence/Waiting.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;

namespace bankstripe {
namespace {

/// Instructions that a load from constant memory costs at an address that
/// differs from lane to lane. Such loads are answered one address after the
/// other: on an H200 one of 32 random bytes of a table of 256 takes an SM about
/// 60 cycles, in which it could issue some 250 instructions (mochimo-md2 in
/// measurements/suite-profile.txt.xz: 47 warps with 7,000 of them each take
/// 20.4 million cycles).
constexpr double CostOfScatteredConstant = 250;

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

/// How many instructions of a thread the GPU needs for \p I, which accesses no
/// memory: 0 for what costs nothing or is part of another one, up to 30.
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

/// The same of a call of an intrinsic, or of a function that is not known.
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

/// Of an access that is a load, a store, or both.
void addWords(Words &To, double Number, const Instruction &Access) {
  if (!isa<StoreInst, MemIntrinsic>(Access))
    To.Loaded += Number;
  if (!isa<LoadInst>(Access))
    To.Stored += Number;
}

/// Counts the work of the functions of one module.
class WorkCounter {
public:
  WorkCounter(Module &M, const AllocaTracker &Tracker)
      : Layout(M.getDataLayout()), Tracker(Tracker), All(Builder),
        Analyses(All.Functions) {}

  /// Adds what F shows of the arrays in it.
  void addArrays(Function &F, MutableArrayRef<ArrayEvidence> Arrays);
  /// What F does, and what it calls.
  const KernelWork &workOf(Function &F, Trips Guess);
  bool polls(Function &F) { return pollsMemory(F, Analyses); }

private:
  /// What is known of a function that is counted.
  struct Context {
    Context(Function &F, FunctionAnalysisManager &Analyses,
            const AllocaTracker &Tracker, const DataLayout &Layout)
        : Weights(F, Analyses), Differs(F),
          Lanes(Layout, Differs,
                Analyses.getResult<ScalarEvolutionAnalysis>(F)),
          Survivors(Tracker.survivors(F)),
          Accesses(accessesTo(Survivors, Differs)) {
      for (const ResidentAlloca &R : Survivors)
        Findings.try_emplace(R.Alloca, R.FindingIndex);
      for (const ArrayAccess &A : Accesses)
        if (A.Differs)
          Divergent.insert(cast<Instruction>(A.Address->getUser()));
    }

    BlockWeights Weights;
    Divergence Differs; ///< From lane to lane.
    LaneDistances Lanes;
    SmallVector<ResidentAlloca> Survivors;
    SmallVector<ArrayAccess> Accesses;
    SmallDenseMap<const AllocaInst *, unsigned> Findings;
    SmallPtrSet<const Instruction *, 32> Divergent; ///< Accesses.
  };

  Context &contextOf(Function &F);
  /// Not where a recursion would go on: how deep it goes is not known.
  bool canCount(const Function *Callee, Trips Guess) const {
    if (!Callee || Callee->isDeclaration())
      return false;
    auto At = Known.find({Callee, Guess});
    return At == Known.end() || At->second;
  }
  void addAccess(const Value &Pointer, uint64_t Bytes, double Weight,
                 Context &Function, const Instruction &Access,
                 KernelWork &Work) const;
  static void addGlobal(const Value &Pointer, double Weight, Context &Function,
                        const Instruction &Access, KernelWork &Work);

  const DataLayout &Layout;
  const AllocaTracker &Tracker;
  DenseMap<const Function *, std::unique_ptr<Context>> Contexts;
  /// Nothing while it is being counted.
  std::map<std::pair<const Function *, Trips>, std::optional<KernelWork>> Known;
  PassBuilder Builder;
  IrAnalyses All;
  FunctionAnalysisManager &Analyses;
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
        addWords(Array.Uniform, Words, Access);
      else if (isOfCounters(Pointer))
        addWords(Array.Counted, Words, Access);
      else
        addWords(Array.NonUniform, Words, Access);
      return;
    }
  const Value &Object = Objects.size() == 1 ? *Objects.front() : Pointer;
  if (isArgumentInMemory(Object)) {
    Work.Instructions += Weight;
    return;
  }
  switch (Object.stripPointerCasts()->getType()->getPointerAddressSpace()) {
  case NVPTXAS::ADDRESS_SPACE_SHARED:
    Work.Shared += Words;
    return;
  case NVPTXAS::ADDRESS_SPACE_CONST:
    Work.Instructions +=
        Weight * (Function.Differs.of(Pointer) ? CostOfScatteredConstant : 1);
    return;
  case NVPTXAS::ADDRESS_SPACE_LOCAL:
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

WorkCounter::Context &WorkCounter::contextOf(Function &F) {
  std::unique_ptr<Context> &Known = Contexts[&F];
  if (!Known)
    Known = std::make_unique<Context>(F, Analyses, Tracker, Layout);
  return *Known;
}

void WorkCounter::addArrays(Function &F,
                            MutableArrayRef<ArrayEvidence> Arrays) {
  if (Tracker.survivors(F).empty())
    return;
  const Context &Known = contextOf(F);
  for (const ResidentAlloca &R : Known.Survivors) {
    ArrayEvidence &E = Arrays[R.FindingIndex];
    E.Where = Residency::LocalMemory;
    if (auto Size = R.Alloca->getAllocationSize(Layout))
      E.ResidentBytes = std::max(E.ResidentBytes, Size->getFixedValue());
  }
  for (const ArrayAccess &A : Known.Accesses)
    if (!hasConstantOffset(*A.Address->get(), Layout)) {
      ArrayEvidence &E = Arrays[A.FindingIndex];
      ++(A.Differs ? E.NonUniformAccesses : E.UniformAccesses);
    }
}

// What is called Times as often as its caller.
static void addCall(const KernelWork &Callee, double Times, KernelWork &To) {
  for (double KernelWork::*Part :
       {&KernelWork::Instructions, &KernelWork::DoubleOperations,
        &KernelWork::Global, &KernelWork::Rows, &KernelWork::Gathered,
        &KernelWork::Shared, &KernelWork::OtherLocal})
    To.*Part += Times * Callee.*Part;
  To.GuessedLoops += Callee.GuessedLoops;
  for (const auto &[Index, From] : Callee.Arrays)
    for (Words ArrayWork::*Part :
         {&ArrayWork::Uniform, &ArrayWork::NonUniform, &ArrayWork::Counted}) {
      Words &Into = To.Arrays[Index].*Part;
      Into.Loaded += Times * (From.*Part).Loaded;
      Into.Stored += Times * (From.*Part).Stored;
    }
}

const KernelWork &WorkCounter::workOf(Function &F, Trips Guess) {
  auto [At, New] = Known.try_emplace({&F, Guess});
  if (!New)
    return *At->second;
  Context &Caller = contextOf(F);
  KernelWork Work;
  Work.GuessedLoops = Caller.Weights.guessed();
  for (BasicBlock &Block : F) {
    const double Times = Caller.Weights.of(Block, Guess);
    auto Access = [&](const Value *Pointer, Type *Accessed, Instruction &I) {
      addAccess(*Pointer, Layout.getTypeStoreSize(Accessed), Times, Caller, I,
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
                  Caller, I, Work);
      } else if (auto *Call = dyn_cast<CallBase>(&I)) {
        if (Function *Callee = Call->getCalledFunction();
            canCount(Callee, Guess))
          addCall(workOf(*Callee, Guess), Times, Work);
        else
          addOperation(I, Times * costOfCall(*Call), Work);
      } else {
        addOperation(I, Times * costOf(I), Work);
      }
    }
  }
  return At->second.emplace(std::move(Work));
}

} // namespace

void readOptimized(Module &M, const AllocaTracker &Tracker,
                   UnitEvidence &Result) {
  WorkCounter Counter(M, Tracker);
  SmallVector<Function *> Functions; // There will be copies of some.
  for (Function &F : M)
    if (!F.isDeclaration())
      Functions.push_back(&F);
  for (Function *F : Functions) {
    Counter.addArrays(*F, Result.Arrays);
    if (F->getCallingConv() == CallingConv::PTX_Kernel) {
      const std::string Name = sourceName(*F).str();
      Result.Work[Name] = Counter.workOf(*F, Trips::Many);
      Result.ShortWork[Name] = Counter.workOf(*F, Trips::Few);
      Result.Work[Name].Polls = Counter.polls(*F);
    }
  }
  for (ArrayEvidence &E : Result.Arrays)
    if (E.NonUniformAccesses)
      E.Index = Uniformity::NonUniform;
    else if (E.UniformAccesses)
      E.Index = Uniformity::Uniform;
}

} // namespace bankstripe
