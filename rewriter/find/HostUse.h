//===-- HostUse.h - what the host does with a variable ----------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FIND_HOSTUSE_H
#define BANKSTRIPE_FIND_HOSTUSE_H

#include "find/BodyIndex.h"

namespace bankstripe {

/// What the host does with a variable, or a member of it, where it names it.
/// When it is neither read nor assigned, it may be changed.
struct HostUse {
  bool IsRead = false; ///< Loaded, copied, or seen where nobody can write it.
  const clang::Expr *Assigned = nullptr; ///< The value that it is given.
  /// The member that is named of it; with IsDeep, a part of that one.
  const clang::MemberExpr *Field = nullptr;
  bool IsDeep = false;
};

/// \p Name names the variable, or is an lvalue that is the variable.
HostUse useOf(const clang::Stmt *Name, const BodyIndex &Body);

/// Whether the value of \p Variable can change where no code in sight assigns
/// it: another file defines it, or what it lives in is not its own.
bool isChangedElsewhere(const clang::VarDecl *Variable);

} // namespace bankstripe

#endif
