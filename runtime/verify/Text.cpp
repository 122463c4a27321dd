//===-- Text.cpp - what table and page say in the same words --------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "verify/Text.h"
#include <cstring>
#include <fmt/color.h>
#include <fmt/format.h>

using namespace bankstripe::runtime;

// `void f<int>(int*)` is `f<int>`; `(anonymous namespace)::f(int*)` keeps its
// first parentheses.
std::string bankstripe::runtime::functionName(std::string_view Name) {
  if (Name.ends_with(')')) {
    int Depth = 0;
    size_t At = Name.size();
    while (At > 0) {
      --At;
      Depth += Name[At] == ')' ? 1 : Name[At] == '(' ? -1 : 0;
      if (Depth == 0)
        break;
    }
    if (At > 0)
      Name = Name.substr(0, At);
  }
  if (Name.starts_with("void "))
    Name.remove_prefix(5);
  return std::string(Name);
}

std::string bankstripe::runtime::spreadText(const std::optional<double> &Median,
                                            double Range) {
  return Median && *Median > 0 ? fmt::format("{:.1f} %", 50 * Range / *Median)
                               : "-";
}

std::string bankstripe::runtime::clocksText(const ClockSummary &Clocks) {
  const auto Range = [](unsigned Low, unsigned Median, unsigned High) {
    return Low == High ? fmt::format("{} MHz", Median)
                       : fmt::format("{} MHz ({} to {})", Median, Low, High);
  };
  return fmt::format(
      "SM {}, memory {}", Range(Clocks.SmLow, Clocks.SmMedian, Clocks.SmHigh),
      Range(Clocks.MemoryLow, Clocks.MemoryMedian, Clocks.MemoryHigh));
}

std::string bankstripe::runtime::plural(uint64_t Count,
                                        const std::string &One) {
  return fmt::format("{} {}{}", Count, One,
                     Count == 1           ? ""
                     : One.ends_with("h") ? "es"
                                          : "s");
}

std::string bankstripe::runtime::plainDurationText(
    const std::optional<double> &Nanoseconds) {
  if (!Nanoseconds)
    return "-";
  if (*Nanoseconds < 1e6)
    return fmt::format("{:.2f} us", *Nanoseconds / 1e3);
  if (*Nanoseconds < 1e9)
    return fmt::format("{:.3f} ms", *Nanoseconds / 1e6);
  return fmt::format("{:.3f} s", *Nanoseconds / 1e9);
}

static float asFloat(uint32_t Word) {
  float Value = 0;
  std::memcpy(&Value, &Word, sizeof Value);
  return Value;
}

static double asDouble(uint64_t Word) {
  double Value = 0;
  std::memcpy(&Value, &Word, sizeof Value);
  return Value;
}

std::string bankstripe::runtime::differenceText(const ByteDifference &B,
                                                std::string_view Original,
                                                std::string_view Rewritten) {
  std::string Text = fmt::format(
      "  first differing byte: {}; {} of the bytes {} to {} differ\n", B.Offset,
      B.DifferingBytes, B.Begin, B.End - 1);
  if (!B.ElementType.empty())
    return Text + fmt::format("  element {} ({}): {} {}, {} {}\n", B.Index,
                              B.ElementType, Original, B.OriginalValue,
                              Rewritten, B.RewrittenValue);
  const auto Word = [](uint32_t W) {
    return fmt::format("0x{:08x} (int {}, float {})", W,
                       static_cast<int32_t>(W), asFloat(W));
  };
  const auto Long = [](uint64_t W) {
    return fmt::format("0x{:016x} (int {}, double {})", W,
                       static_cast<int64_t>(W), asDouble(W));
  };
  return Text + fmt::format("  the word at byte {}: {} {}, {} {}\n"
                            "  64 bits at byte {}: {} {}, {} {}\n",
                            B.WordOffset, Original, Word(B.OriginalWord),
                            Rewritten, Word(B.RewrittenWord), B.LongOffset,
                            Original, Long(B.OriginalLong), Rewritten,
                            Long(B.RewrittenLong));
}

static fmt::terminal_color terminalColour(Colour Of) {
  switch (Of) {
  case Colour::Good:
    return fmt::terminal_color::green;
  case Colour::Bad:
    return fmt::terminal_color::red;
  case Colour::Marked:
    break;
  }
  return fmt::terminal_color::yellow;
}

std::string bankstripe::runtime::coloured(const std::string &Text, Colour As,
                                          bool Coloured) {
  return Coloured
             ? fmt::format(fmt::fg(terminalColour(As)) | fmt::emphasis::bold,
                           "{}", Text)
             : Text;
}
