//===-- Digests.cpp - after which launches memory is compared -------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "verify/Digests.h"
#include <algorithm>
#include <set>

using namespace bankstripe::runtime;

// An H200 reads 2.6 TB of its memory in a second, and 20 to 50 GB of the
// host's.
constexpr double CostOfHostMemory = 64;
// A wait and a launch of the digest kernel: some 14 us.
constexpr double CostOfWait = 64e6;
// What is freed is small as a rule, and after a digest of all memory its turn
// would never come.
constexpr double ShareOfFrees = 0.25;
// So many launches of a kernel, from the most to the least.
constexpr uint64_t Steps[] = {
    DigestRule::All, 4096, 1024, 256, 64, 16, 8, 4, 2, 1};
// Of kernels that are not changed, while all launches of the changed ones are
// digested. More do not find more: what is wrong with them is wrong early.
constexpr uint64_t LeastOfOthers = 8;

std::vector<std::string>
bankstripe::runtime::changedKernels(const Recording &Original,
                                    const Recording &Rewritten) {
  const auto Kernels = [](const Recording &R) {
    std::map<std::string, std::set<std::tuple<unsigned, unsigned, unsigned>>>
        Found;
    for (const Launch &L : R.Launches)
      Found[L.Kernel].emplace(L.Takes.Registers, L.Takes.StaticSharedBytes,
                              L.Takes.LocalBytes);
    return Found;
  };
  const auto Before = Kernels(Original), After = Kernels(Rewritten);
  std::vector<std::string> Changed;
  for (const auto &[Name, Takes] : Before)
    if (const auto At = After.find(Name);
        At != After.end() && At->second != Takes)
      Changed.push_back(Name);
  return Changed;
}

namespace {

// A program's launches, with what a digest after each would cost.
class Costs {
public:
  explicit Costs(const Recording &Original);
  double of(const DigestRule &Rule) const;

private:
  struct OneLaunch {
    unsigned Kernel = 0; ///< Index in Symbols.
    double Digest = 0;   ///< Of all memory of its device.
    double Frees = 0;    ///< Of what is freed before the next launch.
  };
  std::vector<std::string> Symbols;
  std::vector<OneLaunch> Launches;
};

} // namespace

static double costOf(const Allocation &A) {
  const bool IsHost = A.Kind == "pinned" || A.Kind == "registered";
  return static_cast<double>(A.Bytes) * (IsHost ? CostOfHostMemory : 1);
}

Costs::Costs(const Recording &Original) {
  std::map<std::string, unsigned> Numbers;
  Launches.resize(Original.Launches.size());
  // What each launch adds to the memory of a device and takes away from it.
  std::vector<std::vector<std::pair<unsigned, double>>> Changes(
      Launches.size() + 1);
  for (const std::vector<Allocation> *All :
       {&Original.Allocations, &Original.Variables})
    for (const Allocation &A : *All) {
      Changes[A.MadeBefore].emplace_back(A.Device, costOf(A));
      if (!A.FreedBefore)
        continue;
      Changes[*A.FreedBefore].emplace_back(A.Device, -costOf(A));
      if (*A.FreedBefore > 0)
        Launches[*A.FreedBefore - 1].Frees += std::max(costOf(A), CostOfWait);
    }
  std::map<unsigned, double> Live; // By device.
  for (const Launch &L : Original.Launches) {
    for (const auto &[Device, Cost] : Changes[L.Index])
      Live[Device] += Cost;
    const auto [At, IsNew] =
        Numbers.try_emplace(L.Kernel, static_cast<unsigned>(Symbols.size()));
    if (IsNew)
      Symbols.push_back(L.Kernel);
    Launches[L.Index].Kernel = At->second;
    Launches[L.Index].Digest = std::max(Live[L.Device], CostOfWait);
  }
}

double Costs::of(const DigestRule &Rule) const {
  Selection Select(Rule);
  std::vector<Selection::Kernel *> Kernels;
  for (const std::string &Symbol : Symbols)
    Kernels.push_back(&Select.kernel(Symbol));
  double Sum = 0;
  for (unsigned Index = 0; Index < Launches.size(); ++Index) {
    const OneLaunch &L = Launches[Index];
    if (Select.launch(Index, *Kernels[L.Kernel]).empty())
      Sum += L.Digest;
    else if (Select.digestsFrees())
      Sum += L.Frees;
  }
  return Sum;
}

DigestRule bankstripe::runtime::chooseDigests(const Recording &Original,
                                              DigestRule Wanted,
                                              double Budget) {
  const Costs Of(Original);
  DigestRule Frees = DigestRule::none();
  for (const uint64_t Number : Steps) {
    Frees.FirstFrees = Number;
    if (Of.of(Frees) <= ShareOfFrees * Budget)
      break;
  }
  Wanted.FirstFrees = Frees.FirstFrees;
  const auto Fits = [&](uint64_t OfChanged, uint64_t OfOthers) {
    Wanted.FirstOfChanged = OfChanged;
    Wanted.First = OfOthers;
    return Of.of(Wanted) <= Budget;
  };
  for (const uint64_t OfOthers : Steps)
    if (OfOthers >= LeastOfOthers && Fits(DigestRule::All, OfOthers))
      return Wanted;
  for (const uint64_t Number : Steps)
    if (Number != DigestRule::All &&
        Fits(Number, std::min(Number, LeastOfOthers)))
      break;
  return Wanted;
}
