//===-- DeviceCode.cpp - compiles kernels alone ---------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "bench/DeviceCode.h"
#include "copies/Copies.h"
#include "evidence/Ptxas.h"
#include "frontend/NvccCommand.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace bankstripe;
using llvm::StringRef;

namespace {

/// What a call of nvcc left.
struct MadeCode {
  double Seconds = 0; ///< That it took.
  std::string Printed;
};

} // namespace

static constexpr char OnlyFlag[] = "--entry=";

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

const DeviceCodes::CopiedTree &
DeviceCodes::treeFor(const Recipe &V, llvm::ArrayRef<ChangedFile> Changes) {
  auto [It, IsNew] = Trees.try_emplace(V.Arrays);
  CopiedTree &Made = It->second;
  if (IsNew) {
    Made.Folder = newPath();
    if (llvm::Error E = Copies(Made.Folder, {"/"}).write(P.files(), Changes))
      Made.Problem = toString(std::move(E));
  }
  return Made;
}

// A unit that does not change is compiled once for all variants. Where a copy
// is missing, nvcc would find the original instead and compile that.
DeviceCode &DeviceCodes::piece(const UnitRecord &Unit, const Recipe &V,
                               llvm::ArrayRef<ChangedFile> Changes,
                               bool IsLinked) {
  const bool IsChanged = changes(Unit, Changes);
  auto [It, IsNew] = Pieces.try_emplace(
      {&Unit, {IsChanged ? V.Arrays : Arrangement(), V.Flags}, IsLinked});
  DeviceCode &Piece = It->second;
  if (!IsNew)
    return Piece;
  NvccQuestion Asked{&Unit, Unit.Job.File, V.Flags};
  std::string Root;
  if (IsChanged) {
    const CopiedTree &Made = treeFor(V, Changes);
    Piece.Problem = Made.Problem;
    Piece.IsDone = !Piece.Problem.empty();
    if (Piece.IsDone)
      return Piece;
    const Copies Tree(Made.Folder, {"/"});
    Root = Tree.folder();
    Asked.File = *Tree.placeOf(Unit.Job.File);
    llvm::append_range(Asked.ExtraArgs, Tree.argumentsFor(Unit.Job));
  }
  if (llvm::Error E = checkForNvcc(Unit.Job, Asked.File, Asked.ExtraArgs)) {
    Piece.Problem = toString(std::move(E));
    Piece.IsDone = true;
    return Piece;
  }
  const std::string Cubin = newPath() + ".cubin";
  Steps.push_back({&Piece, commandFor(Asked, IsLinked, Cubin),
                   Unit.Job.Directory, Cubin,
                   "nvcc does not compile its file alone"});
  if (Known)
    Piece.Key =
        Known->keyOf(Asked, P.nvcc(), Root,
                     IsChanged ? Changes : llvm::ArrayRef<ChangedFile>());
  return Piece;
}

void DeviceCodes::link(const Linking &L) {
  const std::string Cubin = newPath() + ".cubin";
  std::vector<std::string> Command{
      P.nvcc(),   "-dlink", "-cubin", "-arch=" + architectureFor(L.Unit->Job),
      "-Xnvlink", "-v",     "-o",     Cubin};
  DeviceCode &Into = *L.Into;
  Into.Used = L.Pieces.front()->Used;
  Into.Key = "linked";
  for (const DeviceCode *Piece : L.Pieces) {
    Into.Seconds = std::max(Into.Seconds, Piece->Seconds);
    if (Piece->Cubin.empty()) {
      Into.Problem = Piece->Problem;
      Into.IsDone = true;
      return;
    }
    Command.push_back(Piece->Cubin);
    if (!Piece->Key)
      Into.Key.reset();
    else if (Into.Key)
      *Into.Key += " " + *Piece->Key;
  }
  Steps.push_front({&Into, std::move(Command), L.Unit->Job.Directory, Cubin,
                    "nvcc does not link its files alone"});
}

void DeviceCodes::linkWhatIsDone() {
  llvm::erase_if(Waiting, [&](const Linking &L) {
    if (!llvm::all_of(L.Pieces, [](const auto *P) { return P->IsDone; }))
      return false;
    if (L.Pieces.size() > 1)
      link(L);
    else
      *L.Into = *L.Pieces.front();
    return true;
  });
}

const DeviceCode &DeviceCodes::codeOf(const UnitRecord &Unit, const Recipe &V,
                                      llvm::ArrayRef<ChangedFile> Changes) {
  auto [At, IsNew] = Codes.try_emplace({&Unit, V});
  if (!IsNew)
    return At->second;
  const auto Others = linkedWith(Unit);
  Linking &L = Waiting.emplace_back(Linking{&Unit, {}, &At->second});
  for (const UnitRecord *Other : Others)
    L.Pieces.push_back(&piece(*Other, V, Changes, Others.size() > 1));
  linkWhatIsDone();
  return At->second;
}

std::optional<DeviceCodes::Step> DeviceCodes::nextStep() {
  if (Steps.empty())
    return std::nullopt;
  Step Next = std::move(Steps.front());
  Steps.pop_front();
  return Next;
}

std::vector<std::string>
bankstripe::flagsForOnly(llvm::ArrayRef<std::string> Symbols) {
  return {"-Xptxas",
          OnlyFlag + llvm::join(Symbols, "," + std::string(OnlyFlag))};
}

// nvcc may know a kernel by another symbol; then ptxas takes all of them.
static llvm::Expected<MadeCode> call(const DeviceCodes::Step &S) {
  const TimePoint Begin = std::chrono::steady_clock::now();
  ProcessResult Ended = runProcess(S.Command, Output::Together, S.Directory);
  if (StringRef(Ended.Out).contains("Unknown function")) {
    std::vector<std::string> All = S.Command;
    auto Only = llvm::find_if(
        All, [](StringRef Word) { return Word.starts_with(OnlyFlag); });
    if (Only != All.end())
      All.erase(Only - 1, Only + 1);
    Ended = runProcess(All, Output::Together, S.Directory);
  }
  if (!Ended.succeeded())
    return llvm::createStringError(Ended.problem() + "\n" + Ended.Out);
  return MadeCode{secondsSince(Begin), std::move(Ended.Out)};
}

std::string DeviceCodes::make(const Step &S) const {
  setenv("TMPDIR", P.folder().c_str(), /*overwrite=*/1);
  return replyWith(call(S));
}

void DeviceCodes::receive(const Step &S, const WorkResult &Result) {
  DeviceCode &Into = *S.Into;
  auto Report = readReply<MadeCode>(Result);
  Into.IsDone = true;
  if (Report) {
    Into.Cubin = S.Cubin;
    Into.Seconds += Report->Seconds;
    for (const auto &[Name, Used] : parsePtxasReport(Report->Printed))
      Into.Used[Name] = Used;
  } else {
    Into.Problem = S.Failure;
    const std::string Why = toString(Report.takeError());
    if (P.work().isVerbose())
      llvm::errs() << "bankstripe: " << Into.Problem << ": "
                   << StringRef(Why).rtrim() << '\n';
  }
  linkWhatIsDone();
}
