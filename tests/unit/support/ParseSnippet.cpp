//===-- ParseSnippet.cpp - parse a text that is in no file ----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "support/ParseSnippet.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace bankstripe::testing {
namespace {

/// Puts one file over the disk.
class SnippetDisk final : public ParseWatch {
public:
  SnippetDisk(StringRef Code, StringRef FileName)
      : File(makeIntrusiveRefCnt<vfs::InMemoryFileSystem>()) {
    cantFail(errorCodeToError(File->setCurrentWorkingDirectory("/")));
    File->addFile(FileName, /*ModificationTime=*/0,
                  MemoryBuffer::getMemBufferCopy(Code, FileName));
  }

  IntrusiveRefCntPtr<vfs::FileSystem>
  watch(IntrusiveRefCntPtr<vfs::FileSystem> Disk) override {
    auto Overlay = makeIntrusiveRefCnt<vfs::OverlayFileSystem>(std::move(Disk));
    Overlay->pushOverlay(File);
    return Overlay;
  }
  void sawTime() override {}

private:
  IntrusiveRefCntPtr<vfs::InMemoryFileSystem> File;
};

} // namespace

Error parseSnippet(StringRef Code, StringRef FileName,
                   function_ref<void(ParsedUnit &)> Action,
                   std::vector<std::string> ExtraArgs) {
  CompileJob Job;
  Job.File = FileName.str();
  Job.Directory = "/";
  Job.OriginalArgs = {"clang++"};
  Job.OriginalArgs.insert(Job.OriginalArgs.end(), ExtraArgs.begin(),
                          ExtraArgs.end());
  translateCommand(Job, FrontendOptions(), Toolkit());
  SnippetDisk Disk(Code, FileName);
  std::string Messages;
  raw_string_ostream OS(Messages);
  if (auto Outcome = parseUnit(Job, OS, Action, &Disk); !Outcome)
    return createStringError(toString(Outcome.takeError()) + ":\n" + Messages);
  return Error::success();
}

} // namespace bankstripe::testing
