//===-- Find.h - from a parsed unit to findings -----------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The second arrow of the pipeline:
//
//   ParsedUnit => per-thread arrays and their uses   (Arrays.cpp)
//              => kernels                           (KernelFacts.cpp)
//              => launches                          (Launches.cpp)
//
// Facts only, as plain values: whatever the syntax tree shows that could stand
// against moving an array becomes an Obstacle.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FIND_FIND_H
#define BANKSTRIPE_FIND_FIND_H

#include "frontend/Frontend.h"
#include "model/UnitFacts.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace bankstripe {

/// Reads the findings, kernels and launches of \p Unit. Arrays in system
/// headers are not looked at; for one in another file, \p MayEdit tells
/// whether the user put that file at the tool's disposal (obstacle
/// OutsidePaths otherwise).
UnitFacts findAll(ParsedUnit &Unit,
                  llvm::function_ref<bool(llvm::StringRef File)> MayEdit);

} // namespace bankstripe

#endif
