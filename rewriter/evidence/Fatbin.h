//===-- Fatbin.h - device code in what nvcc wrote ---------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_EVIDENCE_FATBIN_H
#define BANKSTRIPE_EVIDENCE_FATBIN_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace bankstripe {

/// The cubin for \p Arch (`sm_90`) in \p Bytes, an object or a program. Empty
/// if there is none, or more than one, or if it cannot be read.
std::string findCubin(llvm::StringRef Bytes, llvm::StringRef Arch);

} // namespace bankstripe

#endif
