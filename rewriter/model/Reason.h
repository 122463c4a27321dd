//===-- Reason.h - why a verdict was given ----------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every verdict has exactly one reason, and every reason an id that users see,
// grep for and look up in docs/reference/reasons/. The table lives in
// Reasons.def; a unit test holds it against these pages.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_MODEL_REASON_H
#define BANKSTRIPE_MODEL_REASON_H

#include "model/Place.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace bankstripe {

/// What is to become of a finding.
enum class VerdictKind {
  Stripe,      ///< Moves into bank-striped shared memory.
  Slot,        ///< Moves into a padded contiguous slot of shared memory.
  Split,       ///< Its first elements move into a stripe.
  Bits,        ///< Becomes the bits of one or two registers.
  Constant,    ///< Moves into constant storage.
  Registers,   ///< The compiler keeps it in registers; nothing to do.
  Unchanged,   ///< Could be moved, but must not or need not be here.
  Unsupported, ///< Is used in a way that this version cannot rewrite safely.
};

/// Why.
enum class Reason {
#define REASON(NAME, ...) NAME,
#include "model/Reasons.def"
};

/// A property of the source that stands against moving the array.
struct Obstacle {
  Reason Why = Reason::UnknownUse;
  Place Where;
  std::string Detail; ///< Completes the message, such as the callee's name.

  friend bool operator==(const Obstacle &, const Obstacle &) = default;
};

/// Where an array with a reason lies, if it stays as it is.
enum class ArrayMemory {
  Local,
  Unknown, ///< Nobody knows, as where no kernel reaches its code.
};

/// What is known about a reason, independent of any finding.
struct ReasonInfo {
  Reason R;
  VerdictKind Verdict;     ///< The verdict that this reason leads to.
  llvm::StringRef Id;      ///< Stable, kebab-case; a page of the reference.
  llvm::StringRef Summary; ///< Lower case, no period: why.
  llvm::StringRef Advice;  ///< Lower case, no period: what would change the
                           ///< verdict; empty when nothing would.
  ArrayMemory Memory = ArrayMemory::Local;
};

/// All reasons, in the order of the enumeration.
llvm::ArrayRef<ReasonInfo> allReasons();
/// The row of \p R.
const ReasonInfo &infoOf(Reason R);
/// `stripe`, `slot`, `split`, `bits`, `constant`, `registers`, `unchanged` or
/// `unsupported`.
llvm::StringRef nameOf(VerdictKind V);

} // namespace bankstripe

#endif
