//===-- IndexForm.cpp - a subscript becomes a call of the helper ----------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//     a[i]       bankstripe::at(a, i)
//     t[i][j]    bankstripe::at(t, i, j)
//
// Only what is around the indices is replaced, never the indices themselves:
// they may hold subscripts of other arrays that are edited on their own.
//
//===----------------------------------------------------------------------===//

#include "edit/EditInternal.h"

using namespace bankstripe;

EditList bankstripe::editsOfUse(const Use &U) {
  EditList Edits;
  Edits.push_back({U.Whole.Offset, 0, "bankstripe::at("});
  unsigned Subscripts = U.Brackets.size() / 2;
  for (unsigned I = 0; I < Subscripts; ++I) {
    const TextRange &Open = U.Brackets[2 * I];
    const TextRange &Close = U.Brackets[2 * I + 1];
    // A comma operator would become two arguments.
    bool Parenthesise = I < U.IndexHasComma.size() && U.IndexHasComma[I];
    std::string Before = Parenthesise ? ", (" : ", ";
    if (I == 0)
      Edits.push_back({Open.Offset, Open.Length, Before});
    std::string After = Parenthesise ? ")" : "";
    if (I + 1 == Subscripts) {
      // The blanks after the last bracket belong to what follows.
      unsigned Length = U.Whole.end() - Close.Offset;
      Edits.push_back({Close.Offset, Length, After + ")"});
      continue;
    }
    const TextRange &Next = U.Brackets[2 * I + 2];
    bool NextComma = I + 1 < U.IndexHasComma.size() && U.IndexHasComma[I + 1];
    Edits.push_back({Close.Offset, Next.end() - Close.Offset,
                     After + (NextComma ? ", (" : ", ")});
  }
  return Edits;
}
