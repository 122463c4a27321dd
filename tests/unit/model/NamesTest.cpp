//===-- NamesTest.cpp - the words for the model's values ------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/Plan.h"
#include "gtest/gtest.h"

using namespace bankstripe;

namespace {

TEST(Names, Forms) {
  EXPECT_EQ(nameOf(StripeForm::Plain), "plain");
  EXPECT_EQ(nameOf(StripeForm::Padded), "padded");
  EXPECT_EQ(nameOf(StripeForm::Wide), "one element per word");
  EXPECT_EQ(nameOf(StripeForm::Unpacked), "unpacked");
  EXPECT_EQ(nameOf(StripeForm::Packed), "packed");
  EXPECT_EQ(nameOf(StripeForm::Unit), "by element size");
}

TEST(Names, BlockSizeSources) {
  EXPECT_EQ(nameOf(BlockSizeSource::Unknown), "unknown");
  EXPECT_EQ(nameOf(BlockSizeSource::LaunchBounds), "launch-bounds");
  EXPECT_EQ(nameOf(BlockSizeSource::Launches), "launches");
  EXPECT_EQ(nameOf(BlockSizeSource::Option), "option");
}

TEST(Names, Layouts) {
  EXPECT_EQ(nameOf(Layout::Auto), "auto");
  EXPECT_EQ(nameOf(Layout::Stripe), "stripe");
  EXPECT_EQ(nameOf(Layout::Slot), "slot");
  EXPECT_EQ(nameOf(Layout::Keep), "keep");
}

TEST(Names, DecisionStates) {
  EXPECT_EQ(nameOf(DecisionState::Used), "used");
  EXPECT_EQ(nameOf(DecisionState::Stale), "stale");
  EXPECT_EQ(nameOf(DecisionState::Unfulfilled), "unfulfilled");
  EXPECT_EQ(nameOf(DecisionState::Skipped), "skipped");
}

} // namespace
