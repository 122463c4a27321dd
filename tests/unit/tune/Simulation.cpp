//===-- Simulation.cpp - programs whose times are known -------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Simulation.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace bankstripe;
using namespace bankstripe::testing;

// Time of every original, in nanoseconds.
static constexpr double OriginalTime = 1000;

std::string Version::of(const std::string &Array) const {
  return nameOf(find(P, Array).Verdict.Kind).str();
}

Simulation::Simulation(const TestUnit &U, PlanOptions Options)
    : Speedup([](const Version &) { return 1.0; }),
      IsLaunched([](const std::string &) { return true; }), U(U),
      Options(std::move(Options)), Movable(U.plan(this->Options)),
      Search(Movable, Movable) {}

Measurement Simulation::measure(const Plan &P) const {
  Measurement M;
  M.Device = "Test GPU";
  for (const KernelPlan &K : P.Kernels) {
    if (!IsLaunched(K.Facts.Name))
      continue;
    const double Factor = Speedup({P, K.Facts.Name});
    if (Factor < 0)
      M.Problem = "wrong";
    M.Kernels[comparableName(K.Facts.Id)] = {
        OriginalTime, OriginalTime / Factor, BlockThreads};
  }
  return M;
}

std::vector<std::string> Simulation::tune() {
  std::vector<std::string> Names;
  while (auto T = Search.next()) {
    Names.push_back(T->Name);
    PlanOptions Wanted = Options;
    for (auto [I, L] : T->Arrays)
      if (L == Layout::Keep ||
          Movable.Arrays[I].Verdict.Kind != VerdictKind::Constant)
        Wanted.Decisions.push_back(decisionAbout(Movable, I, L));
    for (const auto &[Row, Wish] : T->Carved)
      Wanted.KernelDecisions.push_back(
          decisionAbout(Movable.Kernels[Row].Facts, Wish));
    for (const auto &[Row, Threads] : T->Blocks)
      Wanted.KernelDecisions
          .emplace_back(decisionAbout(Movable.Kernels[Row].Facts))
          .BlockSize = Threads;
    Plan P = U.plan(Wanted);
    Search.record(P, measure(P));
    ++Trials;
    if (Names.size() > 100) {
      ADD_FAILURE() << "the search does not end";
      break;
    }
  }
  return Names;
}

const TuneGroup &Simulation::groupOf(const std::string &Name) const {
  for (const TuneGroup &G : Search.groups())
    for (unsigned Row : G.Kernels)
      if (Movable.Kernels[Row].Facts.Name == Name)
        return G;
  ADD_FAILURE() << "no group has kernel " << Name;
  static const TuneGroup None;
  return None;
}

std::vector<std::string> Simulation::attemptsOf(const std::string &Name) const {
  std::vector<std::string> Names;
  for (const Attempt &A : groupOf(Name).Attempts)
    Names.push_back(A.Name);
  return Names;
}

std::string Simulation::bestOf(const std::string &Name) const {
  const Attempt *Best = groupOf(Name).best();
  return Best ? Best->Name : "";
}

TuneOutcome Simulation::outcome() const {
  return {Movable, Search.groups(), "Test GPU", Trials, 1};
}
