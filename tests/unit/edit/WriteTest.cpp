//===-- WriteTest.cpp - files are replaced whole or not at all ------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On real files in a temporary folder.
//
//===----------------------------------------------------------------------===//

#include "edit/Edit.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"
#include <fstream>
#include <sys/resource.h>
#include <sys/stat.h>

using namespace bankstripe;
using llvm::StringRef;
namespace fs = llvm::sys::fs;

namespace {

class Write : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(fs::createUniqueDirectory("write-test", Folder));
  }
  void TearDown() override { fs::remove_directories(Folder); }

  std::string path(StringRef Name) const { return (Folder + "/" + Name).str(); }
  std::string make(StringRef Name, StringRef Text, unsigned Mode = 0644) const {
    std::ofstream(path(Name), std::ios::binary) << Text.str();
    EXPECT_EQ(chmod(path(Name).c_str(), Mode), 0);
    return path(Name);
  }
  static std::string read(const std::string &Path) {
    auto Text = llvm::MemoryBuffer::getFile(Path);
    return Text ? (*Text)->getBuffer().str() : "<no file>";
  }
  static unsigned modeOf(const std::string &Path) {
    struct stat Status;
    return lstat(Path.c_str(), &Status) ? 0 : Status.st_mode & 07777;
  }
  unsigned entries() const {
    unsigned Count = 0;
    std::error_code EC;
    for (fs::directory_iterator I(Folder, EC), End; I != End; I.increment(EC))
      ++Count;
    return Count;
  }
  // The message, or nothing.
  static std::string replace(const std::string &Path, StringRef Text,
                             std::optional<StringRef> Expected = {}) {
    llvm::Error E = replaceFile(Path, Text, Expected);
    return E ? toString(std::move(E)) : "";
  }

  llvm::SmallString<128> Folder;
};

TEST_F(Write, ReplacesAFile) {
  std::string Path = make("a.cu", "old");
  EXPECT_EQ(replace(Path, "new", StringRef("old")), "");
  EXPECT_EQ(read(Path), "new");
  EXPECT_EQ(entries(), 1u);
}

// Whoever made the link decides what it leads to.
TEST_F(Write, WhatNoUserWritesIsNotWrittenThroughALink) {
  const std::string Other = make("other", "kept"), Path = path("own");
  ASSERT_FALSE(fs::create_link("other", Path));
  EXPECT_FALSE(bool(writeOwnFile(Path, "new")));
  EXPECT_EQ(read(Path), "new");
  EXPECT_EQ(read(Other), "kept");
  EXPECT_FALSE(bool(writeOwnFile(Path, "newer")));
  EXPECT_EQ(read(Path), "newer");
}

TEST_F(Write, AFolderThatNoUserMakesIsNoLink) {
  ASSERT_FALSE(fs::create_directory(path("real")));
  ASSERT_FALSE(fs::create_link("real", path("top")));
  ASSERT_FALSE(fs::create_directory(path("own")));
  ASSERT_FALSE(fs::create_link("../real", path("own/deep")));
  EXPECT_NE(
      toString(makeOwnFolder(path("top/a"), path("top"))).find("is a link"),
      std::string::npos);
  EXPECT_NE(toString(makeOwnFolder(path("own/deep/a"), path("own")))
                .find("is a link"),
            std::string::npos);
  EXPECT_TRUE(fs::is_directory(path("real")));
  EXPECT_FALSE(fs::exists(path("real/a")));
  EXPECT_FALSE(bool(makeOwnFolder(path("own/other/a"), path("own"))));
  EXPECT_TRUE(fs::is_directory(path("own/other/a")));
}

TEST_F(Write, MakesANewFile) {
  mode_t Mask = umask(022);
  llvm::scope_exit Restore([&] { umask(Mask); });
  EXPECT_EQ(replace(path("a.cu"), "new"), "");
  EXPECT_EQ(read(path("a.cu")), "new");
  EXPECT_EQ(modeOf(path("a.cu")), 0644u);
  EXPECT_EQ(entries(), 1u);
}

TEST_F(Write, BytesAreKeptAsTheyAre) {
  std::string Path = make("a.cu", "old");
  std::string Text("a\r\nb\0\xFF\n", 7);
  EXPECT_EQ(replace(Path, Text), "");
  EXPECT_EQ(read(Path), Text);
}

TEST_F(Write, EmptyText) {
  std::string Path = make("a.cu", "old");
  EXPECT_EQ(replace(Path, ""), "");
  EXPECT_EQ(read(Path), "");
}

// Who reads the file meanwhile sees all of the old text, never a part of both.
TEST_F(Write, IsAtomic) {
  std::string Path = make("a.cu", "old");
  std::ifstream Reader(Path);
  EXPECT_EQ(replace(Path, "new text"), "");
  std::string Seen;
  Reader >> Seen;
  EXPECT_EQ(Seen, "old");
}

TEST_F(Write, PermissionsAreKept) {
  std::string Path = make("a.cu", "old", 0750);
  EXPECT_EQ(replace(Path, "new"), "");
  EXPECT_EQ(modeOf(Path), 0750u);
}

TEST_F(Write, ReadOnlyFileIsRefused) {
  std::string Path = make("a.cu", "old", 0444);
  EXPECT_EQ(replace(Path, "new", StringRef("old")),
            "cannot write '" + Path +
                "': it is read-only; make it writable or use --output-dir");
  EXPECT_EQ(read(Path), "old");
  EXPECT_EQ(modeOf(Path), 0444u);
  EXPECT_EQ(entries(), 1u);
}

TEST_F(Write, ChangedFileIsRefused) {
  std::string Path = make("a.cu", "edited meanwhile");
  EXPECT_EQ(replace(Path, "new", StringRef("old")),
            "cannot write '" + Path +
                "': it has changed since it was read; run bankstripe again");
  EXPECT_EQ(read(Path), "edited meanwhile");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(Write, VanishedFileIsRefused) {
  EXPECT_NE(replace(path("a.cu"), "new", StringRef("old")), "");
  EXPECT_EQ(entries(), 0u);
}

TEST_F(Write, ThroughALink) {
  std::string Path = make("a.cu", "old", 0640);
  std::string Link = path("link.cu");
  ASSERT_FALSE(fs::create_link("a.cu", Link));
  EXPECT_EQ(replace(Link, "new", StringRef("old")), "");
  EXPECT_EQ(read(Path), "new");
  EXPECT_EQ(modeOf(Path), 0640u);
  EXPECT_TRUE(fs::is_symlink_file(Link));
  EXPECT_EQ(entries(), 2u);
}

TEST_F(Write, ReadOnlyFileBehindALinkIsRefused) {
  std::string Path = make("a.cu", "old", 0444);
  std::string Link = path("link.cu");
  ASSERT_FALSE(fs::create_link("a.cu", Link));
  EXPECT_NE(replace(Link, "new"), "");
  EXPECT_EQ(read(Path), "old");
}

TEST_F(Write, ManyFilesAreReplacedOrNone) {
  const std::string First = make("a.cu", "old", 0640), New = path("new.cuh"),
                    Last = make("z.cu", "old");
  EXPECT_FALSE(bool(replaceFiles({{First, "1", StringRef("old")},
                                  {New, "2", std::nullopt},
                                  {Last, "3", StringRef("old")}})));
  EXPECT_EQ(read(First) + read(New) + read(Last), "123");
  EXPECT_EQ(entries(), 3u);
  EXPECT_EQ(toString(replaceFiles({{First, "4", StringRef("1")},
                                   {Last, "5", StringRef("changed")}})),
            "cannot write '" + Last +
                "': it has changed since it was read; run bankstripe again");
  EXPECT_EQ(read(First) + read(Last), "13");
  EXPECT_EQ(entries(), 3u);
}

TEST_F(Write, AFileWithTwoNamesIsNotWrittenTwice) {
  const std::string Path = make("a.cu", "old"), Link = path("link.cu");
  ASSERT_FALSE(fs::create_link("a.cu", Link));
  EXPECT_NE(toString(replaceFiles({{Path, "1", StringRef("old")},
                                   {Link, "2", StringRef("old")}}))
                .find("it has changed"),
            std::string::npos);
  EXPECT_EQ(read(Path), "old");
  EXPECT_EQ(entries(), 2u);
}

// A folder cannot be replaced, which only shows when it is tried.
TEST_F(Write, WhatWasReplacedBeforeAnErrorIsRestored) {
  const std::string First = make("a.cu", "old", 0640), New = path("new.cuh"),
                    Link = path("link.cu");
  ASSERT_FALSE(fs::create_directory(path("folder")));
  ASSERT_FALSE(fs::create_link("a.cu", Link));
  const std::string Message =
      toString(replaceFiles({{First, "1", StringRef("old")},
                             {New, "2", std::nullopt},
                             {Link, "3", std::nullopt},
                             {path("folder"), "4", std::nullopt}}));
  EXPECT_TRUE(
      StringRef(Message).starts_with("cannot write '" + path("folder") + "': "))
      << Message;
  EXPECT_EQ(read(First), "old");
  EXPECT_EQ(modeOf(First), 0640u);
  EXPECT_FALSE(fs::exists(New));
  EXPECT_EQ(entries(), 3u);
}

TEST_F(Write, ThereMayBeMoreFilesThanAProcessMayHaveOpen) {
  rlimit Before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &Before), 0);
  const rlimit Few{32, Before.rlim_max};
  std::vector<std::string> Paths;
  for (int I = 0; I < 40; ++I)
    Paths.push_back(make("a" + std::to_string(I) + ".cu", "old"));
  std::vector<NewContents> Files;
  for (const std::string &Path : Paths)
    Files.push_back({Path, "new", StringRef("old")});
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &Few), 0);
  EXPECT_EQ(toString(replaceFiles(Files)), "");
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &Before), 0);
  EXPECT_EQ(read(Paths.back()), "new");
  EXPECT_EQ(entries(), 40u);
}

TEST_F(Write, MissingFolder) {
  std::string Path = path("none/a.cu");
  std::string Message = replace(Path, "new");
  EXPECT_TRUE(StringRef(Message).starts_with("cannot write '" + Path + "': "))
      << Message;
  EXPECT_EQ(entries(), 0u);
}

TEST_F(Write, AFolderIsNoFile) {
  ASSERT_FALSE(fs::create_directory(path("folder")));
  EXPECT_NE(replace(path("folder"), "new"), "");
  EXPECT_TRUE(fs::is_directory(path("folder")));
  EXPECT_EQ(entries(), 1u);
}

} // namespace
