//===-- Evaluate.h - what an assignment means for kernels -------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_PLAN_EVALUATE_H
#define BANKSTRIPE_PLAN_EVALUATE_H

#include "plan/Candidates.h"
#include "plan/Measured.h"
#include "plan/Profit.h"

namespace bankstripe {

/// Loss of one kernel that a gain of its group may cost.
inline constexpr double LeastOfGroup = 0.98;

/// One of its candidates for each array, or null where it stays.
using Assignment = std::vector<const Candidate *>;

/// What an assignment is sought for.
struct Problem {
  const MergedRun &Run;
  const std::vector<Form> &Forms;           ///< By kernel.
  const std::vector<ArrayChoices> &Choices; ///< By array.
  const PlanOptions &Options;
  /// What nvcc makes of kernels in which arrays move, by their mangled names.
  const std::map<std::string, ChangedCode> &Code;
};

/// Where arrays lie in the part that each warp has of dynamic memory.
struct WarpPlaces {
  std::map<unsigned, uint64_t> Offsets; ///< By array.
  std::map<unsigned, uint64_t> Sizes;   ///< Of the whole part, by kernel.
};

/// A kernel without room for its arrays.
struct Shortage {
  unsigned Row = 0;
  uint64_t Bytes = 0; ///< Per block, that it would need.
};

/// Evaluates assignments. Nothing that it is asked changes it.
class Evaluator {
public:
  explicit Evaluator(const Problem &P);

  /// What the arrays take of the static memory of kernel \p Row, in bytes.
  uint64_t staticBytes(unsigned Row, const Assignment &A) const;
  /// The places of those of \p Arrays whose storage launches bring.
  WarpPlaces placesOf(llvm::ArrayRef<unsigned> Arrays,
                      const Assignment &A) const;
  /// A kernel of \p G that has no room for its arrays; nothing if all have.
  std::optional<Shortage> shortage(const KernelGroup &G,
                                   const Assignment &A) const;

  /// The speedup that is expected of kernel \p Row, over that with \p Before
  /// (empty: without any change), if its code grows as far as nvcc says or not
  /// at all; nothing where that is not known.
  std::optional<double> speedup(unsigned Row, const Assignment &A,
                                const Assignment &Before = {},
                                bool Grows = true) const;
  std::optional<Prediction> predict(unsigned Row, const Assignment &A,
                                    const Assignment &Before = {}) const;
  /// The warps that an SM holds of kernel \p Row as it is, and then; equal
  /// where that is not known.
  std::pair<unsigned, unsigned> warps(unsigned Row, const Assignment &A) const;
  /// What nvcc makes of kernel \p Row if arrays move; as it is where nvcc was
  /// not asked.
  ChangedCode codeOf(unsigned Row) const;
  /// What the driver leaves to the L1 may make the kernel slower than it was,
  /// and launches that see to it would help.
  bool needsCarveout(unsigned Row, const Assignment &A) const;

private:
  /// What of a kernel's prediction no assignment changes.
  struct Base {
    Change Unchanged; ///< Nothing moves.
    uint64_t SharedHad = 0;
    std::vector<unsigned> Arrays; ///< Parallel to its traffic.
  };
  struct Reached {
    unsigned Array, Position; ///< The kernel's in the array's list.
  };

  std::optional<Base> baseOf(unsigned Row) const;
  uint64_t usualBytes(unsigned Row, const Assignment &A) const;
  Resources resources(unsigned Row, unsigned Registers,
                      uint64_t SharedBytes) const;
  /// \p MoreBytes: of shared memory that the kernel has by itself.
  std::optional<Change> change(unsigned Row, const Assignment &A,
                               const Assignment &Before = {},
                               uint64_t MoreBytes = 0) const;

  const Problem &P;
  CostModel Model;
  std::vector<std::vector<Reached>> ArraysOf; ///< By kernel; that may move.
  std::vector<std::optional<Base>> Bases;     ///< By kernel.
};

} // namespace bankstripe

#endif
