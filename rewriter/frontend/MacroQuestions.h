//===-- MacroQuestions.h - macros that only nvcc knows ----------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the user's text asks for a macro that Clang and nvcc may have
// differently, nvcc is asked, and the file is parsed once more.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FRONTEND_MACROQUESTIONS_H
#define BANKSTRIPE_FRONTEND_MACROQUESTIONS_H

#include "frontend/NvccCommand.h"
#include <set>

namespace clang {
class CompilerInstance;
class CompilerInvocation;
} // namespace clang

namespace bankstripe {

/// What the parses of one file know of nvcc's macros.
class MacroView {
public:
  /// \p Watch may be null.
  MacroView(const CompileJob &Job, ParseWatch *Watch)
      : Job(Job), Watch(Watch) {}

  /// What nvcc has; null where it cannot be asked. Asks once.
  const CompilerMacros *nvcc();
  /// Whether nvcc may have others: a part of the command was refused, or nobody
  /// could be asked.
  bool isGuess() { return !Job.Refused.empty() || !nvcc(); }
  const std::vector<std::string> &args() const { return Job.ClangArgs; }
  /// Whether the command is for nvcc, whose macros then matter.
  bool isForNvcc() const;

  /// Macros that the user's text sees as nvcc has them.
  std::set<std::string> Shown;
  /// Whether more of them may be shown: a parse with them works.
  bool MayShow = true;
  /// The version of GCC that the standard library is from; empty if unknown.
  /// It is shown where nobody can be asked: headers refuse Clang's 4.2.
  std::string LibraryVersion;

private:
  const CompileJob &Job;
  ParseWatch *Watch;
  bool IsAsked = false;
  CompilerMacros Known;
};

/// Makes nvcc's macros that \p View shows known to a parse by \p Invocation.
void defineShown(MacroView &View, clang::CompilerInvocation &Invocation);

/// Lets the parse of \p Compiler show the macros of \p View, and notes in
/// \p Wanted which the user's text has to see as nvcc has them, and does not.
/// Both outlive the parse.
void watchMacros(clang::CompilerInstance &Compiler, MacroView &View,
                 std::set<std::string> &Wanted);

} // namespace bankstripe

#endif
