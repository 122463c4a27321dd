//===-- OtherUnits.h - what a unit cannot know of the others ----*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The other commands take the units that they are given for the whole program.
// A launcher sees one unit of a program, and the others may launch its kernels,
// call its functions, and be linked with it.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_WRAP_OTHERUNITS_H
#define BANKSTRIPE_WRAP_OTHERUNITS_H

#include "model/Finding.h"

namespace bankstripe {

/// Assumes the worst of the other units: kernels that they can name are
/// launched by them with any block, host functions that they can name are
/// called with any argument, and so are device functions where device code is
/// linked. \returns the names of the kernels that are assumed to be launched
/// elsewhere though nothing else says how large their blocks are. With \p
/// ByName that is so for all kernels, whatever they are to the language.
std::vector<std::string> assumeOtherUnits(UnitFacts &Unit, bool ByName);

} // namespace bankstripe

#endif
