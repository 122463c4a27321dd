//===-- Sentences.h - what is said of an array ------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sentences that the reports have in common.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_REPORT_SENTENCES_H
#define BANKSTRIPE_REPORT_SENTENCES_H

#include "model/Plan.h"

namespace bankstripe {

/// "private array 'a' (int[16], 64 bytes per thread) moves to a stripe in
/// shared memory: its dynamic indices force it into local memory"
std::string headline(const PlannedArray &A);

/// "it takes 8192 bytes of shared memory per block; index uniform"
std::string cost(const PlannedArray &A);

/// "16 iterations"
std::string tripsText(const CountedLoop &L);

} // namespace bankstripe

#endif
