//===-- RewriteUnits.h - a plan and its changes -----------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TOOL_REWRITEUNITS_H
#define BANKSTRIPE_TOOL_REWRITEUNITS_H

#include "edit/Edit.h"
#include "plan/MakePlan.h"

namespace bankstripe {

/// Plans for \p Units, as \p Planning says, with what is \p Known of them, and
/// makes the changes. Where a file cannot be written, arrays that have to do
/// with it stay, and the others are planned again.
llvm::Expected<PlannedChanges> rewriteUnits(std::vector<UnitResult> Units,
                                            const PlanOptions &Planning,
                                            bool EmbedHelper,
                                            const Measured &Known = {});

} // namespace bankstripe

#endif
