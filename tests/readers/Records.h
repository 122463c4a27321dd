//===-- Records.h - files of records for the targets ------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A record has a checksum, which hardly any change keeps right. So an input
// that begins with a 1 is taken for records without length and checksum: two
// bytes with the length of each, and what it holds.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TESTS_READERS_RECORDS_H
#define BANKSTRIPE_TESTS_READERS_RECORDS_H

#include "recording/Records.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <unistd.h>

namespace bankstripe::runtime {

/// The file that \p Input stands for.
inline std::string fileFrom(std::string_view Input, const FileKind &Kind) {
  if (Input.empty() || Input.front() != 1)
    return std::string(Input);
  Input.remove_prefix(1);
  std::string File = Kind.header();
  while (Input.size() > 2) {
    const size_t Length = std::min<size_t>(
        Input.size() - 2, 1 + static_cast<unsigned char>(Input[0]) +
                              256 * static_cast<unsigned char>(Input[1]));
    const std::string_view Record = Input.substr(2, Length);
    ByteWriter Fields;
    Fields.Out = Record.substr(1);
    addRecord(File, static_cast<unsigned char>(Record.front()), Fields);
    Input.remove_prefix(2 + Length);
  }
  return File;
}

/// The input that stands for \p File.
inline std::string inputFor(const std::string &File, const FileKind &Kind) {
  std::string Input(1, '\1');
  readRecords(File, Kind, /*MayBeCutOff=*/false, [&](std::string_view Record) {
    Input += static_cast<char>(Record.size() - 1);
    Input += static_cast<char>((Record.size() - 1) / 256);
    Input += Record;
    return std::string();
  });
  return Input;
}

/// A folder for files, which goes with the program.
class Scratch {
public:
  Scratch() {
    // In memory, where there is such a folder.
    const std::filesystem::path Memory = "/dev/shm";
    std::string Pattern = (std::filesystem::is_directory(Memory)
                               ? Memory
                               : std::filesystem::temp_directory_path()) /
                          "XXXXXX";
    Folder = mkdtemp(Pattern.data());
  }
  ~Scratch() { std::filesystem::remove_all(Folder); }

  std::string path(const std::string &Name) const { return Folder / Name; }
  /// Writes \p Bytes to a file. \returns its path.
  std::string write(const std::string &Name, const std::string &Bytes) const {
    if (!writeFile(path(Name), Bytes))
      std::exit(2); // No fault of the reader's.
    return path(Name);
  }

private:
  std::filesystem::path Folder;
};

} // namespace bankstripe::runtime

#endif
