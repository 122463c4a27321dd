//===-- Divergence.h - what differs from lane to lane -----------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tells which values of a function lanes of a warp may have different ones of,
// and with it at which accesses to an array they may use different indices.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_EVIDENCE_DIVERGENCE_H
#define BANKSTRIPE_EVIDENCE_DIVERGENCE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <memory>

namespace llvm {
class AllocaInst;
class DataLayout;
class Function;
class Use;
class Value;
} // namespace llvm

namespace bankstripe {

/// The values of one function that lanes of a warp may have different ones of.
class Divergence {
public:
  explicit Divergence(llvm::Function &F);
  ~Divergence();

  bool of(const llvm::Value &V) const;
  bool of(const llvm::Use &U) const;

private:
  struct Analyses;
  std::unique_ptr<Analyses> Found;
};

/// A surviving alloca and the finding that it is of.
struct ResidentAlloca {
  llvm::AllocaInst *Alloca = nullptr;
  unsigned FindingIndex = 0;
};

/// An address with which memory of an array is accessed, here or in a function
/// that is called with it.
struct ArrayAccess {
  const llvm::Use *Address = nullptr;
  unsigned FindingIndex = 0;
  bool Differs = false; ///< Lanes may use different indices.
};

/// The accesses to \p Allocas, which live in the function that \p Divergent is
/// about. One that can reach two allocas of one finding is listed once.
llvm::SmallVector<ArrayAccess>
accessesTo(llvm::ArrayRef<ResidentAlloca> Allocas, const Divergence &Divergent);

/// Whether \p Pointer is an alloca's address and a constant: the same for every
/// lane whatever the code around it does.
bool hasConstantOffset(const llvm::Value &Pointer, const llvm::DataLayout &DL);

} // namespace bankstripe

#endif
