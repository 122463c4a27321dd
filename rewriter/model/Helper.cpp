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
    {"word", "word"},
    {"padded", "padded", "pitch"},
    {"unit", "unit", "word padded"},
    {"lists"},
    {"pointers", "pointer begin"},
    {"clear", "clear", "pointers"},
    {"initialize", "initialize", "pointers lists"},
    {"packed", "packed packed_words", "pointers"},
    {"splits", "split", "pointers unit lists"},
    {"bits", "bits bit long_bit", "lists pointers"},
    {"slots", "slots clear_slot initialize_slot", "pitch lists"},
    {"mark"},
    {"memory", "behind", "mark"},
    {"dynamic_stripes", "dynamic_stripe", "memory pointers"},
    {"dynamic_slots", "dynamic_slots", "memory slots"},
    {"placement", "place", "slots"}};

/// So many columns a line may have after lines were joined.
static constexpr size_t MostColumns = 110;

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

// Adds \p Line to \p Lines: to the one before if that is an unfinished
// declaration, and short bodies of functions to their heads.
static void addJoined(std::vector<std::string> &Lines, StringRef Line) {
  const StringRef Words = Line.ltrim();
  auto Join = [&](size_t Count) { // The last ones, and this one.
    if (Lines.size() < Count)
      return false;
    std::string Joined = Lines[Lines.size() - Count];
    for (StringRef Next : llvm::ArrayRef(Lines).take_back(Count - 1))
      Joined += " " + Next.ltrim().str();
    Joined += (StringRef(Joined).ends_with("(") ? "" : " ") + Words.str();
    if (Joined.size() > MostColumns)
      return false;
    Lines.resize(Lines.size() - Count + 1);
    Lines.back() = std::move(Joined);
    return true;
  };
  auto IsCode = [](StringRef Text) { // Lines of macros stay as they are.
    return !Text.starts_with("#") && !Text.ends_with("\\");
  };
  const size_t Count = Lines.size();
  const bool ContinuesCode = Count && IsCode(Lines.back()) && IsCode(Line);
  const bool EndsBody = Count > 1 && (Words == "}" || Words == "};") &&
                        StringRef(Lines[Count - 1]).ends_with(";") &&
                        StringRef(Lines[Count - 2]).ends_with(" {") &&
                        IsCode(Lines[Count - 2]);
  const bool IsUnfinished =
      ContinuesCode && !StringRef(";{}:").contains(Lines.back().back());
  if (!(IsUnfinished && Join(1)) && !(ContinuesCode && EndsBody && Join(2)))
    Lines.push_back(Line.str());
}

std::string bankstripe::helperFor(llvm::ArrayRef<StringRef> Texts) {
  const Names Kept = partsFor(Texts);
  std::vector<std::string> Lines;
  for (const HelperPiece &Piece : helperPieces()) {
    if (!Piece.Part.empty() && !Kept.count(Piece.Part))
      continue;
    for (StringRef Line : llvm::split(Piece.Text, '\n'))
      if (!Line.empty() && !Line.ltrim().starts_with("//"))
        // What is behind code is a comment, too.
        addJoined(Lines, Line.starts_with("#")
                             ? Line
                             : Line.split(" // ").first.rtrim());
  }
  return helperHeading().str() + llvm::join(Lines, "\n") + "\n";
}

bool bankstripe::holdsParts(StringRef Code, StringRef Helper) {
  return llvm::all_of(Parts, [&](const Part &P) {
    return !holds(Helper, P.Name) || holds(Code, P.Name);
  });
}
