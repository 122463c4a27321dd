//===-- CacheFolder.h - a folder for tests ----------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TESTS_UNIT_CACHE_CACHEFOLDER_H
#define BANKSTRIPE_TESTS_UNIT_CACHE_CACHEFOLDER_H

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

namespace bankstripe::testing {

/// A folder that goes away with its content.
class InFolder : public ::testing::Test {
protected:
  void SetUp() override {
    llvm::SmallString<128> Name;
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("cache", Name));
    Folder = std::string(Name);
  }
  void TearDown() override {
    EXPECT_FALSE(llvm::sys::fs::remove_directories(Folder));
  }

  std::string path(llvm::StringRef Name) const {
    return (Folder + "/" + Name).str();
  }
  void write(llvm::StringRef Name, llvm::StringRef Text) const {
    const std::string Path = path(Name);
    ASSERT_FALSE(
        llvm::sys::fs::create_directories(llvm::sys::path::parent_path(Path)));
    std::error_code Code;
    llvm::raw_fd_ostream(Path, Code) << Text;
    ASSERT_FALSE(Code);
  }

  std::string Folder;
};

} // namespace bankstripe::testing

#endif
