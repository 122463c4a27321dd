//===-- Text.h - texts and figures for the HTML report ----------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The report is HTML that is XML as well, so whatever a program, a compiler or
// a source file said has to become text that both can hold.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_PAGE_TEXT_H
#define BANKSTRIPE_PAGE_TEXT_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bankstripe::runtime {

/// \p Text with a replacement character for each byte that is not UTF-8 and
/// for each character that XML cannot hold.
std::string repairText(std::string_view Text);

/// The same for the content of an element or a quoted attribute.
std::string escapeHtml(std::string_view Text);

/// Whether a byte of UTF-8 is a further one of its character.
constexpr bool isContinuation(char C) {
  return (static_cast<unsigned char>(C) & 0xC0) == 0x80;
}

/// At most \p Most characters of \p Text, the last of them an ellipsis where
/// something is left out. \p Text is UTF-8.
std::string cutText(std::string_view Text, size_t Most);

/// A kernel's name for a plot: without parameters, then without template
/// arguments, then without its first namespaces, then with its middle left out,
/// as far as needed.
std::string plotName(std::string_view Kernel);

/// "1,234,567"
std::string countText(uint64_t Count);

/// "1 launch", "2 launches"
std::string pluralText(uint64_t Count, std::string_view One);

/// "12.3 us", of nanoseconds; "-" for none.
std::string durationText(const std::optional<double> &Nanoseconds);

/// "96 bytes", "1.5 MiB"
std::string bytesText(uint64_t Bytes);

/// "3.15×"; "-" for none.
std::string factorText(const std::optional<double> &Factor);

/// A list of terms and texts that leaves out what is not known.
class FactList {
public:
  void add(const char *Term, const std::string &Text);
  /// Empty without any.
  std::string html() const;

private:
  std::string Html;
};

/// "before → after", once where both are the same.
std::string changeText(const std::string &Before, const std::string &After);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_PAGE_TEXT_H
