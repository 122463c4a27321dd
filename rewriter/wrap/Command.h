//===-- Command.h - what kind of command a launcher is given ----*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first stage of `bankstripe wrap`:
//
//   words => a compile of CUDA files, or a reason to leave them alone
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_WRAP_COMMAND_H
#define BANKSTRIPE_WRAP_COMMAND_H

#include "text/Includes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Process.h"
#include <map>
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
  std::vector<std::string> Sources; ///< The CUDA files, as spelled.
  /// Why it is run as it is; empty when it is a compile of CUDA files. All that
  /// follows is then known.
  std::string WhyNot;
  std::string Input; ///< The first of the sources.
  /// All sources, those in C++ as well, lie in one folder.
  bool OneFolder = true;
  std::string Output; ///< What it makes, of Input at least; never empty.
  /// It makes device code on its own, whose kernels are found by name.
  bool MakesModule = false;
  /// It makes a program of this source alone.
  bool WholeProgram = false;
  /// What it may write for make or ninja; empty when it writes nothing. Without
  /// -MF, compilers differ in the name.
  std::vector<std::string> Depfiles;
  IncludeFolders Folders;
  /// The process that was given it, by which builds at once are told apart.
  int Launcher = llvm::sys::Process::getProcessId();
};

/// Reads \p Words, which are to be run in \p Directory. nvcc takes \p Before
/// and \p After, words as well, from its environment.
CompilerCommand readCompilerCommand(std::vector<std::string> Words,
                                    llvm::StringRef Directory,
                                    llvm::StringRef Before = "",
                                    llvm::StringRef After = "");

/// \p Command for each of its sources alone. The outputs differ, as do names
/// of folders beside them.
std::vector<CompilerCommand> oneBySource(const CompilerCommand &Command);

/// The words that compile \p Copies instead of the sources that they are of,
/// with \p Extra first among the arguments.
std::vector<std::string>
compileInstead(const CompilerCommand &Command,
               const std::map<std::string, std::string> &Copies,
               llvm::ArrayRef<std::string> Extra);

} // namespace bankstripe

#endif
