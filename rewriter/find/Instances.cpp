//===-- Instances.cpp - one finding for all instantiations ----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "find/Instances.h"
#include "llvm/ADT/STLExtras.h"

using namespace bankstripe;

static void mergeUse(Finding &Into, Use From) {
  auto Known = llvm::find_if(
      Into.Uses, [&](const Use &U) { return U.Whole == From.Whole; });
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
                              "instantiations of " + Into.Function});
  for (ArrayInstance &I : From.Instances)
    if (llvm::none_of(Into.Instances, [&](const ArrayInstance &Known) {
          return Known.FunctionId == I.FunctionId;
        }))
      Into.Instances.push_back(std::move(I));
  Into.shareClaimedAlignment();
  Into.mergeLoops(From);
  llvm::sort(Into.Instances,
             [](const ArrayInstance &A, const ArrayInstance &B) {
               return A.FunctionId < B.FunctionId;
             });
  for (Use &U : From.Uses)
    mergeUse(Into, std::move(U));
  for (Obstacle &O : From.Obstacles)
    if (llvm::none_of(Into.Obstacles, [&](const Obstacle &Known) {
          return Known.Why == O.Why && Known.Where == O.Where;
        }))
      Into.Obstacles.push_back(std::move(O));
  if (From.BytesPerThread > Into.BytesPerThread) {
    Into.Type = From.Type;
    Into.ElementBytes = From.ElementBytes;
    Into.Extents = From.Extents;
    Into.BytesPerThread = From.BytesPerThread;
  }
  for (std::string &File : From.FunctionFiles)
    if (!llvm::is_contained(Into.FunctionFiles, File))
      Into.FunctionFiles.push_back(std::move(File));
  Into.InKernel &= From.InKernel;
  if (!(Into.Scope == From.Scope))
    Into.Scope = TextRange();
  Into.NeedsAccessor |= From.NeedsAccessor;
  llvm::move(From.Trail.Locals, std::back_inserter(Into.Trail.Locals));
  llvm::move(From.Trail.Arguments, std::back_inserter(Into.Trail.Arguments));
  llvm::append_range(Into.OtherDepths, From.OtherDepths);
  Into.ConstantInit &= From.ConstantInit;
  Into.NeverWritten &= From.NeverWritten;
  Into.HostDevice |= From.HostDevice;
  Into.ElementDependent |= From.ElementDependent;
}

void bankstripe::addKernel(Finding &F, const std::string &FunctionId,
                           const std::string &KernelId) {
  auto Add = [&](std::vector<std::string> &Kernels) {
    auto At = llvm::lower_bound(Kernels, KernelId);
    if (At == Kernels.end() || *At != KernelId)
      Kernels.insert(At, KernelId);
  };
  Add(F.Kernels);
  for (ArrayInstance &I : F.Instances)
    if (I.FunctionId == FunctionId)
      Add(I.Kernels);
}
