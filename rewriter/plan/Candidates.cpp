//===-- Candidates.cpp - what each array could become ---------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An array that must stay as it is, or becomes constant or a register, does so
// whatever the others do. One that can move has a candidate for each layout
// that suits it. The first is the smallest; which of them is best, and whether
// any is better than none, depends on what the others take
// (AssignmentSearch.cpp).
//
//===----------------------------------------------------------------------===//

#include "plan/Candidates.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace bankstripe;

/// Accesses to single bytes at indices from data, as a share of all, beside
/// which a slot is still the faster: it saves some 5 % of those at one index,
/// and has conflicts at a fifth of the others.
static constexpr double MostBytesApart = 0.25;

unsigned bankstripe::usualBlock(const Form &F, const MergedKernel &K) {
  if (F.Block.Threads)
    return F.Block.Threads;
  if (F.SeenThreads)
    return F.SeenThreads;
  return K.Facts.Bounds ? std::min(UsualBlock, K.Facts.Bounds->Threads)
                        : UsualBlock;
}

uint64_t Candidate::largestBytes() const {
  return Bytes.empty() ? 0 : *llvm::max_element(Bytes);
}

// --- What stands against a move ----------------------------------------------

// A parameter that can become a grid constant, or a table that can become
// static: its uses need not be understood, nor need its initialiser become a
// statement, but no cast may claim more than the alignment of its type.
static bool canBeConstant(const Finding &F) {
  const bool AllConstant =
      !F.HasOtherUses &&
      llvm::all_of(F.Uses, [](const Use &U) { return U.ConstantIndex; });
  const bool Claimed = llvm::any_of(F.Instances, [](const ArrayInstance &I) {
    return I.SlotAlignment > I.Alignment;
  });
  return F.NeverWritten && !AllConstant && !Claimed &&
         llvm::none_of(F.Obstacles, [](const Obstacle &O) {
           return (infoOf(O.Why).Verdict != VerdictKind::Slot &&
                   O.Why != Reason::Initializer) ||
                  O.Why == Reason::QualifiedType;
         });
}

// That there is one place for all that run a function at once.
static bool isAboutStorage(Reason R) {
  return R == Reason::RecursiveFunction || R == Reason::UnseenCallee;
}

// The obstacle that keeps an array from moving in any form. Outside the given
// paths nothing else matters.
static const Obstacle *hardObstacle(const Finding &F) {
  const Obstacle *First = nullptr;
  for (const Obstacle &O : F.Obstacles) {
    if (O.Why == Reason::OutsidePaths)
      return &O;
    if (F.AsBits && isAboutStorage(O.Why))
      continue;
    if (!First && infoOf(O.Why).Verdict != VerdictKind::Slot)
      First = &O;
  }
  return First;
}

// What the user said comes first, then what makes a change needless, then what
// makes it impossible, in source order.
std::optional<Why> bankstripe::whyArrayStays(const ReachedArray &A) {
  const Finding &F = A.Array;
  for (const Obstacle &O : F.Obstacles)
    if (O.Why == Reason::Nolint)
      return O;
  const bool IsUsed = !F.Uses.empty() || F.HasOtherUses || !F.Obstacles.empty();
  if (IsUsed && A.Frame == FrameAnswer::NoFrame)
    return Why{Reason::StaysInRegisters, F.Where,
               "ptxas reports no stack frame"};
  if (A.Frame == FrameAnswer::Without)
    return Why{Reason::StaysInRegisters, F.Where,
               "ptxas reports no larger stack frame without its move"};
  // The evidence cannot tell a table in constant storage from registers.
  if (canBeConstant(F))
    return Why{F.isParameter() ? Reason::ReadOnlyParameter
                               : Reason::ConstantTable,
               F.Where, ""};
  if (!IsUsed)
    return Why{Reason::NeverUsed, F.Where, ""};
  if (A.Evidence.Where == Residency::Registers)
    return Why{Reason::StaysInRegisters, F.Where, ""};
  // Nothing could give a stripe or a slot of const elements its values.
  if (F.keepsConst())
    return Why{Reason::ConstElements, F.Where, ""};
  if (const Obstacle *O = hardObstacle(F))
    return *O;
  if (A.Evidence.Where == Residency::Unknown ||
      (A.Evidence.Where == Residency::NotEmitted && !A.Kernels.empty()))
    return Why{Reason::NoEvidence, F.Where, ""};
  return std::nullopt;
}

namespace {

/// Makes the choices of one array.
class Chooser {
public:
  Chooser(const ReachedArray &A, unsigned Index, const Wish &W,
          const MergedRun &Run, const std::vector<Form> &Forms)
      : A(A), Index(Index), W(W), Run(Run), Forms(Forms) {}

  ArrayChoices choices() const;

private:
  std::optional<Why> whyKernelsRefuse() const;
  std::optional<Why> whyNoPlace() const;
  std::optional<Why> whyNotShared() const;
  std::string boundText() const;
  unsigned storageThreads(unsigned Row, const ArrayChoices &C) const;
  bool isOfBytesTogether() const;
  std::optional<Reason> whySlot(const ArrayChoices &C) const;
  Candidate candidate(const LayoutInfo &Layout, Why Reason,
                      const ArrayChoices &C) const;
  bool fits(const Candidate &Alone) const;
  void addBits(ArrayChoices &C) const;
  void addSharedMoves(ArrayChoices &C) const;
  void addMoves(ArrayChoices &C, bool Shared) const;

  const ReachedArray &A;
  unsigned Index;
  const Wish &W;
  const MergedRun &Run;
  const std::vector<Form> &Forms; ///< Of all kernels.
};

} // namespace

// Why a kernel that reaches the array cannot take shared memory.
std::optional<Why> Chooser::whyKernelsRefuse() const {
  if (A.Kernels.empty())
    return Why{Reason::NoKernel, A.Array.Where, ""};
  for (unsigned Row : A.Kernels) {
    const Form &F = Forms[Row];
    if (F.WhyStays)
      return F.WhyStays;
    const Kernel &Facts = Run.Kernels[Row].Facts;
    if (F.AddBounds && !Facts.MayEdit)
      return Why{Reason::OutsidePaths, Facts.Where,
                 "its kernel '" + Facts.Name + "' needs launch bounds"};
  }
  return std::nullopt;
}

// Launches ask for one place for one instance: where a kernel reaches several
// of a function template, they may be active at once, in one thread or in
// others of its warp.
static bool hasOnePlace(const ReachedArray &A) {
  std::set<unsigned> Seen;
  for (const std::vector<unsigned> &Rows : A.InstanceKernels)
    for (unsigned Row : Rows)
      if (!Seen.insert(Row).second)
        return false;
  return true;
}

std::optional<Why> Chooser::whyNoPlace() const {
  unsigned Most = UINT_MAX;
  for (unsigned Row : A.Kernels)
    if (Forms[Row].Dynamic)
      Most =
          std::min(Most, Forms[Row].Behind ? PlaceAlignment : SegmentAlignment);
  for (const ArrayInstance &I : A.Array.Instances)
    if (std::max(I.Alignment, I.SlotAlignment) > Most)
      return Why{Reason::BlockSizeUnknown, A.Array.Where,
                 "launches bring memory that is aligned to " +
                     std::to_string(Most) + " bytes"};
  if (hasOnePlace(A))
    return std::nullopt;
  for (unsigned Row : A.Kernels)
    if (Forms[Row].Dynamic) {
      Why Result = Forms[Row].WhyNotStatic.value_or(
          Why{Reason::OverBudget, A.Array.Where,
              "its instances need " +
                  std::to_string(bytesIn(A, smallestStripe(A), Row,
                                         Forms[Row].largestBlock())) +
                  " bytes per block of kernel '" + Run.Kernels[Row].Facts.Name +
                  "'"});
      Result.Detail += (Result.Detail.empty() ? "" : "; ") +
                       std::string("launches bring one place, and a kernel "
                                   "runs several instances of its function");
      return Result;
    }
  return std::nullopt;
}

// Why no shared memory can be had for it.
std::optional<Why> Chooser::whyNotShared() const {
  for (const Obstacle &O : A.Array.Obstacles)
    if (isAboutStorage(O.Why))
      return O;
  if (A.WhyNoCopy)
    return A.WhyNoCopy;
  if (auto Refuses = whyKernelsRefuse())
    return Refuses;
  return whyNoPlace();
}

// --- Moves -------------------------------------------------------------------

// How a kernel's bound is spelled in its own body; empty when a number must do.
std::string Chooser::boundText() const {
  if (!A.Array.Function.IsKernel)
    return "";
  std::string Text;
  for (unsigned Row : A.Kernels) {
    const auto &Bounds = Run.Kernels[Row].Facts.Bounds;
    if (!Bounds || Bounds->Text.empty() ||
        (Bounds->Dependent && A.Array.FixedClass) ||
        (!Text.empty() && Text != Bounds->Text))
      return "";
    Text = Bounds->Text;
  }
  return Text;
}

unsigned Chooser::storageThreads(unsigned Row, const ArrayChoices &C) const {
  if (C.Storage.Dynamic)
    return llvm::alignTo(Forms[Row].largestBlock(), 32);
  return C.Storage.ThreadsText.empty() ? C.Storage.Threads
                                       : Forms[Row].Block.Threads;
}

Candidate Chooser::candidate(const LayoutInfo &Layout, Why Reason,
                             const ArrayChoices &C) const {
  Candidate Result{&Layout, std::move(Reason), {}, {}, 0, false};
  for (unsigned Row : A.Kernels) {
    const unsigned Usual = usualBlock(Forms[Row], Run.Kernels[Row]);
    Result.Bytes.push_back(bytesIn(A, Layout, Row, storageThreads(Row, C)));
    Result.UsualBytes.push_back(bytesIn(
        A, Layout, Row, C.Storage.Dynamic ? llvm::alignTo(Usual, 32) : Usual));
  }
  Result.BytesPerWarp =
      llvm::alignTo(bytesPerWarp(A, Layout), SegmentAlignment);
  return Result;
}

// Whether the array is of single bytes, and the lanes of a warp mostly use the
// same one. Instances of a template may have elements of several sizes.
bool Chooser::isOfBytesTogether() const {
  if (A.Array.Shape.ElementBytes != 1 ||
      llvm::any_of(A.Array.Instances, [](const ArrayInstance &Instance) {
        return Instance.Shape.ElementBytes != 1;
      }))
    return false;
  double Together = 0, Apart = 0;
  for (unsigned Row : A.Kernels)
    if (const auto &Work = Run.Kernels[Row].Work)
      if (auto Found = Work->Arrays.find(Index); Found != Work->Arrays.end()) {
        Together += Found->second.Uniform.all() + Found->second.Counted.all();
        Apart += Found->second.NonUniform.all();
      }
  return Together > 0 && Apart <= MostBytesApart * (Together + Apart);
}

// Why an array that could be a stripe had better be a slot. A stripe has places
// for whole warps, which may be more than there are threads in any block.
std::optional<Reason> Chooser::whySlot(const ArrayChoices &C) const {
  if (W.Wanted == Layout::Stripe)
    return std::nullopt;
  if (!C.Storage.Dynamic && llvm::all_of(A.Kernels, [&](unsigned Row) {
        return Forms[Row].largestBlock() < 32;
      }))
    return Reason::PartOfWarp;
  if (isOfBytesTogether())
    return Reason::ByteElements;
  return std::nullopt;
}

bool Chooser::fits(const Candidate &Alone) const {
  return llvm::all_of(llvm::zip(A.Kernels, Alone.Bytes), [&](auto Each) {
    const auto &[Row, Bytes] = Each;
    return Bytes <= Forms[Row].Budget;
  });
}

void Chooser::addBits(ArrayChoices &C) const {
  if (W.Wanted != Layout::Auto && W.Wanted != Layout::Bits)
    return;
  for (const LayoutInfo &L : allLayouts())
    if (L.As.Kind == VerdictKind::Bits && L.Suits(A))
      C.Candidates.push_back(
          candidate(L, {Reason::BoolElements, A.Array.Where, ""}, C));
}

void Chooser::addMoves(ArrayChoices &C, bool Shared) const {
  for (unsigned Row : A.Kernels) {
    C.Storage.Dynamic |= Forms[Row].Dynamic;
    C.Storage.Behind |= Forms[Row].Behind;
    C.Storage.Threads = std::max(C.Storage.Threads, Forms[Row].largestBlock());
  }
  C.Storage.InCopy = A.InCopy;
  C.Storage.DeviceOnly = A.Array.Function.HostDevice && !A.InCopy;
  if (!C.Storage.Dynamic)
    C.Storage.ThreadsText = boundText();
  addBits(C);
  C.Asked = W.Decision && (W.Wanted != Layout::Bits || !C.Candidates.empty());
  if (Shared && (C.Candidates.empty() || W.Wanted != Layout::Bits))
    addSharedMoves(C);
}

void Chooser::addSharedMoves(ArrayChoices &C) const {
  const LayoutInfo &Slot = infoOf({VerdictKind::Slot, StripeForm::Plain});
  if (!A.Array.Obstacles.empty()) {
    const Why &First = A.Array.Obstacles.front();
    if (infoOf(First.Why).Verdict == VerdictKind::Slot) {
      C.Candidates.push_back(candidate(Slot, First, C));
      return;
    }
  }
  if (W.Wanted == Layout::Slot) {
    C.Candidates = {candidate(Slot, decided(Reason::DecidedSlot, A, W), C)};
    return;
  }
  // Only if that is asked for: no source tells how often the first elements
  // are used.
  if (A.First) {
    for (const LayoutInfo &L : allLayouts())
      if (L.As.Kind == VerdictKind::Split && L.Suits(A))
        C.Candidates = {candidate(L, decided(Reason::DecidedSplit, A, W), C)};
    return;
  }
  const Why Moves{Reason::DynamicIndex, A.Array.Where, ""};
  const LayoutInfo &First = smallestStripe(A);
  const bool HasBits = !C.Candidates.empty();
  C.Candidates.push_back(candidate(First, Moves, C));
  // Padding saves conflicts, but no move is worth less.
  if (First.As.Form == StripeForm::Padded && !fits(C.Candidates.back()))
    C.Candidates.back() =
        candidate(infoOf({VerdictKind::Stripe, StripeForm::Plain}), Moves, C);
  for (const LayoutInfo &L : allLayouts())
    if (&L != &First && L.As.Kind == VerdictKind::Stripe && L.Suits(A))
      C.Candidates.push_back(candidate(L, Moves, C));
  if (auto Id = whySlot(C); Id && !C.Asked && !HasBits) {
    C.Candidates.push_back(candidate(Slot, {*Id, A.Array.Where, ""}, C));
    C.Candidates.back().SavesUnseen = true;
  }
}

ArrayChoices Chooser::choices() const {
  ArrayChoices C;
  C.Fixed = whyArrayStays(A);
  const std::optional<Why> NotShared = C.Fixed ? C.Fixed : whyNotShared();
  if (!C.Fixed && !(A.Array.AsBits && !A.Kernels.empty()))
    C.Fixed = NotShared;
  C.Fixed = heedKeep(std::move(C.Fixed), A, W);
  if (!C.Fixed)
    addMoves(C, /*Shared=*/!NotShared);
  if (!C.Fixed && C.Candidates.empty())
    C.Fixed = NotShared;
  return C;
}

std::vector<ArrayChoices>
bankstripe::choicesOf(const MergedRun &Run, const std::vector<Form> &Forms) {
  std::vector<ArrayChoices> Result;
  for (auto [I, A] : llvm::enumerate(Run.Arrays))
    Result.push_back(Chooser(A, I, Run.Wishes[I], Run, Forms).choices());
  return Result;
}
