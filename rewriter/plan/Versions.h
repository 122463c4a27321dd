//===-- Versions.h - kernels that stay, with a version beside ---*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_PLAN_VERSIONS_H
#define BANKSTRIPE_PLAN_VERSIONS_H

#include "plan/KernelSetting.h"

namespace bankstripe {

/// A run, and what each of its kernels has for arrays.
struct RunWithSettings {
  MergedRun Run;
  std::vector<KernelSetting> Settings;
};

/// Why \p K can have no version beside it; empty if it can.
std::string whyNoVersion(const MergedKernel &K, const PlanOptions &Options);

/// The arrays that kernel \p Row reaches and that may move.
std::vector<const ReachedArray *> movableIn(unsigned Row, const MergedRun &Run);

/// What instances of a template share, which so go one way.
const TextRange &textOf(const MergedKernel &K);

/// \p Run with marks at the kernels that had better have a version beside them,
/// and at the arrays that move in copies of their functions.
RunWithSettings findVersions(MergedRun Run, const PlanOptions &Options);

} // namespace bankstripe

#endif
