//===-- Annotations.cpp - code with marks in it ---------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "support/Annotations.h"
#include "llvm/ADT/StringExtras.h"

using namespace bankstripe::testing;
using llvm::StringRef;

static bool isNameCharacter(char C) { return llvm::isAlnum(C) || C == '_'; }

Annotations::Annotations(StringRef Marked) {
  struct Open {
    size_t Mark;       ///< Index of the range in Marks.
    unsigned Brackets; ///< Square brackets open inside it.
  };
  std::vector<Open> Ranges;
  while (!Marked.empty()) {
    // `$name` belongs to a mark only when one follows.
    StringRef Rest = Marked, Name;
    if (Rest.consume_front("$")) {
      Name = Rest.take_while(isNameCharacter);
      Rest = Rest.drop_front(Name.size());
    }
    const unsigned At = Code.size();
    if (Rest.consume_front("^")) {
      Marks.push_back({Name.str(), At, At});
      Marked = Rest;
      continue;
    }
    if (Rest.consume_front("[[")) {
      Ranges.push_back({Marks.size(), 0});
      Marks.push_back({Name.str(), At, At});
      Marked = Rest;
      continue;
    }
    if (!Ranges.empty()) {
      Open &Innermost = Ranges.back();
      if (Innermost.Brackets == 0 && Marked.consume_front("]]")) {
        Marks[Innermost.Mark].End = At;
        Ranges.pop_back();
        continue;
      }
      if (Marked.front() == '[')
        ++Innermost.Brackets;
      else if (Marked.front() == ']' && Innermost.Brackets)
        --Innermost.Brackets;
    }
    Code += Marked.front();
    Marked = Marked.drop_front();
  }
  if (!Ranges.empty())
    Problem = pointAt(Marks[Ranges.back().Mark].Begin, "this range has no end");
}

std::vector<Annotations::Mark> Annotations::marks(StringRef Name) const {
  std::vector<Mark> Result;
  for (const Mark &M : Marks)
    if (M.Name == Name)
      Result.push_back(M);
  return Result;
}

StringRef Annotations::text(const Mark &M) const {
  return StringRef(Code).slice(M.Begin, M.End);
}

unsigned Annotations::offset(unsigned Line, unsigned Column) const {
  size_t Begin = 0;
  for (; Line > 1; --Line) {
    Begin = Code.find('\n', Begin);
    if (Begin == std::string::npos)
      return Code.size();
    ++Begin;
  }
  return std::min(Begin + Column - 1, Code.size());
}

std::string Annotations::pointAt(unsigned Offset,
                                 const llvm::Twine &Message) const {
  const StringRef Text = Code;
  const StringRef Before = Text.take_front(Offset);
  const size_t Begin = Before.rfind('\n') + 1; // npos wraps to the start.
  const StringRef Line = Text.slice(Begin, Text.find('\n', Offset));
  const size_t Number = Before.count('\n') + 1;
  return ("line " + llvm::Twine(Number) + ": " + Message + "\n    " + Line +
          "\n    " + std::string(Offset - Begin, ' ') + "^\n")
      .str();
}
