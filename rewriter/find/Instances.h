//===-- Instances.h - one finding for all instantiations --------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FIND_INSTANCES_H
#define BANKSTRIPE_FIND_INSTANCES_H

#include "model/Finding.h"

namespace bankstripe {

/// Adds what another instantiation of the same template makes of an array to
/// \p Into. The text is shared, so one edit must be right for both: an
/// obstacle of either is one of both.
void mergeInstance(Finding &Into, Finding From);

/// Notes that the kernel \p KernelId reaches the function \p FunctionId, which
/// declares \p F.
void addKernel(Finding &F, const std::string &FunctionId,
               const std::string &KernelId);

} // namespace bankstripe

#endif
