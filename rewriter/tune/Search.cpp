//===-- Search.cpp - which layouts to measure next ------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How layouts are tried
// ---------------------
// Kernels that share no arrays do not influence each other, so each run of the
// program tries one arrangement for every group of them. A group goes through
//
//     the original, built once more     how far chance goes
//     the memory alone                  the control: the original with as much
//                                       shared memory, reserved and unused
//     stripes, slots, what was predicted
//     the fastest without one array     while that gains
//     the memory of the fastest alone   unless it was measured above
//     the fastest with other carveouts where its memory costs, and launches
//                                       can be edited
//
// The control splits each speedup into the resource factor and the access
// factor, and it saves runs: fewer arrays can win back the resource factor at
// most, so where the access gains nothing, no subset is worth a run.
//
// A run that computes something else costs the arrangement of the kernel where
// the difference was found; the others are tried again. Where nobody knows
// which one it was, groups are tried one at a time from then on.
//
//===----------------------------------------------------------------------===//

#include "plan/Plan.h"
#include "tune/Tune.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/JSON.h"
#include <cmath>

using namespace bankstripe;
using llvm::StringRef;
namespace json = llvm::json;

/// A subset is tried where the memory costs more than this.
static constexpr double NoticeableFactor = 0.97;
/// Slots never were faster than stripes by more than the inverse of this
/// (docs/measurements.md), so below it there is no need to try them.
static constexpr double HopelessStripes = 0.7;

/// Carveouts that are tried: what the grid needs, and two sizes between. More
/// shared memory than the driver gives never helps.
static constexpr Carveout CarveoutsToTry[] = {{Carveout::Rule::Auto, 0},
                                              {Carveout::Rule::Driver, 0},
                                              {Carveout::Rule::Fixed, 30},
                                              {Carveout::Rule::Fixed, 60}};

// A table that becomes constant moves as well, whatever is asked for.
static Layout layoutOf(const Verdict &V) {
  switch (V.Kind) {
  case VerdictKind::Stripe:
  case VerdictKind::Constant:
    return Layout::Stripe;
  case VerdictKind::Slot:
    return Layout::Slot;
  default:
    return Layout::Keep;
  }
}

static Arrangement all(const std::vector<unsigned> &Arrays, Layout L) {
  Arrangement Result;
  for (unsigned I : Arrays)
    Result[I] = L;
  return Result;
}

static bool movesAny(const Arrangement &A) {
  return llvm::any_of(A,
                      [](const auto &E) { return E.second != Layout::Keep; });
}

const Attempt *TuneGroup::fastest() const {
  const Attempt *Result = nullptr;
  for (const Attempt &A : Attempts)
    if (A.Speedup && !A.Control && movesAny(A.Got) &&
        (!Result || *A.Speedup > *Result->Speedup))
      Result = &A;
  return Result;
}

const Attempt *TuneGroup::best() const {
  const Attempt *A = fastest();
  const double Chance = std::max(WorthHaving, 1 + Noise);
  return A && *A->Speedup >= Base * Chance ? A : nullptr;
}

const Attempt *TuneGroup::controlOf(const Attempt &A) const {
  for (const Attempt &C : Attempts)
    if (C.Control && C.Speedup && C.SharedBytes == A.SharedBytes)
      return &C;
  return nullptr;
}

// What people decided stays.
static bool mayMove(const PlannedArray &A) {
  const Verdict &V = A.Verdict;
  return ((V.usesShared() || V.Kind == VerdictKind::Constant) && !V.Asked) ||
         V.Why == Reason::OverBudget;
}

TuneSearch::TuneSearch(const Plan &Movable, const Plan &PredictedPlan) {
  for (const KernelPlan &K : Movable.Kernels)
    KernelNames.push_back(comparableName(K.Facts.Id));
  for (const PlannedArray &A : Movable.Arrays) {
    ArrayNames.push_back(A.Array.Name);
    ArrayBytes.push_back(A.Array.BytesPerThread);
  }
  auto KernelsOf = [&](unsigned I) -> llvm::ArrayRef<unsigned> {
    const PlannedArray &A = Movable.Arrays[I];
    if (!mayMove(A))
      return {};
    return A.Kernels;
  };
  for (KernelGroup &Each : groupKernels(Movable.Arrays.size(), KernelsOf)) {
    TuneGroup &G = Groups.emplace_back();
    G.Kernels = std::move(Each.Kernels);
    G.Arrays = std::move(Each.Arrays);
    for (unsigned Row : G.Kernels) {
      const KernelPlan &K = Movable.Kernels[Row];
      G.MayCarve &= K.WhyLaunchesStay.empty() && !K.NamedInPart &&
                    !K.Facts.AskedAboutAt.isValid();
    }
    for (unsigned I : G.Arrays) {
      G.TakesMemory |= Movable.Arrays[I].Verdict.Kind != VerdictKind::Constant;
      Predicted[I] = layoutOf(PredictedPlan.Arrays[I].Verdict);
    }
  }
}

static bool wasTried(const TuneGroup &G, const Arrangement &A) {
  return llvm::any_of(G.Attempts, [&](const Attempt &Old) {
    return !Old.Control && (Old.Wanted == A || Old.Got == A);
  });
}

// The fastest without one more of its arrays, the largest first.
std::optional<Attempt> TuneSearch::proposeSubset(const TuneGroup &G) const {
  const Attempt *Fastest = G.fastest();
  if (!Fastest)
    return std::nullopt;
  std::vector<unsigned> Moved;
  for (auto [I, L] : Fastest->Got)
    if (L != Layout::Keep)
      Moved.push_back(I);
  if (Moved.size() < 2)
    return std::nullopt;
  if (const Attempt *Control = G.controlOf(*Fastest)) {
    const double ResourceFactor = *Control->Speedup;
    const double AccessFactor = *Fastest->Speedup / ResourceFactor;
    if (AccessFactor < WorthHaving ||
        (ResourceFactor > NoticeableFactor && *Fastest->Speedup > 1))
      return std::nullopt;
  }
  llvm::stable_sort(Moved, [&](unsigned A, unsigned B) {
    return ArrayBytes[A] > ArrayBytes[B];
  });
  for (unsigned I : Moved) {
    Attempt A;
    A.Wanted = Fastest->Got;
    A.Wanted[I] = Layout::Keep;
    if (wasTried(G, A.Wanted))
      continue;
    std::string Left;
    for (auto [Index, L] : A.Wanted)
      if (L == Layout::Keep)
        Left += (Left.empty() ? "'" : ", '") + ArrayNames[Index] + "'";
    A.Name =
        (llvm::is_contained(llvm::make_second_range(A.Wanted), Layout::Slot)
             ? "slots without "
             : "stripes without ") +
        Left;
    return A;
  }
  return std::nullopt;
}

// The first carveout that the fastest was not tried with.
std::optional<Attempt> TuneSearch::proposeCarveout(const TuneGroup &G) const {
  const Attempt *Plain = nullptr; // The fastest as planning carves it.
  for (const Attempt &A : G.Attempts)
    if (A.Speedup && !A.Control && !A.Carved && movesAny(A.Got) &&
        (!Plain || *A.Speedup > *Plain->Speedup))
      Plain = &A;
  if (!Plain || !G.MayCarve)
    return std::nullopt;
  const Attempt *Control = G.controlOf(*Plain);
  if (!Control)
    return std::nullopt;
  // What the grid needs may help where the memory seems to cost nothing, too:
  // the control has the driver's carveout.
  const bool Costs = *Control->Speedup <= NoticeableFactor;
  for (const Carveout &C : CarveoutsToTry) {
    const bool Tried = llvm::any_of(G.Attempts, [&](const Attempt &Old) {
      return Old.Carved && *Old.Carved == C;
    });
    if (Tried || C == Plain->GotCarved ||
        (!Costs && C.How != Carveout::Rule::Auto))
      continue;
    Attempt A;
    A.Wanted = Plain->Got;
    A.Carved = C;
    A.Name = Plain->Name + ", carveout " + textOf(C);
    return A;
  }
  return std::nullopt;
}

std::optional<Attempt> TuneSearch::propose(const TuneGroup &G) const {
  Attempt A;
  auto Offer = [&](std::string Name, Arrangement Wanted, bool Control) {
    A.Name = std::move(Name);
    A.Wanted = std::move(Wanted);
    A.Control = Control;
    return A;
  };
  if (G.Attempts.empty())
    return Offer("as it is", all(G.Arrays, Layout::Keep), false);
  if (!G.Launched)
    return std::nullopt;
  const Arrangement Stripes = all(G.Arrays, Layout::Stripe);
  if (G.TakesMemory &&
      llvm::none_of(G.Attempts, [](const Attempt &Old) { return Old.Control; }))
    return Offer("memory alone", Stripes, true);
  if (!wasTried(G, Stripes))
    return Offer(G.TakesMemory ? "stripes" : "constants", Stripes, false);
  const Arrangement Slots = all(G.Arrays, Layout::Slot);
  const Attempt *Fastest = G.fastest();
  const bool Hopeless = Fastest && *Fastest->Speedup < HopelessStripes;
  if (G.TakesMemory && !Hopeless && !wasTried(G, Slots))
    return Offer("slots", Slots, false);
  Arrangement Foreseen;
  for (unsigned I : G.Arrays)
    Foreseen[I] = Predicted.at(I);
  if (!wasTried(G, Foreseen))
    return Offer("as predicted", Foreseen, false);
  // Carveouts are the last thing that is tried.
  const bool Carves = llvm::any_of(
      G.Attempts, [](const Attempt &Old) { return Old.Carved.has_value(); });
  if (Carves)
    return proposeCarveout(G);
  if (auto Subset = proposeSubset(G))
    return Subset;
  if (G.TakesMemory && Fastest && !G.controlOf(*Fastest) &&
      llvm::none_of(G.Attempts, [&](const Attempt &Old) {
        return Old.Control && Old.Wanted == Fastest->Got;
      }))
    return Offer("memory of '" + Fastest->Name + "' alone", Fastest->Got, true);
  return proposeCarveout(G);
}

std::optional<Trial> TuneSearch::next() {
  Current.clear();
  for (unsigned I = 0; I < Groups.size(); ++I)
    if (auto A = propose(Groups[I])) {
      Current.emplace(I, std::move(*A));
      if (OneAtATime)
        break;
    }
  if (Current.empty())
    return std::nullopt;
  Trial T = best();
  std::set<std::string> Names;
  for (const auto &[Index, A] : Current) {
    for (auto [I, L] : A.Wanted)
      T.Arrays[I] = L;
    for (unsigned Row : Groups[Index].Kernels) {
      T.Carved.erase(Row);
      if (A.Carved)
        T.Carved[Row] = *A.Carved;
    }
    if (A.Control)
      T.Reserved.insert(Groups[Index].Kernels.begin(),
                        Groups[Index].Kernels.end());
    Names.insert(A.Name);
  }
  T.Name = llvm::join(Names, "; ");
  return T;
}

std::optional<unsigned> TuneSearch::groupOf(llvm::StringRef Kernel) const {
  for (unsigned I = 0; I < Groups.size(); ++I)
    for (unsigned Row : Groups[I].Kernels)
      if (KernelNames[Row] == Kernel)
        return I;
  return std::nullopt;
}

void TuneSearch::recordProblem(const Measurement &M) {
  auto Fail = [&](unsigned Index) {
    Attempt &A = Current.at(Index);
    A.Got = A.Wanted;
    A.Problem = M.Problem;
    Groups[Index].Attempts.push_back(std::move(A));
  };
  const std::optional<unsigned> Guilty = groupOf(M.Culprit);
  if (Guilty && Current.count(*Guilty))
    Fail(*Guilty);
  else if (Current.size() == 1)
    Fail(Current.begin()->first);
  else
    OneAtATime = true;
}

std::optional<double> TuneSearch::speedupOf(const TuneGroup &G,
                                            const Measurement &M) const {
  double Original = 0, Changed = 0;
  for (unsigned Row : G.Kernels)
    if (auto It = M.Kernels.find(KernelNames[Row]); It != M.Kernels.end()) {
      Original += It->second.Original;
      Changed += It->second.Changed;
    }
  if (Original <= 0 || Changed <= 0)
    return std::nullopt;
  return Original / Changed;
}

void TuneSearch::recordTimes(const Plan &Tried, const Measurement &M) {
  for (auto &[Index, A] : Current) {
    TuneGroup &G = Groups[Index];
    A.Speedup = speedupOf(G, M);
    for (unsigned I : G.Arrays)
      A.Got[I] = A.Control ? A.Wanted[I] : layoutOf(Tried.Arrays[I].Verdict);
    A.GotCarved = Tried.Kernels[G.Kernels.front()].Carved;
    for (unsigned Row : G.Kernels)
      A.SharedBytes = std::max(A.SharedBytes, Tried.Kernels[Row].SharedAfter);
    if (G.Attempts.empty()) {
      const bool Changed = llvm::any_of(G.Kernels, [&](unsigned Row) {
        const KernelPlan &K = Tried.Kernels[Row];
        return K.SharedAfter != K.SharedBefore;
      });
      G.Launched = A.Speedup.has_value();
      (Changed ? G.Base : G.Noise) =
          Changed ? A.Speedup.value_or(1) : std::abs(A.Speedup.value_or(1) - 1);
    }
    if (!A.Speedup)
      A.Problem = "the program does not launch it";
    G.Attempts.push_back(std::move(A));
  }
}

void TuneSearch::record(const Plan &Tried, const Measurement &M) {
  if (M.Problem.empty())
    recordTimes(Tried, M);
  else
    recordProblem(M);
}

Trial TuneSearch::best() const {
  Trial Result;
  Result.Name = "the best of all kernels together";
  for (const TuneGroup &G : Groups) {
    const Attempt *Best = G.best();
    const Arrangement Keep = all(G.Arrays, Layout::Keep);
    for (auto [I, L] : Best ? Best->Got : Keep)
      Result.Arrays[I] = L;
    if (Best && Best->Carved)
      for (unsigned Row : G.Kernels)
        Result.Carved[Row] = *Best->Carved;
  }
  return Result;
}

// The version of runtime/verify/JSON.md that is read here.
static constexpr int64_t KnownVersion = 1;

// Demanglers differ in blanks, as in `> >`.
std::string bankstripe::comparableName(StringRef Name) {
  std::string Result = llvm::demangle(Name);
  llvm::erase(Result, ' ');
  return Result;
}

static StringRef textIn(const json::Object &O, StringRef Key) {
  return O.getString(Key).value_or("");
}

// Says what differs, and in which kernel.
static void readDifference(const json::Object &Root, Measurement &M) {
  M.Problem = textIn(Root, "reason").str();
  if (const json::Object *D = Root.getObject("difference")) {
    M.Culprit = comparableName(textIn(*D, "original-kernel"));
    M.Problem = ("'" + textIn(*D, "original-kernel") +
                 "' computes something else: " + textIn(*D, "kind"))
                    .str();
  }
  if (M.Problem.empty())
    M.Problem = "the program prints something else";
}

llvm::Expected<Measurement> bankstripe::parseMeasurement(StringRef Json) {
  llvm::Expected<json::Value> Parsed = json::parse(Json);
  if (!Parsed)
    return llvm::createStringError("the result of bankstripe-verify is no "
                                   "JSON: " +
                                   toString(Parsed.takeError()));
  const json::Object *Root = Parsed->getAsObject();
  if (!Root || Root->getInteger("version") != KnownVersion)
    return llvm::createStringError("the result of bankstripe-verify is of "
                                   "another version; install both programs "
                                   "from the same release");
  Measurement M;
  M.Device = textIn(*Root, "device").str();
  const StringRef Verdict = textIn(*Root, "verdict");
  if (Verdict == "not-verified")
    return llvm::createStringError(textIn(*Root, "reason"));
  if (Verdict != "identical")
    readDifference(*Root, M);
  if (const json::Array *Kernels = Root->getArray("kernels"))
    for (const json::Value &V : *Kernels) {
      const json::Object *K = V.getAsObject();
      if (!K)
        continue;
      const double Original = K->getNumber("original-total-ns").value_or(0);
      const double Changed = K->getNumber("rewritten-total-ns").value_or(0);
      if (Original > 0 && Changed > 0)
        M.Kernels[comparableName(textIn(*K, "name"))] = {Original, Changed};
    }
  return M;
}
