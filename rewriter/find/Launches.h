//===-- Launches.h - launches of kernels ------------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FIND_LAUNCHES_H
#define BANKSTRIPE_FIND_LAUNCHES_H

#include "find/BodyIndex.h"
#include "find/SourceText.h"
#include "model/Finding.h"

namespace bankstripe {

/// What one function does with kernels.
struct KernelUses {
  std::vector<Launch> Launches;
  std::vector<OccupancyQuery> Queries;
  /// Kernels whose address goes where a launch cannot be seen, and the place.
  std::map<std::string, Place> AddressTaken;
  /// Kernels whose attributes are set, and the place.
  std::map<std::string, Place> AttributesSet;
};

/// Reads the launches in the function of \p Body: `<<<>>>`, cudaLaunchKernel
/// and its relatives, questions about the occupancy of kernels, and addresses
/// of kernels that are taken for other ends. \p MayEdit tells which files may
/// be changed.
KernelUses findLaunches(const BodyIndex &Body, const SourceText &Text,
                        llvm::function_ref<bool(llvm::StringRef)> MayEdit);

/// What the host code of \p Body gives the parameters of the user's functions.
std::vector<HostArgument> findHostArguments(const BodyIndex &Body,
                                            const SourceText &Text);

} // namespace bankstripe

#endif
