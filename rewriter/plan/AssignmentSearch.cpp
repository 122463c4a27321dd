//===-- AssignmentSearch.cpp - the assignment that pays most --------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Choosing arrays under a budget of bytes is a knapsack; with a handful of
// arrays, taking them by what they gain per byte is as good in practice and
// easy to follow in a report. Then kernels that share arrays are decided
// together, by hill climbing, because each step is easy to explain and groups
// are small (docs/internals/model.md, "The search").
//
//===----------------------------------------------------------------------===//

#include "plan/AssignmentSearch.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace bankstripe;

/// Leaving an array where it is has to promise this much.
static constexpr double WorthAChange = 1.01;
/// So has another form than the widest that fits, which was measured best in
/// real programs where the model sees no difference.
static constexpr double WorthAnotherLayout = 1.05;
/// Of forms that are not the widest none has such an advantage.
static constexpr double WorthAnotherForm = 1.001;
/// Code that grows by less is not worth a word.
static constexpr double NotableGrowth = 1.05;
/// Each round leaves an array where it is or promises more; enough for any
/// kernel.
static constexpr unsigned MostRounds = 64;

namespace {

/// The group that is decided about, with what is expected of its kernels.
struct Outlooks {
  const KernelGroup *G, *Whole; ///< Whole has what was asked for, too.
  std::vector<std::optional<double>> Speedups; ///< Parallel to the kernels.

  /// Their geometric mean.
  double value() const;
};

class Searcher {
public:
  Searcher(const Problem &P, const Evaluator &E);
  SearchResult run();

private:
  const ReachedArray &array(unsigned I) const { return P.Run.Arrays[I]; }

  // What fits.
  double gainAlone(unsigned I) const;
  void order(std::vector<unsigned> &Arrays);
  std::optional<unsigned> fullKernel(unsigned I, const Candidate &C) const;
  void assign(unsigned I, const Candidate *C);
  Why overBudget(unsigned I, unsigned Row) const;
  void fit();
  void fitPlaces();

  // What pays.
  std::vector<KernelGroup>
  movingGroups(llvm::function_ref<bool(unsigned Array)> Counts) const;
  Outlooks outlooksOf(const KernelGroup &G, const KernelGroup &Whole) const;
  double valueWith(const Outlooks &Current, unsigned I,
                   const Candidate *C) const;
  std::vector<const Candidate *> othersOf(unsigned I) const;
  bool tryLayouts(Outlooks &Current);
  bool tryWithout(Outlooks &Current);
  void climb(const KernelGroup &Whole);
  void tryWith(unsigned I);
  bool polls(unsigned Row) const;
  bool loses(const Prediction &Foreseen) const;
  bool mayNotChange(unsigned Row) const;
  bool isWorthIt(const KernelGroup &G, const Outlooks &Current) const;
  bool chooses(const KernelGroup &G) const;
  bool isWorthTrying(const KernelGroup &G) const;
  void leaveUndecided(const KernelGroup &G);
  double growthOf(unsigned I) const;
  std::string fallText(unsigned I) const;
  bool isStack(unsigned I) const;
  unsigned firstThatFits(unsigned I) const;

  const Problem &P;
  const Evaluator &E;
  Assignment A;
  /// What was asked for, be it worth it or not: all else is judged beside it.
  Assignment Asked;
  std::vector<std::optional<Why>> Left;
  std::vector<KernelOutlook> Outlook;
  std::vector<uint64_t> Used; ///< Bytes per block, by kernel.
  /// What an array has that the budget is short of: the higher the better.
  std::vector<std::pair<bool, double>> Rank;
};

} // namespace

Searcher::Searcher(const Problem &P, const Evaluator &E)
    : P(P), E(E), A(P.Run.Arrays.size()), Left(P.Run.Arrays.size()),
      Outlook(P.Run.Kernels.size()), Used(P.Run.Kernels.size()),
      Rank(P.Run.Arrays.size()) {}

// --- What fits ---------------------------------------------------------------

// The logarithm of what kernels are predicted to gain if only array I moves.
double Searcher::gainAlone(unsigned I) const {
  Assignment Alone(A.size());
  Alone[I] = &P.Choices[I].Candidates.front();
  double Gain = 0;
  for (unsigned Row : array(I).Kernels)
    Gain += std::log(E.speedup(Row, Alone, {}, /*Grows=*/false).value_or(0));
  return Gain;
}

// What was asked for first, then the best per byte.
void Searcher::order(std::vector<unsigned> &Arrays) {
  for (unsigned I : Arrays)
    Rank[I] = {P.Choices[I].Asked, gainAlone(I)};
  auto Key = [&](unsigned I) {
    auto [Asked, Gain] = Rank[I];
    const Candidate &Smallest = P.Choices[I].Candidates.front();
    const double Bytes = std::max(1.0, double(Smallest.largestBytes()));
    return std::tuple(!Asked, -Gain / Bytes, I);
  };
  llvm::sort(Arrays, [&](unsigned X, unsigned Y) { return Key(X) < Key(Y); });
}

// A kernel that has no room for array I as C.
std::optional<unsigned> Searcher::fullKernel(unsigned I,
                                             const Candidate &C) const {
  for (auto [Position, Row] : llvm::enumerate(array(I).Kernels)) {
    const uint64_t Has = A[I] ? A[I]->Bytes[Position] : 0;
    if (Used[Row] - Has + C.Bytes[Position] > P.Forms[Row].Budget)
      return Row;
  }
  return std::nullopt;
}

void Searcher::assign(unsigned I, const Candidate *C) {
  for (auto [Position, Row] : llvm::enumerate(array(I).Kernels)) {
    Used[Row] -= A[I] ? A[I]->Bytes[Position] : 0;
    Used[Row] += C ? C->Bytes[Position] : 0;
  }
  A[I] = C;
}

// Why array I has no place in kernel Row.
Why Searcher::overBudget(unsigned I, unsigned Row) const {
  const Form &F = P.Forms[Row];
  const size_t Position =
      llvm::find(array(I).Kernels, Row) - array(I).Kernels.begin();
  const std::string Need =
      std::to_string(P.Choices[I].Candidates.front().Bytes[Position]) +
      " bytes per block" +
      (F.Dynamic && F.WhyNotStatic ? " of 1024 threads, " : ", ") +
      std::to_string(F.Budget - Used[Row]) +
      (Used[Row] ? " of " + std::to_string(F.Budget) : "") + " are free";
  Why Result{Reason::OverBudget, array(I).Array.Where, "it needs " + Need};
  if (F.Dynamic && F.WhyNotStatic) {
    Result = *F.WhyNotStatic;
    Result.Detail += "; its launches would have to ask for " + Need;
  }
  if (!F.WhyNotDynamic.empty())
    Result.Detail += "; launches cannot ask for more: " + F.WhyNotDynamic;
  return Result;
}

void Searcher::fit() {
  std::vector<unsigned> Order;
  for (auto [I, C] : llvm::enumerate(P.Choices))
    if (!C.Candidates.empty())
      Order.push_back(I);
  order(Order);
  for (unsigned I : Order) {
    const Candidate &Smallest = P.Choices[I].Candidates.front();
    if (auto Row = fullKernel(I, Smallest))
      Left[I] = overBudget(I, *Row);
    else
      assign(I, &Smallest);
  }
  for (unsigned I : Order)
    if (A[I] && !A[I]->isBits())
      for (const Candidate &C : P.Choices[I].Candidates)
        if (C.isWide() && !fullKernel(I, C))
          assign(I, &C);
}

std::vector<KernelGroup>
Searcher::movingGroups(llvm::function_ref<bool(unsigned Array)> Counts) const {
  return groupKernels(A.size(), [&](unsigned I) -> llvm::ArrayRef<unsigned> {
    if (!A[I] || !Counts(I))
      return {};
    return array(I).Kernels;
  });
}

// In the dynamic shared memory, arrays of several kernels may lie so that
// together they need more than each kernel by itself.
void Searcher::fitPlaces() {
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (const KernelGroup &G : movingGroups(
             [&](unsigned I) { return P.Choices[I].Storage.Dynamic; })) {
      const std::optional<Shortage> Short = E.shortage(G, A);
      if (!Short)
        continue;
      const unsigned Least = *llvm::min_element(
          G.Arrays, [&](unsigned X, unsigned Y) { return Rank[X] < Rank[Y]; });
      assign(Least, nullptr);
      Left[Least] = Why{
          Reason::OverBudget, array(Least).Array.Where,
          llvm::formatv("kernel '{0}' would need {1} bytes per block with what "
                        "shares its place, {2} are there",
                        P.Run.Kernels[Short->Row].Facts.Name, Short->Bytes,
                        P.Forms[Short->Row].Budget)};
      Changed = true;
    }
  }
}

// --- What pays ---------------------------------------------------------------

double Outlooks::value() const {
  double Logarithm = 0;
  unsigned Known = 0;
  for (const std::optional<double> &Speedup : Speedups)
    if (Speedup) {
      Logarithm += std::log(*Speedup);
      ++Known;
    }
  return Known ? std::exp(Logarithm / Known) : 1;
}

Outlooks Searcher::outlooksOf(const KernelGroup &G,
                              const KernelGroup &Whole) const {
  Outlooks Result{&G, &Whole, {}};
  for (unsigned Row : G.Kernels)
    Result.Speedups.push_back(E.speedup(Row, A, Asked));
  return Result;
}

// What the group would be worth if array I were C; 0 where it does not fit.
double Searcher::valueWith(const Outlooks &Current, unsigned I,
                           const Candidate *C) const {
  Assignment Other = A;
  Other[I] = C;
  if (E.shortage(*Current.Whole, Other))
    return 0;
  Outlooks Result = Current;
  for (auto [Row, Speedup] : llvm::zip(Current.G->Kernels, Result.Speedups))
    if (llvm::is_contained(array(I).Kernels, Row))
      Speedup = E.speedup(Row, Other, Asked);
  return Result.value();
}

// The layouts that array I could have instead of its own.
std::vector<const Candidate *> Searcher::othersOf(unsigned I) const {
  std::vector<const Candidate *> Result;
  if (!A[I] || A[I]->isSlot() || Asked[I])
    return Result;
  for (const LayoutInfo &L : allLayouts())
    for (const Candidate &C : P.Choices[I].Candidates)
      if (C.Layout == &L && &C != A[I])
        Result.push_back(&C);
  return Result;
}

// Of several layouts that are worth it, the best is taken.
bool Searcher::tryLayouts(Outlooks &Current) {
  bool Changed = false;
  double Best = Current.value();
  for (unsigned I : Current.G->Arrays) {
    double Least = A[I] && (A[I]->isWide() || A[I]->isBits())
                       ? Best * WorthAnotherLayout
                       : Best * WorthAnotherForm;
    const Candidate *const Own = A[I];
    for (const Candidate *Other : othersOf(I)) {
      const double Value = valueWith(Current, I, Other);
      if (Value < (Other->SavesUnseen ? Best * LeastOfGroup : Least))
        continue;
      assign(I, Other);
      Best = Least = Value;
    }
    if (A[I] == Own)
      continue;
    Changed = true;
    Current = outlooksOf(*Current.G, *Current.Whole);
  }
  return Changed;
}

// ", with 1.44 times as much machine code"
static std::string growthText(double CodeGrowth) {
  if (CodeGrowth < NotableGrowth)
    return "";
  return llvm::formatv(", with {0:F2} times as much machine code", CodeGrowth);
}

// Of the kernel that reaches array I in which it is most.
double Searcher::growthOf(unsigned I) const {
  double Growth = 1;
  for (unsigned Row : array(I).Kernels)
    Growth = std::max(Growth, E.codeOf(Row).Growth);
  return Growth;
}

// ", and occupancy falls from 64 to 8 warps per SM", if I moves with the rest.
std::string Searcher::fallText(unsigned I) const {
  for (unsigned Row : array(I).Kernels)
    if (const auto [Before, After] = E.warps(Row, A); After < Before)
      return llvm::formatv(", and occupancy falls from {0} to {1} warps per SM",
                           Before, After);
  return "";
}

// Leaves the one array where it is without which the group is predicted to be
// fastest.
bool Searcher::tryWithout(Outlooks &Current) {
  // What moves nothing is there anyway where the program chooses.
  if (chooses(*Current.G) &&
      llvm::count_if(Current.G->Arrays, [&](unsigned I) { return A[I]; }) < 2)
    return false;
  const double Best = Current.value();
  double BestWithout = Best * WorthAChange;
  std::optional<unsigned> Worst;
  for (unsigned I : Current.G->Arrays) {
    if (!A[I])
      continue;
    if (const double Value = valueWith(Current, I, nullptr);
        Value > BestWithout) {
      BestWithout = Value;
      Worst = I;
    }
  }
  if (!Worst)
    return false;
  Left[*Worst] = Why{
      Reason::NotProfitable, array(*Worst).Array.Where,
      llvm::formatv("with it, its kernels are predicted to run at {0:F2} of "
                    "their speed without",
                    Best / BestWithout)
              .str() +
          growthText(growthOf(*Worst)) + fallText(*Worst)};
  assign(*Worst, nullptr);
  Current = outlooksOf(*Current.G, *Current.Whole);
  return true;
}

// Whether a loss is expected, or the worst case loses more than is expected to
// be gained.
bool Searcher::loses(const Prediction &Foreseen) const {
  return Foreseen.Speedup < LeastOfGroup ||
         (Foreseen.Worst < LeastOfGroup &&
          Foreseen.Speedup * Foreseen.Worst < P.Options.MinSpeedup);
}

// Whether kernel Row would see later what other threads write, since it loads
// nothing else that drives a line out of the L1.
bool Searcher::polls(unsigned Row) const {
  const auto &Work = P.Run.Kernels[Row].Work;
  return Work && Work->Polls && Work->Rows + Work->Gathered == 0;
}

// Whether kernel Row keeps its arrays, and those of its group, as they are: it
// polls, loses, or does its work where nobody looked.
bool Searcher::mayNotChange(unsigned Row) const {
  if (polls(Row) || !P.Run.Kernels[Row].Work)
    return true;
  const auto Predicted = E.predict(Row, A, Asked);
  return Predicted && loses(*Predicted);
}

bool Searcher::isWorthIt(const KernelGroup &G, const Outlooks &Current) const {
  if (!archInfo(P.Options.GpuArch) ||
      llvm::any_of(G.Kernels, [&](unsigned Row) { return mayNotChange(Row); }))
    return false;
  // Without occupancy nothing can be predicted, of any kernel.
  return llvm::none_of(Current.Speedups, [](auto &Each) { return Each; }) ||
         Current.value() >= P.Options.MinSpeedup;
}

// Whether launches choose between all kernels of G and what they become.
bool Searcher::chooses(const KernelGroup &G) const {
  return llvm::all_of(G.Kernels,
                      [&](unsigned Row) { return P.Run.Kernels[Row].Chooses; });
}

// Whether a loss is undone when the program runs.
bool Searcher::isWorthTrying(const KernelGroup &G) const {
  return chooses(G) &&
         llvm::none_of(G.Kernels, [&](unsigned Row) { return polls(Row); });
}

// "predicted speedup 0.62, 0.40 to 0.95: shared memory costs 0.5, the access
// gains 1.24", or where nobody can know: "predicted speedup 1.2, but 0.6 if its
// grids are small; run `bankstripe tune` to measure it".
static std::string predictionText(const Prediction &P, double MinSpeedup,
                                  const std::string &Cost) {
  if (P.Speedup >= MinSpeedup && P.Worst < LeastOfGroup)
    return llvm::formatv("predicted speedup {0:F2}, but {1:F2} if {2}{3}; "
                         "run 'bankstripe tune' to measure it",
                         P.Speedup, P.Worst, P.WorstIf, Cost);
  std::string Text =
      llvm::formatv("predicted speedup {0:F2}, {1:F2} to {2:F2}: "
                    "resource factor {3:F2}, access factor {4:F2}",
                    P.Speedup, P.Low, P.High, P.ResourceFactor, P.AccessFactor);
  return Text + Cost;
}

void Searcher::leaveUndecided(const KernelGroup &G) {
  const MergedKernel *Polling = nullptr;
  std::map<unsigned, std::optional<Prediction>> Predicted;
  std::string Slowed; // Of a kernel for whose sake the others stay.
  const auto MayNot = [&](unsigned Row) { return mayNotChange(Row); };
  const bool SomeMay = !llvm::all_of(G.Kernels, MayNot);
  for (unsigned Row : G.Kernels) {
    Outlook[Row].HoldsOthers = SomeMay && MayNot(Row);
    if (polls(Row) && !Polling)
      Polling = &P.Run.Kernels[Row];
    const auto &Known = Predicted[Row] = E.predict(Row, A, Asked);
    if (Known && loses(*Known))
      Slowed = llvm::formatv(
          "but kernel '{0}', which shares arrays with its kernel, {1} run at "
          "{2:F2}",
          P.Run.Kernels[Row].Facts.Name,
          Known->Speedup < LeastOfGroup ? "would" : "may",
          std::min(Known->Speedup, Known->Worst));
  }
  for (unsigned I : G.Arrays) {
    if (!A[I])
      continue;
    const Prediction *Least = nullptr;
    for (unsigned Row : array(I).Kernels)
      if (const auto &Known = Predicted[Row];
          Known && (!Least || Known->Worst < Least->Worst))
        Least = &*Known;
    std::string Detail = "what a kernel that reaches it does was not seen: its "
                         "function is in another file";
    if (!archInfo(P.Options.GpuArch))
      Detail = "what an SM of " + P.Options.GpuArch +
               " has is not known, so nothing can be predicted";
    if (Least && !loses(*Least) && !Slowed.empty())
      Detail = llvm::formatv("predicted speedup {0:F2}, {1}", Least->Speedup,
                             Slowed);
    else if (Least)
      Detail = predictionText(*Least, P.Options.MinSpeedup,
                              growthText(Least->CodeGrowth) + fallText(I));
    Left[I] = Polling
                  ? Why{Reason::PollsMemory, array(I).Array.Where,
                        "kernel '" + Polling->Facts.Name + "'"}
                  : Why{Reason::NotProfitable, array(I).Array.Where, Detail};
  }
  for (unsigned I : G.Arrays)
    if (A[I])
      assign(I, nullptr);
}

// What a decision asks for moves, whatever is predicted of it, and joins
// nothing else. Rows are added for the carveout alone where it makes the
// difference, not wherever it might help: diffs are read.
void Searcher::climb(const KernelGroup &Whole) {
  std::vector<KernelGroup> NotWorthIt;
  for (KernelGroup &G : movingGroups([&](unsigned I) {
         return !Asked[I] && llvm::is_contained(Whole.Arrays, I);
       })) {
    Outlooks Current = outlooksOf(G, Whole);
    bool Changed = true;
    for (unsigned Round = 0; Changed && Round < MostRounds; ++Round) {
      Changed = tryLayouts(Current);
      Changed |= tryWithout(Current);
    }
    if (!isWorthIt(G, Current) && !isWorthTrying(G))
      NotWorthIt.push_back(std::move(G));
  }
  for (const KernelGroup &G : NotWorthIt)
    leaveUndecided(G);
  for (unsigned Row : Whole.Kernels) {
    KernelOutlook &O = Outlook[Row];
    O.Predicted = E.predict(Row, A);
    O.NeedsCarveout = E.needsCarveout(Row, A);
  }
}

// Gives array I, which had no room beside others, what those left, if that is
// worth it.
void Searcher::tryWith(unsigned I) {
  const Candidate &Smallest = P.Choices[I].Candidates.front();
  if (fullKernel(I, Smallest))
    return;
  const auto Before = std::tuple(A, Left, Outlook, Used);
  assign(I, &Smallest);
  Left[I].reset();
  const auto Groups = movingGroups([](unsigned) { return true; });
  const KernelGroup &G = *llvm::find_if(Groups, [&](const KernelGroup &Each) {
    return llvm::is_contained(Each.Arrays, I);
  });
  const double Least = valueWith(outlooksOf(G, G), I, nullptr) * WorthAChange;
  const bool HasRoom = !E.shortage(G, A);
  if (HasRoom)
    climb(G);
  if (HasRoom && A[I] && outlooksOf(G, G).value() > Least)
    return;
  std::optional<Why> Because = std::move(Left[I]);
  std::tie(A, Left, Outlook, Used) = Before;
  if (Because)
    Left[I] = std::move(Because);
}

// Whether array I is indexed by counters of each lane's own, as stacks are.
bool Searcher::isStack(unsigned I) const {
  return canBeSplit(array(I), 1) &&
         llvm::any_of(array(I).Kernels, [&](unsigned Row) {
           const auto &Work = P.Run.Kernels[Row].Work;
           if (!Work || !Work->Arrays.count(I))
             return false;
           const ArrayWork &Accesses = Work->Arrays.at(I);
           return Accesses.Counted.all() > Accesses.NonUniform.all();
         });
}

// How many elements of array I the usual split has, if they have room by
// themselves; else 0.
unsigned Searcher::firstThatFits(unsigned I) const {
  const unsigned First = firstAsked(array(I), {Layout::Split});
  const auto *Split = llvm::find_if(allLayouts(), [&](const LayoutInfo &L) {
    return L.As.Kind == VerdictKind::Split && L.Suits(array(I));
  });
  return First && Split != allLayouts().end() &&
                 llvm::all_of(array(I).Kernels,
                              [&](unsigned Row) {
                                const Form &F = P.Forms[Row];
                                return bytesIn(array(I), *Split, Row,
                                               F.largestBlock(),
                                               First) <= F.Budget;
                              })
             ? First
             : 0;
}

SearchResult Searcher::run() {
  fit();
  fitPlaces();
  Asked = A;
  for (auto [C, Choices] : llvm::zip(Asked, P.Choices))
    if (!Choices.Asked)
      C = nullptr;
  for (const KernelGroup &G : movingGroups([](unsigned) { return true; })) {
    if (P.Options.MinSpeedup > 0) {
      climb(G);
      continue;
    }
    Outlooks Current = outlooksOf(G, G);
    tryLayouts(Current); // That arrays move is asked for, and not how.
    for (unsigned Row : G.Kernels)
      Outlook[Row].Predicted = E.predict(Row, A);
  }
  for (auto [I, Why] : llvm::enumerate(Left))
    if (Why && Why->Why == Reason::OverBudget && P.Options.MinSpeedup > 0)
      tryWith(I);
  for (auto [I, Why] : llvm::enumerate(Left))
    if (Why && isStack(I)) {
      if (unsigned First =
              Why->Why == Reason::OverBudget ? firstThatFits(I) : 0)
        Why->Detail += "; --layout=split moves its first " +
                       std::to_string(First) + " elements";
      Why->Detail += llvm::StringRef(Why->Detail).ends_with("to measure it")
                         ? ", and whether its first elements alone pay"
                         : "; run 'bankstripe tune' to measure whether its "
                           "first elements alone pay";
    }
  return {std::move(A), std::move(Left), std::move(Outlook)};
}

SearchResult bankstripe::search(const Problem &P, const Evaluator &E) {
  return Searcher(P, E).run();
}
