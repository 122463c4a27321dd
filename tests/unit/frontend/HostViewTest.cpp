//===-- HostViewTest.cpp - the second parse, for the host -----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FrontendTester.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"

using namespace bankstripe;
using namespace bankstripe::testing;

namespace {

constexpr char Kernel[] = "__global__ void k(int *p) {}\n";

TEST(HostView, IsNotAskedForWhereNothingDependsOnTheSide) {
  unsigned Calls = 0;
  EXPECT_EQ(hostViewOf(std::string(Kernel) + "#ifdef OTHER\n#endif\n", Calls),
            HostView::Same);
  EXPECT_EQ(Calls, 0u);
}

TEST(HostView, IsReadWhereASourceAsksForTheArchitecture) {
  unsigned Calls = 0;
  EXPECT_EQ(hostViewOf(std::string(Kernel) +
                           "#ifndef __CUDA_ARCH__\n#define HOST 1\n#endif\n",
                       Calls),
            HostView::Read);
  EXPECT_EQ(Calls, 1u);
}

TEST(HostView, IsReadWhereAHeaderOfAGivenFolderAsks) {
  TemporaryFolder Folder;
  auto HowFor = [&](const std::string &Header, const std::string &End = "") {
    const std::string Path = Folder.write("lib/side.h", Header);
    const CompileJob Job = builtinJob(
        Folder.write("a.cu", "#include <side.h>\n" + std::string(Kernel)),
        {"-isystem" + llvm::sys::path::parent_path(Path).str() + End});
    HostView How = HostView::Unknown;
    auto Outcome = parseUnit(Job, llvm::errs(), [&](ParsedUnit &Unit) {
      How = Unit.readForHost([](ParsedUnit &) {});
    });
    EXPECT_TRUE(bool(Outcome));
    llvm::consumeError(Outcome.takeError());
    return How;
  };
  const std::string Asks = "#ifndef __CUDA_ARCH__\n#define HOST 1\n#endif\n";
  EXPECT_EQ(HowFor(Asks), HostView::Read);
  EXPECT_EQ(HowFor(Asks, "/"), HostView::Read);
  EXPECT_EQ(HowFor("#define HOST 1\n"), HostView::Same);
}

TEST(HostView, IsReadWhereAnOptionIsForTheHostAlone) {
  TemporaryFolder Folder;
  const CompileJob Job = builtinJob(Folder.write("a.cu", Kernel),
                                    {"-Xarch_host", "-fpack-struct"});
  auto Outcome = parseUnit(Job, llvm::errs(), [](ParsedUnit &Unit) {
    EXPECT_EQ(Unit.readForHost([](ParsedUnit &) {}), HostView::Read);
  });
  EXPECT_TRUE(bool(Outcome));
  llvm::consumeError(Outcome.takeError());
}

TEST(HostView, IsUnknownWhereTheHostsPartCannotBeRead) {
  unsigned Calls = 0;
  EXPECT_EQ(
      hostViewOf("#ifndef __CUDA_ARCH__\n#include <none.h>\n#endif\n", Calls),
      HostView::Unknown);
  EXPECT_EQ(Calls, 0u);
}

TEST(HostView, HasItsErrors) {
  TemporaryFolder Folder;
  const CompileJob Job = builtinJob(
      Folder.write("a.cu", "#ifndef __CUDA_ARCH__\nint a = b;\n#endif\n"));
  unsigned Errors = 0;
  auto Outcome = parseUnit(Job, llvm::errs(), [&](ParsedUnit &Unit) {
    EXPECT_TRUE(Unit.errors().empty());
    EXPECT_EQ(Unit.readForHost(
                  [&](ParsedUnit &Host) { Errors = Host.errors().size(); }),
              HostView::Read);
  });
  EXPECT_TRUE(bool(Outcome));
  llvm::consumeError(Outcome.takeError());
  EXPECT_EQ(Errors, 1u);
}

} // namespace
