//===-- Embedded.h - headers compiled into the tool -------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the build puts into Embedded.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FRONTEND_EMBEDDED_H
#define BANKSTRIPE_FRONTEND_EMBEDDED_H

#include "llvm/ADT/ArrayRef.h"

namespace bankstripe {

/// A header that is served to Clang from memory.
struct EmbeddedHeader {
  const char *Path; ///< Such as `cuda/cuda_fp16.h`.
  const char *Text;
};

llvm::ArrayRef<EmbeddedHeader> embeddedHeaders();

/// Clang's own headers, as known when the tool was built.
extern const char *const ConfiguredResourceDirectory;

/// What belongs to an installed tool, as a path from where `bin` lies.
extern const char *const OwnFolder;

} // namespace bankstripe

#endif
