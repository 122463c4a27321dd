//===-- Facts.cpp - what was read of units, in a file ---------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file is a line that says who wrote it, with a digest of the rest:
//
//   bankstripe facts 2 <digest> <tool>\n
//   <the bytes of a ProgramFacts>
//
// A unit is its main file and the command that compiles it. The same unit may
// come in several parts, since parts may overlap; they must agree then.
//
//===----------------------------------------------------------------------===//

#include "facts/Facts.h"
#include "facts/Archive.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace bankstripe;
using llvm::StringRef;

static constexpr llvm::StringLiteral Heading = "bankstripe facts ";

/// Counts up when facts files change their meaning while the fields stay.
static constexpr unsigned Format = 2;

void bankstripe::writeFacts(llvm::raw_ostream &OS, const ProgramFacts &Facts,
                            StringRef Tool) {
  const std::string Bytes = toBytes(Facts);
  OS << Heading << Format << ' ' << digestOf(Bytes) << ' ' << Tool << '\n'
     << Bytes;
}

llvm::Expected<ProgramFacts>
bankstripe::parseFacts(StringRef Text, StringRef Name, StringRef Tool) {
  auto [First, Bytes] = Text.split('\n');
  unsigned Written = 0;
  const bool IsOurs =
      First.consume_front(Heading) && !First.consumeInteger(10, Written);
  const auto [Digest, Writer] = First.ltrim().split(' ');
  if (IsOurs && (Written != Format || Writer != Tool))
    return llvm::createStringError(
        "'" + Name + "' was written by " + Writer + " in format " +
        llvm::Twine(Written) + ", and this is " + Tool +
        ", which reads format " + llvm::Twine(Format) +
        "; run 'bankstripe facts' of this one again");
  if (!IsOurs || digestOf(Bytes) != Digest)
    return llvm::createStringError("'" + Name +
                                   "' is no file of facts, or not all of one; "
                                   "run 'bankstripe facts' again");
  if (auto Facts = fromBytes<ProgramFacts>(Bytes))
    return std::move(*Facts);
  return llvm::createStringError("'" + Name +
                                 "' was written by a version with other "
                                 "fields; run 'bankstripe facts' again");
}

llvm::Expected<ProgramFacts> bankstripe::readFacts(StringRef Path,
                                                   StringRef Tool) {
  auto Buffer = llvm::MemoryBuffer::getFile(Path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!Buffer)
    return llvm::createStringError("cannot read '" + Path +
                                   "': " + Buffer.getError().message());
  return parseFacts((*Buffer)->getBuffer(), Path, Tool);
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
    std::string Digest = digestOf(toBytes(Unit));
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

static llvm::Expected<std::string> readUnchanged(const std::string &Path,
                                                 StringRef Digest) {
  auto Buffer = llvm::MemoryBuffer::getFile(Path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!Buffer)
    return llvm::createStringError("cannot read '" + Path +
                                   "': " + Buffer.getError().message());
  if (digestOf((*Buffer)->getBuffer()) != Digest)
    return llvm::createStringError("'" + Path +
                                   "' has changed since its facts were "
                                   "written; run 'bankstripe facts' again");
  return (*Buffer)->getBuffer().str();
}

// Edits are offsets into the texts that were read, and sizes come from any
// header, so every source of a unit counts that a given file belongs to. Those
// of a whole tree would be read by each of many processes.
llvm::Expected<std::map<std::string, std::string>>
bankstripe::readGivenSources(const ProgramFacts &Facts,
                             llvm::function_ref<bool(StringRef)> IsGiven,
                             llvm::function_ref<bool(StringRef)> MayDiffer) {
  std::map<std::string, std::string> Digests, Texts;
  for (const UnitRecord &Unit : Facts.Units) {
    bool Any = false;
    for (const SourceFile &File : Unit.Unit.Facts.Sources)
      if (IsGiven(File.Path)) {
        Any = true;
        if (Unit.Unit.Facts.Contents.count(File.Path))
          Texts[File.Path];
      }
    if (Any)
      for (const SourceFile &File : Unit.Unit.Facts.Sources)
        Digests[File.Path] = File.Digest;
  }
  llvm::Error Problems = llvm::Error::success();
  for (const auto &[Path, Digest] : Digests) {
    const auto Wanted = Texts.find(Path);
    if (Wanted == Texts.end() && MayDiffer(Path))
      continue;
    auto Text = readUnchanged(Path, Digest);
    if (!Text)
      Problems = joinErrors(std::move(Problems), Text.takeError());
    else if (Wanted != Texts.end())
      Wanted->second = std::move(*Text);
  }
  if (Problems)
    return Problems;
  return Texts;
}
