//===-- FileText.cpp - the text of a file that is edited ------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "edit/FileText.h"
#include "edit/LineNumbers.h"
#include "llvm/ADT/STLExtras.h"

using namespace bankstripe;

FileText::FileText(llvm::StringRef Text, bool Numbered) : StringRef(Text) {
  if (Numbered)
    Computes = true;
  for (size_t At = find('\n'); At != npos; At = find('\n', At + 1))
    Newlines.push_back(At);
}

unsigned FileText::lineAt(size_t Offset) const {
  return llvm::lower_bound(Newlines, Offset) - Newlines.begin() + 1;
}

bool FileText::computesWithLines() const {
  if (!Computes)
    Computes = bankstripe::computesWithLines(str());
  return *Computes;
}

const std::set<size_t> &FileText::safeLines() const {
  if (!Safe)
    Safe = findSafeLines(str());
  return *Safe;
}
