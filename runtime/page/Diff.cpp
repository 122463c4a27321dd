//===-- Diff.cpp - unified diffs as HTML ----------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rewriter changes lines in place more often than it adds any, so lines
// that are removed and added side by side are taken as pairs, and what lies
// between their common beginning and end is marked.
//
//===----------------------------------------------------------------------===//

#include "page/Diff.h"
#include "page/Text.h"
#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <vector>

using namespace bankstripe::runtime;

namespace {

struct Line {
  char Kind; // ' ', '+', '-', '@' or '\\'.
  std::string Text;
  unsigned Old = 0, New = 0; // Numbers; 0 where there is none.
  size_t Begin = 0, End = 0; // What differs from its partner.
};

} // namespace

// In "@@ -10,7 +12,9 @@".
static unsigned numberBehind(const std::string &Text, const char *Mark) {
  const size_t At = Text.find(Mark);
  if (At == std::string::npos)
    return 0;
  return static_cast<unsigned>(
      std::strtoul(Text.c_str() + At + 2, nullptr, 10));
}

static std::vector<Line> splitLines(const std::string &Unified) {
  std::vector<Line> Lines;
  unsigned Old = 0, New = 0;
  bool InHunk = false;
  for (size_t At = 0; At < Unified.size();) {
    const size_t End = std::min(Unified.find('\n', At), Unified.size());
    std::string Text =
        repairText(std::string_view(Unified).substr(At, End - At));
    At = End + 1;
    if (Text.starts_with("@@")) {
      InHunk = true;
      Old = numberBehind(Text, " -");
      New = numberBehind(Text, " +");
      Lines.push_back({'@', Text});
      continue;
    }
    if (!InHunk)
      continue;
    const char Kind = Text.empty() ? ' ' : Text[0];
    Line L{Kind, Text};
    if (Kind == ' ' || Kind == '-')
      L.Old = Old++;
    if (Kind == ' ' || Kind == '+')
      L.New = New++;
    Lines.push_back(std::move(L));
  }
  return Lines;
}

// Marks where two lines differ; nothing when they have hardly anything in
// common.
static void markPair(Line &A, Line &B) {
  const size_t Most = std::min(A.Text.size(), B.Text.size());
  size_t Begin = 1, Behind = 0;
  while (Begin < Most && A.Text[Begin] == B.Text[Begin])
    ++Begin;
  const auto Continues = [](const std::string &Text, size_t At) {
    return At < Text.size() && isContinuation(Text[At]);
  };
  while (Begin > 1 && (Continues(A.Text, Begin) || Continues(B.Text, Begin)))
    --Begin;
  while (Behind + Begin < Most && A.Text[A.Text.size() - Behind - 1] ==
                                      B.Text[B.Text.size() - Behind - 1])
    ++Behind;
  while (Behind > 0 && Continues(A.Text, A.Text.size() - Behind))
    --Behind;
  if (3 * (Begin + Behind) < Most)
    return;
  A.Begin = B.Begin = Begin;
  A.End = A.Text.size() - Behind;
  B.End = B.Text.size() - Behind;
}

static void markPairs(std::vector<Line> &Lines) {
  for (size_t At = 0; At < Lines.size();) {
    size_t Removed = 0, Added = 0;
    while (At + Removed < Lines.size() && Lines[At + Removed].Kind == '-')
      ++Removed;
    while (At + Removed + Added < Lines.size() &&
           Lines[At + Removed + Added].Kind == '+')
      ++Added;
    if (Removed == Added)
      for (size_t I = 0; I < Removed; ++I)
        markPair(Lines[At + I], Lines[At + Removed + I]);
    At += std::max<size_t>(Removed + Added, 1);
  }
}

static std::string markedText(const Line &L) {
  if (L.Begin >= L.End)
    return escapeHtml(L.Text);
  return escapeHtml(L.Text.substr(0, L.Begin)) + "<b>" +
         escapeHtml(L.Text.substr(L.Begin, L.End - L.Begin)) + "</b>" +
         escapeHtml(L.Text.substr(L.End));
}

static std::string numbers(const Line &L) {
  const auto One = [](unsigned Number) {
    return Number ? std::to_string(Number) : std::string();
  };
  return fmt::format("{:>5} {:>5}", One(L.Old), One(L.New));
}

static std::string lineHtml(const Line &L) {
  if (L.Kind == '@')
    return fmt::format("<span class=\"hunk\">{}\n</span>", escapeHtml(L.Text));
  const char *Element = L.Kind == '+' ? "ins" : L.Kind == '-' ? "del" : "span";
  return fmt::format("<{0} data-n=\"{1}\">{2}\n</{0}>", Element, numbers(L),
                     markedText(L));
}

HtmlDiff bankstripe::runtime::htmlDiff(const std::string &Unified,
                                       size_t MostBytes) {
  HtmlDiff Diff;
  std::vector<Line> Lines = splitLines(Unified);
  markPairs(Lines);
  for (const Line &L : Lines) {
    Diff.Added += L.Kind == '+';
    Diff.Removed += L.Kind == '-';
    if (Diff.LinesLeftOut == 0) {
      const std::string Html = lineHtml(L);
      if (Diff.Html.size() + Html.size() <= MostBytes) {
        Diff.Html += Html;
        continue;
      }
    }
    ++Diff.LinesLeftOut;
  }
  return Diff;
}
