//===-- Choose.cpp - the arrays and layouts that pay ----------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// After the budget says what can move, the model (Profit.cpp) says what should.
// Kernels that share arrays are decided together. From what fits, the arrays
// are taken back one at a time, and the layouts of the others exchanged, as
// long as the predicted time gets shorter; what is left must then be worth
// --min-speedup on the geometric mean of the group, and slow none of its
// kernels down. Hill climbing, because each step is easy to explain and groups
// are small.
//
//===----------------------------------------------------------------------===//

#include "plan/PlanInternal.h"
#include "plan/Profit.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace bankstripe;

/// A block of unknown size is taken to have so many threads.
static constexpr unsigned UsualBlock = 256;
/// Loss of one kernel that a gain of its group may cost.
static constexpr double LeastOfGroup = 0.98;
/// Leaving an array where it is has to promise this much.
static constexpr double WorthAChange = 1.01;
/// So has another form than the widest that fits, which was measured best in
/// real programs where the model sees no difference.
static constexpr double WorthAnotherLayout = 1.05;
/// Of forms that are not the widest none has such an advantage.
static constexpr double WorthAnotherForm = 1.001;
/// Accesses to single bytes at indices from data, as a share of all, beside
/// which a slot is still the faster: it saves some 5 % of those at one index,
/// and has conflicts at a fifth of the others.
static constexpr double MostBytesApart = 0.25;

namespace {

/// Decides about the arrays of a run.
class Chooser {
public:
  Chooser(MergedRun &Run, const PlanOptions &Options)
      : Run(Run), Options(Options) {}

  void chooseAll();

private:
  using Group = KernelGroup;

  void choose(const Group &G);
  bool tryLayouts(const Group &G, double &Best);
  bool tryWithout(const Group &G, double &Best);
  bool riskOutweighs(const Prediction &P) const;
  bool isWorthIt(const Group &G) const;
  void refuse(const Group &G);
  void settlePrediction(unsigned Row);

  /// Geometric mean of the predicted speedups of G's kernels.
  double valueOf(const Group &G) const;
  bool fits(const Group &G) const;
  std::optional<Prediction> predictionFor(unsigned Row) const;
  std::optional<Explanation> explanationFor(unsigned Row) const;
  std::vector<std::optional<Explanation>>
  explain(const Group &G, const std::vector<Verdict> &Start);
  void addAlternative(const Group &G, unsigned Array, const Verdict &Other,
                      const std::string &What,
                      std::vector<std::optional<Explanation>> &Explained);

  /// A kernel as the model sees it, with what is decided at the moment.
  struct Setting {
    Change Predicted;
    uint64_t SharedHad = 0, SharedHas = 0; ///< Per block.
  };
  KernelTraffic trafficOf(const KernelWork &Work, unsigned Threads) const;
  bool mayCarve(unsigned Row) const;
  double growthOf(unsigned Row) const; ///< When something moves.
  std::optional<Setting> settingOf(unsigned Row) const;
  uint64_t sharedOf(unsigned Row, unsigned Threads) const;

  MergedRun &Run;
  const PlanOptions &Options;
};

} // namespace

// What the arrays that move take of a block of so many Threads of kernel Row.
uint64_t Chooser::sharedOf(unsigned Row, unsigned Threads) const {
  return bytesTogether(
      moversOf(Run.Arrays, Row), Row, [&](const Verdict &V) -> unsigned {
        return V.Dynamic ? llvm::alignTo(Threads, 32) : Threads;
      });
}

static unsigned usualBlock(const KernelPlan &K) {
  if (K.BlockThreads)
    return K.BlockThreads;
  return K.Facts.Bounds ? std::min(UsualBlock, K.Facts.Bounds->Threads)
                        : UsualBlock;
}

KernelTraffic Chooser::trafficOf(const KernelWork &Work,
                                 unsigned Threads) const {
  KernelTraffic Traffic;
  Traffic.Work = Work;
  Traffic.Threads = Threads;
  for (const auto &[Index, W] : Work.Arrays) {
    const PlannedArray &A = Run.Arrays[Index];
    Traffic.Arrays.push_back(
        {W.Uniform, W.NonUniform, W.Counted, A.Array.ElementBytes,
         A.Array.BytesPerThread, A.Decision.usesShared(),
         A.Decision.Kind == VerdictKind::Slot, A.Decision.Form});
  }
  return Traffic;
}

static bool movesAny(const KernelTraffic &K) {
  return llvm::any_of(K.Arrays, [](const ArrayTraffic &A) { return A.Moved; });
}

std::optional<Chooser::Setting> Chooser::settingOf(unsigned Row) const {
  const KernelPlan &K = Run.Kernels[Row].Plan;
  if (!K.Work)
    return std::nullopt;
  Setting S;
  Change &C = S.Predicted;
  const unsigned Threads = usualBlock(K);
  C.Kernel = trafficOf(*K.Work, Threads);
  const auto &ShortWork = Run.Kernels[Row].ShortWork;
  C.Short = trafficOf(ShortWork ? *ShortWork : *K.Work, Threads);
  C.Carved = mayCarve(Row);
  if (movesAny(C.Kernel))
    C.CodeGrowth = growthOf(Row);
  const unsigned WarpsPerBlock = llvm::divideCeil(Threads, 32u);
  S.SharedHad = K.SharedBefore + K.DynamicSharedBytes;
  S.SharedHas = S.SharedHad + sharedOf(Row, Threads);
  auto With = [&](uint64_t SharedBytes) {
    Resources R;
    R.Warps = residentWarps(Options.GpuArch, Threads, K.Registers, SharedBytes);
    R.SharedBytes = R.Warps / WarpsPerBlock * SharedBytes;
    return R;
  };
  C.Had = With(S.SharedHad);
  C.Has = With(S.SharedHas);
  if (!C.Had.Warps || !C.Has.Warps)
    return std::nullopt;
  return S;
}

// Whether launches of a kernel will, or could be made to, see to its carve-out.
bool Chooser::mayCarve(unsigned Row) const {
  const KernelPlan &K = Run.Kernels[Row].Plan;
  if (Options.DefaultCarveout)
    return Options.DefaultCarveout->How == Carveout::Rule::Auto;
  return K.WhyLaunchesStay.empty() && !K.NamedInPart &&
         !K.Facts.AskedAboutAt.isValid();
}

std::optional<Prediction> Chooser::predictionFor(unsigned Row) const {
  auto S = settingOf(Row);
  if (!S)
    return std::nullopt;
  return predict(S->Predicted, archInfo(Options.GpuArch));
}

std::optional<Explanation> Chooser::explanationFor(unsigned Row) const {
  auto S = settingOf(Row);
  if (!S)
    return std::nullopt;
  const KernelPlan &K = Run.Kernels[Row].Plan;
  Explanation E = bankstripe::explain(S->Predicted, archInfo(Options.GpuArch));
  const unsigned Threads = S->Predicted.Kernel.Threads;
  E.Before.Limiter =
      warpLimiter(Options.GpuArch, Threads, K.Registers, S->SharedHad);
  E.After.Limiter =
      warpLimiter(Options.GpuArch, Threads, K.Registers, S->SharedHas);
  // The order of the arrays is that of K.Work.
  for (PredictedState *State : {&E.Before, &E.After})
    for (auto [Cost, Known] : llvm::zip(State->Arrays, K.Work->Arrays))
      Cost.Array = Known.first;
  return E;
}

double Chooser::valueOf(const Group &G) const {
  double Logarithm = 0;
  unsigned Known = 0;
  for (unsigned Row : G.Kernels)
    if (auto P = predictionFor(Row)) {
      Logarithm += std::log(P->Speedup);
      ++Known;
    }
  return Known ? std::exp(Logarithm / Known) : 1;
}

bool Chooser::fits(const Group &G) const {
  const std::vector<uint64_t> WarpBytes =
      placeDynamic(Run.Arrays, Run.Kernels.size());
  return llvm::all_of(G.Kernels, [&](unsigned Row) {
    const KernelRow &R = Run.Kernels[Row];
    const unsigned Threads = largestBlock(R.Plan);
    return (R.Dynamic ? WarpBytes[Row] * llvm::divideCeil(Threads, 32u)
                      : sharedOf(Row, Threads)) <= budgetOf(R, Options);
  });
}

// Whether a stripe, which has places for whole warps, has more of them than
// there are threads in any block that uses A.
static bool isForPartOfWarp(const PlannedArray &A,
                            const std::vector<KernelRow> &Rows) {
  return llvm::all_of(A.Kernels, [&](unsigned Row) {
    return largestBlock(Rows[Row].Plan) < 32;
  });
}

// Whether the array with number Index is of single bytes, and the lanes of a
// warp mostly use the same one.
static bool isOfBytesTogether(const PlannedArray &A, unsigned Index,
                              const std::vector<KernelRow> &Rows) {
  // Instances of a template may have elements of several sizes.
  if (A.Array.ElementBytes != 1 ||
      llvm::any_of(A.Array.Instances, [](const ArrayInstance &Instance) {
        return Instance.ElementBytes != 1;
      }))
    return false;
  double Together = 0, Apart = 0;
  for (unsigned Row : A.Kernels)
    if (const auto &Work = Rows[Row].Plan.Work)
      if (auto Found = Work->Arrays.find(Index); Found != Work->Arrays.end()) {
        Together += Found->second.Uniform.all() + Found->second.Counted.all();
        Apart += Found->second.NonUniform.all();
      }
  return Together > 0 && Apart <= MostBytesApart * (Together + Apart);
}

// Why the array with number Index, which could be a stripe, had better be a
// slot.
static std::optional<Reason> whySlot(const PlannedArray &A, unsigned Index,
                                     const std::vector<KernelRow> &Rows) {
  if (A.Decision.AsStripe)
    return std::nullopt;
  if (!A.Decision.Dynamic && isForPartOfWarp(A, Rows))
    return Reason::PartOfWarp;
  if (isOfBytesTogether(A, Index, Rows))
    return Reason::ByteElements;
  return std::nullopt;
}

// The layouts that array number Index could have instead of its own, forms of
// stripes first.
static std::vector<Verdict> otherLayouts(const PlannedArray &A, unsigned Index,
                                         const std::vector<KernelRow> &Rows) {
  std::vector<Verdict> Result;
  auto Add = [&](VerdictKind Kind, StripeForm Form, Reason Why) {
    Verdict V = A.Decision;
    V.Kind = Kind;
    V.Form = Form;
    V.Why = Why;
    V.SharedBytes = largestBytes(A, V, Rows);
    Result.push_back(std::move(V));
  };
  if (A.Decision.Kind != VerdictKind::Stripe || A.Decision.Asked)
    return Result;
  // Elements of one and two bytes have forms to choose from.
  const StripeForm Forms[] = {StripeForm::Packed, StripeForm::Unpacked,
                              StripeForm::Wide};
  const StripeForm Own = A.Decision.Form;
  if (llvm::is_contained(Forms, Own))
    for (StripeForm Form : Forms)
      if (Form != Own && (Form != StripeForm::Packed || !A.Array.NeedsAccessor))
        Add(VerdictKind::Stripe, Form, A.Decision.Why);
  if (auto Why = whySlot(A, Index, Rows))
    Add(VerdictKind::Slot, Own, *Why);
  return Result;
}

// Of several layouts that are worth it, the best is taken. Where a slot is
// proposed, the model does not see all of what it saves: it need not promise
// more. What its bytes cost is in the prediction.
bool Chooser::tryLayouts(const Group &G, double &Best) {
  bool Changed = false;
  for (unsigned I : G.Arrays) {
    PlannedArray &A = Run.Arrays[I];
    double Least = A.Decision.Form == StripeForm::Wide
                       ? Best * WorthAnotherLayout
                       : Best * WorthAnotherForm;
    for (Verdict &Other : otherLayouts(A, I, Run.Kernels)) {
      std::swap(A.Decision, Other);
      const double Value = fits(G) ? valueOf(G) : 0;
      const bool IsSlot = A.Decision.Kind == VerdictKind::Slot;
      if (Value >= (IsSlot ? Best * LeastOfGroup : Least)) {
        Best = Least = Value;
        Changed = true;
      } else {
        std::swap(A.Decision, Other);
      }
    }
  }
  return Changed;
}

// ", with 1.44 times as much machine code"
static std::string growthText(double CodeGrowth) {
  if (CodeGrowth < NotableGrowth && CodeGrowth > NotableShrinkage)
    return "";
  return llvm::formatv(", with {0:F2} times as much machine code", CodeGrowth);
}

double Chooser::growthOf(unsigned Row) const {
  auto Known = Options.CodeGrowth.find(Run.Kernels[Row].Plan.Facts.Id);
  return Known == Options.CodeGrowth.end() ? 1 : Known->second;
}

// Takes back the one array without which the group is predicted to be fastest.
bool Chooser::tryWithout(const Group &G, double &Best) {
  PlannedArray *Worst = nullptr;
  double BestWithout = Best * WorthAChange;
  for (unsigned I : G.Arrays) {
    PlannedArray &A = Run.Arrays[I];
    if (!A.Decision.usesShared() || A.Decision.Asked)
      continue;
    const VerdictKind Kind = std::exchange(A.Decision.Kind, VerdictKind::Keep);
    if (const double Value = fits(G) ? valueOf(G) : 0; Value > BestWithout) {
      BestWithout = Value;
      Worst = &A;
    }
    A.Decision.Kind = Kind;
  }
  if (!Worst)
    return false;
  Worst->Decision.Kind = VerdictKind::Keep;
  Worst->Decision.Why = Reason::NotProfitable;
  Worst->Decision.Where = Worst->Array.Where;
  Worst->Decision.SharedBytes = 0;
  Worst->Decision.Detail =
      llvm::formatv("with it, its kernels are predicted to run at {0:F2} of "
                    "their speed without",
                    Best / BestWithout);
  double Growth = 1;
  for (unsigned Row : Worst->Kernels)
    Growth = std::max(Growth, growthOf(Row));
  Worst->Decision.Detail += growthText(Growth);
  Best = BestWithout;
  return true;
}

// The worst case is a loss, and a larger one than the gain that is expected.
bool Chooser::riskOutweighs(const Prediction &P) const {
  return P.Worst < LeastOfGroup && P.Speedup * P.Worst < Options.MinSpeedup;
}

bool Chooser::isWorthIt(const Group &G) const {
  if (llvm::any_of(G.Arrays, [&](unsigned I) {
        const Verdict &V = Run.Arrays[I].Decision;
        return V.usesShared() && V.Asked;
      }))
    return true;
  bool Any = false;
  for (unsigned Row : G.Kernels) {
    if (!Run.Kernels[Row].Plan.Work)
      return false; // Its work is done where nobody looked.
    if (auto P = predictionFor(Row)) {
      Any = true;
      if (P->Speedup < LeastOfGroup || riskOutweighs(*P))
        return false;
    }
  }
  // Without occupancy nothing can be predicted, of any kernel.
  return !Any || valueOf(G) >= Options.MinSpeedup;
}

// "predicted speedup 0.62, 0.40 to 0.95: shared memory costs 0.5, the access
// gains 1.24", or where nobody can know: "predicted speedup 1.2, but 0.6 if
// loops of unknown length are short; `bankstripe tune` would know".
static std::string words(const Prediction &P, double MinSpeedup) {
  if (P.Speedup >= MinSpeedup && P.Worst < LeastOfGroup)
    return llvm::formatv("predicted speedup {0:F2}, but {1:F2} if {2}{3}; "
                         "'bankstripe tune' would know",
                         P.Speedup, P.Worst, P.WorstIf,
                         growthText(P.CodeGrowth));
  std::string Text =
      llvm::formatv("predicted speedup {0:F2}, {1:F2} to {2:F2}: shared "
                    "memory costs {3:F2}, the access gains {4:F2}",
                    P.Speedup, P.Low, P.High, P.Price, P.Gain);
  return Text + growthText(P.CodeGrowth);
}

void Chooser::refuse(const Group &G) {
  for (unsigned I : G.Arrays) {
    PlannedArray &A = Run.Arrays[I];
    Verdict &V = A.Decision;
    if (!V.usesShared())
      continue;
    std::optional<Prediction> Least;
    for (unsigned Row : A.Kernels)
      if (auto P = predictionFor(Row))
        if (!Least || P->Worst < Least->Worst)
          Least = P;
    V.Detail = Least ? words(*Least, Options.MinSpeedup)
                     : "what a kernel that reaches it does was not seen: its "
                       "function is in another file";
  }
  for (unsigned I : G.Arrays) {
    Verdict &V = Run.Arrays[I].Decision;
    if (!V.usesShared())
      continue;
    V.Kind = VerdictKind::Keep;
    V.Why = Reason::NotProfitable;
    V.Where = Run.Arrays[I].Array.Where;
    V.SharedBytes = 0;
  }
}

// What it would be worth if the array were treated as Other says.
void Chooser::addAlternative(
    const Group &G, unsigned Array, const Verdict &Other,
    const std::string &What,
    std::vector<std::optional<Explanation>> &Explained) {
  PlannedArray &A = Run.Arrays[Array];
  const Verdict Own = std::exchange(A.Decision, Other);
  if (fits(G))
    for (auto [Row, E] : llvm::zip(G.Kernels, Explained))
      if (E && llvm::is_contained(A.Kernels, Row))
        if (auto P = predictionFor(Row))
          E->Alternatives.push_back({What, *P});
  A.Decision = Own;
}

// The best change that was found, kernel by kernel, with all that differs from
// it by one array. Start is what the arrays of G would be if all moved.
std::vector<std::optional<Explanation>>
Chooser::explain(const Group &G, const std::vector<Verdict> &Start) {
  std::vector<std::optional<Explanation>> Explained;
  for (unsigned Row : G.Kernels)
    Explained.push_back(explanationFor(Row));
  for (auto [I, AtStart] : llvm::zip(G.Arrays, Start)) {
    const PlannedArray &A = Run.Arrays[I];
    const std::string Name = "'" + A.Array.Name + "'";
    if (!A.Decision.usesShared()) {
      addAlternative(G, I, AtStart, "with " + Name, Explained);
      continue;
    }
    Verdict Left = A.Decision;
    Left.Kind = VerdictKind::Keep;
    addAlternative(G, I, Left, "without " + Name, Explained);
    for (const Verdict &Other : otherLayouts(A, I, Run.Kernels))
      addAlternative(G, I, Other,
                     Name + " " +
                         (Other.Kind == VerdictKind::Slot
                              ? "as a slot"
                              : nameOf(Other.Form).str()),
                     Explained);
  }
  for (std::optional<Explanation> &E : Explained)
    if (E)
      llvm::stable_sort(E->Alternatives,
                        [](const Alternative &A, const Alternative &B) {
                          return A.Predicted.Speedup > B.Predicted.Speedup;
                        });
  return Explained;
}

void Chooser::choose(const Group &G) {
  std::vector<Verdict> Start;
  for (unsigned I : G.Arrays)
    Start.push_back(Run.Arrays[I].Decision);
  double Best = valueOf(G);
  bool Changed = true;
  // Each round takes an array back or promises more; enough for any kernel.
  for (unsigned Round = 0; Changed && Round < 64; ++Round) {
    Changed = tryLayouts(G, Best);
    Changed |= tryWithout(G, Best);
  }
  std::vector<std::optional<Explanation>> Explained = explain(G, Start);
  const bool Taken = isWorthIt(G);
  if (!Taken)
    refuse(G);
  for (auto [Row, E] : llvm::zip(G.Kernels, Explained)) {
    KernelPlan &K = Run.Kernels[Row].Plan;
    K.Explained = std::move(E);
    if (K.Explained)
      K.Explained->Taken = Taken;
  }
}

// Launches are edited for the carve-out alone where it makes the difference,
// not wherever it might help: diffs are read.
void Chooser::settlePrediction(unsigned Row) {
  const auto S = settingOf(Row);
  if (!S)
    return;
  KernelPlan &K = Run.Kernels[Row].Plan;
  K.Predicted = predict(S->Predicted);
  Change ByDriver = S->Predicted;
  ByDriver.Carved = false;
  ByDriver.CodeGrowth = 1; // No carve-out mends what that costs.
  K.NeedsCarveout =
      S->Predicted.Carved && predict(ByDriver).Worst < LeastOfGroup;
}

void Chooser::chooseAll() {
  auto Moves = [](const PlannedArray &A) { return A.Decision.usesShared(); };
  for (const Group &G : groupKernels(Run.Arrays, Moves)) {
    choose(G);
    for (unsigned Row : G.Kernels)
      settlePrediction(Row);
  }
}

void bankstripe::chooseProfitable(MergedRun &Run, const PlanOptions &Options) {
  if (Options.MinSpeedup > 0)
    Chooser(Run, Options).chooseAll();
}

uint64_t bankstripe::usualSharedLimit(const PlanOptions &Options) {
  const bool Predicts =
      Options.MinSpeedup > 0 && residentWarps(Options.GpuArch, 32, 0, 0) != 0;
  return Predicts && !Options.AllGpuArchs.empty() ? commonSharedLimit(Options)
                                                  : StaticSharedLimit;
}
