//===-- Plot.cpp - bars and axes as SVG -----------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "page/Plot.h"
#include "page/Text.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

using namespace bankstripe::runtime;

// Percents that are left free on both sides, for half a label.
constexpr double Margin = 4;
// More labels than these run into each other in a narrow window.
constexpr size_t MostTicks = 9;

// The factors of 1, 2 or 5 times a power of ten, or of powers of ten alone,
// from the last one below Low to the first one beyond High.
static std::vector<double> ticksAround(double Low, double High,
                                       bool OnlyPowers) {
  std::vector<double> Ticks;
  const int First = static_cast<int>(std::floor(std::log10(Low)));
  const int Last = static_cast<int>(std::ceil(std::log10(High)));
  for (int Power = First; Power <= Last; ++Power)
    for (const double Step : {1.0, 2.0, 5.0}) {
      if (OnlyPowers && Step != 1)
        continue;
      Ticks.push_back(Step * std::pow(10.0, Power));
    }
  // Rounding must not lose the tick that is the limit itself.
  const auto Begin =
      std::upper_bound(Ticks.begin(), Ticks.end(), Low * (1 + 1e-9));
  const auto End =
      std::lower_bound(Ticks.begin(), Ticks.end(), High * (1 - 1e-9));
  return {Begin == Ticks.begin() ? Begin : Begin - 1,
          End == Ticks.end() ? End : End + 1};
}

FactorAxis::FactorAxis(const std::vector<KernelRow> &Rows) {
  const auto Include = [&](double Factor) {
    if (std::isfinite(Factor) && Factor > 0) {
      Low = std::clamp(Factor, 1e-6, Low);
      High = std::clamp(Factor, High, 1e6);
    }
  };
  for (const KernelRow &Row : Rows) {
    if (Row.Speedup)
      Include(*Row.Speedup);
    if (Row.Sure) {
      Include(Row.Sure->Low);
      Include(Row.Sure->High);
    }
  }
  Ticks = ticksAround(Low, High, false);
  if (Ticks.size() > MostTicks)
    Ticks = ticksAround(Low, High, true);
  Low = Ticks.front();
  High = Ticks.back();
}

double FactorAxis::place(double Factor) const {
  const double Part =
      std::log(std::clamp(Factor, Low, High) / Low) / std::log(High / Low);
  return Margin + Part * (100 - 2 * Margin);
}

std::string bankstripe::runtime::axisPlot(const FactorAxis &Axis) {
  std::string Svg = R"(<svg class="axis" aria-hidden="true">)";
  for (const double Tick : Axis.ticks())
    Svg += fmt::format(R"(<text x="{:.2f}%" y="13">{:g}×</text>)",
                       Axis.place(Tick), Tick);
  return Svg + "</svg>";
}

static const char *classOf(Effect E) {
  switch (E) {
  case Effect::Faster:
    return "faster";
  case Effect::Slower:
    return "slower";
  case Effect::Equal:
  case Effect::Unknown:
    break;
  }
  return "equal";
}

std::string bankstripe::runtime::wonText(double Nanoseconds) {
  if (Nanoseconds == 0)
    return "no difference";
  return durationText(std::abs(Nanoseconds)) +
         (Nanoseconds > 0 ? " won" : " lost");
}

std::string bankstripe::runtime::speedupSentence(const KernelRow &Row) {
  if (!Row.Speedup)
    return Row.Name +
           (Row.isTimed() ? ": timed in one program only" : ": not timed");
  std::string Text = Row.Name + ": ";
  if (Row.Change == Effect::Equal)
    Text += "equal within the noise, ";
  Text += factorText(Row.Speedup) + " as fast as the original";
  if (Row.Sure)
    Text += fmt::format(" ({} to {})", factorText(Row.Sure->Low),
                        factorText(Row.Sure->High));
  return Text + "; " + wonText(Row.won()) + " per run";
}

std::string bankstripe::runtime::speedupPlot(const KernelRow &Row,
                                             const FactorAxis &Axis) {
  std::string Svg =
      fmt::format(R"(<svg class="bar {}" role="img"><title>{}</title>)",
                  classOf(Row.Change), escapeHtml(speedupSentence(Row)));
  for (const double Tick : Axis.ticks())
    Svg += fmt::format(R"(<line class="{0}" x1="{1:.2f}%" x2="{1:.2f}%" )"
                       R"(y1="-1" y2="31"/>)",
                       std::abs(Tick - 1) < 1e-9 ? "one" : "tick",
                       Axis.place(Tick));
  if (Row.Speedup) {
    const double One = Axis.place(1), End = Axis.place(*Row.Speedup);
    Svg += fmt::format(R"(<rect x="{:.2f}%" y="8" width="{:.2f}%" )"
                       R"(height="12"/>)",
                       std::min(One, End), std::abs(End - One));
    if (Row.Sure)
      Svg += fmt::format(R"(<line class="sure" x1="{:.2f}%" x2="{:.2f}%" )"
                         R"(y1="14" y2="14"/>)",
                         Axis.place(Row.Sure->Low), Axis.place(Row.Sure->High));
    Svg += fmt::format(R"(<circle cx="{:.2f}%" cy="14" r="5"/>)", End);
  }
  return Svg + "</svg>";
}

std::string bankstripe::runtime::timePlot(const KernelRow &Row, double Most) {
  const auto Width = [&](double Time) {
    return Most > 0 ? std::max(0.0, Time / Most * 100) : 0;
  };
  return fmt::format(
      R"(<svg class="pair {}" role="img"><title>{}</title>)"
      R"(<rect class="before" y="3" width="{:.2f}%" height="9"/>)"
      R"(<rect class="after" y="15" width="{:.2f}%" height="9"/></svg>)",
      classOf(Row.Change),
      escapeHtml(fmt::format(
          "{}: {} before, {} after", Row.Short,
          Row.MedianBefore ? durationText(Row.TotalBefore) : "nothing",
          Row.MedianAfter ? durationText(Row.TotalAfter) : "nothing")),
      Width(Row.TotalBefore), Width(Row.TotalAfter));
}
