//===-- Decision.h - what was decided about an array ------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decisions come from outside, from people or from measurements, and are taken
// array by array. How they are written down is known in decisions/ alone.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_MODEL_DECISION_H
#define BANKSTRIPE_MODEL_DECISION_H

#include "model/Place.h"
#include "llvm/ADT/StringRef.h"
#include <compare>
#include <optional>
#include <string>
#include <tuple>

namespace bankstripe {

/// What an array is to become.
enum class Layout {
  Auto,   ///< Planning chooses.
  Stripe, ///< A stripe where that is possible.
  Slot,   ///< A slot, even where a stripe is possible.
  Split,  ///< The first elements in a stripe where that is possible.
  Bits,   ///< Bits in registers where that is possible.
  Keep,   ///< It stays where it is.
};

/// A layout, and how many elements of a split are in its stripe.
struct LayoutChoice {
  LayoutChoice(Layout Kind = Layout::Auto, unsigned First = 0)
      : Kind(Kind), First(First) {}
  Layout Kind;
  unsigned First;

  friend auto operator<=>(const LayoutChoice &, const LayoutChoice &) = default;
};

/// How much of the memory that they have in common is L1 no longer, but shared
/// memory, while a kernel runs.
struct Carveout {
  enum class Rule {
    Driver, ///< What the driver chooses: enough for all blocks that could fit.
    Auto,   ///< What the blocks need that the grid brings to an SM.
    Fixed,  ///< Percent of the most there can be.
  };
  Rule How = Rule::Driver;
  unsigned Percent = 0;

  friend bool operator==(const Carveout &, const Carveout &) = default;
};

/// What decisions about arrays and about kernels have in common.
struct AnyDecision {
  std::string File;    ///< Absolute path of the file that declares it.
  bool ByTune = false; ///< Measured, not written by a person.
  std::string Gpu;     ///< For which it is, as `sm_90`; empty: any.
  std::string Why;     ///< For people; may be empty.
  Place Where;         ///< Of the decision itself.
  /// Why there cannot be such an array or kernel, as far as that is known
  /// beforehand; else empty.
  std::string Problem;

  /// Whether it is about another GPU than \p Which.
  bool isForOther(llvm::StringRef Which) const {
    return !Gpu.empty() && Gpu != Which;
  }
};

/// What was decided about one kernel.
struct KernelDecision : AnyDecision {
  std::string Kernel; ///< Qualified name, without template arguments.
  std::optional<Carveout> Wanted;
  /// The largest block that it had better be fast with; others stay possible.
  std::optional<unsigned> BlockSize;

  /// What it is about.
  auto key() const { return std::tie(File, Kernel); }
  auto keyOnGpu() const { return std::tie(File, Kernel, Gpu); }
};

/// What was decided about one array.
struct ArrayDecision : AnyDecision {
  std::string Function; ///< Qualified name of the declaring function.
  std::string Array;
  /// Counts the arrays of that name in that function, from 1, in source order.
  unsigned Occurrence = 1;
  Layout Wanted = Layout::Auto; ///< Auto only while nothing was decided.
  unsigned First = 0;           ///< Elements in the stripe of a split.

  /// What it is about.
  auto key() const { return std::tie(File, Function, Array, Occurrence); }
  auto keyOnGpu() const {
    return std::tie(File, Function, Array, Occurrence, Gpu);
  }
};

/// What holds for the arrays and kernels of one file, unless decided otherwise.
struct FileDefaults {
  Layout Wanted = Layout::Auto;
  std::optional<unsigned> BlockSize; ///< As `--block-size`.
  std::string From;                  ///< The file that says so.

  friend bool operator==(const FileDefaults &A, const FileDefaults &B) {
    return A.Wanted == B.Wanted && A.BlockSize == B.BlockSize;
  }
};

/// What came of a decision.
enum class DecisionState {
  Used,        ///< The array is as decided.
  Stale,       ///< There is no such array any more.
  Unfulfilled, ///< Something stands against it.
  Skipped,     ///< Its file is no matter of this run.
};

/// A decision, and what came of it.
struct DecisionOutcome {
  ArrayDecision Decision;
  DecisionState State = DecisionState::Skipped;
  std::string Detail; ///< Why it is not used; empty when it is.
  Place Array;        ///< Of the array's name; invalid when there is none.
};

/// A decision about a kernel, and what came of it.
struct KernelOutcome {
  KernelDecision Decision;
  DecisionState State = DecisionState::Skipped;
  std::string Detail; ///< Why it is not used; empty when it is.
};

/// `auto`, `driver` or a number.
std::string textOf(const Carveout &C);
/// Reads that; nothing when \p Text is something else.
std::optional<Carveout> parseCarveout(llvm::StringRef Text);

/// `auto`, `stripe`, `slot`, `split`, `bits` or `keep`.
llvm::StringRef nameOf(Layout L);
/// `used`, `stale`, `unfulfilled` or `skipped`.
llvm::StringRef nameOf(DecisionState S);

} // namespace bankstripe

#endif
