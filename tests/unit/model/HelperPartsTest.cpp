//===-- HelperPartsTest.cpp -----------------------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/Helper.h"
#include "gmock/gmock.h"
#include <regex>

using namespace bankstripe;
using llvm::StringRef;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

namespace {

constexpr llvm::StringLiteral Stripe =
    "__shared__ int a_stripes[::bankstripe::warps(128)][8][32];\n"
    "auto a = ::bankstripe::column(a_stripes);\n"
    "::bankstripe::clear(a_stripes);\n";

const std::string Whole = helperFor({"#define BANKSTRIPE_CUH\n"});

TEST(HelperParts, OfSubscriptsAreFewAndHaveComments) {
  const std::string Helper = helperFor({Stripe});
  EXPECT_LE(StringRef(Helper).count('\n'), 160u);
  EXPECT_THAT(Helper, StartsWith("// bankstripe.cuh "));
  EXPECT_THAT(Helper, HasSubstr(" column(Storage &&storage)"));
  EXPECT_THAT(Helper, HasSubstr("\n// Clears all elements"));
  EXPECT_THAT(Helper, Not(HasSubstr("clang-format")));
  for (const char *Other : {"pointer", "__is_enum", "slots", "cudaGetDevice"})
    EXPECT_THAT(Helper, Not(HasSubstr(Other)));
}

TEST(HelperParts, OfPointersAreMore) {
  const std::string Helper =
      helperFor({"auto a = ::bankstripe::begin(a_stripes);"});
  EXPECT_THAT(Helper, HasSubstr("class pointer {"));
}

TEST(HelperParts, AreThoseThatSplitsNeed) {
  EXPECT_THAT(helperFor({"auto a = ::bankstripe::begin(a_stripes, a_rest);"}),
              HasSubstr("struct split;"));
  EXPECT_THAT(helperFor({Stripe}), Not(HasSubstr("struct split;")));
}

TEST(HelperParts, ComeWithThoseThatTheyNeed) {
  EXPECT_THAT(helperFor({"::bankstripe::dynamic_slots<float[8], 0, 64, 64>()"}),
              HasSubstr(" slot {"));
}

TEST(HelperParts, OfAnEarlierHelperStay) {
  const std::string Slots = helperFor({"::bankstripe::slots<int[4], 128> s;"});
  EXPECT_EQ(helperFor({Stripe, Slots}),
            helperFor({Stripe, "::bankstripe::slots<int[4], 128> s;"}));
  EXPECT_EQ(Whole, helperFor({helperText()}));
}

TEST(HelperParts, CanBeThereAlready) {
  const std::string Stripes = helperFor({Stripe});
  EXPECT_TRUE(holdsParts(helperText(), Stripes));
  EXPECT_TRUE(holdsParts(Stripes, helperFor({})));
  EXPECT_FALSE(holdsParts(helperFor({}), Stripes));
}

TEST(HelperParts, AreAllInTheTable) {
  for (const HelperPiece &Piece : helperPieces())
    EXPECT_THAT(Whole, HasSubstr("#define BANKSTRIPE_" + Piece.Part.upper()));
}

// Every name of the header's that edits write has a part.
TEST(HelperParts, KnowEachName) {
  for (StringRef Name : llvm::split(
           "warps begin column clear initialize word packed padded unit "
           "pointer bit "
           "long_bit bits split slots place clear_slot initialize_slot shared "
           "dynamic_stripe dynamic_slots behind packed_words "
           "assume_block_of_at_most require_block_of_at_most",
           ' '))
    EXPECT_THAT(helperFor({"::bankstripe::" + Name.str()}),
                testing::ContainsRegex("[ &*\n]" + Name.str() + "[ (;]"))
        << Name.str();
}

// Programs define single letters as macros, but not the members of dim3.
TEST(HelperParts, NameNothingByOneLetter) {
  const std::regex Other("\"[^\"\n]*\"|//[^\n]*"),
      Letter("[^\\w'][A-Za-w](?!\\w)");
  EXPECT_FALSE(
      std::regex_search(std::regex_replace(Whole, Other, "\"\""), Letter));
}

} // namespace
