//===-- Terminal.h - text for terminals -------------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_CONTRACT_TERMINAL_H
#define BANKSTRIPE_CONTRACT_TERMINAL_H

#include <string>
#include <string_view>

namespace bankstripe {

/// \p Text for a terminal, which does what control characters of a symbol, or
/// of a file that somebody else wrote, ask for: they are spelled as `\x1b`, and
/// what turns the direction of the text as `\u202e`. Line breaks and tabs stay,
/// and what sets a colour if \p HasColours.
std::string printable(std::string_view Text, bool HasColours = false);

/// \p Text with line breaks instead of blanks, so that it fits between the
/// columns \p Indent and \p Columns; as it is where there is no room.
std::string wrapped(std::string_view Text, size_t Columns, size_t Indent);

} // namespace bankstripe

#endif // BANKSTRIPE_CONTRACT_TERMINAL_H
