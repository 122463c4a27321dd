//===-- Modules.cpp - the device code that was loaded ---------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "recorder/Modules.h"
#include "recording/ModuleSymbols.h"
#include <algorithm>

using namespace bankstripe::runtime;

std::string ModuleImages::find(const std::string &Symbol,
                               std::vector<std::string> Neighbours,
                               std::string &Image) const {
  std::sort(Neighbours.begin(), Neighbours.end());
  std::vector<const std::string *> Defining, Alike;
  for (const std::string &One : Images) {
    std::vector<std::string> Kernels = symbolsOf(One).Kernels;
    std::sort(Kernels.begin(), Kernels.end());
    if (!std::binary_search(Kernels.begin(), Kernels.end(), Symbol))
      continue;
    Defining.push_back(&One);
    if (Kernels == Neighbours)
      Alike.push_back(&One);
  }
  if (Defining.empty())
    return "no module that was loaded defines " + Symbol;
  if (Defining.size() > 1 && Alike.size() != 1)
    return std::to_string(Defining.size()) + " different modules define " +
           Symbol;
  Image = Defining.size() == 1 ? *Defining.front() : *Alike.front();
  return {};
}
