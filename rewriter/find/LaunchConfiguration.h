//===-- LaunchConfiguration.h - what launches read --------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FIND_LAUNCHCONFIGURATION_H
#define BANKSTRIPE_FIND_LAUNCHCONFIGURATION_H

#include "find/BlockSize.h"

namespace bankstripe {

/// What a launch reads from a `cudaLaunchConfig_t`.
struct LaunchConfiguration {
  HostValue Threads; ///< Of a block.
  HostValue Bytes;   ///< Of dynamic shared memory.
  /// Whether its blocks have, or may have, to be resident all at once.
  bool Cooperative = false;
  std::string Unfollowed; ///< Why that is not known; empty when it is.
};

/// Reads the configuration that \p Pointer points to, `&config`, in the host
/// function of \p Body. It counts as known when it is a variable of that
/// function, all of whose uses are seen; the order of them does not matter.
LaunchConfiguration readConfiguration(const clang::Expr *Pointer,
                                      const BodyIndex &Body);

/// The variable that `&variable` or `&variable.member` points into; null when
/// \p Pointer is something else.
const clang::VarDecl *pointedTo(const clang::Expr *Pointer);

} // namespace bankstripe

#endif
