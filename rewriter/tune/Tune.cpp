//===-- Tune.cpp - which layouts to measure, and what came of it ----------===//
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
//     stripes, slots, what was predicted
//     the fastest without one array     while that gains
//     the fastest with other carveouts  where launches can be edited
//
// Where a run of several groups computes something else, nobody knows which one
// it was, so groups are tried one at a time from then on.
//
//===----------------------------------------------------------------------===//

#include "tune/Tune.h"
#include "plan/Plan.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <set>

using namespace bankstripe;
using llvm::StringRef;
namespace json = llvm::json;

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
  case VerdictKind::Bits:
    return Layout::Bits;
  default:
    return Layout::Keep;
  }
}

const Attempt *TuneGroup::fastest(bool AlsoCarved) const {
  const Attempt *Result = nullptr;
  for (const Attempt &A : Attempts) {
    const bool Moves = llvm::any_of(
        A.Got, [](const auto &Each) { return Each.second != Layout::Keep; });
    if (A.Speedup && Moves && (AlsoCarved || !A.Carved) &&
        (!Result || *A.Speedup > *Result->Speedup))
      Result = &A;
  }
  return Result;
}

const Attempt *TuneGroup::best() const {
  const Attempt *A = fastest();
  const double Chance = std::max(WorthHaving, 1 + Noise);
  return A && *A->Speedup >= Base * Chance ? A : nullptr;
}

// What people decided stays.
static bool mayMove(const PlannedArray &A) {
  const Verdict &V = A.Verdict;
  return ((V.usesHelper() || V.Kind == VerdictKind::Constant) && !V.Asked) ||
         V.Why == Reason::OverBudget;
}

TuneSearch::TuneSearch(const Plan &Movable, const Plan &PredictedPlan)
    : Movable(Movable) {
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
    for (unsigned I : G.Arrays)
      Predicted[I] = layoutOf(PredictedPlan.Arrays[I].Verdict);
  }
}

// A table becomes constant, whatever layout is asked for; what cannot be bits
// becomes a stripe.
Arrangement TuneSearch::all(const TuneGroup &G, Layout L) const {
  Arrangement Result;
  for (unsigned I : G.Arrays) {
    const VerdictKind Kind = Movable.Arrays[I].Verdict.Kind;
    const bool Cannot = (L == Layout::Slot && Kind == VerdictKind::Constant) ||
                        (L == Layout::Bits && Kind != VerdictKind::Bits);
    Result[I] = Cannot ? Layout::Stripe : L;
  }
  return Result;
}

static bool wasTried(const TuneGroup &G, const Arrangement &A) {
  return llvm::any_of(G.Attempts, [&](const Attempt &Old) {
    return Old.Wanted == A || Old.Got == A;
  });
}

// The fastest without one more of its arrays, the largest first.
std::optional<Attempt> TuneSearch::proposeSubset(const TuneGroup &G,
                                                 const Attempt &Fastest) const {
  std::vector<unsigned> Moved;
  for (auto [I, L] : Fastest.Got)
    if (L != Layout::Keep)
      Moved.push_back(I);
  if (Moved.size() < 2)
    return std::nullopt;
  llvm::stable_sort(Moved, [&](unsigned A, unsigned B) {
    return Movable.Arrays[A].Array.BytesPerThread >
           Movable.Arrays[B].Array.BytesPerThread;
  });
  for (unsigned I : Moved) {
    Arrangement Wanted = Fastest.Got;
    Wanted[I] = Layout::Keep;
    if (wasTried(G, Wanted))
      continue;
    std::string Left;
    for (auto [Index, L] : Wanted)
      if (L == Layout::Keep)
        Left += (Left.empty() ? "'" : ", '") +
                Movable.Arrays[Index].Array.Name + "'";
    auto Has = [&](Layout L) {
      return llvm::is_contained(llvm::make_second_range(Wanted), L);
    };
    const char *Layouts = Has(Layout::Slot)   ? "slots"
                          : Has(Layout::Bits) ? "bits"
                                              : "stripes";
    return Attempt{std::string(Layouts) + " without " + Left,
                   std::move(Wanted)};
  }
  return std::nullopt;
}

// The first carveout that the fastest was not tried with.
static std::optional<Attempt> proposeCarveout(const TuneGroup &G,
                                              const Attempt &Fastest) {
  if (!G.MayCarve)
    return std::nullopt;
  for (const Carveout &C : CarveoutsToTry)
    if (!(C == Fastest.GotCarved) &&
        llvm::none_of(G.Attempts, [&](const Attempt &Old) {
          return Old.Carved && *Old.Carved == C;
        }))
      return Attempt{Fastest.Name + ", carveout " + textOf(C), Fastest.Got, C};
  return std::nullopt;
}

std::optional<Attempt> TuneSearch::propose(const TuneGroup &G) const {
  if (G.Attempts.empty())
    return Attempt{"as it is", all(G, Layout::Keep)};
  if (!G.Launched)
    return std::nullopt;
  Arrangement Foreseen;
  for (unsigned I : G.Arrays)
    Foreseen[I] = Predicted.at(I);
  const Arrangement Stripes = all(G, Layout::Stripe),
                    Bits = all(G, Layout::Bits);
  for (const Attempt &A :
       {Attempt{Bits == Stripes ? "stripes" : "bits", Bits},
        Attempt{"stripes", Stripes}, Attempt{"slots", all(G, Layout::Slot)},
        Attempt{"as predicted", std::move(Foreseen)}})
    if (!wasTried(G, A.Wanted))
      return A;
  const Attempt *Fastest = G.fastest(/*AlsoCarved=*/false);
  if (!Fastest)
    return std::nullopt;
  if (auto Subset = proposeSubset(G, *Fastest))
    return Subset;
  return proposeCarveout(G, *Fastest);
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
    Names.insert(A.Name);
  }
  T.Name = llvm::join(Names, "; ");
  return T;
}

void TuneSearch::recordProblem(const std::string &Problem) {
  if (Current.size() > 1) {
    OneAtATime = true;
    return;
  }
  auto &[Index, A] = *Current.begin();
  A.Got = A.Wanted;
  A.Problem = Problem;
  Groups[Index].Attempts.push_back(std::move(A));
}

static std::optional<double> speedupOf(const TuneGroup &G, const Plan &P,
                                       const Measurement &M) {
  double Original = 0, Changed = 0;
  for (unsigned Row : G.Kernels)
    if (auto It = M.Kernels.find(comparableName(P.Kernels[Row].Facts.Id));
        It != M.Kernels.end()) {
      Original += It->second.Original;
      Changed += It->second.Changed;
    }
  if (Original <= 0 || Changed <= 0)
    return std::nullopt;
  return Original / Changed;
}

static void noteBlocks(TuneGroup &G, const Plan &P, const Measurement &M) {
  for (unsigned Row : G.Kernels) {
    const KernelPlan &K = P.Kernels[Row];
    auto It = M.Kernels.find(comparableName(K.Facts.Id));
    if (K.Source == BlockSizeSource::Unknown && It != M.Kernels.end() &&
        It->second.BlockThreads)
      G.Blocks[Row] = It->second.BlockThreads;
  }
}

void TuneSearch::recordTimes(const Plan &Tried, const Measurement &M) {
  for (auto &[Index, A] : Current) {
    TuneGroup &G = Groups[Index];
    A.Speedup = speedupOf(G, Movable, M);
    noteBlocks(G, Movable, M);
    for (unsigned I : G.Arrays)
      A.Got[I] = layoutOf(Tried.Arrays[I].Verdict);
    A.GotCarved = Tried.Kernels[G.Kernels.front()].Carved;
    if (G.Attempts.empty()) {
      const bool Changed = llvm::any_of(G.Kernels, [&](unsigned Row) {
        const KernelPlan &K = Tried.Kernels[Row];
        return K.MovesArrays;
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
    recordProblem(M.Problem);
}

Trial TuneSearch::best() const {
  Trial Result;
  Result.Name = "the best of all kernels together";
  for (const TuneGroup &G : Groups) {
    const Attempt *Best = G.best();
    for (auto [I, L] : Best ? Best->Got : all(G, Layout::Keep))
      Result.Arrays[I] = L;
    Result.Blocks.insert(G.Blocks.begin(), G.Blocks.end());
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

static void readDifference(const json::Object &Root, Measurement &M) {
  M.Problem = textIn(Root, "reason").str();
  if (const json::Object *D = Root.getObject("difference")) {
    M.Problem = ("'" + textIn(*D, "original-kernel") +
                 "' computes something else: " + textIn(*D, "kind"))
                    .str();
  }
  if (M.Problem.empty())
    M.Problem = "the program prints something else";
}

static unsigned blockOf(const json::Object &Kernel) {
  const json::Object *Original = Kernel.getObject("original");
  return Original ? Original->getInteger("block-threads").value_or(0) : 0;
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
        M.Kernels[comparableName(textIn(*K, "name"))] = {Original, Changed,
                                                         blockOf(*K)};
    }
  return M;
}

//===----------------------------------------------------------------------===//
// What tuning says and writes down.
//===----------------------------------------------------------------------===//

static std::string figure(const Attempt &A) {
  return llvm::formatv("{0:F2}x", *A.Speedup);
}

// The reason that goes into the decisions file.
static std::string why(const TuneGroup &G, const std::string &Device) {
  const Attempt *Best = G.best();
  const Attempt *Shown = Best ? Best : G.fastest();
  if (!Shown)
    return "nothing that moves it works, on " + Device;
  return (Best ? "" : "at best " + Shown->Name + " ") + figure(*Shown) +
         " on " + Device;
}

static auto keyOf(const ArrayDecision &D) {
  return std::tie(D.File, D.Function, D.Array, D.Occurrence);
}

static auto keyOf(const KernelDecision &D) {
  return std::tie(D.File, D.Kernel);
}

DecisionsFile bankstripe::decisionsOf(const TuneOutcome &Outcome) {
  DecisionsFile Result;
  for (const TuneGroup &G : Outcome.Groups) {
    if (!G.Launched)
      continue;
    const Attempt *Best = G.best();
    const std::string Why = why(G, Outcome.Device);
    for (unsigned I : G.Arrays) {
      const Layout Wanted = Best ? Best->Got.at(I) : Layout::Keep;
      // It becomes constant without being told.
      if (Wanted != Layout::Keep &&
          Outcome.Movable.Arrays[I].Verdict.Kind == VerdictKind::Constant)
        continue;
      ArrayDecision &D =
          Result.Arrays.emplace_back(decisionAbout(Outcome.Movable, I, Wanted));
      D.ByTune = true;
      D.Why = Why;
    }
    for (unsigned Row : G.Kernels) {
      if (!Best)
        break;
      KernelDecision D =
          decisionAbout(Outcome.Movable.Kernels[Row].Facts, Best->Carved);
      D.ByTune = true;
      D.Why = Why;
      if (auto It = G.Blocks.find(Row); It != G.Blocks.end())
        D.BlockSize = It->second;
      // Instances of a template are one.
      auto Same =
          llvm::find_if(Result.Kernels, [&](const KernelDecision &Each) {
            return keyOf(Each) == keyOf(D);
          });
      if (Same != Result.Kernels.end())
        Same->BlockSize = std::max(Same->BlockSize, D.BlockSize);
      else if (D.Wanted || D.BlockSize)
        Result.Kernels.push_back(std::move(D));
    }
  }
  return Result;
}

template <class Decision>
static void replaceEach(std::vector<Decision> &Old,
                        const std::vector<Decision> &New) {
  for (const Decision &D : New) {
    auto Same = llvm::find_if(
        Old, [&](const Decision &Each) { return keyOf(Each) == keyOf(D); });
    if (Same == Old.end())
      Old.push_back(D);
    else if (Same->ByTune)
      *Same = D;
  }
}

void bankstripe::replaceTuned(DecisionsFile &File, const DecisionsFile &New) {
  replaceEach(File.Arrays, New.Arrays);
  // A kernel that needs no carveout any more has no new decision.
  llvm::erase_if(File.Kernels, [&](const KernelDecision &Old) {
    return Old.ByTune && llvm::any_of(New.Arrays, [&](const ArrayDecision &D) {
             return D.File == Old.File;
           });
  });
  replaceEach(File.Kernels, New.Kernels);
}

static std::string placeOf(const Place &P) {
  return llvm::formatv("{0}:{1}", llvm::sys::path::filename(P.File), P.Line);
}

static void printGroup(llvm::raw_ostream &OS, const TuneOutcome &Outcome,
                       const TuneGroup &G) {
  OS << '\n';
  for (unsigned Row : G.Kernels) {
    const Kernel &K = Outcome.Movable.Kernels[Row].Facts;
    OS << "kernel " << K.Name << " at " << placeOf(K.Where) << '\n';
  }
  if (!G.Launched) {
    OS << "  not measured: the program does not launch it; give it other "
          "arguments\n";
    return;
  }
  const Attempt *Best = G.best();
  for (const Attempt &A : G.Attempts) {
    OS << llvm::formatv("  {0} {1,-32} ", &A == Best ? '*' : ' ', A.Name);
    OS << (A.Speedup ? figure(A) : A.Problem) << '\n';
  }
  if (!Best)
    OS << "  the original stays: nothing is faster by more than chance and 2 "
          "%\n";
}

void bankstripe::printTuning(llvm::raw_ostream &OS,
                             const TuneOutcome &Outcome) {
  OS << llvm::formatv("tuned on {0}: {1} program{2} built and run in {3:F0} "
                      "s; speedups over the original, * is the best\n",
                      Outcome.Device, Outcome.Trials,
                      Outcome.Trials == 1 ? "" : "s", Outcome.Seconds);
  for (const TuneGroup &G : Outcome.Groups)
    printGroup(OS, Outcome, G);
}

static json::Object toJson(const TuneOutcome &Outcome, const Attempt &A) {
  json::Array Arrays;
  for (auto [I, L] : A.Got) {
    const Finding &F = Outcome.Movable.Arrays[I].Array;
    Arrays.push_back(json::Object{
        {"name", F.Name}, {"function", F.Function}, {"layout", nameOf(L)}});
  }
  json::Object Result{{"name", A.Name},
                      {"arrays", std::move(Arrays)},
                      {"carveout", textOf(A.GotCarved)}};
  Result["speedup"] = A.Speedup ? json::Value(*A.Speedup) : nullptr;
  if (!A.Problem.empty())
    Result["problem"] = A.Problem;
  return Result;
}

json::Value bankstripe::toJson(const TuneOutcome &Outcome) {
  json::Array Groups;
  for (const TuneGroup &G : Outcome.Groups) {
    json::Array Kernels, Attempts;
    for (unsigned Row : G.Kernels)
      Kernels.push_back(Outcome.Movable.Kernels[Row].Facts.Name);
    for (const Attempt &A : G.Attempts)
      Attempts.push_back(::toJson(Outcome, A));
    const Attempt *Best = G.best();
    Groups.push_back(json::Object{
        {"kernels", std::move(Kernels)},
        {"launched", G.Launched},
        {"noise", G.Noise},
        {"best", Best ? json::Value(Best->Name) : json::Value(nullptr)},
        {"attempts", std::move(Attempts)}});
  }
  return json::Object{{"schema", 2},
                      {"tool", "bankstripe"},
                      {"device", Outcome.Device},
                      {"trials", Outcome.Trials},
                      {"groups", std::move(Groups)}};
}
