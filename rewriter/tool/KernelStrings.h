//===-- KernelStrings.h - kernels that are text of a program ----*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sources of kernels in strings (NVRTC), which this program does not read.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TOOL_KERNELSTRINGS_H
#define BANKSTRIPE_TOOL_KERNELSTRINGS_H

#include "tool/Pipeline.h"

namespace bankstripe {

/// Whether a string literal of the C++ source \p Text defines a kernel.
bool holdsKernelStrings(const std::string &Text);

/// Says of each of \p Read's sources that has kernels in strings and none
/// beside them that these were not read. Where there are no other kernels in
/// the run, it counts as one that could not be processed.
void reportKernelStrings(ReadResult &Read, Detail Level);

} // namespace bankstripe

#endif
