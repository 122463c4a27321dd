//===-- PrivateArrays.h - what a text says of per-thread arrays -*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TEXT_PRIVATEARRAYS_H
#define BANKSTRIPE_TEXT_PRIVATEARRAYS_H

#include "text/Includes.h"

namespace bankstripe {

/// Whether device code in \p Tree seems to index a per-thread array by what no
/// compiler knows: then it lies in local memory most likely.
bool seemsToMoveArrays(const IncludeTree &Tree);

} // namespace bankstripe

#endif
