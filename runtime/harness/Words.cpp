//===-- Words.cpp - what all reports say in the same words ----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "harness/Words.h"
#include "contract/Symbols.h"
#include <fmt/format.h>

using namespace bankstripe;
using namespace bankstripe::runtime;

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

std::string bankstripe::runtime::differenceText(const ByteDifference &B,
                                                std::string_view Original,
                                                std::string_view Rewritten) {
  std::string Text = fmt::format(
      "  first differing byte: {}; {} of the bytes {} to {} differ\n", B.Offset,
      B.DifferingBytes, B.Begin, B.End - 1);
  for (const ElementDifference &E : B.Elements)
    Text += fmt::format("  element {} ({}): {} {}, {} {}\n", E.Index, E.Type,
                        Original, E.Original, Rewritten, E.Rewritten);
  return Text;
}

std::string bankstripe::runtime::memoryName(const std::string &Variable,
                                            unsigned Number, uint64_t Bytes) {
  return fmt::format("{} ({})",
                     Variable.empty() ? fmt::format("allocation {}", Number)
                                      : "variable " + canonicalName(Variable),
                     plural(Bytes, "byte"));
}
