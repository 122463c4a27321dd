//===-- Bridges.h - from what nvcc takes to what Clang takes ----*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clang's error names the place at which it differs from nvcc, so a table has
// what to do about each:
//
//   a parse that failed => its errors => Bridges => the next parse
//
// Files are never written, and no character of a text changes its place: what
// looks at the sources after the parse sees what the user wrote.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FRONTEND_BRIDGES_H
#define BANKSTRIPE_FRONTEND_BRIDGES_H

#include "llvm/ADT/StringMap.h"
#include <map>
#include <set>
#include <string>
#include <vector>

namespace clang {
class CompilerInstance;
class Diagnostic;
} // namespace clang

namespace bankstripe {

/// How the macros start that stand for a directive.
inline constexpr llvm::StringLiteral PragmaMacros = "__bs_";

/// The name of one of them.
std::string pragmaName(size_t Number);

/// A place in a file: its name as Clang has it, and the offset.
using FileOffset = std::pair<std::string, unsigned>;

/// A token of a file, without the preprocessor.
struct RawToken {
  unsigned Offset;
  llvm::StringRef Text;
};

/// The tokens of files, by name, as long as the files hold these texts.
struct LexedFile {
  std::string Text;
  std::vector<RawToken> Tokens;
};
using LexedFiles = llvm::StringMap<LexedFile>;

/// What has been learned from failed parses of one unit.
class Bridges {
public:
  /// Looks at what Clang says in the parse of \p Compiler; what is no known
  /// difference is left alone. \p Lexed keeps what is needed for the next.
  /// \returns what a person could write instead; empty where that is not known.
  llvm::StringRef learn(const clang::Diagnostic &Diag,
                        clang::CompilerInstance &Compiler, LexedFiles &Lexed);

  /// Before the parse: corrects texts and sees to each token.
  void build(clang::CompilerInstance &Compiler) const;
  /// After the parse: the texts are the user's again.
  void remove(clang::CompilerInstance &Compiler) const;

  bool operator==(const Bridges &) const = default;

  /// Tokens for the parser that no file has.
  struct Insertion {
    std::string Text;
    unsigned At = 0; ///< The offset that they say they stand at.
    bool operator==(const Insertion &) const = default;
  };
  /// One file, of which some text counts as spelled differently.
  struct Correction {
    std::string Original;
    std::string Corrected; ///< Of the same length.
    bool operator==(const Correction &) const = default;
  };

  std::map<std::string, Correction> Texts;
  std::map<FileOffset, Insertion> Behind; ///< The token that begins there.
  /// The names in declarations that are to be `__host__ __device__`.
  std::set<FileOffset> OnBothSides;
  /// Likewise, in a parse for the device alone: functions of the device that
  /// functions of the host call there, where nvcc does not look. In a parse for
  /// the host these are errors.
  std::set<FileOffset> CalledByHost;
  /// Whether code for both sides calls what is the host's. nvcc warns of that.
  bool CallsHost = false;
  std::set<std::string> NoBuiltins; ///< Names that are the user's own.
  /// Whether code reads textures or surfaces. What Clang has for these takes
  /// more than a third of the time in which the headers of CUDA are read, so it
  /// is left out else.
  bool HasTextures = false;
  /// What the definitions of macros have from `#pragma` on, by its number.
  std::vector<std::string> Pragmas;
  /// What to say where that did not help, by file and line.
  std::map<FileOffset, const char *> Advice;
};

/// \p Messages on texts in which macros of ours stand for \p Pragmas, as on the
/// user's own.
std::string withPragmas(llvm::StringRef Messages,
                        llvm::ArrayRef<std::string> Pragmas);

} // namespace bankstripe

#endif
