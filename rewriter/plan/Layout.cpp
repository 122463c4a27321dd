//===-- Layout.cpp - the form and the bytes of what moves ----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layouts of docs/design.md, section 3, in bytes. They must agree with what
// runtime/device/bankstripe.cuh declares.
//
//===----------------------------------------------------------------------===//

#include "plan/PlanInternal.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"

using namespace bankstripe;

// Bytes of a structure that starts in another bank for each of 32 neighbours:
// an odd number of the largest pieces that it is accessed by.
static uint64_t oddUnits(uint64_t Bytes, unsigned Alignment) {
  const uint64_t Unit = std::max(Alignment, 4u);
  return (llvm::divideCeil(Bytes, Unit) | 1) * Unit;
}

// Bytes of a slot: neither equal indices nor such as rise or fall by one from
// lane to lane may bring more than four lanes into one bank, so the number of
// units leaves 3 or 5 when divided by 8.
static uint64_t slotBytes(uint64_t Bytes, unsigned Alignment) {
  const uint64_t Unit = std::max(Alignment, 4u);
  uint64_t Units = llvm::divideCeil(Bytes, Unit);
  while (Units % 8 != 3 && Units % 8 != 5)
    ++Units;
  return Units * Unit;
}

static bool needsPadding(const ArrayInstance &I) {
  return oddUnits(I.ElementBytes, I.Alignment) != I.ElementBytes;
}

// Measured (docs/measurements.md): sharing a word beats lying side by side
// where lanes use different indices, and loses where they use the same.
StripeForm bankstripe::smallestForm(const PlannedArray &A) {
  const Finding &F = A.Array;
  // Without a template too: a macro can mean another type in another unit.
  if (F.ElementDependent ||
      llvm::any_of(F.Instances, [&](const ArrayInstance &I) {
        return I.ElementBytes != F.ElementBytes;
      }))
    return StripeForm::Unit;
  // There is no pointer to a part of a word.
  if (F.ElementBytes < 4)
    return F.NeedsAccessor || A.Evidence.Index == Uniformity::Uniform
               ? StripeForm::Unpacked
               : StripeForm::Packed;
  return needsPadding(F.Instances.front()) ? StripeForm::Padded
                                           : StripeForm::Plain;
}

static uint64_t stripeBytes(const ArrayInstance &I, StripeForm Form,
                            unsigned Threads) {
  const uint64_t Columns = uint64_t(32) * llvm::divideCeil(Threads, 32u);
  const uint64_t Elements = I.elements();
  switch (Form) {
  case StripeForm::Plain:
  case StripeForm::Unpacked:
    return Columns * Elements * I.ElementBytes;
  case StripeForm::Padded:
    return Columns * Elements * oddUnits(I.ElementBytes, I.Alignment);
  case StripeForm::Wide:
    return Columns * Elements * 4;
  case StripeForm::Unit:
    if (I.ElementBytes < 4)
      return stripeBytes(I, StripeForm::Wide, Threads);
    return stripeBytes(
        I, needsPadding(I) ? StripeForm::Padded : StripeForm::Plain, Threads);
  case StripeForm::Packed: {
    const uint64_t Row = I.Extents.empty() ? 1 : I.Extents.back();
    const uint64_t Words = llvm::divideCeil(Row * I.ElementBytes, 4);
    return Columns * (Row ? Elements / Row : 0) * Words * 4;
  }
  }
  llvm_unreachable("all forms are listed");
}

uint64_t bankstripe::sharedBytes(const ArrayInstance &I, const Verdict &V,
                                 unsigned Threads) {
  if (V.Kind == VerdictKind::Stripe)
    return stripeBytes(I, V.Form, Threads);
  // The next variable may have to be aligned.
  return llvm::alignTo(
      slotBytes(I.BytesPerThread, std::max(I.Alignment, I.SlotAlignment)) *
          Threads,
      16);
}
