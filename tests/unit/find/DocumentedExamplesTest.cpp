//===-- DocumentedExamplesTest.cpp - the pages of reasons are true --------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each page shows an example of its reason. Where find/ is the stage that
// gives the reason, the example must parse, and must give it; where it is not,
// find/ must see nothing that stands against the array.
//
//===----------------------------------------------------------------------===//

#include "FindTester.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"
#include <gtest/gtest.h>

using namespace bankstripe;
using namespace bankstripe::testing;
using llvm::StringRef;

namespace {

/// The first example of the page of a reason.
std::string exampleOf(StringRef Id) {
  auto Page =
      llvm::MemoryBuffer::getFile(BANKSTRIPE_REASON_PAGES "/" + Id + ".md");
  if (!Page) {
    ADD_FAILURE() << "there is no page for " << Id.str();
    return "";
  }
  StringRef Code = (*Page)->getBuffer().split("```cuda\n").second;
  return Code.split("```").first.str();
}

/// Pages whose example is no translation unit: a header without its
/// includers, or the launches alone.
bool isFragment(StringRef Id) {
  static const llvm::StringSet<> Fragments = {
      "block-size-conflict", "outside-paths", "translation-units-differ"};
  return Fragments.contains(Id);
}

/// Reasons that later stages give.
bool isGivenLater(Reason R) {
  switch (R) {
  case Reason::DynamicIndex:
  case Reason::DecidedSlot:
  case Reason::PartOfWarp:
  case Reason::ByteElements:
  case Reason::DecidedSplit:
  case Reason::BoolElements:
  case Reason::StaysInRegisters:
  case Reason::DecidedKeep:
  case Reason::BlockSizeUnknown:
  case Reason::OverBudget:
  case Reason::NotProfitable:
  case Reason::PollsMemory:
  case Reason::WaitsForBlocks:
  case Reason::DynamicSharedMemory:
  case Reason::ConstantTable:
  case Reason::StackFrameKept:
  case Reason::CompileFailed:
  case Reason::NoEvidence:
  case Reason::NeverUsed:
  case Reason::NoKernel:
  case Reason::KernelInMacro:
  case Reason::RecursiveFunction:
  case Reason::UnseenCallee:
    return true;
  default:
    return false;
  }
}

} // namespace

TEST(DocumentedExamples, GiveTheirReason) {
  for (const ReasonInfo &Info : allReasons()) {
    if (isFragment(Info.Id))
      continue;
    SCOPED_TRACE(Info.Id.str());
    Finding F = findingOf(exampleOf(Info.Id));
    if (Info.R == Reason::ReadOnlyParameter) {
      EXPECT_TRUE(F.isOnlyRead());
      continue;
    }
    if (isGivenLater(Info.R)) {
      EXPECT_TRUE(F.Obstacles.empty());
      continue;
    }
    EXPECT_TRUE(llvm::any_of(
        F.Obstacles, [&](const Obstacle &O) { return O.Why == Info.R; }));
    // What keeps an array where it is may come with what asks for a slot.
    for (const Obstacle &O : F.Obstacles)
      if (Info.Verdict == VerdictKind::Slot ||
          infoOf(O.Why).Verdict != VerdictKind::Slot)
        EXPECT_EQ(infoOf(O.Why).Id, Info.Id) << "at line " << O.Where.Line;
  }
}

TEST(DocumentedExamples, OfTablesAndKernels) {
  EXPECT_TRUE(findingOf(exampleOf("constant-table")).NeverWritten);
  EXPECT_TRUE(findingOf(exampleOf("never-used")).Uses.empty());
  EXPECT_FALSE(factsOf(exampleOf("kernel-in-macro"))
                   .Kernels.at(0)
                   .BoundsInsertion.isValid());
  EXPECT_FALSE(factsOf(exampleOf("block-size-unknown"))
                   .Launches.at(0)
                   .Threads.has_value());
  EXPECT_FALSE(factsOf(exampleOf("dynamic-shared-memory"))
                   .Launches.at(0)
                   .DynamicSharedBytes.has_value());
}
