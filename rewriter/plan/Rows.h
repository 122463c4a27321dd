//===-- Rows.h - kernels whose launches bring storage -----------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_PLAN_ROWS_H
#define BANKSTRIPE_PLAN_ROWS_H

#include "plan/Merge.h"

namespace bankstripe {

/// Why no row can have the launches of \p Merged bring storage to the kernel
/// itself; empty when one can.
std::string whyNoRow(const MergedKernel &Merged);

} // namespace bankstripe

#endif
