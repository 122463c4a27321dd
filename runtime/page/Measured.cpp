//===-- Measured.cpp - times and resources of the kernels -----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every figure stands in a table; bars only repeat it. What is better or worse
// is said in words as well as by colour.
//
//===----------------------------------------------------------------------===//

#include "page/Plot.h"
#include "page/Sections.h"
#include "page/Text.h"
#include "verify/Text.h"
#include <algorithm>
#include <fmt/format.h>

using namespace bankstripe::runtime;

// Beyond this a name is cut in a title; it stands in full below the resources
// and in the title of its speedup.
constexpr size_t LongestTitle = 300;

static std::string kernelHeading(const KernelRow &Row,
                                 const std::string &Role = "") {
  return fmt::format(R"(<th scope="row"{} title="{}"><code>{}</code></th>)",
                     Role,
                     escapeHtml(cutText(repairText(Row.Name), LongestTitle)),
                     escapeHtml(Row.Short));
}

static std::string effectText(const KernelRow &Row) {
  switch (Row.Change) {
  case Effect::Faster:
    return R"(<span class="faster">▲ faster</span>)";
  case Effect::Slower:
    return R"(<span class="slower">▼ slower</span>)";
  case Effect::Equal:
    return R"(<span class="equal">= equal</span>)";
  case Effect::Unknown:
    break;
  }
  return std::string(R"(<span class="equal">)") +
         (Row.MedianBefore  ? "original only"
          : Row.MedianAfter ? "rewritten only"
                            : "not timed") +
         "</span>";
}

static std::string intervalText(const std::optional<Interval> &Sure) {
  return Sure ? fmt::format("{:.2f} to {:.2f}", Sure->Low, Sure->High)
              : std::string("-");
}

// A table whose rows become blocks in a narrow window loses its roles there,
// so this one has them written out.
static std::string speedupRow(const KernelRow &Row, const FactorAxis &Axis,
                              bool HasIntervals) {
  std::string Html = R"(<tr role="row">)";
  Html += kernelHeading(Row, R"( role="rowheader")");
  Html += R"(<td role="cell" class="plot">)" + speedupPlot(Row, Axis) + "</td>";
  const auto Cell = [&](const std::string &Class, const std::string &Content) {
    Html +=
        fmt::format(R"(<td role="cell" class="{}">{}</td>)", Class, Content);
  };
  Cell("figure", "<strong>" + factorText(Row.Speedup) + "</strong>");
  if (HasIntervals)
    Cell("figure", intervalText(Row.Sure));
  Cell("effect", effectText(Row));
  // What an equal kernel seems to win is noise.
  Cell("figure",
       Row.isTimed() && Row.Change != Effect::Equal ? wonText(Row.won()) : "-");
  return Html + "</tr>\n";
}

static std::string noiseSentence(const KernelRows &Kernels) {
  if (Kernels.HasIntervals)
    return "The line through a dot is the interval in which the speedup lies "
           "with a probability of 95 %; where it holds 1, the kernel is called "
           "equal.";
  return fmt::format("There are no intervals, which need --runs={} or more; "
                     "speedups within {:.0f} % of 1 are called equal.",
                     FewestRunsForInterval, AssumedNoise * 100);
}

std::string bankstripe::runtime::speedupSection(const KernelRows &Kernels) {
  if (Kernels.Rows.empty())
    return "";
  const FactorAxis Axis(Kernels.Rows);
  std::string Html =
      "<thead role=\"rowgroup\"><tr role=\"row\">"
      "<th scope=\"col\" role=\"columnheader\">kernel</th>"
      "<th scope=\"col\" role=\"columnheader\" class=\"plot\">"
      "<span class=\"ends\"><span>◀ slower</span><span>faster ▶</span></span>" +
      axisPlot(Axis) +
      "</th><th scope=\"col\" role=\"columnheader\">speedup</th>";
  if (Kernels.HasIntervals)
    Html += "<th scope=\"col\" role=\"columnheader\">95 % interval</th>";
  Html += "<th scope=\"col\" role=\"columnheader\">result</th>"
          "<th scope=\"col\" role=\"columnheader\">per run</th>"
          "</tr></thead>\n<tbody role=\"rowgroup\">\n";
  for (const KernelRow &Row : Kernels.Rows)
    Html += speedupRow(Row, Axis, Kernels.HasIntervals);
  Html += "</tbody>";
  return htmlSection(
      "speedup", "Speedup of each kernel",
      htmlTable("class=\"speedup\" role=\"table\"",
                "Time of the original over the time of the rewritten kernel, "
                "on a logarithmic axis; what won or lost the program most time "
                "comes first",
                Html) +
          "<p class=\"hint\">" + noiseSentence(Kernels) + "</p>");
}

static std::string totalText(double Total) {
  return Total > 0 ? durationText(Total) : "-";
}

static std::string shareText(double Part, double Whole) {
  return Whole > 0 ? fmt::format("{:.1f} %", Part / Whole * 100) : "-";
}

static std::string timeRow(const KernelRow &Row, const KernelRows &Kernels,
                           double Most) {
  return "<tr>" + kernelHeading(Row) + "<td class=\"plot\">" +
         timePlot(Row, Most) + "</td>" +
         htmlCell(Row.MedianBefore ? durationText(Row.TotalBefore) : "-",
                  Row.TotalBefore) +
         htmlCell(Row.MedianAfter ? durationText(Row.TotalAfter) : "-",
                  Row.TotalAfter) +
         htmlCell(wonText(Row.won()), Row.won()) +
         htmlCell(shareText(Row.TotalBefore, Kernels.TotalBefore),
                  Row.TotalBefore) +
         htmlCell(shareText(Row.TotalAfter, Kernels.TotalAfter),
                  Row.TotalAfter) +
         "</tr>\n";
}

std::string bankstripe::runtime::timeSection(const KernelRows &Kernels,
                                             const PairedTimes &Total) {
  if (Kernels.TotalBefore <= 0 && Kernels.TotalAfter <= 0)
    return "";
  double Most = 0;
  for (const KernelRow &Row : Kernels.Rows)
    Most = std::max({Most, Row.TotalBefore, Row.TotalAfter});
  std::string Html = htmlColumns(
      {"kernel",
       "<span class=\"key\"><span class=\"before\">before</span> "
       "<span class=\"after\">after</span></span>",
       "before", "after", "won or lost", "share before", "share after"});
  Html += "<tbody>\n";
  for (const KernelRow &Row : Kernels.Rows)
    if (Row.isTimed())
      Html += timeRow(Row, Kernels, Most);
  const double Won = Kernels.TotalBefore - Kernels.TotalAfter;
  Html += fmt::format("</tbody>\n<tfoot><tr><th scope=\"row\">all kernels</th>"
                      "<td class=\"plot\"></td>{}{}{}{}{}</tr></tfoot>",
                      htmlCell(totalText(Kernels.TotalBefore), {}),
                      htmlCell(totalText(Kernels.TotalAfter), {}),
                      htmlCell(wonText(Won), {}),
                      htmlCell("speedup " + factorText(Kernels.speedup()), {}),
                      htmlCell(Total.Sure ? intervalText(Total.Sure) : "", {}));
  return htmlSection(
      "time", "Time of the whole program",
      htmlTable("class=\"sortable times\"",
                "All launches of one run together, the median over the timed "
                "runs",
                Html) +
          "<p class=\"hint\">Time on the GPU alone. Copies, the host and the "
          "gaps between launches are not in it.</p>");
}

static std::string resourceCell(const KernelRow &Row,
                                unsigned Resources::*Field) {
  const auto Text = [&](const std::optional<Resources> &R) {
    return R ? countText((*R).*Field) : std::string("-");
  };
  const std::optional<Resources> &Last = Row.After ? Row.After : Row.Before;
  return htmlCell(changeText(Text(Row.Before), Text(Row.After)),
                  Last ? std::optional<double>((*Last).*Field) : std::nullopt);
}

static std::string reservedCell(const KernelRow &Row, const GpuFacts &Gpu) {
  const auto Text = [&](const std::optional<Resources> &R) {
    return R ? bytesText(reservedLocalBytes(R->LocalBytes, Gpu))
             : std::string("-");
  };
  const std::optional<Resources> &Last = Row.After ? Row.After : Row.Before;
  return htmlCell(changeText(Text(Row.Before), Text(Row.After)),
                  Last ? std::optional<double>(Last->LocalBytes)
                       : std::nullopt);
}

static std::string occupancyCell(const KernelRow &Row,
                                 const std::optional<GpuFacts> &Gpu) {
  const auto Text = [&](const std::optional<unsigned> &Warps) {
    if (!Warps)
      return std::string("-");
    if (!Gpu || !Gpu->warpsPerMultiprocessor())
      return std::to_string(*Warps);
    return fmt::format("{} ({:.0f} %)", *Warps,
                       100.0 * *Warps / Gpu->warpsPerMultiprocessor());
  };
  return htmlCell(changeText(Text(Row.WarpsBefore), Text(Row.WarpsAfter)),
                  Row.WarpsAfter ? std::optional<double>(*Row.WarpsAfter)
                                 : std::nullopt);
}

static std::string dynamicCell(const KernelRow &Row) {
  const auto Text = [](const std::optional<LaunchShape> &Shape) {
    return Shape ? countText(Shape->DynamicSharedBytes) : std::string("-");
  };
  return htmlCell(
      changeText(Text(Row.ShapeBefore), Text(Row.ShapeAfter)),
      Row.ShapeAfter ? std::optional<double>(Row.ShapeAfter->DynamicSharedBytes)
                     : std::nullopt);
}

// What the whole program needs is what its neediest kernel does.
static std::string reservedSentence(const KernelRows &Kernels,
                                    const std::optional<GpuFacts> &Gpu) {
  std::string Text =
      "Local memory set aside on the device = local memory per thread × "
      "threads that can be resident on a multiprocessor × multiprocessors, "
      "whatever the launch (so NVIDIA's engineers describe it: "
      "forums.developer.nvidia.com/t/289339). The driver keeps one such "
      "area per context, for its neediest kernel, and rounds it up; ";
  if (!Gpu)
    return Text + "the figures of this GPU are not known.";
  const auto [Before, After] = Kernels.mostLocalBytes();
  const auto Product = [&](unsigned Bytes) {
    return fmt::format("{} × {} × {} = {}", countText(Bytes),
                       countText(Gpu->ThreadsPerMultiprocessor),
                       Gpu->Multiprocessors,
                       bytesText(reservedLocalBytes(Bytes, *Gpu)));
  };
  return Text + "for these kernels " + Product(Before) + " before, " +
         Product(After) + " after.";
}

static std::string fullNames(const KernelRows &Kernels) {
  std::string List;
  for (const KernelRow &Row : Kernels.Rows)
    if (Row.Short != functionName(repairText(Row.Name)))
      List += fmt::format("<dt><code>{}</code></dt><dd><code>{}</code></dd>\n",
                          escapeHtml(Row.Short), escapeHtml(Row.Name));
  if (List.empty())
    return "";
  return "<details><summary>Full names of the kernels</summary><dl "
         "class=\"names\">\n" +
         List + "</dl></details>\n";
}

namespace {

// The columns that a table of resources has besides those that are always
// known.
struct ResourceColumns {
  bool Warps = false, DynamicShared = false;
};

} // namespace

static std::string resourceRow(const KernelRow &Row, ResourceColumns Has,
                               const std::optional<GpuFacts> &Gpu) {
  std::string Html =
      "<tr>" + kernelHeading(Row) +
      htmlCell(countText(Row.Launches), Row.Launches) +
      htmlCell(changeText(durationText(Row.MedianBefore),
                          durationText(Row.MedianAfter)),
               Row.MedianAfter) +
      htmlCell(spreadText(Row.MedianBefore, Row.SpreadBefore) + ", " +
                   spreadText(Row.MedianAfter, Row.SpreadAfter),
               {});
  if (Has.Warps)
    Html += occupancyCell(Row, Gpu);
  Html += resourceCell(Row, &Resources::Registers) +
          resourceCell(Row, &Resources::StaticSharedBytes);
  if (Has.DynamicShared)
    Html += dynamicCell(Row);
  Html += resourceCell(Row, &Resources::LocalBytes);
  if (Gpu)
    Html += reservedCell(Row, *Gpu);
  return Html + "</tr>\n";
}

std::string
bankstripe::runtime::resourceSection(const KernelRows &Kernels,
                                     const std::optional<GpuFacts> &Gpu) {
  if (Kernels.Rows.empty())
    return "";
  ResourceColumns Has;
  for (const KernelRow &Row : Kernels.Rows) {
    Has.Warps |= Row.WarpsBefore || Row.WarpsAfter;
    for (const auto &Shape : {Row.ShapeBefore, Row.ShapeAfter})
      Has.DynamicShared |= Shape && Shape->DynamicSharedBytes > 0;
  }
  std::vector<std::string> Columns = {"kernel", "launches", "median launch",
                                      "spread"};
  if (Has.Warps)
    Columns.emplace_back("resident warps");
  Columns.insert(Columns.end(), {"registers", "static shared"});
  if (Has.DynamicShared)
    Columns.emplace_back("dynamic shared");
  Columns.emplace_back("local per thread");
  if (Gpu)
    Columns.emplace_back("local memory set aside");
  std::string Html = htmlColumns(Columns) + "<tbody>\n";
  for (const KernelRow &Row : Kernels.Rows)
    Html += resourceRow(Row, Has, Gpu);
  Html += "</tbody>";
  std::string Hint =
      "Registers are per thread, shared memory per block, in bytes, as the "
      "driver says of the first launch. The spread is half the distance "
      "between the quartiles of the runs' medians, before and after.";
  if (Has.Warps)
    Hint += Gpu ? " Resident warps are those of a multiprocessor, computed "
                  "with the toolkit's cuda_occupancy.h for the first launch."
                : " Resident warps are those of a multiprocessor, as the plan "
                  "computed them for the largest block.";
  return htmlSection("resources", "Resources",
                     htmlTable("class=\"sortable\"",
                               "What each kernel takes: before → after, or "
                               "once where nothing changes",
                               Html) +
                         "<p class=\"hint\">" + escapeHtml(Hint) +
                         "</p>\n<p class=\"hint\">" +
                         escapeHtml(reservedSentence(Kernels, Gpu)) + "</p>\n" +
                         fullNames(Kernels));
}
