//===-- Page.cpp - a verification as a page -------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The frame of the page and what comes first on it: the verdict in the words of
// the text form, what it rests on, and the figures that sum everything up.
//
//===----------------------------------------------------------------------===//

#include "page/Page.h"
#include "page/Sections.h"
#include "page/Text.h"
#include "verify/Print.h"
#include "verify/Text.h"
#include <algorithm>
#include <fmt/format.h>

using namespace bankstripe::runtime;

std::string bankstripe::runtime::htmlSection(const std::string &Id,
                                             const std::string &Heading,
                                             const std::string &Body) {
  return fmt::format("<section id=\"{0}\" aria-labelledby=\"{0}-heading\">\n"
                     "<h2 id=\"{0}-heading\">{1}</h2>\n{2}</section>\n",
                     Id, escapeHtml(Heading), Body);
}

std::string bankstripe::runtime::htmlTable(const std::string &Attributes,
                                           const std::string &Caption,
                                           const std::string &Rows) {
  return fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"{0}\"><table {1}>\n"
      "<caption><span>{0}</span></caption>\n{2}\n</table></div>\n",
      escapeHtml(Caption), Attributes, Rows);
}

std::string
bankstripe::runtime::htmlColumns(const std::vector<std::string> &Headings) {
  std::string Html = "<thead><tr>";
  for (const std::string &Heading : Headings)
    Html += "<th scope=\"col\">" + Heading + "</th>";
  return Html + "</tr></thead>\n";
}

std::string bankstripe::runtime::htmlCell(const std::string &Text,
                                          std::optional<double> Value) {
  const std::string Key =
      Value ? fmt::format(" data-v=\"{:g}\"", *Value) : std::string();
  return fmt::format("<td class=\"figure\"{}>{}</td>", Key, escapeHtml(Text));
}

static std::vector<std::string> splitLines(const std::string &Text) {
  std::vector<std::string> Lines;
  for (size_t At = 0; At < Text.size();) {
    const size_t End = std::min(Text.find('\n', At), Text.size());
    Lines.push_back(Text.substr(At, End - At));
    At = End + 1;
  }
  return Lines;
}

namespace {

// How a verdict looks: never by its colour alone.
struct VerdictLook {
  const char *Class, *Sign, *Word;
};

} // namespace

static VerdictLook lookOf(Outcome Verdict) {
  switch (Verdict) {
  case Outcome::Identical:
    return {"good", "✓", "Identical"};
  case Outcome::Differs:
    return {"bad", "✗", "Differs"};
  case Outcome::CannotRecord:
    break;
  }
  return {"unsure", "?", "Not verified"};
}

// "identical: 4 launches" without what the heading says already.
static std::string withoutWord(const std::string &Line) {
  const size_t Colon = Line.find(": ");
  if (Colon == std::string::npos)
    return Line;
  const std::string Word = Line.substr(0, Colon);
  for (const char *Said : {"identical", "differs", "not verified", "note"})
    if (Word == Said)
      return Line.substr(Colon + 2);
  return Line;
}

// One item for each line and those that belong to it.
static std::string reservationItems(const VerifyReport &Report) {
  std::string Items;
  for (const std::string &Line :
       splitLines(printReservations(Report, /*Coloured=*/false))) {
    if (!Line.starts_with("  "))
      Items += (Items.empty() ? "<li>" : "</li>\n<li>") +
               escapeHtml(withoutWord(Line));
    else if (!Items.empty())
      Items += "<br/>" + escapeHtml(Line.substr(2));
  }
  return Items.empty() ? "" : Items + "</li>\n";
}

static std::string verdictSection(const VerifyReport &Report) {
  const VerdictLook Look = lookOf(Report.Verdict);
  const std::vector<std::string> Lines =
      splitLines(printVerdict(Report, /*Coloured=*/false));
  std::string Details;
  for (size_t I = 1; I < Lines.size(); ++I)
    Details +=
        escapeHtml(Lines[I].substr(Lines[I].starts_with("  ") ? 2 : 0)) + '\n';
  std::string Body = fmt::format(
      "<p class=\"word\"><span class=\"sign\" aria-hidden=\"true\">{}</span> "
      "{}</p>\n<p>{}</p>\n",
      Look.Sign, Look.Word, escapeHtml(withoutWord(Lines.front())));
  if (!Details.empty())
    Body += "<pre class=\"difference\" tabindex=\"0\">" + Details + "</pre>\n";
  if (const std::string Items = reservationItems(Report); !Items.empty())
    Body += "<h3>Reservations and notes</h3>\n<ul>\n" + Items + "</ul>\n";
  return fmt::format("<section id=\"verdict\" class=\"verdict {}\" "
                     "aria-label=\"Verdict\">\n<h2 class=\"label\">Verdict"
                     "</h2>\n{}</section>\n",
                     Look.Class, Body);
}

static std::string card(const std::string &Label, const std::string &Figure,
                        const std::string &Hint) {
  return fmt::format("<div class=\"card\"><dt>{}</dt><dd><strong>{}</strong>"
                     "<span>{}</span></dd></div>\n",
                     escapeHtml(Label), escapeHtml(Figure), escapeHtml(Hint));
}

static std::string kernelCard(const KernelRows &Kernels) {
  std::string Hint =
      fmt::format("{} equal, {} slower", Kernels.Equal, Kernels.Slower);
  if (Kernels.NotTimed)
    Hint += fmt::format(", {} not timed", Kernels.NotTimed);
  return card("Kernels", fmt::format("{} faster", Kernels.Faster), Hint);
}

// The kernel at which the program wins, or loses, the most.
static std::string extremeCard(const KernelRows &Kernels, bool Win) {
  // The rows are in the order of how much they won or lost.
  const auto Extreme = std::find_if(
      Kernels.Rows.begin(), Kernels.Rows.end(), [&](const KernelRow &Row) {
        return Win ? Row.Change == Effect::Faster && Row.won() > 0
                   : Row.Change == Effect::Slower && Row.won() < 0;
      });
  if (Extreme == Kernels.Rows.end())
    return "";
  return card(Win ? "Most time won" : "Most time lost",
              durationText(std::abs(Extreme->won())),
              Extreme->Short + ", " + factorText(Extreme->Speedup));
}

static std::string localCard(const KernelRows &Kernels) {
  const auto [Before, After] = Kernels.mostLocalBytes();
  return card("Local memory per thread",
              changeText(countText(Before), countText(After)),
              "bytes, of the kernel that takes most");
}

static std::string arraysCard(const HtmlPlan &Plan) {
  const auto Moved =
      std::count_if(Plan.Arrays.begin(), Plan.Arrays.end(),
                    [](const PlannedArray &A) { return A.changes(); });
  return card("Private arrays rewritten",
              fmt::format("{} of {}", Moved, Plan.Arrays.size()),
              "in " + pluralText(Plan.Changes.size(), "file"));
}

static std::string cards(const KernelRows &Kernels, const HtmlInputs &Inputs) {
  std::string Html;
  if (Kernels.speedup())
    Html += card("Time of all kernels", factorText(Kernels.speedup()),
                 durationText(Kernels.TotalBefore) + " → " +
                     durationText(Kernels.TotalAfter) + " per run");
  if (Kernels.Faster + Kernels.Equal + Kernels.Slower)
    Html += kernelCard(Kernels);
  Html += extremeCard(Kernels, true) + extremeCard(Kernels, false);
  if (!Kernels.Rows.empty())
    Html += localCard(Kernels);
  if (Inputs.Plan)
    Html += arraysCard(*Inputs.Plan);
  return Html.empty() ? "" : "<dl class=\"cards\">\n" + Html + "</dl>\n";
}

static std::string deviceText(const VerifyReport &Report,
                              const std::optional<GpuFacts> &Gpu) {
  if (Report.Device.empty())
    return "";
  std::string Text = Report.Device;
  if (!Report.Capability.empty())
    Text += " (compute capability " + Report.Capability + ")";
  if (Gpu)
    Text += fmt::format(", {} of up to {} threads",
                        pluralText(Gpu->Multiprocessors, "multiprocessor"),
                        countText(Gpu->ThreadsPerMultiprocessor));
  return Text;
}

static void addClocks(FactList &List, const VerifyReport &Report,
                      const std::optional<GpuFacts> &Gpu) {
  if (Report.OriginalClocks)
    List.add("clocks, original", clocksText(*Report.OriginalClocks));
  if (Report.RewrittenClocks)
    List.add("clocks, rewritten", clocksText(*Report.RewrittenClocks));
  if (Report.Runs && !Report.OriginalClocks && !Report.RewrittenClocks)
    List.add("clocks", Report.ClocksUnknown.empty()
                           ? "unknown"
                           : "unknown: " + Report.ClocksUnknown);
  if (Gpu && Gpu->MegaHertz)
    List.add("highest clock", fmt::format("{} MHz", Gpu->MegaHertz));
}

static std::string comparedText(const VerifyReport &Report) {
  const Comparison &C = Report.Launches;
  if (!Report.LaunchCount)
    return "";
  std::string Text =
      fmt::format("{} of {} compared", countText(C.ComparedLaunches),
                  pluralText(Report.LaunchCount, "launch"));
  if (C.UndigestedLaunches || !Report.Skipped.empty())
    Text += fmt::format(", their memory right after {} of them",
                        countText(Report.DigestedLaunches));
  if (C.DifferingLaunches)
    Text += fmt::format(", {} differ", countText(C.DifferingLaunches));
  if (!C.NotDeterministic.empty())
    Text += fmt::format(", {} not deterministic",
                        countText(C.NotDeterministic.size()));
  return Text;
}

static std::string outputText(const VerifyReport &Report) {
  const OutputComparison &O = Report.Output;
  if (!O.Compared)
    return "";
  return bytesText(Report.OutputBytes) +
         (O.NotDeterministic ? ", not the same in all runs of the original"
          : O.Differs        ? ", differs"
                             : ", the same");
}

static std::string factsSection(const VerifyReport &Report,
                                const HtmlInputs &Inputs) {
  FactList List;
  List.add("original", Report.OriginalCommand);
  List.add("rewritten", Report.RewrittenCommand);
  List.add("device", deviceText(Report, Inputs.Gpu));
  addClocks(List, Report, Inputs.Gpu);
  if (Inputs.Gpu && Inputs.Gpu->Driver)
    List.add("driver", fmt::format("for CUDA {}.{}", Inputs.Gpu->Driver / 1000,
                                   Inputs.Gpu->Driver % 1000 / 10));
  if (Report.LaunchCount)
    List.add("compared runs",
             fmt::format("{} of the original, to know what it reproduces "
                         "itself, and one of the rewritten program",
                         Report.Repeats));
  List.add("launches", comparedText(Report));
  if (Report.LaunchCount)
    List.add("memory",
             pluralText(Report.AllocationCount, "allocation") + ", " +
                 pluralText(Report.VariableCount, "__device__ variable"));
  List.add("output", outputText(Report));
  if (Report.LaunchCount)
    List.add("timed runs",
             Report.Runs ? countText(Report.Runs) + " of each program, in turns"
                         : "none");
  List.add("made on", Inputs.Time);
  const std::string Html = List.html();
  return Html.empty() ? "" : htmlSection("runs", "What was run", Html);
}

// The contents of the page: a link to each section that it has.
static std::string navigation(const std::string &Body) {
  static constexpr std::pair<const char *, const char *> Sections[] = {
      {"runs", "Runs"},         {"speedup", "Speedup"},
      {"time", "Time"},         {"resources", "Resources"},
      {"changes", "Rewritten"}, {"unchanged", "Not rewritten"},
      {"terms", "Predicted"}};
  std::string Links;
  for (const auto &[Id, Name] : Sections)
    if (Body.find(fmt::format("<section id=\"{}\"", Id)) != std::string::npos)
      Links += fmt::format("<a href=\"#{}\">{}</a>\n", Id, Name);
  return Links.empty() ? ""
                       : "<nav aria-label=\"Contents\">\n" + Links + "</nav>\n";
}

static std::string head(const std::string &Title) {
  return "<!DOCTYPE html>\n"
         "<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n"
         "<meta charset=\"utf-8\"/>\n"
         "<meta name=\"viewport\" content=\"width=device-width, "
         "initial-scale=1\"/>\n"
         "<meta name=\"color-scheme\" content=\"light dark\"/>\n"
         // Whatever happens to be in the file, nothing is loaded.
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
         "'none'; style-src 'unsafe-inline'; script-src "
         "'unsafe-inline'\"/>\n<title>" +
         Title + "</title>\n<style>/*<![CDATA[*/\n" + HtmlStyle +
         "/*]]>*/</style>\n</head>\n";
}

std::string bankstripe::runtime::htmlReport(const VerifyReport &Report,
                                            const HtmlInputs &Inputs) {
  const HtmlPlan *Plan = Inputs.Plan ? &*Inputs.Plan : nullptr;
  const KernelRows Kernels = kernelRows(Report, Plan, Inputs.Gpu);
  std::string Body = cards(Kernels, Inputs) + factsSection(Report, Inputs) +
                     speedupSection(Kernels) +
                     timeSection(Kernels, Report.Total) +
                     resourceSection(Kernels, Inputs.Gpu);
  if (Plan)
    Body += changesSection(*Plan) + unchangedSection(*Plan) +
            termsSection(*Plan, Kernels);
  const std::string Title =
      std::string(lookOf(Report.Verdict).Word) + " - bankstripe verify";
  return head(Title) + "<body>\n<header><h1>bankstripe verify</h1>\n" +
         navigation(Body) + "</header>\n<main>\n" + verdictSection(Report) +
         Body +
         "</main>\n<footer>made by bankstripe-verify " BANKSTRIPE_VERSION
         "</footer>\n<script>//<![CDATA[\n" +
         HtmlScript + "//]]></script>\n</body>\n</html>\n";
}
