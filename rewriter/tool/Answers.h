//===-- Answers.h - what earlier runs found out -----------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The two things that take time, reading a unit and asking nvcc about a file,
// in the forms in which they go to the cache and from one process to another.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TOOL_ANSWERS_H
#define BANKSTRIPE_TOOL_ANSWERS_H

#include "cache/Cache.h"
#include "cache/DiskTrace.h"
#include "tool/Pipeline.h"

namespace bankstripe {

/// What came of reading one unit.
struct UnitReading {
  std::optional<UnitResult> Unit;
  std::string Diagnostics; ///< Clang's.
  std::string Error;
  ParseOutcome Outcome;
  std::string Trace; ///< Of the disk; empty when it is not complete.
  /// No evidence was gathered, as ToolOptions::IsWorthEvidence said.
  bool WithoutEvidence = false;

  /// Without the texts of the sources.
  std::string toText() const;
  static std::optional<UnitReading> fromText(llvm::StringRef Text);
  /// With them, for another process.
  std::string toFullText() const;
  static std::optional<UnitReading> fromFullText(llvm::StringRef Text);
};

/// A file that nvcc is asked about.
struct NvccQuestion {
  const UnitRecord *Unit = nullptr;
  std::string File;                   ///< That of the unit, or a copy.
  std::vector<std::string> ExtraArgs; ///< Folders to look in first.
};

/// The cache, as one run uses it.
class Answers {
public:
  /// Nothing where the user wants no cache, or there is no place for one.
  static std::shared_ptr<Answers> open(const ToolOptions &Options);

  /// What was read of \p Job before, if it would be read so again and is what
  /// the caller \p Accepts.
  std::optional<UnitReading>
  recall(const CompileJob &Job, DiskState &State,
         llvm::function_ref<bool(const UnitReading &)> Accepts);
  /// To be called for each job that was read anew.
  void remember(const CompileJob &Job, const UnitReading &Reading,
                DiskState &State);

  /// The key of the answer to \p Question, which may be about one of \p Copies.
  /// Nothing when it depends on what cannot be named.
  std::optional<std::string> keyOf(const NvccQuestion &Question,
                                   llvm::StringRef Nvcc, const Mirror *Copies);
  std::optional<ResourceTable> recallTable(llvm::StringRef Key);
  void rememberTable(llvm::StringRef Key, const ResourceTable &Table);

  /// To be called when the run is over. Makes room, and says at \p Level how
  /// much was known.
  void finish(Detail Level);

private:
  explicit Answers(Cache Store) : Store(std::move(Store)) {}

  void keepState(const CompileJob &Job, const UnitReading &Reading);

  Cache Store;
  /// What the disk was like for each unit that was read, by its job.
  std::map<std::string, std::string> States;
  /// Of nvcc, by the compiler that it is told to use for the host.
  std::map<std::string, std::string> Compilers;
  unsigned Units = 0, KnownUnits = 0, Tables = 0, KnownTables = 0;
};

/// Kernels' resources as text.
std::string tableToText(const ResourceTable &Table);
std::optional<ResourceTable> tableFromText(llvm::StringRef Text);

} // namespace bankstripe

#endif
