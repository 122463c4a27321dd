//===-- Options.h - the command line of bankstripe-verify -------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_VERIFY_OPTIONS_H
#define BANKSTRIPE_VERIFY_OPTIONS_H

#include "harness/CommandLine.h"
#include "survey/Survey.h"
#include <variant>

namespace bankstripe::runtime {

struct Options {
  Command Original, Rewritten;
  /// Timed runs of each; 0 for none, and for times of the runs with digests
  /// where the original was surveyed.
  unsigned Runs = 5;
  double TimeoutSeconds = 600; ///< For one run; 0 for no limit.
  std::string JsonPath;        ///< Empty for none; "-" for stdout.
  std::string HtmlPath;        ///< Of the page; empty for none.
  std::string PlanPath;        ///< What the page shows besides; or empty.
  /// Memory is compared after so many launches of each kernel, and after those
  /// whose number is a power of two; none: after all.
  std::optional<uint64_t> First = 256;
  unsigned Repeats = 2; ///< Runs of the original with digests.
  /// Of a survey of the original that replaces its first run; or empty.
  std::string RecordedFolder;
};

/// Splits `ORIGINAL ARGS... --vs REWRITTEN ARGS...`. A `--vs` that stands there
/// twice could be an argument, so that is an error.
///
/// \returns what is wrong; empty when nothing is.
std::string splitCommands(const std::vector<std::string> &Words, Options &Into);

/// Reads the command line, of which there are two forms: two programs before
/// `--` and the arguments of both after it, or two whole commands after it with
/// a `--vs` between them. For a survey there is one command. Arguments go to
/// the programs untouched.
std::variant<Options, SurveyOptions, Done>
parseOptions(int ArgumentCount, const char *const *Arguments);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_VERIFY_OPTIONS_H
