//===-- CaptureFormat.h - the records of a capture --------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// After its magic bytes and a byte for the version, a capture is a sequence of
// records, framed like those of a recording: a length, that many bytes of which
// the first says what the record is, and their checksum (Bytes.h). What records
// refer to stands before them; else their order is free, so that records can be
// added at the end of a file. It is complete when the last one is an End.
//
//     Program  device, capability, launch
//     Kernel   1 for the rewritten one, symbol, image, grid, block, dynamic
//              shared bytes, 1 for cooperative, cluster, opted-in bytes,
//              carve-out + 1, the three limits, the number of parameters and of
//              each its offset and bytes
//     Memory   address, bytes, kind, symbol, number; they count from 0
//     Bytes    1 for what was left, memory, first page, the bytes of one page
//     Word     1 for what was left, memory, first page, pages, the word
//              (8 bytes)
//     Note     a text
//
//     Error    the name of an error
//
//     End      nothing
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_CAPTURE_CAPTUREFORMAT_H
#define BANKSTRIPE_CAPTURE_CAPTUREFORMAT_H

#include "recording/Bytes.h"

namespace bankstripe::runtime {

constexpr std::string_view CaptureMagic = "\x89"
                                          "bankstripe capture\n";
constexpr size_t CaptureHeaderBytes = CaptureMagic.size() + 1;

/// What a record is: its first byte.
enum class CaptureRecord : unsigned char {
  Program = 1,
  Kernel,
  Memory,
  Bytes,
  Word,
  Note,
  Error,
  End,
};

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_CAPTURE_CAPTUREFORMAT_H
