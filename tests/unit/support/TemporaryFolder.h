//===-- TemporaryFolder.h - a folder for the files of a test ----*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TESTS_UNIT_SUPPORT_TEMPORARYFOLDER_H
#define BANKSTRIPE_TESTS_UNIT_SUPPORT_TEMPORARYFOLDER_H

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <string>

namespace bankstripe::testing {

/// A folder that goes away with its content.
class TemporaryFolder {
public:
  TemporaryFolder() {
    llvm::SmallString<256> Created, Real;
    EXPECT_FALSE(
        llvm::sys::fs::createUniqueDirectory("bankstripe-test", Created));
    // Compared with paths that the front end has resolved.
    EXPECT_FALSE(llvm::sys::fs::real_path(Created, Real));
    Path = std::string(Real);
  }
  ~TemporaryFolder() { (void)llvm::sys::fs::remove_directories(Path); }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;

  const std::string &path() const { return Path; }
  std::string path(llvm::StringRef Relative) const {
    llvm::SmallString<256> Result(Path);
    llvm::sys::path::append(Result, Relative);
    return std::string(Result);
  }
  /// Writes a file, with the folders that it needs.
  /// \returns its path.
  std::string write(llvm::StringRef Relative, llvm::StringRef Text) const {
    std::string File = path(Relative);
    EXPECT_FALSE(
        llvm::sys::fs::create_directories(llvm::sys::path::parent_path(File)));
    std::error_code Code;
    llvm::raw_fd_ostream Out(File, Code);
    EXPECT_FALSE(Code) << Code.message();
    Out << Text;
    return File;
  }

private:
  std::string Path;
};

} // namespace bankstripe::testing

#endif
