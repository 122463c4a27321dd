//===-- Sample.h - a plan with one array of each kind -----------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One kernel, launched with 128 threads, with an array that moves, one that
// stays in registers and one that is refused.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TESTS_UNIT_REPORT_SAMPLE_H
#define BANKSTRIPE_TESTS_UNIT_REPORT_SAMPLE_H

#include "model/Plan.h"

namespace bankstripe::testing {

/// The array at \p Line of SampleFile.
PlannedArray sampleArray(const std::string &Name, unsigned Line, Reason Why);

Plan samplePlan();

/// The same with a prediction for its kernel.
Plan predictedPlan();

/// A decision about the array `seen` of samplePlan.
KernelOutcome sampleKernelOutcome(DecisionState State,
                                  const std::string &Detail);
DecisionOutcome sampleOutcome(DecisionState State, const std::string &Detail);

inline const std::string SampleFile = "/src/count.cu";

} // namespace bankstripe::testing

#endif
