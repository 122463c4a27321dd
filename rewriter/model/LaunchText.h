//===-- LaunchText.h - the text around launches -----------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel whose arrays move into dynamic shared memory gets a function that
// says how much a launch must ask for, and its launches call that function, as
// do the questions about how many of its blocks can be resident. This is what
// is known of the text of all of them.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_MODEL_LAUNCHTEXT_H
#define BANKSTRIPE_MODEL_LAUNCHTEXT_H

#include "contract/Symbols.h"
#include "model/Place.h"
#include "llvm/ADT/Twine.h"
#include <string>
#include <vector>

namespace bankstripe {

/// The name of the function that says what a launch of \p Kernel asks for; with
/// the qualifiers that \p Kernel has.
inline std::string sharedBytesName(const llvm::Twine &Kernel) {
  return (Kernel + "_shared_bytes").str();
}

/// The name of the version of \p Kernel that launches in its file run.
inline std::string versionName(const llvm::Twine &Kernel) {
  return (Kernel + VersionEnding).str();
}

/// The text of one launch, or of a question about one, as far as edits need it.
struct LaunchText {
  std::string Kernel; ///< `space::kernel`, without template arguments.
  /// The last part of that, if another name can stand there.
  TextRange Name;
  std::string Arguments; ///< `<float, 16>` as written; empty without any.
  bool Deduced = false;  ///< Not all of them are written.
  /// The pointer to its configuration as written, `&config`, which then says
  /// all that follows; else empty.
  std::string Configuration;
  /// As written; empty when it may not be repeated, or does not tell how many
  /// blocks run at once.
  std::string Grid;
  std::string Block;  ///< The block size as written: `dim3(16, 16)`.
  std::string Shared; ///< The dynamic shared memory as written, if it is.
  /// What becomes the dynamic shared memory; of length 0 behind the argument
  /// before it when none is written. Or the configuration.
  TextRange Replaced;
  /// Its unit sees the kernel's definition, or else these declarations (points
  /// before them, as in KernelText).
  bool SeesDefinition = false;
  std::vector<TextRange> Declarations;
  std::string Problem; ///< Why it cannot be edited; empty when it can.
};

/// The text of a kernel's declarations, as far as edits need it.
struct KernelText {
  std::string Name; ///< Without qualifiers and template arguments.
  /// Points before the declarations other than the definition.
  std::vector<TextRange> Declarations;
  /// From `template` or the first specifier to the `}`.
  TextRange Definition;
  std::string TemplateHead;      ///< `template <class T, int N>`, if it is one.
  std::string TemplateArguments; ///< `<T, N>`.
  TextRange Specifiers; ///< The point before the first, behind the head.
  /// Nothing outside its unit can name it.
  bool Internal = false;
  std::string Problem; ///< Why no function can stand beside it, if so.
  /// Why it cannot stand there a second time with another name, if so.
  std::string VersionProblem;
};

} // namespace bankstripe

#endif
