//===-- MergeFindings.h - what is seen of one array ----------- -*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One array of the text may be several in the tree: one for each instantiation
// of its template, and one more that a host compiler sees. One edit must be
// right for all of them, so an obstacle of one is an obstacle of all.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FIND_MERGEFINDINGS_H
#define BANKSTRIPE_FIND_MERGEFINDINGS_H

#include "model/UnitFacts.h"

namespace bankstripe {

/// Adds what another instantiation of the same template makes of an array.
void mergeInstance(Finding &Into, Finding From);

/// What one parse of a unit, for the device or for the host, shows of arrays.
struct ArrayView {
  std::vector<Finding> Findings;
  std::set<std::string> NumberedFiles; ///< As in UnitFacts.
  bool AsksForPlaces = false;          ///< frontend/UserFiles.h
  std::vector<Place> Unread;           ///< Where Clang found errors.
};

/// The arrays of \p Device, with what stands against them for the host: nvcc
/// parses bodies for the host, too, where macros may stand for something else.
/// A function that is for both keeps the array there. What the host skips, the
/// device has seen.
ArrayView joinViews(ArrayView Device, ArrayView Host);

} // namespace bankstripe

#endif
