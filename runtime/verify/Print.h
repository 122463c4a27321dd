//===-- Print.h - a verification for people and for programs ----*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_VERIFY_PRINT_H
#define BANKSTRIPE_VERIFY_PRINT_H

#include "verify/Session.h"

namespace bankstripe::runtime {

/// The report as text.
std::string printReport(const VerifyReport &Report);

/// The report as one JSON object, which docs/reference/json-verify.md
/// describes.
std::string jsonReport(const VerifyReport &Report);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_VERIFY_PRINT_H
