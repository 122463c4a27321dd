//===-- Gpu.h - whether there is a GPU to run on ----------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_VERIFY_GPU_H
#define BANKSTRIPE_VERIFY_GPU_H

#include <string>

namespace bankstripe::runtime {

/// Asks the CUDA driver, which is looked for at run time: the verifier itself
/// starts on any machine.
///
/// \returns an empty text, or why no CUDA program can run here.
std::string whyNoGpu();

/// Where the first GPU that this process sees is plugged in ("0000:18:00.0");
/// empty without one.
std::string busIdOfFirstGpu();

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_VERIFY_GPU_H
