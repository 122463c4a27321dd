//===-- DumpRequest.cpp - a wish for the bytes of an allocation -----------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "recorder/DumpRequest.h"
#include "recording/TakeNumber.h"

using namespace bankstripe::runtime;

std::optional<DumpRequest> DumpRequest::parse(const std::string &Text) {
  DumpRequest R;
  std::string_view Rest = Text;
  if (!takeField(Rest, R.Launch, ":"))
    return std::nullopt;
  R.IsVariable = Rest.starts_with('v');
  Rest.remove_prefix(R.IsVariable ? 1 : 0);
  if (!takeField(Rest, R.Allocation, ":") || !takeField(Rest, R.Begin, ":") ||
      !takeField(Rest, R.End, "") || !Rest.empty() || R.End <= R.Begin)
    return std::nullopt;
  return R;
}
