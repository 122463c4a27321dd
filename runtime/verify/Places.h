//===-- Places.h - where in the source an allocation is made ----*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_VERIFY_PLACES_H
#define BANKSTRIPE_VERIFY_PLACES_H

#include "recording/Recording.h"

namespace bankstripe::runtime {

/// Reads what addr2line prints with -f and -i: a function and, in the next
/// line, a place, and so on for what it was inlined into.
///
/// \returns "main.cpp:12 (main)", the first one outside of CUDA's headers; none
/// when there is no such line.
std::optional<std::string> readPlace(const std::string &Printed);

/// The innermost call of \p Stack that lies in code with line information, as
/// addr2line or llvm-symbolizer tell it. Without one, the innermost call
/// outside of CUDA's libraries as a file and an offset. Empty for an empty
/// stack.
std::string placeOf(const CallStack &Stack);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_VERIFY_PLACES_H
