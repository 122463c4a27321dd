//===-- Members.cpp - counters beside an array ----------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An object with an array that stays in memory keeps its other members there,
// too: how full a buffer is, the top of a stack beside its items. No optimiser
// splits such an object, since an index that is too large would reach them. No
// correct program has one, and what is asked here decides about speed alone. So
// an access at a variable index is taken to stay within the array that it
// begins in, and a member outside of all arrays to hold what was stored there.
//
//===----------------------------------------------------------------------===//

#include "evidence/Members.h"

#include "evidence/Uniformity.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/IteratedDominanceFrontier.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include <iterator>
#include <limits>
#include <map>
#include <optional>

using namespace llvm;

namespace bankstripe {
namespace {

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

SmallVector<Member> membersOf(Function &F) {
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

// Lanes disagree about a branch that decides whether the writer comes, one way
// out of which leads to it, and another past it to a load. Lanes that return,
// or load no more, do not matter.
bool lanesDisagreeAbout(const Instruction &Writer, const Member &Of,
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

} // namespace bankstripe
