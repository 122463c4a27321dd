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
#include "model/UnitFacts.h"

namespace bankstripe {

/// The launches `kernel<<<...>>>` in the code of \p Body, \p OnDevice or not.
std::vector<Launch> findLaunches(const BodyIndex &Body, const SourceText &Text,
                                 bool OnDevice);

} // namespace bankstripe

#endif
