//===-- Terminal.h - what depends on the terminal ---------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_REPORT_TERMINAL_H
#define BANKSTRIPE_REPORT_TERMINAL_H

#include "contract/Terminal.h"
#include "report/Report.h"
#include "workers/Workers.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <string>

namespace bankstripe {

/// When colours are shown. Auto: on terminals that have them, unless NO_COLOR
/// is set (no-color.org).
enum class Colours { Auto, Always, Never };

/// For the whole program; `--color`.
void setColours(Colours When);

/// Whether \p OS, which is standard output or standard error, shows colours.
bool showsColours(llvm::raw_ostream &OS);

/// How wide the terminal is that \p OS is; 0 when it is none.
unsigned columnsOf(llvm::raw_ostream &OS);

/// `[ 12/340] src/a.cu`, cut to \p Columns.
std::string progressLine(size_t Count, size_t Total, llvm::StringRef Name,
                         size_t Columns);

/// How many processes work, how long one may take to read a file, and what
/// people are told meanwhile.
struct WorkOptions {
  WorkLimits Limits{0, 600};
  Detail Level = Detail::Normal;

  bool isQuiet() const { return Level == Detail::Quiet; }
  bool isVerbose() const { return Level == Detail::Verbose; }
};

/// One line on the terminal that standard error is, for runs that take a while.
class Progress {
public:
  Progress(size_t Total, bool Wanted);
  /// Takes the line away.
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;
  /// One piece less to wait for: it is known from before.
  void skip() { --Total; }
  /// The piece \p Name was done.
  void done(llvm::StringRef Name);
  /// Shows \p Text, unless the last one is too new for that.
  void show(llvm::StringRef Text);

private:
  size_t Total, Count = 0;
  bool Enabled;
  std::chrono::steady_clock::time_point Shown;
};

} // namespace bankstripe

#endif
