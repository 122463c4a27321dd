//===-- Lanes.cpp - how far apart the lanes of a warp access --------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which lines the lanes of a warp ask for decides what a load costs. So each
// value is given its stride over threadIdx.x, the derivative as it were:
// uniform values have none, threadIdx.x has 1, sums add strides, products scale
// them, and remainders and masks, which only wrap, leave them. What comes from
// memory or from anything else has no stride. Positions that are computed in
// floating-point arithmetic from these are taken to change little.
//
// Where control flow merges, the values that come in must agree, or all but one
// kind be uniform: a coordinate that is clamped at the border has the stride
// that it has inside. But where lanes choose whether to count on, as tops of
// stacks do, they end up anywhere.
//
//===----------------------------------------------------------------------===//

#include "evidence/Lanes.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include <cmath>
#include <limits>

using namespace llvm;

namespace bankstripe {

/// Lanes that are this far apart have a sector of the cache each.
static constexpr double SectorBytes = 32;
/// Of one expression in floating-point arithmetic.
static constexpr unsigned MostOperations = 24;
/// A table of so many bytes is always somewhere in the L1.
static constexpr uint64_t SmallBytes = 4096;
/// Loops in loops are looked at twice each; this is enough for any real kernel.
static constexpr unsigned MostSteps = 1 << 16;
static constexpr double Unbounded = std::numeric_limits<double>::infinity();

LaneDistance LaneDistances::of(const Value &Pointer) {
  const Stride S = strideOf(Pointer);
  if (!S)
    return isSmallTable(Pointer) ? LaneDistance::Near : LaneDistance::Unknown;
  return std::abs(*S) < SectorBytes ? LaneDistance::Near : LaneDistance::Far;
}

// Whether the address is that of a small variable, or an index of few values.
bool LaneDistances::isSmallTable(const Value &Pointer) const {
  const SCEV *Address = Evolution.getSCEV(const_cast<Value *>(&Pointer));
  const auto *Base = dyn_cast<SCEVUnknown>(Evolution.getPointerBase(Address));
  if (!Base || Divergent.of(*Base->getValue()))
    return false;
  if (const auto *Table =
          dyn_cast<GlobalVariable>(Base->getValue()->stripPointerCasts()))
    return Layout.getTypeAllocSize(Table->getValueType()) <= SmallBytes;
  const ConstantRange Range =
      Evolution.getSignedRange(Evolution.removePointerBase(Address));
  return !Range.isFullSet() &&
         (Range.getUpper() - Range.getLower()).ule(SmallBytes);
}

static Intrinsic::ID intrinsicOf(const Value &V) {
  const auto *Call = dyn_cast<CallBase>(&V);
  return Call ? Call->getIntrinsicID() : Intrinsic::not_intrinsic;
}

static bool isLane(Intrinsic::ID Id) {
  return Id == Intrinsic::nvvm_read_ptx_sreg_tid_x ||
         Id == Intrinsic::nvvm_read_ptx_sreg_laneid;
}

// The other numbers of a thread are those of its warp, or nearly so.
static bool isWarpsOwn(Intrinsic::ID Id) {
  return Id == Intrinsic::nvvm_read_ptx_sreg_tid_y ||
         Id == Intrinsic::nvvm_read_ptx_sreg_tid_z;
}

LaneDistances::Stride LaneDistances::strideOf(const Value &V) {
  if (!Divergent.of(V) || isWarpsOwn(intrinsicOf(V)))
    return 0;
  if (isLane(intrinsicOf(V)))
    return 1;
  if (isa<Argument>(V)) // Of a function: what it points to is the caller's.
    return V.getType()->isPointerTy() ? Stride(0) : std::nullopt;
  const auto *O = dyn_cast<Operator>(&V);
  if (!O || ++Steps > MostSteps)
    return std::nullopt;
  auto [Found, New] = Known.try_emplace(&V, std::nullopt);
  if (!New)
    return Found->second;
  Order.push_back(&V);
  Stride Result =
      isa<PHINode>(V) ? strideOfPhi(cast<PHINode>(V)) : strideOfOperation(*O);
  if (Result == 0.0 && countsByLane(*O))
    Result.reset();
  return Known[&V] = Result;
}

// Whether \p Merge chooses, in the round of a loop, between its counter and the
// next one.
bool LaneDistances::countsByLane(const Operator &Merge) const {
  if (!isa<PHINode, SelectInst>(Merge))
    return false;
  return any_of(Merge.operand_values(), [&](const Value *V) {
    while (const auto *Step = dyn_cast<BinaryOperator>(V))
      V = Step->getOperand(0);
    return V != &Merge && is_contained(Open, V);
  });
}

// A counter of a loop has the stride that it begins with, if each round gives
// it back the same one. What was found while the phi's own stride was open is
// forgotten.
LaneDistances::Stride LaneDistances::strideOfPhi(const PHINode &Phi) {
  const SmallVector<const Value *> Incoming(Phi.incoming_values());
  const size_t Begin = Order.size();
  auto Forget = [&] {
    for (; Order.size() > Begin; Order.pop_back())
      Known.erase(Order.back());
  };
  Stride Candidate;
  for (const Value *V : Incoming)
    if (Candidate = strideOf(*V); Candidate)
      break;
  if (!Candidate)
    return std::nullopt;
  Forget();
  Known[&Phi] = Candidate;
  Open.push_back(&Phi);
  const Stride Result = strideOfMerge(Incoming);
  Open.pop_back();
  if (Result != Candidate)
    Forget();
  return Result;
}

static std::optional<double> sum(std::optional<double> Left,
                                 std::optional<double> Right, double Sign) {
  if (!Left || !Right)
    return std::nullopt;
  // Two unknown distances may well be the same.
  if (std::isinf(*Left) || std::isinf(*Right))
    return Unbounded;
  return *Left + Sign * *Right;
}

static std::optional<double> scaled(std::optional<double> Stride,
                                    const Value &Factor, bool Divides) {
  if (!Stride || *Stride == 0)
    return Stride;
  if (const auto *Constant = dyn_cast<ConstantInt>(&Factor)) {
    const double By = Constant->getValue().signedRoundToDouble();
    if (By == 0)
      return std::nullopt;
    return Divides ? *Stride / By : *Stride * By;
  }
  // Of a quotient of many, neighbours have the same.
  return Divides ? 0 : Unbounded;
}

LaneDistances::Stride LaneDistances::strideOfOperation(const Operator &O) {
  auto Operand = [&](unsigned I) { return strideOf(*O.getOperand(I)); };
  auto IsUniform = [&](unsigned I) { return !Divergent.of(*O.getOperand(I)); };
  switch (O.getOpcode()) {
  case Instruction::ZExt:
  case Instruction::SExt:
  case Instruction::Trunc:
  case Instruction::Freeze:
  case Instruction::BitCast:
  case Instruction::AddrSpaceCast:
  case Instruction::PtrToInt:
  case Instruction::IntToPtr:
    return Operand(0);
  case Instruction::FPToSI:
  case Instruction::FPToUI:
    return isSmooth(*O.getOperand(0)) ? Stride(0) : std::nullopt;
  case Instruction::Add:
  case Instruction::Or:
    return sum(Operand(0), Operand(1), 1);
  case Instruction::Sub:
    return sum(Operand(0), Operand(1), -1);
  case Instruction::Mul:
    if (IsUniform(1))
      return scaled(Operand(0), *O.getOperand(1), /*Divides=*/false);
    if (IsUniform(0))
      return scaled(Operand(1), *O.getOperand(0), /*Divides=*/false);
    return std::nullopt;
  case Instruction::Shl:
  case Instruction::LShr:
  case Instruction::AShr: {
    const bool Left = O.getOpcode() == Instruction::Shl;
    if (const auto *Bits = dyn_cast<ConstantInt>(O.getOperand(1)))
      if (const Stride S = Operand(0))
        return std::ldexp(*S, (Left ? 1 : -1) * int(Bits->getLimitedValue(64)));
    if (!IsUniform(1))
      return std::nullopt;
    return Left ? scaled(Operand(0), *O.getOperand(1), false) : Operand(0);
  }
  case Instruction::UDiv:
  case Instruction::SDiv:
    return IsUniform(1) ? scaled(Operand(0), *O.getOperand(1), true)
                        : std::nullopt;
  case Instruction::URem:
  case Instruction::SRem:
    return IsUniform(1) ? Operand(0) : std::nullopt;
  case Instruction::And:
  case Instruction::Xor:
    if (IsUniform(1))
      return Operand(0);
    return IsUniform(0) ? Operand(1) : std::nullopt;
  case Instruction::GetElementPtr:
    return strideOfAddress(cast<GEPOperator>(O));
  case Instruction::Select:
    return strideOfMerge({O.getOperand(1), O.getOperand(2)});
  case Instruction::Call:
    if (const auto *Call = dyn_cast<MinMaxIntrinsic>(&O))
      return strideOfMerge({Call->getLHS(), Call->getRHS()});
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

LaneDistances::Stride
LaneDistances::strideOfAddress(const GEPOperator &Address) {
  Stride Result = strideOf(*Address.getPointerOperand());
  for (gep_type_iterator I = gep_type_begin(Address),
                         End = gep_type_end(Address);
       I != End; ++I) {
    if (I.isStruct())
      continue;
    const double Bytes = I.getSequentialElementStride(Layout).getFixedValue();
    Stride Index = strideOf(*I.getOperand());
    if (Index)
      *Index *= *Index == 0 ? 0 : Bytes;
    Result = sum(Result, Index, 1);
  }
  return Result;
}

// Whether a floating-point number is computed from the lane's number and from
// data of neighbours, and not from integers that jump.
bool LaneDistances::isSmooth(const Value &V, unsigned Depth) {
  if (!Divergent.of(V))
    return true;
  const auto *I = dyn_cast<Instruction>(&V);
  if (!I || Depth > MostOperations)
    return false;
  switch (I->getOpcode()) {
  case Instruction::SIToFP:
  case Instruction::UIToFP: {
    const Stride S = strideOf(*I->getOperand(0));
    return S && !std::isinf(*S);
  }
  case Instruction::Load:
    return I->getType()->isFloatingPointTy() &&
           of(*cast<LoadInst>(I)->getPointerOperand()) == LaneDistance::Near;
  case Instruction::FAdd:
  case Instruction::FSub:
  case Instruction::FMul:
  case Instruction::FDiv:
  case Instruction::FNeg:
  case Instruction::FPExt:
  case Instruction::FPTrunc:
    break;
  case Instruction::Call:
    if (!cast<CallBase>(I)->doesNotAccessMemory() ||
        !I->getType()->isFloatingPointTy())
      return false;
    break;
  default:
    return false;
  }
  const auto *Call = dyn_cast<CallBase>(I);
  return all_of(Call ? Call->args() : I->operands(), [&](const Use &U) {
    return !U->getType()->isFloatingPointTy() || isSmooth(*U, Depth + 1);
  });
}

// Uniform values take the stride of the others.
LaneDistances::Stride
LaneDistances::strideOfMerge(ArrayRef<const Value *> Incoming) {
  Stride Result;
  for (const Value *V : Incoming) {
    if (isa<UndefValue>(V))
      continue;
    const Stride S = strideOf(*V);
    if (!S || (Result && *Result != 0 && *S != 0 && *S != *Result))
      return std::nullopt;
    if (!Result || *S != 0)
      Result = S;
  }
  return Result;
}

} // namespace bankstripe
