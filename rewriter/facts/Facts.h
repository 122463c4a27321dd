//===-- Facts.h - what was read of a unit -----------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each unit is read by a process of its own, or was read by an earlier run.
// What was read comes from there as bytes (Archive.h).
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FACTS_FACTS_H
#define BANKSTRIPE_FACTS_FACTS_H

#include "frontend/Frontend.h"
#include "plan/MakePlan.h"

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
  /// A source of the user's asks for what it is compiled.
  bool AsksForArch = false;
};

} // namespace bankstripe

#endif
