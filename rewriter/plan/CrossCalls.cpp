//===-- CrossCalls.cpp - what calls tell across units ---------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device functions. With relocatable device code a kernel of one translation
// unit calls functions of others. Their arrays are then reached by kernels that
// their own unit does not know, and may be reached by themselves by a detour.
// Functions are joined by their mangled names; where a tree holds several
// programs with functions of the same name, they count as one, which asks for
// more room than needed and never for less.
//
// Host functions. `void run(int threads) { kernel<<<grid, threads>>>(); }`: the
// block is what the callers of run say, some of which pass on a parameter of
// their own. Known when every argument is. find/ asks for functions of internal
// linkage only; those of one name in several units (a header's) count together.
//
//===----------------------------------------------------------------------===//

#include "plan/CrossCalls.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Demangle/Demangle.h"
#include <set>

using namespace bankstripe;

namespace {

/// The functions of all units that are linked with others.
class CallGraph {
public:
  explicit CallGraph(const std::vector<UnitResult> &Units);

  bool empty() const { return Functions.empty(); }
  bool knows(const std::string &Id) const { return Functions.count(Id) != 0; }
  /// Whatever the calls of \p Id lead to; itself only when it calls itself.
  std::set<std::string> below(const std::string &Id) const;
  /// Declared somewhere, defined nowhere.
  bool isMissing(const std::string &Id) const;
  uint64_t sharedBytes(const std::string &Id) const;
  /// Whether \p Id waits in a loop for other blocks.
  bool waits(const std::string &Id) const { return Waiting.count(Id) != 0; }
  AskedSize askedSize(const std::string &Id) const;
  /// Whether some of \p Callees are defined in no unit that defines \p Id.
  bool leavesUnit(const std::string &Id,
                  const std::set<std::string> &Callees) const;

private:
  std::map<std::string, DeviceFunction> Functions;
  std::map<std::string, std::set<size_t>> DefiningUnits;
  std::set<std::string> Waiting;
};

} // namespace

CallGraph::CallGraph(const std::vector<UnitResult> &Units) {
  for (const UnitResult &Unit : Units)
    Waiting.insert(Unit.Evidence.Waiting.begin(), Unit.Evidence.Waiting.end());
  for (size_t I = 0; I < Units.size(); ++I)
    for (const DeviceFunction &F : Units[I].Facts.Functions) {
      if (F.Defined)
        DefiningUnits[F.Id].insert(I);
      DeviceFunction &Into = Functions[F.Id];
      Into.Defined |= F.Defined;
      Into.StaticSharedBytes =
          std::max(Into.StaticSharedBytes, F.StaticSharedBytes);
      Into.Asks = std::max(Into.Asks, F.Asks);
      llvm::append_range(Into.Calls, F.Calls);
    }
}

std::set<std::string> CallGraph::below(const std::string &Id) const {
  std::set<std::string> Seen;
  std::vector<std::string> Open{Id};
  while (!Open.empty()) {
    auto It = Functions.find(Open.back());
    Open.pop_back();
    if (It == Functions.end())
      continue;
    for (const std::string &Callee : It->second.Calls)
      if (Seen.insert(Callee).second)
        Open.push_back(Callee);
  }
  return Seen;
}

bool CallGraph::isMissing(const std::string &Id) const {
  auto It = Functions.find(Id);
  return It != Functions.end() && !It->second.Defined;
}

uint64_t CallGraph::sharedBytes(const std::string &Id) const {
  auto It = Functions.find(Id);
  return It == Functions.end() ? 0 : It->second.StaticSharedBytes;
}

AskedSize CallGraph::askedSize(const std::string &Id) const {
  auto It = Functions.find(Id);
  return It == Functions.end() ? AskedSize::None : It->second.Asks;
}

bool CallGraph::leavesUnit(const std::string &Id,
                           const std::set<std::string> &Callees) const {
  auto Own = DefiningUnits.find(Id);
  return llvm::any_of(Callees, [&](const std::string &Callee) {
    auto Units = DefiningUnits.find(Callee);
    return Own != DefiningUnits.end() &&
           (Units == DefiningUnits.end() ||
            llvm::none_of(Own->second, [&](size_t Unit) {
              return Units->second.count(Unit);
            }));
  });
}

static void checkReentry(ReachedArray &A, const CallGraph &Graph) {
  auto Refuse = [&](Reason Why, std::string Detail) {
    A.Array.Obstacles.push_back({Why, A.Array.Where, std::move(Detail)});
  };
  for (const ArrayInstance &I : A.Array.Instances) {
    std::set<std::string> Below = Graph.below(I.FunctionId);
    if (Below.count(I.FunctionId))
      return Refuse(Reason::RecursiveFunction,
                    "it calls itself through another translation unit");
    for (const std::string &Id : Below)
      if (Graph.isMissing(Id))
        return Refuse(Reason::UnseenCallee, llvm::demangle(Id));
  }
}

void bankstripe::followCalls(MergedRun &Run,
                             const std::vector<UnitResult> &Units) {
  CallGraph Graph(Units);
  if (Graph.empty())
    return;
  for (unsigned Row = 0; Row < Run.Kernels.size(); ++Row) {
    Kernel &K = Run.Kernels[Row].Facts;
    if (!Graph.knows(K.Id))
      continue;
    const std::set<std::string> Below = Graph.below(K.Id);
    Run.Kernels[Row].CallsOtherUnits = Graph.leavesUnit(K.Id, Below);
    uint64_t Shared = Graph.sharedBytes(K.Id);
    for (const std::string &Id : Below) {
      Shared += Graph.sharedBytes(Id);
      K.Asks = std::max(K.Asks, Graph.askedSize(Id));
    }
    K.StaticSharedBytes = std::max(K.StaticSharedBytes, Shared);
    Run.Kernels[Row].WaitsForBlocks |=
        llvm::any_of(Below, [&](const auto &Id) { return Graph.waits(Id); });
    for (ReachedArray &A : Run.Arrays)
      for (size_t I = 0; I < A.Array.Instances.size(); ++I)
        if (Below.count(A.Array.Instances[I].FunctionId)) {
          insertSorted(A.Kernels, Row);
          insertSorted(A.InstanceKernels[I], Row);
        }
  }
  for (ReachedArray &A : Run.Arrays)
    if (!A.Array.InKernel)
      checkReentry(A, Graph);
}

namespace {

class ParameterValues {
public:
  explicit ParameterValues(const std::vector<UnitResult> &Units) {
    for (const UnitResult &Unit : Units)
      for (const HostArgument &A : Unit.Facts.Arguments)
        Arguments[A.For].push_back(&A);
  }

  /// Every value of \p P; nothing when one cannot be known.
  std::optional<std::set<int64_t>> of(const HostParameter &P);

private:
  std::map<HostParameter, std::vector<const HostArgument *>> Arguments;
  std::set<HostParameter> Active;
};

} // namespace

std::optional<std::set<int64_t>> ParameterValues::of(const HostParameter &P) {
  auto It = Arguments.find(P);
  if (It == Arguments.end() || !Active.insert(P).second)
    return std::nullopt;
  std::optional<std::set<int64_t>> All = std::set<int64_t>();
  for (const HostArgument *A : It->second) {
    auto Values = A->Values;
    if (!Values && A->Same)
      Values = of(*A->Same);
    if (!Values) {
      All.reset();
      break;
    }
    All->insert(Values->begin(), Values->end());
  }
  Active.erase(P);
  return All;
}

void bankstripe::resolveParameters(std::vector<UnitResult> &Units) {
  ParameterValues Known(Units);
  for (UnitResult &Unit : Units)
    for (Launch &L : Unit.Facts.Launches) {
      if (L.Threads || !L.Parameter)
        continue;
      auto Values = Known.of(*L.Parameter);
      if (!Values || Values->empty() || *Values->begin() <= 0 ||
          *Values->rbegin() > 1024)
        continue;
      L.Threads = *Values->rbegin();
      L.Source += ", from its callers";
    }
}
