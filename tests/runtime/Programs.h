//===-- Programs.h - recordings built by hand --------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TESTS_RUNTIME_PROGRAMS_H
#define BANKSTRIPE_TESTS_RUNTIME_PROGRAMS_H

#include "recording/DigestMix.h"
#include "recording/Recording.h"

namespace bankstripe::runtime {

/// An allocation of \p Bytes bytes, the next of its recording.
inline unsigned allocate(Recording &R, uint64_t Bytes) {
  Allocation A;
  A.Id = static_cast<unsigned>(R.Allocations.size());
  A.Kind = "device";
  A.Bytes = Bytes;
  A.ChunkBytes = chunkBytesFor(Bytes);
  A.MadeBefore = static_cast<unsigned>(R.Launches.size());
  R.Allocations.push_back(A);
  return A.Id;
}

inline unsigned variable(Recording &R, const std::string &Name,
                         uint64_t Bytes) {
  Allocation A;
  A.Id = static_cast<unsigned>(R.Variables.size());
  A.IsVariable = true;
  A.Kind = "variable";
  A.Name = canonicalName(Name);
  A.Bytes = Bytes;
  A.ChunkBytes = chunkBytesFor(Bytes);
  R.Variables.push_back(A);
  return A.Id;
}

/// A launch of \p Kernel that changes nothing so far.
inline Launch &launch(Recording &R, const std::string &Kernel) {
  Launch L;
  L.Index = static_cast<unsigned>(R.Launches.size());
  L.Kernel = canonicalName(Kernel);
  L.Grid = {64, 1, 1};
  L.Block = {128, 1, 1};
  L.Digested = true;
  R.Launches.push_back(L);
  return R.Launches.back();
}

/// Digests from chunk \p First on, found after a launch.
inline void changes(Launch &L, unsigned Allocation, uint64_t First,
                    std::vector<uint64_t> Digests, bool IsVariable = false) {
  L.Changes.push_back({Allocation, IsVariable, {{First, std::move(Digests)}}});
}

/// An allocation of four chunks and three launches that change it.
inline Recording threeLaunches() {
  Recording R;
  const unsigned Values = allocate(R, 1000);
  changes(launch(R, "_Z4fillPi"), Values, 0, {1, 2, 3, 4});
  changes(launch(R, "_Z4stepPi"), Values, 1, {20, 30});
  changes(launch(R, "_Z4stepPi"), Values, 3, {40});
  R.Complete = true;
  return R;
}

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_TESTS_RUNTIME_PROGRAMS_H
