//===-- Describe.h - the command line, described ----------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What --help knows, as values: the man page and the completions of shells are
// written from it, so that they say the same.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TOOL_DESCRIBE_H
#define BANKSTRIPE_TOOL_DESCRIBE_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <utility>
#include <vector>

namespace llvm {
class raw_ostream;
}

namespace bankstripe {

/// One option of a command.
struct OptionText {
  std::string Name;  ///< Without dashes.
  std::string Value; ///< What stands for its value; empty when it has none.
  std::string Help;
  /// The values that it can have, with what they mean; empty when it can have
  /// any.
  std::vector<std::pair<std::string, std::string>> Choices;

  /// `-p` or `--quiet`.
  std::string spelled() const { return (Name.size() > 1 ? "--" : "-") + Name; }
};

/// One command.
struct CommandText {
  std::string Name;
  std::string Help;
  std::string Arguments; ///< What follows its options.
  std::vector<OptionText> Options;
};

/// All commands with their options, each by name. (Options.cpp)
std::vector<CommandText> describeCommands();

/// What --help says before it comes to the options.
llvm::StringRef overviewText();

/// `bankstripe completion SHELL`. \returns the exit code.
int printCompletion(llvm::StringRef Shell, llvm::raw_ostream &OS);

/// `bankstripe man-page`.
void printManPage(llvm::raw_ostream &OS);

} // namespace bankstripe

#endif
