//===-- LaunchResolver.h - launches as their callers see them ---*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Host functions. `void run(int threads) { kernel<<<grid, threads>>>(); }`: the
// block is what the callers of run say, some of which pass on a parameter of
// their own. Known when every argument is. find/ asks for functions of internal
// linkage only; those of one name in several units (a header's) count together.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_PLAN_LAUNCHRESOLVER_H
#define BANKSTRIPE_PLAN_LAUNCHRESOLVER_H

#include "plan/MakePlan.h"
#include "plan/Merge.h"
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace bankstripe {

/// What the launches of a run ask for, as far as other units say that.
class LaunchResolver {
public:
  /// \p Units must stay. \p OthersChangeNodes: as in PlanOptions.
  LaunchResolver(const std::vector<UnitResult> &Units, bool OthersChangeNodes);
  /// \p L with the largest block that its callers may ask for, if it says none
  /// and they do.
  Launch resolve(Launch L);
  /// Forgets what launches of \p K ask for where graphs may have it with more.
  /// Which shared memory \p K uses must be known in full.
  void forgetMemory(MergedKernel &K) const;

private:
  std::optional<std::set<int64_t>> valuesOf(const HostParameter &P);

  std::map<HostParameter, std::vector<const HostArgument *>> Arguments;
  std::set<HostParameter> Active; ///< Those that are being looked at.
  /// A unit, or another, may give kernels in graphs other blocks, so a launch
  /// that is captured says neither what runs nor how large its blocks are.
  bool NodesChange;
};

} // namespace bankstripe

#endif
