//===-- cached.h - loads that live on the L1 --------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TESTS_GPU_LAYOUTS_CACHED_H
#define BANKSTRIPE_TESTS_GPU_LAYOUTS_CACHED_H

#include "bench.h"

/// 32 KB, which the L1 holds as long as neither local nor shared memory takes
/// its place. What stands there does not matter.
constexpr unsigned CachedWords = 8192;

/// One of its words, anywhere. The next one should depend on it, as in a tree.
__device__ inline unsigned cached(const Job &J, unsigned Where) {
  return reinterpret_cast<const unsigned *>(
      J.Seeds)[(Where * 2654435761u >> 12) % CachedWords];
}

#endif // BANKSTRIPE_TESTS_GPU_LAYOUTS_CACHED_H
