//===-- Depfile.h - what make and ninja are told ----------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_WRAP_DEPFILE_H
#define BANKSTRIPE_WRAP_DEPFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace bankstripe {

/// The dependency file \p Text with other names: \p Rename gives the one to put
/// in the place of a name, an empty one to leave the file out, nothing to keep
/// it. \p Extra are further files that the targets depend on. All else stays
/// as it is.
std::string renameDependencies(
    llvm::StringRef Text,
    llvm::function_ref<std::optional<std::string>(llvm::StringRef)> Rename,
    llvm::ArrayRef<std::string> Extra);

} // namespace bankstripe

#endif
