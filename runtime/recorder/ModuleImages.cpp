//===-- ModuleImages.cpp - the device code that was loaded ----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "recorder/ModuleImages.h"
#include "recorder/ModuleSymbols.h"

using namespace bankstripe::runtime;

std::string ModuleImages::find(const std::string &Symbol,
                               std::string &Image) const {
  unsigned Found = 0;
  for (const std::string &One : Images)
    if (definesKernel(One.data(), One.size(), Symbol) && Found++ == 0)
      Image = One;
  if (Found == 1)
    return {};
  return (Found ? std::to_string(Found) + " different modules define "
                : "no module that was loaded defines ") +
         Symbol;
}
