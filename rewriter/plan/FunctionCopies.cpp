//===-- FunctionCopies.cpp - copies of functions that versions call -------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether a function can have a copy is decided without a look at which kernels
// get versions. A call whose name cannot change is one of the function as it
// was, and so are those by callers without a copy; others call the copy.
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
    if (!F.Problem.empty())
      WhyNot[F.Where] = F.Problem;
    else if (mayGetOverload(F, Run))
      WhyNot[F.Where] = "it gets an overload for pointers into stripes";
    else
      Possible.insert(F.Where);
  }
  // What keeps a call keeps all that it leads to, for all that is said of it.
  for (size_t Before = SIZE_MAX; WhyNot.size() != Before;) {
    Before = WhyNot.size();
    for (const FunctionText &F : Run.Functions)
      for (const NamedCall &C : F.Calls) {
        const auto Caller =
            Kernels.count(F.Where) ? WhyNot.end() : WhyNot.find(F.Where);
        const std::string Why =
            Caller == WhyNot.end()
                ? whyNameStays(C, F)
                : "'" + F.Title +
                      "', which calls it, has none: " + Caller->second;
        for (const Place &Callee : C.Callees)
          if (!Why.empty())
            WhyNot.try_emplace(Callee, Why);
      }
  }
  // Of instances that share a text, one that can have a copy comes first.
  auto AddText = [&](const FunctionText *F) {
    ByText.try_emplace({F->Definition.File, F->Definition.Offset}, F);
  };
  for (const auto &[Where, F] : All)
    if (Possible.count(Where))
      AddText(F);
  for (const auto &[Where, F] : All)
    AddText(F);
  for (const Place &Kernel : Kernels)
    BelowKernels[Kernel] = below(Kernel);
}

// Why C in In cannot name copies; empty if it can.
std::string FunctionCopies::whyNameStays(const NamedCall &C,
                                         const FunctionText &In) const {
  if (!C.Name.isValid())
    return C.Problem.empty() ? "a call of it has no name" : C.Problem;
  if (llvm::all_of(C.Callees,
                   [&](const Place &Callee) { return Possible.count(Callee); }))
    return "";
  return "what '" + In.Title + "' calls by its name may have none";
}

std::string FunctionCopies::whyNone(const Finding &F) const {
  const FunctionText *Around = innermost(F, /*WithProblem=*/true);
  const auto Found = Around ? WhyNot.find(Around->Where) : WhyNot.end();
  return Found == WhyNot.end() ? "" : Found->second;
}

// The innermost function around F whose text is known; what has a problem of
// its own may be copied with what is around it, as lambdas are.
const FunctionText *FunctionCopies::innermost(const Finding &F,
                                              bool WithProblem) const {
  const TextRange &Text = F.Text.Statement;
  // The innermost function begins last.
  for (auto It = ByText.upper_bound({Text.File, Text.Offset});
       It != ByText.begin();) {
    const FunctionText &Found = *(--It)->second;
    if (Found.Definition.File != Text.File)
      return nullptr;
    if (Text.end() <= Found.Definition.end() &&
        (WithProblem || Found.Problem.empty()))
      return &Found;
  }
  return nullptr;
}

const FunctionText *FunctionCopies::holderOf(const Finding &F) const {
  const FunctionText *Around = innermost(F, /*WithProblem=*/false);
  return Around && Possible.count(Around->Where) ? Around : nullptr;
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
      if (whyNameStays(C, *Found->second).empty())
        for (const Place &Callee : C.Callees)
          if (Result.insert(Callee).second)
            ToDo.push_back(Callee);
  }
  return Result;
}

bool FunctionCopies::leadTo(const Kernel &Kernel, const Finding &F) const {
  const FunctionText *Holder = holderOf(F);
  const auto Found = BelowKernels.find(Kernel.Where);
  return Holder && Found != BelowKernels.end() &&
         Found->second.count(Holder->Where);
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
  auto IsOfCopies = [&](const NamedCall &C, const Place &Body) {
    return whyNameStays(C, *All.at(Body)).empty() &&
           llvm::any_of(C.Callees, [&](const Place &Callee) {
             return Copied.count(Callee);
           });
  };
  // What one name calls in several instances has copies together.
  for (size_t Before = 0; Copied.size() != Before;) {
    Before = Copied.size();
    std::set<Place> Bodies = Copied;
    Bodies.insert(Callers.begin(), Callers.end());
    for (const Place &Body : Bodies)
      for (const NamedCall &C : All.at(Body)->Calls)
        if (IsOfCopies(C, Body))
          Copied.insert(C.Callees.begin(), C.Callees.end());
  }
  for (const Place &Kernel : Callers)
    for (const NamedCall &C : All.at(Kernel)->Calls)
      if (IsOfCopies(C, Kernel)) {
        P.CallsOfCopies.push_back(C.Name);
        P.DeclaredCopies[Kernel].insert(C.Declarations.begin(),
                                        C.Declarations.end());
      }
  for (const Place &Where : Copied) {
    P.Copies.push_back(*All.at(Where));
    llvm::erase_if(P.Copies.back().Calls,
                   [&](const NamedCall &C) { return !IsOfCopies(C, Where); });
  }
}
