//===-- CaptureTest.cpp - tests of captures in files ----------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "recording/Capture.h"
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <sys/resource.h>
#include <sys/stat.h>

using namespace bankstripe::runtime;

namespace {

constexpr uint64_t Page = CapturePageBytes;

std::string freshPath() {
  std::string Path = testing::TempDir() + "a.capture";
  std::remove(Path.c_str());
  return Path;
}

CapturedKernel someKernel() {
  CapturedKernel K;
  K.Symbol = "_Z3addPfi";
  K.Image = std::string("\177ELF\0\1", 6);
  K.Grid = {7, 2, 1};
  K.Block = {128, 1, 1};
  K.DynamicSharedBytes = 1024;
  K.MostDynamicSharedBytes = 200000;
  K.Carveout = 100;
  K.StackBytes = 1024;
  K.HeapBytes = 8 << 20;
  K.PrintBytes = 1 << 20;
  K.Parameters = {{0, std::string("\0\0\0\2\3\0\0\0", 8)}, {8, "abcd"}};
  return K;
}

CapturedMemory someMemory(uint64_t Bytes) {
  CapturedMemory M;
  M.Address = 0x302000000;
  M.Bytes = Bytes;
  M.Kind = "device";
  M.Number = 3;
  return M;
}

// Bytes that repeat in no way.
std::string manyBytes(uint64_t Count, char Seed) {
  std::string Bytes(Count, Seed);
  for (uint64_t I = 0; I < Count; ++I)
    Bytes[I] = static_cast<char>(Bytes[I] + I * 7 + I / 251);
  return Bytes;
}

// What a capture holds of a launch that did nothing.
void writeLaunch(CaptureWriter &To) {
  To.program({"Some GPU", "9.0", 41});
  To.kernel(someKernel());
}

Capture read(const std::string &Path) {
  auto Read = readCapture(Path);
  if (const auto *Error = std::get_if<ReadError>(&Read)) {
    ADD_FAILURE() << Error->Message;
    return {};
  }
  return std::move(std::get<Capture>(Read));
}

std::string problem(const std::string &Path) {
  const auto Read = readCapture(Path);
  const auto *Error = std::get_if<ReadError>(&Read);
  return Error ? Error->Message : "";
}

/// The bytes of a file in \p Path with a launch and 100 bytes of memory.
std::string wholeFile(const std::string &Path) {
  CaptureWriter Writer(Path);
  writeLaunch(Writer);
  Writer.pages(Writer.memory(someMemory(100)), CaptureMoment::Before, 0,
               manyBytes(100, 'c'));
  EXPECT_TRUE(Writer.end());
  std::ifstream File(Path, std::ios::binary);
  return {std::istreambuf_iterator<char>(File), {}};
}

std::string allBytes(const CapturedMemory &M,
                     const std::vector<CapturedPage> &Pages) {
  std::string Bytes;
  for (const CapturedPage &P : Pages)
    Bytes += pageBytes(P, std::min(Page, M.Bytes - Bytes.size()));
  return Bytes;
}

TEST(Capture, WhatIsWrittenIsRead) {
  const std::string Path = freshPath();
  CaptureWriter Writer(Path);
  writeLaunch(Writer);
  Writer.note("textures");
  ASSERT_TRUE(Writer.end());

  const Capture Read = read(Path);
  EXPECT_EQ(Read.Program.Device, "Some GPU");
  EXPECT_EQ(Read.Program.Capability, "9.0");
  EXPECT_EQ(Read.Program.Launch, 41u);
  const CapturedKernel Given = someKernel();
  EXPECT_EQ(Read.Original.Symbol, Given.Symbol);
  EXPECT_EQ(Read.Original.Image, Given.Image);
  EXPECT_EQ(Read.Original.Grid, Given.Grid);
  EXPECT_EQ(Read.Original.Block, Given.Block);
  EXPECT_EQ(Read.Original.DynamicSharedBytes, 1024u);
  EXPECT_FALSE(Read.Original.IsCooperative);
  EXPECT_EQ(Read.Original.Cluster, (Extent{0, 0, 0}));
  EXPECT_EQ(Read.Original.MostDynamicSharedBytes, 200000);
  EXPECT_EQ(Read.Original.Carveout, 100);
  EXPECT_EQ(Read.Original.StackBytes, 1024u);
  EXPECT_EQ(Read.Original.HeapBytes, 8u << 20);
  EXPECT_EQ(Read.Original.PrintBytes, 1u << 20);
  EXPECT_EQ(Read.Original.Parameters, Given.Parameters);
  EXPECT_EQ(Read.Notes, std::vector<std::string>{"textures"});
}

TEST(Capture, OfAnotherProcessStays) {
  const std::string Path = freshPath();
  CaptureWriter First(Path), Second(Path);
  EXPECT_EQ(Second.problem(), "File exists");
  writeLaunch(First);
  EXPECT_TRUE(First.end());
  EXPECT_FALSE(Second.end());
  EXPECT_EQ(read(Path).Program.Launch, 41u);
}

TEST(Capture, MemoryComesBackPageByPage) {
  const std::string Path = freshPath();
  const std::string Bytes = manyBytes(2 * Page + 100, 'a');
  CaptureWriter Writer(Path);
  writeLaunch(Writer);
  const unsigned Number = Writer.memory(someMemory(Bytes.size()));
  Writer.pages(Number, CaptureMoment::Before, 0, Bytes.substr(0, Page));
  Writer.pages(Number, CaptureMoment::Before, 1, Bytes.substr(Page));
  ASSERT_TRUE(Writer.end());

  const Capture Read = read(Path);
  ASSERT_EQ(Read.Memory.size(), 1u);
  EXPECT_EQ(Read.Memory[0].Address, 0x302000000u);
  EXPECT_EQ(Read.Memory[0].Kind, "device");
  EXPECT_EQ(Read.Memory[0].Number, 3u);
  EXPECT_EQ(allBytes(Read.Memory[0], Read.Memory[0].Before), Bytes);
}

TEST(Capture, PagesThatRepeatAWordTakeLittleRoom) {
  const std::string Path = freshPath();
  const std::string Bytes(1000 * Page + 5, '\xa5');
  CaptureWriter Writer(Path);
  writeLaunch(Writer);
  Writer.pages(Writer.memory(someMemory(Bytes.size())), CaptureMoment::Before,
               0, Bytes);
  ASSERT_TRUE(Writer.end());

  std::ifstream File(Path, std::ios::binary | std::ios::ate);
  EXPECT_LT(File.tellg(), 20000);
  const Capture Read = read(Path);
  ASSERT_EQ(Read.Memory.size(), 1u);
  EXPECT_EQ(allBytes(Read.Memory[0], Read.Memory[0].Before), Bytes);
}

TEST(Capture, OfWhatALaunchLeftOnlyPagesThatChangedAreKept) {
  const std::string Path = freshPath();
  const std::string Before = manyBytes(3 * Page, 'b');
  std::string After = Before;
  After[Page + 17] ^= 1;
  CaptureWriter Writer(Path);
  writeLaunch(Writer);
  const unsigned Number = Writer.memory(someMemory(Before.size()));
  Writer.pages(Number, CaptureMoment::Before, 0, Before);
  Writer.pages(Number, CaptureMoment::After, 0, After);
  ASSERT_TRUE(Writer.end());

  const Capture Read = read(Path);
  ASSERT_EQ(Read.Memory.size(), 1u);
  const std::vector<CapturedPage> &Pages = Read.Memory[0].After;
  EXPECT_FALSE(Pages[0].IsThere);
  ASSERT_TRUE(Pages[1].IsThere);
  EXPECT_FALSE(Pages[2].IsThere);
  EXPECT_EQ(pageBytes(Pages[1], Page), After.substr(Page, Page));
}

// A store beside the captures of a test, and two captures that use it.
class StoredPages : public testing::Test {
protected:
  void SetUp() override {
    std::remove(StorePath.c_str());
    std::remove(Other.c_str());
  }

  std::vector<uint64_t> write(const std::string &To, PageStore &Store,
                              const std::string &Bytes) {
    CaptureWriter Writer(To, &Store);
    writeLaunch(Writer);
    Writer.pages(Writer.memory(someMemory(Bytes.size())), CaptureMoment::Before,
                 0, Bytes);
    Problem = Writer.end() ? "" : Writer.problem();
    return Writer.stored();
  }

  std::string readBack(const std::string &From) {
    const Capture Read = read(From);
    return Read.Memory.empty()
               ? ""
               : allBytes(Read.Memory[0], Read.Memory[0].Before);
  }

  const std::string StorePath = testing::TempDir() + "pages";
  const std::string Path = freshPath(), Other = Path + ".other";
  const std::string Bytes = manyBytes(2 * Page + 100, 'a');
  std::string Problem;
};

TEST_F(StoredPages, OfTwoCapturesAreThereOnce) {
  PageStore Store(StorePath, 4 * Page);
  std::string Changed = Bytes;
  Changed[Page] ^= 1;
  write(Path, Store, Bytes);
  write(Other, Store, Changed);
  EXPECT_EQ(Problem, "");
  EXPECT_LE(std::filesystem::file_size(StorePath), 4 * Page);
  EXPECT_EQ(readBack(Path), Bytes);
  EXPECT_EQ(readBack(Other), Changed);
}

TEST_F(StoredPages, MakeRoomWhenTheLastCaptureOfThemGoes) {
  PageStore Store(StorePath, 3 * Page);
  const auto Places = write(Path, Store, Bytes);
  const std::string Others = manyBytes(2 * Page + 100, 'b');
  write(Other, Store, Others);
  EXPECT_EQ(Problem, "there is no room for its memory");
  for (const uint64_t Place : Places)
    Store.drop(Place);
  std::remove(Other.c_str());
  write(Other, Store, Others);
  EXPECT_EQ(Problem, "");
  EXPECT_EQ(readBack(Other), Others);
}

TEST_F(StoredPages, ACaptureWithoutItsStoreIsRefused) {
  PageStore Store(StorePath, 3 * Page);
  write(Path, Store, Bytes);
  std::filesystem::resize_file(StorePath, Page);
  EXPECT_NE(problem(Path), "");
}

// A file from somebody else: what it says takes room before it is looked at.
TEST(Capture, MoreMemoryThanAnyGpuHasIsRefused) {
  const std::string Path = freshPath();
  CaptureWriter Writer(Path);
  writeLaunch(Writer);
  const uint64_t Bytes = uint64_t(1) << 41;
  ASSERT_TRUE(Writer.end());
  std::string Record;
  addRecord(Record, static_cast<unsigned char>(CaptureRecord::Memory),
            ByteWriter().number(0).number(Bytes).text("").text("").number(0));
  std::ofstream(Path, std::ios::binary | std::ios::app) << Record;
  EXPECT_NE(problem(Path).find("the fields are not those of its type"),
            std::string::npos);
}

// Of which it has no pages: each has a record.
TEST(Capture, MemoryThatTheFileCannotHoldTakesNoRoom) {
  const std::string Path = freshPath();
  CaptureWriter Writer(Path);
  writeLaunch(Writer);
  Writer.memory(someMemory(1000 * Page));
  ASSERT_TRUE(Writer.end());
  EXPECT_NE(problem(Path).find("the fields are not those of its type"),
            std::string::npos);
}

TEST_F(StoredPages, OfASecondStoreAreRefused) {
  PageStore Store(StorePath, 3 * Page);
  write(Path, Store, Bytes);
  std::string Record;
  addRecord(
      Record, static_cast<unsigned char>(CaptureRecord::Store),
      ByteWriter().text(std::filesystem::path(StorePath).filename().string()));
  std::ofstream(Path, std::ios::binary | std::ios::app) << Record;
  EXPECT_NE(problem(Path).find("the fields are not those of its type"),
            std::string::npos);
}

TEST(Capture, AStoreStandsBesideIt) {
  for (const char *Name : {"/etc/passwd", "../store", "..", "a/store"}) {
    const std::string Path = freshPath();
    std::string Record;
    addRecord(Record, static_cast<unsigned char>(CaptureRecord::Store),
              ByteWriter().text(Name));
    std::ofstream(Path, std::ios::binary) << CaptureFile.header() << Record;
    EXPECT_NE(problem(Path).find("the fields are not those of its type"),
              std::string::npos)
        << Name;
  }
}

TEST(Capture, OnlyARegularFileIsRead) {
  const std::string Path = freshPath();
  ASSERT_EQ(::mkfifo(Path.c_str(), 0600), 0);
  for (const std::string &File : {Path, std::string("/dev/zero")}) {
    EXPECT_EQ(problem(File), "it cannot be read: it is no regular file");
    EXPECT_EQ(readFile(File), std::nullopt);
  }
}

// No file may grow beyond so many bytes, as if the disk were full.
class FileLimit {
public:
  explicit FileLimit(rlim_t Bytes) {
    ::getrlimit(RLIMIT_FSIZE, &Before);
    rlimit Limited = Before;
    Limited.rlim_cur = Bytes;
    ::setrlimit(RLIMIT_FSIZE, &Limited);
    Handler = std::signal(SIGXFSZ, SIG_IGN);
  }
  ~FileLimit() {
    ::setrlimit(RLIMIT_FSIZE, &Before);
    std::signal(SIGXFSZ, Handler);
  }

private:
  rlimit Before{};
  void (*Handler)(int) = nullptr;
};

TEST(Capture, AFullDiskIsToldOf) {
  const std::string Path = freshPath();
  CaptureWriter Writer(Path);
  writeLaunch(Writer);
  EXPECT_EQ(Writer.problem(), "");
  const FileLimit Limit(2 * Page);
  Writer.pages(Writer.memory(someMemory(4 * Page)), CaptureMoment::Before, 0,
               manyBytes(4 * Page, 'e'));
  EXPECT_FALSE(Writer.end());
  EXPECT_EQ(Writer.problem(), "File too large");
}

TEST(Capture, NoPrefixOfAFileIsTakenForAWholeOne) {
  const std::string Path = freshPath();
  const std::string Whole = wholeFile(Path);
  for (size_t Length = 0; Length < Whole.size(); ++Length) {
    std::ofstream(Path, std::ios::binary) << Whole.substr(0, Length);
    ASSERT_NE(problem(Path), "") << Length << " bytes";
  }
}

TEST(Capture, ADamagedByteIsNoticed) {
  const std::string Path = freshPath();
  const std::string Whole = wholeFile(Path);
  for (size_t At = 0; At < Whole.size(); ++At) {
    std::string Damaged = Whole;
    Damaged[At] ^= 0x10;
    std::ofstream(Path, std::ios::binary) << Damaged;
    ASSERT_NE(problem(Path), "") << "byte " << At;
  }
}

TEST(Capture, MemoryWithoutItsBytesIsRefused) {
  const std::string Path = freshPath();
  CaptureWriter Writer(Path);
  writeLaunch(Writer);
  Writer.memory(someMemory(Page + 1));
  ASSERT_TRUE(Writer.end());
  EXPECT_EQ(problem(Path), "it lacks a page of memory");
  EXPECT_EQ(problem(Path + ".missing").rfind("it cannot be read", 0), 0u);
}

// The digest of a launch whose memory lies at the address, and which it gets a
// pointer to; the memory has another one, and Marker.
uint64_t digestAt(uint64_t Address, char Marker = 'a', uint64_t Offset = 16,
                  unsigned GridX = 7) {
  const std::string Path = freshPath();
  CaptureWriter Writer(Path);
  CapturedKernel Kernel = someKernel();
  Kernel.Grid.X = GridX;
  const auto Pointer = [](uint64_t To) {
    return std::string(reinterpret_cast<const char *>(&To), sizeof To);
  };
  Kernel.Parameters = {{0, Pointer(Address + Offset)}};
  Writer.program({"Some GPU", "9.0", 41});
  Writer.kernel(Kernel);
  CapturedMemory Memory = someMemory(Page + 100);
  Memory.Address = Address;
  std::string Bytes = manyBytes(Memory.Bytes, 'f');
  Bytes.replace(8, 8, Pointer(Address + Memory.Bytes));
  Bytes.back() = Marker;
  Writer.pages(Writer.memory(Memory), CaptureMoment::Before, 0, Bytes);
  EXPECT_TRUE(Writer.end());
  return digestOf(read(Path));
}

TEST(CaptureDigest, IsTheSameWhereverMemoryLies) {
  EXPECT_EQ(digestAt(0x302000000), digestAt(0x7f0012000000));
}

TEST(CaptureDigest, DependsOnAllElse) {
  const uint64_t One = digestAt(0x302000000);
  EXPECT_NE(One, digestAt(0x302000000, 'b'));
  EXPECT_NE(One, digestAt(0x302000000, 'a', 24));
  EXPECT_NE(One, digestAt(0x302000000, 'a', 16, 8));
}

} // namespace
