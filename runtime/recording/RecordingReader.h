//===-- RecordingReader.h - file to recording -------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_RECORDING_RECORDINGREADER_H
#define BANKSTRIPE_RECORDING_RECORDINGREADER_H

#include "recording/Recording.h"
#include <ostream>
#include <variant>

namespace bankstripe::runtime {

/// Why a recording could not be read; starts in lower case.
struct ReadError {
  std::string Message;
};

/// Reads the recording in the file \p Path.
///
/// A last record that was cut off by a crash is left out, and the recording is
/// then not Complete. Any other that does not follow the format is an error: a
/// recording that is half understood could hide a difference. The launches of
/// a recording in mode Time are put into the order in which they were launched.
std::variant<Recording, ReadError> readRecording(const std::string &Path);

/// Prints a recording as JSON objects, a line each: what it is about, the
/// memory, the launches. For the eye and for scripts.
void printRecording(const Recording &R, std::ostream &Output);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_RECORDING_RECORDINGREADER_H
