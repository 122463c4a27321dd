//===-- ReasonTest.cpp - the table of reasons and its documentation -------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Users grep for the ids and follow them into docs/reference/reasons/, so the
// table, the enumeration and the pages have to agree.
//
//===----------------------------------------------------------------------===//

#include "model/Reason.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"
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

TEST(Reasons, HaveAPageEachThatIsListed) {
  const std::string Folder = BANKSTRIPE_REASON_PAGES "/";
  auto List = llvm::MemoryBuffer::getFile(Folder + "README.md");
  ASSERT_TRUE(bool(List)) << Folder;
  for (const ReasonInfo &Row : allReasons()) {
    const std::string Id = Row.Id.str(), Verdict = nameOf(Row.Verdict).str();
    auto Page = llvm::MemoryBuffer::getFile(Folder + Id + ".md");
    ASSERT_TRUE(bool(Page)) << Id;
    EXPECT_TRUE((*Page)->getBuffer().starts_with(
        "# `" + Id + "`\n\nVerdict: [" + Verdict + "](README.md#" + Verdict +
        ")\n"))
        << Id;
    EXPECT_TRUE((*List)->getBuffer().contains("\n- [`" + Id + "`](" + Id +
                                              ".md): " + Row.Summary.str()))
        << Id;
  }
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
