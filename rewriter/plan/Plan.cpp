//===-- Plan.cpp - from findings and evidence to verdicts -----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plan/Plan.h"
#include "plan/PlanInternal.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace bankstripe;

static Verdict verdict(Reason Why, const Place &Where,
                       std::string Detail = "") {
  Verdict V;
  V.Kind = infoOf(Why).Verdict;
  V.Why = Why;
  V.Where = Where;
  V.Detail = std::move(Detail);
  return V;
}

// A table that can become static: its uses need not be understood, but no cast
// may claim more than the alignment of its type.
static bool canBeConstant(const Finding &F) {
  const bool AllConstant =
      F.OtherDepths.empty() &&
      llvm::all_of(F.Uses, [](const Use &U) { return U.ConstantIndex; });
  const bool Claimed = llvm::any_of(F.Instances, [](const ArrayInstance &I) {
    return I.SlotAlignment > I.Alignment;
  });
  return F.NeverWritten && !AllConstant && !Claimed &&
         llvm::none_of(F.Obstacles, [](const Obstacle &O) {
           return infoOf(O.Why).Verdict != VerdictKind::Slot ||
                  O.Why == Reason::QualifiedType;
         });
}

// The obstacle that keeps an array from moving in any form. Outside the given
// paths nothing else matters.
static const Obstacle *hardObstacle(const Finding &F) {
  const Obstacle *First = nullptr;
  for (const Obstacle &O : F.Obstacles) {
    if (O.Why == Reason::OutsidePaths)
      return &O;
    if (!First && infoOf(O.Why).Verdict != VerdictKind::Slot)
      First = &O;
  }
  return First;
}

// Why a kernel that reaches the array cannot take shared memory.
static std::optional<Verdict>
verdictOfKernels(const PlannedArray &A, const std::vector<KernelRow> &Rows) {
  if (A.Kernels.empty())
    return verdict(Reason::NoKernel, A.Array.Where);
  for (unsigned K : A.Kernels) {
    const KernelRow &Row = Rows[K];
    if (Row.Obstacle)
      return Row.Obstacle;
    const Kernel &Facts = Row.Plan.Facts;
    if (Row.Plan.AddLaunchBounds && !Facts.MayEdit)
      return verdict(Reason::OutsidePaths, Facts.Where,
                     "its kernel '" + Facts.Name + "' needs launch bounds");
  }
  return std::nullopt;
}

// What the user said comes first, then what makes a change needless, then what
// makes it impossible, in source order.
std::optional<Verdict> bankstripe::verdictOfArray(const PlannedArray &A) {
  const Finding &F = A.Array;
  for (const Obstacle &O : F.Obstacles)
    if (O.Why == Reason::Nolint)
      return verdict(O.Why, O.Where, O.Detail);
  // The evidence cannot tell a table in constant storage from registers.
  if (canBeConstant(F))
    return verdict(Reason::ConstantTable, F.Where);
  if (F.Uses.empty() && F.OtherDepths.empty() && F.Obstacles.empty())
    return verdict(Reason::NeverUsed, F.Where);
  if (A.Evidence.Where == Residency::Registers)
    return verdict(Reason::StaysInRegisters, F.Where);
  // Nothing could give a stripe or a slot of const elements its values.
  if (F.HasConst && F.Init != InitializerKind::None)
    return verdict(Reason::ConstElements, F.Where);
  if (const Obstacle *O = hardObstacle(F))
    return verdict(O->Why, O->Where, O->Detail);
  if (A.Evidence.Where == Residency::Unknown && !A.Kernels.empty())
    return verdict(Reason::NoEvidence, F.Where);
  return std::nullopt;
}

// Why an array cannot lie in the memory that launches bring.
static std::optional<Verdict>
verdictOfPlace(const PlannedArray &A, const std::vector<KernelRow> &Rows) {
  if (hasOnePlace(A))
    return std::nullopt;
  for (unsigned K : A.Kernels)
    if (Rows[K].Dynamic) {
      Verdict V = Rows[K].Unbounded
                      ? *Rows[K].Unbounded
                      : verdict(Reason::OverBudget, A.Array.Where);
      V.Detail += (V.Detail.empty() ? "" : "; ") +
                  std::string("launches bring one place, and a kernel runs "
                              "several instances of its function");
      return V;
    }
  return std::nullopt;
}

std::optional<Verdict>
bankstripe::verdictBeforeBudget(const PlannedArray &A,
                                const std::vector<KernelRow> &Rows) {
  if (auto V = verdictOfArray(A))
    return V;
  if (auto V = verdictOfKernels(A, Rows))
    return V;
  return verdictOfPlace(A, Rows);
}

// How a kernel's bound is spelled in its own body; empty when a number must do.
static std::string boundText(const PlannedArray &A,
                             const std::vector<KernelRow> &Rows) {
  if (!A.Array.InKernel)
    return "";
  std::string Text;
  for (unsigned K : A.Kernels) {
    const auto &Bounds = Rows[K].Plan.Facts.Bounds;
    if (!Bounds || Bounds->Text.empty() ||
        (!Text.empty() && Text != Bounds->Text))
      return "";
    Text = Bounds->Text;
  }
  return Text;
}

// The verdict of an array that can move, if there is room for it.
static Verdict movingVerdict(const PlannedArray &A,
                             const std::vector<KernelRow> &Rows) {
  const Finding &F = A.Array;
  Verdict V = verdict(Reason::DynamicIndex, F.Where);
  if (!F.Obstacles.empty()) {
    const Obstacle &O = F.Obstacles.front();
    V = verdict(O.Why, O.Where, O.Detail);
  }
  V.Form = smallestForm(A);
  for (unsigned K : A.Kernels) {
    V.Dynamic |= Rows[K].Dynamic;
    V.Behind |= Rows[K].Behind;
    V.Threads = std::max(V.Threads, largestBlock(Rows[K].Plan));
  }
  if (!V.Dynamic)
    V.ThreadsText = boundText(A, Rows);
  return V;
}

static void setOccupancy(KernelPlan &K, const PlanOptions &Options) {
  K.WarpsBefore = residentWarps(Options.GpuArch, K.BlockThreads, K.Registers,
                                K.SharedBefore + K.DynamicSharedBytes);
  K.WarpsAfter = residentWarps(Options.GpuArch, K.BlockThreads, K.Registers,
                               K.SharedAfter + K.DynamicSharedBytes);
}

// What the verdicts of P take from its kernels.
static void account(Plan &P, const PlanOptions &Options) {
  const std::vector<uint64_t> WarpBytes =
      placeDynamic(P.Arrays, P.Kernels.size());
  for (unsigned I = 0; I < P.Kernels.size(); ++I) {
    KernelPlan &K = P.Kernels[I];
    K.WarpBytes = WarpBytes[I];
    std::vector<Mover> Static = moversOf(P.Arrays, I);
    llvm::erase_if(Static, [](const Mover &M) { return M.Decision->Dynamic; });
    K.SharedAfter =
        K.SharedBefore + bytesTogether(Static, I, [&](const Verdict &V) {
          return storageThreads(V, K);
        });
  }
  for (KernelPlan &K : P.Kernels) {
    K.SharedAfter += dynamicBytes(K);
    K.AddLaunchBounds &= K.SharedAfter != K.SharedBefore;
    K.OptIn =
        K.WarpBytes && K.SharedAfter + llvm::alignTo(K.DynamicSharedBytes, 16) >
                           StaticSharedLimit;
    setOccupancy(K, Options);
  }
  chooseCarveouts(P, Options);
  llvm::erase_if(P.Launches, [&](const PlannedLaunch &L) {
    return !P.Kernels[L.Kernel].editsLaunches();
  });
}

// Instantiations of one kernel share the text of the bound that is added to
// them, so they get the largest of their blocks; where one is not known, none
// is.
static void shareLaunchBounds(std::vector<KernelRow> &Rows) {
  std::map<std::pair<std::string, unsigned>, std::vector<KernelRow *>> Groups;
  for (KernelRow &Row : Rows)
    if (const Kernel &K = Row.Plan.Facts;
        !K.Bounds && K.BoundsInsertion.isValid())
      Groups[{K.BoundsInsertion.File, K.BoundsInsertion.Offset}].push_back(
          &Row);
  for (auto &[Text, Group] : Groups) {
    const KernelRow *Largest = Group.front(), *Obstructed = nullptr;
    for (const KernelRow *Row : Group) {
      if (Row->Obstacle)
        Obstructed = Row;
      if (Row->Plan.BlockThreads > Largest->Plan.BlockThreads)
        Largest = Row;
    }
    for (KernelRow *Row : Group) {
      Row->Plan.BlockThreads = Largest->Plan.BlockThreads;
      Row->Plan.BoundsToAdd = Largest->Plan.BoundsToAdd;
      Row->Plan.SourceText = Largest->Plan.SourceText;
      if (Obstructed && !Row->Obstacle)
        Row->Obstacle = Obstructed->Obstacle;
    }
  }
}

// Puts arrays and kernels into the order in which people read them.
static Plan assemble(MergedRun Run) {
  Plan P;
  std::vector<unsigned> Order(Run.Kernels.size());
  for (unsigned I = 0; I < Order.size(); ++I)
    Order[I] = I;
  llvm::sort(Order, [&](unsigned A, unsigned B) {
    const Kernel &X = Run.Kernels[A].Plan.Facts, &Y = Run.Kernels[B].Plan.Facts;
    return std::tie(X.Where, X.Id) < std::tie(Y.Where, Y.Id);
  });
  std::vector<unsigned> NewIndex(Order.size());
  for (unsigned I = 0; I < Order.size(); ++I) {
    NewIndex[Order[I]] = I;
    KernelRow &Row = Run.Kernels[Order[I]];
    if (Row.Plan.WhyLaunchesStay.empty()) {
      for (Launch &L : Row.Launches)
        P.Launches.push_back({std::move(L.Text), I});
      for (OccupancyQuery &Q : Row.Queries)
        P.Launches.push_back({std::move(Q.Text), I});
    }
    P.Kernels.push_back(std::move(Row.Plan));
  }
  for (PlannedArray &A : Run.Arrays) {
    for (unsigned &K : A.Kernels)
      K = NewIndex[K];
    for (std::vector<unsigned> &Rows : A.InstanceKernels)
      for (unsigned &K : Rows)
        K = NewIndex[K];
  }
  std::vector<unsigned> ArrayOrder(Run.Arrays.size());
  std::iota(ArrayOrder.begin(), ArrayOrder.end(), 0);
  llvm::stable_sort(ArrayOrder, [&](unsigned A, unsigned B) {
    return Run.Arrays[A].Array.Where < Run.Arrays[B].Array.Where;
  });
  std::vector<unsigned> NewArray(ArrayOrder.size());
  for (unsigned I = 0; I < ArrayOrder.size(); ++I) {
    NewArray[ArrayOrder[I]] = I;
    P.Arrays.push_back(std::move(Run.Arrays[ArrayOrder[I]]));
  }
  for (KernelPlan &K : P.Kernels)
    if (K.Work) {
      std::map<unsigned, ArrayWork> Work;
      for (const auto &[Index, W] : K.Work->Arrays)
        Work[NewArray[Index]] = W;
      K.Work->Arrays = std::move(Work);
    }
  for (KernelPlan &K : P.Kernels)
    if (K.Explained)
      for (PredictedState *State : {&K.Explained->Before, &K.Explained->After})
        for (ArrayCost &Cost : State->Arrays)
          Cost.Name = P.Arrays[NewArray[Cost.Array]].Array.Name;
  P.Callees = std::move(Run.Callees);
  P.Contents = std::move(Run.Contents);
  return P;
}

Plan bankstripe::makePlan(std::vector<UnitResult> Units,
                          const PlanOptions &Options) {
  resolveParameters(Units);
  MergedRun Run = mergeUnits(std::move(Units));
  for (KernelRow &Row : Run.Kernels)
    boundBlockSize(Row, Options);
  shareLaunchBounds(Run.Kernels);
  chooseDynamic(Run, Options);
  std::vector<DecisionOutcome> Outcomes;
  const std::vector<Wish> Wishes = findWishes(Run, Options, Outcomes);

  std::vector<unsigned> Candidates;
  for (unsigned I = 0; I < Run.Arrays.size(); ++I) {
    PlannedArray &A = Run.Arrays[I];
    auto Before = heedUnrolling(verdictBeforeBudget(A, Run.Kernels), A, Options,
                                Wishes[I]);
    if (auto V = heedKeep(std::move(Before), A, Wishes[I]))
      A.Decision = std::move(*V);
    else {
      A.Decision = movingVerdict(A, Run.Kernels);
      heedLayout(A.Decision, Wishes[I]);
      Candidates.push_back(I);
    }
  }
  std::vector<uint64_t> Budgets;
  for (const KernelRow &Row : Run.Kernels)
    Budgets.push_back(budgetOf(Row, Options));
  fitIntoBudget(Run.Arrays, Candidates, Run.Kernels, std::move(Budgets));
  fitDynamic(Run, Options);
  chooseProfitable(Run, Options);
  Plan P = assemble(std::move(Run));
  P.GpuArch = Options.GpuArch;
  account(P, Options);
  P.Outcomes = std::move(Outcomes);
  settleOutcomes(P);
  return P;
}

// The evidence that keeps the fewest arrays where they are.
static UnitEvidence bestEvidence(const UnitFacts &Unit) {
  ArrayEvidence Best;
  Best.Where = Residency::LocalMemory;
  Best.Index = Uniformity::NonUniform;
  UnitEvidence Evidence;
  Evidence.Arrays.assign(Unit.Findings.size(), Best);
  return Evidence;
}

bool bankstripe::mayChange(const UnitFacts &Unit, PlanOptions Options) {
  // Loops and carve-outs may change where no array moves.
  if (Options.Unroll || Options.DefaultCarveout ||
      !Options.KernelDecisions.empty())
    return true;
  Options.MinSpeedup = 0;
  const Plan P = makePlan({{Unit, bestEvidence(Unit), {}}}, Options);
  return llvm::any_of(P.Arrays, [](const PlannedArray &A) {
    return A.Decision.changesSource();
  });
}

void bankstripe::reserveOnly(Plan &P, const std::set<unsigned> &Kernels) {
  for (unsigned Row : Kernels)
    if (KernelPlan &K = P.Kernels[Row]; K.Facts.BodyStart.isValid())
      K.Reserved = K.SharedAfter - K.SharedBefore - dynamicBytes(K);
  for (PlannedArray &A : P.Arrays)
    if (llvm::any_of(A.Kernels, [&](unsigned K) { return Kernels.count(K); }))
      A.Decision = verdict(Reason::DecidedKeep, A.Array.Where);
}

ArrayDecision bankstripe::decisionAbout(const Plan &P, unsigned ArrayIndex,
                                        Layout Wanted) {
  const Finding &F = P.Arrays[ArrayIndex].Array;
  ArrayDecision D;
  D.File = F.Where.File;
  D.Function = F.Function;
  D.Array = F.Name;
  D.Wanted = Wanted;
  for (unsigned I = 0; I < ArrayIndex; ++I) {
    const Finding &Earlier = P.Arrays[I].Array;
    D.Occurrence += Earlier.Where.File == D.File &&
                    Earlier.Function == D.Function && Earlier.Name == D.Array;
  }
  return D;
}

void bankstripe::withdraw(Plan &P, unsigned ArrayIndex, Reason Why,
                          const std::string &Detail,
                          const PlanOptions &Options) {
  PlannedArray &A = P.Arrays[ArrayIndex];
  A.Decision = verdict(Why, A.Array.Where, Detail);
  // Nothing is left of what was predicted for a kernel in which nothing moves.
  for (unsigned Row : A.Kernels) {
    if (llvm::any_of(P.Arrays, [Row](const PlannedArray &Other) {
          return Other.Decision.usesShared() &&
                 llvm::is_contained(Other.Kernels, Row);
        }))
      continue;
    P.Kernels[Row].Predicted.reset();
    if (P.Kernels[Row].Explained)
      P.Kernels[Row].Explained->Taken = false;
  }
  settleOutcomes(P);
  account(P, Options);
}
