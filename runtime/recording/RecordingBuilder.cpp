//===-- RecordingBuilder.cpp - events to a recording ----------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "recording/RecordingBuilder.h"
#include "recording/DigestMix.h"
#include <algorithm>
#include <iterator>
#include <tuple>

using namespace bankstripe::runtime;

static uint64_t chunkCount(const Allocation &A) {
  return A.Bytes / A.ChunkBytes + (A.Bytes % A.ChunkBytes != 0);
}

void RecordingBuilder::device(std::string Name, std::string Capability) {
  if (!Result.Device.empty())
    return;
  Result.Device = std::move(Name);
  Result.Capability = std::move(Capability);
}

bool RecordingBuilder::allocation(Allocation A) {
  auto &Into = A.IsVariable ? Result.Variables : Result.Allocations;
  if (A.Id != Into.size())
    return fail("allocation " + std::to_string(A.Id) + " is out of order");
  if (A.ChunkBytes == 0)
    return fail("the chunks of an allocation have no bytes");
  if (chunkCount(A) > MaximumChunks)
    return fail("an allocation has too many chunks");
  if (A.Made && *A.Made >= Result.Stacks.size())
    return fail("an allocation was made from an unknown call stack");
  A.MadeBefore = launches();
  Into.push_back(std::move(A));
  return true;
}

bool RecordingBuilder::free(unsigned Id) {
  if (Id >= Result.Allocations.size() || Result.Allocations[Id].FreedBefore)
    return fail("allocation " + std::to_string(Id) +
                " is freed without being live");
  Result.Allocations[Id].FreedBefore = launches();
  return true;
}

bool RecordingBuilder::fits(const std::vector<DigestChange> &Changes) {
  for (const DigestChange &Change : Changes) {
    const auto &Known =
        Change.IsVariable ? Result.Variables : Result.Allocations;
    if (Change.Allocation >= Known.size())
      return fail("digests of an allocation that was not made");
    const uint64_t Chunks = chunkCount(Known[Change.Allocation]);
    for (const ChunkRun &Run : Change.Runs)
      if (Run.First > Chunks || Run.Digests.size() > Chunks - Run.First)
        return fail("a run of digests does not fit its allocation");
  }
  return true;
}

bool RecordingBuilder::launch(Launch L) {
  if (L.Index != launches())
    return fail("launch " + std::to_string(L.Index) + " is out of order");
  if (!fits(L.Changes))
    return false;
  Result.Launches.push_back(std::move(L));
  return true;
}

bool RecordingBuilder::late(unsigned Index, bool AtEnd,
                            std::vector<DigestChange> Changes) {
  if (Result.Launches.empty() || Index != Result.Launches.back().Index)
    return fail("launch " + std::to_string(Index) + " is not the latest one");
  if (!fits(Changes))
    return false;
  Launch &L = Result.Launches.back();
  (AtEnd ? L.DigestedAtEnd : L.DigestedBeforeFree) = true;
  std::move(Changes.begin(), Changes.end(), std::back_inserter(L.Changes));
  return true;
}

bool RecordingBuilder::execution(Launch L, uint64_t Order, uint64_t Start,
                                 uint64_t End) {
  if (End < Start)
    return fail("a kernel ends before it starts");
  L.Nanoseconds = static_cast<double>(End - Start);
  Executions.push_back({Order, Start, std::move(L)});
  return true;
}

bool RecordingBuilder::stack(CallStack Frames) {
  if (Frames.empty())
    return fail("a call stack without calls");
  Result.Stacks.push_back(std::move(Frames));
  return true;
}

void RecordingBuilder::note(const std::string &Text, uint64_t Count) {
  uint64_t &Held = Result.Notes[Text];
  Held = std::max(Held, Count);
}

void RecordingBuilder::skipped(const std::string &Reason, uint64_t Count) {
  uint64_t &Held = Result.Skipped[Reason];
  Held = std::max(Held, Count);
}

Recording RecordingBuilder::finish() {
  std::sort(Executions.begin(), Executions.end(),
            [](const Execution &A, const Execution &B) {
              return std::tie(A.Order, A.Start) < std::tie(B.Order, B.Start);
            });
  for (Execution &E : Executions) {
    E.What.Index = launches();
    Result.Launches.push_back(std::move(E.What));
  }
  Executions.clear();
  return std::move(Result);
}
