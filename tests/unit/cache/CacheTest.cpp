//===-- CacheTest.cpp - a folder of values --------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "cache/Cache.h"
#include "CacheFolder.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace bankstripe;
using namespace bankstripe::testing;
using llvm::StringRef;
namespace fs = llvm::sys::fs;

namespace {

class CacheTest : public InFolder {
protected:
  static Cache open(const std::string &Folder, uint64_t Bytes = 1 << 20) {
    llvm::CachePruningPolicy Limits;
    Limits.Interval = std::chrono::seconds(0);
    Limits.MaxSizeBytes = Bytes;
    return Cache(Folder, Limits);
  }
  std::string get(StringRef Key, StringRef Wanted = "") const {
    Cache Store = open(Folder);
    return Store
        .get(Key, [&](StringRef Value) { return Value.starts_with(Wanted); })
        .value_or("nothing");
  }
  std::vector<std::string> files() const {
    std::vector<std::string> Names;
    std::error_code Code;
    for (fs::directory_iterator It(Folder, Code), End; It != End && !Code;
         It.increment(Code))
      Names.push_back(It->path());
    return Names;
  }
};

} // namespace

TEST_F(CacheTest, ValuesComeBack) {
  const std::string Binary("a\0\n\xff", 4);
  Cache Store = open(Folder);
  Store.put("one", Binary);
  Store.put("two", "");
  EXPECT_EQ(get("one"), Binary);
  EXPECT_EQ(get("two"), "");
  EXPECT_EQ(get("three"), "nothing");
}

TEST_F(CacheTest, SeveralValuesUnderOneKey) {
  Cache Store = open(Folder);
  for (StringRef Value : {"a 1", "b 2", "c 3"})
    Store.put("key", Value);
  EXPECT_EQ(get("key", "b"), "b 2");
  EXPECT_EQ(get("key", "c"), "c 3");
  EXPECT_EQ(get("key", "d"), "nothing");
}

TEST_F(CacheTest, ManyValuesReplaceEachOther) {
  Cache Store = open(Folder);
  for (char C = 'a'; C <= 'z'; ++C)
    Store.put("key", std::string(1, C));
  EXPECT_EQ(get("key", "z"), "z");
  EXPECT_EQ(files().size(), 4U);
}

TEST_F(CacheTest, DamagedEntriesAreNone) {
  open(Folder).put("key", "value");
  const std::string File = files().front();
  const std::string Good =
      (*llvm::MemoryBuffer::getFile(File))->getBuffer().str();
  for (size_t Size = 0; Size < Good.size(); ++Size) {
    std::error_code Code;
    llvm::raw_fd_ostream(File, Code) << StringRef(Good).take_front(Size);
    EXPECT_EQ(get("key"), "nothing") << Size;
  }
  for (size_t At = 0; At < Good.size(); ++At) {
    std::string Bad = Good;
    Bad[At] ^= 1;
    std::error_code Code;
    llvm::raw_fd_ostream(File, Code) << Bad;
    EXPECT_EQ(get("key"), "nothing") << At;
  }
}

TEST_F(CacheTest, FolderThatCannotBeMadeIsNoError) {
  write("file", "");
  Cache Store = open(path("file"));
  Store.put("key", "value");
  Store.prune();
  EXPECT_FALSE(Store.get("key", [](StringRef) { return true; }));
}

TEST_F(CacheTest, TooMuchIsRemoved) {
  Cache Store = open(Folder, /*Bytes=*/300);
  for (char C = 'a'; C <= 'j'; ++C)
    Store.put(std::string(1, C), "some value");
  ASSERT_EQ(files().size(), 10U);
  Store.prune();
  EXPECT_LT(files().size(), 6U);
}

TEST_F(CacheTest, OnlyOurFilesAreRemoved) {
  write("important", std::string(10000, 'x'));
  Cache Store = open(Folder, /*Bytes=*/1);
  Store.put("key", "value");
  Store.prune();
  EXPECT_TRUE(fs::exists(path("important")));
  EXPECT_EQ(get("key"), "nothing");
}

TEST(Key, TellsPartsApart) {
  const std::string Key = KeyBuilder().add("a", "bc").add("d", "").key();
  EXPECT_EQ(Key, KeyBuilder().add("a", "bc").add("d", "").key());
  EXPECT_NE(Key, KeyBuilder().add("a", "b").add("cd", "").key());
  EXPECT_NE(Key, KeyBuilder().add("a", "bc").key());
  EXPECT_NE(Key, KeyBuilder().add("d", "").add("a", "bc").key());
}
