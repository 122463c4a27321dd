//===-- MakePlan.cpp - from findings and evidence to verdicts -------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plan/MakePlan.h"
#include "plan/AssignmentSearch.h"
#include "plan/BlockBound.h"
#include "plan/Decide.h"
#include "plan/Form.h"
#include "plan/Frames.h"
#include "plan/FunctionCopies.h"
#include "plan/Measured.h"
#include "plan/RunTimeChoice.h"
#include "plan/Versions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <numeric>

using namespace bankstripe;

namespace {

/// Makes verdicts and kernels of what was found.
class Builder {
public:
  Builder(const Problem &P, const Evaluator &E, const SearchResult &Found,
          const Measured &Known);

  void addArrays(Plan &Into) const;
  void addKernels(Plan &Into) const;

private:
  Verdict verdictOf(unsigned I) const;
  Verdict movingVerdict(unsigned I) const;
  uint64_t warpBytes(unsigned Row) const;
  template <class Something>
  bool reachesAny(const std::vector<Something> &List, unsigned Row) const;
  KernelPlan kernelPlan(unsigned Row) const;

  const Problem &P;
  const Evaluator &E;
  const SearchResult &Found;
  std::map<Place, Treatment> Treatments;
  std::vector<std::optional<Why>> TakenBack; ///< By array: what nvcc says.
  Assignment Final;                          ///< Without these.
  WarpPlaces Places;
};

} // namespace

static Treatment treatmentOf(const ReachedArray &A, const Candidate &C) {
  return {C.Layout->As.Kind, C.Layout->As.Form, A.First};
}

Builder::Builder(const Problem &P, const Evaluator &E,
                 const SearchResult &Found, const Measured &Known)
    : P(P), E(E), Found(Found), Final(Found.Best) {
  const std::vector<ReachedArray> &Arrays = P.Run.Arrays;
  for (auto [I, A] : llvm::enumerate(Arrays)) {
    const auto &Fixed = P.Choices[I].Fixed;
    if (Known.isOpen(A.Array.Where))
      Final[I] = nullptr;
    else if (Found.Best[I])
      Treatments[A.Array.Where] = treatmentOf(A, *Found.Best[I]);
    else if (Fixed && infoOf(Fixed->Why).Verdict == VerdictKind::Constant)
      Treatments[A.Array.Where] = {infoOf(Fixed->Why).Verdict,
                                   StripeForm::Plain};
  }
  for (unsigned I = 0; I < Arrays.size(); ++I) {
    TakenBack.push_back(
        Found.Best[I] && !Final[I]
            ? Why{Reason::StaysInRegisters, Arrays[I].Array.Where, ""}
            : whyTakenBack(I, Treatments, P.Run, Known));
    if (TakenBack.back())
      Final[I] = nullptr;
  }
  std::vector<unsigned> All(Arrays.size());
  std::iota(All.begin(), All.end(), 0);
  Places = E.placesOf(All, Final);
}

static Verdict verdict(const Why &Because) {
  Verdict V;
  V.Kind = infoOf(Because.Why).Verdict;
  V.Why = Because.Why;
  V.Where = Because.Where;
  V.Detail = Because.Detail;
  return V;
}

// --- Arrays ------------------------------------------------------------------

// What would let the arrays of K move that nobody bounds the blocks of: each is
// tried.
static std::string adviceOnBlocks(const MergedKernel &K,
                                  const PlanOptions &Options) {
  std::vector<std::string> Advice;
  MergedKernel Bounded = K;
  Bounded.Facts.Bounds = LaunchBounds{UsualBlock, std::to_string(UsualBlock)};
  if (K.Facts.BoundsExcludedBy.empty() &&
      !boundBlock(Bounded, Options).Obstacle)
    Advice.emplace_back(
        "write the number into __launch_bounds__ of the kernel");
  PlanOptions Asked = Options;
  Asked.BlockSize = LargestBlock;
  if (!boundBlock(K, Asked).Obstacle)
    Advice.emplace_back("give --block-size");
  Asked.Others = Outside::Files;
  if (whyNoVersion(K, Asked).empty())
    Advice.emplace_back("give --versions");
  return Advice.empty() ? "change what the message names"
                        : llvm::join(Advice, ", or ");
}

Verdict Builder::movingVerdict(unsigned I) const {
  const Candidate &C = *Final[I];
  const ArrayChoices &Choices = P.Choices[I];
  Verdict V = verdict(C.Reason);
  static_cast<Treatment &>(V) = treatmentOf(P.Run.Arrays[I], C);
  V.Asked = Choices.Asked;
  if (C.isBits()) {
    V.Storage.DeviceOnly = P.Run.Arrays[I].Array.Function.MayBeReadForHost;
    return V;
  }
  V.SharedBytes = C.largestBytes();
  Storage &S = V.Storage = Choices.Storage;
  S.TestsBlock = !P.Run.Arrays[I].Array.Function.IsKernel && !S.Dynamic &&
                 !S.InCopy && S.Threads < LargestBlock;
  if (S.Dynamic) {
    S.WarpOffset = Places.Offsets.at(I);
    S.BytesPerWarp = C.BytesPerWarp;
    S.WarpBytes = warpBytes(P.Run.Arrays[I].Kernels.front());
  }
  return V;
}

Verdict Builder::verdictOf(unsigned I) const {
  const ArrayChoices &Choices = P.Choices[I];
  if (TakenBack[I])
    return verdict(*TakenBack[I]);
  Verdict V = Choices.Fixed ? verdict(*Choices.Fixed)
              : Final[I]    ? movingVerdict(I)
                            : verdict(*Found.Left[I]);
  if (!Choices.Fixed && !Final[I])
    V.Kind = VerdictKind::Unchanged;
  const auto Kernels = P.Run.Arrays[I].Kernels;
  const auto Stuck = llvm::find_if(
      Kernels, [&](unsigned Row) { return P.Forms[Row].WhyStays; });
  if (V.Why == Reason::BlockSizeUnknown && Stuck != Kernels.end())
    V.Advice = adviceOnBlocks(P.Run.Kernels[*Stuck], P.Options);
  return V;
}

void Builder::addArrays(Plan &Into) const {
  for (auto [I, A] : llvm::enumerate(P.Run.Arrays)) {
    PlannedArray &Planned = Into.Arrays.emplace_back();
    static_cast<ReachedArray &>(Planned) = A;
    Planned.Verdict = verdictOf(I);
  }
  Into.Treatments = Treatments;
}

// --- Kernels -----------------------------------------------------------------

uint64_t Builder::warpBytes(unsigned Row) const {
  auto It = Places.Sizes.find(Row);
  return It == Places.Sizes.end() ? 0 : It->second;
}

// Whether kernel Row reaches an array that has something in List.
template <class Something>
bool Builder::reachesAny(const std::vector<Something> &List,
                         unsigned Row) const {
  return llvm::any_of(llvm::zip(P.Run.Arrays, List), [&](const auto &Each) {
    return std::get<1>(Each) &&
           llvm::is_contained(std::get<0>(Each).Kernels, Row);
  });
}

// Only if both numbers are so in all builds. A launch may be counted for
// kernels that it does not name.
static std::map<Place, unsigned> failingLaunches(const MergedKernel &K) {
  std::map<Place, unsigned> Failing;
  const auto &Bounds = K.Facts.Bounds;
  for (const Launch &L : K.Launches)
    if (Bounds && Bounds->IsFixed && L.IsFixed && L.KernelId == K.Facts.Id &&
        *L.Threads > Bounds->Threads)
      Failing[L.Where] = *L.Threads;
  return Failing;
}

KernelPlan Builder::kernelPlan(unsigned Row) const {
  const MergedKernel &Merged = P.Run.Kernels[Row];
  const Form &F = P.Forms[Row];
  const KernelOutlook &Outlook = Found.Outlook[Row];
  KernelPlan K;
  K.Facts = Merged.Facts;
  K.Failing = failingLaunches(Merged);
  K.Block = F.Block;
  K.SharedBefore = Merged.Shared.StaticBytes;
  K.SharedAfter = K.SharedBefore + E.staticBytes(Row, Final) +
                  broughtBytes(warpBytes(Row), F.Block.Threads);
  K.AddLaunchBounds = F.AddBounds && K.SharedAfter != K.SharedBefore;
  K.DynamicSharedBytes = F.OwnDynamicBytes;
  K.WarpBytes = warpBytes(Row);
  K.MovesArrays = reachesAny(Final, Row);
  K.HasVersion = F.IsVersion && K.SharedAfter != K.SharedBefore;
  K.Waits = Merged.WaitsForBlocks || !Merged.UnseenCallee.empty();
  K.WhereResident = Merged.WhereResident;
  K.Chooses = Merged.Chooses && K.MovesArrays;
  K.WhyNoChoice = Merged.Chooses
                      ? "none of its arrays would move; each array says why"
                      : Merged.WhyNoChoice;
  K.HasVersion |= K.Chooses;
  K.Work = Merged.Work;
  K.WhyNoRow = F.WhyNoRow;
  K.Registers = Merged.registers();
  K.Frame = Merged.Frame;
  K.NeedsCarveout = Outlook.NeedsCarveout;
  K.HoldsOthers = Outlook.HoldsOthers;
  // Nothing is left of what was predicted for a kernel that keeps its arrays.
  if (K.MovesArrays || !reachesAny(TakenBack, Row))
    K.Predicted = Outlook.Predicted;
  auto Warps = [&](unsigned Registers, uint64_t SharedBytes) {
    return residentWarps(P.Options.GpuArch, K.Block.Threads, Registers,
                         SharedBytes + K.DynamicSharedBytes);
  };
  K.WarpsBefore = Warps(K.Registers, K.SharedBefore);
  K.WarpsAfter = Warps(K.MovesArrays ? E.codeOf(Row).Registers : K.Registers,
                       K.SharedAfter);
  return K;
}

// Whether a function of kernel \p Row tests for blocks larger than so many
// threads or more.
static bool callsTests(const Plan &P, unsigned Row, unsigned Threads = 0) {
  return llvm::any_of(P.Arrays, [&](const PlannedArray &A) {
    return A.Verdict.Storage.TestsBlock &&
           Threads <= A.Verdict.Storage.Threads &&
           llvm::is_contained(A.Kernels, Row);
  });
}

void Builder::addKernels(Plan &Into) const {
  for (unsigned Row = 0; Row < P.Run.Kernels.size(); ++Row)
    Into.Kernels.push_back(kernelPlan(Row));
  // Instances share their text.
  std::set<TextRange> WithVersion, Waiting, Choosing;
  for (const KernelPlan &K : Into.Kernels) {
    if (K.HasVersion)
      WithVersion.insert(K.Facts.Text.Definition);
    if (K.Waits)
      Waiting.insert(K.Facts.Text.Definition);
    if (K.Chooses)
      Choosing.insert(K.Facts.Text.Definition);
  }
  for (KernelPlan &K : Into.Kernels) {
    K.HasVersion = WithVersion.count(K.Facts.Text.Definition);
    K.Waits = Waiting.count(K.Facts.Text.Definition);
    K.Chooses = Choosing.count(K.Facts.Text.Definition);
    if (K.Chooses)
      K.WhyNoChoice.clear();
  }
}

// The bounds that kernel \p K of \p P has or gets, and their text; 0 for none
// that its body can say. Instances share what is added. Bounds that are written
// may be others for another architecture, so no number can stand for them.
static std::pair<unsigned, std::string> boundsOf(const KernelPlan &K,
                                                 const Plan &P) {
  if (const auto &Own = K.Facts.Bounds)
    return {Own->Text.empty() ? 0 : Own->Threads, Own->Text};
  for (const KernelPlan &Other : P.Kernels)
    if (Other.AddLaunchBounds &&
        Other.Facts.BoundsInsertion == K.Facts.BoundsInsertion)
      return {Other.Block.ToAdd, std::to_string(Other.Block.ToAdd)};
  return {0, ""};
}

// The driver enforces launch bounds, so tests for larger blocks are for nothing
// there. Inlined into a loop, they keep compilers from moving instructions
// (measurements/2026-11-26-tests-of-blocks.md).
static void assumeBounds(Plan &P) {
  for (auto [Row, K] : llvm::enumerate(P.Kernels)) {
    const auto [Threads, Text] = boundsOf(K, P);
    if (Threads && K.Facts.MayEdit && K.Facts.BodyBegin.isValid() &&
        callsTests(P, Row, Threads))
      K.AssumedBlock = Text;
  }
}

// --- Carveouts: what launches leave to the L1 --------------------------------

// Why the launches of a kernel do not see to its carveout; empty when they do.
static std::string whyDriver(const KernelPlan &K) {
  if (K.SharedAfter == K.SharedBefore)
    return "nothing moves into its shared memory";
  if (K.HasVersion)
    return "";
  return K.WhyNoRow;
}

static void settleKernel(KernelOutcome &O, Plan &P) {
  const KernelDecision &D = O.Decision;
  O.State = DecisionState::Stale;
  O.Detail = D.Problem;
  if (!O.Detail.empty())
    return;
  if (!P.Contents.count(D.File)) {
    O.State = DecisionState::Skipped;
    O.Detail = "this run saw no array and no kernel in that file";
    return;
  }
  O.Detail = "no kernel '" + D.Kernel + "' was found in that file";
  for (KernelPlan &K : P.Kernels) {
    if (!speaksOf(D, K.Facts))
      continue;
    O.Detail = D.Wanted && *D.Wanted != Carveout() ? whyDriver(K) : "";
    const bool Carves = D.Wanted && O.Detail.empty();
    // Where launches bring storage, any block will do.
    if (O.Detail.empty() && D.BlockSize && K.Block.Threads &&
        K.Block.Threads != *D.BlockSize)
      O.Detail = "its block size is known";
    O.State = O.Detail.empty()   ? DecisionState::Used
              : !K.Facts.MayEdit ? DecisionState::Skipped
                                 : DecisionState::Unfulfilled;
    if (D.Wanted)
      K.Carved = Carves ? *D.Wanted : Carveout();
  }
}

static void chooseCarveouts(Plan &P, const PlanOptions &Options) {
  for (KernelPlan &K : P.Kernels) {
    K.Carved = Options.DefaultCarveout.value_or(Carveout{
        K.WarpBytes || K.HasVersion || K.NeedsCarveout ? Carveout::Rule::Auto
                                                       : Carveout::Rule::Driver,
        0});
    if (!whyDriver(K).empty())
      K.Carved = Carveout();
  }
  for (const KernelDecision &D : Options.KernelDecisions)
    settleKernel(P.KernelOutcomes.emplace_back(KernelOutcome{D, {}, ""}), P);
  std::ranges::sort(P.KernelOutcomes, {},
                    [](const KernelOutcome &O) { return O.Decision.Where; });
}

// --- Runs --------------------------------------------------------------------

static Plan planRun(MergedRun Merged, const PlanOptions &Options,
                    const Measured &Known) {
  const auto [Run, Forms] = findVersions(std::move(Merged), Options);
  const std::vector<ArrayChoices> Choices = choicesOf(Run, Forms);
  const std::map<std::string, ChangedCode> Code = changedCode(Run, Known);
  const Problem Sought{Run, Forms, Choices, Options, Code};
  const Evaluator E(Sought);
  const SearchResult Found = search(Sought, E);

  Plan P;
  P.GpuArch = Options.GpuArch;
  P.ProgramFiles = Options.Others == Outside::Nobody ? Options.FilesRead : 0;
  P.Callees = Run.Callees;
  P.Contents = Run.Contents;
  P.Expanded = Run.Expanded;
  P.NumberedFiles = Run.NumberedFiles;
  P.Outcomes = Run.Outcomes;
  const Builder B(Sought, E, Found, Known);
  B.addArrays(P);
  B.addKernels(P);
  FunctionCopies(Run).addTo(P);
  assumeBounds(P);
  chooseCarveouts(P, Options);
  settleOutcomes(P);
  return P;
}

// Notes what is predicted without a word from nvcc.
static void foresee(Plan &P, std::vector<UnitResult> Units,
                    const PlanOptions &Options) {
  for (UnitResult &Unit : Units)
    Unit.Resources.clear();
  const Plan Unasked = makePlan(Units, Options);
  for (auto [K, Before] : llvm::zip(P.Kernels, Unasked.Kernels))
    K.Foreseen = Before.Predicted;
}

Plan bankstripe::makePlan(const std::vector<UnitResult> &Units,
                          const PlanOptions &Options, const Measured &Known) {
  MergedRun Run = mergeUnits(Units, Options);
  readFrames(Run, Known);
  auto PlanOf = [&](MergedRun Marked) {
    return planRun(std::move(Marked), Options, Known);
  };
  Plan P = PlanOf(Run);
  if (Options.Choose) {
    Run = chooseAtRunTime(std::move(Run), Options, P);
    P = PlanOf(Run);
  }
  Run = freeOthers(std::move(Run), P, PlanOf);
  P = decideWhereResident(Run, Options, std::move(P), PlanOf);
  auto IsAsked = [](const UnitResult &Unit) { return !Unit.Resources.empty(); };
  if (Options.Choose && llvm::any_of(Units, IsAsked))
    foresee(P, Units, Options);
  else
    for (KernelPlan &K : P.Kernels)
      K.Foreseen = K.Predicted;
  return P;
}

// --- Beside makePlan ---------------------------------------------------------

ArrayDecision bankstripe::decisionAbout(const Plan &P, unsigned ArrayIndex,
                                        LayoutChoice Wanted) {
  const Finding &Array = P.Arrays[ArrayIndex].Array;
  ArrayDecision D;
  D.File = Array.Where.File;
  D.Function = Array.Function.Name;
  D.Array = Array.Name;
  // They are sorted by place.
  for (const PlannedArray &Earlier :
       llvm::reverse(llvm::ArrayRef(P.Arrays).take_front(ArrayIndex))) {
    if (Earlier.Array.Where.File != D.File)
      break;
    D.Occurrence += Earlier.Array.Function.Name == D.Function &&
                    Earlier.Array.Name == D.Array;
  }
  D.Wanted = Wanted.Kind;
  D.First = Wanted.First;
  return D;
}

uint64_t bankstripe::usualSharedLimit(const PlanOptions &Options) {
  return Options.AllGpuArchs.empty() ? StaticSharedLimit
                                     : commonSharedLimit(Options);
}
