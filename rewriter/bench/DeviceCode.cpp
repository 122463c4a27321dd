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
#include "model/SourceFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

using namespace bankstripe;
using llvm::StringRef;
namespace fs = llvm::sys::fs;

namespace {

/// What a call of nvcc left.
struct MadeCode {
  double Seconds = 0; ///< That it took.
  std::string Printed, Cubin;
  std::set<std::string> Only; ///< The kernels that were asked for, if any.
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

// Another process has other ones.
std::string DeviceCodes::newPath() {
  return P.folder() + "/code" + std::to_string(getpid()) + "-" +
         std::to_string(Paths++);
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
  Steps.push_back(
      {&Piece, commandFor(Asked, IsLinked, Cubin), Unit.Job.Directory, Cubin,
       "nvcc does not compile its file alone", /*IsLink=*/false, Root});
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
                    "nvcc does not link its files alone", /*IsLink=*/true,
                    /*Tree=*/""});
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

// Whatever the code of a kernel depends on that may be another one in this run,
// wherever its copies lie. Empty when that cannot be told.
std::string DeviceCodes::contentOf(const Step &S) const {
  KeyBuilder Key;
  for (StringRef Word : S.Command)
    if (Word != S.Cubin && !Word.starts_with(OnlyFlag))
      Key.add("word", S.Tree.empty()
                          ? Word.str()
                          : llvm::join(llvm::split(Word, S.Tree), "<copies>"));
  Key.add("directory", S.Directory);
  std::set<std::string> Files;
  std::error_code EC;
  if (S.Tree.empty())
    Files = P.files();
  else
    for (fs::recursive_directory_iterator At(S.Tree, EC), End; !EC && At != End;
         At.increment(EC))
      if (fs::is_regular_file(At->path()))
        Files.insert(At->path());
  for (const std::string &File : Files) {
    auto Text = readText(File);
    if (!Text || EC)
      return "";
    Key.add(StringRef(File).drop_front(S.Tree.size()), *Text);
  }
  return Key.key();
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
  return MadeCode{secondsSince(Begin), std::move(Ended.Out), {}, {}};
}

// What was made of that content for these kernels, or for more: before the run
// nobody knows which instances of a template are launched.
static std::optional<MadeCode> findMade(StringRef Folder, StringRef Content,
                                        const std::set<std::string> &Only) {
  std::error_code EC;
  for (fs::directory_iterator At(Folder, EC), End; !EC && At != End;
       At.increment(EC))
    if (llvm::sys::path::filename(At->path()).starts_with(Content))
      if (auto Made = fromBytes<MadeCode>(readText(At->path()).value_or(""));
          Made && std::ranges::includes(Made->Only, Only))
        return Made;
  return std::nullopt;
}

// Who makes just this is waited for: the lock goes with that process.
std::string DeviceCodes::make(const Step &S) const {
  setenv("TMPDIR", P.folder().c_str(), /*overwrite=*/1);
  const std::string Content = S.IsLink ? "" : contentOf(S);
  if (Content.empty())
    return replyWith(call(S));
  std::set<std::string> Only;
  for (StringRef Word : S.Command)
    if (Word.starts_with(OnlyFlag))
      for (StringRef Kernel : llvm::split(Word, ','))
        Only.insert(Kernel.str());
  const std::string Place =
      P.folder() + "/" + Content + strongDigestOf(toBytes(Only));
  (void)flock(
      open((Place + ".lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600),
      LOCK_EX);
  if (auto Made = findMade(P.folder(), Content, Only))
    if (!errorToBool(
            replaceFile(S.Cubin, std::exchange(Made->Cubin, ""), std::nullopt)))
      return replyWith<MadeCode>(std::move(*Made));
  llvm::Expected<MadeCode> Made = call(S);
  if (auto Cubin = Made ? readText(S.Cubin) : std::nullopt)
    consumeError(replaceFile(
        Place, toBytes(MadeCode{Made->Seconds, Made->Printed, *Cubin, Only}),
        std::nullopt));
  return replyWith(std::move(Made));
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
