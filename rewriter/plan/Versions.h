//===-- Versions.h - kernels that stay, with a version beside ---*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_PLAN_VERSIONS_H
#define BANKSTRIPE_PLAN_VERSIONS_H

#include "plan/Form.h"

namespace bankstripe {

/// A run, and what becomes of each of its kernels.
struct RunWithForms {
  MergedRun Run;
  std::vector<Form> Forms;
};

/// The arrays that kernel \p Row reaches and that may move.
std::vector<const ReachedArray *> movableIn(unsigned Row, const MergedRun &Run);

/// What instances of a template share, which so go one way.
const TextRange &textOf(const MergedKernel &K);

/// The forms of the kernels of \p Run, of which those have a version that had
/// better have one; with marks at the arrays that move in copies of their
/// functions.
RunWithForms findVersions(MergedRun Run, const PlanOptions &Options);

} // namespace bankstripe

#endif
