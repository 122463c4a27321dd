//===-- Divergence.cpp - what differs from lane to lane -------------------===//
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
//   a load from a per-thread array              a different word in each lane,
//                                            whatever the address
//   a load of a private object's member      as uniform as all that is stored
//   outside of its arrays                    there (see below)
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
// An object with an array that stays in memory keeps its other members there,
// too: how full a buffer is, the top of a stack beside its items. No optimiser
// splits such an object, since an index that is too large would reach them. No
// correct program has one, and what is asked here decides about speed alone. So
// an access at a variable index is taken to stay within the array that it
// begins in, and a member outside of all arrays to hold what was stored there.
//
// A counter is stored with a value that was computed from its own load, so what
// is stored is known only if what is loaded is. It is found as LLVM's analysis
// finds phis: all members are taken for uniform at first. If one is stored with
// a divergent value, or by some lanes and not by others that load it later, it
// was not, and all is done again without it.
//
//===----------------------------------------------------------------------===//

#include "evidence/Divergence.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/Analysis/IteratedDominanceFrontier.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/TargetTransformInfoImpl.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/NVPTXAddrSpace.h"
#include <iterator>
#include <limits>
#include <map>
#include <optional>

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
  if (Uniform.contains(&Load))
    return InstructionUniformity::Default;
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

static SmallVector<const Use *> accessesTo(const AllocaInst &Alloca) {
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

namespace {

/// A scalar member of a private object, outside of its arrays.
struct Member {
  SmallVector<const LoadInst *> Loads; ///< At least one.
  /// All that may change it: stores of it, calls of memset.
  SmallVector<const Instruction *> Writers;
};

/// Uses of an address that are looked at; one with more counts as captured.
constexpr unsigned MostUses = 1 << 14;

/// A part of an object, in bytes from its beginning.
struct Extent {
  uint64_t Begin = 0;
  uint64_t End = std::numeric_limits<uint64_t>::max();

  bool overlaps(const Extent &Other) const {
    return Begin < Other.End && Other.Begin < End;
  }
};

/// What may change which part of an object.
struct Writing {
  Extent Where;
  const Instruction *By = nullptr;
};

/// Reads the uses of one object.
class ObjectReader {
public:
  explicit ObjectReader(const AllocaInst &Object)
      : Object(Object), Layout(Object.getDataLayout()) {}

  void append(SmallVectorImpl<Member> &Members);

private:
  void add(const Use &Access);
  std::optional<Extent> scalarAt(uint64_t Offset) const;
  std::optional<uint64_t> offsetOf(const Value &Pointer) const;

  const AllocaInst &Object;
  const DataLayout &Layout;
  std::map<uint64_t, SmallVector<const LoadInst *>> Loads; ///< By offset.
  SmallVector<Writing> Writings;
};

} // namespace

// Nothing if it is not constant.
std::optional<uint64_t> ObjectReader::offsetOf(const Value &Pointer) const {
  APInt Offset(Layout.getIndexTypeSizeInBits(Pointer.getType()), 0);
  const Value *Base = Pointer.stripAndAccumulateConstantOffsets(
      Layout, Offset, /*AllowNonInbounds=*/true);
  if (Base != &Object || Offset.isNegative())
    return std::nullopt;
  return Offset.getZExtValue();
}

// The member that begins at Offset, if it is no part of an array.
std::optional<Extent> ObjectReader::scalarAt(uint64_t Offset) const {
  Type *Type = Object.getAllocatedType();
  uint64_t Begin = 0;
  while (auto *Class = dyn_cast<StructType>(Type)) {
    if (Offset - Begin >= Layout.getTypeAllocSize(Class))
      return std::nullopt;
    const StructLayout &Members = *Layout.getStructLayout(Class);
    const unsigned Number = Members.getElementContainingOffset(Offset - Begin);
    Begin += Members.getElementOffset(Number);
    Type = Class->getElementType(Number);
  }
  if (Begin != Offset || Type->isAggregateType() || Type->isVectorTy())
    return std::nullopt;
  return Extent{Begin, Begin + Layout.getTypeStoreSize(Type).getFixedValue()};
}

// How many bytes it writes there. A call may write anywhere.
static std::optional<uint64_t> bytesWritten(const Instruction &I,
                                            const DataLayout &Layout) {
  if (isa<StoreInst>(I))
    return Layout.getTypeStoreSize(getLoadStoreType(&I)).getFixedValue();
  const auto *Set = dyn_cast<MemSetInst>(&I);
  const auto *Length = Set ? dyn_cast<ConstantInt>(Set->getLength()) : nullptr;
  if (!Length)
    return std::nullopt;
  return Length->getZExtValue();
}

// Whether a call may return the address, and then anything is done with it.
static bool handsBack(const Use &Access) {
  const auto *Call = dyn_cast<CallBase>(Access.getUser());
  return Call &&
         capturesAnything(Call->getCaptureInfo(Call->getDataOperandNo(&Access))
                              .getRetComponents());
}

void ObjectReader::add(const Use &Access) {
  const auto &I = *cast<Instruction>(Access.getUser());
  const std::optional<uint64_t> Offset = offsetOf(*Access.get());
  if (const auto *Load = dyn_cast<LoadInst>(&I)) {
    if (Offset && Load->isSimple())
      Loads[*Offset].push_back(Load);
    return;
  }
  const bool IsInArray = !Offset && isa<StoreInst>(I) &&
                         getUnderlyingObject(Access.get(), 0) == &Object;
  if (IsInArray || (!I.mayWriteToMemory() && !handsBack(Access)))
    return;
  Extent Where;
  if (const std::optional<uint64_t> Bytes = bytesWritten(I, Layout);
      Bytes && Offset)
    Where = {*Offset, *Offset + *Bytes};
  Writings.push_back({Where, &I});
}

void ObjectReader::append(SmallVectorImpl<Member> &Members) {
  if (PointerMayBeCaptured(&Object, /*ReturnCaptures=*/false, MostUses))
    return;
  for (const Use *Access : accessesTo(Object))
    add(*Access);
  for (const auto &[Offset, OfMember] : Loads) {
    const std::optional<Extent> Where = scalarAt(Offset);
    if (!Where)
      continue;
    Member M;
    // One that reads more than the member reads what stands beside it, too.
    copy_if(OfMember, std::back_inserter(M.Loads), [&](const LoadInst *Load) {
      return Layout.getTypeStoreSize(Load->getType()).getFixedValue() <=
             Where->End - Where->Begin;
    });
    if (M.Loads.empty())
      continue;
    for (const Writing &W : Writings)
      if (W.Where.overlaps(*Where))
        M.Writers.push_back(W.By);
    const bool AllKnown = all_of(M.Writers, [](const Instruction *I) {
      return isa<StoreInst, MemSetInst>(I);
    });
    if (AllKnown)
      Members.push_back(std::move(M));
  }
}

// The members of the objects in F of which all that may change them is known.
static SmallVector<Member> membersOf(Function &F) {
  SmallVector<Member> Members;
  for (const Instruction &I : instructions(F))
    if (const auto *Object = dyn_cast<AllocaInst>(&I))
      if (isa<StructType>(Object->getAllocatedType()) &&
          !Object->isArrayAllocation())
        ObjectReader(*Object).append(Members);
  return Members;
}

// All blocks from whose beginning one of Goals is reached, but not through
// Barrier.
static SmallPtrSet<const BasicBlock *, 32>
blocksThatReach(ArrayRef<const BasicBlock *> Goals, const BasicBlock *Barrier) {
  SmallPtrSet<const BasicBlock *, 32> Found(Goals.begin(), Goals.end());
  SmallVector<const BasicBlock *> Pending(Found.begin(), Found.end());
  while (!Pending.empty())
    for (const BasicBlock *Before : predecessors(Pending.pop_back_val()))
      if (Before != Barrier && Found.insert(Before).second)
        Pending.push_back(Before);
  return Found;
}

// Whether lanes that part where LanesPart may come to a load of Of, some
// through Writer and some past it: they disagree about a branch that decides
// whether the writer comes, one way out of which leads to it, and another past
// it to a load. Lanes that return, or load no more, do not matter.
static bool lanesDisagreeAbout(const Instruction &Writer, const Member &Of,
                               function_ref<bool(const BasicBlock &)> LanesPart,
                               PostDominatorTree &After) {
  auto *Block = const_cast<BasicBlock *>(Writer.getParent());
  // What a block's execution depends on is its iterated post-dominance
  // frontier (Cytron et al., TOPLAS 1991).
  SmallPtrSet<BasicBlock *, 1> Begin{Block};
  SmallVector<BasicBlock *, 32> Deciding;
  ReverseIDFCalculator Frontier(After);
  Frontier.setDefiningBlocks(Begin);
  Frontier.calculate(Deciding);
  erase_if(Deciding, [&](const BasicBlock *B) { return !LanesPart(*B); });
  if (Deciding.empty())
    return false;
  SmallVector<const BasicBlock *> Loading;
  for (const LoadInst *Load : Of.Loads)
    if (Load->getParent() != Block || Load->comesBefore(&Writer))
      Loading.push_back(Load->getParent());
  const auto ToLoads = blocksThatReach(Loading, Block);
  const auto ToWriter = blocksThatReach({Block}, nullptr);
  return any_of(Deciding, [&](const BasicBlock *Branch) {
    return any_of(successors(Branch), [&](const BasicBlock *Through) {
      return ToWriter.contains(Through) &&
             any_of(successors(Branch), [&](const BasicBlock *Past) {
               return Past != Through && ToLoads.contains(Past);
             });
    });
  });
}

// What the uniformity analysis asks for, with a warp as the target.
static void registerAnalyses(FunctionAnalysisManager &Analyses,
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
