//===-- Helper.h - the helper's text, and as much as is used -----*- C++
//-*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_MODEL_HELPER_H
#define BANKSTRIPE_MODEL_HELPER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <array>
#include <string>

namespace bankstripe {

/// Its name.
inline constexpr llvm::StringLiteral HelperFileName = "bankstripe.cuh";

/// A part of it (the file of that name in runtime/device/parts), or what lies
/// between two parts.
struct HelperPiece {
  llvm::StringLiteral Part, Text;
};
llvm::ArrayRef<HelperPiece> helperPieces();

/// All of its text.
llvm::StringRef helperText();

/// The first lines of what holds parts of it; with a newline.
llvm::StringRef helperHeading();

/// What files include besides whose kernels have rows.
inline constexpr llvm::StringLiteral LaunchFileName = "bankstripe_launch.cuh";

/// Its text (runtime/device/bankstripe_launch.cuh).
llvm::StringRef launchText();

/// What files include besides in which launches choose versions.
inline constexpr llvm::StringLiteral ChoiceFileName = "bankstripe_choose.cuh";

/// Its text (runtime/device/bankstripe_choose.cuh).
llvm::StringRef choiceText();

/// One of these files.
struct LaunchHelper {
  llvm::StringRef Name, Text;
};

/// Both of them, in the order in which files include them.
std::array<LaunchHelper, 2> launchHelpers();

/// The same behind the helper itself, of which there is \p Text.
std::array<LaunchHelper, 3> allHelpers(llvm::StringRef Text);

// What users keep in their repositories holds the parts of the helper that
// their sources use.

/// The parts that any of \p Texts uses (`::bankstripe::NAME`) or, as an earlier
/// helper, holds. A helper of version 0.1 holds all of them.
std::string helperFor(llvm::ArrayRef<llvm::StringRef> Texts);

/// Whether \p Code holds all parts that are in \p Helper.
bool holdsParts(llvm::StringRef Code, llvm::StringRef Helper);

} // namespace bankstripe

#endif
