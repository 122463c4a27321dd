//===-- Versions.cpp - kernels that stay, with a version beside -----------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel changes in place where that is sure to be right whoever launches it
// (Form.cpp). Any other keeps its text, and has a version beside it,
// which its launches run where they can (runtime/device/bankstripe_launch.cuh):
// nothing about blocks, grids or who launches it has to be known here.
//
// Functions that hold arrays have copies then, which versions call. The storage
// of a copy is what launches of versions bring, so whoever calls one is a
// version: of the kernels that reach such a function, either all have versions,
// or those that cannot keep calling the original.
//
// Both only add kernels to those with versions, of which there are so many.
//
//===----------------------------------------------------------------------===//

#include "plan/Versions.h"
#include "plan/Candidates.h"
#include "plan/FunctionCopies.h"
#include "plan/Layout.h"
#include "llvm/ADT/STLExtras.h"

using namespace bankstripe;

const TextRange &bankstripe::textOf(const MergedKernel &K) {
  return K.Facts.Text.Definition;
}

std::vector<const ReachedArray *> bankstripe::movableIn(unsigned Row,
                                                        const MergedRun &Run) {
  std::vector<const ReachedArray *> Result;
  for (const ReachedArray &A : Run.Arrays)
    if (llvm::is_contained(A.Kernels, Row) && !whyArrayStays(A))
      Result.push_back(&A);
  return Result;
}

namespace {

/// Finds which kernels have versions, and which functions copies.
class VersionFinder {
public:
  VersionFinder(MergedRun Run, const PlanOptions &Options)
      : Run(std::move(Run)), Options(Options), Copies(this->Run),
        HasVersion(this->Run.Kernels.size()) {}
  RunWithForms find();

private:
  bool isBetter(unsigned Row, const Form &InPlace) const;
  bool has(unsigned Row) const { return HasVersion[Row]; }
  bool callsOriginals(unsigned Row) const {
    return Run.Kernels[Row].CallsOriginals;
  }
  bool leadsTo(unsigned Row, const ReachedArray &A) const;
  bool needsCopy(const ReachedArray &A) const;
  bool addSharers();
  void placeInFunction(unsigned Index);

  MergedRun Run;
  const PlanOptions &Options;
  const FunctionCopies Copies;
  std::vector<bool> HasVersion; ///< By kernel.
  std::set<TextRange> Stay;     ///< Texts of kernels that can have none.
};

} // namespace

// Whether the arrays of a kernel cannot move in place, or only some of those
// that can in a version.
bool VersionFinder::isBetter(unsigned Row, const Form &InPlace) const {
  const auto Arrays = movableIn(Row, Run);
  if (Arrays.empty())
    return false;
  if (InPlace.WhyStays || llvm::any_of(Arrays, [&](const ReachedArray *A) {
        return A->OnlyInCopy && leadsTo(Row, *A);
      }))
    return true;
  uint64_t Sum = 0;
  for (const ReachedArray *A : Arrays)
    if (A->Array.Function.IsKernel || leadsTo(Row, *A))
      Sum += leastBytesIn(*A, Row, InPlace.largestBlock());
  return Sum > InPlace.Budget &&
         (InPlace.Dynamic || Options.SharedLimit > StaticSharedLimit);
}

// Whether a version of kernel Row moves A in a copy of its function.
bool VersionFinder::leadsTo(unsigned Row, const ReachedArray &A) const {
  return !A.Array.Function.IsKernel && !whyArrayStays(A) &&
         !callsOriginals(Row) && Copies.leadTo(Run.Kernels[Row].Facts, A.Array);
}

// Whether A can move only in a copy of its function: a version calls that, or a
// kernel that is to call the original.
bool VersionFinder::needsCopy(const ReachedArray &A) const {
  return llvm::any_of(
      A.Kernels, [&](unsigned Row) { return has(Row) || callsOriginals(Row); });
}

// Of kernels that share arrays of functions, all have versions or none, as far
// as they can. \returns whether there are more now.
bool VersionFinder::addSharers() {
  std::set<TextRange> Texts;
  for (const ReachedArray &A : Run.Arrays)
    if (needsCopy(A))
      for (unsigned Row : A.Kernels)
        if (!has(Row) && leadsTo(Row, A) &&
            !Stay.count(textOf(Run.Kernels[Row])))
          Texts.insert(textOf(Run.Kernels[Row]));
  for (auto [Row, K] : llvm::enumerate(Run.Kernels))
    if (Texts.count(textOf(K)))
      HasVersion[Row] = true;
  return !Texts.empty();
}

// What Kernel does with array Index is no matter of a plan.
static void keepArray(std::optional<KernelWork> &Work, unsigned Index) {
  if (!Work)
    return;
  if (auto Found = Work->Arrays.find(Index); Found != Work->Arrays.end()) {
    Work->OtherLocal += Found->second.all();
    Work->Arrays.erase(Found);
  }
}

// An array of a function moves in a copy, for the versions that lead to one.
void VersionFinder::placeInFunction(unsigned Index) {
  ReachedArray &A = Run.Arrays[Index];
  if (A.Array.Function.IsKernel || (!needsCopy(A) && !A.OnlyInCopy))
    return;
  auto Keeps = [&](unsigned Row) { return !has(Row) || !leadsTo(Row, A); };
  if (llvm::all_of(A.Kernels, Keeps)) {
    const bool IsReached = llvm::any_of(A.Kernels, [&](unsigned Row) {
      return has(Row) && !callsOriginals(Row);
    });
    const std::string Why =
        IsReached || !Copies.holderOf(A.Array) ? Copies.whyNone(A.Array) : "";
    A.WhyNoCopy = A.OnlyInCopy.value_or(Obstacle{
        Reason::BlockSizeUnknown, A.Array.Where,
        "versions of kernels would call '" + A.Array.Function.Name + "'"});
    A.WhyNoCopy->Detail +=
        Why.empty() ? ", and no version of a kernel calls a copy of it"
                    : ", and it has no copy: " + Why;
    return;
  }
  A.InCopy = true;
  for (unsigned Row : A.Kernels)
    if (Keeps(Row)) {
      keepArray(Run.Kernels[Row].Work, Index);
      keepArray(Run.Kernels[Row].ShortWork, Index);
    }
  llvm::erase_if(A.Kernels, Keeps);
  for (std::vector<unsigned> &Rows : A.InstanceKernels)
    llvm::erase_if(Rows, Keeps);
}

RunWithForms VersionFinder::find() {
  std::set<TextRange> Better;
  const std::vector<Form> InPlace = formsOf(Run, Options, HasVersion);
  for (auto [Row, K] : llvm::enumerate(Run.Kernels)) {
    if (!whyNoVersion(K, Options).empty())
      Stay.insert(textOf(K));
    if (K.Chooses || K.WhereResident || isBetter(Row, InPlace[Row]))
      Better.insert(textOf(K));
  }
  for (auto [Row, K] : llvm::enumerate(Run.Kernels))
    HasVersion[Row] = Better.count(textOf(K)) && !Stay.count(textOf(K));
  while (addSharers())
    ;
  for (unsigned I = 0; I < Run.Arrays.size(); ++I)
    placeInFunction(I);
  std::vector<Form> Forms = formsOf(Run, Options, HasVersion);
  return {std::move(Run), std::move(Forms)};
}

RunWithForms bankstripe::findVersions(MergedRun Run,
                                      const PlanOptions &Options) {
  return VersionFinder(std::move(Run), Options).find();
}
