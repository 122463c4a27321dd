//===-- Sentences.cpp - what is said of an array --------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In lower case and without a period, as messages are.
//
//===----------------------------------------------------------------------===//

#include "report/Sentences.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace bankstripe;

static std::string bytesText(uint64_t Bytes) {
  return llvm::formatv("{0} byte{1}", Bytes, Bytes == 1 ? "" : "s");
}

// "moves to a stripe in shared memory" and so on.
static llvm::StringRef outcome(const Verdict &V) {
  switch (V.Kind) {
  case VerdictKind::Stripe:
    return "moves to a stripe in shared memory";
  case VerdictKind::Slot:
    return "moves to a slot in shared memory";
  case VerdictKind::Constant:
    return "moves to constant storage";
  case VerdictKind::Registers:
    return V.unrolls() ? "moves to registers" : "is left alone";
  case VerdictKind::Keep:
  case VerdictKind::Refuse:
    return "stays in local memory";
  }
  llvm_unreachable("all verdicts are listed");
}

std::string bankstripe::headline(const PlannedArray &A) {
  const Verdict &V = A.Decision;
  const ReasonInfo &Info = infoOf(V.Why);
  // A template that nobody instantiates has no size.
  const std::string Size =
      A.Array.BytesPerThread
          ? ", " + bytesText(A.Array.BytesPerThread) + " per thread"
          : "";
  std::string Text =
      llvm::formatv("private array '{0}' ({1}{2}) {3}: {4}", A.Array.Name,
                    A.Array.Type, Size, outcome(V), Info.Summary);
  if (!V.Detail.empty())
    Text += " (" + V.Detail + ")";
  return Text;
}

std::string bankstripe::cost(const PlannedArray &A) {
  const Verdict &V = A.Decision;
  std::string Text =
      V.Dynamic ? llvm::formatv("it takes {0} of shared memory per warp, which "
                                "launches bring",
                                bytesText(V.BytesPerWarp))
                : llvm::formatv("it takes {0} of shared memory per block",
                                bytesText(V.SharedBytes));
  if (V.Kind == VerdictKind::Stripe && V.Form != StripeForm::Plain)
    Text += llvm::formatv(", {0}", nameOf(V.Form));
  return Text + llvm::formatv("; index {0}", nameOf(A.Evidence.Index)).str();
}

std::string bankstripe::tripsText(const CountedLoop &L) {
  if (L.FewestTrips == L.MostTrips)
    return llvm::formatv("{0} iteration{1}", L.MostTrips,
                         L.MostTrips == 1 ? "" : "s");
  return llvm::formatv("{0} to {1} iterations", L.FewestTrips, L.MostTrips);
}
