//===-- Confirm.cpp - nvcc has the last word ------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each file in which an array moves, or would if it paid, is compiled as it is:
// how many warps run, and so what the shared memory costs, depends on the
// registers. With them all is planned anew. Then the files that change are
// compiled as they would be, from a mirror in a temporary folder, and planning
// is told what came of that. What follows from it is decided in plan/.
//
//===----------------------------------------------------------------------===//

#include "evidence/Evidence.h"
#include "tool/Nvcc.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace bankstripe;
using llvm::StringRef;

namespace {

/// One confirmation of a run.
class Confirmation {
public:
  Confirmation(RunResult &Run, const ToolOptions &Options, std::string Nvcc)
      : Run(Run), Options(Options), Nvcc(std::move(Nvcc)) {}

  void askOriginals(std::vector<UnitRecord> &Units);
  /// Adds to \p Known what nvcc says of the changes of the run, which are
  /// copied to \p Root. \returns whether it could be asked.
  bool askRewritten(const std::vector<UnitRecord> &Units, StringRef Root,
                    Measured &Known);

private:
  bool isConcerned(const UnitResult &Unit, bool IfItPaid) const;
  void note(const UnitResult &Unit, const ResourceTable &Reply,
            MeasuredVersion &V);
  void warn(const CompileJob &Job, llvm::Error E, StringRef What) const;

  RunResult &Run;
  const ToolOptions &Options;
  std::string Nvcc;
};

} // namespace

// Whether an array of Unit changes, or might if registers were known.
bool Confirmation::isConcerned(const UnitResult &Unit, bool IfItPaid) const {
  return llvm::any_of(Run.Decisions.Arrays, [&](const PlannedArray &A) {
    return (A.Verdict.changesSource() ||
            (IfItPaid && A.Verdict.Why == Reason::NotProfitable)) &&
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

void Confirmation::askOriginals(std::vector<UnitRecord> &Units) {
  auto IsConcerned = [&](const UnitResult &Unit) {
    return this->isConcerned(Unit, /*IfItPaid=*/true);
  };
  auto Failed = [&](const CompileJob &Job, llvm::Error E) {
    warn(Job, std::move(E),
         "nvcc does not compile it, so ptxas cannot confirm the rewrite");
  };
  bankstripe::askOriginals(Run, Units, Nvcc, IsConcerned, Failed, Options);
  for (const UnitRecord &Unit : Units)
    if (IsConcerned(Unit.Unit))
      for (const auto &[Id, R] : Unit.Unit.Resources)
        Run.Resources.Before.insert({Id, R});
}

// Kernels of one name in several units: those of the same one are compared.
void Confirmation::note(const UnitResult &Unit, const ResourceTable &Reply,
                        MeasuredVersion &V) {
  for (const auto &[Id, R] : forKernels(Reply, Unit.Facts.Kernels))
    if (V.After.insert({Id, R}).second)
      if (auto Was = Unit.Resources.find(Id); Was != Unit.Resources.end())
        V.Before[Id] = Run.Resources.Before[Id] = Was->second;
}

bool Confirmation::askRewritten(const std::vector<UnitRecord> &Units,
                                StringRef Root, Measured &Known) {
  Mirror Copies(Run.Changes, Root);
  std::vector<NvccQuestion> Questions;
  for (const UnitRecord &Unit : Units) {
    if (Unit.Unit.Resources.empty() ||
        !isConcerned(Unit.Unit, /*IfItPaid=*/false))
      continue;
    Questions.push_back(
        {&Unit, Root.str() + Unit.Job.File, Copies.add(Unit.Job)});
  }
  auto Replies = askNvcc(Run, Questions, Nvcc, &Copies, Options);
  if (!Replies) {
    warn(Questions.front().Unit->Job, Replies.takeError(),
         "the rewrite could not be confirmed");
    return false;
  }
  MeasuredVersion &V = Known.Versions.emplace_back();
  V.Changed = changesOf(Run.Decisions);
  for (size_t I = 0; I < Replies->size(); ++I) {
    const auto &[Job, Unit] = *Questions[I].Unit;
    if (auto &Reply = (*Replies)[I]) {
      note(Unit, *Reply, V);
      continue;
    }
    warn(Job, (*Replies)[I].takeError(),
         "nvcc does not accept the rewritten file");
    for (const auto &[File, Text] : Unit.Facts.Contents)
      V.Rejected.insert(File);
  }
  Run.Resources.After = V.After;
  return true;
}

static llvm::Error carryOutPlan(RunResult &Run, const ToolOptions &Options) {
  auto Changes = applyPlan(Run.Decisions, Options.EmbedHelper);
  if (!Changes)
    return Changes.takeError();
  Run.Changes = std::move(*Changes);
  return llvm::Error::success();
}

// Plans with what is Known, and asks again, until nothing is open any more.
static llvm::Error settle(RunResult &Run, Confirmation &C,
                          const std::vector<UnitRecord> &Units,
                          const PlanOptions &Planning, Measured &Known,
                          const ToolOptions &Options) {
  while (true) {
    // Facts from a file come without texts.
    auto Contents = std::move(Run.Decisions.Contents);
    Run.Decisions = planUnits(Units, Planning, Known);
    Run.Decisions.Contents = std::move(Contents);
    if (llvm::Error E = carryOutPlan(Run, Options))
      return E;
    if (isSettled(Run.Decisions, Known))
      return llvm::Error::success();
    Run.Resources.After.clear();
    if (Run.Changes.empty())
      return llvm::Error::success();
    auto Folder = TemporaryFolder::create();
    if (!Folder)
      return Folder.takeError();
    if (!C.askRewritten(Units, Folder->path(), Known))
      return llvm::Error::success();
  }
}

llvm::Expected<Measured>
bankstripe::confirmWithPtxas(RunResult &Run, std::vector<UnitRecord> &Units,
                             const PlanOptions &Planning,
                             const ToolOptions &Options) {
  Measured Known;
  auto Kit = findToolkit(Options.Frontend.CudaPath);
  if (!Kit) {
    llvm::consumeError(Kit.takeError()); // The front end has said so.
    return Known;
  }
  if (Kit->Nvcc.empty())
    return Known;
  Confirmation C(Run, Options, Kit->Nvcc);
  C.askOriginals(Units);
  if (Run.Resources.Before.empty())
    return Known;
  if (llvm::Error E = settle(Run, C, Units, Planning, Known, Options))
    return E;
  if (Options.Level != Detail::Quiet)
    for (const PlanNote &N : Run.Decisions.Notes)
      llvm::errs() << "bankstripe: " << displayName(N.Where.File) << ':'
                   << N.Where.Line << ": " << N.Text << '\n';
  return Known;
}
