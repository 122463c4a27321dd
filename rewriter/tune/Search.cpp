//===-- Search.cpp - which version is tried next --------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tune/Search.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace bankstripe;

Search::Search(std::vector<TuneGroup> &Groups, const Plan &Movable,
               Arrangement Predicted, const Foresight &Foreseen, bool TriesAll)
    : Groups(Groups), Movable(Movable), Predicted(std::move(Predicted)),
      TriesAll(TriesAll) {
  for (TuneGroup &G : Groups)
    States[&G].Prior = priorOf(G, Foreseen);
}

// All arrays of a group together may well be worth half as much again, each of
// them by its part of their bytes.
PriorKnowledge Search::priorOf(const TuneGroup &G,
                               const Foresight &Foreseen) const {
  constexpr double OfAll = 0.5;
  PriorKnowledge Prior;
  double Bytes = 0;
  for (unsigned I : G.Arrays)
    Bytes += bytesOf(Movable, I);
  for (unsigned I : G.Arrays) {
    const double Part =
        (1.0 / G.Arrays.size() + bytesOf(Movable, I) / std::max(Bytes, 1.0)) /
        2;
    Prior.Deviations[I] = OfAll * std::sqrt(Part);
    Arrangement Alone = allAs(G, Movable, Layout::Keep);
    for (const Layout L : {Layout::Stripe, Layout::Slot}) {
      Alone[I] = allAs(G, Movable, L).at(I);
      if (const auto Speedup = Foreseen(G, Alone); Speedup && *Speedup > 0)
        Prior.Effects[{I, Alone[I]}] = std::log(*Speedup);
    }
  }
  return Prior;
}

const Expectation &Search::expected(const TuneGroup &G) {
  State &S = States.at(&G);
  if (!S.Expected)
    S.Expected.emplace(G, S.Prior);
  return *S.Expected;
}

// From where the best is expected, whatever is expected to be better still.
Arrangement Search::ascend(const TuneGroup &G, Arrangement From) {
  const Expectation &E = expected(G);
  for (unsigned I : G.Arrays) {
    Arrangement Other = From;
    for (const Layout L : {Layout::Keep, Layout::Stripe, Layout::Slot}) {
      Other[I] = allAs(G, Movable, L).at(I);
      if (E.of(Other, {}).Mean > E.of(From, {}).Mean)
        From[I] = Other[I];
    }
  }
  return From;
}

std::vector<Attempt> Search::open(const TuneGroup &G) {
  const State &S = States.at(&G);
  if (S.Begun.empty())
    return {originalOf(G, Movable)};
  std::vector<Attempt> Found = openAttempts(G, Movable, Predicted);
  if (G.Arrays.size() > 2 && G.Attempts.size() > 1)
    if (const Attempt *Fastest = G.fastest(/*AlsoCarved=*/false))
      Found.push_back(named(G, Movable, ascend(G, Fastest->Got)));
  std::vector<Attempt> Result;
  for (Attempt &A : Found)
    if (!isTried(S.Begun, A) && !isTried(G.Attempts, A) && !isTried(Result, A))
      Result.push_back(std::move(A));
  return Result;
}

// What computes something else is likely to do so with other arrays beside.
static double chanceToBeRight(const TuneGroup &G, const Attempt &A) {
  unsigned Wrong = 0;
  for (const auto &Each : A.Wanted) {
    auto Has = [&](const Attempt &Old) {
      auto It = Old.Got.find(Each.first);
      return Each.second != Layout::Keep && It != Old.Got.end() &&
             It->second == Each.second;
    };
    if (llvm::none_of(G.Attempts, [&](const Attempt &Old) {
          return Old.Speedup && Has(Old);
        }))
      Wrong = std::max<unsigned>(Wrong, llvm::count_if(G.Attempts, Has));
  }
  return 1.0 / (1 + Wrong);
}

// What is out of reach by three standard deviations is ruled out.
double Search::gainOf(const TuneGroup &G, const Attempt &A) {
  constexpr size_t FewArrays = 6;
  constexpr double Reach = 3, WorthTrying = 0.005;
  const Attempt *Fastest = G.fastest();
  const double Best = std::log(Fastest ? std::max(*Fastest->Speedup, 1.0) : 1);
  const Estimate E = expected(G).of(A.Wanted, A.Carved);
  const bool IsKept = TriesAll && G.Arrays.size() <= FewArrays;
  if (!IsKept && E.Mean + Reach * E.Deviation < Best + WorthTrying)
    return 0;
  return std::max(E.gainOver(Best) * chanceToBeRight(G, A), 1e-9);
}

double Search::worthOf(const TuneGroup &G, const Attempt &A) {
  return gainOf(G, A) * G.Share / States.at(&G).Seconds;
}

std::optional<Search::Choice>
Search::next(llvm::function_ref<bool(const TuneGroup &)> MayBegin,
             double Least) {
  std::optional<Choice> Best;
  double Most = Least;
  for (TuneGroup &G : Groups) {
    if (!MayBegin(G))
      continue;
    for (Attempt &A : open(G)) {
      const bool IsOriginal = States.at(&G).Begun.empty();
      const double Worth = IsOriginal ? HUGE_VAL : worthOf(G, A);
      if (Worth > Most) {
        Most = Worth;
        Best = {&G, std::move(A)};
      }
    }
  }
  if (Best)
    States.at(Best->Group).Begun.push_back(Best->What);
  return Best;
}

void Search::finish(TuneGroup &G, Attempt A, const Plan &Tried,
                    double Seconds) {
  State &S = States.at(&G);
  S.Seconds = (S.Seconds * S.Done + std::max(Seconds, 0.01)) / (S.Done + 1);
  ++S.Done;
  G.record(std::move(A), Tried);
  S.Expected.reset();
}

void Search::restart(TuneGroup &G) {
  State &S = States.at(&G);
  G.Attempts.clear();
  S.Begun.clear();
  S.Expected.reset();
  S.Done = 0;
}

void Search::nameUntried() {
  for (TuneGroup &G : Groups) {
    G.Untried.clear();
    if (G.Attempts.empty())
      continue;
    for (const Attempt &A : States.at(&G).Begun)
      if (!isTried(G.Attempts, A) && worthOf(G, A) > 0)
        G.Untried.push_back(A.Name);
    std::vector<std::pair<double, std::string>> Open;
    for (const Attempt &A : open(G))
      if (const double Worth = worthOf(G, A); Worth > 0)
        Open.emplace_back(-Worth, A.Name);
    llvm::sort(Open);
    llvm::append_range(G.Untried, llvm::make_second_range(Open));
  }
}
