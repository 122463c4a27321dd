//===-- UserFilesTest.cpp - files that are the user's ---------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "frontend/UserFiles.h"
#include "support/TemporaryFolder.h"
#include <cstdlib>

using namespace bankstripe;
using namespace bankstripe::testing;

TEST(GivenFolders, AreThoseOfTheCommand) {
  const GivenFolders Given(
      {"-isystem", "one", "-idirafter", "two/", "-Ithree", "-DX"});
  EXPECT_TRUE(Given.contain("one/a.h"));
  EXPECT_TRUE(Given.contain("two/b/a.h"));
  EXPECT_FALSE(Given.contain("onemore/a.h"));
  EXPECT_FALSE(Given.contain("three/a.h")); // No system headers.
}

TEST(GivenFolders, AreThoseOfTheEnvironment) {
  ::setenv("CPLUS_INCLUDE_PATH", "/one:/two", /*replace=*/1);
  const GivenFolders Given({});
  ::unsetenv("CPLUS_INCLUDE_PATH");
  EXPECT_TRUE(Given.contain("/one/a.h"));
  EXPECT_TRUE(Given.contain("/two/a.h"));
  EXPECT_FALSE(GivenFolders({}).contain("/one/a.h"));
}

TEST(GivenFolders, HaveNoToolkit) {
  const TemporaryFolder Folder;
  const std::vector<std::string> Args{"-isystem", Folder.path()};
  EXPECT_TRUE(GivenFolders(Args).contain(Folder.path("a.h")));
  Folder.write("cuda_runtime.h", "");
  EXPECT_FALSE(GivenFolders(Args).contain(Folder.path("a.h")));
}
