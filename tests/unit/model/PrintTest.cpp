//===-- PrintTest.cpp - the model's values as text ------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What test failures and debuggers show.
//
//===----------------------------------------------------------------------===//

#include "model/Plan.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace bankstripe;

namespace {

template <class T> std::string printed(const T &Value) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  OS << Value;
  return Text;
}

TEST(Print, Place) {
  EXPECT_EQ(printed(Place{"/a.cu", 3, 7}), "/a.cu:3:7");
  EXPECT_EQ(printed(Place()), "<unknown place>");
}

TEST(Print, TextRange) {
  EXPECT_EQ(printed(TextRange{"/a.cu", 10, 4}), "/a.cu[10,+4]");
  EXPECT_EQ(printed(TextRange()), "<no text>");
}

TEST(Print, Use) {
  Use U;
  U.Where = {"/a.cu", 5, 3};
  U.Access = AccessKind::ReadWrite;
  U.LoopDepth = 2;
  EXPECT_EQ(printed(U), "/a.cu:5:3 read-write depth 2");
  U.Access = AccessKind::Read;
  U.ConstantIndex = true;
  EXPECT_EQ(printed(U), "/a.cu:5:3 read constant depth 2");
  U.Access = AccessKind::Write;
  EXPECT_EQ(printed(U), "/a.cu:5:3 write constant depth 2");
  U.Access = AccessKind::Address;
  EXPECT_EQ(printed(U), "/a.cu:5:3 address constant depth 2");
}

Finding someFinding() {
  Finding F;
  F.Name = "counts";
  F.Where = {"/a.cu", 4, 7};
  F.Function = "count";
  F.Kernels = {"_Z5counti", "_Z5countf"};
  F.Type = "int[16]";
  F.BytesPerThread = 64;
  return F;
}

TEST(Print, Finding) {
  Finding F = someFinding();
  EXPECT_EQ(printed(F), "/a.cu:4:7 counts (int[16], 64 bytes) in count, "
                        "kernels [_Z5counti, _Z5countf]\n");
  F.Obstacles = {{Reason::PassedToFunction, {"/a.cu", 6, 9}, "sort"},
                 {Reason::RangeFor, {"/a.cu", 7, 3}, ""}};
  EXPECT_EQ(printed(F), "/a.cu:4:7 counts (int[16], 64 bytes) in count, "
                        "kernels [_Z5counti, _Z5countf]\n"
                        "  obstacle passed-to-function at /a.cu:6:9: sort\n"
                        "  obstacle range-for at /a.cu:7:3\n");
}

TEST(Print, Launch) {
  Launch L;
  L.KernelId = "_Z5counti";
  L.Where = {"/a.cu", 20, 3};
  L.Threads = 128;
  L.Source = "literal";
  EXPECT_EQ(printed(L),
            "/a.cu:20:3 launches _Z5counti with 128 threads (literal)");
  L.Threads.reset();
  L.Source = "parameter 'n'";
  L.Cooperative = true;
  EXPECT_EQ(printed(L), "/a.cu:20:3 launches _Z5counti with an unknown number "
                        "of threads (parameter 'n') cooperatively");
}

TEST(Print, UnitHasItsFindingsAndLaunches) {
  UnitFacts U;
  U.MainFile = "/a.cu";
  U.Findings = {someFinding()};
  U.Launches.emplace_back();
  U.Launches.back().KernelId = "k";
  EXPECT_EQ(printed(U), "/a.cu\n" + printed(someFinding()) +
                            printed(U.Launches.front()) + "\n");
}

TEST(Print, Evidence) {
  ArrayEvidence E;
  EXPECT_EQ(printed(E),
            "unknown, index unknown (0 uniform, 0 non-uniform), 0 bytes");
  E = {Residency::LocalMemory, Uniformity::NonUniform, 64, 1, 2};
  EXPECT_EQ(printed(E), "local memory, index non-uniform (1 uniform, 2 "
                        "non-uniform), 64 bytes");
  E = {Residency::Registers, Uniformity::Uniform, 0, 3, 0};
  EXPECT_EQ(printed(E),
            "registers, index uniform (3 uniform, 0 non-uniform), 0 bytes");
}

TEST(Print, Resources) {
  KernelResources R;
  R.StackFrame = 64;
  R.SpillStores = 8;
  R.SpillLoads = 4;
  R.Registers = 32;
  R.SharedBytes = 2048;
  EXPECT_EQ(printed(R),
            "stack frame 64, spills 8/4, registers 32, shared 2048");
}

TEST(Print, Verdict) {
  Verdict V;
  V.Kind = VerdictKind::Stripe;
  V.Why = Reason::DynamicIndex;
  V.SharedBytes = 8192;
  EXPECT_EQ(printed(V), "stripe [dynamic-index] plain, 8192 bytes per block");
  V.Form = StripeForm::Wide;
  EXPECT_EQ(printed(V), "stripe [dynamic-index] one element per word, 8192 "
                        "bytes per block");
  V.Form = StripeForm::Packed;
  EXPECT_EQ(printed(V), "stripe [dynamic-index] packed, 8192 bytes per block");
  V.Kind = VerdictKind::Slot;
  V.Why = Reason::RangeFor;
  EXPECT_EQ(printed(V), "slot [range-for] 8192 bytes per block");
  V.Kind = VerdictKind::Constant;
  V.Why = Reason::ConstantTable;
  EXPECT_EQ(printed(V), "constant [constant-table]");
  V.Kind = VerdictKind::Unchanged;
  V.Why = Reason::OverBudget;
  V.Detail = "2 bytes are left";
  EXPECT_EQ(printed(V), "unchanged [over-budget] 2 bytes are left");
}

TEST(Print, Plan) {
  Plan P;
  P.Arrays.emplace_back();
  P.Arrays.back().Array = someFinding();
  P.Arrays.back().Verdict.Kind = VerdictKind::Registers;
  P.Arrays.back().Verdict.Why = Reason::StaysInRegisters;
  P.Kernels.emplace_back();
  KernelPlan &K = P.Kernels.back();
  K.Facts.Name = "count";
  K.BlockThreads = 128;
  K.Source = BlockSizeSource::LaunchBounds;
  K.SourceText = "__launch_bounds__ at a.cu:3";
  K.SharedBefore = 16;
  K.SharedAfter = 8208;
  K.WarpsBefore = 64;
  K.WarpsAfter = 60;
  EXPECT_EQ(printed(P),
            "/a.cu:4:7 counts: registers [stays-in-registers]\n"
            "count: 128 threads (launch-bounds: __launch_bounds__ at a.cu:3), "
            "shared 16 > 8208 bytes, warps 64 > 60\n");
}

TEST(Print, Forms) {
  EXPECT_EQ(nameOf(StripeForm::Plain), "plain");
  EXPECT_EQ(nameOf(StripeForm::Padded), "padded");
  EXPECT_EQ(nameOf(StripeForm::Wide), "one element per word");
  EXPECT_EQ(nameOf(StripeForm::Unpacked), "unpacked");
  EXPECT_EQ(nameOf(StripeForm::Packed), "packed");
  EXPECT_EQ(nameOf(StripeForm::Unit), "by element size");
}

TEST(Print, BlockSizeSources) {
  EXPECT_EQ(nameOf(BlockSizeSource::Unknown), "unknown");
  EXPECT_EQ(nameOf(BlockSizeSource::LaunchBounds), "launch-bounds");
  EXPECT_EQ(nameOf(BlockSizeSource::Launches), "launches");
  EXPECT_EQ(nameOf(BlockSizeSource::Option), "option");
}

TEST(Print, Layouts) {
  EXPECT_EQ(nameOf(Layout::Auto), "auto");
  EXPECT_EQ(nameOf(Layout::Stripe), "stripe");
  EXPECT_EQ(nameOf(Layout::Slot), "slot");
  EXPECT_EQ(nameOf(Layout::Keep), "keep");
}

TEST(Print, DecisionStates) {
  EXPECT_EQ(nameOf(DecisionState::Used), "used");
  EXPECT_EQ(nameOf(DecisionState::Stale), "stale");
  EXPECT_EQ(nameOf(DecisionState::Unfulfilled), "unfulfilled");
  EXPECT_EQ(nameOf(DecisionState::Skipped), "skipped");
}

} // namespace
