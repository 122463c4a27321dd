//===-- Commands.h - the two commands that are compared ---------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_VERIFY_COMMANDS_H
#define BANKSTRIPE_VERIFY_COMMANDS_H

#include <string>
#include <variant>
#include <vector>

namespace bankstripe::runtime {

/// A program, or a script that starts one, and what it is called with.
struct Command {
  std::string Program; ///< A path, once it was looked for.
  std::vector<std::string> Arguments;

  /// As it would be typed, with quotes where a shell needs them.
  std::string text() const;
};

/// The original command and the rewritten one.
struct CommandPair {
  Command Original, Rewritten;
};

/// What is wrong with a command line.
struct CommandError {
  std::string Message;
};

/// What stands between the two commands unless an option says otherwise.
constexpr char DefaultSeparator[] = "--vs";

/// Splits `ORIGINAL ARGS... --vs REWRITTEN ARGS...`. A separator that stands
/// there twice could be an argument, so that is an error.
std::variant<CommandPair, CommandError>
splitCommands(const std::vector<std::string> &Words,
              const std::string &Separator = DefaultSeparator);

/// Looks for a program as a shell does: in \p SearchPath (folders with colons
/// between them) when its name has no slash.
///
/// \returns the path; empty when nothing there can be run.
std::string findProgram(const std::string &Name, const std::string &SearchPath);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_VERIFY_COMMANDS_H
