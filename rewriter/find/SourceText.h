//===-- SourceText.h - from Clang locations to bytes of files ---*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Edits are made on the bytes of files, so every location that an edit will
// need must be spelled in a file: directly, or as the argument of a macro that
// does nothing to its spelling. Everything else has no text to edit, and the
// functions here say so.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FIND_SOURCETEXT_H
#define BANKSTRIPE_FIND_SOURCETEXT_H

#include "frontend/Frontend.h"
#include "model/Place.h"
#include "clang/AST/ASTContext.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/Token.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringSet.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace bankstripe {

class SourceText {
public:
  SourceText(clang::ASTContext &Context, clang::Preprocessor &PP,
             const MacroRecord &Macros);

  clang::ASTContext &context() const { return Context; }
  const clang::SourceManager &sources() const { return SM; }
  const clang::LangOptions &language() const { return Context.getLangOpts(); }

  /// Absolute path of the file that \p Loc is expanded in; empty when it is in
  /// none (a scratch buffer, the command line).
  std::string file(clang::SourceLocation Loc) const;
  /// Where a person finds \p Loc: where it is written, if that is in the
  /// argument of a macro, else the use of the macro that it comes from.
  Place place(clang::SourceLocation Loc) const;

  /// The location in a file where the token at \p Loc is spelled, if an edit
  /// there changes this token and nothing else: \p Loc is in a file, or is an
  /// argument of macros that neither paste nor, unless \p InMessages,
  /// stringize.
  std::optional<clang::SourceLocation> spelled(clang::SourceLocation Loc,
                                               bool InMessages = false) const;

  /// The bytes from the token at \p Begin to the end of the token at \p End,
  /// both spelled locations of one file; nothing when they are not.
  std::optional<TextRange> tokens(clang::SourceLocation Begin,
                                  clang::SourceLocation End) const;
  /// The point where \p Loc, or the macro that it comes from, stands.
  TextRange point(clang::SourceLocation Loc) const {
    return {file(Loc), SM.getFileOffset(SM.getExpansionLoc(Loc)), 0};
  }

  /// The use of a macro that \p Loc comes from; invalid without one.
  TextRange macroUse(clang::SourceLocation Loc) const {
    const clang::CharSourceRange Use = SM.getExpansionRange(Loc);
    return Loc.isMacroID()
               ? tokens(Use.getBegin(), Use.getEnd()).value_or(TextRange())
               : TextRange();
  }

  /// The token after the one at the spelled location \p Loc, comments skipped.
  std::optional<clang::Token> next(clang::SourceLocation Loc) const;

  /// The bytes of \p Range in the file of the spelled location \p Loc.
  llvm::StringRef text(const TextRange &Range,
                       clang::SourceLocation Loc) const {
    return buffer(Loc).substr(Range.Offset, Range.Length);
  }
  /// All of that file.
  llvm::StringRef buffer(clang::SourceLocation Loc) const {
    return SM.getBufferData(SM.getFileID(Loc));
  }
  /// The line that holds the spelled location \p Loc, \p Before lines earlier.
  llvm::StringRef line(clang::SourceLocation Loc, unsigned Before = 0) const;
  /// The written text of \p Range, macros as they stand in the file; nothing
  /// when no one stretch of a file gives both ends.
  std::optional<std::string> written(clang::SourceRange Range) const;
  /// Where that text stands.
  std::optional<TextRange> writtenRange(clang::SourceRange Range) const;

  /// Calls \p Visit with each raw token of \p Code.
  void forEachToken(llvm::StringRef Code,
                    llvm::function_ref<void(const clang::Token &)> Visit) const;
  /// Whether \p Matches says so of an identifier in \p Code, or in what the
  /// macros of such names ever stand for, but \p But of a system header.
  bool
  anyIdentifier(llvm::StringRef Code,
                llvm::function_ref<bool(const clang::IdentifierInfo &)> Matches,
                llvm::StringRef But = "") const;
  /// The same of one name.
  bool mentions(llvm::StringRef Code, llvm::StringRef Name,
                llvm::StringRef But = "") const;
  /// Whether `__COUNTER__` gives a value in \p Range, which \p Code stands in:
  /// each time that it is read another one.
  bool counts(llvm::StringRef Code, const TextRange &Range) const;
  bool counts(clang::SourceRange Range) const;
  /// Whether a compiler for the host alone may read \p Function, too: it stands
  /// in a header, and is for the host as well, or a macro says `__device__`,
  /// which may be empty there.
  bool mayBeReadForHost(const clang::FunctionDecl *Function) const;
  /// Whether the file that \p Loc is expanded in is included in the middle of
  /// a namespace, a class, a function or an initialiser, where the helper
  /// cannot be included. It can be between the braces of `extern "C"`.
  bool isIncludedInside(clang::SourceLocation Loc) const;
  /// Where the files begin that \p File includes, in order.
  llvm::ArrayRef<clang::SourceLocation> includedIn(clang::FileID File) const;
  /// Whether a directive stands in \p Code, so that other configurations may
  /// see another text. Pragmas choose nothing.
  static bool holdsDirective(llvm::StringRef Code, bool PragmasToo = false);
  /// Whether all that ever happens to \p Name as a macro is one definition.
  bool isDefinedOnce(llvm::StringRef Name) const;
  /// Whether the unit has a use for the name \p Name, macros and what is
  /// skipped included.
  bool mayMean(llvm::StringRef Name) const;
  /// Whether \p Name is the same macro, or none, at two locations.
  bool isSameMacro(llvm::StringRef Name, clang::SourceLocation A,
                   clang::SourceLocation B) const;
  /// Whether \p Name is defined or undefined as a macro between two locations.
  bool isRedefined(const clang::IdentifierInfo &Name,
                   clang::SourceRange Between) const;

private:
  clang::ASTContext &Context;
  clang::Preprocessor &PP;
  const clang::SourceManager &SM;
  std::vector<TextRange> Counters; ///< Where `__COUNTER__` was expanded.
  /// All that the user's files say between other characters.
  mutable std::optional<llvm::StringSet<>> UserWords;
  mutable llvm::DenseMap<clang::FileID, bool> IncludedInside;
  mutable std::optional<
      llvm::DenseMap<clang::FileID, std::vector<clang::SourceLocation>>>
      Included;
};

} // namespace bankstripe

#endif
