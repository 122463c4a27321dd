//===-- Text.cpp - what table and page say in the same words --------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "verify/Text.h"
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
