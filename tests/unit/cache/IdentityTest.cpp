//===-- IdentityTest.cpp - programs and surroundings ----------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CacheFolder.h"
#include "cache/Cache.h"
#include <cstdlib>

using namespace bankstripe;
using namespace bankstripe::testing;
using llvm::StringRef;

namespace {

class IdentityTest : public InFolder {
protected:
  std::string identity(StringRef Name) const {
    return identityOfFile(path(Name));
  }
};

/// A variable that is set for the time of a test.
class Variable {
public:
  Variable(const char *Name, const std::string &Value) : Name(Name) {
    setenv(Name, Value.c_str(), /*overwrite=*/1);
  }
  ~Variable() { unsetenv(Name); }

private:
  const char *Name;
};

} // namespace

TEST_F(IdentityTest, ProgramIsItself) {
  EXPECT_FALSE(ownIdentity().empty());
  EXPECT_EQ(ownIdentity(), ownIdentity());
}

TEST_F(IdentityTest, ScriptsAreTheirText) {
  write("nvcc", "one");
  const std::string Before = identity("nvcc");
  EXPECT_EQ(identity("nvcc"), Before);
  write("nvcc", "two");
  EXPECT_NE(identity("nvcc"), Before);
}

TEST_F(IdentityTest, FileThatIsNotThere) {
  const std::string Before = identity("nvcc");
  write("nvcc", "");
  EXPECT_NE(identity("nvcc"), Before);
}

TEST_F(IdentityTest, AnotherCompilerForTheHost) {
  write("bin/nvcc", "");
  write("host/g++", "one");
  auto Identity = [&] {
    return identityOfNvcc(path("bin/nvcc"), path("host/g++"));
  };
  const std::string Before = Identity();
  write("host/g++", "two");
  EXPECT_NE(Identity(), Before);
}

TEST_F(IdentityTest, CompilerThatComesFirstOnThePath) {
  write("bin/nvcc", "");
  const std::string Before = identityOfNvcc(path("bin/nvcc"), "");
  const std::string Old = std::getenv("PATH");
  write("early/gcc", "");
  setenv("PATH", (path("early") + ":" + Old).c_str(), 1);
  EXPECT_NE(identityOfNvcc(path("bin/nvcc"), ""), Before);
  setenv("PATH", Old.c_str(), 1);
  EXPECT_EQ(identityOfNvcc(path("bin/nvcc"), ""), Before);
}

TEST(Environment, OnlyWhatMatters) {
  const std::string Clang = environmentOfClang(), Nvcc = environmentOfNvcc();
  {
    const Variable Folders("CPLUS_INCLUDE_PATH", "/some/where");
    EXPECT_NE(environmentOfClang(), Clang);
    EXPECT_NE(environmentOfNvcc(), Nvcc);
  }
  {
    const Variable Flags("NVCC_PREPEND_FLAGS", "-G");
    EXPECT_EQ(environmentOfClang(), Clang);
    EXPECT_NE(environmentOfNvcc(), Nvcc);
  }
  const Variable Other("BANKSTRIPE_TEST_OF_THE_ENVIRONMENT", "1");
  EXPECT_EQ(environmentOfClang(), Clang);
  EXPECT_EQ(environmentOfNvcc(), Nvcc);
}
