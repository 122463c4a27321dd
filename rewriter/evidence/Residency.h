//===-- Residency.h - follow findings through the optimiser -----*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the allocas of the findings before optimisation and again afterwards.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_EVIDENCE_RESIDENCY_H
#define BANKSTRIPE_EVIDENCE_RESIDENCY_H

#include "evidence/Divergence.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include <optional>
#include <vector>

namespace llvm {
class DbgVariableRecord;
class DILocalVariable;
class Module;
} // namespace llvm

namespace bankstripe {

struct Finding;

/// The findings in one module, made before it is optimised.
class AllocaTracker {
public:
  /// Looks up the alloca of each finding in \p M and marks it. Debug records of
  /// all else are dropped: they would only be carried along.
  AllocaTracker(llvm::Module &M, llvm::ArrayRef<Finding> Findings);

  /// The functions that hold an alloca of a finding.
  const llvm::SmallDenseSet<llvm::Function *> &holders() const {
    return Holders;
  }
  /// Those of one finding.
  const llvm::SmallDenseSet<llvm::Function *> &
  holdersOf(unsigned FindingIndex) const {
    return HoldersOf[FindingIndex];
  }
  /// Its allocas. To be called before optimisation.
  llvm::SmallVector<const llvm::AllocaInst *>
  allocasOf(unsigned FindingIndex) const;
  /// Whether the function that declares a finding was emitted at all.
  bool wasEmitted(unsigned FindingIndex) const { return Emitted[FindingIndex]; }

  /// The marked allocas in \p F that memory is still accessed through, with
  /// inlined copies and parts of split ones. To be called after optimisation.
  llvm::SmallVector<ResidentAlloca> survivors(llvm::Function &F) const;

private:
  llvm::ArrayRef<unsigned> named(llvm::StringRef Name) const;
  std::optional<unsigned> findingOf(const llvm::DbgVariableRecord &Record,
                                    llvm::ArrayRef<Finding> Findings) const;
  void copyParameters(llvm::Function &F, llvm::ArrayRef<Finding> Findings);
  void mark(llvm::AllocaInst &Alloca, llvm::ArrayRef<Finding> Findings);
  void noteEmitted(const llvm::Module &M, llvm::ArrayRef<Finding> Findings);

  llvm::SmallDenseSet<llvm::Function *> Holders;
  std::vector<llvm::SmallDenseSet<llvm::Function *>> HoldersOf;
  llvm::DenseMap<const llvm::DILocalVariable *, unsigned> Variables;
  std::vector<bool> Emitted;
  llvm::StringMap<std::vector<unsigned>> ByName; ///< The findings.
};

} // namespace bankstripe

#endif
