//===-- Child.h - runs a program and keeps what it says ---------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_HARNESS_CHILD_H
#define BANKSTRIPE_HARNESS_CHILD_H

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace bankstripe::runtime {

/// A program to run.
struct ChildRequest {
  std::string Program; ///< A path; it is not searched for.
  std::vector<std::string> Arguments;
  /// Added to the environment; an empty value removes the variable.
  std::map<std::string, std::string> Environment;
  double TimeoutSeconds = 0; ///< 0 for none.
  /// Whether memory lies at the same addresses in each run or at others, as far
  /// as the system lets it: not in containers that forbid personality().
  /// Without a value, as in this process.
  std::optional<bool> FixedAddresses = std::nullopt;
  /// Asked now and then, after so many seconds, whether it is to be ended.
  std::function<bool(double Seconds)> MayEnd = nullptr;
};

/// How it went.
struct ChildResult {
  std::string StartError; ///< Why it could not be started; else empty.
  int ExitStatus = 0;     ///< When it exited by itself.
  int Signal = 0;         ///< The signal that ended it, or 0.
  bool TimedOut = false;
  double EndedAfter = 0; ///< Seconds, where MayEnd allowed it; else 0.
  std::string Output;    ///< Its standard output.
  std::string Errors;    ///< The end of its standard error.

  /// Whether it came to an end of its own choosing.
  bool exited() const { return StartError.empty() && !TimedOut && !Signal; }
  bool succeeded() const { return exited() && ExitStatus == 0; }
  /// "exit status 1", "killed by signal 11 (Segmentation fault)", ...
  std::string describe() const;
};

/// Runs a program to its end with an empty standard input.
///
/// The program gets a process group of its own, which is killed when the time
/// is over, and when this process is interrupted or terminated.
ChildResult runChild(const ChildRequest &Request);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_HARNESS_CHILD_H
