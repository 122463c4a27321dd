//===-- FunctionCopies.cpp - copies of functions that versions call -------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether a function can have a copy is decided without a look at which kernels
// get versions: if one of its callers cannot, or a call of it cannot change its
// name, the function is called as it was, and so is all that it calls.
//
//===----------------------------------------------------------------------===//

#include "plan/FunctionCopies.h"
#include "llvm/ADT/STLExtras.h"

using namespace bankstripe;

// Functions to which pointers into stripes go get overloads, of which there are
// no copies; templates are copied with their heads.
static bool mayGetOverload(const FunctionText &F, const MergedRun &Run) {
  const auto Found = Run.Callees.find(F.Where);
  return Found != Run.Callees.end() &&
         llvm::any_of(Found->second.Parameters, [](const auto &Each) {
           return Each.second.Deduced.empty();
         });
}

FunctionCopies::FunctionCopies(const MergedRun &Run) {
  std::set<Place> Kernels;
  for (const MergedKernel &K : Run.Kernels)
    Kernels.insert(K.Facts.Where);
  for (const FunctionText &F : Run.Functions) {
    All[F.Where] = &F;
    if (F.Problem.empty() && !mayGetOverload(F, Run))
      Possible.insert(F.Where);
  }
  for (size_t Before = SIZE_MAX; Possible.size() != Before;) {
    Before = Possible.size();
    for (const FunctionText &F : Run.Functions) {
      const bool Calls = Kernels.count(F.Where) || Possible.count(F.Where);
      for (const NamedCall &C : F.Calls)
        if (!Calls || !C.Name.isValid() ||
            llvm::any_of(C.Callees, [&](const Place &Callee) {
              return !Possible.count(Callee);
            }))
          for (const Place &Callee : C.Callees)
            Possible.erase(Callee);
    }
  }
  // Of instances that share a text, one that can have a copy comes first.
  auto AddText = [&](const FunctionText *F) {
    ByText.try_emplace({F->Definition.File, F->Definition.Offset}, F);
  };
  for (const Place &Where : Possible)
    AddText(All.at(Where));
  for (const auto &[Where, F] : All)
    AddText(F);
  for (const Place &Kernel : Kernels)
    BelowKernels[Kernel] = below(Kernel);
}

const FunctionText *FunctionCopies::holderOf(const Finding &F) const {
  const TextRange &Text = F.Text.Statement;
  // The innermost function begins last.
  for (auto It = ByText.upper_bound({Text.File, Text.Offset});
       It != ByText.begin();) {
    const FunctionText &Found = *(--It)->second;
    if (Found.Definition.File != Text.File)
      return nullptr;
    if (Text.end() <= Found.Definition.end())
      return Possible.count(Found.Where) ? &Found : nullptr;
  }
  return nullptr;
}

// The functions with copies that Caller leads to.
std::set<Place> FunctionCopies::below(const Place &Caller) const {
  std::set<Place> Result;
  std::vector<Place> ToDo = {Caller};
  while (!ToDo.empty()) {
    const auto Found = All.find(ToDo.back());
    ToDo.pop_back();
    if (Found == All.end())
      continue;
    for (const NamedCall &C : Found->second->Calls)
      for (const Place &Callee : C.Callees)
        if (Possible.count(Callee) && Result.insert(Callee).second)
          ToDo.push_back(Callee);
  }
  return Result;
}

bool FunctionCopies::leadTo(const Kernel &Kernel,
                            const FunctionText &Holder) const {
  const auto Found = BelowKernels.find(Kernel.Where);
  return Found != BelowKernels.end() && Found->second.count(Holder.Where);
}

void FunctionCopies::addTo(Plan &P) const {
  std::set<Place> Callers, Holders, Copied;
  for (const PlannedArray &A : P.Arrays) {
    const FunctionText *Holder =
        A.Verdict.Storage.InCopy ? holderOf(A.Array) : nullptr;
    if (!Holder)
      continue;
    Holders.insert(Holder->Where);
    for (unsigned Row : A.Kernels)
      Callers.insert(P.Kernels[Row].Facts.Where);
  }
  auto Holds = [&](const Place &Where) { return Holders.count(Where) != 0; };
  for (const Place &Kernel : Callers)
    for (const Place &Where : BelowKernels.at(Kernel))
      if (Holds(Where) || llvm::any_of(below(Where), Holds))
        Copied.insert(Where);
  auto IsOfCopies = [&](const NamedCall &C) {
    return llvm::any_of(
        C.Callees, [&](const Place &Callee) { return Copied.count(Callee); });
  };
  // What one name calls in several instances has copies together.
  for (size_t Before = 0; Copied.size() != Before;) {
    Before = Copied.size();
    std::set<Place> Bodies = Copied;
    Bodies.insert(Callers.begin(), Callers.end());
    for (const Place &Body : Bodies)
      for (const NamedCall &C : All.at(Body)->Calls)
        if (IsOfCopies(C))
          Copied.insert(C.Callees.begin(), C.Callees.end());
  }
  for (const Place &Kernel : Callers)
    for (const NamedCall &C : All.at(Kernel)->Calls)
      if (IsOfCopies(C))
        P.CallsOfCopies.push_back(C.Name);
  for (const Place &Where : Copied) {
    P.Copies.push_back(*All.at(Where));
    llvm::erase_if(P.Copies.back().Calls,
                   [&](const NamedCall &C) { return !IsOfCopies(C); });
  }
}
