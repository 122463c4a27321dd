//===-- Progress.h - how far a long run is ----------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_WORKERS_PROGRESS_H
#define BANKSTRIPE_WORKERS_PROGRESS_H

#include "llvm/ADT/StringRef.h"
#include <chrono>
#include <deque>
#include <optional>
#include <string>

namespace bankstripe {

using Seconds = std::chrono::duration<double>;

/// Tells from the latest pieces how long the others will take.
class Estimate {
public:
  explicit Estimate(size_t Total) : Total(Total) {}
  /// One more piece was done at \p Now, counted from the start.
  void done(Seconds Now);
  size_t count() const { return Count; }
  /// Nothing as long as there is too little to go by.
  std::optional<Seconds> left() const;

private:
  size_t Total, Count = 0;
  std::deque<Seconds> Latest;
};

/// `about 2 min left`.
std::string describe(Seconds Left);

/// `[ 12/340] src/a.cu  about 2 min left`, cut to \p Columns.
std::string progressLine(size_t Count, size_t Total, llvm::StringRef Name,
                         std::optional<Seconds> Left, size_t Columns);

/// One line on the terminal that standard error is, for runs that take a while.
class Progress {
public:
  Progress(size_t Total, bool Wanted);
  /// Takes the line away.
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;
  /// The piece \p Name was done.
  void done(llvm::StringRef Name);

private:
  size_t Total;
  bool Enabled;
  std::chrono::steady_clock::time_point Start, Shown;
  Estimate Rest;
};

} // namespace bankstripe

#endif
