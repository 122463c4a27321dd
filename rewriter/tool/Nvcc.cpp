//===-- Nvcc.cpp - asking nvcc about several files at a time --------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tool/Nvcc.h"
#include "evidence/Evidence.h"
#include "facts/Archive.h"
#include "tool/Answers.h"
#include "workers/Progress.h"

using namespace bankstripe;
using llvm::StringRef;

/// What a process that asked nvcc sends back.
using Sent = std::pair<std::string /*Problem*/, ResourceTable>;

static Sent ask(const NvccQuestion &Question, StringRef Nvcc) {
  auto Table =
      runPtxas(Question.Unit->Job, Nvcc, Question.File, Question.ExtraArgs);
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

llvm::Expected<std::vector<llvm::Expected<ResourceTable>>>
bankstripe::askNvcc(RunResult &Run, const std::vector<NvccQuestion> &Questions,
                    StringRef Nvcc, Mirror *Copies,
                    const ToolOptions &Options) {
  std::vector<std::optional<llvm::Expected<ResourceTable>>> Replies(
      Questions.size());
  std::vector<std::optional<std::string>> Keys(Questions.size());
  Progress Shown(Questions.size(), Options.Level != Detail::Quiet);
  // What a user compiles may take as long as it takes.
  WorkLimits Limits = workLimits(Options);
  Limits.Seconds = 0;
  Workers Pool(Limits, [&](size_t I, const WorkResult &Result) {
    Replies[I].emplace(receive(Result));
    // A file that changed meanwhile may have been read in either state.
    if (*Replies[I] && Keys[I] &&
        Keys[I] == Run.Known->keyOf(Questions[I], Nvcc, Copies))
      Run.Known->rememberTable(*Keys[I], **Replies[I]);
    Shown.done(displayName(Questions[I].Unit->Job.File));
  });
  for (size_t I = 0; I < Questions.size(); ++I) {
    if (Run.Known)
      Keys[I] = Run.Known->keyOf(Questions[I], Nvcc, Copies);
    if (auto Table =
            Keys[I] ? Run.Known->recallTable(*Keys[I]) : std::nullopt) {
      Replies[I].emplace(std::move(*Table));
      Shown.done(displayName(Questions[I].Unit->Job.File));
      continue;
    }
    if (Copies)
      if (llvm::Error E = Copies->write())
        return E;
    Pool.start(I, [&] { return toBytes(ask(Questions[I], Nvcc)); });
  }
  Pool.finish();
  std::vector<llvm::Expected<ResourceTable>> Result;
  for (auto &Reply : Replies)
    Result.push_back(std::move(*Reply));
  return Result;
}

void bankstripe::askOriginals(
    RunResult &Run, std::vector<UnitRecord> &Units, StringRef Nvcc,
    llvm::function_ref<bool(const UnitResult &)> IsConcerned,
    llvm::function_ref<void(const CompileJob &, llvm::Error)> Failed,
    const ToolOptions &Options) {
  std::vector<NvccQuestion> Questions;
  std::vector<UnitRecord *> Asked;
  for (UnitRecord &Unit : Units)
    if (Unit.Unit.Resources.empty() && IsConcerned(Unit.Unit)) {
      Questions.push_back({&Unit, Unit.Job.File, {}});
      Asked.push_back(&Unit);
    }
  auto Replies =
      cantFail(askNvcc(Run, Questions, Nvcc, /*Copies=*/nullptr, Options));
  for (size_t I = 0; I < Replies.size(); ++I)
    if (Replies[I])
      Asked[I]->Unit.Resources =
          forKernels(*Replies[I], Asked[I]->Unit.Facts.Kernels);
    else
      Failed(Asked[I]->Job, Replies[I].takeError());
}
