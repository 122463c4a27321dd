//===-- Selection.h - digest this launch? -----------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Applies a rule (Request.h) to launch after launch. A digest waits for the
// device and reads all live memory, which is too much after each of 100,000
// launches; but whatever is left out leaves its traces for the next digest.
//
// Never digested after are the kernels of NCCL: each waits for others, on other
// devices, which are not launched while the recorder waits.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_RECORDING_SELECTION_H
#define BANKSTRIPE_RECORDING_SELECTION_H

#include "recording/Request.h"
#include <regex>
#include <unordered_map>

namespace bankstripe::runtime {

/// Why a launch is not digested.
enum class Skip { No, Kernels, Sample, Budget, Collective };

/// The reason as it stands in a recording: "kernels".
const char *skipName(Skip Reason);

class Selection {
public:
  explicit Selection(DigestRule Of);

  /// What is known of a kernel; it stays where it is.
  struct Kernel {
    bool IsWanted = true, IsChanged = false, IsCollective = false;
    uint64_t Launches = 0;
  };
  /// The kernel of this symbol; the same one for every spelling of its
  /// canonical name.
  Kernel &kernel(const std::string &Symbol);

  /// Decides on the next launch, of number \p Index.
  Skip launch(unsigned Index, Kernel &Of);

  /// Decides whether to digest memory that goes before the next launch.
  bool digestsFrees() const;

private:
  DigestRule Rule;
  std::optional<std::regex> Wanted;
  std::unordered_map<std::string, Kernel> Kernels; ///< By canonical name.
  unsigned Latest = 0;         ///< The number of the latest launch,
  uint64_t LatestOfKernel = 0; ///< and among those of its kernel.
};

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_RECORDING_SELECTION_H
