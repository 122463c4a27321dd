//===-- Diff.cpp - unified diffs ------------------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The edits of a file say which of its lines change. What one edit writes may
// repeat lines that it replaces; a longest common subsequence of both keeps
// these.
//
//===----------------------------------------------------------------------===//

#include "report/Report.h"
#include "report/Terminal.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>

using namespace bankstripe;
using llvm::StringRef;

namespace {

using Lines = llvm::ArrayRef<StringRef>; // With their line endings.

/// One line of the diff: kept (' '), removed ('-') or added ('+').
struct DiffLine {
  char Kind;
  StringRef Text;
};

/// The lines that some edits touch: those from BeginA to EndA of the text
/// before, which became those up to EndB of the text after.
struct ChangedLines {
  size_t BeginA, EndA, EndB;
};

/// Two texts are compared if the product of their numbers of lines is at most
/// that.
constexpr size_t MostComparisons = 1 << 22;

} // namespace

static std::vector<StringRef> splitLines(StringRef Text) {
  std::vector<StringRef> Result;
  while (!Text.empty()) {
    const size_t Length = std::min(Text.find('\n'), Text.size() - 1) + 1;
    Result.push_back(Text.take_front(Length));
    Text = Text.drop_front(Length);
  }
  return Result;
}

static void addLines(char Kind, Lines Added, std::vector<DiffLine> &Diff) {
  for (StringRef Line : Added)
    Diff.push_back({Kind, Line});
}

// Adds what makes A the text B.
static void addComparison(Lines A, Lines B, std::vector<DiffLine> &Diff) {
  if (A.size() * B.size() > MostComparisons) {
    addLines('-', A, Diff);
    addLines('+', B, Diff);
    return;
  }
  // The length of a longest common subsequence of A from I on and B from J on.
  const size_t Columns = B.size() + 1;
  std::vector<unsigned> Common((A.size() + 1) * Columns);
  for (size_t I = A.size(); I-- > 0;)
    for (size_t J = B.size(); J-- > 0;)
      Common[I * Columns + J] = A[I] == B[J]
                                    ? Common[(I + 1) * Columns + J + 1] + 1
                                    : std::max(Common[(I + 1) * Columns + J],
                                               Common[I * Columns + J + 1]);
  size_t I = 0, J = 0;
  while (I < A.size() && J < B.size())
    if (A[I] == B[J])
      Diff.push_back({' ', A[I++]}), ++J;
    else if (Common[(I + 1) * Columns + J] >= Common[I * Columns + J + 1])
      Diff.push_back({'-', A[I++]});
    else
      Diff.push_back({'+', B[J++]});
  addLines('-', A.drop_front(I), Diff);
  addLines('+', B.drop_front(J), Diff);
}

static std::vector<ChangedLines> changedLines(const ChangedFile &File, Lines A,
                                              Lines B) {
  // How many lines begin up to there.
  auto LinesUntil = [](Lines All, size_t Offset) -> size_t {
    const char *End = All.empty() ? nullptr : All.front().data() + Offset;
    return std::ranges::upper_bound(All, End, {}, &StringRef::data) -
           All.begin();
  };
  std::vector<ChangedLines> Result;
  size_t Longer = 0; // Modulo 2^64, where the text got shorter.
  for (const TextEdit &E : File.Edits) {
    ChangedLines C;
    C.BeginA = std::max<size_t>(LinesUntil(A, E.Offset), 1) - 1;
    Longer += E.Text.size() - E.Length;
    C.EndA = LinesUntil(A, E.end());
    C.EndB = LinesUntil(B, E.end() + Longer);
    if (!Result.empty() && C.BeginA <= Result.back().EndA)
      Result.back().EndA = C.EndA, Result.back().EndB = C.EndB;
    else
      Result.push_back(C);
  }
  return Result;
}

static bool isKept(const DiffLine &Line) { return Line.Kind == ' '; }

// Of equal lines the last ones count as added or removed, and what is removed
// comes before what is added in its place: so do other programs.
static void tidy(std::vector<DiffLine> &Diff) {
  for (size_t Begin = 0, End = 0; Begin < Diff.size(); Begin = End) {
    const char Kind = Diff[Begin].Kind;
    while (End < Diff.size() && Diff[End].Kind == Kind)
      ++End;
    if (Kind == ' ' || (Begin > 0 && !isKept(Diff[Begin - 1])))
      continue;
    while (End < Diff.size() && isKept(Diff[End]) &&
           Diff[End].Text == Diff[Begin].Text)
      std::swap(Diff[Begin++].Kind, Diff[End++].Kind);
  }
  for (auto Begin = Diff.begin(); Begin != Diff.end();) {
    const auto Changed = std::find_if_not(Begin, Diff.end(), isKept);
    Begin = std::find_if(Changed, Diff.end(), isKept);
    std::stable_partition(
        Changed, Begin, [](const DiffLine &Line) { return Line.Kind == '-'; });
  }
}

static std::vector<DiffLine> compare(const ChangedFile &File) {
  const std::vector<StringRef> A = splitLines(File.Before),
                               B = splitLines(File.After);
  const Lines AllA = A, AllB = B;
  std::vector<DiffLine> Diff;
  size_t DoneA = 0, DoneB = 0; // Up to these lines all is in the diff.
  for (const ChangedLines &C : changedLines(File, A, B)) {
    const Lines Kept = AllA.slice(DoneA, C.BeginA - DoneA);
    addLines(' ', Kept, Diff);
    DoneB += Kept.size();
    addComparison(AllA.slice(C.BeginA, C.EndA - C.BeginA),
                  AllB.slice(DoneB, C.EndB - DoneB), Diff);
    DoneA = C.EndA;
    DoneB = C.EndB;
  }
  addLines(' ', AllA.drop_front(DoneA), Diff);
  tidy(Diff);
  return Diff;
}

static void printLine(llvm::raw_ostream &OS, const DiffLine &Line) {
  bool Colour = showsColours(OS) && Line.Kind != ' ';
  if (Colour)
    OS.changeColor(Line.Kind == '+' ? llvm::raw_ostream::GREEN
                                    : llvm::raw_ostream::RED);
  const StringRef Text = Line.Text.rtrim('\n');
  OS << Line.Kind << (OS.is_displayed() ? printable(Text) : Text.str());
  if (Colour)
    OS.resetColor();
  OS << '\n';
  if (!Line.Text.ends_with("\n"))
    OS << "\\ No newline at end of file\n";
}

static void printRange(llvm::raw_ostream &OS, unsigned Begin, unsigned Count) {
  OS << (Count ? Begin + 1 : Begin);
  if (Count != 1)
    OS << ',' << Count;
}

// As git writes it and patch reads it: with a tab behind a name that has
// blanks, and as a string of C where characters need that.
static std::string quotedPath(const std::string &Path) {
  auto IsSpecial = [](char C) {
    return C == '"' || C == '\\' || (llvm::isASCII(C) && !llvm::isPrint(C));
  };
  if (llvm::none_of(Path, IsSpecial))
    return StringRef(Path).contains(' ') ? Path + '\t' : Path;
  std::string Quoted = "\"";
  llvm::raw_string_ostream OS(Quoted);
  for (char C : Path)
    if (!IsSpecial(C))
      OS << C;
    else if (llvm::isPrint(C))
      OS << '\\' << C;
    else
      OS << '\\' << C / 64 << C / 8 % 8 << C % 8; // In octal digits.
  OS << '"';
  return Quoted;
}

void bankstripe::printDiff(llvm::raw_ostream &OS, StringRef Name,
                           const ChangedFile &File) {
  if (File.Before == File.After)
    return;
  constexpr size_t Context = 3;
  const std::vector<DiffLine> Diff = compare(File);
  Name.consume_front("/");
  // Where a program reads it, it is exact.
  const std::string Shown = OS.is_displayed() ? printable(Name) : Name.str();
  OS << "--- " << quotedPath("a/" + Shown) << "\n+++ "
     << quotedPath("b/" + Shown) << '\n';
  unsigned LineA = 0, LineB = 0;
  for (size_t I = 0; I < Diff.size();) {
    if (Diff[I].Kind == ' ') {
      ++I, ++LineA, ++LineB;
      continue;
    }
    // A hunk runs until more than two contexts of kept lines follow.
    size_t Lead = std::min<size_t>(Context, I), Begin = I - Lead, End = I;
    for (size_t J = I, Kept = 0; J < Diff.size() && Kept <= 2 * Context; ++J) {
      Kept = Diff[J].Kind == ' ' ? Kept + 1 : 0;
      if (!Kept)
        End = J + 1;
    }
    End = std::min(End + Context, Diff.size());
    unsigned CountA = 0, CountB = 0;
    for (size_t J = Begin; J < End; ++J) {
      CountA += Diff[J].Kind != '+';
      CountB += Diff[J].Kind != '-';
    }
    OS << "@@ -";
    printRange(OS, LineA - Lead, CountA);
    OS << " +";
    printRange(OS, LineB - Lead, CountB);
    OS << " @@\n";
    for (size_t J = Begin; J < End; ++J)
      printLine(OS, Diff[J]);
    LineA += CountA - Lead;
    LineB += CountB - Lead;
    I = End;
  }
}
