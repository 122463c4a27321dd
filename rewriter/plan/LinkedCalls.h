//===-- LinkedCalls.h - calls between units that are linked -----*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With relocatable device code, code of one unit calls functions of others.
// Functions are joined by their mangled names; where a tree holds several
// programs with functions of the same name, they count as one, which asks for
// more room than needed and never for less.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_PLAN_LINKEDCALLS_H
#define BANKSTRIPE_PLAN_LINKEDCALLS_H

#include "plan/MakePlan.h"
#include "llvm/ADT/STLExtras.h"

namespace bankstripe {

/// The device functions of units that are linked with others.
class LinkedCalls {
public:
  LinkedCalls() = default;
  explicit LinkedCalls(llvm::ArrayRef<UnitResult> Units) {
    llvm::for_each(Units, [&](const UnitResult &Unit) { add(Unit); });
  }
  void add(const UnitResult &Unit);

  bool knows(const std::string &Id) const { return Functions.count(Id) != 0; }
  /// Whatever the calls of \p Id lead to; itself only when it calls itself.
  std::set<std::string> below(const std::string &Id) const {
    return belowAll({Id});
  }
  /// The same of several.
  std::set<std::string> belowAll(std::vector<std::string> Open) const;
  /// A function among \p Ids, for a message, that its own calls lead back to;
  /// empty: none. \p Ids have whatever they call.
  std::string reenteredAmong(const std::set<std::string> &Ids) const;
  /// One of \p Ids that is declared somewhere, and defined nowhere; empty:
  /// none.
  std::string missingAmong(const std::set<std::string> &Ids) const;
  /// Whether one of \p Ids tells local memory from other memory.
  bool anyNamesLocalMemory(const std::set<std::string> &Ids) const;
  /// What \p Id, and \p Below that, have of shared memory in all.
  SharedMemory sharedMemoryOf(const std::string &Id,
                              const std::set<std::string> &Below) const;
  /// Whether \p Id, or one of \p Below it, may wait for other blocks.
  bool waits(const std::string &Id, const std::set<std::string> &Below) const;
  /// Whether a unit that defines \p Id lacks some of \p Callees.
  bool leavesUnit(const std::string &Id,
                  const std::set<std::string> &Callees) const;
  /// Gives each row of \p Table that is known here the frames of others that
  /// its calls lead to.
  void addFrames(ResourceTable &Table) const;

private:
  struct Linked {
    DeviceFunction Facts;
    std::set<size_t> DefiningUnits;
  };
  std::map<std::string, Linked> Functions;
  size_t Count = 0;              ///< Of units.
  std::set<std::string> Waiting; ///< Of all units.
};

} // namespace bankstripe

#endif
