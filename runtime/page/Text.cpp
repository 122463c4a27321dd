//===-- Text.cpp - texts and figures for the HTML report ------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "page/Text.h"
#include "verify/Text.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

using namespace bankstripe::runtime;

static constexpr std::string_view Replacement = "\xEF\xBF\xBD";
static constexpr std::string_view Ellipsis = "…";
constexpr size_t LongestPlotName = 44;

// The character at Text[At] and its length; 0 where it is not UTF-8.
static std::pair<uint32_t, size_t> decode(std::string_view Text, size_t At) {
  const auto Byte = [&](size_t I) {
    return static_cast<unsigned char>(Text[At + I]);
  };
  const unsigned First = Byte(0);
  const size_t Length = First < 0x80                     ? 1
                        : First >= 0xC2 && First <= 0xDF ? 2
                        : First >= 0xE0 && First <= 0xEF ? 3
                        : First >= 0xF0 && First <= 0xF4 ? 4
                                                         : 0;
  if (Length == 0 || At + Length > Text.size())
    return {0, 0};
  if (Length == 1)
    return {First, 1};
  uint32_t Character = First & (0xFFU >> (Length + 1));
  for (size_t I = 1; I < Length; ++I) {
    if (!isContinuation(Text[At + I]))
      return {0, 0};
    Character = (Character << 6) | (Byte(I) & 0x3FU);
  }
  // Too long a form, a surrogate, or beyond the last plane.
  const uint32_t Least = Length == 2 ? 0x80 : Length == 3 ? 0x800 : 0x10000;
  if (Character < Least || Character > 0x10FFFF ||
      (Character >= 0xD800 && Character <= 0xDFFF))
    return {0, 0};
  return {Character, Length};
}

static bool fitsXml(uint32_t Character) {
  if (Character < 0x20)
    return Character == '\t' || Character == '\n' || Character == '\r';
  return Character < 0x7F ||
         (Character > 0x9F && Character != 0xFFFE && Character != 0xFFFF);
}

std::string bankstripe::runtime::repairText(std::string_view Text) {
  std::string Result;
  Result.reserve(Text.size());
  for (size_t At = 0; At < Text.size();) {
    const auto [Character, Length] = decode(Text, At);
    Result +=
        Length && fitsXml(Character) ? Text.substr(At, Length) : Replacement;
    At += std::max<size_t>(Length, 1);
  }
  return Result;
}

std::string bankstripe::runtime::escapeHtml(std::string_view Text) {
  std::string Result;
  for (const char C : repairText(Text))
    switch (C) {
    case '&':
      Result += "&amp;";
      break;
    case '<':
      Result += "&lt;";
      break;
    case '>':
      Result += "&gt;";
      break;
    case '"':
      Result += "&quot;";
      break;
    case '\'':
      Result += "&#39;";
      break;
    case '\r': // A parser would make a line feed of it.
      Result += "&#13;";
      break;
    default:
      Result += C;
    }
  return Result;
}

// The length of the character that begins at Text[At], at least 1.
static size_t characterLength(std::string_view Text, size_t At) {
  size_t Length = 1;
  while (At + Length < Text.size() && isContinuation(Text[At + Length]))
    ++Length;
  return Length;
}

// Where the character number Count begins, or the end.
static size_t offsetOf(std::string_view Text, size_t Count) {
  size_t At = 0;
  while (Count-- > 0 && At < Text.size())
    At += characterLength(Text, At);
  return At;
}

static size_t characterCount(std::string_view Text) {
  return static_cast<size_t>(std::count_if(
      Text.begin(), Text.end(), [](char C) { return !isContinuation(C); }));
}

std::string bankstripe::runtime::cutText(std::string_view Text, size_t Most) {
  if (characterCount(Text) <= Most)
    return std::string(Text);
  return std::string(Text.substr(0, offsetOf(Text, Most - 1))) +
         std::string(Ellipsis);
}

// Each outermost list of template arguments as `<…>`. Shifts and comparisons
// stand in parentheses there, so brackets are brackets.
static std::string withoutTemplateArguments(std::string_view Name) {
  std::string Result;
  int Depth = 0, Parentheses = 0;
  for (const char C : Name) {
    if (Depth > 0)
      Parentheses += C == '(' ? 1 : C == ')' ? -1 : 0;
    const bool Counts = Parentheses == 0;
    if (C == '<' && Counts && Depth++ == 0)
      Result += "<" + std::string(Ellipsis);
    if (C == '>' && Counts && Depth > 0)
      --Depth;
    if (Depth == 0)
      Result += C;
  }
  return Result;
}

// With as few namespaces taken away as it needs to be short.
static std::string withoutFirstNamespaces(const std::string &Name) {
  for (size_t At = Name.find("::"); At != std::string::npos;
       At = Name.find("::", At + 2)) {
    const std::string Rest = std::string(Ellipsis) + Name.substr(At);
    if (characterCount(Rest) <= LongestPlotName)
      return Rest;
  }
  return Name;
}

std::string bankstripe::runtime::plotName(std::string_view Kernel) {
  std::string Name = functionName(repairText(Kernel));
  if (characterCount(Name) > LongestPlotName)
    Name = withoutTemplateArguments(Name);
  if (characterCount(Name) > LongestPlotName)
    Name = withoutFirstNamespaces(Name);
  const size_t Count = characterCount(Name);
  if (Count <= LongestPlotName)
    return Name;
  // The end of a qualified name says more than its namespaces.
  const size_t Kept = (LongestPlotName - 1) / 2;
  return Name.substr(0, offsetOf(Name, Kept)) + std::string(Ellipsis) +
         Name.substr(offsetOf(Name, Count - Kept));
}

std::string bankstripe::runtime::countText(uint64_t Count) {
  std::string Text = std::to_string(Count);
  for (size_t At = Text.size(); At > 3;)
    Text.insert(At -= 3, ",");
  return Text;
}

std::string bankstripe::runtime::pluralText(uint64_t Count,
                                            std::string_view One) {
  return fmt::format("{} {}{}", countText(Count), One,
                     Count == 1           ? ""
                     : One.ends_with('h') ? "es"
                                          : "s");
}

// Three digits that count, no more.
static std::string threeDigits(double Value) {
  const double Size = std::abs(Value);
  return fmt::format("{:.{}f}", Value, Size < 10 ? 2 : Size < 100 ? 1 : 0);
}

std::string
bankstripe::runtime::durationText(const std::optional<double> &Nanoseconds) {
  if (!Nanoseconds || !std::isfinite(*Nanoseconds))
    return "-";
  const double Size = std::abs(*Nanoseconds);
  if (Size < 999.5e3)
    return threeDigits(*Nanoseconds / 1e3) + " µs";
  if (Size < 999.5e6)
    return threeDigits(*Nanoseconds / 1e6) + " ms";
  return threeDigits(*Nanoseconds / 1e9) + " s";
}

std::string bankstripe::runtime::bytesText(uint64_t Bytes) {
  static constexpr const char *Units[] = {"KiB", "MiB", "GiB", "TiB"};
  if (Bytes < 1024)
    return pluralText(Bytes, "byte");
  double Value = static_cast<double>(Bytes) / 1024;
  size_t Unit = 0;
  for (; Value >= 1024 && Unit + 1 < std::size(Units); ++Unit)
    Value /= 1024;
  const bool IsWhole = Value == std::floor(Value);
  return (IsWhole ? fmt::format("{:.0f}", Value) : threeDigits(Value)) + " " +
         Units[Unit];
}

std::string
bankstripe::runtime::factorText(const std::optional<double> &Factor) {
  if (!Factor || !std::isfinite(*Factor))
    return "-";
  return threeDigits(*Factor) + "×";
}

std::string bankstripe::runtime::changeText(const std::string &Before,
                                            const std::string &After) {
  return Before == After ? Before : Before + " → " + After;
}

void FactList::add(const char *Term, const std::string &Text) {
  if (!Text.empty())
    Html += fmt::format("<dt>{}</dt><dd>{}</dd>\n", Term, escapeHtml(Text));
}

std::string FactList::html() const {
  return Html.empty() ? "" : "<dl class=\"facts\">\n" + Html + "</dl>\n";
}
