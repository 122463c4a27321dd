//===-- Tuning.cpp - one run of bankstripe tune ---------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tool/Tuning.h"
#include "bench/Replays.h"
#include "plan/Form.h"
#include "tool/RewriteUnits.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <csignal>
#include <set>

using namespace bankstripe;

// Where no command says for what the code is made, it runs on this GPU, whose
// blocks may have more shared memory than those of any.
void Tuning::adoptGpu() {
  PlanOptions &Planning = Read.Planning;
  if (!Planning.AllGpuArchs.empty() || Seen.Architecture.empty())
    return;
  Planning.GpuArch = Seen.Architecture;
  Planning.AllGpuArchs = {Planning.GpuArch};
  if (!Options.Planning.Wanted.SharedLimit)
    Planning.SharedLimit = commonSharedLimit(Planning);
}

void Tuning::findGroups(
    llvm::function_ref<bool(const KernelPlan &)> IsLaunched) {
  Result.Movable = makePlan(Units, Read.Planning);
  PlanOptions Usual = Read.Planning;
  Usual.MinSpeedup = MinSpeedup;
  Result.Groups = tuneGroups(Result.Movable, IsLaunched);
  Order.emplace(
      Result.Groups, Result.Movable, layoutsOf(makePlan(Units, Usual)),
      [this](const TuneGroup &G, const Arrangement &A) {
        return foresee(G, A);
      },
      Options.Program.MostSeconds == 0);
}

llvm::Error Tuning::build() {
  const TimePoint Before = std::chrono::steady_clock::now();
  llvm::Expected<std::string> Built = P.build("original", {});
  if (!Built)
    return Built.takeError();
  Original = std::move(*Built);
  SecondsToBuild = secondsSince(Before);
  return llvm::Error::success();
}

llvm::Error Tuning::survey(const std::vector<TuneGroup> &Likely,
                           const Plan &Assumed) {
  std::vector<std::string> Symbols;
  for (const TuneGroup &G : Likely)
    for (unsigned Row : G.Kernels)
      Symbols.push_back(Assumed.Kernels[Row].Facts.Id);
  if (Options.level() != Detail::Quiet)
    llvm::errs() << "bankstripe: running the program to see what it launches\n";
  const auto Before = std::chrono::steady_clock::now();
  llvm::Expected<ProgramRun> Run =
      P.survey(Original, Symbols,
               Options.Program.MostSeconds > 0
                   ? longestRun(P.canBuild() ? SecondsToBuild : 0,
                                std::max(secondsLeft(), 0.01))
                   : 0);
  if (!Run)
    return Run.takeError();
  SecondsOfARun = secondsSince(Before);
  Seen = std::move(*Run);
  if (Seen.EndedAfter > 0) {
    Result.WhyEnded = llvm::formatv(
        "the run was ended after {0:F0} s; --time=0 runs it whole",
        Seen.EndedAfter);
    if (Options.level() != Detail::Quiet)
      llvm::errs() << "bankstripe: " << Result.WhyEnded << '\n';
  }
  Result.Device = Seen.Device;
  Result.Architecture = Seen.Architecture;
  Result.Input = llvm::join(Options.Program.Arguments, " ");
  adoptGpu();
  for (const KernelPlan &K : makePlan(Units, Read.Planning).Kernels) {
    auto Found = Seen.Kernels.find(comparableName(K.Facts.Id));
    if (Found == Seen.Kernels.end()) {
      if (llvm::is_contained(Symbols, K.Facts.Id))
        Result.NotLaunched.push_back(K.Facts.Name);
    } else if (K.Block.Source == BlockSizeSource::Unknown) {
      Result.Blocks[K.Facts.Id] = Found->second.MostThreads;
      Read.Planning.KernelDecisions.emplace_back(decisionAbout(K.Facts))
          .BlockSize = Found->second.MostThreads;
    }
  }
  return llvm::Error::success();
}

// The decisions of people stay, those of the trial join them.
llvm::Expected<PlannedChanges> Tuning::carryOut(const Trial &T) const {
  return rewriteUnits(Units, planningFor(T, Result.Movable, Read.Planning),
                      Options.Planning.EmbedHelper);
}

bool Tuning::knowsAllKernels() const {
  std::set<std::string> Known;
  for (const UnitResult &Unit : Units)
    for (const Kernel &K : Unit.Facts.Kernels)
      Known.insert(comparableName(K.Id));
  bool All = true;
  for (const auto &[Name, K] : Seen.Kernels)
    if (!Known.count(Name)) {
      All = false;
      llvm::errs() << "bankstripe: the program launches " << printable(K.Name)
                   << ", which is in no file that could be read\n";
    }
  return All;
}

// What hardly takes time is not worth the time that it would take.
void Tuning::weigh(TuneGroup &G) const {
  constexpr double WorthMeasuring = 0.01;
  double Own = 0, All = 0;
  for (const auto &[Name, K] : Seen.Kernels)
    All += K.Nanoseconds;
  for (unsigned Row : G.Kernels)
    Own += Seen.Kernels.at(comparableName(Result.Movable.Kernels[Row].Facts.Id))
               .Nanoseconds;
  G.Share = All > 0 ? Own / All : 1;
  if (G.Share < WorthMeasuring && Options.Program.MostSeconds > 0)
    G.WhyLeft = llvm::formatv("it takes {0:P1} of the time of all kernels; "
                              "--time=0 measures it",
                              G.Share);
}

std::optional<double> Tuning::foresee(const TuneGroup &G,
                                      const Arrangement &A) const {
  Trial T;
  T.Arrays = A;
  const Plan Made =
      makePlan(Units, planningFor(T, Result.Movable, Read.Planning));
  double Product = 1;
  for (unsigned Row : G.Kernels) {
    const std::optional<Prediction> &Own = Made.Kernels[Row].Predicted;
    if (!Own)
      return std::nullopt;
    Product *= Own->Speedup;
  }
  return std::pow(Product, 1.0 / G.Kernels.size());
}

// Whether something gains that can be compared in the program.
bool Tuning::hasToConfirm() const {
  return P.canBuild() && std::ranges::any_of(Result.Groups, &TuneGroup::best);
}

double Tuning::secondsLeft() const {
  const double Most = Options.Program.MostSeconds;
  return Most > 0 ? Most - secondsSince(Begin) : HUGE_VAL;
}

// What gains late can still be compared, in the time that this may take longer.
void Tuning::setSearchTime() const {
  const double Later =
      hasToConfirm() ? 0 : Overrun * Options.Program.MostSeconds;
  setTimeLimit(P.canBuild() && Result.WhyEnded.empty()
                   ? std::max(SecondsToConfirm - Later, 0.0)
                   : 0);
}

void Tuning::setTimeLimit(double SecondsBefore) const {
  if (Options.Program.MostSeconds > 0)
    setDeadline(Begin +
                std::chrono::milliseconds(static_cast<int64_t>(
                    1000 * (Options.Program.MostSeconds - SecondsBefore))));
}

// Also because the time is up.
bool Tuning::isOver(int Signal) {
  if (Signal && Signal != SIGALRM)
    StoppedBy = Signal;
  if (Signal)
    Result.IsTimeUp = true;
  return Signal != 0;
}

llvm::Error Tuning::search() {
  P.goOnWhenAsked();
  SecondsToConfirm =
      secondsToConfirm(SecondsToBuild, SecondsOfARun, secondsLeft());
  setSearchTime();
  findGroups([&](const KernelPlan &K) {
    return Seen.Kernels.count(comparableName(K.Facts.Id)) != 0;
  });
  for (TuneGroup &G : Result.Groups)
    weigh(G);
  Replays Alone(
      Read.Units, P, Read.Known.get(), Seen,
      [this](const Trial &T) {
        setSearchTime();
        return carryOut(T);
      },
      Options.Program.Accepts);
  auto Signal = Alone.search(Result.Groups, Result.Movable, *Order);
  if (!Signal)
    return Signal.takeError();
  Result.Replays = Alone.count();
  Result.Known = Alone.knownCount();
  bool IsDone = isOver(*Signal);
  for (TuneGroup &G : Result.Groups) {
    if (IsDone || G.WhyWhole.empty() || !G.WhyLeft.empty() || !P.canBuild())
      continue;
    if (!Result.WhyEnded.empty()) {
      G.WhyLeft = G.WhyWhole + "; " + Result.WhyEnded;
      continue;
    }
    if (llvm::Error E = searchWhole(G))
      return E;
    IsDone = isOver();
  }
  if (IsDone)
    Order->nameUntried();
  return llvm::Error::success();
}

// What cannot be built, or computes something else, has a problem.
llvm::Expected<Measurement> Tuning::compareWhole(const PlannedChanges &Made,
                                                 Measuring MeasureChanged) {
  llvm::Expected<std::string> Built = P.build("changed", Made.Changes);
  if (!Built) {
    Measurement Failed;
    Failed.Problem = toString(Built.takeError());
    return Failed;
  }
  if (!Made.Changes.empty())
    if (llvm::Error E = P.checkChanged(Original, *Built))
      return E;
  llvm::Expected<Measurement> M = MeasureChanged(*Built);
  Result.Comparisons += bool(M);
  return M;
}

// Time of the kernels of G in the original over that in the other program.
static std::optional<double> speedupOf(const TuneGroup &G, const Plan &P,
                                       const Measurement &M) {
  double Original = 0, Changed = 0;
  for (unsigned Row : G.Kernels)
    if (auto It = M.Kernels.find(comparableName(P.Kernels[Row].Facts.Id));
        It != M.Kernels.end()) {
      Original += *It->second.OriginalTime;
      Changed += *It->second.RewrittenTime;
    }
  if (Original <= 0 || Changed <= 0)
    return std::nullopt;
  return Original / Changed;
}

llvm::Error Tuning::searchWhole(TuneGroup &G) {
  while (auto Next =
             Order->next([&](const TuneGroup &Any) { return &Any == &G; })) {
    Attempt &A = Next->What;
    if (Options.level() != Detail::Quiet)
      llvm::errs() << "bankstripe: building and running "
                   << Result.Movable.Kernels[G.Kernels.front()].Facts.Name
                   << ", " << A.Name << '\n';
    const TimePoint Began = std::chrono::steady_clock::now();
    setSearchTime();
    Trial T;
    T.add(G, A);
    llvm::Expected<PlannedChanges> Made = carryOut(T);
    if (!Made)
      return Made.takeError();
    const unsigned TimedRuns =
        runsToTry(SecondsOfARun, Options.Program.TimedRuns);
    llvm::Expected<Measurement> M =
        compareWhole(*Made, [&](llvm::StringRef Changed) {
          return P.measure(Original, Changed, TimedRuns);
        });
    if (P.isAsked()) {
      consumeError(M.takeError());
      return llvm::Error::success();
    }
    if (!M)
      return M.takeError();
    if (G.Attempts.empty() && !M->Problem.empty())
      return llvm::createStringError("the original, built and run twice, "
                                     "does not agree with itself: " +
                                     M->Problem);
    A.Problem = M->Problem;
    if (A.Problem.empty())
      A.Speedup = speedupOf(G, Result.Movable, *M);
    if (A.Problem.empty() && !A.Speedup)
      A.Problem = "no launch of it was timed";
    Order->finish(G, std::move(A), Made->Decisions, secondsSince(Began));
  }
  return llvm::Error::success();
}

llvm::Error Tuning::searchWholeSince(TuneGroup &G, std::string Why) {
  G.WhyWhole = std::move(Why);
  Order->restart(G);
  return searchWhole(G);
}

// Whether the program, or the kernels of a group in it, lose by the best of
// all.
bool Tuning::isSlower(const Measurement &M) const {
  return M.Speedup < 1 ||
         llvm::any_of(
             Result.Groups,
             [&](const TuneGroup &G) {
               return G.best() &&
                      speedupOf(G, Result.Movable, M).value_or(0) < 1;
             });
}

// By as many runs as the time allows that the build has left. How long digests
// of all launches would take is not known. Before one run condemns anything,
// both programs are timed, unless the time is up by then.
llvm::Expected<Measurement> Tuning::measureBest(llvm::StringRef Changed) {
  const unsigned TimedRuns =
      runsToConfirm(SecondsOfARun, Options.Program.TimedRuns, secondsLeft());
  Result.IsByOneRun = TimedRuns < 2;
  llvm::Expected<Measurement> M =
      P.measure(Original, Changed, TimedRuns,
                /*WithSurvey=*/Options.Program.MostSeconds > 0);
  if (!M || !M->Problem.empty() || TimedRuns > 0 || P.isAsked() ||
      !isSlower(*M))
    return M;
  auto Again = P.measure(Original, Changed, 1, /*WithSurvey=*/true);
  if (!P.isAsked())
    return Again;
  consumeError(Again.takeError());
  return M;
}

// What differs in the way that was accepted is right.
llvm::Expected<Measurement> Tuning::compareBest(const PlannedChanges &Made) {
  llvm::Expected<Measurement> M = compareWhole(
      Made, [&](llvm::StringRef Changed) { return measureBest(Changed); });
  if (M && !M->Problem.empty() && !P.isAsked() &&
      Options.Program.Accepts == Accepted::Fusing) {
    auto Agrees = P.agreesUnfused(Made.Changes);
    if (!Agrees)
      return Agrees.takeError();
    if (*Agrees)
      M->Problem.clear();
  }
  return M;
}

// What was right alone stays, except where only the program could tell that.
void Tuning::leaveUncompared() {
  Result.WhyNotTogether = StoppedBy                 ? "it was interrupted"
                          : Result.WhyEnded.empty() ? "the time was up"
                                                    : Result.WhyEnded;
  for (TuneGroup &G : Result.Groups)
    if (G.best() && G.Varies && G.WhyWhole.empty())
      G.WhyNone = "each launch leaves something else, and the program was not "
                  "compared: " +
                  Result.WhyNotTogether;
}

// Measures in the program what loses there, or leaves it where there is no time
// for that. \returns whether all are settled.
llvm::Expected<bool> Tuning::settle(const Measurement &M) {
  const bool IsWrong = !M.Problem.empty();
  bool IsSettled = true;
  for (TuneGroup &G : Result.Groups) {
    G.InProgram = speedupOf(G, Result.Movable, M);
    const double Gain = G.InProgram.value_or(0);
    // Which one is wrong is among those that were not compared alone.
    if (!G.best() || !G.WhyWhole.empty() || (IsWrong ? !G.Varies : Gain >= 1))
      continue;
    std::string Why =
        IsWrong ? "with what is best alone, " + M.Problem
                : llvm::formatv("what was {0:F2}x alone is {1:F2}x in it",
                                *G.best()->Speedup, Gain)
                      .str();
    if (!IsWrong && secondsLeft() <= 0) {
      G.WhyNone = std::move(Why);
      continue;
    }
    IsSettled = false;
    if (llvm::Error E = searchWholeSince(G, std::move(Why)))
      return std::move(E);
  }
  if (IsWrong && IsSettled)
    return llvm::createStringError("the best of all kernels together does not "
                                   "work, so nothing is written: " +
                                   M.Problem);
  // Other kernels may pay for it: a carveout, or what is left in the caches.
  if (IsSettled && M.Speedup < 1)
    for (TuneGroup &G : Result.Groups)
      if (G.best())
        G.WhyNone = llvm::formatv(
            "all kernels of the program together are at {0:F2}x", M.Speedup);
  return IsSettled;
}

// Each best variant was right by itself; this is all of them together, in the
// program. What the program does not gain from is measured in it.
llvm::Error Tuning::confirm() {
  if (!hasToConfirm())
    return llvm::Error::success();
  if (StoppedBy || !Result.WhyEnded.empty()) {
    leaveUncompared();
    return llvm::Error::success();
  }
  setTimeLimit(-Overrun * Options.Program.MostSeconds);
  if (Options.level() != Detail::Quiet)
    llvm::errs() << "bankstripe: building and running the program with the "
                    "best of each kernel\n";
  llvm::Expected<PlannedChanges> Made = carryOut(bestOf(Result.Groups));
  if (!Made)
    return Made.takeError();
  llvm::Expected<Measurement> M = compareBest(*Made);
  // What was compared by then counts.
  if (isOver() && (StoppedBy || !M || !M->Problem.empty())) {
    consumeError(M.takeError());
    leaveUncompared();
    return llvm::Error::success();
  }
  if (!M)
    return M.takeError();
  auto IsSettled = settle(*M);
  if (!IsSettled)
    return IsSettled.takeError();
  Result.Together = std::move(*M);
  if (isOver()) {
    Order->nameUntried();
    leaveUncompared();
    return llvm::Error::success();
  }
  return *IsSettled ? llvm::Error::success() : confirm();
}
