//===-- UnitFacts.cpp - what one translation unit shows -------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/UnitFacts.h"

using namespace bankstripe;

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
