//===-- Ptxas.h - what ptxas says of kernels --------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   a source file, nvcc => ptxas' report => KernelResources per kernel
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_EVIDENCE_PTXAS_H
#define BANKSTRIPE_EVIDENCE_PTXAS_H

#include "frontend/Frontend.h"
#include "model/Evidence.h"
#include "model/UnitFacts.h"
#include <set>

namespace bankstripe {

/// What nvcc compiles of a file.
enum class Sides {
  Device,
  Both ///< The host's code too, which may say something else.
};

/// Compiles \p File as \p Job's command says, with nvcc and `-Xptxas -v`, for
/// \p Job's architecture only, and returns what ptxas reports. \p File may be
/// a rewritten copy; \p ExtraArgs (include folders) come before the
/// command's own.
/// Errors: nvcc failed, and the message carries its output; or those of
/// checkForNvcc.
llvm::Expected<ResourceTable>
runPtxas(const CompileJob &Job, llvm::StringRef Nvcc, llvm::StringRef File,
         llvm::ArrayRef<std::string> ExtraArgs = {},
         Sides Compiled = Sides::Device);

/// The command for that, which leaves a cubin at \p Output, or an object with
/// one. To be run in Job's directory. Exposed for tests.
std::vector<std::string> nvccCommand(const CompileJob &Job,
                                     llvm::StringRef Nvcc, llvm::StringRef File,
                                     llvm::ArrayRef<std::string> ExtraArgs,
                                     llvm::StringRef Output,
                                     Sides Compiled = Sides::Device);

/// What \p Reported says of \p Kernels, under Clang's symbols for them. Of
/// those in \p OfVersions, what it says of the version that stands beside the
/// kernel, if there is one. Likewise of \p Linked, functions of relocatable
/// device code, for which no kernel has Callees (plan/LinkedCalls.h).
ResourceTable forKernels(const ResourceTable &Reported,
                         const std::vector<Kernel> &Kernels,
                         const std::set<std::string> &OfVersions = {},
                         llvm::ArrayRef<DeviceFunction> Linked = {});

/// Reads the text that ptxas prints under -v, what is about \p Arch (`sm_90`);
/// empty: all. Or what nvlink prints, whose frames are those of all calls.
/// Functions that were not inlined have rows, too.
ResourceTable parsePtxasReport(llvm::StringRef Text, llvm::StringRef Arch = "");

/// The cubin for \p Arch (`sm_90`) in \p Bytes, an object or a program. Empty
/// if there is none, or more than one, or if it cannot be read.
std::string findCubin(llvm::StringRef Bytes, llvm::StringRef Arch);

/// One compile by nvcc under `-Xptxas=-v`.
struct NvccCompile {
  std::string Report; ///< What it said.
  std::string Object; ///< The path of what it wrote.
};

/// What runPtxas would return for that source and \p Arch. Nothing if the
/// object holds no cubin for it, or none that can be read.
std::optional<ResourceTable> readCompile(const NvccCompile &Compile,
                                         llvm::StringRef Arch);

/// \p Text without what ptxas prints under -v.
std::string withoutPtxasReport(llvm::StringRef Text);

/// The first error in what a compiler \p Said; its first line if it says none.
std::string firstErrorIn(llvm::StringRef Said);

} // namespace bankstripe

#endif
