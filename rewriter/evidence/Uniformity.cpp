//===-- Uniformity.cpp - are a private array's indices uniform ------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What makes an index uniform
// ---------------------------
// LLVM's uniformity analysis spreads divergence from its sources through data
// flow, through the joins after a divergent branch, and out of loops that the
// lanes leave at different times. That part is taken as it is. What the sources
// are is the target's business, and there the NVPTX target does not serve:
// written for other clients, it takes every load from a generic pointer and
// the result of every call for divergent. Pointers that a kernel gets are
// generic until code generation, and `blockDim.x` and `max(i, j)` are calls in
// the IR. By that measure `a[table[i]]`, `a[max(i, 0)]` and `a[blockDim.x]` are
// all non-uniform, although a warp asks for one element in each.
//
// WarpUniformity below names the sources that a warp has in fact:
//
//   threadIdx, the lane id, lane masks       different in each lane
//   blockIdx, blockDim, gridDim, ...         the same in a block
//   arguments of a kernel                    the same in the grid
//   arguments of a device function           unknown, taken for different
//   a load at one address                    one word, given to all lanes that
//                                            load together, so it is as uniform
//                                            as its address; for memory
//                                            that the kernel writes this rests
//                                            on the warp loading together, the
//                                            premise of the whole analysis
//   a load from a private array              a different word in each lane,
//                                            whatever the address
//   a load of a private object's member      as uniform as all that is stored
//   outside of its arrays                    there (evidence/Members.h)
//   volatile and atomic loads, atomics       each lane its own value
//   votes, warp reductions, a broadcast      one value for the lanes in it
//   intrinsics and libdevice functions       as uniform as their operands
//   that touch no memory
//   any other call, inline assembly          unknown, taken for different
//
// The address of an alloca counts as uniform: it differs from lane to lane in
// hardware, but every lane finds its array at the same offset, and what asks
// for attention is only whether the lanes add the same index to it. An address
// is therefore divergent here just when some index, select condition or loop on
// the way from the alloca to the access is.
//
// Members that stay in memory
// ---------------------------
// A counter is stored with a value that was computed from its own load, so what
// is stored is known only if what is loaded is. It is found as LLVM's analysis
// finds phis: all members are taken for uniform at first. If one is stored with
// a divergent value, or by some lanes and not by others that load it later, it
// was not, and all is done again without it.
//
//===----------------------------------------------------------------------===//

#include "evidence/Uniformity.h"

#include "evidence/Members.h"
#include "model/Evidence.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/TargetTransformInfoImpl.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/PatternMatch.h"
#include <map>

using namespace llvm;

namespace bankstripe {
namespace {

/// Answers the one question that the uniformity analysis has for a target.
class WarpUniformity final : public TargetTransformInfoImplBase {
public:
  using Loads = SmallPtrSet<const LoadInst *, 16>;

  /// \p Uniform are of members that are the same in all lanes.
  WarpUniformity(const DataLayout &DL, const Loads &Uniform)
      : TargetTransformInfoImplBase(DL), Uniform(Uniform) {}

  bool hasBranchDivergence(const Function *) const override { return true; }
  InstructionUniformity getInstructionUniformity(const Value *V) const override;

private:
  InstructionUniformity ofLoad(const LoadInst &Load) const;
  static InstructionUniformity ofCall(const CallBase &Call);
  static InstructionUniformity ofSpecialRegister(StringRef Register);
  static InstructionUniformity ofWarpIntrinsic(const CallBase &Call,
                                               StringRef Name);

  const Loads &Uniform;
};

InstructionUniformity
WarpUniformity::getInstructionUniformity(const Value *V) const {
  if (const auto *Arg = dyn_cast<Argument>(V))
    return Arg->getParent()->getCallingConv() == CallingConv::PTX_Kernel
               ? InstructionUniformity::Default
               : InstructionUniformity::NeverUniform;
  if (const auto *Load = dyn_cast<LoadInst>(V))
    return ofLoad(*Load);
  if (const auto *Call = dyn_cast<CallBase>(V))
    return ofCall(*Call);
  const auto *I = dyn_cast<Instruction>(V);
  return I && I->isAtomic() ? InstructionUniformity::NeverUniform
                            : InstructionUniformity::Default;
}

InstructionUniformity WarpUniformity::ofLoad(const LoadInst &Load) const {
  constexpr unsigned LocalAddressSpace = 5;
  if (Uniform.contains(&Load))
    return InstructionUniformity::Default;
  if (!Load.isSimple() || Load.getPointerAddressSpace() == LocalAddressSpace)
    return InstructionUniformity::NeverUniform;
  // Through a pointer whose origin is not seen, such as one that was loaded
  // itself, the load cannot lead into a private array at a uniform address:
  // the pointer would have been kept in memory as a per-lane value.
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(Load.getPointerOperand(), Objects, nullptr,
                       /*MaxLookup=*/0);
  bool Private = any_of(Objects, [](const Value *O) {
    return isa<AllocaInst>(O->stripPointerCasts());
  });
  return Private ? InstructionUniformity::NeverUniform
                 : InstructionUniformity::Default;
}

InstructionUniformity WarpUniformity::ofSpecialRegister(StringRef Register) {
  bool PerLane = Register.starts_with("tid.") || Register == "laneid" ||
                 Register.starts_with("lanemask.") ||
                 Register.starts_with("clock") ||
                 Register.starts_with("globaltimer");
  return PerLane ? InstructionUniformity::NeverUniform
                 : InstructionUniformity::AlwaysUniform;
}

InstructionUniformity WarpUniformity::ofWarpIntrinsic(const CallBase &Call,
                                                      StringRef Name) {
  if (Name.starts_with("vote.") || Name.starts_with("redux.sync.") ||
      Name.starts_with("match.all.") || Name.starts_with("activemask") ||
      Name.starts_with("barrier.cta.red"))
    return InstructionUniformity::AlwaysUniform;
  // A broadcast: every lane of a whole warp (clamp 31) reads one given lane.
  if (Name.consume_front("shfl.")) {
    Name.consume_front("sync.");
    unsigned Count = Call.arg_size();
    bool Broadcast = Name.starts_with("idx.") && Count >= 2 &&
                     isa<ConstantInt>(Call.getArgOperand(Count - 2)) &&
                     PatternMatch::match(Call.getArgOperand(Count - 1),
                                         PatternMatch::m_SpecificInt(31));
    return Broadcast ? InstructionUniformity::AlwaysUniform
                     : InstructionUniformity::NeverUniform;
  }
  // Cached reads of global memory are loads; conversions, arithmetic and
  // address queries are functions of their operands.
  bool CachedLoad = Name.starts_with("ldg.") || Name.starts_with("ldu.");
  bool Pure = Call.doesNotAccessMemory() && !Call.isConvergent();
  return CachedLoad || Pure ? InstructionUniformity::Default
                            : InstructionUniformity::NeverUniform;
}

InstructionUniformity WarpUniformity::ofCall(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  if (!Callee || Call.isInlineAsm())
    return InstructionUniformity::NeverUniform;
  StringRef Name = Callee->getName();
  if (Name.consume_front("llvm.nvvm.read.ptx.sreg."))
    return ofSpecialRegister(Name);
  if (Name.consume_front("llvm.nvvm."))
    return ofWarpIntrinsic(Call, Name);
  bool OfOperandsAlone = Callee->isIntrinsic() || Name.starts_with("__nv_");
  return OfOperandsAlone && Call.doesNotAccessMemory()
             ? InstructionUniformity::Default
             : InstructionUniformity::NeverUniform;
}

/// Whether \p User hands the pointer on instead of accessing memory with it.
bool passesPointerOn(const User &User) {
  if (const auto *Call = dyn_cast<IntrinsicInst>(&User))
    return Call->getIntrinsicID() == Intrinsic::launder_invariant_group ||
           Call->getIntrinsicID() == Intrinsic::strip_invariant_group;
  return isa<GEPOperator, BitCastInst, AddrSpaceCastInst, PHINode, SelectInst,
             FreezeInst>(User);
}

/// Whether \p U is an address that memory is accessed with, here or in a
/// function that is called with it.
bool isAccess(const Use &U) {
  const User *User = U.getUser();
  if (isa<LoadInst>(User))
    return true;
  if (isa<StoreInst>(User))
    return U.getOperandNo() == StoreInst::getPointerOperandIndex();
  if (isa<AtomicRMWInst>(User))
    return U.getOperandNo() == AtomicRMWInst::getPointerOperandIndex();
  if (isa<AtomicCmpXchgInst>(User))
    return U.getOperandNo() == AtomicCmpXchgInst::getPointerOperandIndex();
  const auto *Call = dyn_cast<CallBase>(User);
  return Call && Call->isArgOperand(&U) && !Call->isDroppable() &&
         !Call->isLifetimeStartOrEnd();
}

/// What the uniformity analysis asks for, with a warp as the target.
void registerAnalyses(FunctionAnalysisManager &Analyses,
                      const WarpUniformity::Loads &Uniform) {
  Analyses.registerPass([] { return PassInstrumentationAnalysis(); });
  Analyses.registerPass([] { return DominatorTreeAnalysis(); });
  Analyses.registerPass([] { return PostDominatorTreeAnalysis(); });
  Analyses.registerPass([] { return CycleAnalysis(); });
  Analyses.registerPass([] { return UniformityInfoAnalysis(); });
  Analyses.registerPass([&Uniform] {
    return TargetIRAnalysis([&Uniform](const Function &F) {
      return TargetTransformInfo(std::make_unique<WarpUniformity>(
          F.getParent()->getDataLayout(), Uniform));
    });
  });
}

} // namespace

SmallVector<const Use *> accessesTo(const AllocaInst &Alloca) {
  SmallVector<const Use *> Accesses;
  SmallVector<const Value *> Pending{&Alloca};
  SmallPtrSet<const Value *, 16> Seen{&Alloca};
  while (!Pending.empty())
    for (const Use &U : Pending.pop_back_val()->uses())
      if (passesPointerOn(*U.getUser())) {
        if (Seen.insert(U.getUser()).second)
          Pending.push_back(U.getUser());
      } else if (isAccess(U)) {
        Accesses.push_back(&U);
      }
  return Accesses;
}

bool hasConstantOffset(const Value &Pointer, const DataLayout &DL) {
  APInt Offset(DL.getIndexTypeSizeInBits(Pointer.getType()), 0);
  return isa<AllocaInst>(Pointer.stripAndAccumulateConstantOffsets(
      DL, Offset, /*AllowNonInbounds=*/true));
}

struct Divergence::Analyses {
  FunctionAnalysisManager Manager;
  UniformityInfo *Uniform = nullptr;
  WarpUniformity::Loads UniformMembers; ///< Found, or assumed so far.

  void run(Function &F);
  bool isUniform(const Member &M, Function &F);
};

void Divergence::Analyses::run(Function &F) {
  // The function stays as it is; only what is known of its members changes.
  auto Kept = PreservedAnalyses::all();
  Kept.abandon<UniformityInfoAnalysis>();
  Manager.invalidate(F, Kept);
  Uniform = &Manager.getResult<UniformityInfoAnalysis>(F);
}

bool Divergence::Analyses::isUniform(const Member &M, Function &F) {
  auto &After = Manager.getResult<PostDominatorTreeAnalysis>(F);
  auto LanesPart = [&](const BasicBlock &Block) {
    return Uniform->hasDivergentTerminator(Block);
  };
  return none_of(M.Writers, [&](const Instruction *Writer) {
    // What is written, and where. As uses: behind a loop that lanes leave one
    // by one, its values differ.
    return any_of(Writer->operands(),
                  [&](const Use &U) { return Uniform->isDivergentUse(U); }) ||
           lanesDisagreeAbout(*Writer, M, LanesPart, After);
  });
}

Divergence::Divergence(Function &F) : Found(std::make_unique<Analyses>()) {
  registerAnalyses(Found->Manager, Found->UniformMembers);
  SmallVector<Member> Members = membersOf(F);
  for (const Member &M : Members)
    Found->UniformMembers.insert_range(M.Loads);
  // Each round but the last drops a member.
  for (bool Changed = true; Changed;) {
    Found->run(F);
    Changed = false;
    erase_if(Members, [&](const Member &M) {
      if (Found->isUniform(M, F))
        return false;
      for (const LoadInst *Load : M.Loads)
        Found->UniformMembers.erase(Load);
      return Changed = true;
    });
  }
}

Divergence::~Divergence() = default;

bool Divergence::of(const Value &V) const {
  return Found->Uniform->isDivergent(&V);
}

bool Divergence::of(const Use &U) const {
  return Found->Uniform->isDivergentUse(U);
}

void countAccesses(Function &F, ArrayRef<ResidentAlloca> Allocas,
                   MutableArrayRef<ArrayEvidence> Arrays) {
  const DataLayout &DL = F.getParent()->getDataLayout();
  const Divergence Divergent(F);
  std::map<unsigned, SmallPtrSet<const Use *, 32>> Counted;
  for (const ResidentAlloca &R : Allocas)
    for (const Use *Access : accessesTo(*R.Alloca)) {
      if (hasConstantOffset(*Access->get(), DL) ||
          !Counted[R.FindingIndex].insert(Access).second)
        continue;
      ArrayEvidence &Evidence = Arrays[R.FindingIndex];
      ++(Divergent.of(*Access) ? Evidence.NonUniformAccesses
                               : Evidence.UniformAccesses);
    }
}

SmallPtrSet<const Instruction *, 32>
divergentAccesses(const Divergence &Divergent,
                  ArrayRef<ResidentAlloca> Allocas) {
  SmallPtrSet<const Instruction *, 32> Result;
  for (const ResidentAlloca &R : Allocas)
    for (const Use *Access : accessesTo(*R.Alloca))
      if (Divergent.of(*Access))
        Result.insert(cast<Instruction>(Access->getUser()));
  return Result;
}

} // namespace bankstripe
