//===-- UnitFacts.cpp - what one translation unit shows -------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/UnitFacts.h"

#include <algorithm>

using namespace bankstripe;

size_t bankstripe::findNodeChange(std::string_view Text) {
  // How the functions end.
  constexpr std::string_view Words[] = {
      "KernelNodeSetParams", "KernelNodeGetParams", "GraphNodeSetParams",
      "GraphNodeGetParams", "ExecNodeSetParams"};
  size_t First = std::string_view::npos;
  for (std::string_view Word : Words)
    First = std::min(First, Text.find(Word));
  return First;
}

void UnseenUse::addTo(bankstripe::Kernel &K) const {
  if (SetsAttributes) {
    K.AttributeSetAt = Where;
    return;
  }
  if (K.AddressTaken)
    return;
  K.AddressTaken = true;
  K.AddressTakenAt = Where.isValid() ? Where : K.Where;
  K.WhyUnseen = Why;
}
