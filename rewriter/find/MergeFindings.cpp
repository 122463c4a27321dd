//===-- MergeFindings.cpp - what is seen of one array ---------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "find/MergeFindings.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace bankstripe;

static void mergeUse(Finding &Into, Use From) {
  auto Known = std::ranges::find(Into.Uses, From.Where, &Use::Where);
  if (Known == Into.Uses.end()) {
    Into.Uses.push_back(std::move(From));
    return;
  }
  Known->ConstantIndex &= From.ConstantIndex;
  if (Known->Access != From.Access)
    Known->Access = AccessKind::ReadWrite;
}

void bankstripe::mergeInstance(Finding &Into, Finding From) {
  if (Into.Init != From.Init || Into.IsObject != From.IsObject ||
      Into.HasConst != From.HasConst)
    Into.Obstacles.push_back({Reason::TranslationUnitsDiffer, Into.Where,
                              "instantiations of " + Into.Function.Name});
  for (ArrayInstance &I : From.Instances) {
    auto At = std::ranges::lower_bound(Into.Instances, I.FunctionId, {},
                                       &ArrayInstance::FunctionId);
    if (At == Into.Instances.end() || At->FunctionId != I.FunctionId)
      Into.Instances.insert(At, std::move(I));
  }
  Into.merge(From);
  for (Use &U : From.Uses)
    mergeUse(Into, std::move(U));
  if (From.Shape.BytesPerThread > Into.Shape.BytesPerThread)
    Into.Shape = From.Shape;
  Into.HasOtherUses |= From.HasOtherUses;
  Into.Function.HostDevice |= From.Function.HostDevice;
  Into.ElementDependent |= From.ElementDependent;
  Into.FixedClass |= From.FixedClass;
}

static void mergeHostFinding(Finding &Into, Finding Host) {
  Into.AsBits &= Host.AsBits;
  Into.NeverWritten &= Host.NeverWritten;
  if (Into.Function.HostDevice)
    return;
  llvm::erase_if(Host.Obstacles, [](const Obstacle &O) {
    return O.Why == Reason::SkippedCode;
  });
  if (Into.Init != Host.Init)
    Host.Obstacles.push_back({Reason::Initializer, Into.Where, ""});
  Into.merge(Host);
  Into.HasOtherUses |= Host.HasOtherUses;
}

ArrayView bankstripe::joinViews(ArrayView Device, ArrayView Host) {
  // The names that a macro declares share a place.
  std::map<std::pair<Place, std::string>, Finding *> OfHost;
  for (Finding &F : Host.Findings)
    OfHost[{F.Where, F.Name}] = &F;
  for (Finding &F : Device.Findings)
    if (auto Seen = OfHost.find({F.Where, F.Name}); Seen != OfHost.end())
      mergeHostFinding(F, std::move(*Seen->second));
  Device.NumberedFiles.merge(Host.NumberedFiles);
  Device.AsksForPlaces |= Host.AsksForPlaces;
  llvm::append_range(Device.Unread, Host.Unread);
  return Device;
}
