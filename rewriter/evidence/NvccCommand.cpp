//===-- NvccCommand.cpp - a command line for ptxas' report ----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// nvcc spells its options with one dash (short names, and long ones since CUDA
// 7) or two, and gives values in the next argument or after `=`. Two tables
// say which options take a value and which are dropped; all others are kept,
// and what is no option is an input and dropped.
//
//===----------------------------------------------------------------------===//

#include "evidence/NvccCommand.h"

#include "frontend/Frontend.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace bankstripe {
namespace {

/// Dropped, together with a value in the next argument.
constexpr StringLiteral DroppedWithValue[] = {
    // Outputs and dependency files.
    "o", "output-file", "odir", "output-directory", "MF", "dependency-output",
    "MT", "MQ", "dependency-target-name", "dependency-drive-prefix", "keep-dir",
    "time", "split-compile", "t", "threads",
    // Architectures: there is one, which is given at the end.
    "gencode", "generate-code", "arch", "gpu-architecture", "code", "gpu-code",
    // Linking.
    "l", "library", "L", "library-path", "Xlinker", "linker-options", "Xnvlink",
    "nvlink-options", "Xarchive", "archive-options", "cudart", "cudadevrt"};

/// Dropped, alone.
constexpr StringLiteral Dropped[] = {
    // Phases.
    "c", "compile", "dc", "device-c", "dw", "device-w", "dlink", "device-link",
    "link", "lib", "ptx", "cubin", "fatbin", "cuda", "E", "preprocess", "S",
    "optix-ir", "ltoir", "run", "dlto", "dlink-time-opt", "lto",
    // Dependencies.
    "M", "MM", "MD", "MMD", "MP", "generate-dependencies",
    "generate-nonsystem-dependencies", "generate-dependencies-with-compile",
    "generate-nonsystem-dependencies-with-compile",
    "generate-dependency-targets",
    // Files and output of nvcc's own.
    "keep", "save-temps", "dryrun", "verbose", "v", "objtemp", "shared"};

/// Kept, together with a value in the next argument.
constexpr StringLiteral KeptWithValue[] = {"I",
                                           "include-path",
                                           "isystem",
                                           "system-include",
                                           "D",
                                           "define-macro",
                                           "U",
                                           "undefine-macro",
                                           "include",
                                           "pre-include",
                                           "std",
                                           "x",
                                           "O",
                                           "optimize",
                                           "m",
                                           "machine",
                                           "ccbin",
                                           "compiler-bindir",
                                           "Xcompiler",
                                           "compiler-options",
                                           "Xptxas",
                                           "ptxas-options",
                                           "Xcudafe",
                                           "cudafe-options",
                                           "Xfatbin",
                                           "fatbin-options",
                                           "maxrregcount",
                                           "rdc",
                                           "relocatable-device-code",
                                           "ftz",
                                           "prec-div",
                                           "prec-sqrt",
                                           "fmad",
                                           "Werror",
                                           "diag-error",
                                           "diag-suppress",
                                           "diag-warn",
                                           "err-no",
                                           "default-stream",
                                           "optf",
                                           "options-file",
                                           "idp",
                                           "input-drive-prefix",
                                           "ddp",
                                           "dpp",
                                           "cccl",
                                           "host-relocatable-link",
                                           "target-dir",
                                           "aux-target",
                                           "ftemplate-depth",
                                           "ftemplate-backtrace-limit",
                                           "frandom-seed",
                                           "brief-diagnostics",
                                           "jump-table-density",
                                           "device-stack-protector",
                                           "static-global-template-stub",
                                           "Ofc",
                                           "Ofast-compile"};

/// Clang's options that nvcc takes in the same spelling, with a value.
constexpr StringLiteral SharedWithClang[] = {"I", "isystem", "D",
                                             "U", "include", "std"};

/// One option, as far as its spelling tells.
struct Option {
  StringRef Name;        ///< Without dashes, `=` and a value.
  bool HasValue = false; ///< After `=`.
};

Option readOption(StringRef Arg) {
  StringRef Name = Arg.ltrim('-');
  size_t Equals = Name.find('=');
  return {Name.substr(0, Equals), Equals != StringRef::npos};
}

/// Whether \p Arg is one of the short options whose value is glued on: -Idir.
bool isGlued(StringRef Arg, ArrayRef<StringLiteral> Names) {
  return !Arg.starts_with("--") && any_of(Names, [&](StringRef Name) {
    return Name.size() == 1 && Arg.size() > 2 && Arg.substr(1, 1) == Name;
  });
}

bool isNvcc(StringRef Program) { return sys::path::stem(Program) == "nvcc"; }

/// The arguments of an nvcc command, in case \p Args are one; launchers such as
/// ccache may stand before it.
std::optional<ArrayRef<std::string>>
argumentsOfNvcc(ArrayRef<std::string> Args) {
  for (size_t I = 0; I != Args.size() && !StringRef(Args[I]).starts_with("-");
       ++I)
    if (isNvcc(Args[I]))
      return Args.drop_front(I + 1);
  return std::nullopt;
}

void keepOptionsOfNvcc(ArrayRef<std::string> Args,
                       std::vector<std::string> &Kept) {
  for (size_t I = 0; I < Args.size(); ++I) {
    StringRef Arg = Args[I];
    bool NextIsValue = false, Keep = true;
    Option O = readOption(Arg);
    if (!Arg.starts_with("-") || Arg == "-") {
      Keep = false;
    } else if (is_contained(DroppedWithValue, O.Name)) {
      Keep = false;
      NextIsValue = !O.HasValue;
    } else if (is_contained(Dropped, O.Name)) {
      // `-dc` asks for relocatable code; without, a call to a function of
      // another file would be an error.
      if (O.Name == "dc" || O.Name == "device-c")
        Kept.emplace_back("-rdc=true");
      Keep = false;
    } else if (is_contained(KeptWithValue, O.Name)) {
      NextIsValue = !O.HasValue;
    } else if (isGlued(Arg, {"l", "L"})) {
      Keep = O.Name == "lineinfo";
    }
    if (Keep)
      Kept.push_back(Arg.str());
    if (NextIsValue && ++I < Args.size() && Keep)
      Kept.push_back(Args[I]);
  }
}

/// nvcc knows the standards, not their GNU dialects.
std::string withoutGnu(StringRef Arg) {
  if (Arg.consume_front("-std=gnu++"))
    return "-std=c++" + Arg.str();
  return Arg.str();
}

void keepOptionsOfClang(ArrayRef<std::string> Args,
                        std::vector<std::string> &Kept) {
  bool HasStandard = false;
  for (size_t I = 0; I < Args.size(); ++I) {
    StringRef Arg = Args[I];
    if (Arg == "-Xclang" || Arg == "-mllvm" || Arg == "-Xcuda-ptxas") {
      ++I;
      continue;
    }
    Option O = readOption(Arg);
    if (!Arg.starts_with("-"))
      continue;
    if (is_contained(SharedWithClang, O.Name)) {
      HasStandard |= O.Name == "std";
      Kept.push_back(withoutGnu(Arg));
      if (!O.HasValue && I + 1 < Args.size())
        Kept.push_back(Args[++I]);
    } else if (isGlued(Arg, SharedWithClang) &&
               !Arg.starts_with("-D__CUDA_ARCH")) {
      Kept.push_back(Arg.str());
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
  if (auto Args = argumentsOfNvcc(Job.OriginalArgs); Args && !Args->empty())
    keepOptionsOfNvcc(*Args, Command);
  else
    keepOptionsOfClang(Job.ClangArgs, Command);
  if (sys::path::extension(File) != ".cu" && !is_contained(Command, "-x"))
    Command.insert(Command.end(), {"-x", "cu"});
  Command.insert(Command.end(), {"-arch=" + Job.GpuArch, "-cubin", "-Xptxas",
                                 "-v", "-o", Output.str(), File.str()});
  return Command;
}

} // namespace bankstripe
