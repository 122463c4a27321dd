//===-- Command.h - what kind of command a launcher is given ----*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first stage of `bankstripe wrap`:
//
//   words => a compile of one CUDA file, or a reason to leave them alone
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_WRAP_COMMAND_H
#define BANKSTRIPE_WRAP_COMMAND_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace bankstripe {

/// The command that `bankstripe wrap` is given.
struct CompilerCommand {
  std::vector<std::string> Words; ///< As given.
  size_t Compiler = 0;            ///< Which of them is the compiler.
  bool IsNvcc = false;            ///< Else it is written for Clang.
  std::vector<std::string> Args;  ///< What follows the compiler, with the
                                  ///< content of response files in their place.
  /// The same with what the environment adds to it.
  std::vector<std::string> AllArgs;
  /// Why it is not a compile of one CUDA file; empty when it is. All that
  /// follows is then known.
  std::string WhyNot;
  std::string Input;  ///< As spelled.
  std::string Output; ///< What it makes; never empty.
  /// It makes device code on its own, whose kernels are found by name.
  bool MakesModule = false;
  /// It makes a program of this source alone.
  bool WholeProgram = false;
  /// What it may write for make or ninja; empty when it writes nothing. Without
  /// -MF, compilers differ in the name.
  std::vector<std::string> Depfiles;
  std::vector<std::string> QuoteFolders; ///< Only for `#include "x"`.
  std::vector<std::string> Folders;      ///< For any #include, in order.
};

/// Arguments that nvcc takes from its environment.
struct EnvironmentArgs {
  std::string Before, After; ///< NVCC_PREPEND_FLAGS, NVCC_APPEND_FLAGS.
};

/// Reads \p Words, which are to be run in \p Directory.
CompilerCommand readCompilerCommand(std::vector<std::string> Words,
                                    llvm::StringRef Directory,
                                    const EnvironmentArgs &Added = {});

/// The words that compile \p Copy instead of the input, with \p Extra first
/// among the arguments.
std::vector<std::string> compileInstead(const CompilerCommand &Command,
                                        llvm::StringRef Copy,
                                        llvm::ArrayRef<std::string> Extra);

} // namespace bankstripe

#endif
