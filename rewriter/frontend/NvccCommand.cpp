//===-- NvccCommand.cpp - what nvcc is asked, and how ---------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontend/NvccCommand.h"
#include "contract/Process.h"
#include "frontend/CommandLine.h"
#include "frontend/ForeignCommand.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

using namespace llvm;

namespace bankstripe {

// --- Options -----------------------------------------------------------------

/// Of options for Clang what nvcc takes in the same spelling.
static bool isForBoth(const CompilerOption &Option) {
  return is_contained({OptionMeaning::Include, OptionMeaning::SystemInclude,
                       OptionMeaning::PreInclude, OptionMeaning::Define,
                       OptionMeaning::Undefine},
                      Option.Meaning) &&
         !StringRef(Option.Value).starts_with("__CUDA_ARCH");
}

static void keepOptions(Dialect WrittenFor, ArrayRef<std::string> Args,
                        std::vector<std::string> &Kept) {
  for (const CompilerOption &Option : readOptions(WrittenFor, Args)) {
    const bool ForNvcc = WrittenFor == Dialect::Nvcc;
    // Without, a call to a function of another file would be an error.
    if (ForNvcc && Option.Meaning == OptionMeaning::RelocatableObject)
      Kept.emplace_back("-rdc=true");
    if (ForNvcc ? Option.ToCubin && Option.Meaning != OptionMeaning::Input
                : isForBoth(Option))
      append_range(Kept, Option.Words);
    if (!ForNvcc && Option.Meaning == OptionMeaning::Standard) {
      StringRef Standard = Option.Value;
      Standard.consume_front("gnu"); // nvcc knows no GNU dialects.
      Kept.push_back(("-std=c" + Standard.ltrim('c')).str());
    }
  }
}

std::vector<std::string> optionsForNvcc(const CompileJob &Job) {
  std::vector<std::string> Kept;
  // A wrapper of another name may not take nvcc's options as they are.
  const CommandLine Line = commandOf(Job);
  if (sys::path::stem(Line.Compiler) == "nvcc" && !Line.Args.empty())
    keepOptions(Dialect::Nvcc, Line.Args, Kept);
  else
    keepOptions(Dialect::Clang, Job.ClangArgs, Kept);
  Kept.push_back("-arch=" + Job.GpuArch);
  return Kept;
}

// --- Whether nvcc may be asked -----------------------------------------------

Error checkForNvcc(const CompileJob &Job, StringRef File,
                   ArrayRef<std::string> ExtraArgs) {
  if (!Job.OnlyForClang.empty())
    return createStringError("nvcc is not asked, since it would hand " +
                             Job.OnlyForClang +
                             " to a shell; --trust-commands lets it");
  auto Check = [](StringRef Text, StringRef Quote) -> Error {
    if (isPlainInQuotes(Text))
      return Error::success();
    return createStringError("nvcc is not asked, since it would hand " + Quote +
                             Text + Quote + " to a shell; rename it");
  };
  for (StringRef Path : {File, StringRef(Job.path())})
    if (Error E = Check(Path, "'"))
      return E;
  for (StringRef Arg : ExtraArgs)
    if (Error E = Check(Arg, ""))
      return E;
  return Error::success();
}

// --- Host compiler -----------------------------------------------------------

// The compiler that nvcc is told to use for the host's code.
std::string hostCompilerOf(const CommandLine &Command) {
  for (const CompilerOption &Option :
       readOptions(Command.dialect(), Command.Args))
    if (Option.Meaning == OptionMeaning::HostCompiler)
      return Option.Value;
  return sys::Process::GetEnv("NVCC_CCBIN").value_or("");
}

// --- Architectures -----------------------------------------------------------

std::vector<std::string> architecturesOf(StringRef Nvcc, StringRef Word) {
  std::vector<std::string> Result;
  if (Nvcc.empty())
    return Result;
  const ProcessResult Ended =
      runProcess({Nvcc.str(), "--list-gpu-code"}, Output::Apart);
  if (!Ended.succeeded())
    return Result;
  for (StringRef Line : split(Ended.Out, '\n'))
    if (Line = Line.trim(); Line.starts_with("sm_"))
      Result.push_back(Line.str());
  // "For all supported major versions, plus the earliest supported" (nvcc's
  // manual, --gpu-architecture). The list begins with the earliest.
  if (Word == "all-major" && !Result.empty()) {
    const std::string Earliest = Result.front();
    erase_if(Result, [&](StringRef Arch) {
      return Arch != Earliest && !Arch.ends_with("0");
    });
  }
  return Result;
}

// --- Macros ------------------------------------------------------------------

CompilerMacros readMacros(StringRef Preprocessed) {
  CompilerMacros Macros;
  bool InFile = false;
  for (StringRef Line : split(Preprocessed, '\n')) {
    // `# 1 "/usr/include/stdio.h" 1 3 4`, `# 0 "<built-in>"`.
    if (Line.consume_front("# ")) {
      InFile = !Line.split('"').second.starts_with("<");
      continue;
    }
    if (Line.consume_front("#undef ")) {
      Macros.erase(Line.trim());
      continue;
    }
    if (!Line.consume_front("#define "))
      continue;
    const size_t End = Line.find_first_of(" (");
    CompilerMacro &M = Macros[Line.take_front(End)];
    M = CompilerMacro();
    M.IsPredefined = !InFile;
    Line = End == StringRef::npos ? "" : Line.drop_front(End);
    if (Line.starts_with("(")) {
      const size_t Close = Line.find(')') + 1;
      M.Parameters = Line.take_front(Close);
      Line = Line.drop_front(Close);
    }
    M.Body = Line.trim();
  }
  return Macros;
}

bool isOfArchitecture(StringRef Macro) {
  return Macro.starts_with("__CUDA_ARCH_FEAT_") ||
         isAmong(Macro, "__CUDA_ARCH_SPECIFIC__ __CUDA_ARCH_FAMILY_SPECIFIC__");
}

Expected<CompilerMacros> askNvccForMacros(const CompileJob &Job,
                                          StringRef Nvcc) {
  if (Error E = checkForNvcc(Job, Job.File))
    return std::move(E);
  SmallString<128> Source;
  int File = -1;
  if (std::error_code EC =
          sys::fs::createTemporaryFile("bankstripe", "cu", File, Source))
    return createStringError(EC,
                             "cannot create a temporary file: " + EC.message());
  raw_fd_ostream(File, /*shouldClose=*/true) << "\n";
  const FileRemover Remover(Source);
  std::vector<std::string> Command{Nvcc.str()};
  append_range(Command, optionsForNvcc(Job));
  // `-arch` leaves out what sm_90a has and sm_90 has not.
  const StringRef Number = StringRef(Job.GpuArch).drop_front(strlen("sm_"));
  llvm::replace(Command, "-arch=" + Job.GpuArch,
                formatv("-gencode=arch=compute_{0},code=sm_{0}", Number).str());
  append_range(Command, std::initializer_list<StringRef>{"-E", "-Xcompiler",
                                                         "-dD", Source});
  const ProcessResult Ended = runProcess(Command, Output::Apart, Job.Directory);
  if (!Ended.succeeded())
    return createStringError("nvcc does not say which macros it has (it " +
                             Ended.problem() +
                             "): " + StringRef(Ended.Err).rtrim());
  CompilerMacros Macros = readMacros(Ended.Out);
  // It was asked for one of the architectures.
  if (auto Listed = Macros.find("__CUDA_ARCH_LIST__");
      Listed != Macros.end() && Job.AllGpuArchs.size() > 1) {
    std::vector<unsigned> Numbers;
    for (StringRef Arch : Job.AllGpuArchs)
      if (unsigned Number = 0;
          Arch.consume_front("sm_") && !Arch.consumeInteger(10, Number))
        Numbers.push_back(Number * 10);
    sort(Numbers);
    std::vector<std::string> Words;
    for (unsigned Number : Numbers)
      Words.push_back(std::to_string(Number));
    Listed->second.Body = join(Words, ",");
  }
  return Macros;
}

} // namespace bankstripe
