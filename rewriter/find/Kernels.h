//===-- Kernels.h - kernels and the functions they reach --------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FIND_KERNELS_H
#define BANKSTRIPE_FIND_KERNELS_H

#include "find/BodyIndex.h"
#include "find/SourceText.h"
#include "model/Finding.h"

namespace bankstripe {

/// The facts of \p Function, a kernel with a body.
Kernel readKernel(const clang::FunctionDecl *Function, BodyIndexCache &Bodies,
                  clang::ASTContext &Context, const SourceText &Text);

} // namespace bankstripe

#endif
