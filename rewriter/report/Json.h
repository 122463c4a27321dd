//===-- Json.h - the plan for machines --------------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_REPORT_JSON_H
#define BANKSTRIPE_REPORT_JSON_H

#include "edit/Edit.h"
#include "report/Text.h"
#include "llvm/Support/JSON.h"

namespace bankstripe {

/// \p Text, with what is not UTF-8 repaired, as JSON has to be.
llvm::json::Value jsonText(llvm::StringRef Text);

/// The plan as JSON; the schema is described in docs/json.md.
llvm::json::Value toJson(const Plan &P, const ConfirmedResources &Resources);

/// One of its arrays.
llvm::json::Object arrayToJson(const Plan &P, const PlannedArray &A);

/// The same with the diff of each of \p Changes, as the page reads it too.
llvm::json::Value toJson(const Plan &P, const ConfirmedResources &Resources,
                         llvm::ArrayRef<ChangedFile> Changes);

} // namespace bankstripe

#endif
