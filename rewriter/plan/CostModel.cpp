//===-- CostModel.cpp - what things cost on a GPU -------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plan/CostModel.h"
#include "model/SourceFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/YAMLTraits.h"
#include <set>

using namespace bankstripe;
namespace path = llvm::sys::path;

template <> struct llvm::yaml::MappingTraits<CostModel> {
  static void mapping(IO &File, CostModel &M) {
    File.mapRequired("gpu", M.Gpu);
    File.mapRequired("arch", M.GpuArch);
    for (auto [Name, Constant] : constantsOf(M))
      File.mapRequired(Name, *Constant);
  }
};

std::vector<std::pair<const char *, double *>>
bankstripe::constantsOf(CostModel &M) {
  auto &I = M.Issue;
  auto &L = M.Latency;
  return {{"issue-instruction", &I.Instruction},
          {"issue-double-operation", &I.DoubleOperation},
          {"issue-global", &I.Global},
          {"issue-local-word", &I.LocalWord},
          {"issue-local-row", &I.LocalRow},
          {"issue-loaded-row", &I.LoadedRow},
          {"issue-loaded-row-miss", &I.LoadedRowMiss},
          {"issue-shared-word", &I.SharedWord},
          {"issue-packing", &I.Packing},
          {"issue-miss-factor", &I.MissFactor},
          {"issue-lines", &I.Lines},
          {"issue-lines-miss", &I.LinesMiss},
          {"latency-instruction", &L.Instruction},
          {"latency-double-operation", &L.DoubleOperation},
          {"latency-global", &L.Global},
          {"latency-local", &L.Local},
          {"latency-shared", &L.Shared},
          {"latency-packing", &L.Packing},
          {"latency-miss", &L.Miss},
          {"latency-lines", &L.Lines},
          {"latency-lines-miss", &L.LinesMiss},
          {"sharpness", &M.Sharpness},
          {"hit-exponent", &M.HitExponent},
          {"unpacked-passes", &M.UnpackedPasses}};
}

std::string bankstripe::textOf(CostModel M) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  llvm::yaml::Output File(OS);
  File << M;
  return Text;
}

llvm::Expected<CostModel> bankstripe::readCostModel(const std::string &Path) {
  auto Text = readFile(Path);
  if (!Text)
    return llvm::createStringError("cannot read '" + Path +
                                   "': " + Text.getError().message());
  CostModel M;
  llvm::yaml::Input File(**Text);
  File >> M;
  if (File.error() || !archInfo(M.GpuArch))
    return llvm::createStringError(
        "'" + Path +
        "' has no constants; remove it, or make it anew with "
        "bankstripe calibrate");
  return M;
}

std::string bankstripe::usualGpuFolder() {
  llvm::SmallString<256> Folder;
  const auto Configured = llvm::sys::Process::GetEnv("XDG_CONFIG_HOME");
  if (Configured && path::is_absolute(*Configured))
    Folder = *Configured;
  else if (path::home_directory(Folder))
    path::append(Folder, ".config");
  path::append(Folder, "bankstripe", "gpus");
  return std::string(Folder);
}

llvm::Expected<CostModel> bankstripe::costModelFor(llvm::StringRef Gpu,
                                                   const std::string &Folder) {
  const std::string Named = Folder + "/" + Gpu.str() + ".yaml";
  if (llvm::sys::fs::exists(Named))
    return readCostModel(Named);
  std::set<std::string> Files;
  std::error_code EC;
  for (llvm::sys::fs::directory_iterator It(Folder, EC), End; !EC && It != End;
       It.increment(EC))
    if (path::extension(It->path()) == ".yaml")
      Files.insert(It->path());
  for (const std::string &File : Files) {
    auto M = readCostModel(File);
    if (!M || archInfo(M->GpuArch) == archInfo(Gpu))
      return M;
  }
  return CostModel();
}
