//===-- Tolerance.h - results that may vary a little ------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sum of floating point numbers by atomics depends on their order, so no run
// equals another. Such results can only be compared within a tolerance, and are
// compared so only where the original itself varies.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_VERIFY_TOLERANCE_H
#define BANKSTRIPE_VERIFY_TOLERANCE_H

#include "verify/Elements.h"

namespace bankstripe::runtime {

/// How far elements may lie apart.
struct Tolerance {
  ElementType Type = ElementType::F32; ///< A floating point type.
  double Relative = 0;                 ///< Part of the larger magnitude.
};

/// Reads "f32:1e-5".
std::optional<Tolerance> parseTolerance(const std::string &Text);

/// Two copies of some memory, element by element.
struct ToleranceResult {
  uint64_t Elements = 0;
  uint64_t Differing = 0;          ///< Not the same bits.
  uint64_t Beyond = 0;             ///< Further apart than the tolerance.
  double Largest = 0;              ///< The largest relative difference.
  uint64_t Index = 0;              ///< Of the element with that difference...
  std::string Original, Rewritten; ///< ...and its values.
};

/// A NaN is only within the tolerance of a NaN, an infinity of the same one;
/// either alone is infinitely far away. Bytes behind the last whole element
/// that both copies hold count as one element, which has to be the same.
ToleranceResult compareWithin(const Tolerance &Within,
                              const std::string &Original,
                              const std::string &Rewritten);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_VERIFY_TOLERANCE_H
