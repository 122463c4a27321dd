//===-- Profit.h - is it worth it -------------------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_PLAN_PROFIT_H
#define BANKSTRIPE_PLAN_PROFIT_H

#include "plan/Plan.h"

namespace bankstripe {

/// One array as the model sees it.
struct ArrayTraffic {
  double Uniform = 0;    ///< Words per thread, at the same index in all lanes.
  double NonUniform = 0; ///< Words per thread, at indices of their own.
  double Counted = 0;    ///< Words per thread, at counters of their own.
  unsigned ElementBytes = 4;
  uint64_t BytesPerThread = 0;
  bool Moved = false; ///< Into shared memory.
  bool Slot = false;
  StripeForm Form = StripeForm::Plain;
};

/// One kernel as the model sees it: its work, and the resources that it runs
/// with.
struct KernelTraffic {
  KernelWork Work; ///< Without its arrays.
  std::vector<ArrayTraffic> Arrays;
  unsigned Threads = 0; ///< Per block.
};

/// What the blocks on a multiprocessor have.
struct Resources {
  unsigned Warps = 0;       ///< Resident.
  uint64_t SharedBytes = 0; ///< Of all of them.
};

/// What a warp that runs \p K with \p R costs, arrays by their index in it.
/// \p Spread is how far non-uniform indices of a warp are apart, from 0 (they
/// agree after all) to 1 (they are random).
PredictedState termsOf(const KernelTraffic &K, const Resources &R,
                       double Spread);

/// The time of that alone: cycles of a multiprocessor per warp.
double timeOf(const KernelTraffic &K, const Resources &R, double Spread);

/// The prediction for a kernel whose arrays move as \p After says, whereas none
/// does now, when the resources change from \p Had to \p Has.
Prediction predict(const KernelTraffic &After, const Resources &Had,
                   const Resources &Has);

/// The same with its terms; limiters, arrays' numbers and alternatives are left
/// to whoever knows them.
Explanation explain(const KernelTraffic &After, const Resources &Had,
                    const Resources &Has);

} // namespace bankstripe

#endif
