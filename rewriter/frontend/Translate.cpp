//===-- Translate.cpp - a command line for Clang --------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The options that every parse of a CUDA file needs.
//
//===----------------------------------------------------------------------===//

#include "frontend/Frontend.h"

#include "llvm/Support/FileSystem.h"

using namespace llvm;

namespace bankstripe {

void translateCommand(CompileJob &Job, const FrontendOptions &Options,
                      const Toolkit &Kit) {
  Job.CudaPath = Kit.Root;
  Job.GpuArch = Options.GpuArch.empty() ? "sm_90" : Options.GpuArch;
  Job.ClangArgs = {"-std=gnu++17", "--cuda-gpu-arch=" + Job.GpuArch};
  if (Kit.Root.empty())
    return;
  Job.ClangArgs.push_back("--cuda-path=" + Kit.Root);
  const std::string Cccl = Kit.Root + "/include/cccl";
  if (sys::fs::is_directory(Cccl)) {
    Job.ClangArgs.push_back("-isystem");
    Job.ClangArgs.push_back(Cccl);
  }
}

} // namespace bankstripe
