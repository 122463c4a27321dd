//===-- Storage.h - what a declarator becomes -------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_EDIT_STORAGE_H
#define BANKSTRIPE_EDIT_STORAGE_H

#include "edit/EditInternal.h"

namespace bankstripe {

/// Spells the storage of arrays that move: a stripe, a slot, or a static table.
class StorageWriter {
public:
  /// \p NewLine starts another statement. \p Names: as of editsOfStatement.
  StorageWriter(llvm::StringRef Code, std::string NewLine,
                llvm::ArrayRef<TextEdit> Names = {})
      : Code(Code), NewLine(std::move(NewLine)), Names(Names) {}

  /// The specifiers before the declarator of \p A; empty when the declarator's
  /// new text brings its own.
  std::string specifiersOf(const PlannedArray &A) const;
  /// The edits of the declarator itself, its initialiser included.
  EditList editsOfDeclarator(const PlannedArray &A) const;
  /// What runs right after the declaration, one statement each.
  std::vector<std::string> statementsAfter(const PlannedArray &A) const;
  /// What a parameter needs before the body.
  std::string copyOfParameter(const PlannedArray &A) const;

  /// The specifiers of \p D, as they can be written once more.
  std::string specifiers(const DeclarationText &D) const {
    return D.Members.isValid() ? D.Type : text(D.Specifiers);
  }
  /// What is written at \p R, with other names where these change.
  std::string text(const TextRange &R) const;

private:
  std::string elementSpecifiers(const PlannedArray &A) const;
  std::string unitExtents(const PlannedArray &A, unsigned From = 0) const;
  std::string accessor(const PlannedArray &A) const;
  std::string stripeExtents(const PlannedArray &A) const;
  std::string elementText(const PlannedArray &A) const;
  std::string restDeclaration(const PlannedArray &A) const;
  std::string viewDeclaration(const PlannedArray &A) const;
  std::string slotStorage(const PlannedArray &A) const;
  std::string slotDeclaration(const PlannedArray &A) const;
  std::string construction(const PlannedArray &A) const;
  std::string initialisation(const PlannedArray &A) const;

  llvm::StringRef Code;
  std::string NewLine;
  llvm::ArrayRef<TextEdit> Names;
};

} // namespace bankstripe

#endif
