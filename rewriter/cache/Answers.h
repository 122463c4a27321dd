//===-- Answers.h - what earlier runs found out -----------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two things take time, reading a unit and asking nvcc about a file. What came
// of them is kept in the cache.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_CACHE_ANSWERS_H
#define BANKSTRIPE_CACHE_ANSWERS_H

#include "cache/Cache.h"
#include "edit/Edit.h"
#include "evidence/Ptxas.h"
#include "facts/Facts.h"
#include "report/Report.h"
#include <memory>

namespace bankstripe {

/// A file that nvcc is asked about.
struct NvccQuestion {
  const UnitRecord *Unit = nullptr;
  std::string File;                   ///< That of the unit, or a copy.
  std::vector<std::string> ExtraArgs; ///< Folders to look in first.
  Sides Compiled = Sides::Device;
};

/// The cache, as one run uses it.
class Answers {
public:
  /// Nothing where there is no place for a cache.
  static std::shared_ptr<Answers> open(Detail Level);
  /// Makes room, and says to who wants to know everything how much was known.
  ~Answers();

  /// What was read of \p Job before, if it would be read so again.
  std::optional<UnitReading> recall(const CompileJob &Job, DiskState &State);
  /// To be called for each job that was read anew.
  void remember(const CompileJob &Job, const UnitReading &Reading,
                DiskState &State);

  /// The key of the answer to \p Question, which is about the original, or
  /// about a copy below \p Root that has the \p Changes.
  /// Nothing when it depends on what cannot be named.
  std::optional<std::string> keyOf(const NvccQuestion &Question,
                                   llvm::StringRef Nvcc, llvm::StringRef Root,
                                   llvm::ArrayRef<ChangedFile> Changes);
  std::optional<ResourceTable> recallTable(llvm::StringRef Key);
  void rememberTable(llvm::StringRef Key, const ResourceTable &Table);

  /// Where other values can be kept.
  Cache &store() { return Store; }

private:
  Answers(Cache Store, Detail Level) : Store(std::move(Store)), Level(Level) {}

  void keepState(const CompileJob &Job, const UnitReading &Reading);

  Cache Store;
  Detail Level;
  /// What the disk was like for each unit that was read, by its job.
  std::map<std::string, std::string> States;
  /// Of nvcc, by the compiler that it is told to use for the host.
  std::map<std::string, std::string> Compilers;
  unsigned Units = 0, KnownUnits = 0, Tables = 0, KnownTables = 0;
};

} // namespace bankstripe

#endif
