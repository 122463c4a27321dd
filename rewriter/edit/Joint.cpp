//===-- Joint.cpp - changes that are complete by themselves ---------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An array that moves into shared memory takes its kernels with it: their
// bounds, their launches, and the places of all other arrays that they reach.
// Arrays that a kernel connects therefore change together, and each such group
// is carried out as a plan of its own.
//
//===----------------------------------------------------------------------===//

#include "edit/Edit.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/STLExtras.h"

using namespace bankstripe;

namespace {

/// What a plan consists of: arrays and kernels are numbered in one row, the
/// arrays first.
class Groups {
public:
  explicit Groups(const Plan &P);
  /// The numbers of each group with an array that changes, in order.
  std::vector<std::vector<unsigned>> members() const;

private:
  void connectKernels();
  void connectArrays();

  const Plan &P;
  unsigned Arrays;
  llvm::EquivalenceClasses<unsigned> Classes;
};

} // namespace

Groups::Groups(const Plan &P) : P(P), Arrays(P.Arrays.size()) {
  for (unsigned I = 0; I < Arrays + P.Kernels.size(); ++I)
    Classes.insert(I);
  connectKernels();
  connectArrays();
}

// The instances of a template have one text.
void Groups::connectKernels() {
  std::map<Place, unsigned> Seen;
  for (unsigned K = 0; K < P.Kernels.size(); ++K) {
    auto [It, New] = Seen.try_emplace(P.Kernels[K].Facts.Where, K);
    if (!New)
      Classes.unionSets(Arrays + It->second, Arrays + K);
  }
}

// Those that use no shared memory ask nothing of their kernels.
void Groups::connectArrays() {
  for (unsigned I = 0; I < Arrays; ++I) {
    const PlannedArray &A = P.Arrays[I];
    if (!A.Verdict.usesShared())
      continue;
    for (unsigned K : A.Kernels)
      Classes.unionSets(I, Arrays + K);
  }
}

std::vector<std::vector<unsigned>> Groups::members() const {
  std::map<unsigned, std::vector<unsigned>> ByFirstArray;
  std::map<unsigned, unsigned> FirstOf;
  for (unsigned I = 0; I < Arrays; ++I)
    if (P.Arrays[I].Verdict.changesSource())
      ByFirstArray[FirstOf.try_emplace(Classes.getLeaderValue(I), I)
                       .first->second]
          .push_back(I);
  for (unsigned K = Arrays; K < Arrays + P.Kernels.size(); ++K)
    if (auto It = FirstOf.find(Classes.getLeaderValue(K)); It != FirstOf.end())
      ByFirstArray[It->second].push_back(K);
  std::vector<std::vector<unsigned>> Result;
  for (auto &[First, Members] : ByFirstArray)
    Result.push_back(std::move(Members));
  return Result;
}

// The functions that pointers into the arrays of Into go to.
static void addCallees(Plan &Into, const Plan &P) {
  std::vector<const PointerTrail *> Open;
  for (const PlannedArray &A : Into.Arrays)
    Open.push_back(&A.Array.Trail);
  while (!Open.empty()) {
    const PointerTrail *Trail = Open.back();
    Open.pop_back();
    for (const PointerArgument &Argument : Trail->Arguments) {
      auto It = P.Callees.find(Argument.Callee);
      if (It == P.Callees.end() || !Into.Callees.insert(*It).second)
        continue;
      for (const auto &[Index, Parameter] : It->second.Parameters)
        Open.push_back(&Parameter.Trail);
    }
  }
}

// The plan of one group. Kernels of an array outside it are not named.
static Plan partOf(const Plan &P, llvm::ArrayRef<unsigned> Members) {
  Plan Part;
  std::map<unsigned, unsigned> NewKernel;
  for (unsigned I : Members) {
    if (I < P.Arrays.size()) {
      Part.Arrays.push_back(P.Arrays[I]);
      continue;
    }
    const unsigned K = I - P.Arrays.size();
    NewKernel[K] = Part.Kernels.size();
    Part.Kernels.push_back(P.Kernels[K]);
  }
  auto Renumber = [&](std::vector<unsigned> &Kernels) {
    llvm::erase_if(Kernels, [&](unsigned K) { return !NewKernel.count(K); });
    for (unsigned &K : Kernels)
      K = NewKernel.at(K);
  };
  for (PlannedArray &A : Part.Arrays) {
    Renumber(A.Kernels);
    llvm::for_each(A.InstanceKernels, Renumber);
  }
  for (const PlannedLaunch &L : P.Launches)
    if (auto It = NewKernel.find(L.Kernel); It != NewKernel.end())
      Part.Launches.push_back({L.Text, It->second});
  addCallees(Part, P);
  for (const std::string &File : filesOf(Part))
    if (auto It = P.Contents.find(File); It != P.Contents.end())
      Part.Contents.insert(*It);
  return Part;
}

llvm::Expected<std::vector<JointChange>>
bankstripe::applyJointly(const Plan &P, bool EmbedHelper) {
  std::vector<JointChange> Result;
  for (const std::vector<unsigned> &Members : Groups(P).members()) {
    auto Files = applyPlan(partOf(P, Members), EmbedHelper);
    if (!Files)
      return Files.takeError();
    JointChange &Change = Result.emplace_back();
    Change.Files = std::move(*Files);
    for (unsigned I : Members)
      if (I < P.Arrays.size())
        Change.Arrays.push_back(I);
  }
  return Result;
}
