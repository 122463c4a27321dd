//===-- Gpus.h - the GPUs that replay ---------------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Replays of different variants run on all GPUs that CUDA_VISIBLE_DEVICES
// lists, several on each. Who takes times there holds the GPU's lock.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_BENCH_GPUS_H
#define BANKSTRIPE_BENCH_GPUS_H

#include <cstddef>
#include <string>
#include <vector>

namespace bankstripe {

struct Gpu {
  std::string Name; ///< As CUDA_VISIBLE_DEVICES has it; empty: the usual one.
  std::string Lock; ///< A file.
  unsigned Running = 0;
  bool IsLeftOut = false;
};

/// The architecture of the first GPU that is visible, as `sm_90`; empty where
/// the driver, which is loaded, does not tell.
std::string architectureOfGpu();

class Gpus {
public:
  /// Files for locks come into \p Folder; each GPU does \p AtATime replays.
  Gpus(const std::string &Folder, unsigned AtATime);

  /// The one with the fewest replays; null when all have what they can do.
  Gpu *findFree();
  /// Replays that could begin, and those that could run, on all of them.
  size_t freePlaces() const;
  size_t allPlaces() const { return All.size() * AtATime; }
  /// Leaves out \p G, which is not like the first one. \returns whether it may.
  bool leaveOut(Gpu &G);

private:
  std::vector<Gpu> All;
  unsigned AtATime;
};

} // namespace bankstripe

#endif
