//===-- ForeignCommand.h - what a project's command may do ------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A compile database comes along with a project, and who looks at a project has
// not yet agreed to run what it names. Of its commands stays what tells how the
// source is read.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_FRONTEND_FOREIGNCOMMAND_H
#define BANKSTRIPE_FRONTEND_FOREIGNCOMMAND_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace bankstripe {

/// A command that nobody vouches for.
struct ForeignCommand {
  /// It with the content of response files, and without what is refused.
  std::vector<std::string> Words;
  /// What could run a program or write a file that the command names, once
  /// nvcc repeats it or Clang reads it.
  std::vector<std::string> Refused;
  /// Of Words, what tells Clang how to read the source and means something to
  /// the shell that nvcc would hand it to.
  std::vector<std::string> OnlyForClang;
};

/// Takes \p Command, compiler first, to be run in \p Directory, apart. A host
/// compiler stays where the user's environment means the same one.
ForeignCommand readForeignCommand(llvm::ArrayRef<std::string> Command,
                                  llvm::StringRef Directory);

/// Whether \p Text means itself between the double quotes of a shell, which is
/// where nvcc puts the names of files.
bool isPlainInQuotes(llvm::StringRef Text);

} // namespace bankstripe

#endif
