//===-- CaptureRequest.cpp - a wish for a capture -------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "recorder/CaptureRequest.h"
#include "recording/TakeNumber.h"

using namespace bankstripe::runtime;

std::optional<CaptureRequest> CaptureRequest::parse(const std::string &Text) {
  CaptureRequest R;
  std::string_view Rest = Text;
  if (!takeField(Rest, R.Launch, ":") || Rest.empty())
    return std::nullopt;
  R.Path = Rest;
  return R;
}

std::variant<std::optional<CaptureRequest>, std::string>
CaptureRequest::read(const Environment &Get) {
  for (const char *Name : {"BANKSTRIPE_CAPTURE", "BANKSTRIPE_CAPTURE_KERNEL"}) {
    const char *Text = Get(Name);
    if (!Text || !*Text)
      continue;
    std::optional<CaptureRequest> Request = parse(Text);
    if (!Request)
      return std::string(Name) + ": '" + Text + "' is not LAUNCH:PATH";
    Request->IsKernelOnly = Name != std::string_view("BANKSTRIPE_CAPTURE");
    return Request;
  }
  return std::nullopt;
}

void CaptureRequest::nameLike(const std::string &Asked,
                              const std::string &Got) {
  if (Got.starts_with(Asked))
    Path += Got.substr(Asked.size());
}
