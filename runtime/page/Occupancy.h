//===-- Occupancy.h - resident warps per multiprocessor ---------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_PAGE_OCCUPANCY_H
#define BANKSTRIPE_PAGE_OCCUPANCY_H

#include "page/GpuFacts.h"
#include "verify/Statistics.h"

namespace bankstripe::runtime {

/// The warps that a multiprocessor can hold of a kernel that takes \p Takes and
/// is launched like \p Shape. Nothing where the GPU's figures do not tell.
std::optional<unsigned> residentWarps(const Resources &Takes,
                                      const LaunchShape &Shape,
                                      const GpuFacts &Gpu);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_PAGE_OCCUPANCY_H
