//===-- Layout.cpp - how arrays lie where they move -----------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stripe has 32 columns for each warp, and a column's pieces lie 32 columns
// apart. A slot is contiguous, as long as an odd number of words (3 or 5 more
// than a multiple of 8) so that equal indices of 32 lanes are in 32 banks.
// docs/internals/layouts.md has the formulas. Bits take none of it.
//
//===----------------------------------------------------------------------===//

#include "plan/Layout.h"
#include "plan/MakePlan.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace bankstripe;

// --- Bytes -------------------------------------------------------------------

static uint64_t oddUnits(uint64_t Bytes, unsigned Alignment) {
  const uint64_t Unit = std::max(Alignment, 4u);
  return (llvm::divideCeil(Bytes, Unit) | 1) * Unit;
}

static bool needsPadding(const ArrayInstance &I) {
  return oddUnits(I.Shape.ElementBytes, I.Alignment) != I.Shape.ElementBytes;
}

static uint64_t columns(unsigned Threads) {
  return uint64_t(32) * llvm::divideCeil(Threads, 32u);
}

static uint64_t plainBytes(const ArrayInstance &I, unsigned Threads) {
  return columns(Threads) * I.Shape.elements() * I.Shape.ElementBytes;
}

static uint64_t paddedBytes(const ArrayInstance &I, unsigned Threads) {
  return columns(Threads) * I.Shape.elements() *
         oddUnits(I.Shape.ElementBytes, I.Alignment);
}

static uint64_t wideBytes(const ArrayInstance &I, unsigned Threads) {
  return columns(Threads) * I.Shape.elements() * 4;
}

static uint64_t unitBytes(const ArrayInstance &I, unsigned Threads) {
  if (I.Shape.ElementBytes < 4)
    return wideBytes(I, Threads);
  return needsPadding(I) ? paddedBytes(I, Threads) : plainBytes(I, Threads);
}

// Each row of the array is rounded up.
static uint64_t packedBytes(const ArrayInstance &I, unsigned Threads) {
  const uint64_t Row = I.Shape.Extents.empty() ? 1 : I.Shape.Extents.back();
  const uint64_t Words = llvm::divideCeil(Row * I.Shape.ElementBytes, 4);
  return columns(Threads) * (Row ? I.Shape.elements() / Row : 0) * Words * 4;
}

static uint64_t slotBytes(const ArrayInstance &I, unsigned Threads) {
  const uint64_t Unit = std::max({I.Alignment, I.SlotAlignment, 4u});
  uint64_t Units = llvm::divideCeil(I.Shape.BytesPerThread, Unit);
  while (Units % 8 != 3 && Units % 8 != 5)
    ++Units;
  return llvm::alignTo(Units * Unit * Threads, StaticGrain);
}

static uint64_t noBytes(const ArrayInstance &, unsigned) { return 0; }

// --- Which arrays ------------------------------------------------------------

// Without a template too: a macro can mean another type in another unit.
static bool varies(const ReachedArray &A) {
  return A.Array.ElementDependent ||
         llvm::any_of(A.Array.Instances, [&](const ArrayInstance &I) {
           return I.Shape.ElementBytes != A.Array.Shape.ElementBytes;
         });
}

static bool isSmall(const ReachedArray &A) {
  return !varies(A) && A.Array.Shape.ElementBytes < 4;
}

// A pointer to a part of a word is two values.
static bool canBePacked(const ReachedArray &A) {
  return isSmall(A) && !A.Array.Trail;
}

static bool isPadded(const ReachedArray &A) {
  return !varies(A) && A.Array.Shape.ElementBytes >= 4 &&
         needsPadding(A.Array.Instances.front());
}

static bool isPlain(const ReachedArray &A) {
  return !varies(A) && A.Array.Shape.ElementBytes >= 4 &&
         !needsPadding(A.Array.Instances.front());
}

static bool isLong(const ArrayInstance &I) { return I.Shape.elements() > 32; }

static bool fitsOneRegister(const ReachedArray &A) {
  return A.Array.AsBits && llvm::none_of(A.Array.Instances, isLong);
}

// A pointer is one into one register, or into two.
static bool fitsTwoRegisters(const ReachedArray &A) {
  return A.Array.AsBits && llvm::any_of(A.Array.Instances, isLong) &&
         (!A.Array.Trail || llvm::all_of(A.Array.Instances, isLong));
}

static bool always(const ReachedArray &) { return true; }

static bool needsSlot(const ReachedArray &A) {
  return llvm::any_of(A.Array.Obstacles, [](const Obstacle &O) {
    return infoOf(O.Why).Verdict == VerdictKind::Slot;
  });
}

// Constants get their values where they are declared.
bool bankstripe::canBeSplit(const ReachedArray &A, unsigned First) {
  return A.Array.Shape.Extents.size() == 1 && !A.Array.HasConst &&
         llvm::all_of(A.Array.Instances,
                      [&](const ArrayInstance &I) {
                        return I.Shape.elements() > First;
                      }) &&
         !needsSlot(A);
}

// --- The table ---------------------------------------------------------------

static constexpr LayoutInfo Layouts[] = {
    {{VerdictKind::Bits, StripeForm::Bits}, fitsOneRegister, noBytes},
    {{VerdictKind::Bits, StripeForm::LongBits}, fitsTwoRegisters, noBytes},
    {{VerdictKind::Stripe, StripeForm::Packed}, canBePacked, packedBytes},
    {{VerdictKind::Stripe, StripeForm::Unpacked}, isSmall, plainBytes},
    {{VerdictKind::Stripe, StripeForm::Wide}, isSmall, wideBytes},
    {{VerdictKind::Stripe, StripeForm::Plain}, isPlain, plainBytes},
    {{VerdictKind::Stripe, StripeForm::Padded}, isPadded, paddedBytes},
    {{VerdictKind::Stripe, StripeForm::Unit}, varies, unitBytes},
    {{VerdictKind::Split, StripeForm::Wide}, isSmall, wideBytes},
    {{VerdictKind::Split, StripeForm::Plain}, isPlain, plainBytes},
    {{VerdictKind::Split, StripeForm::Padded}, isPadded, paddedBytes},
    {{VerdictKind::Split, StripeForm::Unit}, varies, unitBytes},
    {{VerdictKind::Slot, StripeForm::Plain}, always, slotBytes},
};

llvm::ArrayRef<LayoutInfo> bankstripe::allLayouts() { return Layouts; }

const LayoutInfo &bankstripe::infoOf(const Treatment &As) {
  return *llvm::find_if(Layouts, [&](const LayoutInfo &L) {
    return L.As.Kind == As.Kind &&
           (As.Kind == VerdictKind::Slot || L.As.Form == As.Form);
  });
}

const LayoutInfo &bankstripe::smallestStripe(const ReachedArray &A) {
  // Lanes that use one index read neighbouring bytes where they are not packed.
  if (isSmall(A) && A.Evidence.Index == Uniformity::Uniform)
    return infoOf({VerdictKind::Stripe, StripeForm::Unpacked});
  return *llvm::find_if(Layouts, [&](const LayoutInfo &L) {
    return L.As.Kind == VerdictKind::Stripe && L.Suits(A);
  });
}

static uint64_t bytesOf(ArrayInstance I, unsigned First,
                        const LayoutInfo &Layout, unsigned Threads) {
  if (First)
    I.Shape.Extents = {First};
  return Layout.Bytes(I, Threads);
}

uint64_t bankstripe::bytesIn(const ReachedArray &A, const LayoutInfo &Layout,
                             unsigned Row, unsigned Threads,
                             std::optional<unsigned> First) {
  uint64_t Bytes = 0;
  for (auto [I, Rows] : llvm::zip(A.Array.Instances, A.InstanceKernels))
    if (llvm::is_contained(Rows, Row))
      Bytes += bytesOf(I, First.value_or(A.First), Layout, Threads);
  return Bytes;
}

uint64_t bankstripe::leastBytesIn(const ReachedArray &A, unsigned Row,
                                  unsigned Threads) {
  return bytesIn(A,
                 needsSlot(A) ? infoOf(Treatment{VerdictKind::Slot})
                              : smallestStripe(A),
                 Row, Threads);
}

uint64_t bankstripe::bytesPerWarp(const ReachedArray &A,
                                  const LayoutInfo &Layout) {
  uint64_t Bytes = 0;
  for (const ArrayInstance &I : A.Array.Instances)
    Bytes = std::max(Bytes, bytesOf(I, A.First, Layout, 32));
  return Bytes;
}
