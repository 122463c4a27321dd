//===-- Print.h - a verification for people and for programs ----*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_VERIFY_PRINT_H
#define BANKSTRIPE_VERIFY_PRINT_H

#include "contract/Terminal.h"
#include "verify/Session.h"
#include <string_view>

namespace bankstripe::runtime {

// What the reports of a replay say in the same words.

/// "allocation 3 (16 bytes)", "variable table (1 byte)"
///
/// \param Variable its symbol; empty for an allocation.
std::string memoryName(const std::string &Variable, unsigned Number,
                       uint64_t Bytes);

/// "1 launch", "2 launches", "3 bytes"
std::string plural(uint64_t Count, const std::string &One);

/// "12.30 us" of nanoseconds, in ASCII; "-" for none.
std::string plainDurationText(const std::optional<double> &Nanoseconds);

/// The first difference with both values, a line for each thing that is known;
/// each begins with two spaces.
///
/// \param Original,Rewritten what the values are called.
std::string differenceText(const ByteDifference &Of,
                           std::string_view Original = "original",
                           std::string_view Rewritten = "rewritten");

/// The report as text.
std::string printReport(const VerifyReport &Report);

/// The report as one JSON object, which docs/reference/json-verify.md
/// describes.
std::string jsonReport(const VerifyReport &Report);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_VERIFY_PRINT_H
