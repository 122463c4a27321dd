//===-- Diff.cpp - unified diffs ------------------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lines are matched by the greedy algorithm of E. W. Myers, "An O(ND)
// difference algorithm and its variations", Algorithmica 1 (1986), which finds
// a shortest edit script. D, the number of changed lines, is small here, and
// lines that both ends share are cut off first, so its memory of O(D^2) does
// not matter.
//
//===----------------------------------------------------------------------===//

#include "report/Report.h"
#include "report/Terminal.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace bankstripe;
using llvm::StringRef;

namespace {

using Lines = std::vector<StringRef>; // With their line endings.

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

// The furthest points per diagonal after each number of edits.
static std::vector<std::vector<int>>
searchForward(llvm::ArrayRef<StringRef> A, llvm::ArrayRef<StringRef> B) {
  const int N = A.size(), M = B.size(), Max = N + M;
  std::vector<int> Furthest(2 * Max + 3, 0);
  std::vector<std::vector<int>> Trace;
  for (int D = 0; D <= Max; ++D) {
    // Only the diagonals that this step looks at.
    Trace.emplace_back(Furthest.begin() + Max - D,
                       Furthest.begin() + Max + D + 1);
    for (int K = -D; K <= D; K += 2) {
      bool Down =
          K == -D || (K != D && Furthest[Max + K - 1] < Furthest[Max + K + 1]);
      int X = Down ? Furthest[Max + K + 1] : Furthest[Max + K - 1] + 1;
      int Y = X - K;
      while (X < N && Y < M && A[X] == B[Y])
        ++X, ++Y;
      Furthest[Max + K] = X;
      if (X >= N && Y >= M)
        return Trace;
    }
  }
  return Trace;
}

static std::vector<ScriptLine> shortestScript(llvm::ArrayRef<StringRef> A,
                                              llvm::ArrayRef<StringRef> B) {
  std::vector<ScriptLine> Backwards;
  int X = A.size(), Y = B.size();
  std::vector<std::vector<int>> Trace = searchForward(A, B);
  for (int D = static_cast<int>(Trace.size()) - 1; D > 0; --D) {
    const std::vector<int> &Furthest = Trace[D]; // Diagonal K at index D + K.
    int K = X - Y;
    bool Down =
        K == -D || (K != D && Furthest[D + K - 1] < Furthest[D + K + 1]);
    int FromX = Down ? Furthest[D + K + 1] : Furthest[D + K - 1];
    int FromY = FromX - (Down ? K + 1 : K - 1);
    // The kept lines behind the edit, then the edit itself.
    while (X > (Down ? FromX : FromX + 1))
      --X, --Y, Backwards.push_back({' ', A[X]});
    if (Down)
      Backwards.push_back({'+', B[--Y]});
    else
      Backwards.push_back({'-', A[--X]});
    X = FromX, Y = FromY;
  }
  while (X > 0)
    Backwards.push_back({' ', A[--X]});
  std::reverse(Backwards.begin(), Backwards.end());
  return Backwards;
}

static std::vector<ScriptLine> compare(const Lines &A, const Lines &B) {
  size_t Front = 0;
  while (Front < std::min(A.size(), B.size()) && A[Front] == B[Front])
    ++Front;
  size_t Back = 0;
  while (Back < std::min(A.size(), B.size()) - Front &&
         A[A.size() - 1 - Back] == B[B.size() - 1 - Back])
    ++Back;
  std::vector<ScriptLine> Script;
  Script.reserve(A.size() + B.size());
  for (size_t I = 0; I < Front; ++I)
    Script.push_back({' ', A[I]});
  llvm::ArrayRef<StringRef> MiddleA(A), MiddleB(B);
  llvm::append_range(
      Script, shortestScript(MiddleA.slice(Front, A.size() - Front - Back),
                             MiddleB.slice(Front, B.size() - Front - Back)));
  for (size_t I = A.size() - Back; I < A.size(); ++I)
    Script.push_back({' ', A[I]});
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
                           StringRef Before, StringRef After) {
  if (Before == After)
    return;
  constexpr size_t Context = 3;
  std::vector<ScriptLine> Script =
      compare(splitLines(Before), splitLines(After));
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
