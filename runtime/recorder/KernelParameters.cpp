//===-- KernelParameters.cpp - the values of a kernel's parameters --------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "recorder/KernelParameters.h"

using namespace bankstripe::runtime;

std::vector<CapturedParameter>
bankstripe::runtime::copyParameters(std::span<const ParameterPlace> Places,
                                    const void *const *Values) {
  std::vector<CapturedParameter> Parameters;
  for (const ParameterPlace &P : Places)
    Parameters.push_back(
        {P.Offset, std::string(static_cast<const char *>(*Values++), P.Bytes)});
  return Parameters;
}

std::optional<std::vector<CapturedParameter>>
bankstripe::runtime::cutParameters(std::span<const ParameterPlace> Places,
                                   std::string_view Buffer) {
  std::vector<CapturedParameter> Parameters;
  for (const ParameterPlace &P : Places) {
    if (P.Offset > Buffer.size() || P.Bytes > Buffer.size() - P.Offset)
      return std::nullopt;
    Parameters.push_back(
        {P.Offset, std::string(Buffer.substr(P.Offset, P.Bytes))});
  }
  return Parameters;
}
