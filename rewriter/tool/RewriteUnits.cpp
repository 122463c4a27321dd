//===-- RewriteUnits.cpp - a plan and its changes -------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Edits that overlap are a defect of ours, which costs the file that they are
// of, and not the run: no kernel that has to do with it may expect them.
//
//===----------------------------------------------------------------------===//

#include "tool/RewriteUnits.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

using namespace bankstripe;

// Adds to each array of Unit that what keeps it is File.
static void keepArrays(UnitResult &Unit, const UnwritableFile &File) {
  const std::string Detail =
      (llvm::sys::path::filename(File.Path) + ": " + File.Problem).str();
  for (Finding &F : Unit.Facts.Findings)
    F.Obstacles.insert(F.Obstacles.begin(),
                       {Reason::CompileFailed, F.Where, Detail});
}

// The units that see File.
static void leaveAlone(std::vector<UnitResult> &Units,
                       const UnwritableFile &File) {
  for (UnitResult &Unit : Units)
    if (Unit.Facts.Contents.count(File.Path))
      keepArrays(Unit, File);
}

// Each round leaves one file more as it is, so it ends.
llvm::Expected<PlannedChanges>
bankstripe::rewriteUnits(std::vector<UnitResult> Units,
                         const PlanOptions &Planning, bool EmbedHelper,
                         const Measured &Known) {
  std::set<std::string> LeftAlone;
  while (true) {
    PlannedChanges Made{makePlan(Units, Planning, Known), {}};
    auto Changes = applyPlan(Made.Decisions, EmbedHelper);
    if (Changes) {
      Made.Changes = std::move(*Changes);
      return Made;
    }
    llvm::Error Others =
        handleErrors(Changes.takeError(),
                     [&](std::unique_ptr<UnwritableFile> File) -> llvm::Error {
                       if (!LeftAlone.insert(File->Path).second)
                         return llvm::Error(std::move(File));
                       leaveAlone(Units, *File);
                       return llvm::Error::success();
                     });
    if (Others)
      return Others;
  }
}
