//===-- OutputFile.h - a file that grows, whatever happens ------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Appends to a file without asking the operating system each time: a launch
// takes 2 us or less, and so does a write. The end of the file is mapped into
// memory, so that what was appended is in the file when the process crashes.
// Then zeros follow, up to the end of what was mapped.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_RECORDING_OUTPUTFILE_H
#define BANKSTRIPE_RECORDING_OUTPUTFILE_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace bankstripe::runtime {

class OutputFile {
public:
  OutputFile() = default;
  ~OutputFile();
  OutputFile(const OutputFile &) = delete;
  OutputFile &operator=(const OutputFile &) = delete;

  /// Creates the file. \returns false when there is one, or none can be
  /// created; `errno` says which.
  bool create(const std::string &Path);
  /// Appends \p Bytes, of which the first is not 0. It is written last: where
  /// it is, the others are. In a process that was forked off, does nothing.
  void append(std::string_view Bytes);
  /// Cuts off the zeros. What is appended later is written at once.
  void finish();

private:
  bool makeRoom(size_t Bytes);
  void write(std::string_view Bytes);
  void unmap();
  void close();

  int File = -1;
  unsigned Forks = 0;     ///< That led to this process, when it was created.
  char *Window = nullptr; ///< The mapped part of the file.
  size_t WindowBytes = 0;
  size_t Used = 0;       ///< Of the window.
  uint64_t WindowAt = 0; ///< Where in the file it lies.
  bool IsFinished = false;
};

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_RECORDING_OUTPUTFILE_H
