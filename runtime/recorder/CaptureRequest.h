//===-- CaptureRequest.h - a wish for a capture -----------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_RECORDER_CAPTUREREQUEST_H
#define BANKSTRIPE_RECORDER_CAPTUREREQUEST_H

#include <functional>
#include <optional>
#include <string>
#include <variant>

namespace bankstripe::runtime {

/// One launch is wanted in a file of its own.
struct CaptureRequest {
  unsigned Launch = 0;
  std::string Path;          ///< Of the file to write.
  bool IsKernelOnly = false; ///< Of a rewritten program: without its memory.

  /// Reads LAUNCH:PATH.
  ///
  /// \returns none when \p Text is malformed.
  static std::optional<CaptureRequest> parse(const std::string &Text);

  using Environment = std::function<const char *(const char *)>;
  /// What BANKSTRIPE_CAPTURE or, without it, BANKSTRIPE_CAPTURE_KERNEL asks
  /// for, if anything; or what is wrong with it.
  static std::variant<std::optional<CaptureRequest>, std::string>
  read(const Environment &Get);

  /// Of several processes that inherit the same request, each takes a file of
  /// its own: what stands behind the name of its recording, which was asked
  /// for as \p Asked and became \p Got, stands behind the file's, too.
  void nameLike(const std::string &Asked, const std::string &Got);
};

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_RECORDER_CAPTUREREQUEST_H
