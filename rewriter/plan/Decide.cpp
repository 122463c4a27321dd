//===-- Decide.cpp - decisions from outside, and what came of them --------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A decision names its array by what people see in a report: the file, the
// function, the name, and a count where a function has several of that name.
// It chooses among what is possible and nothing else:
//
//     keep     nothing changes
//     slot     what could be a stripe becomes a slot
//     stripe   a stripe, as without a decision, whatever the default says
//     split    the first elements in a stripe, if they can be apart
//
// Each decision is accounted for in the end: it was used, something stands
// against it, there is no such array, or its file is no matter of this run.
//
//===----------------------------------------------------------------------===//

#include "plan/Decide.h"
#include "contract/Symbols.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>

using namespace bankstripe;

/// Elements in the stripe of a split where nobody says how many.
static constexpr unsigned UsualFirst = 8;

bool bankstripe::speaksOf(const KernelDecision &D, const Kernel &K) {
  return D.File == K.Where.File && D.Kernel == withoutTemplateArguments(K.Name);
}

KernelDecision bankstripe::decisionAbout(const Kernel &K,
                                         std::optional<Carveout> Wanted) {
  KernelDecision D;
  D.File = K.Where.File;
  D.Kernel = withoutTemplateArguments(K.Name);
  D.Wanted = Wanted;
  return D;
}

// Says in O which array is meant. \returns its index; nothing when there is
// none, which O then explains.
static std::optional<unsigned>
findNamed(const std::vector<ReachedArray> &Arrays, DecisionOutcome &O) {
  const ArrayDecision &D = O.Decision;
  unsigned Count = 0;
  bool HasFunction = false;
  for (auto [I, A] : llvm::enumerate(Arrays)) { // In source order.
    const Finding &F = A.Array;
    if (F.Where.File != D.File || F.Function.Name != D.Function)
      continue;
    HasFunction = true;
    if (F.Name != D.Array || ++Count != D.Occurrence)
      continue;
    O.Array = F.Where;
    return I;
  }
  O.State = DecisionState::Stale;
  O.Detail = "function '" + D.Function + "' has ";
  if (Count)
    O.Detail += "only " + std::to_string(Count) + " per-thread array" +
                (Count == 1 ? "" : "s") + " of that name";
  else if (HasFunction)
    O.Detail += "no per-thread array of that name";
  else
    O.Detail = "no function '" + D.Function +
               "' with a per-thread array was found in that file";
  return std::nullopt;
}

// The default for the arrays of File.
static Layout defaultFor(const std::string &File, const PlanOptions &Options) {
  if (Options.DefaultLayout)
    return *Options.DefaultLayout;
  auto It = Options.Defaults.find(File);
  return It == Options.Defaults.end() ? Layout::Auto : It->second.Wanted;
}

std::vector<Wish>
bankstripe::findWishes(const MergedRun &Run, const PlanOptions &Options,
                       std::vector<DecisionOutcome> &Outcomes) {
  std::vector<Wish> Wishes(Run.Arrays.size());
  for (unsigned I = 0; I < Wishes.size(); ++I)
    Wishes[I].Wanted = defaultFor(Run.Arrays[I].Array.Where.File, Options);
  for (const ArrayDecision &D : Options.Decisions) {
    DecisionOutcome &O = Outcomes.emplace_back();
    O.Decision = D;
    if (!D.Problem.empty()) {
      O.State = DecisionState::Stale;
      O.Detail = D.Problem;
    } else if (!Run.Contents.count(D.File)) {
      O.Detail = "this run saw no array and no kernel in that file";
    } else if (auto Index = findNamed(Run.Arrays, O)) {
      Wishes[*Index] = {D.Wanted, &D};
    }
  }
  std::ranges::sort(Outcomes, {},
                    [](const DecisionOutcome &O) { return O.Decision.Where; });
  return Wishes;
}

unsigned bankstripe::firstAsked(const ReachedArray &A, const Wish &W) {
  const unsigned First = W.Decision ? W.Decision->First : UsualFirst;
  return W.Wanted == Layout::Split && canBeSplit(A, First) ? First : 0;
}

Why bankstripe::decided(Reason Id, const ReachedArray &A, const Wish &W) {
  if (W.Decision) {
    // Of one line, whatever there is in the file.
    std::string Because = W.Decision->Why;
    std::ranges::replace_if(Because, llvm::isSpace, ' ');
    return {Id, W.Decision->Where, std::move(Because)};
  }
  return {Id, A.Array.Where,
          "layout " + nameOf(W.Wanted).str() + " is the default"};
}

// A default does not hide why an array would not change anyway.
std::optional<Why> bankstripe::heedKeep(std::optional<Why> Fixed,
                                        const ReachedArray &A, const Wish &W) {
  const bool Stays =
      Fixed &&
      (Fixed->Why == Reason::Nolint ||
       (!W.Decision && infoOf(Fixed->Why).Verdict != VerdictKind::Constant));
  if (W.Wanted != Layout::Keep || Stays)
    return Fixed;
  return decided(Reason::DecidedKeep, A, W);
}

static bool isFulfilled(Layout Wanted, const Verdict &V) {
  switch (Wanted) {
  case Layout::Auto:
    return true;
  case Layout::Stripe:
    return V.Kind == VerdictKind::Stripe;
  case Layout::Slot:
    return V.Kind == VerdictKind::Slot;
  case Layout::Split:
    return V.Kind == VerdictKind::Split;
  case Layout::Bits:
    return V.Kind == VerdictKind::Bits;
  case Layout::Keep:
    return !V.changesSource();
  }
  llvm_unreachable("all layouts are listed");
}

// What the layout needs of an array that a stripe does not; may be empty.
static std::string whatIsNeeded(const ArrayDecision &D) {
  if (D.Wanted == Layout::Split)
    return llvm::formatv("a split needs one dimension and more than {0} "
                         "elements, none of them const",
                         D.First);
  return D.Wanted == Layout::Bits
             ? "bits need 64 bools at most, which are only read and assigned"
             : "";
}

void bankstripe::settleOutcomes(Plan &P) {
  for (DecisionOutcome &O : P.Outcomes) {
    if (!O.Array.isValid())
      continue;
    auto At = std::ranges::lower_bound(
        P.Arrays, O.Array, {},
        [](const PlannedArray &A) -> const Place & { return A.Array.Where; });
    const Verdict &V = At->Verdict;
    const ReasonInfo &Info = infoOf(V.Why);
    O.Detail.clear();
    O.State = DecisionState::Used;
    if (isFulfilled(O.Decision.Wanted, V))
      continue;
    O.State = V.Why == Reason::OutsidePaths ? DecisionState::Skipped
                                            : DecisionState::Unfulfilled;
    if (V.Kind == VerdictKind::Stripe)
      O.Detail = whatIsNeeded(O.Decision);
    if (O.Detail.empty())
      O.Detail =
          Info.Summary.str() + (V.Detail.empty() ? "" : " (" + V.Detail + ")");
    O.Detail += " [" + nameOf(V.Kind).str() + ", " + Info.Id.str() + "]";
  }
}
