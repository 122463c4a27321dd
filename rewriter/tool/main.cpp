//===-- main.cpp - the program bankstripe ---------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "report/Terminal.h"
#include "tool/Options.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"

using namespace bankstripe;

void bankstripe::initializeClang() {
  // Code is only made for devices; of the host, Clang knows all that a parse
  // needs. Each further target would make the program several megabytes larger.
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  llvm::CrashRecoveryContext::Enable();
}

static int exitStatus(llvm::Expected<int> Ended) {
  if (Ended)
    return *Ended;
  const int Code = Ended.errorIsA<BadDecisions>() ? ExitUsage : ExitSomeFailed;
  llvm::errs() << "bankstripe: " << printable(toString(Ended.takeError()))
               << '\n';
  return Code;
}

// `help`, `help COMMAND` and `-V`, as options.
static void readShortForms(int &Argc, const char **Argv) {
  const llvm::StringRef Name = Argc > 1 ? Argv[1] : "";
  if (Name == "-V") {
    Argv[1] = "--version";
  } else if (Name == "help") {
    Argv[1] = Argc > 2 ? Argv[2] : "--help";
    if (Argc > 2)
      Argv[2] = "--help";
    Argc = std::min(Argc, 3);
  }
}

int main(int Argc, const char **Argv) {
  // Where standard error is closed, the next file that is opened would be it.
  (void)llvm::sys::Process::FixupStandardFileDescriptors();
  processHooks().Flush = [] { llvm::outs().flush(); };
  readShortForms(Argc, Argv);
  const auto Executable = [&] {
    return llvm::sys::fs::getMainExecutable(Argv[0],
                                            reinterpret_cast<void *>(&main));
  };
  // Before anything that takes time or handles signals: most often a launcher
  // only becomes the compiler. What follows is not for us to understand.
  const llvm::StringRef Name = Argc > 1 ? Argv[1] : "";
  const llvm::ArrayRef Words(Argv + std::min(Argc, 2), Argv + Argc);
  if (Name == "replay")
    return exitStatus(runBeside("bankstripe-replay", Words, Executable()));
  if (Name == "verify" && comparesCommands(Words))
    return exitStatus(runBeside("bankstripe-verify", Words, Executable()));
  if (Words.empty() || (Words.front() != llvm::StringRef("--help") &&
                        Words.front() != llvm::StringRef("-h"))) {
    if (Name == "wrap")
      return runWrap({Words.begin(), Words.end()});
    if (Name == "stats")
      return runStats(Words);
    if (Name == "reason")
      return runReason(Words);
    if (Name == "undo")
      return exitStatus(runUndo(Words));
  }
  llvm::InitLLVM Init(Argc, Argv);
  initializeClang();

  std::optional<ToolOptions> Options = parseCommandLine(Argc, Argv);
  if (!Options)
    return ExitUsage;
  switch (Options->Run) {
  case Command::Analyze:
  case Command::Rewrite:
    return exitStatus(runRewrite(*Options));
  case Command::Verify:
    return exitStatus(runVerify(*Options, Executable()));
  case Command::Tune:
    return exitStatus(runTune(*Options, Executable()));
  }
  return ExitUsage;
}
