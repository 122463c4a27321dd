//===-- LinkedCalls.cpp - calls between units that are linked -------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plan/LinkedCalls.h"
#include "llvm/Demangle/Demangle.h"

using namespace bankstripe;

void LinkedCalls::add(const UnitResult &Unit) {
  const std::set<std::string> &Own = Unit.Evidence.Waiting;
  Waiting.insert(Own.begin(), Own.end());
  for (const DeviceFunction &F : Unit.Evidence.Functions) {
    Linked &Into = Functions[F.Id];
    if (F.Defined)
      Into.DefiningUnits.insert(Count);
    Into.Facts.NamesLocalMemory |= F.NamesLocalMemory;
    Into.Facts.Shared.merge(F.Shared);
    llvm::append_range(Into.Facts.Calls, F.Calls);
  }
  ++Count;
}

std::set<std::string>
LinkedCalls::belowAll(std::vector<std::string> Open) const {
  std::set<std::string> Seen;
  while (!Open.empty()) {
    auto It = Functions.find(Open.back());
    Open.pop_back();
    if (It == Functions.end())
      continue;
    for (const std::string &Callee : It->second.Facts.Calls)
      if (Seen.insert(Callee).second)
        Open.push_back(Callee);
  }
  return Seen;
}

// Who calls none of Left goes, until each calls another one that is left. Then
// a way along first callees has come into a circle after as many steps as there
// are functions.
std::string
LinkedCalls::reenteredAmong(const std::set<std::string> &Ids) const {
  std::set<std::string> Left = Ids;
  auto CalleeOf = [&](const std::string &Id) -> const std::string * {
    const auto It = Functions.find(Id);
    if (It == Functions.end())
      return nullptr;
    const auto &Calls = It->second.Facts.Calls;
    const auto Found = llvm::find_if(
        Calls, [&](const std::string &Callee) { return Left.count(Callee); });
    return Found == Calls.end() ? nullptr : &*Found;
  };
  while (
      std::erase_if(Left, [&](const std::string &Id) { return !CalleeOf(Id); }))
    ;
  if (Left.empty())
    return "";
  std::string Id = *Left.begin();
  for (size_t Steps = Left.size(); Steps; --Steps)
    Id = *CalleeOf(Id);
  return Id == CalledByPointer ? "one that a pointer leads to"
                               : "'" + llvm::demangle(Id) + "'";
}

std::string LinkedCalls::missingAmong(const std::set<std::string> &Ids) const {
  const auto Found = llvm::find_if(Ids, [&](const std::string &Id) {
    auto It = Functions.find(Id);
    return It != Functions.end() && It->second.DefiningUnits.empty();
  });
  return Found == Ids.end() ? "" : *Found;
}

bool LinkedCalls::anyNamesLocalMemory(const std::set<std::string> &Ids) const {
  return llvm::any_of(Ids, [&](const std::string &Id) {
    auto It = Functions.find(Id);
    return It != Functions.end() && It->second.Facts.NamesLocalMemory;
  });
}

SharedMemory
LinkedCalls::sharedMemoryOf(const std::string &Id,
                            const std::set<std::string> &Below) const {
  SharedMemory Result;
  auto Add = [&](const std::string &Each) {
    auto It = Functions.find(Each);
    if (It == Functions.end())
      return;
    const SharedMemory &Own = It->second.Facts.Shared;
    Result.StaticBytes += Own.StaticBytes;
    Result.UsesDynamic |= Own.UsesDynamic;
    Result.Asks = std::max(Result.Asks, Own.Asks);
  };
  Add(Id);
  llvm::for_each(Below, Add);
  return Result;
}

bool LinkedCalls::waits(const std::string &Id,
                        const std::set<std::string> &Below) const {
  auto MayWait = [&](const std::string &Each) { return Waiting.count(Each); };
  return MayWait(Id) || llvm::any_of(Below, MayWait);
}

bool LinkedCalls::leavesUnit(const std::string &Id,
                             const std::set<std::string> &Callees) const {
  auto UnitsOf = [&](const std::string &Function) {
    auto It = Functions.find(Function);
    return It == Functions.end() ? std::set<size_t>()
                                 : It->second.DefiningUnits;
  };
  const std::set<size_t> Own = UnitsOf(Id);
  return !Own.empty() && llvm::any_of(Callees, [&](const std::string &Callee) {
    const std::set<size_t> Units = UnitsOf(Callee);
    // Where two programs define Id, only one of them may define the callee.
    return llvm::any_of(Own,
                        [&](size_t Unit) { return Units.count(Unit) == 0; });
  });
}

void LinkedCalls::addFrames(ResourceTable &Table) const {
  for (auto &[Id, R] : Table) {
    if (!knows(Id))
      continue;
    R.Callees.clear();
    for (const std::string &Callee : below(Id))
      if (auto Row = Table.find(Callee);
          Callee != Id && Row != Table.end() && Row->second.StackFrame)
        R.Callees[Callee] = {Row->second.StackFrame, Row->second.SpillStores};
  }
}
