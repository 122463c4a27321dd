//===-- Padding.cpp - longer rows for shared arrays -----------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//     __shared__ float tile[N][N];     __shared__ float tile[N][N + 1];
//
//===----------------------------------------------------------------------===//

#include "edit/EditInternal.h"

using namespace bankstripe;

EditList bankstripe::editsOfPadding(const Plan &P, llvm::StringRef Path) {
  EditList Edits;
  for (const PlannedSharedArray &A : P.SharedArrays) {
    const TextRange &Extent = A.Array.LastExtent;
    if (!A.Padding || Extent.File != Path)
      continue;
    std::string Term = " + " + std::to_string(A.Padding);
    if (!A.Array.IsSum) {
      Edits.push_back({Extent.Offset, 0, "("});
      Term.insert(0, ")");
    }
    Edits.push_back({Extent.end(), 0, std::move(Term)});
  }
  return Edits;
}
