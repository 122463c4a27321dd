//===-- HelperParts.h - as much of the helper as is used --------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What users keep in their repositories holds the parts of the helper that
// their sources use, without comments.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_MODEL_HELPERPARTS_H
#define BANKSTRIPE_MODEL_HELPERPARTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace bankstripe {

/// The parts that any of \p Texts uses (`::bankstripe::NAME`) or, as an earlier
/// helper, holds. A helper of version 0.1 holds all of them.
std::string helperFor(llvm::ArrayRef<llvm::StringRef> Texts);

/// Whether \p Code holds all parts that are in \p Helper.
bool holdsParts(llvm::StringRef Code, llvm::StringRef Helper);

} // namespace bankstripe

#endif
