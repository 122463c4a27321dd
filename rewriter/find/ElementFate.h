//===-- ElementFate.h - follow one element of an array ----------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FIND_ELEMENTFATE_H
#define BANKSTRIPE_FIND_ELEMENTFATE_H

#include "find/BodyIndex.h"
#include "model/Finding.h"

namespace bankstripe {

/// Where an element ends up, seen from an expression that denotes it. It stays
/// with itself up to Address, as an AccessKind says.
enum class Fate {
  Read = int(AccessKind::Read),
  Write = int(AccessKind::Write),
  ReadWrite = int(AccessKind::ReadWrite),
  Address = int(AccessKind::Address),
  Returned, ///< A function returns the reference that it was given.
  Escapes,  ///< Its address may reach other elements.
  Unknown,  ///< Not understood.
};

/// The fate of the element that \p Lvalue denotes, in the function of \p Body;
/// it is followed into the functions that are called.
Fate fateOf(const clang::Expr *Lvalue, const BodyIndex &Body,
            BodyIndexCache &Bodies);

/// Whether it stays with itself.
inline bool staysWithElement(const clang::Expr *Lvalue, const BodyIndex &Body,
                             BodyIndexCache &Bodies) {
  const Fate F = fateOf(Lvalue, Body, Bodies);
  return F != Fate::Escapes && F != Fate::Returned;
}

/// The variable that \p Statement initialises with \p Init; null if none.
const clang::VarDecl *initialisedBy(const clang::DeclStmt *Statement,
                                    const clang::Expr *Init);

} // namespace bankstripe

#endif
