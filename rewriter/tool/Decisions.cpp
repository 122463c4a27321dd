//===-- Decisions.cpp - from decisions files to planning ------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tool/Pipeline.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace bankstripe;

// The files whose arrays and kernels may change. Other people's headers have
// decisions of their own, which are none of ours.
static std::set<std::string>
filesToDecide(const std::vector<UnitRecord> &Units) {
  std::set<std::string> Files;
  for (const UnitRecord &Unit : Units) {
    for (const Finding &F : Unit.Unit.Facts.Findings)
      if (llvm::none_of(F.Obstacles, [](const Obstacle &O) {
            return O.Why == Reason::OutsidePaths;
          }))
        Files.insert(F.Where.File);
    for (const Kernel &K : Unit.Unit.Facts.Kernels)
      if (K.MayEdit)
        Files.insert(K.Where.File);
  }
  return Files;
}

llvm::Error bankstripe::addDecisions(PlanOptions &Planning,
                                     DecisionsLookup &Lookup,
                                     const std::vector<UnitRecord> &Units) {
  for (const std::string &File : filesToDecide(Units)) {
    if (llvm::Error E = Lookup.readFor(File))
      return E;
    Planning.Defaults[File] = Lookup.defaultsFor(File);
  }
  // Findings name a header as the compiler came to it.
  std::map<std::string, std::string> Names; // By real path.
  for (const UnitRecord &Unit : Units)
    for (const auto &[File, Text] : Unit.Unit.Facts.Contents)
      Names.try_emplace(realPath(File), File);
  auto Rename = [&](auto &Decisions) {
    for (auto &D : Decisions)
      if (auto It = Names.find(D.File); It != Names.end())
        D.File = It->second;
  };
  Rename(Planning.Decisions = Lookup.decisions());
  Rename(Planning.KernelDecisions = Lookup.kernelDecisions());
  return llvm::Error::success();
}
