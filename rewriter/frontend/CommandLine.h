//===-- CommandLine.h - reading compilers' command lines --------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is common to nvcc's and Clang's command lines.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FRONTEND_COMMANDLINE_H
#define BANKSTRIPE_FRONTEND_COMMANDLINE_H

#include "frontend/CompilerOptions.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace bankstripe {

struct CompileJob;

/// A command line, taken apart.
struct CommandLine {
  std::string Compiler;          ///< As spelled; empty when there is none.
  size_t Place = 0;              ///< Where it stood.
  bool IsNvcc = false;           ///< Else it is written for Clang.
  std::vector<std::string> Args; ///< What follows the compiler, with the
                                 ///< content of response files in their place.
  Dialect dialect() const { return IsNvcc ? Dialect::Nvcc : Dialect::Clang; }
};

/// Takes \p Args apart: whatever starts the compiler stands before it, such as
/// ccache or `env A=1`; `@file` (and, for nvcc, `--options-file file`) name
/// further arguments, relative to \p Directory.
CommandLine readCommandLine(llvm::ArrayRef<std::string> Args,
                            llvm::StringRef Directory);

/// The command of \p Job.
CommandLine commandOf(const CompileJob &Job);

/// The words of \p Text, which are quoted as for a shell.
std::vector<std::string> splitWords(llvm::StringRef Text);

/// Whether \p Args, without a compiler's name, look like options for Clang.
bool looksLikeClang(llvm::ArrayRef<std::string> Args);

/// Whether the command compiles CUDA whatever the file's name says (`-x cu`).
bool compilesCuda(const CommandLine &Command);

/// Splits a list as nvcc does: at commas that are neither escaped nor quoted.
std::vector<std::string> splitAtCommas(llvm::StringRef List);

/// The options in a list that nvcc hands on, such as `-Xcompiler "-fPIC -DA"`:
/// blanks separate them as well as commas.
std::vector<std::string> splitHandedOn(llvm::StringRef List);

} // namespace bankstripe

#endif
