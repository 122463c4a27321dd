//===-- Verify.cpp - bankstripe verify ------------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rewrites one program, builds it both ways with nvcc, and hands the two to
// bankstripe-verify, which runs them under the recorder, compares what they
// compute and times them. That program is part of runtime/ and knows nothing of
// LLVM; this file is what connects the two halves.
//
// nvcc may fuse a multiplication and an addition into one operation with one
// rounding, and it decides so anew for every version of a kernel. A difference
// is therefore looked at once more with both programs built without fusing:
// when they agree then, the rewrite is right and the rounding moved.
//
//===----------------------------------------------------------------------===//

#include "tool/Pipeline.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace bankstripe;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace {

/// One `bankstripe verify`.
class Verification {
public:
  Verification(const ToolOptions &Options, StringRef Executable, RunResult &Run,
               StringRef Folder)
      : Options(Options), Executable(Executable), Run(Run),
        Folder(Folder.str()), Job(Run.Jobs.front()) {}

  llvm::Error prepare();
  llvm::Error build(const std::vector<std::string> &Extra = {});
  llvm::Expected<int> compare(unsigned Runs, bool Quiet = false);
  llvm::Error explainDifference();

private:
  llvm::Error compile(StringRef Source, StringRef Output,
                      const std::vector<std::string> &Extra);
  llvm::Expected<int> execute(const std::vector<std::string> &Command,
                              bool Quiet = false);

  const ToolOptions &Options;
  StringRef Executable;
  RunResult &Run;
  std::string Folder;
  const CompileJob &Job;
  std::string Nvcc;
  std::string Program;
  std::vector<std::string> MirrorArgs;
};

} // namespace

llvm::Expected<int>
Verification::execute(const std::vector<std::string> &Command, bool Quiet) {
  if (Options.Level == Detail::Verbose) {
    llvm::errs() << "bankstripe:";
    for (const std::string &Arg : Command)
      llvm::errs() << ' ' << Arg;
    llvm::errs() << '\n';
  }
  std::vector<StringRef> Args(Command.begin(), Command.end());
  std::string Message;
  std::optional<StringRef> Nowhere[] = {StringRef(), StringRef(), StringRef()};
  int Status = llvm::sys::ExecuteAndWait(
      Command.front(), Args, std::nullopt,
      Quiet ? llvm::ArrayRef(Nowhere)
            : llvm::ArrayRef<std::optional<StringRef>>(),
      0, 0, &Message);
  if (Status < 0)
    return llvm::createStringError("cannot run '" + Command.front() +
                                   "': " + Message);
  return Status;
}

// Finds what is needed before any time is spent on building.
llvm::Error Verification::prepare() {
  std::string Why;
  if (!llvm::sys::DynamicLibrary::getPermanentLibrary("libcuda.so.1", &Why)
           .isValid())
    return llvm::createStringError("verify needs a GPU, and no NVIDIA driver "
                                   "is installed: " +
                                   Why);
  auto Kit = findToolkit(Options.Frontend.CudaPath);
  if (!Kit)
    return Kit.takeError();
  if (Kit->Nvcc.empty())
    return llvm::createStringError("verify needs nvcc; install the CUDA "
                                   "toolkit or give --cuda-path");
  Nvcc = Kit->Nvcc;
  Program = Options.VerifyProgram;
  if (Program.empty()) {
    llvm::SmallString<256> Beside(path::parent_path(Executable));
    path::append(Beside, "bankstripe-verify");
    Program = std::string(Beside);
  }
  if (!fs::can_execute(Program))
    return llvm::createStringError(
        "cannot find '" + Program +
        "'; build runtime/ with CUDA present, or give --verify-program");
  auto Args = writeMirror(Run, Job, Folder);
  if (!Args)
    return Args.takeError();
  MirrorArgs = std::move(*Args);
  return llvm::Error::success();
}

llvm::Error Verification::compile(StringRef Source, StringRef Output,
                                  const std::vector<std::string> &Extra) {
  std::vector<std::string> Command{Nvcc};
  llvm::append_range(Command, Extra);
  const std::vector<std::string> &Given = Options.Frontend.CompilerArgs;
  bool HasArch = llvm::any_of(Given, [](StringRef Arg) {
    return Arg.starts_with("-arch") || Arg.starts_with("-gencode") ||
           Arg.starts_with("--generate-code") || Arg.starts_with("--gpu-");
  });
  if (!HasArch)
    Command.push_back("-arch=" + (Options.Frontend.GpuArch.empty()
                                      ? std::string("native")
                                      : Options.Frontend.GpuArch));
  if (!llvm::any_of(Given, [](StringRef A) { return A.starts_with("-O"); }))
    Command.emplace_back("-O3");
  llvm::append_range(Command, Given);
  llvm::append_range(
      Command, std::vector<std::string>{"-o", Output.str(), Source.str()});
  llvm::Expected<int> Status = execute(Command);
  if (!Status)
    return Status.takeError();
  if (*Status != 0)
    return llvm::createStringError("nvcc failed on '" + Source + "'");
  return llvm::Error::success();
}

llvm::Error Verification::build(const std::vector<std::string> &Extra) {
  if (llvm::Error E = compile(Job.File, Folder + "/original", Extra))
    return E;
  std::vector<std::string> Args = MirrorArgs;
  llvm::append_range(Args, Extra);
  return compile(Folder + Job.File, Folder + "/rewritten", Args);
}

llvm::Expected<int> Verification::compare(unsigned Runs, bool Quiet) {
  std::vector<std::string> Command{Program, "--runs=" + std::to_string(Runs)};
  if (Options.Format == OutputFormat::Json)
    Command.emplace_back("--json=-");
  Command.push_back(Folder + "/original");
  Command.push_back(Folder + "/rewritten");
  if (!Options.ProgramArgs.empty()) {
    Command.emplace_back("--");
    llvm::append_range(Command, Options.ProgramArgs);
  }
  return execute(Command, Quiet);
}

// Only says what it finds: a difference remains one.
llvm::Error Verification::explainDifference() {
  if (llvm::Error E = build({"-fmad=false"}))
    return E;
  llvm::Expected<int> Status = compare(/*Runs=*/0, /*Quiet=*/true);
  if (!Status)
    return Status.takeError();
  if (*Status == ExitDone)
    llvm::errs() << "bankstripe: with -fmad=false both programs compute the "
                    "same; they differ only in which multiplications and "
                    "additions nvcc fuses\n";
  return llvm::Error::success();
}

static int fail(llvm::Error E) {
  llvm::errs() << "bankstripe: " << toString(std::move(E)) << '\n';
  return ExitSomeFailed;
}

int bankstripe::runVerify(const ToolOptions &Options, StringRef Executable) {
  llvm::Expected<RunResult> Run = runPipeline(Options);
  if (!Run)
    return fail(Run.takeError());
  if (Run->Jobs.size() != 1)
    return fail(llvm::createStringError("verify takes one file, and it must "
                                        "be a whole program"));
  if (Run->SomeFailed)
    return ExitSomeFailed;
  printText(llvm::errs(), Run->Decisions, Run->Resources, Options.Level);
  printDecisions(llvm::errs(), Run->Decisions, Options.Level);
  if (Run->Changes.empty()) {
    if (Options.Level != Detail::Quiet)
      llvm::errs() << "bankstripe: nothing would be rewritten, so there is "
                      "nothing to verify\n";
    return ExitDone;
  }
  llvm::Expected<TemporaryFolder> Folder = TemporaryFolder::create();
  if (!Folder)
    return fail(Folder.takeError());
  Verification V(Options, Executable, *Run, Folder->path());
  if (llvm::Error E = V.prepare())
    return fail(std::move(E));
  if (llvm::Error E = V.build())
    return fail(std::move(E));
  llvm::Expected<int> Status = V.compare(Options.Runs);
  if (Status && *Status == ExitChanges)
    if (llvm::Error E = V.explainDifference())
      return fail(std::move(E));
  if (Options.KeepFiles) {
    llvm::errs() << "bankstripe: the programs and the rewritten sources are in "
                 << Folder->path() << '\n';
    Folder->keep();
  }
  if (!Status)
    return fail(Status.takeError());
  return *Status;
}
