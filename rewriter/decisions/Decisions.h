//===-- Decisions.h - the decisions file of a project -----------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `.bankstripe.yaml` (docs/guide/configuration.md) says what is to become of
// the arrays of the folder that it stands in. Nothing but this stage knows how:
//
//   source files => nearest decisions files => decisions and defaults
//
// The values that come out name files by absolute paths and fit into
// PlanOptions.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_DECISIONS_DECISIONS_H
#define BANKSTRIPE_DECISIONS_DECISIONS_H

#include "model/Decision.h"
#include "llvm/Support/Error.h"
#include <map>
#include <vector>

namespace bankstripe {

/// Name of the file that is looked for.
inline constexpr llvm::StringLiteral DecisionsFileName = ".bankstripe.yaml";

/// What one decisions file says, as it is written.
struct DecisionsFile {
  FileDefaults Defaults; ///< From is not written.
  /// Their File is relative to the folder of the decisions file, and their
  /// Where is not written.
  std::vector<ArrayDecision> Arrays;
  std::vector<KernelDecision> Kernels; ///< Likewise.

  template <class Function> void forEach(Function Visit) {
    for (ArrayDecision &D : Arrays)
      Visit(D);
    for (KernelDecision &D : Kernels)
      Visit(D);
  }
};

/// Reads \p Text, which is said to stand in \p Path. Errors: it is not YAML, or
/// not of this form; the message has the place, the line and a caret.
llvm::Expected<DecisionsFile> parseDecisions(llvm::StringRef Text,
                                             llvm::StringRef Path);

/// Prints \p File as parseDecisions takes it, arrays sorted by file, function,
/// name and occurrence, kernels by file and name: equal decisions give equal
/// text.
void printDecisions(llvm::raw_ostream &OS, const DecisionsFile &File);

/// Puts \p New into \p File, in the place of what tuning wrote about the same
/// arrays, and about kernels of the same files, before. What people decided
/// stays.
void replaceTuned(DecisionsFile &File, const DecisionsFile &New);

/// The same with the decisions file \p Path, which may not be there yet. The
/// files that \p New names are absolute. Comments at its head stay. Errors: it
/// cannot be read or written, or a file lies outside of its folder.
llvm::Error updateDecisions(llvm::StringRef Path, DecisionsFile New);

/// A decisions file that cannot be read, or is not of the right form.
struct BadDecisions : llvm::ErrorInfo<BadDecisions, llvm::StringError> {
  using ErrorInfo::ErrorInfo;
  static char ID;
};

/// Which decisions files a run obeys.
struct DecisionsChoice {
  bool None = false; ///< `--no-config`.
  std::string Named; ///< `--config`: this one for all; empty: the nearest.
};

/// The decisions files that a run obeys, each read once.
class DecisionsLookup {
public:
  explicit DecisionsLookup(DecisionsChoice Choice);

  /// Reads the decisions file that speaks for the source file \p File (an
  /// absolute path), if there is one: the nearest in the folder of \p File and
  /// those above. Errors: BadDecisions.
  llvm::Error readFor(llvm::StringRef File);

  /// The defaults for \p File, from what was read.
  FileDefaults defaultsFor(llvm::StringRef File) const;

  /// The decisions that were read, by absolute paths; of several about the same
  /// array or kernel the one for \p Gpu, as `sm_90`, or the nearest to it.
  /// Those about files that do not exist, or for which another decisions file
  /// speaks, have a Problem.
  DecisionsFile decisionsFor(llvm::StringRef Gpu) const;

  /// The decisions file that speaks for \p File; empty when none does.
  std::string pathFor(llvm::StringRef File) const;

private:
  template <class Decision>
  void resolve(Decision &D, llvm::StringRef Path) const;

  DecisionsChoice Choice;
  std::map<std::string, DecisionsFile> Files; ///< By their real paths.
};

} // namespace bankstripe

#endif
