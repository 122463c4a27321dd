//===-- DeviceOrderTest.cpp - a host thread for each device ---------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "verify/DeviceOrder.h"
#include "Programs.h"
#include "verify/Compare.h"
#include <gtest/gtest.h>

using namespace bankstripe::runtime;

namespace {

// Two threads with a device each, which take turns as Turns says: "0011" or
// "0101". The first launch on a device makes its allocation. Each launch adds
// to its device's allocation; Wrong is one that adds something else, counted
// on the second device.
Recording twoDevices(const std::string &Turns, int Wrong = -1) {
  Recording R;
  unsigned Memory[2] = {}, Seen[2] = {};
  for (const char Turn : Turns) {
    const unsigned Device = Turn == '1';
    if (Seen[Device] == 0) {
      Memory[Device] = allocate(R, 256 * (Device + 1));
      R.Allocations.back().Device = Device;
    }
    Launch &L = launch(R, Device ? "_Z4leftPi" : "_Z5rightPi");
    L.Device = L.Thread = Device;
    uint64_t Value = 100 * Device + Seen[Device];
    if (Device == 1 && static_cast<int>(Seen[1]) == Wrong)
      Value += 1000;
    changes(L, Memory[Device], 0, {Value});
    ++Seen[Device];
  }
  R.Complete = true;
  return R;
}

} // namespace

TEST(DeviceOrder, SortsLaunchesAndNumbersMemoryAnew) {
  const DeviceOrder Order = inDeviceOrder(twoDevices("1010"));
  EXPECT_EQ(Order.Launches, (std::vector<unsigned>{1, 3, 0, 2}));
  EXPECT_EQ(Order.Allocations, (std::vector<unsigned>{1, 0}));
  const Recording &R = Order.Sorted;
  ASSERT_EQ(R.Launches.size(), 4u);
  for (unsigned I = 0; I < 4; ++I) {
    EXPECT_EQ(R.Launches[I].Index, I);
    EXPECT_EQ(R.Launches[I].Device, I / 2);
    ASSERT_EQ(R.Launches[I].Changes.size(), 1u);
    EXPECT_EQ(R.Launches[I].Changes[0].Allocation, I / 2);
  }
  // Each was made before the first launch on its device.
  EXPECT_EQ(R.Allocations[0].MadeBefore, 0u);
  EXPECT_EQ(R.Allocations[1].MadeBefore, 2u);
}

TEST(DeviceOrder, IsTheSameForAllOrders) {
  const Recording A = inDeviceOrder(twoDevices("0011")).Sorted;
  const Recording B = inDeviceOrder(twoDevices("1100")).Sorted;
  const PairComparison Pair = comparePair(A, B);
  EXPECT_FALSE(Pair.Stop);
  EXPECT_TRUE(Pair.Contents.empty());
  EXPECT_EQ(Pair.ComparedLaunches, 4u);
  EXPECT_EQ(Pair.UndigestedLaunches, 0u);
}

// Freed after the other device's launches, in one run.
TEST(DeviceOrder, FreesCountTheLaunchesOfTheirDevice) {
  Recording R = twoDevices("0101");
  R.Allocations[0].FreedBefore = 4;
  EXPECT_EQ(inDeviceOrder(R).Sorted.Allocations[0].FreedBefore, 2u);
  R.Allocations[0].FreedBefore = 2;
  EXPECT_EQ(inDeviceOrder(R).Sorted.Allocations[0].FreedBefore, 1u);
}

// The digests at the end hang on the last launch of all.
TEST(DeviceOrder, EndsBelongToTheLastLaunchOfEachDevice) {
  const auto Undigested = [](const std::string &Turns, uint64_t Value) {
    Recording R = twoDevices(Turns);
    for (Launch &L : R.Launches) {
      L.Digested = false;
      L.Changes.clear();
    }
    Launch &Last = R.Launches.back();
    Last.DigestedAtEnd = true;
    // The allocation of device 0, and that of device 1.
    const unsigned First = R.Allocations[0].Device == 0 ? 0 : 1;
    changes(Last, First, 0, {7});
    changes(Last, 1 - First, 0, {Value});
    return inDeviceOrder(R).Sorted;
  };
  EXPECT_TRUE(comparePair(Undigested("0011", 8), Undigested("1100", 8))
                  .Contents.empty());
  const auto Differing =
      comparePair(Undigested("0011", 8), Undigested("1100", 9)).Contents;
  ASSERT_EQ(Differing.size(), 1u);
  EXPECT_EQ(Differing[0].Launch, 3u);
  EXPECT_EQ(Differing[0].Allocation, 1u);
}

TEST(DeviceOrder, VariablesAreKnownByTheirDevice) {
  Recording R = twoDevices("10");
  variable(R, "count", 4);
  variable(R, "count#2", 4);
  R.Variables[0].Device = 1;
  const Recording Sorted = inDeviceOrder(R).Sorted;
  EXPECT_EQ(Sorted.Variables[0].Name, "count");
  EXPECT_EQ(Sorted.Variables[0].Device, 0u);
  EXPECT_EQ(Sorted.Variables[1].Name, "count#device1");
}

TEST(CompareDevices, AnOrderThatVariesIsNoDifference) {
  const Comparison C =
      compare(twoDevices("0011"), {twoDevices("0101")}, twoDevices("1100"));
  EXPECT_TRUE(C.identical());
  EXPECT_TRUE(C.ByDevice);
  EXPECT_FALSE(C.OrderNotDeterministic);
  EXPECT_EQ(C.Threads, 2u);
  EXPECT_EQ(C.ComparedLaunches, 4u);
}

TEST(CompareDevices, ADifferenceHasItsNumberInTheFirstRun) {
  const Comparison C = compare(twoDevices("0011"), {twoDevices("1010")},
                               twoDevices("1100", /*Wrong=*/1));
  ASSERT_TRUE(C.First);
  EXPECT_TRUE(C.ByDevice);
  EXPECT_EQ(C.First->Launch, 3u);
  EXPECT_EQ(C.First->Allocation, 1u);
  EXPECT_EQ(C.First->RewrittenAllocation, 0u);
}

TEST(CompareDevices, WhatVariesOnADeviceIsExcused) {
  const Comparison C = compare(twoDevices("0011"), {twoDevices("1010", 1)},
                               twoDevices("1100", 0));
  ASSERT_TRUE(C.First);
  EXPECT_EQ(C.First->Launch, 2u);
  EXPECT_EQ(C.NotDeterministic, std::vector<unsigned>{3});
}

TEST(CompareDevices, AnOrderThatIsTheSameIsKept) {
  const Comparison C =
      compare(twoDevices("0101"), {twoDevices("0101")}, twoDevices("0101", 1));
  EXPECT_FALSE(C.ByDevice);
  EXPECT_EQ(C.First->Launch, 3u);
}

// Two threads on one device: nothing tells their launches apart.
TEST(CompareDevices, OneDeviceIsNotSorted) {
  Recording A = twoDevices("0011"), B = twoDevices("1100");
  for (Recording *R : {&A, &B})
    for (Launch &L : R->Launches)
      L.Device = 0;
  const Comparison C = compare(A, {B}, A);
  EXPECT_TRUE(C.OrderNotDeterministic);
  EXPECT_FALSE(C.ByDevice);
}
