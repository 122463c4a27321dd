//===-- HelperText.h - the header that rewritten code includes --*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_MODEL_HELPERTEXT_H
#define BANKSTRIPE_MODEL_HELPERTEXT_H

#include "llvm/ADT/StringRef.h"

namespace bankstripe {

/// Its name.
inline constexpr llvm::StringLiteral HelperFileName = "bankstripe.cuh";

/// Its text (runtime/device/bankstripe.cuh).
llvm::StringRef helperText();

/// The first line of what holds parts of it; with a newline.
llvm::StringRef helperHeading();

/// The part of it that files include whose launches choose their kernels.
inline constexpr llvm::StringLiteral ChoiceFileName = "bankstripe_choose.cuh";

/// Its text (runtime/device/bankstripe_choose.cuh).
llvm::StringRef choiceText();

} // namespace bankstripe

#endif
