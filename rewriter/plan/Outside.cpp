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

Kernel bankstripe::asOthersSee(Kernel K, Outside Who) {
  const bool CanName =
      Who == Outside::Loaders || (Who == Outside::Files && !K.Text.Internal);
  if (CanName && !std::exchange(K.AddressTaken, true))
    K.AddressTakenAt = K.Where;
  return K;
}

// Of a function in a header any unit's version may be taken.
std::optional<Obstacle> bankstripe::whyOthersCall(const Finding &F) {
  if (F.Function.IsKernel ||
      llvm::all_of(F.Instances, [](const ArrayInstance &I) {
        return isInternal(I.FunctionId);
      }))
    return std::nullopt;
  return Obstacle{Reason::BlockSizeUnknown, F.Where,
                  "other files may call '" + F.Function.Name + "'"};
}

std::optional<Obstacle> bankstripe::whyKernelsLeave(const Finding &F,
                                                    const ArrayEvidence &E,
                                                    const LinkedCalls &OfUnit) {
  auto LeavesUnit = [&](const std::string &Kernel) {
    return llvm::any_of(OfUnit.below(Kernel), [&](const std::string &Id) {
      return OfUnit.isMissing(Id);
    });
  };
  if (llvm::any_of(E.Kernels, [&](const std::set<std::string> &Kernels) {
        return llvm::any_of(Kernels, LeavesUnit);
      }))
    return Obstacle{Reason::BlockSizeUnknown, F.Where,
                    "its kernels call functions of other files, whose shared "
                    "memory is not known"};
  return std::nullopt;
}
