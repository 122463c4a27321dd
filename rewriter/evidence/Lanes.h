//===-- Lanes.h - how far apart the lanes of a warp access ------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_EVIDENCE_LANES_H
#define BANKSTRIPE_EVIDENCE_LANES_H

#include "evidence/Divergence.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"
#include <optional>
#include <vector>

namespace bankstripe {

/// What the lanes of a warp ask for at one access.
enum class LaneDistance {
  Near,    ///< One address, neighbours, or a table of a few lines.
  Far,     ///< Each lane a line of its own, at a fixed distance.
  Unknown, ///< Wherever data leads them.
};

/// Tells how addresses change from lane to lane.
class LaneDistances {
public:
  LaneDistances(const llvm::DataLayout &Layout, const Divergence &Divergent,
                llvm::ScalarEvolution &Evolution)
      : Layout(Layout), Divergent(Divergent), Evolution(Evolution) {}

  LaneDistance of(const llvm::Value &Pointer);

private:
  /// What a value grows by from one lane to the next; nothing if that is not
  /// the same for all lanes, infinity if it is, but unknown and taken for much.
  using Stride = std::optional<double>;

  Stride strideOf(const llvm::Value &V);
  Stride strideOfOperation(const llvm::Operator &O);
  Stride strideOfAddress(const llvm::GEPOperator &Address);
  Stride strideOfMerge(llvm::ArrayRef<const llvm::Value *> Incoming);
  Stride strideOfPhi(const llvm::PHINode &Phi);
  bool isSmooth(const llvm::Value &V, unsigned Depth = 0);
  bool isSmallTable(const llvm::Value &Pointer) const;
  bool countsByLane(const llvm::Operator &Merge) const;

  const llvm::DataLayout &Layout;
  const Divergence &Divergent;
  llvm::ScalarEvolution &Evolution;
  llvm::DenseMap<const llvm::Value *, Stride> Known;
  std::vector<const llvm::Value *> Order; ///< In which values became known.
  std::vector<const llvm::Value *> Open;  ///< Counters of the loops around.
  unsigned Steps = 0;
};

} // namespace bankstripe

#endif
