//===-- Options.h - the command line of bankstripe-verify -------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_VERIFY_OPTIONS_H
#define BANKSTRIPE_VERIFY_OPTIONS_H

#include <optional>
#include <string>
#include <variant>
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

struct Options {
  Command Original, Rewritten;
  /// Timed runs of each; 0 for none, and for times of the runs with digests
  /// where the first one of the original was a survey.
  unsigned Runs = 5;
  double TimeoutSeconds = 600; ///< For one run; 0 for no limit.
  std::string JsonPath;        ///< Empty for none; "-" for stdout.
  std::string HtmlPath;        ///< Of the page; empty for none.
  std::string PlanPath;        ///< What the page shows besides; or empty.
  /// Gigabytes of memory that the digests of a run may read; none: all.
  std::optional<double> Budget = 4000;
  unsigned Repeats = 2; ///< Runs of the original with digests.
  /// Of captures, when only the original is looked at; else empty.
  std::string SurveyFolder;
  /// Of a survey of the original that stands for its first run; or empty.
  std::string RecordedFolder;
  std::vector<std::string> SurveyedKernels; ///< Symbols of those to capture.
  double MostCaptured = 16; ///< Gigabytes of memory in these captures.
};

/// Splits `ORIGINAL ARGS... --vs REWRITTEN ARGS...`. A `--vs` that stands there
/// twice could be an argument, so that is an error.
///
/// \returns what is wrong; empty when nothing is.
std::string splitCommands(const std::vector<std::string> &Words, Options &Into);

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

/// Reads the command line, of which there are two forms: two programs before
/// `--` and the arguments of both after it, or two whole commands after it with
/// a `--vs` between them. For a survey there is one command. Arguments go to
/// the programs untouched.
std::variant<Options, Done> parseOptions(int ArgumentCount,
                                         const char *const *Arguments);

/// Where the recorder is: beside this executable, or in the `lib` folder next
/// to its own. Empty when it is in neither.
std::string findRecorder();

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_VERIFY_OPTIONS_H
