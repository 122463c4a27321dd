//===-- TakeNumber.h - a number at the front of a text ----------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_RECORDING_TAKENUMBER_H
#define BANKSTRIPE_RECORDING_TAKENUMBER_H

#include <charconv>
#include <string_view>

namespace bankstripe::runtime {

/// Takes a number off the front of \p Text. \returns whether one of this type
/// stands there.
template <class T> bool takeNumber(std::string_view &Text, T &Value) {
  const auto [End, Error] =
      std::from_chars(Text.data(), Text.data() + Text.size(), Value);
  if (Error != std::errc())
    return false;
  Text.remove_prefix(static_cast<size_t>(End - Text.data()));
  return true;
}

/// Takes a number and \p Follows, which must stand behind it, off the front of
/// \p Text.
template <class T>
bool takeField(std::string_view &Text, T &Value, std::string_view Follows) {
  if (!takeNumber(Text, Value) || !Text.starts_with(Follows))
    return false;
  Text.remove_prefix(Follows.size());
  return true;
}

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_RECORDING_TAKENUMBER_H
