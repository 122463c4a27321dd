//===-- Print.h - a verification for people and for programs ----*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_VERIFY_PRINT_H
#define BANKSTRIPE_VERIFY_PRINT_H

#include "verify/Session.h"

namespace bankstripe::runtime {

/// The report as text.
///
/// \param Coloured with ANSI colours, for a terminal.
std::string printReport(const VerifyReport &Report, bool Coloured);

/// Its beginning: the verdict, with the first difference.
std::string printVerdict(const VerifyReport &Report, bool Coloured);

/// What follows on that: what the verdict does not cover, a line for each
/// thing. A line that begins with two spaces belongs to the one before.
std::string printReservations(const VerifyReport &Report, bool Coloured);

/// The report as one JSON object; the fields are described in JSON.md beside
/// this file.
std::string jsonReport(const VerifyReport &Report);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_VERIFY_PRINT_H
