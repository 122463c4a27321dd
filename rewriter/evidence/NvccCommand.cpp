//===-- NvccCommand.cpp - a command line for ptxas' report ----------------===//
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

#include "evidence/NvccCommand.h"

#include "frontend/CommandLine.h"
#include "frontend/Frontend.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace bankstripe {
namespace {

void keepOptionsOfNvcc(ArrayRef<std::string> Args,
                       std::vector<std::string> &Kept) {
  for (const CompilerOption &Option : readOptions(Dialect::Nvcc, Args)) {
    // Without, a call to a function of another file would be an error.
    if (Option.Meaning == OptionMeaning::RelocatableObject)
      Kept.emplace_back("-rdc=true");
    if (Option.ToCubin && Option.Meaning != OptionMeaning::Input)
      append_range(Kept, Option.Words);
  }
}

/// What nvcc takes in the same spelling.
void keepOptionsOfClang(ArrayRef<std::string> Args,
                        std::vector<std::string> &Kept) {
  bool HasStandard = false;
  for (const CompilerOption &Option : readOptions(Dialect::Clang, Args)) {
    StringRef Value = Option.Value;
    switch (Option.Meaning) {
    case OptionMeaning::Include:
    case OptionMeaning::Undefine:
    case OptionMeaning::SystemInclude:
    case OptionMeaning::PreInclude:
      append_range(Kept, Option.Words);
      break;
    case OptionMeaning::Define:
      if (!Value.starts_with("__CUDA_ARCH"))
        append_range(Kept, Option.Words);
      break;
    case OptionMeaning::Standard:
      // nvcc knows the standards, not their GNU dialects.
      Value.consume_front("gnu");
      Kept.push_back(("-std=c" + Value.ltrim('c')).str());
      HasStandard = true;
      break;
    default:
      break;
    }
  }
  if (!HasStandard)
    Kept.emplace_back("-std=c++17");
}

} // namespace

std::vector<std::string> nvccCommand(const CompileJob &Job, StringRef Nvcc,
                                     StringRef File,
                                     ArrayRef<std::string> ExtraArgs,
                                     StringRef Output) {
  std::vector<std::string> Command{Nvcc.str()};
  // First, since they may name rewritten copies of what the command includes.
  Command.insert(Command.end(), ExtraArgs.begin(), ExtraArgs.end());
  // A copy that lies elsewhere must find what the original includes from its
  // own folder.
  Command.push_back(("-I" + sys::path::parent_path(Job.File)).str());
  // A wrapper of another name may not take nvcc's options as they are.
  const CommandLine Line = readCommandLine(Job.OriginalArgs, Job.Directory);
  if (sys::path::stem(Line.Compiler) == "nvcc" && !Line.Args.empty())
    keepOptionsOfNvcc(Line.Args, Command);
  else
    keepOptionsOfClang(Job.ClangArgs, Command);
  if (sys::path::extension(File) != ".cu" && !is_contained(Command, "-x"))
    Command.insert(Command.end(), {"-x", "cu"});
  Command.insert(Command.end(), {"-arch=" + Job.GpuArch, "-cubin", "-Xptxas",
                                 "-v", "-o", Output.str(), File.str()});
  return Command;
}

} // namespace bankstripe
