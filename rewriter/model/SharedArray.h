//===-- SharedArray.h - the user's own shared arrays ------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `__shared__` arrays of two or more dimensions, and which elements the lanes
// of a warp ask for at once.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_MODEL_SHAREDARRAY_H
#define BANKSTRIPE_MODEL_SHAREDARRAY_H

#include "model/Reason.h"
#include <string>
#include <vector>

namespace bankstripe {

/// One step in the computation of an index; a whole index is a list of them in
/// postfix order. What it is for each lane is known with the block's shape.
struct LaneStep {
  enum class Kind {
    Constant, ///< Number.
    Thread,   ///< threadIdx in dimension Number.
    Extent,   ///< blockDim in dimension Number.
    Uniform,  ///< Unknown, and the same for all lanes.
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRight,
  };
  Kind What = Kind::Uniform;
  int64_t Number = 0;
};

/// One load or store of a shared array.
struct SharedAccess {
  std::string FunctionId; ///< Mangled name of the function that it is in.
  unsigned Line = 0, Column = 0;
  unsigned LoopDepth = 0;
  uint64_t Offset = 0; ///< Into the element, in bytes.
  uint64_t Bytes = 0;  ///< Of each lane.
  /// By dimension; empty where that is not known.
  std::vector<std::vector<LaneStep>> Indices;
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
  TextRange LastExtent; ///< As written.
  bool IsSum = false;   ///< A term can be added to that as it is written.
  std::vector<Obstacle> Obstacles;
};

} // namespace bankstripe

#endif
