//===-- Source.cpp - what was rewritten, and what was not -----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Diffs stand in <details>, closed, and a report stays a file that can be sent
// around: what is beyond a limit is counted and said to be left out.
//
//===----------------------------------------------------------------------===//

#include "page/Diff.h"
#include "page/Sections.h"
#include "page/Text.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>

using namespace bankstripe::runtime;

constexpr size_t MostBytesPerDiff = 40'000;
constexpr size_t MostBytesOfDiffs = 150'000;
constexpr size_t MostArrays = 200;

static std::string placeText(const PlannedPlace &Place) {
  return fmt::format("{}:{}", Place.File.substr(Place.File.rfind('/') + 1),
                     Place.Line);
}

// "kernel.cu:12", with the whole path as a title.
static std::string placeHtml(const PlannedPlace &Place) {
  if (Place.Line == 0)
    return "";
  return fmt::format("<code class=\"place\" title=\"{}\">{}</code>",
                     escapeHtml(Place.File), escapeHtml(placeText(Place)));
}

static std::string code(const std::string &Text) {
  return Text.empty() ? "" : "<code>" + escapeHtml(Text) + "</code>";
}

static std::string arrayHeading(const PlannedArray &A) {
  return fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td>"
                     "<td>{}</td><td>{}</td>",
                     code(A.Name), code(A.Type), escapeHtml(A.Index),
                     code(A.Function), placeHtml(A.Where));
}

static std::string becomesText(const PlannedArray &A) {
  std::string Text = A.Verdict;
  if (!A.Form.empty())
    Text += ", " + A.Form;
  if (!A.Storage.empty())
    Text += ", " + A.Storage;
  return Text;
}

static std::string movedTable(const std::vector<const PlannedArray *> &Moved) {
  std::string Rows =
      htmlColumns({"array", "type", "index", "function", "declared at",
                   "becomes", "shared bytes per block", "why"}) +
      "<tbody>\n";
  for (const PlannedArray *A : Moved)
    Rows += arrayHeading(*A) + "<td>" + escapeHtml(becomesText(*A)) + "</td>" +
            (A->SharedBytes ? htmlCell(countText(*A->SharedBytes),
                                       static_cast<double>(*A->SharedBytes))
                            : htmlCell("-", {})) +
            fmt::format("<td>{} {}</td></tr>\n", escapeHtml(A->Message),
                        code(A->Reason));
  return htmlTable("class=\"sortable arrays\"",
                   "The arrays that are not in local memory any more",
                   Rows + "</tbody>");
}

// As the diff calls the file, which is shorter than its path.
static std::string displayName(const ChangedSource &Change) {
  static constexpr std::string_view Mark = "\n+++ b/";
  const size_t At = Change.Diff.find(Mark);
  const size_t Hunk = Change.Diff.find("\n@@");
  if (At == std::string::npos || Hunk < At)
    return Change.File;
  const size_t Begin = At + Mark.size();
  return Change.Diff.substr(Begin, Change.Diff.find('\n', Begin) - Begin);
}

static std::string diffHtml(const ChangedSource &Change, size_t &BytesLeft) {
  const HtmlDiff Diff =
      htmlDiff(Change.Diff, std::min(BytesLeft, MostBytesPerDiff));
  BytesLeft -= std::min(BytesLeft, Diff.Html.size());
  std::string Html = fmt::format(
      "<details class=\"diff\"><summary><code title=\"{}\">{}</code> "
      "<span class=\"faster\">+{}</span> <span class=\"slower\">−{}</span>"
      "</summary>\n<pre tabindex=\"0\">{}</pre>\n",
      escapeHtml(Change.File), escapeHtml(displayName(Change)), Diff.Added,
      Diff.Removed, Diff.Html);
  if (Diff.LinesLeftOut)
    Html += fmt::format("<p class=\"hint\">{} more are left out here; "
                        "<code>bankstripe rewrite</code> prints them all.</p>",
                        pluralText(Diff.LinesLeftOut, "line"));
  return Html + "</details>\n";
}

// The first arrays that are wanted, and how many there are.
static std::vector<const PlannedArray *> select(const HtmlPlan &Plan,
                                                bool Changing, size_t &Count) {
  std::vector<const PlannedArray *> Selected;
  Count = 0;
  for (const PlannedArray &A : Plan.Arrays)
    if (A.changes() == Changing && ++Count <= MostArrays)
      Selected.push_back(&A);
  return Selected;
}

static std::string leftOutHtml(size_t Count) {
  if (Count <= MostArrays)
    return "";
  return fmt::format("<p class=\"hint\">{} more are left out here; "
                     "<code>bankstripe analyze</code> names them all.</p>\n",
                     countText(Count - MostArrays));
}

std::string bankstripe::runtime::changesSection(const HtmlPlan &Plan) {
  size_t Count = 0;
  const auto Moved = select(Plan, true, Count);
  std::string Body;
  size_t BytesLeft = MostBytesOfDiffs;
  for (const ChangedSource &Change : Plan.Changes)
    Body += diffHtml(Change, BytesLeft);
  if (!Moved.empty())
    Body += movedTable(Moved) + leftOutHtml(Count);
  if (Body.empty())
    Body = "<p>Nothing was rewritten.</p>\n";
  return htmlSection("changes", "What was rewritten", Body);
}

// What can be done something about comes first.
static int rankOf(const PlannedArray &A) {
  return A.Verdict == "keep" ? 0 : A.Verdict == "refuse" ? 1 : 2;
}

// Whether a reason is about another place than the array's, which its detail
// does not name.
static bool isElsewhere(const PlannedPlace &Place, const PlannedArray &A) {
  return Place.Line &&
         (Place.Line != A.Where.Line || Place.File != A.Where.File) &&
         A.Detail.find(placeText(Place)) == std::string::npos;
}

// All arrays with one reason share the message and the advice.
static std::string groupHtml(const std::vector<const PlannedArray *> &Group) {
  const PlannedArray &First = *Group.front();
  std::string Html = fmt::format(
      "<tbody>\n<tr class=\"group\"><th scope=\"rowgroup\" colspan=\"6\">"
      "<div>"
      "<span class=\"badge\">{}</span> {} {}",
      escapeHtml(First.Verdict), escapeHtml(First.Message), code(First.Reason));
  if (!First.Advice.empty())
    Html += "<br/><span class=\"advice\">to change that: " +
            escapeHtml(First.Advice) + "</span>";
  Html += "</div></th></tr>\n";
  for (const PlannedArray *A : Group) {
    std::string Detail = escapeHtml(A->Detail);
    if (isElsewhere(A->ReasonWhere, *A))
      Detail += (Detail.empty() ? "at " : ", at ") + placeHtml(A->ReasonWhere);
    Html += arrayHeading(*A) + "<td>" + Detail + "</td></tr>\n";
  }
  return Html + "</tbody>\n";
}

std::string bankstripe::runtime::unchangedSection(const HtmlPlan &Plan) {
  size_t Count = 0;
  const auto Kept = select(Plan, false, Count);
  if (Kept.empty())
    return "";
  std::map<std::pair<int, std::string>, std::vector<const PlannedArray *>>
      Groups;
  for (const PlannedArray *A : Kept)
    Groups[{rankOf(*A), A->Reason}].push_back(A);
  std::string Rows = htmlColumns({"array", "type", "index", "function",
                                  "declared at", "what stands against it"});
  for (const auto &[Key, Group] : Groups)
    Rows += groupHtml(Group);
  return htmlSection("unchanged", "What was not rewritten, and why",
                     htmlTable("class=\"arrays\"",
                               "Arrays that stay as they are, by the reason",
                               Rows) +
                         leftOutHtml(Count));
}
