//===-- Print.h - a verification for people and for programs ----*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_VERIFY_PRINT_H
#define BANKSTRIPE_VERIFY_PRINT_H

#include "verify/GpuFacts.h"
#include "verify/Session.h"

namespace bankstripe::runtime {

/// The report as text.
///
/// \param Coloured with ANSI colours, for a terminal.
std::string printReport(const VerifyReport &Report, bool Coloured);

/// Its beginning: the verdict, with the first difference.
std::string printVerdict(const VerifyReport &Report, bool Coloured);

/// What the verdict does not cover, and notes; of one or more lines each.
std::vector<std::string> reservations(const VerifyReport &Report,
                                      bool Coloured);

/// "cub" or "thrust" for a kernel of that library at which nothing changed,
/// neither resources nor, beyond the noise, times; empty for all others. Those
/// of one library are shown together.
std::string unchangedLibrary(const KernelStatistics &K);

/// The report as one JSON object; the fields are described in JSON.md beside
/// this file. \p Gpu is what is known of the GPU.
std::string jsonReport(const VerifyReport &Report,
                       const std::optional<GpuFacts> &Gpu = std::nullopt);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_VERIFY_PRINT_H
