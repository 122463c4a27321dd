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
#include "clang/Basic/LangOptions.h"
#include "clang/Lex/Lexer.h"
#include "llvm/Support/Path.h"

using namespace bankstripe;
using llvm::StringRef;

namespace {

/// Follows the conditions of a preamble, line by line.
class PreambleReader {
public:
  /// Looks at \p Line, which ends at offset \p End of the file.
  void read(StringRef Line, unsigned End);
  /// Only an include guard is open.
  bool atTop() const { return Depth == GuardDepth; }

  unsigned AfterInclude = 0; ///< 0: no #include was unconditional.
  bool HasHelper = false;    ///< One of these was the helper's.

private:
  bool InComment = false;
  bool SeenDirective = false;
  unsigned Depth = 0;
  unsigned GuardDepth = 0; ///< 1 inside an include guard.
};

} // namespace

void PreambleReader::read(StringRef Line, unsigned End) {
  if (InComment) {
    size_t Close = Line.find("*/");
    if (Close == StringRef::npos)
      return;
    InComment = false;
    Line = Line.drop_front(Close + 2);
  }
  Line = Line.trim();
  if (Line.consume_front("#")) {
    Line = Line.ltrim();
    if (Line.starts_with("include") && atTop()) {
      AfterInclude = End;
      StringRef Name = Line.drop_front(strlen("include")).ltrim();
      HasHelper |=
          Name.consume_front("\"") &&
          llvm::sys::path::filename(Name.split('"').first) == HelperFileName;
    }
    if (Line.starts_with("if")) {
      GuardDepth =
          !SeenDirective && Line.starts_with("ifndef") ? 1 : GuardDepth;
      ++Depth;
    }
    if (Line.starts_with("endif") && Depth) {
      --Depth;
      if (Depth < GuardDepth) {
        // Code follows it, so it was a condition and no include guard.
        GuardDepth = 0;
        AfterInclude = 0;
        HasHelper = false;
      }
    }
    SeenDirective = true;
  }
  // A comment that this line opens and does not close.
  size_t Open = Line.rfind("/*");
  InComment = Open != StringRef::npos &&
              Line.find("*/", Open) == StringRef::npos &&
              Line.take_front(Open).find("//") == StringRef::npos;
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

static unsigned preambleSize(StringRef Code) {
  clang::LangOptions Options;
  Options.CPlusPlus = Options.CPlusPlus17 = Options.LineComment = true;
  return clang::Lexer::ComputePreamble(Code, Options).Size;
}

static PreambleReader readPreamble(StringRef Code, unsigned Size) {
  PreambleReader Reader;
  for (unsigned Begin = 0; Begin < Size;) {
    size_t Newline = Code.find('\n', Begin);
    unsigned End = Newline == StringRef::npos ? Code.size() : Newline + 1;
    Reader.read(Code.slice(Begin, End), End);
    Begin = End;
  }
  return Reader;
}

bool bankstripe::hasHelperInclude(StringRef Code) {
  return readPreamble(Code, preambleSize(Code)).HasHelper;
}

unsigned bankstripe::includePlace(StringRef Code) {
  const unsigned Size = preambleSize(Code);
  const PreambleReader Reader = readPreamble(Code, Size);
  if (Reader.AfterInclude)
    return Reader.AfterInclude;
  // A byte order mark stays first.
  unsigned Start = Code.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  if (!Reader.atTop())
    return Start;
  return afterHeadComment(Code, std::max(Size, Start));
}
