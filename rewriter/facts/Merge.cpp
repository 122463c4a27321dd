//===-- Merge.cpp - one program of parts ----------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A unit is its main file and the command that compiles it. The same unit may
// come in several parts, since parts may overlap; they must agree then.
//
//===----------------------------------------------------------------------===//

#include "facts/Facts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace bankstripe;
using llvm::StringRef;

// Tells what was read of Unit from other facts.
static std::string digestOf(const UnitRecord &Unit) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  writeFacts(OS, {{Unit}, false, {}}, "");
  return bankstripe::digestOf(Text);
}

llvm::Error FactsMerger::checkSources(const UnitRecord &Unit, StringRef Name) {
  for (const SourceFile &File : Unit.Unit.Facts.Sources) {
    auto [It, New] =
        Sources.try_emplace(File.Path, Origin{Name.str(), File.Digest});
    if (!New && It->second.Digest != File.Digest)
      return llvm::createStringError(
          "'" + It->second.Name + "' and '" + Name +
          "' have read different states of '" + File.Path +
          "'; run 'bankstripe facts' again for the older one");
  }
  return llvm::Error::success();
}

llvm::Error FactsMerger::add(ProgramFacts Part, StringRef Name) {
  for (UnitRecord &Unit : Part.Units) {
    if (llvm::Error E = checkSources(Unit, Name))
      return E;
    auto [It, New] = Units.try_emplace({Unit.Job.File, Unit.Job.ClangArgs});
    Origin &From = It->second;
    std::string Digest = ::digestOf(Unit);
    if (!New && From.Digest != Digest)
      return llvm::createStringError(
          "'" + From.Name + "' and '" + Name + "' have different facts of '" +
          Unit.Job.File +
          "'; write them with the same options, or leave one of them out");
    if (!New)
      continue;
    From = {Name.str(), std::move(Digest)};
    Whole.Units.push_back(std::move(Unit));
  }
  return llvm::Error::success();
}

ProgramFacts FactsMerger::take() {
  llvm::sort(Whole.Units, [](const UnitRecord &A, const UnitRecord &B) {
    return std::tie(A.Job.File, A.Job.ClangArgs) <
           std::tie(B.Job.File, B.Job.ClangArgs);
  });
  return std::move(Whole);
}
