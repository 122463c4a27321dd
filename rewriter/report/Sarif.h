//===-- Sarif.h - what other tools read -------------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The plan as a log of SARIF 2.1.0, the Static Analysis Results Interchange
// Format (docs/ci.md), for code hosts and editors.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_REPORT_SARIF_H
#define BANKSTRIPE_REPORT_SARIF_H

#include "report/Text.h"
#include "llvm/Support/JSON.h"

namespace bankstripe {

/// What went wrong while a file was processed.
struct Problem {
  std::string File; ///< Empty when it is about no file alone.
  std::string Message;
};

/// What a log says of the run itself.
struct SarifRun {
  std::string Version;      ///< `0.1.0`.
  std::string FullName;     ///< `bankstripe 0.1.0 (Clang 22.1.0)`.
  std::string DocumentsUrl; ///< Where docs/ can be read; empty: nowhere.
  /// Files below this folder are named relative to it. Absolute, without links.
  std::string Root;
  int ExitCode = 0;
  std::string ExitText; ///< What that means.
  bool Succeeded = true;
  std::vector<Problem> Problems;
  /// Quiet: only what would change. Verbose: what is left alone as well.
  Detail Level = Detail::Normal;
};

/// The log for \p P.
llvm::json::Value toSarif(const Plan &P, const SarifRun &Run);

/// docs/verdicts.md, which the build compiles in.
llvm::StringRef verdictsText();

} // namespace bankstripe

#endif
