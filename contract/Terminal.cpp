//===-- Terminal.cpp - text for terminals ---------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "contract/Terminal.h"

using namespace bankstripe;

// How many characters at the front of Text set a colour.
static size_t colourLength(std::string_view Text) {
  if (!Text.starts_with("\x1b["))
    return 0;
  const size_t End = Text.find_first_not_of("0123456789;", 2);
  return End != std::string_view::npos && Text[End] == 'm' ? End + 1 : 0;
}

// How many characters at the front of Text break its line, or turn the
// direction in which the rest is shown, in UTF-8: U+2028 to U+202e, U+2066 to
// U+2069.
static size_t turnLength(std::string_view Text) {
  const auto Third =
      static_cast<unsigned char>(Text.size() > 2 ? Text[2] : '\0');
  const bool Turns =
      (Text.starts_with("\xe2\x80") && Third >= 0xa8 && Third <= 0xae) ||
      (Text.starts_with("\xe2\x81") && Third >= 0xa6 && Third <= 0xa9);
  return Turns ? 3 : 0;
}

std::string bankstripe::printable(std::string_view Text, bool HasColours) {
  constexpr char Digits[] = "0123456789abcdef";
  std::string Result;
  for (size_t I = 0; I < Text.size(); ++I) {
    if (const size_t Length = HasColours ? colourLength(Text.substr(I)) : 0) {
      Result += Text.substr(I, Length);
      I += Length - 1;
      continue;
    }
    if (const size_t Length = turnLength(Text.substr(I))) {
      const unsigned Low = (Text[I + 1] & 1) * 64 + (Text[I + 2] & 0x3f);
      Result.append("\\u20").append({Digits[Low / 16], Digits[Low % 16]});
      I += Length - 1;
      continue;
    }
    auto Byte = static_cast<unsigned char>(Text[I]);
    // In UTF-8, some have two bytes.
    const bool IsPair =
        Byte == 0xc2 && I + 1 < Text.size() &&
        (static_cast<unsigned char>(Text[I + 1]) & 0xe0) == 0x80;
    if (IsPair)
      Byte = static_cast<unsigned char>(Text[++I]);
    if (IsPair || (Byte < ' ' && Byte != '\n' && Byte != '\t') || Byte == 0x7f)
      Result.append("\\x").append({Digits[Byte / 16], Digits[Byte % 16]});
    else
      Result += Text[I];
  }
  return Result;
}

std::string bankstripe::wrapped(std::string_view Text, size_t Columns,
                                size_t Indent) {
  std::string Result(Text);
  if (Columns <= Indent)
    return Result;
  const size_t Room = Columns - Indent;
  const std::string NewLine = '\n' + std::string(Indent, ' ');
  size_t Line = 0, Break = std::string_view::npos; // Where a line may end.
  size_t Added = 0;                                // Blanks before that.
  for (size_t At = 0; At <= Text.size(); ++At) {
    if (At < Text.size() && Text[At] != ' ')
      continue;
    if (At - Line > Room && Break != std::string_view::npos) {
      Result.replace(Break + Added, 1, NewLine);
      Added += Indent;
      Line = Break + 1;
    }
    Break = At;
  }
  return Result;
}
