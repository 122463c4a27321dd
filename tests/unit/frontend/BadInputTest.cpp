//===-- BadInputTest.cpp - files that are not as they should be -----------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FrontendTester.h"
#include "llvm/Support/FileSystem.h"
#include "gmock/gmock.h"
#include <unistd.h>

using namespace bankstripe;
using namespace bankstripe::testing;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

constexpr char Kernel[] = "__global__ void k(int *p) { p[0] = 1; }\n";

TEST(BadInput, SyntaxErrorIsPrintedWithItsPlace) {
  TemporaryFolder Folder;
  std::string File =
      Folder.write("a.cu", "__global__ void k() {\n  int a[;\n}\n");
  Parsed P = parse(builtinJob(File));
  EXPECT_FALSE(P.Succeeded);
  EXPECT_EQ(P.Calls, 0u);
  EXPECT_THAT(P.Error, HasSubstr(File));
  EXPECT_THAT(P.Diagnostics, HasSubstr("a.cu:2:9: error:"));
}

TEST(BadInput, ErrorsAreThoseOfTheFirstParse) {
  Parsed P = parseText("#include \"missing.h\"\n");
  EXPECT_FALSE(P.Succeeded);
  const std::string Message = "'missing.h' file not found";
  const size_t First = P.Diagnostics.find(Message);
  ASSERT_NE(First, std::string::npos) << P.Diagnostics;
  EXPECT_EQ(P.Diagnostics.find(Message, First + 1), std::string::npos)
      << P.Diagnostics;
}

TEST(BadInput, MissingFileIsNamed) {
  TemporaryFolder Folder;
  Parsed P = parse(builtinJob(Folder.path("none.cu")));
  EXPECT_FALSE(P.Succeeded);
  EXPECT_THAT(P.Error, HasSubstr("cannot read '" + Folder.path("none.cu")));
}

TEST(BadInput, FolderIsNoFile) {
  TemporaryFolder Folder;
  CompileJob Job = builtinJob(Folder.path("a.cu"));
  Job.File = Folder.path();
  EXPECT_THAT(parse(Job).Error, HasSubstr("cannot read '" + Folder.path()));
}

TEST(BadInput, UnreadableFileIsNamed) {
  if (geteuid() == 0)
    GTEST_SKIP() << "root can read every file";
  TemporaryFolder Folder;
  std::string File = Folder.write("a.cu", Kernel);
  llvm::sys::fs::setPermissions(File, llvm::sys::fs::no_perms);
  EXPECT_THAT(parse(builtinJob(File)).Error, HasSubstr("cannot read '" + File));
}

TEST(BadInput, MissingWorkingDirectoryIsNamed) {
  TemporaryFolder Folder;
  CompileJob Job = builtinJob(Folder.write("a.cu", Kernel));
  Job.Directory = Folder.path("gone");
  EXPECT_THAT(parse(Job).Error,
              HasSubstr("cannot work in the folder '" + Folder.path("gone")));
}

TEST(BadInput, EmptyFileParses) {
  Parsed P = parseText("");
  EXPECT_TRUE(P.Succeeded) << P.Diagnostics;
  EXPECT_EQ(P.Calls, 1u);
}

TEST(BadInput, BinaryFileIsRefused) {
  TemporaryFolder Folder;
  std::string File = Folder.write("a.cu", llvm::StringRef("\x7f"
                                                          "ELF\0\0\1",
                                                          7));
  Parsed P = parse(builtinJob(File));
  EXPECT_FALSE(P.Succeeded);
  EXPECT_THAT(P.Error, HasSubstr("'" + File + "' is not a source file"));
  EXPECT_EQ(P.Diagnostics, "");
}

TEST(BadInput, CarriageReturnsParse) {
  Parsed P = parseText("#define A \\\r\n  1\r\n__global__ void k(int *p) {\r\n"
                       "  p[0] = A;\r\n}\r\n");
  EXPECT_TRUE(P.Succeeded) << P.Diagnostics;
  EXPECT_FALSE(P.Outcome.UsedShim);
}

TEST(BadInput, BytesThatAreNoUtf8ParseInCommentsAndStrings) {
  Parsed P = parseText("// f\xfcr\n/* \xe9 */\n"
                       "const char *name = \"gr\xfc\xdf\";\n" +
                       std::string(Kernel));
  EXPECT_TRUE(P.Succeeded) << P.Diagnostics;
  EXPECT_FALSE(P.Outcome.UsedShim);
}

TEST(BadInput, ByteOrderMarkParses) {
  Parsed P = parseText("\xef\xbb\xbf" + std::string(Kernel));
  EXPECT_TRUE(P.Succeeded) << P.Diagnostics;
}

TEST(BadInput, UnknownOptionIsPrinted) {
  Parsed P = parseText(Kernel, {"-fno-such-option"});
  EXPECT_FALSE(P.Succeeded);
  EXPECT_THAT(P.Diagnostics, HasSubstr("-fno-such-option"));
}

TEST(BadInput, WarningsAreNotOurBusiness) {
  Parsed P =
      parseText("int f() { }\n#warning look\nint main() { int unused; }\n");
  EXPECT_TRUE(P.Succeeded);
  EXPECT_EQ(P.Diagnostics, "");
}

} // namespace
