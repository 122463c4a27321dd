//===-- Candidate.h - what is launched beside the original ------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rewritten kernel is that of the capture, or one of a file that is given.
// Of several, each is compared and timed in its turn; the process goes on with
// the next one, and after a failure another process does.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_REPLAY_CANDIDATE_H
#define BANKSTRIPE_REPLAY_CANDIDATE_H

#include "recording/Capture.h"

namespace bankstripe::runtime {

/// What is put in the place of the rewritten kernel.
struct Candidate {
  std::string Module; ///< File with its machine code; empty: its own.
  std::optional<unsigned> SharedBytes; ///< Dynamic shared memory.
  std::optional<int> Carveout;         ///< As CapturedKernel::Carveout.
  /// What the launch asks for in addition, for each warp, if not 0: as
  /// bankstripe::shared_bytes does (device/bankstripe.cuh).
  unsigned WarpBytes = 0;
  /// Larger blocks launch the kernel itself, not a version beside it; 0: none.
  unsigned MostThreads = 0;
};

/// Changes the capture \p In.
///
/// \return what is wrong; empty when nothing is.
std::string substitute(const Candidate &New, Capture &In);

/// Of the kernels \p InModule the one that is launched for \p Symbol: if it may
/// be, the version that stands beside it; itself; or, where its linkage is
/// internal, the one of the same name.
std::string kernelIn(const std::vector<std::string> &InModule,
                     const std::string &Symbol, bool MayBeVersion = true);

/// Reads a list from a file with JSON, which docs/guide/replay.md describes.
///
/// \return what is wrong; empty when nothing is.
std::string readCandidates(const std::string &Path,
                           std::vector<Candidate> &Into);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_REPLAY_CANDIDATE_H
