//===-- host_choice.h - launches that choose, on the host -----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stands for bankstripe_choose.cuh, since there are no times to compare. In
// every other order of the threads (HOST_CUDA_SEED), versions run; in the ones
// between, the original of a kernel and its version take turns.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TESTS_CPU_HOST_CHOICE_H
#define BANKSTRIPE_TESTS_CPU_HOST_CHOICE_H

namespace bankstripe {

inline bool decide(bool &RunsVersion) {
  const char *Seed = std::getenv("HOST_CUDA_SEED");
  const bool TakesTurns = Seed && std::atoi(Seed) % 2 != 0;
  return RunsVersion = !TakesTurns || !RunsVersion;
}

// Whether the launch of the kernel that is under way runs the version.
template <class Kernel, auto *Original, auto *Version>
inline bool &runsVersion() {
  static bool Runs = true;
  return Runs;
}

template <class Kernel, auto *Original, auto *Version> auto *chosen() {
  return runsVersion<Kernel, Original, Version>() ? Version : Original;
}

template <class Kernel, auto *Original, auto *Version>
size_t choose(bool, dim3, dim3, size_t Own, cudaStream_t) {
  decide(runsVersion<Kernel, Original, Version>());
  return Own;
}
template <class Kernel, auto *Original, auto *Version>
size_t choose(bool, dim3, dim3 Block, size_t Own, cudaStream_t,
              size_t (*Needed)(dim3, size_t)) {
  return decide(runsVersion<Kernel, Original, Version>()) ? Needed(Block, Own)
                                                          : Own;
}
template <class Kernel, auto *Original, auto *Version>
size_t choose(bool, dim3 Grid, dim3 Block, size_t Own, cudaStream_t Stream,
              size_t (*Needed)(dim3, dim3, size_t)) {
  return decide(runsVersion<Kernel, Original, Version>())
             ? Needed(Stream ? dim3(0) : Grid, Block, Own)
             : Own;
}

} // namespace bankstripe

#endif
