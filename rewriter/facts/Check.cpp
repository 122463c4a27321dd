//===-- Check.cpp - whether facts still hold ------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Edits are offsets into the texts that were read, and sizes come from any
// header, so every source counts. One process looks at the sources of the units
// that its files belong to: those of a whole tree would be read by each of many
// processes.
//
//===----------------------------------------------------------------------===//

#include "facts/Facts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace bankstripe;
using llvm::StringRef;

namespace {

/// The sources that one process depends on.
class SourceChecker {
public:
  void add(const UnitFacts &Facts, llvm::function_ref<bool(StringRef)> IsGiven);
  llvm::Error check(llvm::function_ref<bool(StringRef)> MayDiffer);
  std::map<std::string, std::string> takeTexts() { return std::move(Texts); }

private:
  llvm::Error checkOne(const std::string &Path, const std::string &Digest);

  std::map<std::string, std::string> Digests;
  /// Of the given files that may be edited.
  std::map<std::string, std::string> Texts;
};

} // namespace

void SourceChecker::add(const UnitFacts &Facts,
                        llvm::function_ref<bool(StringRef)> IsGiven) {
  bool Any = false;
  for (const SourceFile &File : Facts.Sources)
    if (IsGiven(File.Path)) {
      Any = true;
      if (Facts.Contents.count(File.Path))
        Texts[File.Path];
    }
  if (Any)
    for (const SourceFile &File : Facts.Sources)
      Digests[File.Path] = File.Digest;
}

llvm::Error SourceChecker::checkOne(const std::string &Path,
                                    const std::string &Digest) {
  auto Buffer = llvm::MemoryBuffer::getFile(Path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!Buffer)
    return llvm::createStringError("cannot read '" + Path +
                                   "': " + Buffer.getError().message());
  if (digestOf((*Buffer)->getBuffer()) != Digest)
    return llvm::createStringError("'" + Path +
                                   "' has changed since its facts were "
                                   "written; run 'bankstripe facts' again");
  if (auto It = Texts.find(Path); It != Texts.end())
    It->second = (*Buffer)->getBuffer().str();
  return llvm::Error::success();
}

llvm::Error
SourceChecker::check(llvm::function_ref<bool(StringRef)> MayDiffer) {
  llvm::Error Problems = llvm::Error::success();
  for (const auto &[Path, Digest] : Digests)
    if (Texts.count(Path) || !MayDiffer(Path))
      Problems = joinErrors(std::move(Problems), checkOne(Path, Digest));
  return Problems;
}

llvm::Expected<std::map<std::string, std::string>>
bankstripe::readGivenSources(const ProgramFacts &Facts,
                             llvm::function_ref<bool(StringRef)> IsGiven,
                             llvm::function_ref<bool(StringRef)> MayDiffer) {
  SourceChecker Checker;
  for (const UnitRecord &Unit : Facts.Units)
    Checker.add(Unit.Unit.Facts, IsGiven);
  if (llvm::Error E = Checker.check(MayDiffer))
    return E;
  return Checker.takeTexts();
}
