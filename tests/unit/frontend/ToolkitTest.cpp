//===-- ToolkitTest.cpp - looking for a CUDA toolkit ----------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FrontendTester.h"
#include "llvm/Support/FileSystem.h"
#include <cstdlib>
#include <optional>

using namespace bankstripe;
using namespace bankstripe::testing;

namespace {

/// Sets an environment variable until the end of the test.
class Variable {
public:
  Variable(const char *Name, const std::string &Value) : Name(Name) {
    if (const char *Old = std::getenv(Name))
      Before = Old;
    setenv(Name, Value.c_str(), 1);
  }
  ~Variable() {
    if (Before)
      setenv(Name, Before->c_str(), 1);
    else
      unsetenv(Name);
  }

private:
  const char *Name;
  std::optional<std::string> Before;
};

void writeToolkit(const TemporaryFolder &Folder, const std::string &Root,
                  const std::string &Version) {
  Folder.write(Root + "/include/cuda_runtime.h", "");
  Folder.write(Root + "/include/cuda.h", "#define CUDA_VERSION " + Version);
  std::string Nvcc = Folder.write(Root + "/bin/nvcc", "#!/bin/sh\n");
  llvm::sys::fs::setPermissions(Nvcc, llvm::sys::fs::all_all);
}

std::string rootFound() {
  auto Kit = findToolkit("");
  EXPECT_TRUE(bool(Kit));
  return Kit ? Kit->Root : (llvm::consumeError(Kit.takeError()), "");
}

TEST(Toolkit, GivenFolderIsDescribed) {
  TemporaryFolder Folder;
  writeToolkit(Folder, "cuda", "12080");
  auto Kit = findToolkit(Folder.path("cuda/../cuda"));
  ASSERT_TRUE(bool(Kit)) << toString(Kit.takeError());
  EXPECT_EQ(Kit->Root, Folder.path("cuda"));
  EXPECT_EQ(Kit->Nvcc, Folder.path("cuda/bin/nvcc"));
  EXPECT_EQ(Kit->Version, "12.8");
}

TEST(Toolkit, HeadersAloneAreAToolkitWithoutNvcc) {
  TemporaryFolder Folder;
  Folder.write("include/cuda_runtime.h", "");
  auto Kit = findToolkit(Folder.path());
  ASSERT_TRUE(bool(Kit)) << toString(Kit.takeError());
  EXPECT_EQ(Kit->Nvcc, "");
  EXPECT_EQ(Kit->Version, "");
}

TEST(Toolkit, GivenFolderWithoutOneIsAnError) {
  TemporaryFolder Folder;
  auto Kit = findToolkit(Folder.path());
  ASSERT_FALSE(bool(Kit));
  std::string Message = toString(Kit.takeError());
  EXPECT_NE(Message.find(Folder.path()), std::string::npos) << Message;
  EXPECT_NE(Message.find("holds no CUDA toolkit"), std::string::npos);
}

TEST(Toolkit, HomeComesBeforePathVariableBeforeNvcc) {
  TemporaryFolder Folder;
  for (const char *Root : {"home", "path", "program"})
    writeToolkit(Folder, Root, "13000");
  Variable Programs("PATH", Folder.path("program/bin"));
  Variable Path("CUDA_PATH", Folder.path("path"));
  {
    Variable Home("CUDA_HOME", Folder.path("home"));
    EXPECT_EQ(rootFound(), Folder.path("home"));
  }
  Variable Home("CUDA_HOME", "");
  EXPECT_EQ(rootFound(), Folder.path("path"));
  Variable NoPath("CUDA_PATH", "");
  EXPECT_EQ(rootFound(), Folder.path("program"));
}

TEST(Toolkit, StaleVariableIsPassedOver) {
  TemporaryFolder Folder;
  writeToolkit(Folder, "path", "13000");
  Variable Home("CUDA_HOME", Folder.path("gone"));
  Variable Path("CUDA_PATH", Folder.path("path"));
  EXPECT_EQ(rootFound(), Folder.path("path"));
}

TEST(Toolkit, LinkToNvccLeadsToItsToolkit) {
  TemporaryFolder Folder;
  writeToolkit(Folder, "cuda", "13000");
  llvm::sys::fs::create_directories(Folder.path("links/bin"));
  ASSERT_FALSE(llvm::sys::fs::create_link(Folder.path("cuda/bin/nvcc"),
                                          Folder.path("links/bin/nvcc")));
  Variable Programs("PATH", Folder.path("links/bin"));
  Variable Home("CUDA_HOME", "");
  Variable Path("CUDA_PATH", "");
  EXPECT_EQ(rootFound(), Folder.path("cuda"));
}

} // namespace
