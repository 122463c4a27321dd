//===-- UnitPlan.h - what a program's plan changes in one unit --*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A build system that has a program planned for as a whole still compiles its
// units one by one, and each again only when something changed for it. So there
// is a file for each unit, with no more in it than that unit depends on.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_WRAP_UNITPLAN_H
#define BANKSTRIPE_WRAP_UNITPLAN_H

#include "edit/Edit.h"
#include "model/SourceFile.h"

namespace bankstripe {

/// What a plan changes in one unit.
struct UnitPlan {
  std::vector<SourceFile> Sources; ///< What was read, system headers apart.
  std::map<std::string, std::string> Changed; ///< New texts, by path.
};

/// Where the plan of the unit \p Source lies below \p Folder. \p Source is a
/// real path.
std::string unitPlanPath(llvm::StringRef Folder, llvm::StringRef Source);

/// Writes \p Plan to \p Path for the program of version \p Tool, unless the
/// file holds it already.
llvm::Error writeUnitPlan(const UnitPlan &Plan, llvm::StringRef Path,
                          llvm::StringRef Tool);

/// Reads what writeUnitPlan wrote. Errors: there is no such plan, another
/// version wrote it, or a source has changed since.
llvm::Expected<std::vector<ChangedFile>> readUnitPlan(llvm::StringRef Path,
                                                      llvm::StringRef Tool);

} // namespace bankstripe

#endif
