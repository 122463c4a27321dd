//===-- DumpRequest.h - a wish for the bytes of an allocation ---*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_RECORDER_DUMPREQUEST_H
#define BANKSTRIPE_RECORDER_DUMPREQUEST_H

#include <cstdint>
#include <optional>
#include <string>

namespace bankstripe::runtime {

/// The bytes of one allocation after one launch, wanted in a file of their own.
struct DumpRequest {
  unsigned Launch = 0;
  bool IsVariable = false;
  unsigned Allocation = 0;
  uint64_t Begin = 0, End = 0; ///< Bytes of the allocation; not empty.
  std::string Path;            ///< Of the file to write.

  /// Reads LAUNCH:ALLOCATION:BEGIN:END, with a `v` before the number of a
  /// variable.
  ///
  /// \returns the request without its path; none when \p Text is malformed.
  static std::optional<DumpRequest> parse(const std::string &Text);
};

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_RECORDER_DUMPREQUEST_H
