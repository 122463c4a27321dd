//===-- SideBridges.h - what belongs to the host and the device -*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of the table of bridges: nvcc has functions called where Clang does not.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FRONTEND_SIDEBRIDGES_H
#define BANKSTRIPE_FRONTEND_SIDEBRIDGES_H

#include "frontend/BridgeTable.h"

namespace bankstripe {

bool putOnBothSides(const Fault &F, Bridges &B);
bool putCandidateOnBothSides(const Fault &F, Bridges &B);
bool allowHost(const Fault &F, Bridges &B);
bool copyOnDevice(const Fault &F, Bridges &B);
bool specializeOnBothSides(const Fault &F, Bridges &B);

} // namespace bankstripe

#endif
