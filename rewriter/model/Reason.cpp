//===-- Reason.cpp - the table of reasons ---------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/Reason.h"

using namespace bankstripe;

static constexpr ReasonInfo Table[] = {
#define REASON(NAME, VERDICT, ...)                                             \
  {Reason::NAME, VerdictKind::VERDICT, __VA_ARGS__},
#include "model/Reasons.def"
};

llvm::ArrayRef<ReasonInfo> bankstripe::allReasons() { return Table; }

const ReasonInfo &bankstripe::infoOf(Reason R) {
  return Table[static_cast<unsigned>(R)];
}
