//===-- ParseSnippet.h - parse a text that is in no file --------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TESTS_UNIT_SUPPORT_PARSESNIPPET_H
#define BANKSTRIPE_TESTS_UNIT_SUPPORT_PARSESNIPPET_H

#include "frontend/Frontend.h"

namespace bankstripe::testing {

/// Arguments for code that needs no header of the system's and none of Clang's
/// functions of warps, which take most of the time of a parse.
inline const std::vector<std::string> WithoutHeaders = {
    "-nostdlibinc", "-D__CLANG_CUDA_INTRINSICS_H__"};

/// Parses \p Code as \p FileName with the built-in CUDA header.
/// \returns an error with what Clang printed when that cannot be.
llvm::Error parseSnippet(llvm::StringRef Code, llvm::StringRef FileName,
                         llvm::function_ref<void(ParsedUnit &)> Action,
                         std::vector<std::string> ExtraArgs = {});

} // namespace bankstripe::testing

#endif
