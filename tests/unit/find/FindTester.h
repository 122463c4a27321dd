//===-- FindTester.h - what find/ sees in an annotated snippet --*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every use and every obstacle that find/ reports for a snippet must be
// announced in it, and the other way round:
//
//     int $in_lambda^a[4];            an obstacle, by its reason's id with _
//     for - $write^a[i] = $read^a[j];       uses: read, write, readwrite,
//     address
//     int $pointers^a[4];             pointers into it walk, or macros name it
//
// A difference fails with the line of the snippet and a caret below the place.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TESTS_FIND_FINDTESTER_H
#define BANKSTRIPE_TESTS_FIND_FINDTESTER_H

#include "model/UnitFacts.h"
#include "support/Annotations.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <source_location>

namespace bankstripe::testing {

/// The name that snippets are parsed under.
inline constexpr llvm::StringRef SnippetFile = "/snippet/snippet.cu";

/// Everything that find/ reads from \p Code, with every file at the tool's
/// disposal unless \p MayEdit says otherwise, parsed with \p ExtraArgs.
UnitFacts factsOf(
    llvm::StringRef Code,
    llvm::function_ref<bool(llvm::StringRef)> MayEdit =
        [](llvm::StringRef) { return true; },
    std::vector<std::string> ExtraArgs = {},
    std::source_location Test = std::source_location::current());

/// The only finding of \p Code.
Finding findingOf(llvm::StringRef Code,
                  std::source_location Test = std::source_location::current());

/// Holds uses and obstacles of all findings against the marks in \p Marked.
/// \returns the findings, for further questions.
std::vector<Finding>
testFind(llvm::StringRef Marked,
         std::source_location Test = std::source_location::current());

/// The same for statements: \p Body becomes the body of
/// `__global__ void kernel(int *out, float *data, int i, int j)`.
std::vector<Finding>
testBody(llvm::StringRef Body,
         std::source_location Test = std::source_location::current());

/// \p Body as testBody takes it, as a whole snippet.
std::string kernelAround(llvm::StringRef Body);

/// `__global__ void kernel(int *out) {}`
extern const std::string KernelCode;

/// The facts of \p Host below that kernel.
UnitFacts hostFacts(const std::string &Host);

/// The only launch of \p Code.
Launch launchOf(const std::string &Code);

/// The only launch of the host function with the body \p Body.
Launch launchIn(const std::string &Body);

} // namespace bankstripe::testing

#endif
