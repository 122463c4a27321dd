//===-- SideChecks.h - who may be named on which side -----------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FRONTEND_SIDECHECKS_H
#define BANKSTRIPE_FRONTEND_SIDECHECKS_H

namespace clang {
class CompilerInstance;
} // namespace clang

namespace bankstripe {

/// Has Clang answer what templates ask about calls as nvcc does: whether a
/// function is one of the host or the device makes no difference to constraints
/// and to the signatures of templates. \p Compiler must have its Sema.
void askWithoutSides(clang::CompilerInstance &Compiler);

} // namespace bankstripe

#endif
