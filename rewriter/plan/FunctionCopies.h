//===-- FunctionCopies.h - copies of functions that versions call -*- C++ -*-=//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A version of a kernel calls copies of functions with arrays where names lead
// to these: each function on the way has a copy, in which the calls of the next
// one have its copy's name.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_PLAN_FUNCTIONCOPIES_H
#define BANKSTRIPE_PLAN_FUNCTIONCOPIES_H

#include "plan/Merge.h"

namespace bankstripe {

/// What copies of functions there can be. Refers to the run that it is made of.
class FunctionCopies {
public:
  explicit FunctionCopies(const MergedRun &Run);

  /// The function that holds \p F, if it can have a copy; else null.
  const FunctionText *holderOf(const Finding &F) const;
  /// Why no copy of the function that holds \p F is called, in words that
  /// follow a colon; empty if nobody knows.
  std::string whyNone(const Finding &F) const;
  /// Whether calls with names lead from \p Kernel to the function that holds \p
  /// F, which can have a copy.
  bool leadTo(const Kernel &Kernel, const Finding &F) const;
  /// Says in \p P which functions get copies for the arrays that move in some,
  /// and who calls them.
  void addTo(Plan &P) const;

private:
  const FunctionText *innermost(const Finding &F, bool WithProblem) const;
  std::string whyNameStays(const NamedCall &C, const FunctionText &In) const;
  std::set<Place> below(const Place &Caller) const;

  std::map<Place, const FunctionText *> All;
  std::set<Place> Possible;            ///< Those that can have a copy.
  std::map<Place, std::string> WhyNot; ///< Of others, and below calls of those.
  /// By file and offset of the definition.
  std::map<std::pair<llvm::StringRef, unsigned>, const FunctionText *> ByText;
  std::map<Place, std::set<Place>> BelowKernels; ///< By the kernel.
};

} // namespace bankstripe

#endif
