//===-- Planned.h - plans for a few lines of code ---------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Editing needs places in the text and nothing of what the code means, so the
// tests find them with a scan of the tokens instead of a parse: an array's
// first appearance is its declaration, each further one with brackets is a use.
//
//   EXPECT_EQ(rewritten("{ int a[4]; a[i] = 1; }", {{"a", {4}}}), "...");
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TESTS_UNIT_EDIT_PLANNED_H
#define BANKSTRIPE_TESTS_UNIT_EDIT_PLANNED_H

#include "edit/Edit.h"
#include "edit/EditInternal.h"

namespace bankstripe::testing {

/// The path that the code stands under.
inline constexpr llvm::StringLiteral CodePath = "/code.cu";

/// An array, or an object, that moves.
struct Moving {
  std::string Name;
  std::vector<uint64_t> Extents; ///< None: an object of a class.
  StripeForm Form = StripeForm::Plain;
  VerdictKind Kind = VerdictKind::Stripe;
  /// A constructor runs: of an object, or of an array's elements.
  bool Constructed = false;
  bool InKernel = true; ///< And not in another function.
  bool HostDevice = false;
  bool HasConst = false;
  bool IsParameter = false;
};

/// An array that moves into a slot.
Moving slot(const std::string &Name, std::vector<uint64_t> Extents = {});
/// An object that is made in a slot by its constructor.
Moving constructed(const std::string &Name, std::vector<uint64_t> Extents = {});
/// An array that becomes static.
Moving table(const std::string &Name, std::vector<uint64_t> Extents);
/// \p M, but declared in a `__device__` function.
Moving inFunction(Moving M);
/// A slot with a copy of the parameter \p Name.
Moving parameter(const std::string &Name);
/// \p M, but declared in a `__host__ __device__` function.
Moving forTheHostToo(Moving M);

/// A plan that moves \p Arrays of \p Code, all in one kernel of 128-thread
/// blocks.
Plan planFor(llvm::StringRef Code, const std::vector<Moving> &Arrays);

/// Where \p Part stands in \p Code for the first time.
TextRange at(llvm::StringRef Code, llvm::StringRef Part);

/// The declaration of pointers to \p To that begins with \p Specifiers; each of
/// \p Names is a star with the name behind it.
PointerDeclaration pointers(llvm::StringRef Code, llvm::StringRef Specifiers,
                            std::vector<std::string> Names, Pointee To);

/// Adds to \p P a function `put`, whose \p Definition has a first parameter `p`
/// that is written \p Parameter and points to \p To, and \p Call, which passes
/// the first array.
void addPut(Plan &P, llvm::StringRef Definition, llvm::StringRef Parameter,
            Pointee To, llvm::StringRef Call);

/// What becomes of the one file of \p P, with DIGEST for digests of texts.
std::string carriedOut(const Plan &P, bool EmbedHelper = false);

/// \p Code with \p Arrays moved, without the #include at its top, which stands
/// there just when shared memory is used.
std::string rewritten(llvm::StringRef Code, const std::vector<Moving> &Arrays);

} // namespace bankstripe::testing

#endif
