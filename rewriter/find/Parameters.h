//===-- Parameters.h - objects that are passed by value ---------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FIND_PARAMETERS_H
#define BANKSTRIPE_FIND_PARAMETERS_H

#include "find/BodyIndex.h"
#include "find/SourceText.h"
#include "model/Finding.h"

namespace bankstripe {

/// Whether \p Parameter of \p Function, a definition or an instance of one, is
/// an object that holds an array or is indexed as one, may need memory for
/// that, and can be copied by text at the beginning of the body.
bool isPrivateParameter(const clang::ParmVarDecl *Parameter,
                        const clang::FunctionDecl *Function,
                        BodyIndexCache &Bodies, const SourceText &Text);

/// Whether such a parameter is one of a kernel, is only read, with nothing else
/// that gets to see it, and can be a grid constant.
bool isOnlyRead(const clang::ParmVarDecl *Parameter,
                const clang::FunctionDecl *Function, const BodyIndex &Body);

/// Reads the text and the scope of such a parameter into \p F.
void readParameter(Finding &F, const clang::ParmVarDecl *Parameter,
                   const SourceText &Text);

} // namespace bankstripe

#endif
