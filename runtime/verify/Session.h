//===-- Session.h - runs both programs and gathers the result ---*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//     original, original again, rewritten      with digests, compared
//     original, rewritten, original, ...       with durations only
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_VERIFY_SESSION_H
#define BANKSTRIPE_VERIFY_SESSION_H

#include "verify/Compare.h"
#include "verify/Options.h"
#include "verify/Statistics.h"
#include <functional>

namespace bankstripe::runtime {

/// The bytes themselves behind a difference in digests.
struct ByteDifference {
  uint64_t Offset = 0;         ///< First byte of the allocation that differs.
  uint64_t DifferingBytes = 0; ///< In the bytes that were looked at.
  uint64_t Begin = 0, End = 0; ///< The bytes that were looked at.
  uint64_t WordOffset = 0;     ///< The 32-bit word around the first byte...
  uint32_t OriginalWord = 0, RewrittenWord = 0; ///< ...in both programs.
};

/// Finds the first difference in two copies of the bytes from \p Begin on;
/// none when they are the same.
std::optional<ByteDifference> findByteDifference(const std::string &Original,
                                                 const std::string &Rewritten,
                                                 uint64_t Begin);

enum class Outcome {
  Identical,    ///< Nothing differs that the rewrite is to blame for.
  Differs,      ///< Something does, or the rewritten program failed.
  CannotRecord, ///< There is nothing to judge.
};

/// Everything that a verification found.
struct VerifyReport {
  Outcome Verdict = Outcome::CannotRecord;
  /// For CannotRecord, and for Differs without a differing launch or output.
  std::string Reason;
  std::string Device, Capability;
  Comparison Launches;
  OutputComparison Output;
  uint64_t OutputBytes = 0;
  std::optional<ByteDifference> Bytes;
  std::vector<KernelStatistics> Kernels;
  unsigned Runs = 0; ///< Timed runs that succeeded, of each program.
  unsigned LaunchCount = 0, AllocationCount = 0, VariableCount = 0;
  /// What was not recorded or is worth knowing.
  std::vector<std::string> Notes;
};

/// Told before each run what it is for; for a progress line.
using Progress = std::function<void(const std::string &)>;

/// Runs the programs as often as needed. Recordings are kept in a temporary
/// folder, which is removed.
VerifyReport verify(const Options &O, const std::string &Recorder,
                    const Progress &Tell);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_VERIFY_SESSION_H
