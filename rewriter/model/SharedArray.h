//===-- SharedArray.h - the user's own shared arrays ------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `__shared__` arrays of a fixed size, whose rows may become longer.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_MODEL_SHAREDARRAY_H
#define BANKSTRIPE_MODEL_SHAREDARRAY_H

#include "model/Reason.h"
#include <string>
#include <vector>

namespace bankstripe {

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
};

} // namespace bankstripe

#endif
