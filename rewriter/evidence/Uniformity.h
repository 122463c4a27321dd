//===-- Uniformity.h - are a private array's indices uniform -----*- C++
//-*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Classifies the accesses to surviving allocas by what the lanes of a warp do
// to the index.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_EVIDENCE_UNIFORMITY_H
#define BANKSTRIPE_EVIDENCE_UNIFORMITY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include <memory>

namespace llvm {
class AllocaInst;
class DataLayout;
class Function;
class Instruction;
class Use;
class Value;
} // namespace llvm

namespace bankstripe {

struct ArrayEvidence;

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

/// A surviving alloca and the evidence that it adds to.
struct ResidentAlloca {
  llvm::AllocaInst *Alloca = nullptr;
  unsigned FindingIndex = 0;
};

/// The addresses derived from \p Alloca with which memory is accessed, here or
/// in a function that is called with them.
llvm::SmallVector<const llvm::Use *> accessesTo(const llvm::AllocaInst &Alloca);

/// Whether \p Pointer is an alloca's address and a constant.
bool hasConstantOffset(const llvm::Value &Pointer, const llvm::DataLayout &DL);

/// Counts the uniform and the non-uniform accesses to \p Allocas, which all
/// live in \p F, into \p Arrays (indexed by FindingIndex). An access that can
/// reach two allocas of one finding counts once. Accesses at a constant offset
/// are the same for every lane whatever the code around them does and do not
/// count at all.
void countAccesses(llvm::Function &F, llvm::ArrayRef<ResidentAlloca> Allocas,
                   llvm::MutableArrayRef<ArrayEvidence> Arrays);

/// The accesses to \p Allocas, which live in the function that \p Divergent is
/// about, at which lanes may use different indices.
llvm::SmallPtrSet<const llvm::Instruction *, 32>
divergentAccesses(const Divergence &Divergent,
                  llvm::ArrayRef<ResidentAlloca> Allocas);

} // namespace bankstripe

#endif
