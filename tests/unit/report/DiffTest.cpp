//===-- DiffTest.cpp - unified diffs --------------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Besides the exact text, each diff is applied by a strict reader, which takes
// no line number and no context on trust.
//
//===----------------------------------------------------------------------===//

#include "report/Report.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <random>

using namespace bankstripe;
using llvm::StringRef;

namespace {

std::string diffOf(const ChangedFile &File, StringRef Name = "a.cu") {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  printDiff(OS, Name, File);
  return Text;
}

// Of one edit that replaces all.
std::string diff(StringRef Before, StringRef After, StringRef Name = "a.cu") {
  return diffOf({Name.str(),
                 Before.str(),
                 After.str(),
                 {{0, unsigned(Before.size()), After.str()}}},
                Name);
}

// Without the two lines of names.
std::string hunks(StringRef Before, StringRef After) {
  std::string Text = diff(Before, After);
  return StringRef(Text).split('\n').second.split('\n').second.str();
}

/// Applies diffs, and fails on whatever does not fit.
class Patch {
public:
  Patch(StringRef Before, StringRef Text) : Before(Before), Text(Text) {}
  std::string apply();

private:
  bool readHeader(unsigned &LineA, unsigned &CountA, unsigned &LineB,
                  unsigned &CountB);
  std::string take(StringRef &From) {
    size_t End = From.find('\n');
    std::string Line =
        From.take_front(End == StringRef::npos ? End : End + 1).str();
    From = From.drop_front(Line.size());
    return Line;
  }
  // A line of the diff, without its newline where the file has none.
  std::string takeLine() {
    std::string Line = take(Text);
    if (Text.starts_with("\\ No newline at end of file\n")) {
      take(Text);
      Line.pop_back();
    }
    return Line;
  }

  StringRef Before;
  StringRef Text;
};

bool Patch::readHeader(unsigned &LineA, unsigned &CountA, unsigned &LineB,
                       unsigned &CountB) {
  std::string Line = take(Text);
  StringRef Rest = Line;
  auto range = [&](StringRef Prefix, unsigned &Begin, unsigned &Count) {
    Count = 1;
    if (!Rest.consume_front(Prefix) || Rest.consumeInteger(10, Begin))
      return false;
    return !Rest.consume_front(",") || !Rest.consumeInteger(10, Count);
  };
  bool Good = range("@@ -", LineA, CountA) && range(" +", LineB, CountB) &&
              Rest == " @@\n";
  // A range without lines names the line before it.
  LineA += CountA == 0;
  LineB += CountB == 0;
  return Good;
}

std::string Patch::apply() {
  if (Text.empty())
    return Before.str();
  take(Text);
  take(Text);
  std::string After;
  unsigned NextA = 1, NextB = 1;
  while (!Text.empty()) {
    unsigned LineA, CountA, LineB, CountB;
    if (!readHeader(LineA, CountA, LineB, CountB) || LineA < NextA)
      return "<bad header>";
    for (; NextA < LineA; ++NextA, ++NextB)
      After += take(Before);
    if (NextB != LineB)
      return "<wrong line>";
    while (CountA || CountB) {
      std::string Line = takeLine();
      char Kind = Line.empty() ? '?' : Line.front();
      Line.erase(0, 1);
      if (Kind != '+') {
        if (!CountA-- || take(Before) != Line)
          return "<context does not fit>";
        ++NextA;
      }
      if (Kind != '-') {
        if (!CountB--)
          return "<too many lines>";
        After += Line;
        ++NextB;
      }
    }
  }
  return After + Before.str();
}

void expectApplies(StringRef Before, StringRef After) {
  std::string Text = diff(Before, After);
  EXPECT_EQ(Patch(Before, Text).apply(), After.str()) << Text;
}

std::string lines(unsigned From, unsigned To) {
  std::string Text;
  for (unsigned I = From; I <= To; ++I)
    Text += std::to_string(I) + "\n";
  return Text;
}

TEST(Diff, NothingForEqualTexts) {
  EXPECT_EQ(diff("a\nb\n", "a\nb\n"), "");
  EXPECT_EQ(diff("", ""), "");
}

TEST(Diff, NamesBothSides) {
  EXPECT_EQ(diff("a\n", "b\n", "src/a.cu"),
            "--- a/src/a.cu\n+++ b/src/a.cu\n@@ -1 +1 @@\n-a\n+b\n");
  EXPECT_EQ(diff("a\n", "b\n", "/src/a.cu"),
            "--- a/src/a.cu\n+++ b/src/a.cu\n@@ -1 +1 @@\n-a\n+b\n");
}

// As git writes them, and patch reads.
TEST(Diff, NamesWithBlanksAndOtherCharacters) {
  EXPECT_TRUE(StringRef(diff("a\n", "b\n", "my src/a.cu"))
                  .starts_with("--- a/my src/a.cu\t\n+++ b/my src/a.cu\t\n"));
  EXPECT_TRUE(StringRef(diff("a\n", "b\n", "a\n\"\\.cu"))
                  .starts_with("--- \"a/a\\012\\\"\\\\.cu\"\n+++ "));
}

TEST(Diff, ThreeLinesOfContext) {
  EXPECT_EQ(hunks(lines(1, 9), lines(1, 4) + "five\n" + lines(6, 9)),
            "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
}

TEST(Diff, LessContextAtTheEnds) {
  EXPECT_EQ(hunks("1\n2\n3\n", "one\n2\n3\n"),
            "@@ -1,3 +1,3 @@\n-1\n+one\n 2\n 3\n");
  EXPECT_EQ(hunks("1\n2\n3\n", "1\n2\nthree\n"),
            "@@ -1,3 +1,3 @@\n 1\n 2\n-3\n+three\n");
}

TEST(Diff, InsertedAndRemovedLines) {
  EXPECT_EQ(hunks("1\n2\n", "1\nnew\n2\n"), "@@ -1,2 +1,3 @@\n 1\n+new\n 2\n");
  EXPECT_EQ(hunks("1\nold\n2\n", "1\n2\n"), "@@ -1,3 +1,2 @@\n 1\n-old\n 2\n");
}

TEST(Diff, FromAndToAnEmptyFile) {
  EXPECT_EQ(hunks("", "1\n2\n"), "@@ -0,0 +1,2 @@\n+1\n+2\n");
  EXPECT_EQ(hunks("1\n2\n", ""), "@@ -1,2 +0,0 @@\n-1\n-2\n");
}

TEST(Diff, SixKeptLinesJoinTwoHunks) {
  std::string Before = "a\n" + lines(1, 6) + "b\n";
  EXPECT_EQ(hunks(Before, "A\n" + lines(1, 6) + "B\n"),
            "@@ -1,8 +1,8 @@\n-a\n+A\n 1\n 2\n 3\n 4\n 5\n 6\n-b\n+B\n");
}

TEST(Diff, SevenKeptLinesPartTwoHunks) {
  std::string Before = "a\n" + lines(1, 7) + "b\n";
  EXPECT_EQ(hunks(Before, "A\n" + lines(1, 7) + "B\n"),
            "@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n 3\n"
            "@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-b\n+B\n");
}

TEST(Diff, LaterHunksCountEarlierInsertions) {
  std::string Before = "a\n" + lines(1, 8) + "b\n";
  EXPECT_EQ(hunks(Before, "a\nnew\n" + lines(1, 8) + "B\n"),
            "@@ -1,4 +1,5 @@\n a\n+new\n 1\n 2\n 3\n"
            "@@ -7,4 +8,4 @@\n 6\n 7\n 8\n-b\n+B\n");
}

TEST(Diff, NoNewlineAtTheEnd) {
  EXPECT_EQ(hunks("1\n2", "one\n2"),
            "@@ -1,2 +1,2 @@\n-1\n+one\n 2\n\\ No newline at end of file\n");
  EXPECT_EQ(hunks("1", "1\n"),
            "@@ -1 +1 @@\n-1\n\\ No newline at end of file\n+1\n");
  EXPECT_EQ(hunks("1\n", "1"),
            "@@ -1 +1 @@\n-1\n+1\n\\ No newline at end of file\n");
}

TEST(Diff, EachOfManyEdits) {
  ChangedFile File{"/a.cu", "", "", {}};
  for (unsigned I = 0; I < 20'000; ++I) {
    // What is added is like what follows.
    File.Edits.push_back(
        {unsigned(File.Before.size()) + 5, 0, "new\n}\nsame\n"});
    File.Before += "same\n}\n";
    File.After += "same\nnew\n}\nsame\n}\n";
  }
  const std::string Text = diffOf(File);
  EXPECT_EQ(Patch(File.Before, Text).apply(), File.After);
  EXPECT_EQ(StringRef(Text).count("\n+"), 60'001u); // With that of the name.
  EXPECT_EQ(StringRef(Text).count("\n-"), 0u);
}

// To compare so many lines would take gigabytes.
TEST(Diff, OneVeryLongEdit) {
  std::string Before, After;
  for (unsigned I = 0; I < 20'000; ++I) {
    Before += "old " + std::to_string(I) + "\n";
    After += "new\n";
  }
  expectApplies(Before, After);
}

// The first of two equal functions is as good as the second.
TEST(Diff, ShowsTheLastOfEqualLines) {
  ChangedFile File{"/a.cu", "f\n}\ng\n", "f\n}\nf\n}\ng\n", {{0, 0, "f\n}\n"}}};
  EXPECT_TRUE(StringRef(diffOf(File))
                  .ends_with("@@ -1,3 +1,5 @@\n f\n }\n+f\n+}\n g\n"));
}

TEST(Diff, CarriageReturnsAreKept) {
  EXPECT_EQ(hunks("1\r\n2\r\n", "1\r\ntwo\r\n"),
            "@@ -1,2 +1,2 @@\n 1\r\n-2\r\n+two\r\n");
  EXPECT_EQ(hunks("1\r\n", "1\n"), "@@ -1 +1 @@\n-1\r\n+1\n");
}

TEST(Diff, BytesThatAreNoTextAreKept) {
  EXPECT_EQ(hunks("\xE9\n", "\xFF\n"), "@@ -1 +1 @@\n-\xE9\n+\xFF\n");
}

TEST(Diff, IsShortest) {
  std::string Text = hunks("a\nb\nc\na\nb\nb\na\n", "c\nb\na\nb\na\nc\n");
  // Myers's own example: five changes.
  unsigned Changes = 0;
  llvm::SmallVector<StringRef> Lines;
  StringRef(Text).split(Lines, '\n');
  for (StringRef Line : Lines)
    Changes += Line.starts_with("+") || Line.starts_with("-");
  EXPECT_EQ(Changes, 5u);
  expectApplies("a\nb\nc\na\nb\nb\na\n", "c\nb\na\nb\na\nc\n");
}

// Few different lines, so that many of them match in many ways.
std::string randomText(std::mt19937 &Random, unsigned MostLines) {
  std::string Text;
  for (unsigned I = Random() % MostLines; I > 0; --I)
    Text += std::string(1, 'a' + Random() % 4) + "\n";
  if (!Text.empty() && Random() % 4 == 0)
    Text.pop_back();
  return Text;
}

TEST(Diff, AppliesWhateverTheTexts) {
  std::mt19937 Random(1);
  for (unsigned I = 0; I < 2000; ++I) {
    const std::string Before = randomText(Random, 30);
    expectApplies(Before, randomText(Random, 30));
  }
}

// Also of those that begin or end between two lines, or behind the last one.
TEST(Diff, AppliesWhateverTheEdits) {
  std::mt19937 Random(1);
  for (unsigned I = 0; I < 2000; ++I) {
    ChangedFile File{"/a.cu", randomText(Random, 20), "", {}};
    const unsigned Size = File.Before.size();
    unsigned Done = 0; // Up to there, After is written.
    for (unsigned Begin = Random() % 8; Begin <= Size;
         Begin = Done + 1 + Random() % 8) {
      const unsigned Length = std::min(unsigned(Random() % 5), Size - Begin);
      const TextEdit E{Begin, Length, randomText(Random, 4)};
      File.After += File.Before.substr(Done, Begin - Done) + E.Text;
      File.Edits.push_back(E);
      Done = E.end();
    }
    File.After += File.Before.substr(Done);
    EXPECT_EQ(Patch(File.Before, diffOf(File)).apply(), File.After);
  }
}

} // namespace
