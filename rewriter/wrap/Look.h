//===-- Look.h - whether there can be anything to rewrite -------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parsing CUDA takes as long as half a compile. Most files hold no private
// array, and that can be seen by a look at their tokens. The look errs on the
// side of parsing.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_WRAP_LOOK_H
#define BANKSTRIPE_WRAP_LOOK_H

#include "wrap/Includes.h"
#include <set>

namespace bankstripe {

/// Whether device code in \p Tree may declare a private array, or an object of
/// a class that holds one.
bool mayHoldPrivateArray(const IncludeTree &Tree);

/// Whether such an array may move though nothing is known of other files that
/// launch the kernels of \p Tree: a kernel may be bounded or out of their
/// reach, or an array may be a table of constants. Bounds of which no word is
/// in \p Tree are not seen.
bool mayMoveAlone(const IncludeTree &Tree);

enum class ArrayKind {
  Any,
  Initialized, ///< In a function, with values.
};

/// Whether \p Text declares an array where device code may have it. \p Marks
/// are macros that stand for `__device__` and the like.
bool mayDeclareArray(const std::string &Text,
                     const std::set<std::string> &Marks,
                     ArrayKind Wanted = ArrayKind::Any);

} // namespace bankstripe

#endif
