//===-- Diff.cpp - unified diffs ------------------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lines are matched by the greedy algorithm of E. W. Myers, "An O(ND)
// difference algorithm and its variations", Algorithmica 1 (1986), which finds
// a shortest edit script. Its time and memory are O(D^2) for D changed lines,
// so where there are many it is asked about each edit by itself. Within one
// that is very long, it goes to the furthest point that a limited number of
// changed lines reaches, and on from there.
//
//===----------------------------------------------------------------------===//

#include "report/Report.h"
#include "report/Terminal.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <optional>

using namespace bankstripe;
using llvm::StringRef;

namespace {

using Lines = std::vector<StringRef>; // With their line endings.

/// The most changed lines that a search looks for at a time.
constexpr int MostEdits = 2000;

/// One line of the script: kept (' '), removed ('-') or added ('+').
struct ScriptLine {
  char Kind;
  StringRef Text;
};

} // namespace

static Lines splitLines(StringRef Text) {
  Lines Result;
  while (!Text.empty()) {
    size_t Newline = Text.find('\n');
    size_t Length = Newline == StringRef::npos ? Text.size() : Newline + 1;
    Result.push_back(Text.take_front(Length));
    Text = Text.drop_front(Length);
  }
  return Result;
}

namespace {

/// One search, from the first lines of both texts.
struct Search {
  /// The furthest points per diagonal after each number of edits.
  std::vector<std::vector<int>> Trace;
  int X = 0, Y = 0; ///< So many lines of both it got through.
  int Edits = 0;    ///< With so many of them.
};

} // namespace

static void addLines(char Kind, llvm::ArrayRef<StringRef> Lines,
                     std::vector<ScriptLine> &Script) {
  for (StringRef Line : Lines)
    Script.push_back({Kind, Line});
}

static Search searchForward(llvm::ArrayRef<StringRef> A,
                            llvm::ArrayRef<StringRef> B) {
  const int N = A.size(), M = B.size(), Max = std::min(N + M, MostEdits);
  std::vector<int> Furthest(2 * Max + 3, 0);
  Search Result;
  for (int D = 0; D <= Max; ++D) {
    // Only the diagonals that this step looks at.
    Result.Trace.emplace_back(Furthest.begin() + Max - D,
                              Furthest.begin() + Max + D + 1);
    for (int K = -D; K <= D; K += 2) {
      bool Down =
          K == -D || (K != D && Furthest[Max + K - 1] < Furthest[Max + K + 1]);
      int X = Down ? Furthest[Max + K + 1] : Furthest[Max + K - 1] + 1;
      int Y = X - K;
      while (X < N && Y < M && A[X] == B[Y])
        ++X, ++Y;
      Furthest[Max + K] = X;
      if (X <= N && Y <= M && X + Y >= Result.X + Result.Y)
        Result.X = X, Result.Y = Y, Result.Edits = D;
      if (X >= N && Y >= M)
        return Result;
    }
  }
  return Result;
}

// Adds the script of a search to Script.
static void addScript(const Search &Found, llvm::ArrayRef<StringRef> A,
                      llvm::ArrayRef<StringRef> B,
                      std::vector<ScriptLine> &Script) {
  const size_t Begin = Script.size();
  int X = Found.X, Y = Found.Y;
  for (int D = Found.Edits; D > 0; --D) {
    const std::vector<int> &Furthest = Found.Trace[D]; // Of K at index D + K.
    int K = X - Y;
    bool Down =
        K == -D || (K != D && Furthest[D + K - 1] < Furthest[D + K + 1]);
    int FromX = Down ? Furthest[D + K + 1] : Furthest[D + K - 1];
    int FromY = FromX - (Down ? K + 1 : K - 1);
    // The kept lines behind the edit, then the edit itself.
    while (X > (Down ? FromX : FromX + 1))
      --X, --Y, Script.push_back({' ', A[X]});
    if (Down)
      Script.push_back({'+', B[--Y]});
    else
      Script.push_back({'-', A[--X]});
    X = FromX, Y = FromY;
  }
  while (X > 0)
    Script.push_back({' ', A[--X]});
  std::reverse(Script.begin() + Begin, Script.end());
}

// What makes A the text B; nothing if that takes more than one search \p
// AtOnce.
static std::optional<std::vector<ScriptLine>>
scriptOf(llvm::ArrayRef<StringRef> A, llvm::ArrayRef<StringRef> B,
         bool AtOnce) {
  const auto Front = std::ranges::mismatch(A, B).in1 - A.begin();
  const llvm::ArrayRef<StringRef> Head = A.take_front(Front);
  A = A.drop_front(Front);
  B = B.drop_front(Front);
  size_t Back = 0;
  while (Back < std::min(A.size(), B.size()) &&
         A[A.size() - 1 - Back] == B[B.size() - 1 - Back])
    ++Back;
  const llvm::ArrayRef<StringRef> Tail = A.take_back(Back);
  A = A.drop_back(Back);
  B = B.drop_back(Back);
  std::vector<ScriptLine> Script;
  addLines(' ', Head, Script);
  while (!A.empty() && !B.empty()) {
    const Search Found = searchForward(A, B);
    addScript(Found, A, B, Script);
    A = A.drop_front(Found.X);
    B = B.drop_front(Found.Y);
    if (AtOnce && (!A.empty() || !B.empty()))
      return std::nullopt;
  }
  addLines('-', A, Script);
  addLines('+', B, Script);
  addLines(' ', Tail, Script);
  return Script;
}

namespace {

/// Lines from Begin to End of the text before and after.
struct Part {
  size_t BeginA, EndA, BeginB, EndB;
};

} // namespace

// The lines that edits are in.
static std::vector<Part> changedParts(const ChangedFile &File, const Lines &A,
                                      const Lines &B) {
  // How many lines begin up to there.
  auto LinesUntil = [](const Lines &All, size_t Offset) -> size_t {
    const char *At = All.empty() ? nullptr : All.front().data() + Offset;
    return std::ranges::upper_bound(All, At, {}, &StringRef::data) -
           All.begin();
  };
  std::vector<Part> Result;
  size_t Longer = 0; // Modulo 2^64, where the text got shorter.
  for (const TextEdit &E : File.Edits) {
    Part P;
    P.BeginA = std::max<size_t>(LinesUntil(A, E.Offset), 1) - 1;
    P.BeginB = std::max<size_t>(LinesUntil(B, E.Offset + Longer), 1) - 1;
    Longer += E.Text.size() - E.Length;
    P.EndA = LinesUntil(A, E.end());
    P.EndB = LinesUntil(B, E.end() + Longer);
    if (!Result.empty() && P.BeginA < Result.back().EndA)
      Result.back().EndA = P.EndA, Result.back().EndB = P.EndB;
    else
      Result.push_back(P);
  }
  return Result;
}

static std::vector<ScriptLine> compare(const ChangedFile &File) {
  const Lines A = splitLines(File.Before), B = splitLines(File.After);
  const std::vector<Part> Parts = changedParts(File, A, B);
  if (auto Script = scriptOf(A, B, /*AtOnce=*/!Parts.empty()))
    return std::move(*Script);
  std::vector<ScriptLine> Script;
  const llvm::ArrayRef<StringRef> AllA = A, AllB = B;
  size_t Done = 0;
  for (const Part &P : Parts) {
    addLines(' ', AllA.slice(Done, P.BeginA - Done), Script);
    llvm::append_range(Script,
                       *scriptOf(AllA.slice(P.BeginA, P.EndA - P.BeginA),
                                 AllB.slice(P.BeginB, P.EndB - P.BeginB),
                                 /*AtOnce=*/false));
    Done = P.EndA;
  }
  addLines(' ', AllA.drop_front(Done), Script);
  return Script;
}

static void printLine(llvm::raw_ostream &OS, const ScriptLine &Line) {
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

void bankstripe::printDiff(llvm::raw_ostream &OS, StringRef Name,
                           const ChangedFile &File) {
  if (File.Before == File.After)
    return;
  constexpr size_t Context = 3;
  const std::vector<ScriptLine> Script = compare(File);
  Name.consume_front("/");
  // Where a program reads it, it is exact.
  const std::string Shown = OS.is_displayed() ? printable(Name) : Name.str();
  OS << "--- a/" << Shown << "\n+++ b/" << Shown << '\n';
  unsigned LineA = 0, LineB = 0;
  for (size_t I = 0; I < Script.size();) {
    if (Script[I].Kind == ' ') {
      ++I, ++LineA, ++LineB;
      continue;
    }
    // A hunk runs until more than two contexts of kept lines follow.
    size_t Lead = std::min<size_t>(Context, I), Begin = I - Lead, End = I;
    for (size_t J = I, Kept = 0; J < Script.size() && Kept <= 2 * Context;
         ++J) {
      Kept = Script[J].Kind == ' ' ? Kept + 1 : 0;
      if (!Kept)
        End = J + 1;
    }
    End = std::min(End + Context, Script.size());
    unsigned CountA = 0, CountB = 0;
    for (size_t J = Begin; J < End; ++J) {
      CountA += Script[J].Kind != '+';
      CountB += Script[J].Kind != '-';
    }
    OS << "@@ -";
    printRange(OS, LineA - Lead, CountA);
    OS << " +";
    printRange(OS, LineB - Lead, CountB);
    OS << " @@\n";
    for (size_t J = Begin; J < End; ++J)
      printLine(OS, Script[J]);
    LineA += CountA - Lead;
    LineB += CountB - Lead;
    I = End;
  }
}
