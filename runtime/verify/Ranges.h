//===-- Ranges.h - what an option takes -------------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_VERIFY_RANGES_H
#define BANKSTRIPE_VERIFY_RANGES_H

#include <CLI/CLI.hpp>

namespace bankstripe::runtime {

/// A range that the help does not spell out.
template <class T> CLI::Validator from(T Least, T Most) {
  return CLI::Range(Least, Most).description("");
}

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_VERIFY_RANGES_H
