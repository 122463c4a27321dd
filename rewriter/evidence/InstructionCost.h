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
/// H200 one of 32 random bytes of a table of 256 takes a multiprocessor about
/// 60 cycles, in which it could issue some 250 instructions (mochimo-md2 in
/// docs/measurements/suite-profile.txt: 47 warps with 7,000 of them each take
/// 20.4 million cycles).
constexpr double CostOfScatteredConstant = 250;

} // namespace bankstripe

#endif
