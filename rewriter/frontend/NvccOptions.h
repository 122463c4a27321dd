//===-- NvccOptions.h - nvcc's options and what they mean here --*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table of nvcc's options, for Translate.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FRONTEND_NVCCOPTIONS_H
#define BANKSTRIPE_FRONTEND_NVCCOPTIONS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace bankstripe {

/// What becomes of an option.
enum class NvccMeaning {
  Drop,              ///< Nothing that a parse could see.
  Include,           ///< A folder for `#include`.
  SystemInclude,     ///< A folder of system headers.
  PreInclude,        ///< A file to include first.
  Define,            ///< A macro.
  Undefine,          ///< A macro that is none.
  Standard,          ///< The version of C++.
  Language,          ///< What the input is; it is CUDA.
  Architecture,      ///< `sm_90`, `compute_90`, `native`, `all`.
  GenerateCode,      ///< `arch=compute_90,code=sm_90`.
  HostOptions,       ///< Options for the host's compiler.
  Relocatable,       ///< `true`: device code of several files is linked.
  RelocatableAlways, ///< The same, by its mere presence.
  FastMath,
  FlushDenormals,
  FuseMultiplyAdd,
  DefaultStream,
  ExtendedLambda,
  RelaxedConstexpr,
  DeviceDebug,
  NoExceptions,
};

/// One option as it stands on a command line.
struct NvccOption {
  NvccMeaning Meaning = NvccMeaning::Drop;
  std::string Value;      ///< Empty when it takes none or has none.
  unsigned Arguments = 1; ///< How many arguments it took up.
};

/// Reads the option at the front of \p Args.
/// \returns nothing when nvcc has no such option.
std::optional<NvccOption> readNvccOption(llvm::ArrayRef<std::string> Args);

} // namespace bankstripe

#endif
