//===-- ArgumentLookup.h - kernels that arguments find ----------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FIND_ARGUMENTLOOKUP_H
#define BANKSTRIPE_FIND_ARGUMENTLOOKUP_H

namespace clang {
class CUDAKernelCallExpr;
class Sema;
} // namespace clang

namespace bankstripe {

/// Whether nvcc may launch another kernel at \p Launch than Clang: one that
/// argument-dependent lookup finds, which Clang does for calls alone.
bool mayFindOtherKernel(const clang::CUDAKernelCallExpr *Launch,
                        clang::Sema &Asked);

} // namespace bankstripe

#endif
