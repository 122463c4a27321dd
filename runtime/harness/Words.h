//===-- Words.h - what all reports say in the same words --------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_HARNESS_WORDS_H
#define BANKSTRIPE_HARNESS_WORDS_H

#include "harness/ByteDifference.h"
#include <string_view>

namespace bankstripe::runtime {

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

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_HARNESS_WORDS_H
