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

std::string Version::of(const std::string &Array) const {
  return nameOf(find(P, Array).Verdict.Kind).str();
}

Simulation::Simulation(const TestUnit &U, PlanOptions Options)
    : Speedup([](const Version &) { return 1.0; }),
      IsLaunched([](const std::string &) { return true; }),
      ShareOf([](const std::string &) { return 1.0; }),
      Foreseen([](const TuneGroup &, const Arrangement &) {
        return std::optional<double>();
      }),
      U(U), Options(std::move(Options)), Movable(U.plan(this->Options)) {}

void Simulation::measure(const TuneGroup &G, const Plan &P, Attempt &A) const {
  double Original = 0, Changed = 0;
  for (unsigned Row : G.Kernels) {
    const double Factor = Speedup({P, P.Kernels[Row].Facts.Name});
    if (Factor < 0)
      A.Problem = "wrong";
    Original += 1;
    Changed += 1 / Factor;
  }
  if (A.Problem.empty())
    A.Speedup = Original / Changed;
}

std::vector<std::string> Simulation::tune(double Seconds) {
  Groups = tuneGroups(Movable, [this](const KernelPlan &K) {
    return IsLaunched(K.Facts.Name);
  });
  for (TuneGroup &G : Groups)
    G.Share = ShareOf(Movable.Kernels[G.Kernels.front()].Facts.Name);
  Search Order(Groups, Movable, layoutsOf(Movable), Foreseen, Seconds == 0);
  std::vector<std::string> Names;
  double Clock = 0;
  while (Seconds == 0 || Clock < Seconds) {
    auto Next = Order.next([](const TuneGroup &) { return true; });
    if (!Next || Names.size() > 1000)
      break;
    Clock += SecondsOfAVersion;
    Names.push_back(Next->What.Name);
    Trial T;
    T.add(*Next->Group, Next->What);
    const Plan P = U.plan(planningFor(T, Movable, Options));
    measure(*Next->Group, P, Next->What);
    Order.finish(*Next->Group, std::move(Next->What), P, SecondsOfAVersion);
  }
  Order.nameUntried();
  EXPECT_LE(Names.size(), 1000u) << "the search does not end";
  return Names;
}

const TuneGroup &Simulation::groupOf(const std::string &Name) const {
  for (const TuneGroup &G : Groups)
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

TuneResult Simulation::result() const { return {Movable, Groups, "Test GPU"}; }
