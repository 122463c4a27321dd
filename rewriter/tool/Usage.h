//===-- Usage.h - what --help and bad command lines print -------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TOOL_USAGE_H
#define BANKSTRIPE_TOOL_USAGE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace llvm {
class raw_ostream;
namespace cl {
class Option;
class OptionCategory;
} // namespace cl
} // namespace llvm

namespace bankstripe {

void printVersion(llvm::raw_ostream &OS);

/// Shows only options of \p Category. \returns what the help that \p Words ask
/// for begins with; that of a command is about \p Paths where it takes them.
std::string prepareHelp(llvm::ArrayRef<const char *> Words,
                        llvm::cl::OptionCategory &Category,
                        const llvm::cl::Option &Paths);

/// Prints the first of \p Errors, which LLVM found in \p Words, and what to do
/// about it.
void printMistake(llvm::StringRef Errors, llvm::ArrayRef<const char *> Words);

} // namespace bankstripe

#endif
