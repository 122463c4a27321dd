//===-- Text.h - what table and page say in the same words ------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_VERIFY_TEXT_H
#define BANKSTRIPE_VERIFY_TEXT_H

#include "verify/Clocks.h"
#include <optional>
#include <string>
#include <string_view>

namespace bankstripe::runtime {

/// The name of a function without the `void` before it and the parameters
/// behind it.
std::string functionName(std::string_view Demangled);

/// "1.5 %": how far the quartiles lie on either side of the median, roughly,
/// of which \p Range is the distance between them; "-" without a median.
std::string spreadText(const std::optional<double> &Median, double Range);

/// "SM 1980 MHz, memory 3201 MHz (2619 to 3201)"
std::string clocksText(const ClockSummary &Clocks);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_VERIFY_TEXT_H
