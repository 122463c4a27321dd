//===-- UnitFacts.cpp - what one translation unit shows -------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/UnitFacts.h"
#include "contract/Symbols.h"

using namespace bankstripe;

// `kernel` of `space::kernel<int>`.
static std::string_view lastName(std::string_view Name) {
  Name = withoutTemplateArguments(Name);
  return Name.substr(Name.rfind(':') + 1);
}

bool UnseenUse::isOf(const bankstripe::Kernel &K) const {
  return Kernel == (Means == Naming::Mangled ? K.Id : lastName(K.Name));
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
