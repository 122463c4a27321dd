//===-- BridgeTable.h - what to do about each of Clang's errors -*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FRONTEND_BRIDGETABLE_H
#define BANKSTRIPE_FRONTEND_BRIDGETABLE_H

#include "frontend/Bridges.h"
#include "clang/Basic/SourceLocation.h"
#include "llvm/ADT/ArrayRef.h"

namespace clang {
class ASTContext;
class SourceManager;
} // namespace clang

namespace bankstripe {

/// What Clang says, with the text around the place.
struct Fault {
  const clang::Diagnostic &Diag;
  std::string File;
  llvm::ArrayRef<RawToken> Tokens; ///< Of the whole file.
  size_t Index;                    ///< The token that Clang means.
  unsigned Offset;                 ///< Or else inside the token before that.
  bool IsOnlyNamed; ///< Nothing runs there, as in the operand of `sizeof`.
  bool IsForHost;   ///< It is in a function that no device runs.
  clang::ASTContext &Context;

  FileOffset at(size_t Token) const { return {File, Tokens[Token].Offset}; }
  llvm::StringRef text() const { return Tokens[Index].Text; }
};

/// A difference: how Clang words it, and what makes it go away.
struct Bridge {
  unsigned DiagId;
  /// \returns whether it is the difference, and not another error.
  bool (*Build)(const Fault &, Bridges &);
  const char *Advice; ///< For a person, where the bridge did not help.
};

/// The known differences; of one error the first that it is.
llvm::ArrayRef<Bridge> knownBridges();

/// The place at which \p Loc is spelled; without a name where that is no file.
FileOffset placeOf(const clang::SourceManager &SM, clang::SourceLocation Loc);

} // namespace bankstripe

#endif
