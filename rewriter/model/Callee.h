//===-- Callee.h - functions that take a striped pointer --------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where an array is more than subscripted, pointers into it stay with it as
// long as they only walk: they are declared anew as striped pointers, and the
// functions that they are passed to become templates or get an overload.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_MODEL_CALLEE_H
#define BANKSTRIPE_MODEL_CALLEE_H

#include "model/Place.h"
#include <map>
#include <string>
#include <vector>

namespace bankstripe {

/// The type that a pointer's declaration names, as written, without `const`.
struct Pointee {
  std::string Text;
  bool Const = false;
  bool Dependent = false; ///< Named with a template parameter.
};

/// `const int *p = a, *end = a + n`: every declarator walks over one array.
struct PointerDeclaration {
  TextRange Specifiers;         ///< `const int`; empty in `int a[4], *p`.
  std::vector<TextRange> Stars; ///< Each `*`, with what follows to the name.
  Pointee To;
};

/// A walking pointer as the argument of a call.
struct PointerArgument {
  TextRange Call;         ///< Tells calls apart.
  Place Callee;           ///< Of the definition's name.
  unsigned Parameter = 0; ///< Counted from 0.
};

/// Where the pointers into one array go inside one function.
struct PointerTrail {
  std::vector<PointerDeclaration> Locals;
  std::vector<PointerArgument> Arguments;
  bool AsBits = true; ///< What they point to may be bits.
};

/// A parameter that only walks.
struct CalleeParameter {
  TextRange Text; ///< Its declaration, without a default argument.
  std::string Name;
  Pointee To;
  PointerTrail Trail;
  /// What its type is called if a template deduces it; empty where that might
  /// mean something else to a call.
  std::string Deduced = {};
};

/// A function that can take striped pointers.
struct Callee {
  Place Where;          ///< Of the name in its definition.
  std::string Name;     ///< Qualified, for people.
  TextRange Definition; ///< From the first specifier or `template` to the `}`.
  bool MayBeReadForHost = false; ///< By a compiler that knows no CUDA.
  std::map<unsigned, CalleeParameter> Parameters; ///< Those that only walk.

  /// It may become no template.
  void keepType() {
    for (auto &[Index, Parameter] : Parameters)
      Parameter.Deduced.clear();
  }
};

} // namespace bankstripe

#endif
