//===-- NvccCommand.h - what nvcc is asked, and how -------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A command for nvcc is repeated without what names outputs, phases, other
// architectures and link inputs; of one for Clang, what both compilers
// understand is kept.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FRONTEND_NVCCCOMMAND_H
#define BANKSTRIPE_FRONTEND_NVCCCOMMAND_H

#include "frontend/CommandLine.h"
#include "frontend/Frontend.h"
#include "llvm/ADT/StringMap.h"

namespace bankstripe {

/// The options of \p Job's command that decide what nvcc makes of a source, for
/// its architecture.
std::vector<std::string> optionsForNvcc(const CompileJob &Job);

/// The architectures that \p Nvcc means by `all` or `all-major`: `sm_75`, ...;
/// none if it cannot be asked.
std::vector<std::string> architecturesOf(llvm::StringRef Nvcc,
                                         llvm::StringRef Word);

/// A macro where the text of a source begins.
struct CompilerMacro {
  std::string Parameters; ///< `(a,b)`; empty if it takes none.
  std::string Body;
  bool IsPredefined = false; ///< By the compiler or its command: no header.
};

using CompilerMacros = llvm::StringMap<CompilerMacro>;

/// An error that says why nvcc must not be asked: its shell would see more than
/// names in the paths, or in what a project's command says.
llvm::Error checkForNvcc(const CompileJob &Job, llvm::StringRef File,
                         llvm::ArrayRef<std::string> ExtraArgs = {});

/// The host compiler that \p Command, or else the environment, tells nvcc to
/// use; empty if none does.
std::string hostCompilerOf(const CommandLine &Command);

/// The macros that \p Nvcc's preprocessor has, in its pass for the device,
/// where the source of \p Job begins. An error if it cannot be asked. The pass
/// for the host differs by `__CUDA_ARCH__`, `CUDA_DOUBLE_MATH_FUNCTIONS` and
/// what isOfArchitecture says, which it lacks (CUDA 13.0, `nvcc --dryrun`).
llvm::Expected<CompilerMacros> askNvccForMacros(const CompileJob &Job,
                                                llvm::StringRef Nvcc);

/// Whether \p Macro says what one architecture has, such as sm_90a.
bool isOfArchitecture(llvm::StringRef Macro);

/// What is printed for `-E -dD`, as macros. Exposed for tests.
CompilerMacros readMacros(llvm::StringRef Preprocessed);

} // namespace bankstripe

#endif
