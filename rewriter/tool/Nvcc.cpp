//===-- Nvcc.cpp - nvcc has the last word ---------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each file in which an array moves, or would if it paid, is compiled as it is
// (if the launcher has not done so): how many warps run, and so what the shared
// memory costs, depends on the registers. With them all is planned anew. Then
// the files that change are compiled as they would be, from a mirror in a
// temporary folder, and planning is told what came of that. Where sources ask
// for which side they are compiled, the host's side is compiled with them. What
// follows from it is decided in plan/.
//
//===----------------------------------------------------------------------===//

#include "tool/Nvcc.h"
#include "evidence/Ptxas.h"
#include "facts/Archive.h"
#include "frontend/NvccCommand.h"
#include "tool/Answers.h"
#include "tool/Copies.h"
#include "workers/TemporaryFolder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace bankstripe;
using llvm::StringRef;

/// What a process that asked nvcc sends back.
using Sent = std::pair<std::string /*Problem*/, ResourceTable>;

// To be called in a process of its own. What nvcc writes goes to Scratch.
static Sent ask(const NvccQuestion &Question, StringRef Nvcc,
                const std::string &Scratch) {
  setenv("TMPDIR", Scratch.c_str(), /*overwrite=*/1);
  const CompileJob &Job = Question.Unit->Job;
  auto Table =
      runPtxas(Job, Nvcc, Question.File, Question.ExtraArgs, Question.Compiled);
  // What the original's own host code lacks says nothing against the copy.
  if (!Table && Question.Compiled == Sides::Both) {
    auto Original = runPtxas(Job, Nvcc, Job.File, {}, Sides::Both);
    if (!Original) {
      consumeError(Original.takeError());
      consumeError(Table.takeError());
      Table = runPtxas(Job, Nvcc, Question.File, Question.ExtraArgs);
    }
  }
  return Table ? Sent{"", std::move(*Table)}
               : Sent{toString(Table.takeError()), {}};
}

static llvm::Expected<ResourceTable> receive(const WorkResult &Result) {
  if (!Result.Problem.empty())
    return llvm::createStringError("the process that asked nvcc " +
                                   Result.Problem);
  auto Reply = fromBytes<Sent>(Result.Answer);
  if (!Reply)
    return llvm::createStringError("what nvcc answered cannot be read");
  if (!Reply->first.empty())
    return llvm::createStringError(Reply->first);
  return std::move(Reply->second);
}

// Asks nvcc Questions, several at a time, as far as the answers are not known
// from before. Those about copies are about ones below Root, which Prepare
// makes where that is needed. The answers are in the order of the questions.
static llvm::Expected<std::vector<llvm::Expected<ResourceTable>>>
askNvcc(RunResult &Run, const std::vector<NvccQuestion> &Questions,
        StringRef Nvcc, StringRef Root,
        llvm::function_ref<llvm::Error()> Prepare, const ToolOptions &Options) {
  std::vector<std::optional<llvm::Expected<ResourceTable>>> Replies(
      Questions.size());
  std::vector<std::optional<std::string>> Keys(Questions.size());
  auto KeyOf = [&](const NvccQuestion &Question) {
    return Run.Known->keyOf(Question, Nvcc, Root, Run.Changes);
  };
  std::optional<TemporaryFolder> Scratch;
  Progress Shown(Questions.size(), Options.Level != Detail::Quiet);
  // What a user compiles may take as long as it takes.
  Workers Pool({Options.Jobs, /*Seconds=*/0},
               [&](size_t I, const WorkResult &Result) {
                 Replies[I].emplace(receive(Result));
                 // A file that changed meanwhile may have been read in either
                 // state.
                 if (*Replies[I] && Keys[I] && Keys[I] == KeyOf(Questions[I]))
                   Run.Known->rememberTable(*Keys[I], **Replies[I]);
                 Shown.done(displayName(Questions[I].Unit->Job.File));
               });
  for (size_t I = 0; I < Questions.size(); ++I) {
    if (Run.Known)
      Keys[I] = KeyOf(Questions[I]);
    if (auto Table =
            Keys[I] ? Run.Known->recallTable(*Keys[I]) : std::nullopt) {
      Replies[I].emplace(std::move(*Table));
      Shown.skip();
      continue;
    }
    if (!Scratch) {
      auto Made = TemporaryFolder::create();
      if (!Made)
        return Made.takeError();
      Scratch.emplace(std::move(*Made));
      if (llvm::Error E = Prepare())
        return E;
    }
    Pool.start(
        I, [&] { return toBytes(ask(Questions[I], Nvcc, Scratch->path())); });
  }
  Pool.finish();
  std::vector<llvm::Expected<ResourceTable>> Result;
  for (auto &Reply : Replies)
    Result.push_back(std::move(*Reply));
  return Result;
}

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
  bool knowFromCompile(const NvccQuestion &Question, UnitResult &Unit);
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
    llvm::errs() << printable(
        ("bankstripe: " + Job.File + ": " + What +
         (Options.Level == Detail::Verbose && !Message.empty() ? ": " + Message
                                                               : "") +
         "\n")
            .str());
}

// Whether nvcc need not be asked, since it has just compiled what Question is
// about. What it said is kept for later runs.
bool Confirmation::knowFromCompile(const NvccQuestion &Question,
                                   UnitResult &Unit) {
  auto Table = Options.Compiled
                   ? readCompile(*Options.Compiled, Question.Unit->Job.GpuArch)
                   : std::nullopt;
  if (!Table)
    return false;
  Unit.Resources = forKernels(*Table, Unit.Facts.Kernels);
  if (auto Key = Run.Known ? Run.Known->keyOf(Question, Nvcc, "", Run.Changes)
                           : std::nullopt)
    Run.Known->rememberTable(*Key, *Table);
  return true;
}

// Those that were asked about before are not asked again.
void Confirmation::askOriginals(std::vector<UnitRecord> &Units) {
  std::vector<NvccQuestion> Questions;
  std::vector<UnitRecord *> Asked;
  for (UnitRecord &Unit : Units)
    if (!Unit.Job.IsOtherArch && Unit.Unit.Resources.empty() &&
        isConcerned(Unit.Unit, /*IfItPaid=*/true)) {
      const NvccQuestion Question{&Unit, Unit.Job.File, {}, Sides::Device};
      if (knowFromCompile(Question, Unit.Unit))
        continue;
      if (llvm::Error E = checkForNvcc(Unit.Job, Unit.Job.File, {})) {
        warn(Unit.Job, llvm::Error::success(), toString(std::move(E)));
        continue;
      }
      Questions.push_back(Question);
      Asked.push_back(&Unit);
    }
  auto Replies = askNvcc(
      Run, Questions, Nvcc, /*Root=*/"", [] { return llvm::Error::success(); },
      Options);
  if (!Replies)
    return warn(Asked.front()->Job, Replies.takeError(),
                "ptxas cannot confirm the rewrite");
  for (auto [Unit, Reply] : llvm::zip_equal(Asked, *Replies))
    if (Reply)
      Unit->Unit.Resources = forKernels(*Reply, Unit->Unit.Facts.Kernels);
    else
      warn(Unit->Job, Reply.takeError(),
           "nvcc does not compile it, so ptxas cannot confirm the rewrite");
  for (const UnitRecord &Unit : Units)
    if (isConcerned(Unit.Unit, /*IfItPaid=*/true))
      for (const auto &[Id, R] : Unit.Unit.Resources)
        Run.Resources.Before.insert({Id, R});
}

ResourceTable bankstripe::forVersions(const ResourceTable &Reply,
                                      const std::vector<Kernel> &Kernels,
                                      const Plan &P) {
  std::set<std::string> Redirected;
  for (const KernelPlan &K : P.Kernels)
    if (K.Redirected)
      Redirected.insert(K.Facts.Id);
  return forKernels(Reply, Kernels, Redirected);
}

// Kernels of one name in several units: those of the same one are compared.
void Confirmation::note(const UnitResult &Unit, const ResourceTable &Reply,
                        MeasuredVersion &V) {
  for (const auto &[Id, R] :
       forVersions(Reply, Unit.Facts.Kernels, Run.Decisions))
    if (V.After.insert({Id, R}).second)
      if (auto Was = Unit.Resources.find(Id); Was != Unit.Resources.end())
        V.Before[Id] = Run.Resources.Before[Id] = Was->second;
}

bool Confirmation::askRewritten(const std::vector<UnitRecord> &Units,
                                StringRef Root, Measured &Known) {
  Copies Tree(Root, {"/"});
  std::vector<NvccQuestion> Questions;
  for (const UnitRecord &Unit : Units) {
    if (Unit.Unit.Resources.empty() ||
        !isConcerned(Unit.Unit, /*IfItPaid=*/false))
      continue;
    Questions.push_back({&Unit, *Tree.placeOf(Unit.Job.File),
                         Tree.argumentsFor(Unit.Job), Sides::Device});
    Questions.back().ExtraArgs.push_back("-DBANKSTRIPE_VERSIONS_ONLY");
    if (Unit.Unit.Facts.AsksForSide)
      Questions.back().Compiled = Sides::Both;
  }
  auto Replies = askNvcc(
      Run, Questions, Nvcc, Tree.folder(),
      [&] {
        return Tree.write(sourcesOf(Units), Run.Changes, Options.EmbedHelper);
      },
      Options);
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

// Plans with what is Known, and asks again, until nothing is open any more.
static llvm::Error settle(RunResult &Run, Confirmation &C,
                          const std::vector<UnitRecord> &Units,
                          const PlanOptions &Planning,
                          const ToolOptions &Options) {
  Measured Known;
  while (true) {
    Run.Decisions = planUnits(Units, Planning, Known);
    if (llvm::Error E = carryOut(Run, Options))
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

llvm::Error bankstripe::confirmWithPtxas(RunResult &Run,
                                         std::vector<UnitRecord> &Units,
                                         const PlanOptions &Planning,
                                         const ToolOptions &Options) {
  auto Kit = llvm::expectedToOptional(findToolkit(Options.Frontend.CudaPath));
  if (!Kit || Kit->Nvcc.empty()) // The front end has said so.
    return llvm::Error::success();
  Confirmation C(Run, Options, Kit->Nvcc);
  C.askOriginals(Units);
  if (Run.Resources.Before.empty())
    return llvm::Error::success();
  return settle(Run, C, Units, Planning, Options);
}
