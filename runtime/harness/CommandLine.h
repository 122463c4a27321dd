//===-- CommandLine.h - what all command lines have in common ---*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_HARNESS_COMMANDLINE_H
#define BANKSTRIPE_HARNESS_COMMANDLINE_H

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
} // namespace CLI

namespace bankstripe::runtime {

/// A program, or a script that starts one, and what it is called with.
struct Command {
  std::string Program; ///< A path, once it was looked for.
  std::vector<std::string> Arguments;

  /// As it would be typed, with quotes where a shell needs them.
  std::string text() const;
};

/// Looks for a program as a shell does: in \p SearchPath (folders with colons
/// between them) when its name has no slash.
///
/// \returns the path; empty when nothing there can be run.
std::string findProgram(const std::string &Name, const std::string &SearchPath);

/// What is found, and with what the program exits.
enum ExitStatus : int {
  ExitIdentical = 0, ///< Nothing differs that the rewrite is to blame for.
  ExitDiffers = 1,   ///< Something does, or the rewritten program failed.
  ExitUsage = 2,
  ExitCannotRecord = 3, ///< There is nothing to judge.
};

/// What to do when there is nothing to run: print Text and exit.
struct Done {
  std::string Text;
  int Status = ExitIdentical;
};

/// Reads \p Arguments with \p App, whose name is that of the program.
///
/// \returns what to do when that is to print something and go: the help, the
/// version, or what is wrong.
std::optional<Done> parseArguments(CLI::App &App, int ArgumentCount,
                                   const char *const *Arguments);
Done usageError(const CLI::App &App, const std::string &Message);

/// Prints the text, an error to standard error. \returns the status.
int finish(const Done &Ended);

/// Prints what is wrong to standard error. \returns \p Status.
int fail(const char *Program, const std::string &Problem, int Status);

/// Where the recorder is: beside this executable, or in the `lib` folder next
/// to its own. Empty when it is in neither.
std::string findRecorder();

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_HARNESS_COMMANDLINE_H
