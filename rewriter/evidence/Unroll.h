//===-- Unroll.h - would unrolling help --------------------------*- C++
//-*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tries on the IR whether `#pragma unroll` would bring arrays that are resident
// in local memory into registers.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_EVIDENCE_UNROLL_H
#define BANKSTRIPE_EVIDENCE_UNROLL_H

#include "evidence/DeviceModule.h"
#include "evidence/Residency.h"
#include "model/Evidence.h"
#include "model/Finding.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace bankstripe {

/// The words of the largest array for which this is tried, and the instructions
/// by which code may grow for one.
inline constexpr unsigned MostUnrolledWords = 64;
inline constexpr unsigned MostUnrolledGrowth = 6144;

/// Sets ArrayEvidence::Unroll of those \p Arrays of \p Facts that unrolling
/// brings into registers. \p Plain is the module before it was optimised, with
/// the marks of \p Tracker, \p Optimised the same afterwards; \p Optimize does
/// to a module what was done to it.
void tryUnrolling(llvm::Module &Plain, llvm::Module &Optimised,
                  const AllocaTracker &Tracker, const UnitFacts &Facts,
                  llvm::function_ref<bool(llvm::Module &)> Optimize,
                  llvm::MutableArrayRef<ArrayEvidence> Arrays);

} // namespace bankstripe

#endif
