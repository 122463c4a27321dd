//===-- InstructionCost.h - what the GPU makes of an instruction -*- C++
//-*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_EVIDENCE_INSTRUCTIONCOST_H
#define BANKSTRIPE_EVIDENCE_INSTRUCTIONCOST_H

namespace llvm {
class CallBase;
class Instruction;
} // namespace llvm

namespace bankstripe {

/// How many instructions of a thread the GPU needs for \p I, which accesses no
/// memory: 0 for what costs nothing or is part of another one, up to 30.
double costOf(const llvm::Instruction &I);

/// The same of a call of an intrinsic, or of a function that is not known.
double costOfCall(const llvm::CallBase &Call);

/// The same of a load from constant memory at an address that differs from
/// lane to lane. Such loads are answered one address after the other: on an
/// H200 one of 32 random bytes of a table of 256 takes a multiprocessor 62
/// cycles, in which it could issue 250 instructions (a kernel that computes
/// MD2, by ncu).
constexpr double CostOfScatteredConstant = 250;

} // namespace bankstripe

#endif
