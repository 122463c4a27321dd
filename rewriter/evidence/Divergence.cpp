//===-- Divergence.cpp - what differs from lane to lane -------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's uniformity analysis spreads divergence from its sources through data
// flow, joins and loops. What the sources are is the target's business, and the
// NVPTX target takes every load from a generic pointer and the result of every
// call for divergent, so that `a[table[i]]` and `a[blockDim.x]` would both be
// non-uniform. WarpUniformity below names the sources that a warp has in fact:
//
//   threadIdx, the lane id, lane masks       different in each lane
//   blockIdx, blockDim, gridDim, ...         the same in a block
//   arguments of a kernel                    the same in the grid
//   arguments of a device function           unknown, taken for different
//   a load at one address                    as uniform as its address, since
//                                            the warp loads together
//   a load from a per-thread array           a different word in each lane
//   a load of a private object's member      as uniform as all that is stored
//   outside of its arrays                    there (see below)
//   volatile and atomic loads, atomics       each lane its own value
//   votes, warp reductions, a broadcast      one value for the lanes in it
//   intrinsics and libdevice functions       as uniform as their operands
//   that touch no memory
//   any other call, inline assembly          unknown, taken for different
//
// The address of an alloca counts as uniform: every lane finds its array at the
// same offset. An address is therefore divergent here just when some index,
// select condition or loop on the way from the alloca to the access is.
//
// An object with an array that stays in memory keeps its other members there,
// too: how full a buffer is, the top of a stack. An access at a variable index
// is taken to stay within the array that it begins in, and what is looked at is
// a copy of the function in which accesses at constant offsets have an object
// of their own. That one LLVM splits, and the members become values.
//
//===----------------------------------------------------------------------===//

#include "evidence/Divergence.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/TargetTransformInfoImpl.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include <optional>

using namespace llvm;

namespace bankstripe {
namespace {

/// Answers the one question that the uniformity analysis has for a target.
class WarpUniformity final : public TargetTransformInfoImplBase {
public:
  explicit WarpUniformity(const DataLayout &DL)
      : TargetTransformInfoImplBase(DL) {}

  bool hasBranchDivergence(const Function *) const override { return true; }
  InstructionUniformity getInstructionUniformity(const Value *V) const override;

private:
  static InstructionUniformity ofLoad(const LoadInst &Load);
  static InstructionUniformity ofCall(const CallBase &Call);
  static InstructionUniformity ofSpecialRegister(StringRef Register);
  static InstructionUniformity ofWarpIntrinsic(const CallBase &Call,
                                               StringRef Name);
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

InstructionUniformity WarpUniformity::ofLoad(const LoadInst &Load) {
  if (!Load.isSimple() ||
      Load.getPointerAddressSpace() == NVPTXAS::ADDRESS_SPACE_LOCAL)
    return InstructionUniformity::NeverUniform;
  // Through a pointer whose origin is not seen, such as one that was loaded
  // itself, the load cannot lead into a per-thread array at a uniform address:
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

} // namespace

static SmallVector<Use *> accessesTo(AllocaInst &Alloca) {
  SmallVector<Use *> Accesses;
  SmallVector<Value *> Pending{&Alloca};
  SmallPtrSet<const Value *, 16> Seen{&Alloca};
  while (!Pending.empty())
    for (Use &U : Pending.pop_back_val()->uses())
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

/// Uses of an address that are looked at; one with more counts as captured.
static constexpr unsigned MostUses = 1 << 14;

// Nothing if it is not constant.
static std::optional<uint64_t> offsetIn(const AllocaInst &Object,
                                        const Value &Pointer) {
  const DataLayout &Layout = Object.getDataLayout();
  APInt Offset(Layout.getIndexTypeSizeInBits(Pointer.getType()), 0);
  const Value *Base = Pointer.stripAndAccumulateConstantOffsets(
      Layout, Offset, /*AllowNonInbounds=*/true);
  if (Base != &Object || Offset.isNegative())
    return std::nullopt;
  return Offset.getZExtValue();
}

// Whether I reads no more than the member that begins at Offset, which is no
// part of an array.
static bool readsMember(const Instruction &I, const AllocaInst &Object,
                        uint64_t Offset) {
  const auto *Load = dyn_cast<LoadInst>(&I);
  if (!Load || !Load->isSimple())
    return false;
  const DataLayout &Layout = Object.getDataLayout();
  Type *Member = Object.getAllocatedType();
  APInt Rest(64, Offset);
  while (isa<StructType>(Member))
    if (!Layout.getGEPIndexForOffset(Member, Rest))
      return false;
  return Rest.isZero() && !Member->isAggregateType() && !Member->isVectorTy() &&
         TypeSize::isKnownLE(Layout.getTypeStoreSize(Load->getType()),
                             Layout.getTypeStoreSize(Member));
}

static bool writesKnownBytes(const Instruction &I) {
  const auto *Set = dyn_cast<MemSetInst>(&I);
  return isa<StoreInst>(I) || (Set && isa<ConstantInt>(Set->getLength()));
}

// Whether Access can change members of Object behind our back.
static bool mayChangeMembers(const Use &Access, const AllocaInst &Object) {
  const auto &I = *cast<Instruction>(Access.getUser());
  const bool IsInArray =
      isa<StoreInst>(I) && getUnderlyingObject(Access.get(), 0) == &Object;
  const auto *Call = dyn_cast<CallBase>(&I);
  const bool HandsBack =
      Call &&
      capturesAnything(Call->getCaptureInfo(Call->getDataOperandNo(&Access))
                           .getRetComponents());
  return HandsBack || (I.mayWriteToMemory() && !IsInArray);
}

// Gives the members of Object that are no arrays another object to be in, if
// all that may change them is known.
static void separateMembers(AllocaInst &Object) {
  if (PointerMayBeCaptured(&Object, /*ReturnCaptures=*/false, MostUses))
    return;
  SmallVector<std::pair<Use *, uint64_t>> OfMembers;
  for (Use *Access : accessesTo(Object)) {
    const auto &I = *cast<Instruction>(Access->getUser());
    const std::optional<uint64_t> Offset = offsetIn(Object, *Access->get());
    if (Offset && (writesKnownBytes(I) || readsMember(I, Object, *Offset)))
      OfMembers.emplace_back(Access, *Offset);
    else if (mayChangeMembers(*Access, Object))
      return;
  }
  IRBuilder<> Builder(&Object);
  AllocaInst *Members = Builder.CreateAlloca(Object.getAllocatedType());
  Members->setAlignment(Object.getAlign());
  for (auto [Access, Offset] : OfMembers) {
    auto *I = cast<Instruction>(Access->getUser());
    Builder.SetInsertPoint(I);
    Instruction *Again = Builder.Insert(I->clone());
    Builder.SetInsertPoint(Again);
    Again->setOperand(Access->getOperandNo(),
                      Builder.CreatePtrAdd(Members, Builder.getInt64(Offset)));
    I->replaceAllUsesWith(Again);
  }
}

static SmallVector<AllocaInst *> objectsIn(Function &F) {
  SmallVector<AllocaInst *> Objects;
  for (Instruction &I : instructions(F))
    if (auto *Object = dyn_cast<AllocaInst>(&I);
        Object && isa<StructType>(Object->getAllocatedType()) &&
        !Object->isArrayAllocation())
      Objects.push_back(Object);
  return Objects;
}

struct Divergence::Analyses {
  Analyses();
  ~Analyses() {
    if (Copy)
      Copy->eraseFromParent();
  }
  /// What stands for \p V in the function that is looked at.
  const Value &copyOf(const Value &V) const {
    const Value *Copied = Copies.lookup(&V);
    // NOLINTNEXTLINE(bugprone-return-const-ref-from-parameter): outlives this.
    return Copied ? *Copied : V;
  }

  FunctionAnalysisManager Manager;
  Function *Copy = nullptr; ///< Where members are values, if there are any.
  ValueToValueMapTy Copies;
  UniformityInfo *Uniform = nullptr;
};

// What the uniformity analysis asks for, with a warp as the target.
Divergence::Analyses::Analyses() {
  Manager.registerPass([] { return PassInstrumentationAnalysis(); });
  Manager.registerPass([] { return AssumptionAnalysis(); });
  Manager.registerPass([] { return DominatorTreeAnalysis(); });
  Manager.registerPass([] { return CycleAnalysis(); });
  Manager.registerPass([] { return UniformityInfoAnalysis(); });
  Manager.registerPass([] {
    return TargetIRAnalysis([](const Function &F) {
      return TargetTransformInfo(
          std::make_unique<WarpUniformity>(F.getParent()->getDataLayout()));
    });
  });
}

Divergence::Divergence(Function &F) : Found(std::make_unique<Analyses>()) {
  Function *Seen = &F;
  if (!objectsIn(F).empty()) {
    Seen = Found->Copy = CloneFunction(&F, Found->Copies);
    for (AllocaInst *Object : objectsIn(*Seen))
      separateMembers(*Object);
    Found->Manager.invalidate(
        *Seen, SROAPass(SROAOptions::PreserveCFG).run(*Seen, Found->Manager));
  }
  Found->Uniform = &Found->Manager.getResult<UniformityInfoAnalysis>(*Seen);
}

Divergence::~Divergence() = default;

bool Divergence::of(const Value &V) const {
  return Found->Uniform->isDivergent(&Found->copyOf(V));
}

bool Divergence::of(const Use &U) const {
  const auto &I = *cast<Instruction>(U.getUser());
  // Of a load of a member what was stored is left, perhaps another load.
  if (hasConstantOffset(*U.get(), I.getDataLayout()))
    return false;
  // It is the constructor that sets it, which the analyzer overlooks.
  // NOLINTNEXTLINE(clang-analyzer-core.FixedAddressDereference)
  const Value &Copied = Found->copyOf(I);
  return Copied.getValueID() == I.getValueID() &&
         Found->Uniform->isDivergentUse(
             cast<Instruction>(Copied).getOperandUse(U.getOperandNo()));
}

SmallVector<ArrayAccess> accessesTo(ArrayRef<ResidentAlloca> Allocas,
                                    const Divergence &Divergent) {
  DenseSet<std::pair<unsigned, const Use *>> Seen;
  SmallVector<ArrayAccess> Result;
  for (const ResidentAlloca &R : Allocas)
    for (const Use *Address : accessesTo(*R.Alloca))
      if (Seen.insert({R.FindingIndex, Address}).second)
        Result.push_back({Address, R.FindingIndex, Divergent.of(*Address)});
  return Result;
}

} // namespace bankstripe
