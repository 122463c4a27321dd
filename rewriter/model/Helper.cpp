//===-- Helper.cpp - as much of the helper as is used ---------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/Helper.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

using namespace bankstripe;
using llvm::StringRef;
using Names = std::set<StringRef>;

namespace {

/// A part, the names in sources that need it, and the parts that it needs.
struct Part {
  llvm::StringLiteral Name, For = "", With = "";
};

} // namespace

static constexpr Part Parts[] = {
    {"common"},
    {"blocks", "assume_block_of_at_most require_block_of_at_most"},
    {"shared", "shared"},
    {"pitch"},
    {"stripes", "column"},
    {"word", "word", "stripes"},
    {"padded", "padded", "pitch stripes"},
    {"unit", "unit", "word padded"},
    {"lists"},
    {"pointers", "pointer begin", "stripes"},
    {"clear", "clear", "stripes"},
    {"initialize", "initialize", "stripes lists"},
    {"packed", "packed packed_words", "pointers"},
    {"splits", "split", "pointers unit lists"},
    {"bits", "bits bit long_bit", "lists pointers"},
    {"slots", "slots clear_slot initialize_slot", "pitch lists"},
    {"mark"},
    {"memory", "behind", "mark"},
    {"dynamic_stripes", "dynamic_stripe", "memory stripes"},
    {"dynamic_slots", "dynamic_slots", "memory slots"},
    {"placement", "place", "slots"}};

static Names words(StringRef Text) {
  llvm::SmallVector<StringRef> Found;
  llvm::SplitString(Text, Found);
  return {Found.begin(), Found.end()};
}

// What \p Text names of the namespace. An accessor of a split array is made
// from two things, and nothing else says what it is.
static void addNames(Names &To, StringRef Text) {
  static constexpr llvm::StringLiteral Scope = "bankstripe::";
  for (size_t At = Text.find(Scope); At != StringRef::npos;
       At = Text.find(Scope, At + 1)) {
    StringRef Rest = Text.substr(At + Scope.size());
    To.insert(
        Rest.take_while([](char C) { return llvm::isAlnum(C) || C == '_'; }));
    if (Rest.consume_front("begin(") &&
        Rest.substr(Rest.find_first_of("(),")).starts_with(","))
      To.insert("split");
  }
}

static bool holds(StringRef Text, StringRef Part) {
  const std::string Guard = "#define BANKSTRIPE_" + Part.upper();
  return Text.contains(Guard + "\n") || Text.contains(Guard + "\r");
}

static Names partsFor(llvm::ArrayRef<StringRef> Texts) {
  Names Used, Kept = {"common"};
  for (StringRef Text : Texts)
    addNames(Used, Text);
  auto AnyHolds = [&](StringRef Part) {
    return llvm::any_of(Texts, [&](StringRef T) { return holds(T, Part); });
  };
  const bool HasWhole = AnyHolds("cuh");
  for (const Part &P : llvm::reverse(Parts)) // Each needs only earlier ones.
    if (HasWhole || Kept.count(P.Name) || AnyHolds(P.Name) ||
        llvm::any_of(words(P.For),
                     [&](StringRef N) { return Used.count(N); })) {
      Kept.insert(P.Name);
      Kept.merge(words(P.With));
    }
  return Kept;
}

std::string bankstripe::helperFor(llvm::ArrayRef<StringRef> Texts) {
  const Names Kept = partsFor(Texts);
  std::string Text;
  for (const HelperPiece &Piece : helperPieces())
    if (Piece.Part.empty())
      Text += Piece.Text;
    else if (Kept.count(Piece.Part))
      Text += (Piece.Text + "\n").str();
  // The heading takes the place of the comment that is about all parts.
  std::string Helper = helperHeading().str();
  for (StringRef Line :
       llvm::split(StringRef(Text).substr(Text.find("#if ")).rtrim(), '\n')) {
    const bool IsBlankAgain =
        Line.empty() && StringRef(Helper).ends_with("\n\n");
    if (!IsBlankAgain && !Line.starts_with("// clang-format"))
      Helper += (Line + "\n").str();
  }
  return Helper;
}

bool bankstripe::holdsParts(StringRef Code, StringRef Helper) {
  return llvm::all_of(Parts, [&](const Part &P) {
    return !holds(Helper, P.Name) || holds(Code, P.Name);
  });
}
