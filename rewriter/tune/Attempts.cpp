//===-- Attempts.cpp - which layouts to measure ---------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// docs/guide/tune.md lists the variants in the order in which they are tried.
//
//===----------------------------------------------------------------------===//

#include "tune/Attempts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace bankstripe;

/// Carveouts that are tried: what the grid needs, and two sizes between. More
/// shared memory than the driver gives never helps.
static constexpr Carveout CarveoutsToTry[] = {{Carveout::Rule::Auto, 0},
                                              {Carveout::Rule::Driver, 0},
                                              {Carveout::Rule::Fixed, 30},
                                              {Carveout::Rule::Fixed, 60}};

// A table that becomes constant moves as well, whatever is asked for.
static LayoutChoice layoutOf(const Verdict &V) {
  switch (V.Kind) {
  case VerdictKind::Stripe:
  case VerdictKind::Constant:
    return Layout::Stripe;
  case VerdictKind::Slot:
    return Layout::Slot;
  case VerdictKind::Split:
    return {Layout::Split, V.First};
  case VerdictKind::Bits:
    return Layout::Bits;
  default:
    return Layout::Keep;
  }
}

static size_t movedBy(const Attempt &A) {
  return llvm::count_if(
      A.Got, [](const auto &Each) { return Each.second != Layout::Keep; });
}

const Attempt *TuneGroup::fastest(bool AlsoCarved) const {
  const Attempt *Result = nullptr;
  for (const Attempt &A : Attempts)
    if (A.Speedup && movedBy(A) && (AlsoCarved || !A.Carved) &&
        (!Result || *A.Speedup > *Result->Speedup))
      Result = &A;
  return Result;
}

static auto effortOf(const Attempt &A) {
  return std::pair(movedBy(A), A.Carved.has_value());
}

// Of equally fast ones the one that changes least.
const Attempt *TuneGroup::best() const {
  const Attempt *Best = WhyNone.empty() ? fastest() : nullptr;
  if (!Best || *Best->Speedup < Base * std::max(WorthHaving, 1 + Noise))
    return nullptr;
  constexpr double Equal = 0.995;
  const double Least = Equal * *Best->Speedup;
  for (const Attempt &A : Attempts)
    if (A.Speedup && *A.Speedup >= Least && movedBy(A) &&
        effortOf(A) < effortOf(*Best))
      Best = &A;
  return Best;
}

// What people decided stays.
static bool mayMove(const PlannedArray &A) {
  const Verdict &V = A.Verdict;
  return ((V.usesHelper() || V.Kind == VerdictKind::Constant) && !V.Asked) ||
         V.Why == Reason::OverBudget;
}

// Whether people decided about it.
static bool isDecided(const PlannedArray &A) {
  const Verdict &V = A.Verdict;
  return V.Asked || V.Why == Reason::DecidedKeep;
}

bool bankstripe::becomesConstant(const Plan &P, unsigned I) {
  return P.Arrays[I].Verdict.Kind == VerdictKind::Constant;
}

std::vector<TuneGroup> bankstripe::tuneGroups(
    const Plan &Movable,
    llvm::function_ref<bool(const KernelPlan &)> IsLaunched) {
  std::vector<std::vector<unsigned>> Launched(Movable.Arrays.size());
  for (auto [Rows, A] : llvm::zip(Launched, Movable.Arrays))
    for (unsigned Row : A.Kernels)
      if (mayMove(A) && IsLaunched(Movable.Kernels[Row]))
        Rows.push_back(Row);
  std::vector<TuneGroup> Groups;
  for (KernelGroup &Each : groupKernels(
           Launched.size(), [&](unsigned I) -> llvm::ArrayRef<unsigned> {
             return Launched[I];
           })) {
    TuneGroup &G = Groups.emplace_back();
    G.Kernels = std::move(Each.Kernels);
    G.Arrays = std::move(Each.Arrays);
    for (unsigned Row : G.Kernels) {
      const KernelPlan &K = Movable.Kernels[Row];
      G.MayCarve &= K.HasVersion || K.WhyNoRow.empty();
    }
  }
  return Groups;
}

Arrangement bankstripe::layoutsOf(const Plan &P) {
  Arrangement Result;
  for (unsigned I = 0; I < P.Arrays.size(); ++I)
    Result[I] = layoutOf(P.Arrays[I].Verdict);
  return Result;
}

void TuneGroup::record(Attempt A, const Plan &Tried) {
  for (unsigned I : Arrays)
    A.Got[I] = layoutOf(Tried.Arrays[I].Verdict);
  A.GotCarved = Tried.Kernels[Kernels.front()].Carved;
  if (Attempts.empty()) {
    // By what people decided; all else stays in the first one.
    const bool Changed = llvm::any_of(
        Kernels, [&](unsigned Row) { return Tried.Kernels[Row].MovesArrays; });
    (Changed ? Base : Noise) =
        Changed ? A.Speedup.value_or(1) : std::abs(A.Speedup.value_or(1) - 1);
  }
  Attempts.push_back(std::move(A));
}

// A table becomes constant, whatever layout is asked for; what cannot be bits
// or split becomes a stripe.
Arrangement bankstripe::allAs(const TuneGroup &G, const Plan &Movable,
                              LayoutChoice L) {
  Arrangement Result;
  for (unsigned I : G.Arrays) {
    const PlannedArray &A = Movable.Arrays[I];
    const VerdictKind Kind = A.Verdict.Kind;
    const bool Cannot =
        (L.Kind == Layout::Slot && Kind == VerdictKind::Constant) ||
        (L.Kind == Layout::Bits && Kind != VerdictKind::Bits) ||
        (L.Kind == Layout::Split &&
         (Kind == VerdictKind::Constant || !canBeSplit(A, 2 * L.First - 1)));
    Result[I] = Cannot ? Layout::Stripe : L;
  }
  return Result;
}

static std::string quoted(const Plan &P, unsigned I) {
  return "'" + P.Arrays[I].Array.Name + "'";
}

LayoutChoice bankstripe::mainLayout(const Arrangement &Of) {
  LayoutChoice Most = Layout::Keep;
  int Count = 0;
  for (const Layout L :
       {Layout::Slot, Layout::Split, Layout::Bits, Layout::Stripe}) {
    auto Has = [&](const auto &Each) { return Each.second.Kind == L; };
    if (const int N = llvm::count_if(Of, Has); N > Count) {
      Count = N;
      Most = llvm::find_if(Of, Has)->second;
    }
  }
  return Most;
}

// Also by those that are left or differ.
Attempt bankstripe::named(const TuneGroup &G, const Plan &Movable,
                          Arrangement Wanted) {
  const LayoutChoice Most = mainLayout(Wanted);
  std::string Name = nameOf(Most.Kind).str();
  if (Most != Layout::Bits)
    Name += 's';
  std::string Left, Others;
  for (auto [I, Usual] : allAs(G, Movable, Most))
    if (Wanted.at(I) == Layout::Keep)
      Left += (Left.empty() ? " without " : ", ") + quoted(Movable, I);
    else if (Wanted.at(I) != Usual)
      Others +=
          ", " + quoted(Movable, I) + " as " + nameOf(Wanted.at(I).Kind).str();
  return {Name + Left + Others, std::move(Wanted)};
}

// \p From without some of its arrays, and these alone: the larger half, the
// smaller one, and so on down to each array. A half that only loses, or gains
// nothing, needs no further look.
static void addParts(std::vector<Attempt> &To, const TuneGroup &G,
                     const Plan &Movable, const Arrangement &From) {
  std::vector<unsigned> Moved;
  for (auto [I, L] : From)
    if (L != Layout::Keep)
      Moved.push_back(I);
  llvm::stable_sort(Moved, [&](unsigned A, unsigned B) {
    return Movable.Arrays[A].Array.Shape.BytesPerThread >
           Movable.Arrays[B].Array.Shape.BytesPerThread;
  });
  for (size_t Count = llvm::PowerOf2Ceil(Moved.size()) / 2; Count; Count /= 2)
    for (size_t First = 0; First < Moved.size(); First += Count) {
      const auto Part = llvm::ArrayRef(Moved).slice(
          First, std::min(Count, Moved.size() - First));
      for (const bool IsAlone : {false, true}) {
        Arrangement Wanted = From;
        for (unsigned I : Moved)
          if (llvm::is_contained(Part, I) != IsAlone)
            Wanted[I] = Layout::Keep;
        To.push_back(named(G, Movable, std::move(Wanted)));
      }
    }
}

// \p From with one of its arrays in another place.
static void addNeighbours(std::vector<Attempt> &To, const TuneGroup &G,
                          const Plan &Movable, const Arrangement &From) {
  for (const Layout L : {Layout::Keep, Layout::Stripe, Layout::Slot})
    for (auto [I, Choice] : allAs(G, Movable, L)) {
      Arrangement Wanted = From;
      Wanted[I] = Choice;
      To.push_back(named(G, Movable, std::move(Wanted)));
    }
}

// The fastest, and others that take about as long: with less shared memory they
// may gain by a carveout with which the fastest loses.
static std::vector<const Attempt *> worthCarving(const TuneGroup &G,
                                                 const Attempt &Fastest) {
  std::vector<const Attempt *> Result;
  for (const Attempt &A : G.Attempts)
    if (A.Speedup && !A.Carved && *A.Speedup >= 0.95 * *Fastest.Speedup &&
        movedBy(A))
      Result.push_back(&A);
  llvm::stable_sort(Result, [](const Attempt *A, const Attempt *B) {
    return *A->Speedup > *B->Speedup;
  });
  // Whole runs of a program take long.
  Result.resize(std::min<size_t>(Result.size(), G.WhyWhole.empty() ? 3 : 1));
  return Result;
}

// Whether all arrays of \p A have the same layout in shared memory.
static bool isOneLayout(const Attempt &A) {
  return llvm::all_of(A.Got, [&](const auto &Each) {
    return Each.second == A.Got.begin()->second &&
           (Each.second == Layout::Stripe || Each.second == Layout::Slot);
  });
}

static void addCarveouts(std::vector<Attempt> &To, const TuneGroup &G,
                         const Attempt &Fastest) {
  if (!G.MayCarve)
    return;
  auto Add = [&](const Attempt &A, const Carveout &C) {
    if (!(C == A.GotCarved))
      To.push_back({A.Name + ", carveout " + textOf(C), A.Got, C});
  };
  for (const Attempt *A : worthCarving(G, Fastest))
    for (const Carveout &C : CarveoutsToTry)
      Add(*A, C);
  // What the driver chooses may be all that a layout loses by
  // (measurements/2026-11-25-tune-public-programs.md).
  if (G.WhyWhole.empty())
    for (const Attempt &A : G.Attempts)
      if (A.Speedup && !A.Carved && isOneLayout(A))
        Add(A, {Carveout::Rule::Auto});
}

bool bankstripe::isTried(const std::vector<Attempt> &Old, const Attempt &A) {
  return llvm::any_of(Old, [&](const Attempt &Each) {
    return Each.Carved == A.Carved &&
           (Each.Wanted == A.Wanted || Each.Got == A.Wanted);
  });
}

Attempt bankstripe::originalOf(const TuneGroup &G, const Plan &Movable) {
  return {"as it is", allAs(G, Movable, Layout::Keep)};
}

Attempt bankstripe::defaultOf(const TuneGroup &G, const Plan &Movable,
                              const Arrangement &Predicted) {
  Arrangement Own;
  for (unsigned I : G.Arrays)
    Own[I] = Predicted.at(I);
  Attempt Result = named(G, Movable, std::move(Own));
  Result.IsDefault = true;
  return Result;
}

// Layouts for all arrays.
static std::vector<Attempt> uniform(const TuneGroup &G, const Plan &Movable) {
  const Arrangement Stripes = allAs(G, Movable, Layout::Stripe),
                    Bits = allAs(G, Movable, Layout::Bits);
  std::vector<Attempt> Result = {{Bits == Stripes ? "stripes" : "bits", Bits},
                                 {"stripes", Stripes},
                                 {"slots", allAs(G, Movable, Layout::Slot)}};
  for (unsigned Elements : SplitsToTry)
    Result.push_back({"split after " + std::to_string(Elements),
                      allAs(G, Movable, {Layout::Split, Elements})});
  return Result;
}

std::vector<Attempt> bankstripe::openAttempts(const TuneGroup &G,
                                              const Plan &Movable,
                                              const Arrangement &Predicted) {
  std::vector<Attempt> Open = uniform(G, Movable);
  const Attempt *Fastest = G.fastest(/*AlsoCarved=*/false);
  if (G.Arrays.size() > 1) {
    addParts(Open, G, Movable,
             Fastest ? Fastest->Got : defaultOf(G, Movable, Predicted).Wanted);
    // One array may cost more than another gains, so that all that is faster
    // than the original is far from what moves them all.
    const Attempt *Whole = nullptr;
    for (const Attempt &A : G.Attempts)
      if (A.Speedup &&
          !llvm::is_contained(llvm::make_second_range(A.Got), Layout::Keep) &&
          (!Whole || *A.Speedup > *Whole->Speedup))
        Whole = &A;
    if (Whole)
      addParts(Open, G, Movable, Whole->Got);
    // Each array by itself, as what all of them may have lost with.
    addNeighbours(Open, G, Movable, allAs(G, Movable, Layout::Keep));
    if (Fastest)
      addNeighbours(Open, G, Movable, Fastest->Got);
  }
  if (Fastest)
    addCarveouts(Open, G, *Fastest);
  return Open;
}

void Trial::add(const TuneGroup &G, const Attempt &A) {
  for (auto [I, L] : A.Got.empty() ? A.Wanted : A.Got)
    Arrays[I] = L;
  if (A.Carved)
    for (unsigned Row : G.Kernels)
      Carved[Row] = *A.Carved;
}

Trial bankstripe::bestOf(const std::vector<TuneGroup> &Groups) {
  Trial Result;
  for (const TuneGroup &G : Groups)
    if (const Attempt *Best = G.best())
      Result.add(G, *Best);
  return Result;
}

unsigned bankstripe::runsToTry(double SecondsOfARun, unsigned Most) {
  constexpr double LongRun = 2;
  return SecondsOfARun < LongRun ? Most : 0;
}

static constexpr unsigned Enough = 2; // Only a loss is looked for.

// How often a comparison with the first run runs a program: digests are taken
// of the changed one, and of the original once more where it prints something
// else each time, as most programs print times.
static unsigned runsWith(unsigned TimedRuns) { return 2 + 2 * TimedRuns; }

unsigned bankstripe::runsToConfirm(double SecondsOfARun, unsigned Most,
                                   double Left) {
  constexpr double LongRun = 5;
  const unsigned TimedRuns = std::min(Most, Enough);
  return SecondsOfARun < LongRun && runsWith(TimedRuns) * SecondsOfARun <= Left
             ? TimedRuns
             : 0;
}

// A program that prints the same each time runs once more, perhaps by another
// version.
static constexpr double AgainByOne = 1.2;

double bankstripe::secondsToConfirm(double SecondsToBuild, double SecondsOfARun,
                                    double Left) {
  const unsigned TimedRuns =
      runsToConfirm(SecondsOfARun, Enough, Left / 2 - SecondsToBuild);
  for (const double Runs : {double(runsWith(TimedRuns)), AgainByOne})
    if (const double Needed = SecondsToBuild + Runs * SecondsOfARun;
        Needed < 0.9 * Left)
      return Needed;
  return Left / 2;
}

double bankstripe::longestRun(double SecondsToBuild, double Left) {
  const double Longest = (0.9 * Left - SecondsToBuild) / (1 + AgainByOne);
  return Longest > 0 ? Longest : Left / 2;
}

PlanOptions bankstripe::planningFor(const Trial &T, const Plan &Movable,
                                    PlanOptions Planning) {
  for (unsigned I = 0; I < Movable.Arrays.size(); ++I) {
    auto Found = T.Arrays.find(I);
    const LayoutChoice Wanted =
        Found == T.Arrays.end() ? Layout::Keep : Found->second;
    // What no attempt asks for stays, also where others leave it their room.
    if (!isDecided(Movable.Arrays[I]) &&
        (Wanted == Layout::Keep || !becomesConstant(Movable, I)))
      Planning.Decisions.push_back(decisionAbout(Movable, I, Wanted));
  }
  for (const auto &[Row, Wish] : T.Carved)
    Planning.KernelDecisions.push_back(
        decisionAbout(Movable.Kernels[Row].Facts, Wish));
  return Planning;
}
