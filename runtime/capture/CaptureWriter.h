//===-- CaptureWriter.h - capture to file -----------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes a capture record by record. The writer lives inside foreign programs:
// it throws nothing, and after a failed write everything it is told is ignored.
//
// A capture is a file of records (recording/Records.h). What records refer to
// stands before them; else their order is free, so that records can be
// added at the end of a file. It is complete when the last one is an End.
//
//     Program  device, capability, launch
//     Kernel   1 for the rewritten one, symbol, image, grid, block, dynamic
//              shared bytes, 1 for cooperative, cluster, opted-in bytes,
//              carveout, the three limits, the number of parameters and of
//              each its offset and bytes
//     Memory   address, bytes, kind, symbol, number; they count from 0
//     Bytes    1 for what was left, memory, first page, the bytes of one page
//     Word     1 for what was left, memory, first page, pages, the word
//              (8 bytes)
//     Note     a text
//     End      nothing
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_CAPTURE_CAPTUREWRITER_H
#define BANKSTRIPE_CAPTURE_CAPTUREWRITER_H

#include "capture/Capture.h"
#include "recording/Records.h"
#include <cstdio>
#include <span>

namespace bankstripe::runtime {

constexpr FileKind CaptureFile{"\x89"
                               "bankstripe capture\n",
                               CaptureVersion};

/// What a record is: its first byte.
enum class CaptureRecord : unsigned char {
  Program = 1,
  Kernel,
  Memory,
  Bytes,
  Word,
  Note,
  End,
};

/// What the memory is that pages are written of.
enum class CaptureMoment { Before, After };

class CaptureWriter {
public:
  /// Creates the file \p Path, which must not be there yet.
  explicit CaptureWriter(const std::string &Path);
  ~CaptureWriter();
  CaptureWriter(const CaptureWriter &) = delete;
  CaptureWriter &operator=(const CaptureWriter &) = delete;

  void program(const CapturedProgram &Program);
  void kernel(const CapturedKernel &Kernel, bool IsRewritten);
  /// \param Of its pages do not count.
  /// \return its number; they count from 0.
  unsigned memory(const CapturedMemory &Of);
  /// Whole pages of the memory \p Number, from the page \p FirstPage on; the
  /// last page of the memory may be shorter. For CaptureMoment::After, pages
  /// that are as they were before are left out.
  void pages(unsigned Number, CaptureMoment When, uint64_t FirstPage,
             std::string_view Bytes);
  void note(const std::string &Text);
  /// Says that nothing is missing.
  ///
  /// \return whether everything could be written.
  bool end();
  /// Why something could not be written; empty when nothing failed so far.
  const std::string &problem() const { return Problem; }

private:
  /// What stands in the file of the memory, to tell pages that changed.
  using PageSums = std::vector<uint64_t>;
  struct WordRun {
    unsigned Number = 0;
    CaptureMoment When = CaptureMoment::Before;
    uint64_t FirstPage = 0, Pages = 0, Word = 0;
  };

  void page(unsigned Number, CaptureMoment When, uint64_t Page,
            std::string_view Bytes);
  void addWord(unsigned Number, CaptureMoment When, uint64_t Page,
               uint64_t Word);
  void endRun();
  /// \param Bytes what follows on the fields.
  void add(CaptureRecord Type, const ByteWriter &Fields,
           std::string_view Bytes = {});
  void write(std::string_view Bytes);
  void failed();

  std::FILE *File = nullptr;
  std::string Problem;
  std::vector<PageSums> Sums;
  std::string Framed; ///< The record that is written.
  WordRun Run;        ///< Pages with one word that are not written yet.
};

/// Adds the records of the capture \p More to the end of \p Path: the kernel
/// of the rewritten program, captured by itself.
///
/// \return what went wrong; empty when nothing did.
std::string appendCapture(const std::string &Path, const std::string &More);

/// Where a parameter lies in a kernel's parameter buffer.
struct ParameterPlace {
  uint64_t Offset = 0, Bytes = 0;
};

/// The parameters of a launch: \p Values points to each of them or, where there
/// is no such array, all lie in \p Buffer. None when it does not hold them all.
std::optional<std::vector<CapturedParameter>>
copyParameters(std::span<const ParameterPlace> Places,
               const void *const *Values, std::string_view Buffer);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_CAPTURE_CAPTUREWRITER_H
