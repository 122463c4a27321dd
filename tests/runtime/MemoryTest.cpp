//===-- MemoryTest.cpp - live device memory --------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "recorder/LiveMemory.h"
#include <gtest/gtest.h>

using namespace bankstripe::runtime;

namespace {

const int Contexts[2] = {};
const void *const First = &Contexts[0];
const void *const Second = &Contexts[1];

struct LiveMemoryTest : testing::Test {
  LiveMemory Memory;
  std::vector<unsigned> Gone;
  unsigned add(uint64_t Address, uint64_t Bytes, const void *In = First) {
    return Memory.add(In, Address, Bytes, "device", Gone).Id;
  }
  std::vector<DigestChange> update(const std::vector<uint64_t> &Digests,
                                   const MemoryPart &Of = {}) {
    return Memory.update(First, Digests, Of);
  }
};

} // namespace

TEST_F(LiveMemoryTest, NumbersFollowTheOrderOfAllocations) {
  EXPECT_EQ(add(0x2000, 512), 0u);
  EXPECT_EQ(add(0x1000, 512), 1u);
  EXPECT_EQ(Memory.remove(0x2000), 0u);
  EXPECT_EQ(Memory.remove(0x2000), std::nullopt);
  EXPECT_EQ(add(0x2000, 512), 2u);
  EXPECT_TRUE(Gone.empty());
}

TEST_F(LiveMemoryTest, SegmentsAreLaidOutChunkAfterChunk) {
  add(0x2000, 512);
  add(0x1000, 300);
  add(0x9000, 64, Second);
  const auto Segments = Memory.segments(First);
  ASSERT_EQ(Segments.size(), 2u);
  EXPECT_EQ(Segments[0].Address, 0x1000u);
  EXPECT_EQ(Segments[0].FirstChunk, 0u);
  EXPECT_EQ(Segments[1].FirstChunk, 2u);
  EXPECT_EQ(Memory.segments(Second).size(), 1u);
  EXPECT_EQ(Memory.contexts().size(), 2u);
}

TEST_F(LiveMemoryTest, UpdateReportsAllThenOnlyWhatChanged) {
  add(0x2000, 512);  // 0: two chunks, later in the order of addresses.
  add(0x1000, 1024); // 1: four chunks.
  auto Changes = update({1, 2, 3, 4, 5, 6});
  ASSERT_EQ(Changes.size(), 2u);
  EXPECT_EQ(Changes[0].Allocation, 0u);
  EXPECT_EQ(Changes[0].Ranges[0].Digests, (std::vector<uint64_t>{5, 6}));
  Changes = update({9, 2, 9, 9, 5, 6});
  ASSERT_EQ(Changes.size(), 1u);
  EXPECT_EQ(Changes[0].Allocation, 1u);
  ASSERT_EQ(Changes[0].Ranges.size(), 2u);
  EXPECT_EQ(Changes[0].Ranges[1].First, 2u);
  EXPECT_EQ(Changes[0].Ranges[1].Digests, (std::vector<uint64_t>{9, 9}));
  EXPECT_TRUE(update({9, 2, 9, 9, 5, 6}).empty());
}

TEST_F(LiveMemoryTest, MemoryIsStaleAfterALaunchUntilItsDigest) {
  MemoryPart Stale;
  Stale.StaleOnly = true;
  add(0x1000, 512);
  EXPECT_TRUE(Memory.contexts(Stale).empty());
  Memory.launched();
  add(0x2000, 512); // Made since: nothing wrote it.
  ASSERT_EQ(Memory.segments(First, Stale).size(), 1u);
  EXPECT_EQ(Memory.segments(First, Stale)[0].Address, 0x1000u);
  Memory.launched();
  update({1, 2, 3, 4});
  EXPECT_TRUE(Memory.contexts(Stale).empty());
}

TEST_F(LiveMemoryTest, PartIsDigestedWithoutTheRest) {
  MemoryPart Freed;
  Freed.StaleOnly = true;
  Freed.Address = 0x2000;
  add(0x1000, 512);
  add(0x2000, 512);
  Memory.launched();
  const auto Changes = update({7, 8}, Freed);
  ASSERT_EQ(Changes.size(), 1u);
  EXPECT_EQ(Changes[0].Allocation, 1u);
  EXPECT_TRUE(Memory.segments(First, Freed).empty());
  Freed.Address = 0x1000;
  EXPECT_EQ(Memory.segments(First, Freed).size(), 1u);
  Freed.Address = 0x1001;
  EXPECT_TRUE(Memory.segments(First, Freed).empty());
}

TEST_F(LiveMemoryTest, VariablesAreAPart) {
  MemoryPart Variables;
  Variables.VariablesOnly = true;
  bool IsNew = false;
  add(0x1000, 512);
  Memory.addVariable(First, 0x2000, 4, "a", IsNew);
  ASSERT_EQ(Memory.segments(First, Variables).size(), 1u);
  EXPECT_EQ(update({5}, Variables)[0].IsVariable, true);
}

TEST_F(LiveMemoryTest, NewAllocationEndsThoseItOverlaps) {
  add(0x1000, 512);
  add(0x1400, 512);
  add(0x1100, 0x400);
  EXPECT_EQ(Gone, (std::vector<unsigned>{0, 1}));
  EXPECT_EQ(Memory.segments(First).size(), 1u);
}

TEST_F(LiveMemoryTest, ContextTakesItsMemoryAlong) {
  add(0x2000, 512);
  add(0x1000, 512);
  add(0x9000, 64, Second);
  EXPECT_EQ(Memory.removeContext(First), (std::vector<unsigned>{0, 1}));
  EXPECT_EQ(Memory.contexts(), std::vector<const void *>{Second});
}

TEST_F(LiveMemoryTest, VariableKeepsItsNumberWhenItsModuleIsLoadedAgain) {
  bool IsNew = false;
  EXPECT_EQ(Memory.addVariable(First, 0x100, 4, "a", IsNew).Id, 0u);
  EXPECT_TRUE(IsNew);
  EXPECT_EQ(Memory.addVariable(First, 0x200, 8, "b", IsNew).Id, 1u);
  Memory.removeVariables();
  EXPECT_TRUE(Memory.segments(First).empty());
  EXPECT_EQ(Memory.addVariable(First, 0x700, 8, "b", IsNew).Id, 1u);
  EXPECT_FALSE(IsNew);
  // The same symbol in two modules at a time: two variables.
  EXPECT_EQ(Memory.addVariable(First, 0x800, 8, "b", IsNew).Name, "b#2");
  EXPECT_TRUE(IsNew);
  EXPECT_EQ(Memory.remove(0x800), std::nullopt);
  EXPECT_EQ(Memory.pieces().at(0x700).What.Id, 1u);
}

// A number that is free goes to the next one, and is never that of two.
TEST(LiveMemory, VariablesOfSeveralContextsKeepTheirNames) {
  LiveMemory Memory;
  const int Contexts[3] = {};
  bool IsNew = false;
  Memory.addVariable(&Contexts[0], 0x100, 4, "a", IsNew);
  EXPECT_EQ(Memory.addVariable(&Contexts[1], 0x200, 4, "a", IsNew).Name, "a#2");
  Memory.removeContext(&Contexts[0]);
  EXPECT_EQ(Memory.addVariable(&Contexts[2], 0x300, 4, "a", IsNew).Name, "a");
  EXPECT_FALSE(IsNew);
}

// Filling it would undo what is stored through the other addresses.
TEST(MappedRanges, MemoryThatIsMappedTwiceIsNotFresh) {
  MappedRanges Mapped;
  Mapped.created(7);
  EXPECT_FALSE(Mapped.mapped(0x1000, 0x100, 7));
  EXPECT_TRUE(Mapped.within(0x1000, 0x100).at(0).IsFresh);
  EXPECT_TRUE(Mapped.mapped(0x2000, 0x100, 7));
  EXPECT_FALSE(Mapped.within(0x1000, 0x100).at(0).IsFresh);
  EXPECT_FALSE(Mapped.within(0x2000, 0x100).at(0).IsFresh);
}

TEST(MappedRanges, FindsWhatLiesWithin) {
  MappedRanges Mapped;
  Mapped.created(7);
  Mapped.mapped(0x1000, 0x100, 7);
  Mapped.mapped(0x1100, 0x100, 8);
  Mapped.mapped(0x2000, 0x100, 9);
  auto Found = Mapped.within(0x1000, 0x200);
  ASSERT_EQ(Found.size(), 2u);
  EXPECT_EQ(Found[1].Address, 0x1100u);
  EXPECT_EQ(Mapped.within(0x1000, 0x180).size(), 1u);
  Mapped.unmapped(0x1000, 0x100);
  EXPECT_EQ(Mapped.within(0, 0x10000).size(), 2u);
}

TEST(MappedRanges, MemoryIsFreshTheFirstTimeItIsMapped) {
  MappedRanges Mapped;
  const auto IsFresh = [&] { return Mapped.within(0x1000, 8)[0].IsFresh; };
  Mapped.created(7);
  Mapped.mapped(0x1000, 8, 7);
  EXPECT_TRUE(IsFresh());
  Mapped.filled(0x1000);
  EXPECT_FALSE(IsFresh());
  Mapped.unmapped(0x1000, 8);
  Mapped.mapped(0x1000, 8, 7); // It holds what it held.
  EXPECT_FALSE(IsFresh());
  Mapped.created(7); // The number is used again, for other memory.
  Mapped.mapped(0x1000, 8, 7);
  EXPECT_TRUE(IsFresh());
}
