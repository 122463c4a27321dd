//===-- Tokens.cpp - the tokens of a text ---------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "text/Tokens.h"
#include "clang/Basic/LangOptions.h"

using namespace bankstripe;

const clang::LangOptions &bankstripe::tokenOptions() {
  static const clang::LangOptions Options = [] {
    clang::LangOptions O;
    O.CPlusPlus = O.CPlusPlus11 = O.CPlusPlus14 = O.CPlusPlus17 = true;
    O.LineComment = O.RawStringLiterals = true;
    return O;
  }();
  return Options;
}

TokenReader::TokenReader(const std::string &Text)
    : Text(Text), Raw(clang::SourceLocation(), tokenOptions(), Text.c_str(),
                      Text.c_str(), Text.c_str() + Text.size()) {
  next();
}
