//===-- RunTimeChoice.cpp - kernels that are chosen at run time -----------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What decides whether an array should move stands in no source: how many lanes
// are active, what the L1 holds, which GPU it is. So a kernel keeps its text,
// and gets a version beside it (plan/Redirect.cpp) in which arrays move. The
// launches that can choose time both (runtime/device/bankstripe_choose.cuh).
// All other launches run the kernel as it was.
//
// A kernel does not choose
//
//   where a plan without choices gains for sure, or a person decided,
//   where that plan moves arrays, and a launch that cannot choose would lose
//   what it gains by that,
//   where arrays of functions move: the original would get them, too,
//   where it waits for other blocks, or has attributes that the host sets.
//
//===----------------------------------------------------------------------===//

#include "plan/RunTimeChoice.h"
#include "plan/Redirect.h"
#include "llvm/ADT/STLExtras.h"

using namespace bankstripe;

namespace {

/// Finds the kernels that choose. Instances of a template share their text, so
/// all of them choose or none.
class ChoiceFinder {
public:
  ChoiceFinder(const MergedRun &Run, const PlanOptions &Options,
               const Plan &Otherwise);

  MergedRun find();

private:
  bool mayChoose(unsigned Row) const;
  bool servesOthers(unsigned Row) const;
  std::set<TextRange> sureGains() const;
  void removeWhatFails();
  MergedRun marked() const;

  const MergedRun &Run;
  const PlanOptions &Options;
  const Plan &Otherwise;
  std::vector<std::vector<Launch>> Launches; ///< By kernel; those that choose.
  /// The texts of the kernels that choose, each with a row that is launched.
  std::map<TextRange, unsigned> Choosing;
};

} // namespace

static bool canChoose(const Launch &L, const MergedKernel &K,
                      const MergedRun &Run, const PlanOptions &Options) {
  return L.Text.SeesDefinition && L.Text.Choice.Callee.isValid() &&
         L.Text.Problem.empty() && !L.Cooperative &&
         canRunVersion(L, K, Run, Options);
}

ChoiceFinder::ChoiceFinder(const MergedRun &Run, const PlanOptions &Options,
                           const Plan &Otherwise)
    : Run(Run), Options(Options), Otherwise(Otherwise) {
  // One text may launch several instances, and in several units.
  std::set<Place> Fixed;
  for (const MergedKernel &K : Run.Kernels)
    for (const Launch &L : K.Launches)
      if (!canChoose(L, K, Run, Options))
        Fixed.insert(L.Where);
  for (const MergedKernel &K : Run.Kernels) {
    Launches.push_back(K.Launches);
    llvm::erase_if(Launches.back(),
                   [&](const Launch &L) { return Fixed.count(L.Where); });
  }
}

bool ChoiceFinder::mayChoose(unsigned Row) const {
  const MergedKernel &K = Run.Kernels[Row];
  const Kernel &Facts = K.Facts;
  if (!Facts.MayEdit || !Facts.BoundsInsertion.isValid() ||
      Facts.AttributeSetAt.isValid() || !Facts.Text.Problem.empty() ||
      !Facts.Text.VersionProblem.empty() || K.WaitsForBlocks)
    return false;
  const auto Arrays = movableIn(Row, Run);
  return !Arrays.empty() && llvm::all_of(Arrays, [&](const ReachedArray *A) {
    return A->Array.Function.IsKernel &&
           !Run.Wishes[A - Run.Arrays.data()].Decision;
  });
}

// Whether somebody would lose what the plan without choices does for the
// kernel: a launch that cannot choose, or one out of sight.
bool ChoiceFinder::servesOthers(unsigned Row) const {
  const KernelPlan &K = Otherwise.Kernels[Row];
  return K.MovesArrays &&
         (K.HasVersion ||
          Launches[Row].size() != Run.Kernels[Row].Launches.size());
}

// The kernels that gain for sure by the plan without choices, in each of their
// instances.
std::set<TextRange> ChoiceFinder::sureGains() const {
  std::set<TextRange> Sure, Unsure;
  for (const KernelPlan &K : Otherwise.Kernels)
    if (K.MovesArrays) {
      const auto &P = K.Predicted;
      (P && std::min(P->Low, P->Worst) >= 1 ? Sure : Unsure)
          .insert(K.Facts.Text.Definition);
    }
  std::erase_if(Sure,
                [&](const TextRange &Text) { return Unsure.count(Text); });
  return Sure;
}

// The run in which the kernels that were found choose.
MergedRun ChoiceFinder::marked() const {
  MergedRun Result = Run;
  for (auto [Row, K] : llvm::enumerate(Result.Kernels)) {
    const auto Found = Choosing.find(textOf(K));
    if (Found == Choosing.end())
      continue;
    K.Chooses = true;
    K.Facts.AddressTaken = false;
    K.Facts.AskedAboutAt = {};
    K.Queries.clear();
    // What is said of the blocks of an instance that no launch chooses does not
    // matter.
    K.Launches = Launches[Launches[Row].empty() ? Found->second : Row];
  }
  return Result;
}

// Forgets the kernels whose versions have no place for arrays. They share none
// with other kernels, so what holds for one does not depend on these.
void ChoiceFinder::removeWhatFails() {
  const MergedRun Marked = marked();
  const std::vector<KernelSetting> Settings = settingsOf(Marked, Options);
  for (auto [Row, K] : llvm::enumerate(Marked.Kernels))
    if (!movesBeside(Row, Marked, Settings[Row]))
      Choosing.erase(textOf(K));
}

MergedRun ChoiceFinder::find() {
  std::set<TextRange> Stay = sureGains();
  for (auto [Row, K] : llvm::enumerate(Run.Kernels)) {
    if (!mayChoose(Row) || servesOthers(Row))
      Stay.insert(textOf(K));
    else if (!Launches[Row].empty())
      Choosing.try_emplace(textOf(K), Row);
  }
  for (const TextRange &Text : Stay)
    Choosing.erase(Text);
  removeWhatFails();
  return marked();
}

MergedRun bankstripe::chooseAtRunTime(MergedRun Run, const PlanOptions &Options,
                                      const Plan &Otherwise) {
  return ChoiceFinder(Run, Options, Otherwise).find();
}
