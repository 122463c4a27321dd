//===-- KernelStrings.cpp - kernels that are text of a program ------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tool/KernelStrings.h"
#include "edit/LineNumbers.h"
#include "model/SourceFile.h"
#include "report/Terminal.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace bankstripe;
using llvm::StringRef;

bool bankstripe::holdsKernelStrings(const std::string &Text) {
  static constexpr llvm::StringLiteral Keyword = "__global__";
  if (!StringRef(Text).contains(Keyword))
    return false;
  for (TokenReader Tokens(Text); !Tokens.atEnd(); Tokens.next())
    if (Tokens.is(clang::tok::string_literal) &&
        Tokens.text().contains(Keyword))
      return true;
  return false;
}

void bankstripe::reportKernelStrings(ReadResult &Read, Detail Level) {
  auto HasKernels = [](const UnitRecord &Unit) {
    return !Unit.Unit.Facts.Kernels.empty();
  };
  const bool HasOthers = llvm::any_of(Read.Units, HasKernels);
  std::set<StringRef> Seen;
  for (const UnitRecord &Unit : Read.Units) {
    const std::string &File = Unit.Job.File;
    if (HasKernels(Unit) || !Seen.insert(File).second ||
        !holdsKernelStrings(readText(File).value_or("")))
      continue;
    const std::string Message =
        "'" + displayName(File) +
        "' has kernels in strings, which are not read; put them into a file, "
        "or give each to 'bankstripe rewrite -'; see docs/guide/python.md";
    if (!HasOthers) {
      Read.Problems.push_back({File, Message});
      Read.SomeFailed = true;
    }
    if (!HasOthers || Level != Detail::Quiet)
      llvm::errs() << "bankstripe: " << printable(Message) << '\n';
  }
}
