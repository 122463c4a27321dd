//===-- Parameters.cpp - block sizes that callers give --------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `void run(int threads) { kernel<<<grid, threads>>>(); }`: the block is what
// the callers of run say, some of which pass on a parameter of their own. Known
// when every argument is. find/ asks for functions of internal linkage only;
// those of one name in several units (a header's) count together.
//
//===----------------------------------------------------------------------===//

#include "plan/PlanInternal.h"
#include "llvm/ADT/STLExtras.h"

using namespace bankstripe;

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
