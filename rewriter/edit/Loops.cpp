//===-- Loops.cpp - loops to unroll ---------------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A directive has a line of its own. Before a loop that begins its line it gets
// one above it; before one that does not, the line is broken:
//
//     for (int i = 0; ...)                 #pragma unroll
//                                          for (int i = 0; ...)
//
//     for (...) for (int j = 0; ...)       for (...)
//                                          #pragma unroll
//                                          for (int j = 0; ...)
//
//===----------------------------------------------------------------------===//

#include "edit/EditInternal.h"

using namespace bankstripe;
using llvm::StringRef;

static TextEdit pragmaBefore(unsigned Offset, StringRef Code) {
  const StringRef NewLine = lineEndingOf(Code);
  const StringRef Blanks = indentationAt(Code, Offset);
  const std::string Pragma = ("#pragma unroll" + NewLine + Blanks).str();
  const unsigned LineStart = Blanks.data() - Code.data();
  if (LineStart + Blanks.size() == Offset)
    return {Offset, 0, Pragma};
  // No blanks are left where the line is broken.
  const unsigned End = Code.take_front(Offset).rtrim(" \t").size();
  return {End, Offset - End, (NewLine + Blanks + Pragma).str()};
}

EditList bankstripe::editsOfLoops(const Plan &P, StringRef Path,
                                  StringRef Code) {
  EditList Edits;
  for (const PlannedArray &A : P.Arrays)
    if (A.Decision.unrolls())
      for (const CountedLoop &L : A.Decision.Unroll)
        if (L.Insertion.File == Path)
          Edits.push_back(pragmaBefore(L.Insertion.Offset, Code));
  return Edits;
}
