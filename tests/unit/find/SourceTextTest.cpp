//===-- SourceTextTest.cpp - from Clang locations to bytes of files -------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FindTester.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

using namespace bankstripe;
using namespace bankstripe::testing;
namespace fs = llvm::sys::fs;

namespace {

/// An array in `kernels/a.cuh`. In the folder `links` stand `in`, a link to
/// `kernels/inner`, and `a.cuh`, one to the file.
class FileOfAnArray : public ::testing::Test {
protected:
  void SetUp() override {
    llvm::SmallString<128> Made, Real;
    ASSERT_FALSE(fs::createUniqueDirectory("source-text", Made));
    ASSERT_FALSE(fs::real_path(Made, Real));
    Root = Real.str().str();
    ASSERT_FALSE(fs::create_directories(Root + "/kernels/inner"));
    ASSERT_FALSE(fs::create_directory(Root + "/links"));
    std::error_code Code;
    llvm::raw_fd_ostream(Root + "/kernels/a.cuh", Code)
        << "__global__ void k(int i) { int a[4]; a[i] = 1; }\n";
    ASSERT_FALSE(fs::create_link(Root + "/kernels/inner", Root + "/links/in"));
    ASSERT_FALSE(
        fs::create_link(Root + "/kernels/a.cuh", Root + "/links/a.cuh"));
  }
  void TearDown() override { fs::remove_directories(Root); }

  /// Where the array is said to stand when its file is included by that name.
  std::string fileIncludedAs(const std::string &Name) {
    return findingOf("#include \"" + Root + Name + "\"\n").Where.File;
  }

  std::string Root;
};

} // namespace

TEST_F(FileOfAnArray, IsNamedWithoutDots) {
  EXPECT_EQ(fileIncludedAs("/kernels/inner/.././a.cuh"),
            Root + "/kernels/a.cuh");
}

TEST_F(FileOfAnArray, IsNamedByItsLink) {
  EXPECT_EQ(fileIncludedAs("/kernels/../links/a.cuh"), Root + "/links/a.cuh");
}

// `links/in/..` is `kernels`, and not `links`.
TEST_F(FileOfAnArray, IsFoundBehindALinkToAFolder) {
  ASSERT_FALSE(fs::remove(Root + "/links/a.cuh"));
  EXPECT_EQ(fileIncludedAs("/links/in/../a.cuh"), Root + "/kernels/a.cuh");
}
