//===-- CaptureReader.h - file to capture -----------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_CAPTURE_CAPTUREREADER_H
#define BANKSTRIPE_CAPTURE_CAPTUREREADER_H

#include "capture/Capture.h"
#include <variant>

namespace bankstripe::runtime {

/// Why a file could not be read.
struct CaptureError {
  std::string Message;
};

/// Reads a complete capture. Its pages stay in the file, which is mapped: it
/// may be larger than the host's memory, and must not be changed meanwhile.
std::variant<Capture, CaptureError> readCapture(const std::string &Path);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_CAPTURE_CAPTUREREADER_H
