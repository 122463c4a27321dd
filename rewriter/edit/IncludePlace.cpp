//===-- IncludePlace.cpp - where the helper is included -------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// After the last #include that no condition governs, which is where a person
// would put it. An include guard around the whole file is no condition. In a
// file without such an #include it goes before the first line of code. Only
// the preamble is looked at, the comments and directives before the first
// code, so no string literal can be taken for a directive.
//
//===----------------------------------------------------------------------===//

#include "edit/EditInternal.h"
#include "text/LineNumbers.h"
#include "text/Tokens.h"
#include "llvm/Support/Path.h"

using namespace bankstripe;
using llvm::StringRef;

namespace {

struct Preamble {
  unsigned Size = 0;
  unsigned AfterInclude = 0; ///< 0: no #include was unconditional.
  bool HasHelper = false;    ///< One of these was the helper's in question.
  bool EndsAtTop = true;     ///< Only an include guard is open there.
};

} // namespace

// The begin of the line behind a directive whose last token ends at End. It may
// go on: by a backslash, or in a comment.
static unsigned lineBehind(const std::string &Code, size_t End) {
  const size_t Newline = std::min(Code.find('\n', End), Code.size());
  const StringRef Tail = StringRef(Code).slice(End, Newline).trim();
  if (!Tail.ends_with("\\") && (!Tail.contains("/*") || Tail.ends_with("*/")))
    return std::min(Newline + 1, Code.size());
  const std::set<size_t> Safe = findSafeLines(Code);
  const auto Line = Safe.lower_bound(End);
  return Line == Safe.end() ? Code.size() : *Line;
}

static Preamble readPreamble(StringRef Whole, StringRef Helper) {
  Preamble Result;
  Result.Size = clang::Lexer::ComputePreamble(Whole, tokenOptions()).Size;
  const std::string Code = Whole.str();
  unsigned Depth = 0, GuardDepth = 0; // 1 inside an include guard.
  bool IsFirst = true;
  for (TokenReader Tokens(Code);
       !Tokens.atEnd() && Tokens.offset() < Result.Size; IsFirst = false) {
    Tokens.next(); // Behind the `#`.
    const StringRef Name = Tokens.startsLine() ? "" : Tokens.text();
    const bool Includes = Name.starts_with("include") && Depth == GuardDepth;
    if (Includes) {
      Tokens.next();
      StringRef File = Tokens.text();
      Result.HasHelper |=
          File.consume_front("\"") &&
          llvm::sys::path::filename(File.split('"').first) == Helper;
    } else if (Name.starts_with("if")) {
      GuardDepth = IsFirst && Name == "ifndef" ? 1 : GuardDepth;
      ++Depth;
    } else if (Name == "endif" && Depth) {
      --Depth;
      // Code follows it, so it was a condition and no include guard.
      if (Depth < GuardDepth) {
        GuardDepth = Result.AfterInclude = 0;
        Result.HasHelper = false;
      }
    }
    size_t End = Tokens.offset();
    for (; !Tokens.atEnd() && !Tokens.startsLine(); Tokens.next())
      End = Tokens.offset() + Tokens.text().size();
    if (Includes)
      Result.AfterInclude = lineBehind(Code, End);
  }
  Result.EndsAtTop = Depth == GuardDepth;
  return Result;
}

// Behind a comment that a blank line sets apart from the code: a licence, not
// the description of the first function.
static unsigned afterHeadComment(StringRef Code, unsigned Begin) {
  bool InComment = false, SeenComment = false;
  for (unsigned At = Begin; At < Code.size();) {
    size_t Newline = Code.find('\n', At);
    unsigned End = Newline == StringRef::npos ? Code.size() : Newline + 1;
    StringRef Line = Code.slice(At, End).trim();
    if (InComment || Line.starts_with("/*")) {
      InComment = !Line.contains("*/");
      SeenComment = true;
    } else if (Line.starts_with("//")) {
      SeenComment = true;
    } else {
      return Line.empty() && SeenComment ? End : Begin;
    }
    At = End;
  }
  return Begin;
}

bool bankstripe::hasHelperInclude(StringRef Code, StringRef Name) {
  return readPreamble(Code, Name).HasHelper;
}

unsigned bankstripe::includePlace(StringRef Code) {
  const Preamble Read = readPreamble(Code, HelperFileName);
  if (Read.AfterInclude)
    return Read.AfterInclude;
  // A byte order mark stays first.
  unsigned Start = Code.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  return Read.EndsAtTop ? afterHeadComment(Code, std::max(Read.Size, Start))
                        : Start;
}
