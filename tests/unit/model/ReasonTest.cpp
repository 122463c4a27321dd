//===-- ReasonTest.cpp - the table of reasons and its documentation -------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Users grep for the ids and follow them into docs/verdicts.md, so the table,
// the enumeration and the document have to agree.
//
//===----------------------------------------------------------------------===//

#include "model/Reason.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"
#include <map>
#include <set>

using namespace bankstripe;
using llvm::StringRef;

namespace {

TEST(Reasons, TableFollowsTheEnumeration) {
  unsigned Expected = 0;
  for (const ReasonInfo &Row : allReasons())
    EXPECT_EQ(static_cast<unsigned>(Row.R), Expected++) << Row.Id.str();
  EXPECT_EQ(Expected,
            static_cast<unsigned>(Reason::TranslationUnitsDiffer) + 1);
}

TEST(Reasons, AreFoundByTheirValue) {
  for (const ReasonInfo &Row : allReasons())
    EXPECT_EQ(&infoOf(Row.R), &Row);
}

TEST(Reasons, IdsAreUnique) {
  std::set<StringRef> Seen;
  for (const ReasonInfo &Row : allReasons())
    EXPECT_TRUE(Seen.insert(Row.Id).second) << Row.Id.str();
}

bool isKebabCase(StringRef Id) {
  return !Id.empty() && Id.front() != '-' && Id.back() != '-' &&
         !Id.contains("--") && llvm::all_of(Id, [](char C) {
           return (C >= 'a' && C <= 'z') || C == '-';
         });
}

TEST(Reasons, IdsAreKebabCase) {
  for (const ReasonInfo &Row : allReasons())
    EXPECT_TRUE(isKebabCase(Row.Id)) << Row.Id.str();
}

// They stand in the middle of a message. Names such as NOLINT and __device__
// keep their spelling.
bool fitsIntoAMessage(StringRef Text) {
  bool Capitalised =
      Text.size() > 1 && llvm::isUpper(Text[0]) && llvm::isLower(Text[1]);
  return !Capitalised && !Text.ends_with(".") && Text.trim() == Text &&
         !Text.contains('\n');
}

TEST(Reasons, SummariesFitIntoAMessage) {
  for (const ReasonInfo &Row : allReasons()) {
    EXPECT_FALSE(Row.Summary.empty()) << Row.Id.str();
    EXPECT_TRUE(fitsIntoAMessage(Row.Summary)) << Row.Summary.str();
  }
}

TEST(Reasons, AdviceFitsIntoAMessage) {
  for (const ReasonInfo &Row : allReasons())
    EXPECT_TRUE(fitsIntoAMessage(Row.Advice)) << Row.Advice.str();
}

TEST(Reasons, EveryRefusalSaysWhatWouldHelp) {
  for (const ReasonInfo &Row : allReasons())
    if (Row.Verdict == VerdictKind::Unsupported)
      EXPECT_FALSE(Row.Advice.empty()) << Row.Id.str();
}

TEST(Reasons, OnlyOneLeadsToAStripe) {
  unsigned Stripes = 0;
  for (const ReasonInfo &Row : allReasons())
    Stripes += Row.Verdict == VerdictKind::Stripe;
  EXPECT_EQ(Stripes, 1u);
  EXPECT_EQ(infoOf(Reason::DynamicIndex).Verdict, VerdictKind::Stripe);
}

TEST(Reasons, HaveOneSectionEachInTheDocument) {
  auto Document = llvm::MemoryBuffer::getFile(BANKSTRIPE_VERDICTS_DOCUMENT);
  ASSERT_TRUE(bool(Document)) << BANKSTRIPE_VERDICTS_DOCUMENT;
  // Sections of a reason are headed by its id, perhaps in backquotes.
  std::map<std::string, unsigned> Sections;
  llvm::SmallVector<StringRef> Lines;
  (*Document)->getBuffer().split(Lines, '\n');
  for (StringRef Line : Lines)
    if (Line.starts_with("#"))
      ++Sections[Line.ltrim('#').trim(" `").str()];
  for (const ReasonInfo &Row : allReasons())
    EXPECT_EQ(Sections[Row.Id.str()], 1u) << Row.Id.str();
}

TEST(Verdicts, HaveNames) {
  EXPECT_EQ(nameOf(VerdictKind::Stripe), "stripe");
  EXPECT_EQ(nameOf(VerdictKind::Slot), "slot");
  EXPECT_EQ(nameOf(VerdictKind::Constant), "constant");
  EXPECT_EQ(nameOf(VerdictKind::Registers), "registers");
  EXPECT_EQ(nameOf(VerdictKind::Unchanged), "unchanged");
  EXPECT_EQ(nameOf(VerdictKind::Unsupported), "unsupported");
}

} // namespace
