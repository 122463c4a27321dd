//===-- Json.h - a verification for programs --------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_VERIFY_JSON_H
#define BANKSTRIPE_VERIFY_JSON_H

#include "verify/Session.h"
#include <nlohmann/json_fwd.hpp>

namespace bankstripe::runtime {

/// The report as one JSON object; the fields are described in JSON.md beside
/// this file.
std::string jsonReport(const VerifyReport &Report);

/// Its fields about times, which a replay has as well.
nlohmann::ordered_json timesJson(const PairedTimes &Times);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_VERIFY_JSON_H
