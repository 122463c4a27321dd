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

namespace bankstripe {

/// The text of builtin_cuda.h, which stands in for a CUDA toolkit.
extern const char *const BuiltinCudaHeader;

/// The text of builtin_cuda_runtime.h, which the former includes.
extern const char *const BuiltinCudaRuntimeHeader;

/// The text of nvcc_shim.h, which declares what nvcc has and Clang has not.
extern const char *const NvccShimHeader;

/// The text of omp_declarations.h, which stands in for a missing <omp.h>.
extern const char *const OmpDeclarations;

/// Clang's own headers, as known when the tool was built.
extern const char *const ConfiguredResourceDirectory;

} // namespace bankstripe

#endif
