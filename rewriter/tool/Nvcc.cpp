//===-- Nvcc.cpp - nvcc has the last word ---------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What nvcc and ptxas say of the originals and of the rewritten files, and
// which questions are asked again after each plan (docs/internals/design.md,
// "The stages"). What follows from it is decided in plan/.
//
//===----------------------------------------------------------------------===//

#include "tool/Nvcc.h"
#include "copies/Copies.h"
#include "evidence/Ptxas.h"
#include "frontend/NvccCommand.h"
#include "plan/Form.h"
#include "plan/LinkedCalls.h"
#include "plan/Merge.h"
#include "report/Terminal.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace bankstripe;
using llvm::StringRef;

// To be called in a process of its own. What nvcc writes goes to Scratch.
static llvm::Expected<ResourceTable>
ask(const NvccQuestion &Question, StringRef Nvcc, const std::string &Scratch) {
  setenv("TMPDIR", Scratch.c_str(), /*overwrite=*/1);
  const CompileJob &Job = Question.Unit->Job;
  auto Table =
      runPtxas(Job, Nvcc, Question.File, Question.ExtraArgs, Question.Compiled);
  if (Table || Question.Compiled != Sides::Both)
    return Table;
  // What the original's own host code lacks says nothing against the copy.
  auto Original = runPtxas(Job, Nvcc, Job.File, {}, Sides::Both);
  if (Original)
    return Table;
  consumeError(Original.takeError());
  consumeError(Table.takeError());
  return runPtxas(Job, Nvcc, Question.File, Question.ExtraArgs);
}

namespace {

/// What nvcc said, in the order of the questions.
using Replies = std::vector<llvm::Expected<ResourceTable>>;

/// One confirmation of a run.
class Confirmation {
public:
  Confirmation(PlannedChanges &Made, NvccInputs Inputs, const WorkOptions &Work,
               std::string Nvcc)
      : Made(Made), Inputs(Inputs), Work(Work), Nvcc(std::move(Nvcc)) {}

  void askOriginals();
  /// Plans with what is known, and asks again, until nothing is open any more.
  llvm::Error settle(Replan Again);

  ConfirmedResources Resources;

private:
  llvm::Expected<Replies> askNvcc(llvm::ArrayRef<NvccQuestion> Questions,
                                  StringRef Root,
                                  llvm::function_ref<llvm::Error()> Prepare);
  bool askRewritten(StringRef Root);
  bool isConcerned(const UnitResult &Unit, bool IfItPaid) const;
  bool isOfInterest(const UnitRecord &Unit) const;
  std::optional<NvccCompile> compileWithOriginal(const UnitResult &Unit) const;
  llvm::Expected<std::optional<NvccCompile>> compileChanges() const;
  std::optional<llvm::Expected<ResourceTable>>
  compileForGood(const NvccQuestion &Question) const;
  void note(const UnitResult &Unit, const ResourceTable &Reply, NvccTrial &V);
  void checkShared(NvccTrial &V) const;
  void warn(const UnitRecord &Unit, llvm::Error E, StringRef What) const;

  PlannedChanges &Made;
  NvccInputs Inputs;
  const WorkOptions &Work;
  std::string Nvcc;
  Measured Known;
};

} // namespace

// Asks nvcc Questions, several at a time, as far as the answers are not known
// from before. Those about copies are about ones below Root, which Prepare
// makes where that is needed.
llvm::Expected<Replies>
Confirmation::askNvcc(llvm::ArrayRef<NvccQuestion> Questions, StringRef Root,
                      llvm::function_ref<llvm::Error()> Prepare) {
  std::vector<std::optional<llvm::Expected<ResourceTable>>> Found(
      Questions.size());
  std::vector<std::optional<std::string>> Keys(Questions.size());
  auto KeyOf = [&](const NvccQuestion &Question) {
    return Inputs.Known->keyOf(Question, Nvcc, Root, Made.Changes);
  };
  std::optional<TemporaryFolder> Scratch;
  Progress Shown(Questions.size(), !Work.isQuiet());
  // What a user compiles may take as long as it takes.
  Workers Pool({Work.Limits.Processes, /*Seconds=*/0},
               [&](size_t I, const WorkResult &Result) {
                 Found[I].emplace(readReply<ResourceTable>(Result));
                 // A file that changed meanwhile may have been read in either
                 // state.
                 if (*Found[I] && Keys[I] && Keys[I] == KeyOf(Questions[I]))
                   Inputs.Known->rememberTable(*Keys[I], **Found[I]);
                 Shown.done(displayName(Questions[I].Unit->Job.File));
               });
  for (size_t I = 0; I < Questions.size(); ++I) {
    if (Inputs.Known)
      Keys[I] = KeyOf(Questions[I]);
    if (auto Table =
            Keys[I] ? Inputs.Known->recallTable(*Keys[I]) : std::nullopt) {
      Found[I].emplace(std::move(*Table));
      Shown.skip();
      continue;
    }
    if (auto Table = compileForGood(Questions[I])) {
      Found[I].emplace(std::move(*Table));
      if (*Found[I] && Keys[I])
        Inputs.Known->rememberTable(*Keys[I], **Found[I]);
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
        I, [&] { return replyWith(ask(Questions[I], Nvcc, Scratch->path())); });
  }
  Pool.finish();
  Replies Result;
  for (auto &Reply : Found)
    Result.push_back(std::move(*Reply));
  return Result;
}

// Whether an array of Unit changes, or might if registers were known.
bool Confirmation::isConcerned(const UnitResult &Unit, bool IfItPaid) const {
  return llvm::any_of(Made.Decisions.Arrays, [&](const PlannedArray &A) {
    return (A.Verdict.changesSource() ||
            (IfItPaid && A.Verdict.Why == Reason::NotProfitable)) &&
           Unit.Facts.Contents.count(A.Array.Where.File);
  });
}

bool Confirmation::isOfInterest(const UnitRecord &Unit) const {
  if (Unit.Job.IsOtherArch)
    return false;
  return isConcerned(Unit.Unit, /*IfItPaid=*/true) ||
         llvm::any_of(Unit.Unit.Facts.Findings,
                      std::mem_fn(&Finding::isOnlyRead)) ||
         (!Inputs.Launcher && !Unit.Unit.Facts.Kernels.empty());
}

// Where nothing might change anyway, only who wants to know everything is told.
void Confirmation::warn(const UnitRecord &Unit, llvm::Error E,
                        StringRef What) const {
  std::string Message = toString(std::move(E));
  const StringRef Advice =
      StringRef(Message).contains("Unresolved extern function")
          ? "; where device code of several files is linked, give '-- "
            "-rdc=true "
            "-arch=...'"
          : "";
  if (!Work.isVerbose())
    Message = firstErrorIn(Message);
  if (!Message.empty())
    Message.insert(0, ": ");
  if (Work.isVerbose() ||
      (!Work.isQuiet() && isConcerned(Unit.Unit, /*IfItPaid=*/true)))
    llvm::errs()
        << "bankstripe: "
        << printable(withDisplayNames(
               (Unit.Job.File + ": " + What + Advice + Message + "\n").str()));
}

// The user's own compile that tells of the original of Unit: that of a copy
// which holds it, or of the source, where it may well stay, as with tables that
// are in no frame. Linked functions would be taken for their copies, and
// registers tell which launches gain, so such a copy would hardly be the last.
std::optional<NvccCompile>
Confirmation::compileWithOriginal(const UnitResult &Unit) const {
  const LauncherHooks &Hooks = *Inputs.Launcher;
  if (Hooks.Compiled)
    return Hooks.Compiled;
  if (Hooks.CompileOriginal &&
      llvm::none_of(Made.Decisions.Arrays, [](const PlannedArray &A) {
        return A.Verdict.usesHelper();
      }))
    return Hooks.CompileOriginal();
  if (!Hooks.CompileChanged || !keepsOriginals(Made.Decisions) ||
      !Unit.Evidence.Functions.empty() ||
      llvm::any_of(Made.Decisions.Kernels,
                   std::mem_fn(&KernelPlan::WhereResident)))
    return std::nullopt;
  return llvm::expectedToOptional(Hooks.CompileChanged(Made.Changes))
      .value_or(std::nullopt);
}

// The one of the changes; nothing for a doubt, after which others are made.
llvm::Expected<std::optional<NvccCompile>>
Confirmation::compileChanges() const {
  if (!Inputs.Launcher->CompileChanged ||
      llvm::any_of(Made.Decisions.Arrays, [&](const PlannedArray &A) {
        return Known.isOpen(A.Array.Where);
      }))
    return std::nullopt;
  return Inputs.Launcher->CompileChanged(Made.Changes);
}

// What the user's own compile tells; nothing if that cannot be.
std::optional<llvm::Expected<ResourceTable>>
Confirmation::compileForGood(const NvccQuestion &Question) const {
  if (!Inputs.Launcher)
    return std::nullopt;
  const UnitRecord &Unit = *Question.Unit;
  auto Compiled = Question.File == Unit.Job.File
                      ? compileWithOriginal(Unit.Unit)
                      : compileChanges();
  if (!Compiled)
    return Compiled.takeError();
  auto Table =
      *Compiled ? readCompile(**Compiled, Unit.Job.GpuArch) : std::nullopt;
  if (!Table)
    return std::nullopt;
  return std::move(*Table);
}

// Those that were asked about before are not asked again.
void Confirmation::askOriginals() {
  std::vector<NvccQuestion> Questions;
  std::vector<UnitRecord *> Asked;
  for (UnitRecord &Unit : Inputs.Units)
    if (Unit.Unit.Resources.empty() && isOfInterest(Unit)) {
      if (llvm::Error E = checkForNvcc(Unit.Job, Unit.Job.File, {})) {
        warn(Unit, llvm::Error::success(), toString(std::move(E)));
        continue;
      }
      Questions.push_back({&Unit, Unit.Job.File, {}, Sides::Device});
      Asked.push_back(&Unit);
    }
  auto Found =
      askNvcc(Questions, /*Root=*/"", [] { return llvm::Error::success(); });
  if (!Found)
    return warn(*Asked.front(), Found.takeError(),
                "ptxas cannot confirm the rewrite");
  for (auto [Unit, Reply] : llvm::zip_equal(Asked, *Found))
    if (Reply)
      Unit->Unit.Resources = forKernels(*Reply, kernelsOf(Unit->Unit), {},
                                        Unit->Unit.Evidence.Functions);
    else
      warn(*Unit, Reply.takeError(),
           "nvcc does not compile it, so ptxas cannot confirm the rewrite");
  for (const UnitRecord &Unit : Inputs.Units)
    if (isOfInterest(Unit))
      for (const auto &[Id, R] : Unit.Unit.Resources)
        Resources.Before.insert({Id, R});
}

// Kernels of one name in several units: those of the same one are compared.
void Confirmation::note(const UnitResult &Unit, const ResourceTable &Reply,
                        NvccTrial &V) {
  for (const auto &[Id, R] :
       forKernels(Reply, kernelsOf(Unit), Made.Decisions.kernelsWithVersion(),
                  Unit.Evidence.Functions))
    if (V.After.insert({Id, R}).second)
      if (auto Was = Unit.Resources.find(Id); Was != Unit.Resources.end())
        V.Before[Id] = Resources.Before[Id] = Was->second;
}

// A kernel of V that has more static shared memory than was planned is a defect
// of ours, and its files stay as they are. What it had may stand before what it
// gets, which is aligned.
void Confirmation::checkShared(NvccTrial &V) const {
  for (auto [Row, K] : llvm::enumerate(Made.Decisions.Kernels)) {
    auto Was = V.Before.find(K.Facts.Id), Is = V.After.find(K.Facts.Id);
    if (!K.MovesArrays || Was == V.Before.end() || Is == V.After.end())
      continue;
    const uint64_t Planned =
        llvm::alignTo(Was->second.SharedBytes, StaticGrain) + K.SharedAfter -
        K.SharedBefore - broughtBytes(K.WarpBytes, K.Block.Threads);
    if (Is->second.SharedBytes <= Planned)
      continue;
    llvm::errs() << llvm::formatv(
        "bankstripe: {0}: nvcc gives kernel '{1}' {2} bytes of shared memory, "
        "and at most {3} were planned, so its file stays as it is\n",
        printable(shortText(K.Facts.Where)), printable(K.Facts.Name),
        Is->second.SharedBytes, Planned);
    for (const PlannedArray &A : Made.Decisions.Arrays)
      if (A.Verdict.changesSource() && llvm::is_contained(A.Kernels, Row))
        V.Rejected.insert(A.Array.Where.File);
  }
}

// Adds to Known what nvcc says of the changes, which are copied to Root.
// \returns whether it could be asked.
bool Confirmation::askRewritten(StringRef Root) {
  Copies Tree(Root, {"/"});
  std::vector<NvccQuestion> Questions;
  ResourceTable Unchanged;
  LinkedCalls Calls;
  for (const UnitRecord &Unit : Inputs.Units) {
    Calls.add(Unit.Unit);
    const bool Changes = isConcerned(Unit.Unit, /*IfItPaid=*/false);
    if (!Changes && !Unit.Unit.Evidence.Functions.empty())
      Unchanged.insert(Unit.Unit.Resources.begin(), Unit.Unit.Resources.end());
    if (!Changes || Unit.Unit.Resources.empty())
      continue;
    Questions.push_back({&Unit, *Tree.placeOf(Unit.Job.File),
                         Tree.argumentsFor(Unit.Job), Sides::Device});
    // The launcher sees what the host says of it.
    if (Unit.Unit.Facts.AsksForSide && !Inputs.Launcher)
      Questions.back().Compiled = Sides::Both;
  }
  auto Found = askNvcc(Questions, Tree.folder(),
                       [&] { return Tree.write(Inputs.Files, Made.Changes); });
  if (!Found) {
    warn(*Questions.front().Unit, Found.takeError(),
         "the rewrite could not be confirmed");
    return false;
  }
  NvccTrial &V = Known.Trials.emplace_back();
  V.Changed = changesOf(Made.Decisions);
  for (size_t I = 0; I < Found->size(); ++I) {
    const UnitResult &Unit = Questions[I].Unit->Unit;
    if (auto &Reply = (*Found)[I]) {
      note(Unit, *Reply, V);
      continue;
    }
    warn(*Questions[I].Unit, (*Found)[I].takeError(),
         "nvcc does not accept the rewritten file");
    for (const auto &[File, Text] : Unit.Facts.Contents)
      V.Rejected.insert(File);
  }
  checkShared(V);
  for (ResourceTable *Table : {&V.Before, &V.After}) {
    Table->insert(Unchanged.begin(), Unchanged.end());
    Calls.addFrames(*Table);
  }
  Resources.After = V.After;
  return true;
}

llvm::Error Confirmation::settle(Replan Again) {
  while (true) {
    auto Planned = Again(Known);
    if (!Planned)
      return Planned.takeError();
    Made = std::move(*Planned);
    if (!isSettled(Made.Decisions, Known)) {
      Resources.After.clear();
      if (!Made.Changes.empty()) {
        auto Folder = TemporaryFolder::create();
        if (!Folder)
          return Folder.takeError();
        if (!askRewritten(Folder->path()))
          return llvm::Error::success();
        continue;
      }
    }
    if (doubtMoves(Made.Decisions, Known))
      continue;
    for (const NvccTrial &V : Known.Trials)
      if (V.Changed == Made.Decisions.Treatments)
        Resources.After = V.After;
    return llvm::Error::success();
  }
}

llvm::Expected<ConfirmedResources>
bankstripe::confirmWithPtxas(PlannedChanges &Made, NvccInputs Inputs,
                             const WorkOptions &Work, StringRef CudaPath,
                             Replan Again) {
  auto Kit = llvm::expectedToOptional(findToolkit(CudaPath));
  if (!Kit || Kit->Nvcc.empty()) // The front end has said so.
    return ConfirmedResources();
  Confirmation C(Made, Inputs, Work, Kit->Nvcc);
  C.askOriginals();
  if (!C.Resources.Before.empty())
    if (llvm::Error E = C.settle(Again))
      return E;
  return std::move(C.Resources);
}
