//===-- Calibrate.cpp - the constants of this GPU -------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "calibrate/Fit.h"
#include "edit/Edit.h"
#include "model/SourceFile.h"
#include "tool/Options.h"
#include "workers/Folders.h"
#include "workers/Workers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace bankstripe;
using llvm::StringRef;
namespace path = llvm::sys::path;

static llvm::Error write(const std::string &Path, StringRef Text) {
  const StringRef Folder = path::parent_path(Path);
  if (auto EC =
          llvm::sys::fs::create_directories(Folder.empty() ? "." : Folder))
    return llvm::createStringError("cannot make the folder of '" + Path +
                                   "': " + EC.message());
  return llvm::writeToOutput(Path, [&](llvm::raw_ostream &OS) {
    OS << Text;
    return llvm::Error::success();
  });
}

// Compiles a program for each type and kind of loads, several at a time, and
// runs one after the other. \returns what they print.
static llvm::Expected<std::string> measure(StringRef CudaPath) {
  if (!llvm::sys::DynamicLibrary::getPermanentLibrary("libcuda.so.1").isValid())
    return llvm::createStringError("this needs a GPU and its driver; "
                                   "libcuda.so.1 was not found");
  auto Kit = findToolkit(CudaPath);
  if (!Kit)
    return Kit.takeError();
  if (Kit->Nvcc.empty())
    return llvm::createStringError("this needs nvcc; install the CUDA toolkit "
                                   "or give --cuda-path");
  auto Folder = TemporaryFolder::create();
  if (!Folder)
    return Folder.takeError();
  const std::string Source = Folder->path() + "/Kernels.cu";
  const std::string Helper = Folder->path() + "/" + HelperFileName.str();
  if (llvm::Error E = replaceFiles({{Source, CalibrationKernels, std::nullopt},
                                    {Helper, helperText(), std::nullopt}}))
    return E;
  std::vector<std::string> Programs;
  std::string Problem, Printed;
  Workers Compiling({usualProcesses(), 0}, [&](size_t, const WorkResult &R) {
    if (R.Answer != "built")
      Problem = R.Problem + R.Answer + R.Printed;
  });
  for (const char *Element : {"float", "double", "unsigned char"})
    for (int Stream = 0; Stream < (Element[0] == 'u' ? 2 : 4); ++Stream) {
      Programs.push_back(Folder->path() + "/" +
                         std::to_string(Programs.size()));
      const std::vector<std::string> Command = {
          Kit->Nvcc,
          "-O3",
          "-std=c++17",
          "-arch=native",
          std::string("-DELEMENT=") + Element,
          "-DSTREAM=" + std::to_string(Stream),
          "-o",
          Programs.back(),
          Source};
      Compiling.start(Programs.size(), [&] {
        const ProcessResult Done = runProcess(Command, Output::Together);
        return Done.succeeded() ? "built" : "nvcc failed:\n" + Done.Out;
      });
    }
  Compiling.finish();
  for (const std::string &Program : Programs) {
    if (!Problem.empty())
      return llvm::createStringError(Problem);
    const ProcessResult Done = runProcess({Program}, Output::Together);
    Printed += Done.Out;
    if (!Done.succeeded())
      Problem = "the GPU cannot be measured: " + Done.Out + Done.problem();
  }
  if (!Problem.empty())
    return llvm::createStringError(Problem);
  return Printed;
}

static llvm::Expected<std::string> timingsFor(const ToolOptions &Options) {
  const std::string &File = Options.Calibration.Timings;
  if (File.empty())
    return measure(Options.Reading.Frontend.CudaPath);
  auto Text = File == "-" ? llvm::MemoryBuffer::getSTDIN() : readFile(File);
  if (!Text)
    return llvm::createStringError("cannot read '" + File +
                                   "': " + Text.getError().message());
  return (*Text)->getBuffer().str();
}

llvm::Expected<int> bankstripe::runCalibrate(const ToolOptions &Options) {
  auto Text = timingsFor(Options);
  if (!Text)
    return Text.takeError();
  Timings T;
  if (llvm::Error E = addTimings(*Text, T))
    return E;
  if (!archInfo(T.Arch))
    return llvm::createStringError("bankstripe does not know " + T.Arch);
  const std::string &Gpu = Options.Planning.Gpu;
  auto Start = costModelFor(Gpu.empty() ? T.Arch : Gpu, usualGpuFolder());
  if (!Start)
    return Start.takeError();
  const CostModel M = fitted(T, *Start);
  std::string Path = Options.Calibration.Constants;
  if (Path.empty()) {
    std::string Name = T.Gpu;
    llvm::replace(Name, ' ', '-');
    Path = usualGpuFolder() + "/" + Name + ".yaml";
  }
  if (llvm::Error E = write(Path, textOf(M)))
    return E;
  if (Options.Calibration.ShowTimings)
    llvm::outs() << tableOf(T) << '\n';
  Start->Arch = M.Arch;
  llvm::outs() << llvm::formatv(
      "{0} ({1}): {2} timings; predictions are off by {3:P1}, with the "
      "constants of the {4} by {5:P1}\nwritten to {6}\n",
      T.Gpu, T.Arch, T.All.size(), errorOf(M, T), Start->Gpu,
      errorOf(*Start, T), Path);
  return ExitDone;
}
