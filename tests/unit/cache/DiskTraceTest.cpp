//===-- DiskTraceTest.cpp - what a parse asked of the disk ----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CacheFolder.h"
#include "cache/Cache.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace bankstripe;
using namespace bankstripe::testing;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace vfs = llvm::vfs;

namespace {

/// A file system that is watched, and whether it would reply the same later.
class DiskTraceTest : public InFolder {
protected:
  void SetUp() override {
    InFolder::SetUp();
    Disk = Recorder.watch(llvm::IntrusiveRefCntPtr<vfs::FileSystem>(
        vfs::createPhysicalFileSystem().release()));
    write("a.h", "text");
    write("folder/b.h", "");
  }
  bool holds() {
    EXPECT_TRUE(Recorder.Trace.isComplete());
    auto MayEdit = [&](StringRef) { return May; };
    DiskState Now(MayEdit);
    return wouldGive(Recorder.Trace.replies(), Now);
  }
  void read(StringRef Name) {
    auto Text = Disk->getBufferForFile(path(Name));
    ASSERT_TRUE(bool(Text));
  }
  void remove(StringRef Name) { ASSERT_FALSE(fs::remove(path(Name))); }

  DiskRecorder Recorder;
  llvm::IntrusiveRefCntPtr<vfs::FileSystem> Disk;
  bool May = true;
};

} // namespace

TEST_F(DiskTraceTest, NothingWasAsked) { EXPECT_TRUE(holds()); }

TEST_F(DiskTraceTest, TextOfAFile) {
  read("a.h");
  EXPECT_TRUE(holds());
  write("a.h", "next");
  EXPECT_FALSE(holds());
  write("a.h", "text");
  EXPECT_TRUE(holds());
}

TEST_F(DiskTraceTest, FileThatWasOnlyLookedForMayChange) {
  EXPECT_TRUE(bool(Disk->status(path("a.h"))));
  write("a.h", "next");
  EXPECT_TRUE(holds());
  remove("a.h");
  EXPECT_FALSE(holds());
}

TEST_F(DiskTraceTest, FileThatWasNotThere) {
  EXPECT_FALSE(bool(Disk->status(path("new.h"))));
  EXPECT_FALSE(bool(Disk->openFileForRead(path("folder/new.h"))));
  EXPECT_FALSE(Disk->exists(path("none/new.h")));
  EXPECT_TRUE(holds());
  for (StringRef Name : {"new.h", "folder/new.h", "none/new.h"}) {
    write(Name, "");
    EXPECT_FALSE(holds()) << Name.str();
    remove(Name);
  }
}

TEST_F(DiskTraceTest, FolderInThePlaceOfAFile) {
  EXPECT_TRUE(bool(Disk->status(path("a.h"))));
  remove("a.h");
  write("a.h/b.h", "");
  EXPECT_FALSE(holds());
}

TEST_F(DiskTraceTest, NamesInAFolder) {
  std::error_code Code;
  Disk->dir_begin(path("folder"), Code);
  write("folder/b.h", "next");
  EXPECT_TRUE(holds());
  write("folder/c.h", "");
  EXPECT_FALSE(holds());
}

TEST_F(DiskTraceTest, WhereALinkLeads) {
  ASSERT_FALSE(fs::create_link(path("a.h"), path("link.h")));
  llvm::SmallString<128> Real;
  EXPECT_FALSE(Disk->getRealPath(path("link.h"), Real));
  EXPECT_TRUE(holds());
  remove("link.h");
  ASSERT_FALSE(fs::create_link(path("folder/b.h"), path("link.h")));
  EXPECT_FALSE(holds());
}

TEST_F(DiskTraceTest, TwoFilesBecomeOne) {
  write("same.h", "text");
  read("a.h");
  read("same.h");
  EXPECT_TRUE(holds());
  remove("same.h");
  ASSERT_FALSE(fs::create_link(path("a.h"), path("same.h")));
  EXPECT_FALSE(holds());
}

TEST_F(DiskTraceTest, OneFolderBecomesTwo) {
  ASSERT_FALSE(fs::create_link(path("folder"), path("same")));
  EXPECT_TRUE(bool(Disk->status(path("same"))));
  EXPECT_TRUE(holds());
  remove("same");
  ASSERT_FALSE(fs::create_directory(path("same")));
  EXPECT_FALSE(holds());
}

TEST_F(DiskTraceTest, WhetherAFileMayBeEdited) {
  Recorder.Trace.note(DiskQuestion::MayEdit, "/a.h", "yes");
  EXPECT_TRUE(holds());
  May = false;
  EXPECT_FALSE(holds());
}

TEST_F(DiskTraceTest, FileThatChangesMeanwhile) {
  read("a.h");
  write("a.h", "next");
  read("a.h");
  EXPECT_FALSE(Recorder.Trace.isComplete());
}

TEST_F(DiskTraceTest, TimeOfDay) {
  Recorder.sawTime();
  EXPECT_FALSE(Recorder.Trace.isComplete());
}

TEST_F(DiskTraceTest, RelativeNames) {
  ASSERT_FALSE(Disk->setCurrentWorkingDirectory(Folder));
  EXPECT_TRUE(bool(Disk->getBufferForFile("a.h")));
  EXPECT_TRUE(holds());
  write("a.h", "next");
  EXPECT_FALSE(holds());
}
