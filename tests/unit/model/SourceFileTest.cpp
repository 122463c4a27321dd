//===-- SourceFileTest.cpp - what is read of the disk ---------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/SourceFile.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"
#include <fstream>
#include <sys/stat.h>

using namespace bankstripe;
namespace fs = llvm::sys::fs;

namespace {

class SourceFiles : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(fs::createUniqueDirectory("source-file", Folder));
    Pipe = (Folder + "/pipe").str();
    ASSERT_EQ(mkfifo(Pipe.c_str(), 0600), 0);
  }
  void TearDown() override { fs::remove_directories(Folder); }

  llvm::SmallString<128> Folder;
  std::string Pipe;
};

TEST_F(SourceFiles, AreReadThroughLinks) {
  std::ofstream((Folder + "/a").str()) << "text";
  ASSERT_FALSE(fs::create_link("a", Folder + "/link"));
  EXPECT_EQ(readText((Folder + "/link").str()), "text");
  EXPECT_TRUE(bool(openDisk(false)->getBufferForFile(Folder + "/link")));
}

TEST_F(SourceFiles, HaveAnEnd) {
  for (const std::string &Path : {Pipe, std::string("/dev/zero")}) {
    EXPECT_EQ(readText(Path), std::nullopt);
    EXPECT_EQ(readFile(Path).getError(), std::errc::not_supported);
    EXPECT_EQ(openDisk(false)->getBufferForFile(Path).getError(),
              std::errc::not_supported);
  }
  EXPECT_EQ(openDisk(true)->getBufferForFile("/dev/zero").getError(),
            std::errc::not_supported);
  EXPECT_EQ(readFile(Folder).getError(), std::errc::is_a_directory);
}

TEST_F(SourceFiles, AreNotTooLarge) {
  const std::string Path = (Folder + "/large").str();
  std::ofstream(Path) << "text";
  int File = -1;
  ASSERT_FALSE(fs::openFileForWrite(Path, File));
  ASSERT_FALSE(fs::resize_file(File, MostTextBytes + 1));
  fs::file_t Handle = fs::convertFDToNativeFile(File);
  ASSERT_FALSE(fs::closeFile(Handle));
  EXPECT_EQ(readFile(Path).getError(), std::errc::file_too_large);
  EXPECT_EQ(openDisk(true)->getBufferForFile(Path).getError(),
            std::errc::file_too_large);
}

} // namespace
