//===-- Confirm.cpp - nvcc has the last word ------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clang's optimiser foresees what ptxas will do, but only ptxas knows. Each
// file in which an array moves, or would if it paid, is compiled as it is: how
// many warps run, and so what the shared memory costs, depends on the
// registers. With them the arrays are chosen anew. Then the files that change
// are compiled as they would be, from a mirror in a temporary folder; a kernel
// whose stack frame does not shrink gets its arrays back.
//
//===----------------------------------------------------------------------===//

#include "evidence/Evidence.h"
#include "tool/Pipeline.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <set>

using namespace bankstripe;
using llvm::StringRef;
namespace fs = llvm::sys::fs;

llvm::Expected<TemporaryFolder> TemporaryFolder::create() {
  llvm::SmallString<128> Path;
  if (std::error_code EC = fs::createUniqueDirectory("bankstripe", Path))
    return llvm::createStringError("cannot make a temporary folder: " +
                                   EC.message());
  return TemporaryFolder(std::string(Path));
}

TemporaryFolder::~TemporaryFolder() {
  if (!Path.empty())
    (void)fs::remove_directories(Path); // Temporary files at worst.
}

// What stands beside a changed file, or the main file, is linked into the
// mirror, so that an #include from there finds the changed file and not its
// original.
static llvm::Error linkNeighbours(StringRef Folder, StringRef Root) {
  if (std::error_code EC = fs::create_directories(Root + Folder))
    return llvm::createStringError("cannot make '" + Root + Folder +
                                   "': " + EC.message());
  std::error_code EC;
  for (fs::directory_iterator It(Folder, EC), End; It != End && !EC;
       It.increment(EC)) {
    std::string Link = Root.str() + It->path();
    if (fs::is_regular_file(It->path()) && !fs::exists(Link))
      if (std::error_code Failed = fs::create_link(It->path(), Link))
        return llvm::createStringError("cannot make '" + Link +
                                       "': " + Failed.message());
  }
  return llvm::Error::success();
}

llvm::Expected<std::vector<std::string>>
bankstripe::writeMirror(const RunResult &Run, const CompileJob &Job,
                        StringRef Root) {
  std::set<std::string> Folders{llvm::sys::path::parent_path(Job.File).str()};
  for (const ChangedFile &File : Run.Changes) {
    std::string Path = Root.str() + File.Path;
    StringRef Folder = llvm::sys::path::parent_path(Path);
    Folders.insert(llvm::sys::path::parent_path(File.Path).str());
    if (std::error_code EC = fs::create_directories(Folder))
      return llvm::createStringError("cannot make '" + Folder +
                                     "': " + EC.message());
    if (llvm::Error E = replaceFile(Path, File.After, std::nullopt))
      return E;
    if (llvm::Error E = replaceFile((Folder + "/" + HelperFileName).str(),
                                    helperText(), std::nullopt))
      return E;
  }
  for (const std::string &Folder : Folders)
    if (llvm::Error E = linkNeighbours(Folder, Root))
      return E;
  // A changed header must be found before its original.
  std::vector<std::string> Args;
  const std::vector<std::string> &Command = Job.ClangArgs;
  for (size_t I = 0; I < Command.size(); ++I) {
    StringRef Arg = Command[I];
    if (!Arg.consume_front("-I"))
      continue;
    std::string Folder =
        Arg.empty() && I + 1 < Command.size() ? Command[I + 1] : Arg.str();
    llvm::SmallString<256> Absolute(Folder);
    llvm::sys::path::make_absolute(Job.Directory, Absolute);
    std::string Mirrored = Root.str() + std::string(Absolute);
    if (fs::is_directory(Mirrored))
      Args.push_back("-I" + Mirrored);
  }
  Args.push_back("-I" + llvm::sys::path::parent_path(Job.File).str());
  return Args;
}

namespace {

/// One confirmation of a run.
class Confirmation {
public:
  Confirmation(RunResult &Run, const std::vector<unsigned> &JobOfUnit,
               const ToolOptions &Options, std::string Nvcc)
      : Run(Run), JobOfUnit(JobOfUnit), Options(Options),
        Nvcc(std::move(Nvcc)) {}

  void askOriginals(std::vector<UnitResult> &Units);
  bool askRewritten(const std::vector<UnitResult> &Units, StringRef Root);
  bool withdrawUnconfirmed(const std::vector<UnitResult> &Units,
                           const PlanOptions &Planning);

private:
  /// What the change of an array did to the stack frames of its kernels.
  enum class Effect { Unknown, Smaller, Kept, Rejected };

  bool isInQuestion(const UnitResult &Unit) const;
  bool isChanged(const UnitResult &Unit) const;
  Effect effectOn(const PlannedArray &A, const std::vector<UnitResult> &Units,
                  std::string &Detail) const;
  void warn(const CompileJob &Job, llvm::Error E, StringRef What) const;

  RunResult &Run;
  const std::vector<unsigned> &JobOfUnit;
  const ToolOptions &Options;
  std::string Nvcc;
  std::vector<std::string> Rejected; ///< Main files that no longer compile.
};

} // namespace

bool Confirmation::isInQuestion(const UnitResult &Unit) const {
  return llvm::any_of(Run.Decisions.Arrays, [&](const PlannedArray &A) {
    return (A.Decision.changesSource() ||
            A.Decision.Why == Reason::NotProfitable) &&
           Unit.Facts.Contents.count(A.Array.Where.File);
  });
}

bool Confirmation::isChanged(const UnitResult &Unit) const {
  return llvm::any_of(Run.Decisions.Arrays, [&](const PlannedArray &A) {
    return A.Decision.changesSource() &&
           Unit.Facts.Contents.count(A.Array.Where.File);
  });
}

void Confirmation::warn(const CompileJob &Job, llvm::Error E,
                        StringRef What) const {
  std::string Message = toString(std::move(E));
  if (Options.Level != Detail::Quiet)
    llvm::errs() << "bankstripe: " << Job.File << ": " << What
                 << (Options.Level == Detail::Verbose ? ": " + Message
                                                      : std::string())
                 << '\n';
}

void Confirmation::askOriginals(std::vector<UnitResult> &Units) {
  for (size_t I = 0; I < Units.size(); ++I) {
    const CompileJob &Job = Run.Jobs[JobOfUnit[I]];
    if (!isInQuestion(Units[I]))
      continue;
    auto Table = runPtxas(Job, Nvcc, Job.File);
    if (!Table) {
      warn(Job, Table.takeError(),
           "nvcc does not compile it, so ptxas cannot confirm the rewrite");
      continue;
    }
    Units[I].Resources = forKernels(*Table, Units[I].Facts.Kernels);
    for (const auto &[Id, R] : Units[I].Resources)
      Run.Resources.Before.insert({Id, R});
  }
}

bool Confirmation::askRewritten(const std::vector<UnitResult> &Units,
                                StringRef Root) {
  Run.Resources.After.clear();
  for (size_t I = 0; I < Units.size(); ++I) {
    const CompileJob &Job = Run.Jobs[JobOfUnit[I]];
    if (Units[I].Resources.empty() || !isChanged(Units[I]))
      continue;
    auto Args = writeMirror(Run, Job, Root);
    if (!Args) {
      warn(Job, Args.takeError(), "the rewrite could not be confirmed");
      return false;
    }
    auto Table = runPtxas(Job, Nvcc, Root.str() + Job.File, *Args);
    if (!Table) {
      warn(Job, Table.takeError(), "nvcc does not accept the rewritten file");
      Rejected.push_back(Units[I].Facts.MainFile);
      continue;
    }
    for (const auto &[Id, R] : forKernels(*Table, Units[I].Facts.Kernels))
      Run.Resources.After.insert({Id, R});
  }
  return true;
}

// What ptxas makes of array A in the files that it stands in.
Confirmation::Effect
Confirmation::effectOn(const PlannedArray &A,
                       const std::vector<UnitResult> &Units,
                       std::string &Detail) const {
  Effect Result = Effect::Unknown;
  for (const UnitResult &Unit : Units) {
    if (!Unit.Facts.Contents.count(A.Array.Where.File))
      continue;
    if (llvm::is_contained(Rejected, Unit.Facts.MainFile))
      return Effect::Rejected;
    for (unsigned Row : A.Kernels) {
      const std::string &Id = Run.Decisions.Kernels[Row].Facts.Id;
      auto Before = Unit.Resources.find(Id);
      auto After = Run.Resources.After.find(Id);
      if (Before == Unit.Resources.end() || After == Run.Resources.After.end())
        continue;
      const KernelResources &Was = Before->second, &Is = After->second;
      const unsigned BytesBefore = Was.StackFrame + Was.CalleeFrames;
      const unsigned BytesAfter = Is.StackFrame + Is.CalleeFrames;
      if (BytesAfter < BytesBefore)
        return Effect::Smaller;
      Result = Effect::Kept;
      Detail = llvm::formatv("{0} > {1} bytes", BytesBefore, BytesAfter);
    }
  }
  return Result;
}

// Whether something was withdrawn.
bool Confirmation::withdrawUnconfirmed(const std::vector<UnitResult> &Units,
                                       const PlanOptions &Planning) {
  bool Any = false;
  Plan &P = Run.Decisions;
  for (unsigned I = 0; I < P.Arrays.size(); ++I) {
    if (!P.Arrays[I].Decision.changesSource())
      continue;
    std::string Detail;
    Effect Found = effectOn(P.Arrays[I], Units, Detail);
    if (Found == Effect::Rejected)
      withdraw(P, I, Reason::CompileFailed, "", Planning);
    else if (Found == Effect::Kept)
      withdraw(P, I, Reason::StackFrameKept, Detail, Planning);
    else
      continue;
    Any = true;
  }
  return Any;
}

llvm::Error bankstripe::confirmWithPtxas(RunResult &Run,
                                         std::vector<UnitResult> Units,
                                         const std::vector<unsigned> &JobOfUnit,
                                         const PlanOptions &Planning,
                                         const ToolOptions &Options) {
  auto Kit = findToolkit(Options.Frontend.CudaPath);
  if (!Kit) {
    llvm::consumeError(Kit.takeError()); // The front end has said so.
    return llvm::Error::success();
  }
  if (Kit->Nvcc.empty())
    return llvm::Error::success();
  Confirmation C(Run, JobOfUnit, Options, Kit->Nvcc);
  C.askOriginals(Units);
  if (Run.Resources.Before.empty())
    return llvm::Error::success();
  // Registers are known now, and with them occupancy.
  Run.Decisions = makePlan(Units, Planning);
  auto Changes = applyPlan(Run.Decisions, Options.EmbedHelper);
  if (!Changes)
    return Changes.takeError();
  Run.Changes = std::move(*Changes);
  if (Run.Changes.empty())
    return llvm::Error::success();
  auto Folder = TemporaryFolder::create();
  if (!Folder) {
    llvm::errs() << "bankstripe: " << toString(Folder.takeError()) << '\n';
    return llvm::Error::success();
  }
  // The same plan carried out a moment ago: fewer edits cannot overlap.
  if (C.askRewritten(Units, Folder->path()) &&
      C.withdrawUnconfirmed(Units, Planning))
    Run.Changes = llvm::cantFail(applyPlan(Run.Decisions, Options.EmbedHelper));
  return llvm::Error::success();
}
