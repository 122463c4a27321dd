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
// Functions that hold arrays have copies then, which the version calls, so all
// kernels that reach them choose or none. WhyNot lists why a kernel does not.
//
//===----------------------------------------------------------------------===//

#include "plan/RunTimeChoice.h"
#include "plan/FunctionCopies.h"
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
  std::string whyNot(unsigned Row) const;
  bool servesOthers(unsigned Row) const;
  bool gainsForSure(const TextRange &Text) const;
  bool sharesArrays(unsigned Row) const;
  bool removeWhatFails();
  MergedRun marked() const;

  const MergedRun &Run;
  const PlanOptions &Options;
  const Plan &Otherwise;
  const FunctionCopies Copies;
  std::vector<std::vector<Launch>> Launches; ///< By kernel; those that choose.
  /// The texts of the kernels that choose, each with a row that is launched.
  std::map<TextRange, unsigned> Choosing;
  std::map<TextRange, std::string> WhyNot; ///< Of the others.
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
    : Run(Run), Options(Options), Otherwise(Otherwise), Copies(Run) {
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

// Empty if it may choose, be it that no launch of this instance does.
std::string ChoiceFinder::whyNot(unsigned Row) const {
  const MergedKernel &K = Run.Kernels[Row];
  const Kernel &Facts = K.Facts;
  const auto Arrays = movableIn(Row, Run);
  if (Arrays.empty())
    return "an instance of it has no array that could move";
  for (const std::string &Problem :
       {Facts.Text.Problem, Facts.Text.VersionProblem})
    if (!Problem.empty())
      return "it has no version: " + Problem;
  if (!Facts.MayEdit || !Facts.BoundsInsertion.isValid())
    return "its declaration cannot be edited";
  if (Facts.AttributeSetAt.isValid())
    return "the program sets its attributes";
  if (K.WaitsForBlocks)
    return "it waits for other blocks, all of which must be resident";
  for (const ReachedArray *A : Arrays)
    if (Run.Wishes[A - Run.Arrays.data()].Decision)
      return "it is decided what becomes of '" + A->Array.Name + "'";
    else if (const FunctionText *Holder = Copies.holderOf(A->Array);
             !A->Array.Function.IsKernel &&
             !(Holder && Copies.leadTo(Facts, *Holder))) {
      const std::string Why = Copies.whyNone(A->Array);
      return "'" + A->Array.Name + "' is in " + A->Array.Function.Name +
             ", which has no copy for a version" +
             (Why.empty() ? "" : ": " + Why);
    }
  if (gainsForSure(textOf(K)))
    return "it gains even in the worst case of the prediction";
  if (!servesOthers(Row))
    return "";
  return Launches[Row].empty()
             ? "no launch in sight can choose"
             : "launches that cannot choose would lose their gain";
}

// Whether somebody would lose what the plan without choices does for the
// kernel: a launch that cannot choose, or one out of sight.
bool ChoiceFinder::servesOthers(unsigned Row) const {
  const KernelPlan &K = Otherwise.Kernels[Row];
  return K.MovesArrays &&
         (K.HasVersion ||
          Launches[Row].size() != Run.Kernels[Row].Launches.size());
}

// Whether the kernel gains by the plan without choices, in each of its
// instances.
bool ChoiceFinder::gainsForSure(const TextRange &Text) const {
  bool IsSure = false;
  for (const KernelPlan &K : Otherwise.Kernels) {
    if (!K.MovesArrays || K.Facts.Text.Definition != Text)
      continue;
    const auto &P = K.Predicted;
    if (!P || std::min(P->Low, P->Worst) < 1)
      return false;
    IsSure = true;
  }
  return IsSure;
}

// The run in which the kernels that were found choose.
MergedRun ChoiceFinder::marked() const {
  MergedRun Result = Run;
  for (auto [Row, K] : llvm::enumerate(Result.Kernels)) {
    const auto Found = Choosing.find(textOf(K));
    if (Found == Choosing.end()) {
      if (!movableIn(Row, Run).empty())
        K.WhyNoChoice = WhyNot.at(textOf(K));
      continue;
    }
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

// Whether a kernel that does not choose reaches arrays of the same functions.
bool ChoiceFinder::sharesArrays(unsigned Row) const {
  return llvm::any_of(movableIn(Row, Run), [&](const ReachedArray *A) {
    return llvm::any_of(A->Kernels, [&](unsigned Other) {
      return !Choosing.count(textOf(Run.Kernels[Other]));
    });
  });
}

// \returns whether kernels were removed.
bool ChoiceFinder::removeWhatFails() {
  const size_t Before = Choosing.size();
  const MergedRun Marked = marked();
  const std::vector<KernelSetting> Settings = settingsOf(Marked, Options);
  for (auto [Row, K] : llvm::enumerate(Marked.Kernels)) {
    const char *Why = !movesBeside(Row, Marked, Settings[Row])
                          ? "a version beside it has no room for its arrays"
                      : sharesArrays(Row)
                          ? "a kernel that calls the same function does not"
                          : nullptr;
    if (Why && Choosing.erase(textOf(K)))
      WhyNot[textOf(K)] = Why;
  }
  return Choosing.size() != Before;
}

MergedRun ChoiceFinder::find() {
  for (auto [Row, K] : llvm::enumerate(Run.Kernels))
    if (std::string Why = whyNot(Row); !Why.empty())
      WhyNot.try_emplace(textOf(K), std::move(Why));
    else if (!Launches[Row].empty())
      Choosing.try_emplace(textOf(K), Row);
  for (const MergedKernel &K : Run.Kernels)
    if (!Choosing.count(textOf(K)))
      WhyNot.try_emplace(textOf(K), "no launch in sight can choose");
  for (const auto &[Text, Why] : WhyNot)
    Choosing.erase(Text);
  while (removeWhatFails())
    ;
  return marked();
}

MergedRun bankstripe::chooseAtRunTime(MergedRun Run, const PlanOptions &Options,
                                      const Plan &Otherwise) {
  return ChoiceFinder(Run, Options, Otherwise).find();
}
