//===-- LaunchSites.h - launches of kernels ---------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FIND_LAUNCHSITES_H
#define BANKSTRIPE_FIND_LAUNCHSITES_H

#include "find/HostCalls.h"

namespace bankstripe {

/// What one function does with kernels.
struct KernelUses {
  std::vector<Launch> Launches;
  /// Those whose block, or dynamic shared memory, is written as a number, which
  /// no macro changes, or left out.
  std::set<Place> LiteralBlock, LiteralMemory;
  std::vector<OccupancyQuery> Queries;
  /// Kernels whose address goes where a launch cannot be seen, and the place.
  std::map<std::string, Place> AddressTaken;
  /// Names of kernels in launches that may run others of that name.
  std::set<std::pair<std::string, Place>> FoundByArguments;
  /// Kernels whose attributes are set, and the place.
  std::map<std::string, Place> AttributesSet;
};

/// Reads the launches in the function of \p Body: `<<<>>>`, cudaLaunchKernel
/// and its relatives, questions about the occupancy of kernels, and addresses
/// of kernels that are taken for other ends. Counts the names of kernels.
KernelUses findLaunches(const BodyIndex &Body, const SourceText &Text,
                        clang::Sema &Asked, FunctionNames &Names);

/// The name of a kernel on the device, also where the host is asked, which has
/// a function of its own for it.
std::string kernelId(const clang::FunctionDecl *Kernel);

} // namespace bankstripe

#endif
