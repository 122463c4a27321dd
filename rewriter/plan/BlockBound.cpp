//===-- BlockBound.cpp - a bound on each kernel's block size --------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Static shared memory needs the largest block at compile time. In this order:
// __launch_bounds__, which the driver enforces; the launches, when all of them
// are seen and constant; --block-size, or else what the decisions file of the
// kernel's folder says in its place. In the last two cases the bound is added
// to the kernel, so that a larger launch fails as a CUDA launch error instead
// of running into a neighbour's memory.
//
//===----------------------------------------------------------------------===//

#include "plan/PlanInternal.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace bankstripe;

static std::string at(const Place &Where) {
  return (llvm::sys::path::filename(Where.File) + ":" + llvm::Twine(Where.Line))
      .str();
}

static void refuse(KernelRow &Row, Reason Why, const Place &Where,
                   std::string Detail) {
  Verdict V;
  V.Kind = infoOf(Why).Verdict;
  V.Why = Why;
  V.Where = Where;
  V.Detail = std::move(Detail);
  Row.Obstacle = std::move(V);
}

static void take(KernelRow &Row, unsigned Threads, BlockSizeSource Source,
                 std::string Text) {
  Row.Plan.BlockThreads = Threads;
  Row.Plan.Source = Source;
  Row.Plan.SourceText = std::move(Text);
  Row.Plan.AddLaunchBounds = Source != BlockSizeSource::LaunchBounds;
  Row.Plan.BoundsToAdd = Threads;
}

// The launch with the largest block among the known ones.
static const Launch *largest(const KernelRow &Row) {
  const Launch *Largest = nullptr;
  for (const Launch &L : Row.Launches)
    if (L.Threads && (!Largest || *L.Threads > *Largest->Threads))
      Largest = &L;
  return Largest;
}

// Why the launches do not bound the block size; empty when they do.
static std::string whyUnbounded(const KernelRow &Row, Place &Where) {
  const Kernel &K = Row.Plan.Facts;
  Where = K.Where;
  if (K.AddressTaken) {
    Where = K.AddressTakenAt;
    return "the address of kernel '" + K.Name + "' is taken at " +
           at(K.AddressTakenAt);
  }
  for (const Launch &L : Row.Launches)
    if (!L.Threads) {
      Where = L.Where;
      return "the launch at " + at(L.Where) + ": " + L.Source;
    }
  if (Row.Launches.empty())
    return "no launch of kernel '" + K.Name + "' was seen";
  return "";
}

// The bound that the user gave for the kernel, and where.
static std::pair<unsigned, std::string> givenBound(const Kernel &K,
                                                   const PlanOptions &Options) {
  if (Options.BlockSize)
    return {Options.BlockSize, "--block-size"};
  auto It = Options.Defaults.find(K.Where.File);
  if (It == Options.Defaults.end() || !It->second.BlockSize)
    return {0, ""};
  return {*It->second.BlockSize,
          "block-size in " + llvm::sys::path::filename(It->second.From).str()};
}

static void boundFromLaunches(KernelRow &Row, const PlanOptions &Options) {
  Place Where;
  std::string Problem = whyUnbounded(Row, Where);
  const Launch *Largest = largest(Row);
  if (Problem.empty())
    return take(Row, *Largest->Threads, BlockSizeSource::Launches,
                "launch at " + at(Largest->Where) + " (" + Largest->Source +
                    ")");
  auto [Given, Origin] = givenBound(Row.Plan.Facts, Options);
  if (!Given)
    return refuse(Row, Reason::BlockSizeUnknown, Where, Problem);
  if (Largest && *Largest->Threads > Given)
    return refuse(Row, Reason::BlockSizeConflict, Largest->Where,
                  "the launch at " + at(Largest->Where) + " asks for " +
                      std::to_string(*Largest->Threads) + " threads, " +
                      Origin + " says " + std::to_string(Given));
  take(Row, Given, BlockSizeSource::Option,
       Options.BlockSize ? Origin + "=" + std::to_string(Given) : Origin);
}

static void boundDynamicShared(KernelRow &Row) {
  const Kernel &K = Row.Plan.Facts;
  if (K.UsesDynamicShared && (Row.Launches.empty() || K.AddressTaken))
    return refuse(Row, Reason::DynamicSharedMemory, K.Where,
                  "not all launches were seen");
  for (const Launch &L : Row.Launches) {
    // The answer that the grid is computed from counts static memory.
    if (L.Cooperative && !L.GridAsked)
      return refuse(Row, Reason::CooperativeLaunch, L.Where,
                    at(L.Where) + (L.Unfollowed.empty() ? "" : ", ") +
                        L.Unfollowed);
    if (!L.DynamicSharedBytes)
      return refuse(Row, Reason::DynamicSharedMemory, L.Where, at(L.Where));
    Row.Plan.DynamicSharedBytes =
        std::max(Row.Plan.DynamicSharedBytes, *L.DynamicSharedBytes);
  }
}

// The linker does not take a function with more registers than the bounds of a
// kernel leave, and one that was compiled apart may have as many as there are:
// 255, which blocks of 256 threads can have (CUDA programming guide, "Compute
// capabilities").
bool bankstripe::mayAddBounds(const KernelRow &Row) {
  return !Row.CallsOtherUnits || Row.Plan.BoundsToAdd <= 256;
}

void bankstripe::boundBlockSize(KernelRow &Row, const PlanOptions &Options) {
  KernelPlan &Plan = Row.Plan;
  Plan.SharedBefore = Plan.SharedAfter = Plan.Facts.StaticSharedBytes;
  if (Plan.Facts.Bounds)
    take(Row, Plan.Facts.Bounds->Threads, BlockSizeSource::LaunchBounds,
         "__launch_bounds__ at " + at(Plan.Facts.Where));
  else
    boundFromLaunches(Row, Options);
  if (!Row.Obstacle && Plan.AddLaunchBounds &&
      !Plan.Facts.BoundsInsertion.isValid())
    refuse(Row, Reason::KernelInMacro, Plan.Facts.Where, Plan.Facts.Name);
  if (!Row.Obstacle && Plan.AddLaunchBounds && !mayAddBounds(Row))
    refuse(Row, Reason::LinkedCallees, Plan.Facts.Where, Plan.Facts.Name);
  if (!Row.Obstacle)
    boundDynamicShared(Row);
}
