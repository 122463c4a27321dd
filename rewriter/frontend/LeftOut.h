//===-- LeftOut.h - text that nvcc takes and does not need ------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of the table of bridges: Clang reads on without a part of the text.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FRONTEND_LEFTOUT_H
#define BANKSTRIPE_FRONTEND_LEFTOUT_H

#include "frontend/BridgeTable.h"

namespace bankstripe {

/// Leaves out the tokens from \p First to \p Last; lines stay.
void leaveOut(const Fault &F, Bridges &B, size_t First, size_t Last);

bool dropUnroll(const Fault &F, Bridges &B);
bool dropArguments(const Fault &F, Bridges &B);
bool dropInitializer(const Fault &F, Bridges &B);
bool dropPercent(const Fault &F, Bridges &B);
bool dropRestrict(const Fault &F, Bridges &B);
bool dropTypedef(const Fault &F, Bridges &B);
bool dropTemplate(const Fault &F, Bridges &B);
bool dropAlignment(const Fault &F, Bridges &B);

} // namespace bankstripe

#endif
