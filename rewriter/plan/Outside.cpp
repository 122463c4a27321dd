//===-- Outside.cpp - what a run cannot know of other units ---------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plan/Outside.h"
#include "contract/Symbols.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace bankstripe;
using llvm::StringRef;

std::string bankstripe::whyMentioned(const Kernel &K,
                                     const PlanOptions &Options) {
  if (Options.Others == Outside::Loaders)
    return "";
  const auto Found = Options.Mentions.ByName.find(lastName(K.Name));
  return Found == Options.Mentions.ByName.end() || Found->second.Other.empty()
             ? Options.Mentions.OfAll
             : Found->second.Other;
}

std::string bankstripe::whyUnseen(const Kernel &K, const PlanOptions &Options) {
  return Options.Others == Outside::Loaders ||
                 (Options.Others == Outside::Files && !K.Text.Internal)
             ? "other files may launch it"
             : whyMentioned(K, Options);
}

std::set<std::string> bankstripe::calledByOthers(const UnitResult &Unit,
                                                 const LinkedCalls &OfUnit) {
  std::set<std::string> Kernels;
  for (const Kernel &K : Unit.Facts.Kernels)
    Kernels.insert(K.Id);
  std::vector<std::string> Entries;
  for (const DeviceFunction &F : Unit.Evidence.Functions)
    if (F.Defined && !isInternal(F.Id) && !Kernels.count(F.Id))
      Entries.push_back(F.Id);
  std::set<std::string> Result = OfUnit.belowAll(Entries);
  Result.insert(Entries.begin(), Entries.end());
  return Result;
}

std::optional<Obstacle>
bankstripe::whyOthersCall(const Finding &F,
                          const std::set<std::string> &Called) {
  if (F.Function.IsKernel ||
      llvm::none_of(F.Instances, [&](const ArrayInstance &I) {
        return !isInternal(I.FunctionId) || Called.count(I.FunctionId);
      }))
    return std::nullopt;
  return Obstacle{Reason::BlockSizeUnknown, F.Where,
                  "other files may call '" + F.Function.Name + "'"};
}
