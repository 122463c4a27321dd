//===-- Facts.h - what was read of units, in a file -------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Planning needs all units of a program at once, reading does not. What was
// read of some units is written to a file, by as many processes as there are,
// and planning takes the files of all of them (docs/facts.md):
//
//   units => a file => units => all units => do they still hold?
//
// Each field stands once, in Fields.h, and Archive.h makes bytes of values.
// Texts of sources are not in the file, only their names and digests.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FACTS_FACTS_H
#define BANKSTRIPE_FACTS_FACTS_H

#include "frontend/Frontend.h"
#include "plan/Plan.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace bankstripe {

/// One translation unit: the command that compiles it, and what was read.
struct UnitRecord {
  CompileJob Job;
  UnitResult Unit;
};

/// What came of reading one unit.
struct UnitReading {
  std::optional<UnitResult> Unit;
  std::string Diagnostics; ///< Clang's.
  std::string Error;
  ParseOutcome Outcome;
  /// What was asked of the disk, with the replies (cache/Cache.h); empty
  /// when that is not all.
  std::map<std::pair<std::string, char>, std::string> Trace;
  /// No evidence was gathered, as it was not worth the time.
  bool WithoutEvidence = false;
  /// A source of the user's asks for what it is compiled.
  bool AsksForArch = false;
};

/// What was read of a program, or of a part of it.
struct ProgramFacts {
  std::vector<UnitRecord> Units; ///< By file and command.
  bool Confirmed = false;        ///< ptxas was asked about a plan for all.
  Measured Known = {};           ///< What it said.
};

/// Writes \p Facts for the program of version \p Tool. Equal facts give equal
/// text.
void writeFacts(llvm::raw_ostream &OS, const ProgramFacts &Facts,
                llvm::StringRef Tool);

/// Reads what writeFacts wrote; \p Name stands for \p Text in messages. The
/// texts in UnitFacts::Contents are empty. Errors: it is no such file, it is
/// damaged, or another version wrote it.
llvm::Expected<ProgramFacts>
parseFacts(llvm::StringRef Text, llvm::StringRef Name, llvm::StringRef Tool);

/// The same for the file \p Path.
llvm::Expected<ProgramFacts> readFacts(llvm::StringRef Path,
                                       llvm::StringRef Tool);

/// Makes one program of parts.
class FactsMerger {
public:
  /// Adds \p Part, which \p Name stands for in messages. Errors: an earlier
  /// part has other facts of one of its units, or read another state of one of
  /// its sources.
  llvm::Error add(ProgramFacts Part, llvm::StringRef Name);
  ProgramFacts take();

private:
  /// Where something was first seen, and how it looked there.
  struct Origin {
    std::string Name;
    std::string Digest;
  };
  llvm::Error checkSources(const UnitRecord &Unit, llvm::StringRef Name);

  ProgramFacts Whole;
  std::map<std::string, Origin> Sources; ///< By path.
  /// By file and command.
  std::map<std::pair<std::string, std::vector<std::string>>, Origin> Units;
};

/// The texts of those files in \p Facts that may be edited and that \p IsGiven
/// names. Errors: one of them, or another source of a unit that reads one of
/// them, has changed since; files that \p MayDiffer names can be as they like,
/// since somebody else may be editing them right now.
llvm::Expected<std::map<std::string, std::string>>
readGivenSources(const ProgramFacts &Facts,
                 llvm::function_ref<bool(llvm::StringRef File)> IsGiven,
                 llvm::function_ref<bool(llvm::StringRef File)> MayDiffer);

} // namespace bankstripe

#endif
