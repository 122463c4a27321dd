//===-- FrameObjects.h - what a stack frame may hold ------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_EVIDENCE_FRAMEOBJECTS_H
#define BANKSTRIPE_EVIDENCE_FRAMEOBJECTS_H

#include "frontend/Frontend.h"
#include "model/Evidence.h"

namespace bankstripe {

/// By the mangled name of a kernel.
using FrameObjects = std::map<std::string, std::vector<FrameObject>>;

/// Lists for each of \p Kernels of \p Unit, by their mangled names, the arrays,
/// class objects and parameters by value of itself and of the functions that it
/// reaches. Optimises the IR, to tell which of them survive. Where no IR can be
/// made, nothing is listed.
FrameObjects gatherFrameObjects(ParsedUnit &Unit, llvm::StringRef MainFile,
                                const std::set<std::string> &Kernels);

} // namespace bankstripe

#endif
