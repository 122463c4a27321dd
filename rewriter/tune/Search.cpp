//===-- Search.cpp - which variant is tried next --------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rasmussen and Williams, Gaussian Processes for Machine Learning, algorithm
// 2.1; the gain is Jones' expected improvement.
//
//===----------------------------------------------------------------------===//

#include "tune/Search.h"
#include "llvm/ADT/STLExtras.h"
#include <Eigen/Cholesky>
#include <cmath>

using namespace bankstripe;

// Standard deviations of the logarithm of a speedup: what all arrays together
// may be from what is predicted, what only such a combination of them does,
// what only such a carveout does, and what a replay is off by.
static constexpr double OfAll = 0.5, OfCombination = 0.15, OfCarveout = 0.3,
                        OfReplay = 0.01;

// How much of a prediction is believed.
static constexpr double Trust = 0.5;

namespace {

/// The logarithm of a speedup.
struct Estimate {
  double Mean, Deviation;

  /// By how much more than \p Best it is expected to be, where it is more.
  double gainOver(double Best) const {
    if (Deviation <= 0)
      return std::max(0.0, Mean - Best);
    const double Z = (Mean - Best) / Deviation;
    const double Density = std::exp(-Z * Z / 2) / std::sqrt(2 * M_PI);
    return (Mean - Best) * std::erfc(-Z / M_SQRT2) / 2 + Deviation * Density;
  }
};

} // namespace

/// What a group may do in variants that were not measured.
class bankstripe::Expectation {
public:
  /// Both outlive this.
  Expectation(const TuneGroup &G, const PredictedEffects &Effects);

  Estimate of(const Arrangement &Arrays,
              const std::optional<Carveout> &Carved) const;

private:
  struct Point {
    const Arrangement &Arrays;
    const std::optional<Carveout> &Carved;
  };
  double covariance(const Point &A, const Point &B) const;
  double priorMean(const Arrangement &Arrays) const;

  const PredictedEffects &Effects;
  std::vector<Point> Measured;
  Eigen::LLT<Eigen::MatrixXd> Covariances; ///< Of what was measured.
  Eigen::VectorXd Weights;                 ///< Likewise.
};

double Expectation::covariance(const Point &A, const Point &B) const {
  double Alike = 0;
  unsigned Different = 0;
  for (auto [Own, Other] : llvm::zip(A.Arrays, B.Arrays)) {
    const bool IsSame = Own.second == Other.second;
    Different += !IsSame;
    // Out of local memory it is in either.
    if (Own.second != Layout::Keep && Other.second != Layout::Keep)
      Alike += IsSame ? 1 : 0.7;
  }
  const double Count = A.Arrays.size();
  return OfAll * OfAll * Alike / Count +
         std::exp(-2.0 * Different / Count) *
             (OfCombination * OfCombination +
              (A.Carved == B.Carved ? OfCarveout * OfCarveout : 0));
}

double Expectation::priorMean(const Arrangement &Arrays) const {
  double Sum = 0;
  for (const auto &Each : Arrays)
    if (auto It = Effects.find(Each); It != Effects.end())
      Sum += It->second;
  return Trust * Sum;
}

Expectation::Expectation(const TuneGroup &G, const PredictedEffects &Effects)
    : Effects(Effects),
      Weights(llvm::count_if(
          G.Attempts, [](const Attempt &A) { return A.Speedup.has_value(); })) {
  Eigen::MatrixXd Known(Weights.size(), Weights.size());
  for (const Attempt &A : G.Attempts) {
    if (!A.Speedup)
      continue;
    const size_t I = Measured.size();
    Weights[I] = std::log(*A.Speedup) - priorMean(A.Got);
    Measured.push_back({A.Got, A.Carved});
    for (size_t K = 0; K <= I; ++K)
      Known(I, K) = covariance(Measured[I], Measured[K]);
  }
  Known.diagonal().array() += OfReplay * OfReplay;
  Covariances.compute(Known);
  Covariances.solveInPlace(Weights);
}

Estimate Expectation::of(const Arrangement &Arrays,
                         const std::optional<Carveout> &Carved) const {
  const Point New{Arrays, Carved};
  Eigen::VectorXd Likeness(Weights.size());
  for (auto [Value, Old] : llvm::zip(Likeness, Measured))
    Value = covariance(New, Old);
  const double Square =
      covariance(New, New) - Likeness.dot(Covariances.solve(Likeness));
  return {priorMean(Arrays) + Likeness.dot(Weights),
          std::sqrt(std::max(Square, 0.0))};
}

Search::Search(std::vector<TuneGroup> &Groups, const Plan &Movable,
               Arrangement Predicted, const Foresight &Foreseen, bool TriesAll)
    : Groups(Groups), Movable(Movable), Predicted(std::move(Predicted)),
      TriesAll(TriesAll) {
  for (TuneGroup &G : Groups)
    States[&G].Effects = effectsOf(G, Foreseen);
}

PredictedEffects Search::effectsOf(const TuneGroup &G,
                                   const Foresight &Foreseen) const {
  PredictedEffects Effects;
  for (unsigned I : G.Arrays) {
    Arrangement Alone = allAs(G, Movable, Layout::Keep);
    for (const Layout L : {Layout::Stripe, Layout::Slot}) {
      Alone[I] = allAs(G, Movable, L).at(I);
      if (const auto Speedup = Foreseen(G, Alone); Speedup && *Speedup > 0)
        Effects[{I, Alone[I]}] = std::log(*Speedup);
    }
  }
  return Effects;
}

const Expectation &Search::expected(const TuneGroup &G) {
  State &S = States.at(&G);
  if (!S.Expected)
    S.Expected = std::make_shared<Expectation>(G, S.Effects);
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
  // Whatever the time is enough for, the best is no worse than the default.
  const Attempt Usual = defaultOf(G, Movable, Predicted);
  if (S.Begun.empty()) {
    Attempt Original = originalOf(G, Movable);
    Original.IsDefault = isTried({Original}, Usual);
    return {std::move(Original)};
  }
  if (!isTried(S.Begun, Usual))
    return {Usual};
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
      const bool IsFirst = A.IsDefault || States.at(&G).Begun.empty();
      const double Worth = IsFirst ? HUGE_VAL : worthOf(G, A);
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
