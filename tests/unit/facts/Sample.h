//===-- Sample.h - facts for tests ------------------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TESTS_UNIT_FACTS_SAMPLE_H
#define BANKSTRIPE_TESTS_UNIT_FACTS_SAMPLE_H

#include "facts/Facts.h"

namespace bankstripe::testing {

/// The version that the tests write and read with.
inline constexpr llvm::StringLiteral ThisTool = "bankstripe of the tests";

/// A unit of \p File with one finding, which reads \p File with the text
/// \p Text.
UnitRecord makeUnit(const std::string &File,
                    const std::string &Text = "int a[4];\n");

/// A unit in which every field has another value than by default, and no list
/// is empty.
UnitRecord makeFullUnit();

/// \p Facts as text.
std::string written(const ProgramFacts &Facts, llvm::StringRef Tool = ThisTool);

/// What went wrong; empty when nothing did.
template <class T> std::string problemOf(llvm::Expected<T> Result) {
  return Result ? std::string() : toString(Result.takeError());
}

} // namespace bankstripe::testing

#endif
