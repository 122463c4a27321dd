//===-- SharedArray.h - the user's own shared arrays ------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `__shared__` arrays of a fixed size, and how the lanes of a warp share the
// banks that they lie in.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_MODEL_SHAREDARRAY_H
#define BANKSTRIPE_MODEL_SHAREDARRAY_H

#include "model/Reason.h"
#include <optional>
#include <string>
#include <vector>

namespace bankstripe {

/// One load or store of a shared array, in blocks of one shape.
struct SharedAccess {
  std::string FunctionId;      ///< Mangled name of the function that it is in.
  std::vector<unsigned> Shape; ///< x, y and z of blocks; empty if unknown.
  unsigned Line = 0, Column = 0;
  unsigned LoopDepth = 0;
  /// How many words of one bank the lanes of a warp ask for at once, at most,
  /// by the number of elements that each row gets; empty where unknown.
  std::vector<unsigned> Degrees;
  /// What it finds may depend on where rows lie.
  bool MayLeaveRow = false;
};

/// One `__shared__` array, of one instance where a template declares it.
struct SharedArray {
  std::string Id; ///< Mangled name.
  std::string Name;
  Place Where;
  std::string Function; ///< Qualified name of the function around it.
  std::string Type;
  uint64_t ElementBytes = 0;
  std::vector<uint64_t> Extents;
  /// Whether it has rows, which may get longer.
  bool hasRows() const { return Extents.size() > 1; }
  TextRange LastExtent; ///< As written; if it has rows.
  bool IsSum = false;   ///< It needs no parentheses to be a term of a sum.
  std::vector<Obstacle> Obstacles;
  /// Nothing without IR.
  std::optional<std::vector<SharedAccess>> Accesses;
};

} // namespace bankstripe

#endif
