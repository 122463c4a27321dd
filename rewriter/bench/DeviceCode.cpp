//===-- DeviceCode.cpp - compiles kernels alone ---------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bench/DeviceCode.h"
#include "bench/Copies.h"
#include "bench/Reply.h"
#include "evidence/Ptxas.h"
#include "frontend/NvccCommand.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace bankstripe;
using llvm::StringRef;

ResourceTable bankstripe::forVersions(const ResourceTable &Reply,
                                      const std::vector<Kernel> &Kernels,
                                      const Plan &P) {
  std::set<std::string> Redirected;
  for (const KernelPlan &K : P.Kernels)
    if (K.Redirected)
      Redirected.insert(K.Facts.Id);
  return forKernels(Reply, Kernels, Redirected);
}

// Of functions that several units define, those of a header, the first ones
// count. A tree may hold two programs with functions of one name: what was
// linked wrongly then does not compute what its capture tells.
const UnitRecord *DeviceCodes::definerOf(StringRef Function) const {
  for (const UnitRecord &Unit : Units)
    if (!Unit.Job.IsOtherArch && llvm::any_of(Unit.Unit.Evidence.Functions,
                                              [&](const DeviceFunction &F) {
                                                return F.Defined &&
                                                       F.Id == Function;
                                              }))
      return &Unit;
  return nullptr;
}

std::vector<const UnitRecord *>
DeviceCodes::linkedWith(const UnitRecord &Unit) const {
  std::vector<const UnitRecord *> All{&Unit};
  std::set<StringRef> Defined;
  for (size_t I = 0; I < All.size(); ++I) {
    const std::vector<DeviceFunction> &Own = All[I]->Unit.Evidence.Functions;
    for (const DeviceFunction &F : Own)
      if (F.Defined)
        Defined.insert(F.Id);
    for (const DeviceFunction &F : Own) {
      const UnitRecord *Other = Defined.count(F.Id) ? nullptr : definerOf(F.Id);
      if (Other && !llvm::is_contained(All, Other))
        All.push_back(Other);
    }
  }
  return All;
}

const DeviceCode &DeviceCodes::codeOf(const UnitRecord &Unit,
                                      const Arrangement &Arrays) const {
  return Codes.at({&Unit, Arrays});
}

std::string DeviceCodes::newPath() {
  return P.folder() + "/code" + std::to_string(Paths++);
}

// For this GPU and nothing else.
std::string DeviceCodes::architectureFor(const CompileJob &Job) const {
  return StringRef(Job.GpuArch).starts_with(Architecture) ? Job.GpuArch
                                                          : Architecture;
}

std::vector<std::string> DeviceCodes::commandFor(const NvccQuestion &Asked,
                                                 bool IsLinked,
                                                 StringRef Cubin) const {
  CompileJob Job = Asked.Unit->Job;
  Job.GpuArch = architectureFor(Job);
  auto Command = nvccCommand(Job, P.nvcc(), Asked.File, Asked.ExtraArgs, Cubin);
  if (!IsLinked)
    llvm::erase(Command, "-rdc=true");
  return Command;
}

static bool changes(const UnitRecord &Unit,
                    llvm::ArrayRef<ChangedFile> Changes) {
  return llvm::any_of(Changes, [&](const ChangedFile &File) {
    return llvm::any_of(Unit.Unit.Facts.Sources, [&](const SourceFile &S) {
      return S.Path == File.Path;
    });
  });
}

const DeviceCodes::CopiedTree &DeviceCodes::treeFor(const Request &V) {
  auto [It, IsNew] = Trees.try_emplace(*V.Arrays);
  CopiedTree &Made = It->second;
  if (IsNew) {
    Made.Folder = newPath();
    if (llvm::Error E = Copies(Made.Folder, {"/"}).write(P.files(), V.Changes))
      Made.Problem = toString(std::move(E));
  }
  return Made;
}

// A unit that does not change is compiled once for all versions. Where a copy
// is missing, nvcc would find the original instead and compile that.
DeviceCode &DeviceCodes::piece(const UnitRecord &Unit, const Request &V,
                               bool IsLinked, std::vector<Step> &Steps) {
  const bool IsChanged = changes(Unit, V.Changes);
  auto [It, IsNew] = Pieces.try_emplace(
      {&Unit, IsChanged ? *V.Arrays : Arrangement(), IsLinked});
  DeviceCode &Piece = It->second;
  if (!IsNew)
    return Piece;
  NvccQuestion Asked{&Unit, Unit.Job.File, {}};
  std::string Root;
  if (IsChanged) {
    const CopiedTree &Made = treeFor(V);
    Piece.Problem = Made.Problem;
    if (!Piece.Problem.empty())
      return Piece;
    const Copies Tree(Made.Folder, {"/"});
    Root = Tree.folder();
    Asked.File = *Tree.placeOf(Unit.Job.File);
    Asked.ExtraArgs = Tree.argumentsFor(Unit.Job);
  }
  if (llvm::Error E = checkForNvcc(Unit.Job, Asked.File, Asked.ExtraArgs)) {
    Piece.Problem = toString(std::move(E));
    return Piece;
  }
  const std::string Cubin = newPath() + ".cubin";
  Steps.push_back({&Piece, commandFor(Asked, IsLinked, Cubin),
                   Unit.Job.Directory, Cubin,
                   "nvcc does not compile its file alone"});
  if (Known)
    Piece.Key =
        Known->keyOf(Asked, P.nvcc(), Root,
                     IsChanged ? V.Changes : llvm::ArrayRef<ChangedFile>());
  return Piece;
}

void DeviceCodes::link(const UnitRecord &Unit,
                       llvm::ArrayRef<const DeviceCode *> Pieces,
                       DeviceCode &Into, std::vector<Step> &Steps) {
  const std::string Cubin = newPath() + ".cubin";
  std::vector<std::string> Command{
      P.nvcc(),   "-dlink", "-cubin", "-arch=" + architectureFor(Unit.Job),
      "-Xnvlink", "-v",     "-o",     Cubin};
  Into.Used = Pieces.front()->Used;
  Into.Key = "linked";
  for (const DeviceCode *Piece : Pieces) {
    if (Piece->Cubin.empty()) {
      Into.Problem = Piece->Problem;
      return;
    }
    Command.push_back(Piece->Cubin);
    if (!Piece->Key)
      Into.Key.reset();
    else if (Into.Key)
      *Into.Key += " " + *Piece->Key;
  }
  Steps.push_back({&Into, std::move(Command), Unit.Job.Directory, Cubin,
                   "nvcc does not link its files alone"});
}

void DeviceCodes::compile(llvm::ArrayRef<Request> Requests) {
  struct Wanted {
    const UnitRecord *Unit;
    std::vector<const DeviceCode *> Pieces;
    DeviceCode *Into;
  };
  std::vector<Wanted> All;
  std::vector<Step> Compiles, Links;
  for (const Request &V : Requests)
    for (const UnitRecord *Unit : V.Units) {
      auto [At, IsNew] = Codes.try_emplace({Unit, *V.Arrays});
      if (!IsNew)
        continue;
      const auto Others = linkedWith(*Unit);
      All.push_back({Unit, {}, &At->second});
      for (const UnitRecord *Other : Others)
        All.back().Pieces.push_back(
            &piece(*Other, V, Others.size() > 1, Compiles));
    }
  run(Compiles);
  for (const Wanted &W : All)
    if (W.Pieces.size() > 1)
      link(*W.Unit, W.Pieces, *W.Into, Links);
    else
      *W.Into = *W.Pieces.front();
  run(Links);
}

void DeviceCodes::run(const std::vector<Step> &Steps) const {
  Workers Pool({P.work().Limits.Processes, /*Seconds=*/0},
               [&](size_t I, const WorkResult &Result) {
                 DeviceCode &Into = *Steps[I].Into;
                 auto Report = readReply<std::string>(Result);
                 if (!Report) {
                   Into.Problem = Steps[I].Failure;
                   const std::string Why = toString(Report.takeError());
                   if (P.work().isVerbose())
                     llvm::errs() << "bankstripe: " << Into.Problem << ": "
                                  << StringRef(Why).rtrim() << '\n';
                   return;
                 }
                 Into.Cubin = Steps[I].Cubin;
                 for (const auto &[Name, Used] : parsePtxasReport(*Report))
                   Into.Used[Name] = Used;
               });
  for (size_t I = 0; I < Steps.size(); ++I)
    Pool.start(I, [&, I] {
      setenv("TMPDIR", P.folder().c_str(), /*overwrite=*/1);
      ProcessResult Ended =
          runProcess(Steps[I].Command, Output::Together, Steps[I].Directory);
      return replyWith<std::string>(
          Ended.succeeded()
              ? llvm::Expected<std::string>(std::move(Ended.Out))
              : llvm::createStringError(Ended.problem() + "\n" + Ended.Out));
    });
  Pool.finish();
}
