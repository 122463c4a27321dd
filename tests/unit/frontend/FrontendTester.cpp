//===-- FrontendTester.cpp - what the tests of the front end share --------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FrontendTester.h"
#include "support/ParseSnippet.h"
#include "clang/Frontend/CompilerInstance.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace bankstripe::testing {

CompileJob builtinJob(const std::string &File, std::vector<std::string> Args) {
  CompileJob Job;
  Job.File = File;
  Job.Directory = sys::path::parent_path(File).str();
  Job.OriginalArgs = {"clang++"};
  Job.OriginalArgs.insert(Job.OriginalArgs.end(), Args.begin(), Args.end());
  translateCommand(Job, FrontendOptions(), Toolkit());
  return Job;
}

Parsed parse(const CompileJob &Job) {
  Parsed Result;
  raw_string_ostream Diagnostics(Result.Diagnostics);
  auto Outcome =
      parseUnit(Job, Diagnostics, [&](ParsedUnit &) { ++Result.Calls; });
  Result.Succeeded = bool(Outcome);
  if (Outcome)
    Result.Outcome = *Outcome;
  else
    Result.Error = toString(Outcome.takeError());
  return Result;
}

IntrusiveRefCntPtr<vfs::FileSystem>
ReadCounter::watch(IntrusiveRefCntPtr<vfs::FileSystem> Disk) {
  struct Files final : vfs::ProxyFileSystem {
    Files(IntrusiveRefCntPtr<vfs::FileSystem> Disk, ReadCounter &Into)
        : ProxyFileSystem(std::move(Disk)), Into(Into) {}
    ErrorOr<std::unique_ptr<vfs::File>>
    openFileForRead(const Twine &Path) override {
      Into.Reads += StringRef(Path.str()).ends_with(Into.Ending);
      return ProxyFileSystem::openFileForRead(Path);
    }
    ReadCounter &Into;
  };
  return makeIntrusiveRefCnt<Files>(std::move(Disk), *this);
}

Parsed parseText(StringRef Text, std::vector<std::string> Args) {
  TemporaryFolder Folder;
  return parse(builtinJob(Folder.write("a.cu", Text), std::move(Args)));
}

Parsed parseBridged(const std::string &Text) {
  return parseText(Text, {"-std=c++17"});
}

bool parsesBridged(const std::string &Text) {
  return parseBridged(Text).Succeeded;
}

std::string failureOf(const std::string &Code) {
  return toString(parseSnippet(Code, "snippet.cu", [](ParsedUnit &) {}));
}

::testing::AssertionResult parses(StringRef Code,
                                  std::vector<std::string> Args) {
  const Parsed P = parseText(Code, std::move(Args));
  if (P.Succeeded && !P.Outcome.UsedShim)
    return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << P.Diagnostics;
}

HostView hostViewOf(const std::string &Code, unsigned &Calls) {
  HostView How = HostView::Unknown;
  llvm::Error E = parseSnippet(Code, "snippet.cu", [&](ParsedUnit &Unit) {
    How = Unit.readForHost([&](ParsedUnit &Host) {
      EXPECT_FALSE(Host.compiler().getLangOpts().CUDAIsDevice);
      ++Calls;
    });
  });
  EXPECT_FALSE(bool(E)) << toString(std::move(E));
  return How;
}

} // namespace bankstripe::testing
