//===-- HelperParts.cpp - as much of the helper as is used ----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/HelperParts.h"
#include "model/HelperText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include <map>
#include <set>

using namespace bankstripe;
using llvm::StringRef;
using Names = std::set<StringRef>;

namespace {

struct Part {
  Names For, With;
};

} // namespace

static constexpr llvm::StringLiteral Guard = "#define BANKSTRIPE_";

/// So many columns a line may have after lines were joined.
static constexpr size_t MostColumns = 110;

// The part that begins with \p Line, which asks for its guard.
static StringRef partBeginning(StringRef Line, StringRef Next) {
  return Line.consume_front("#ifndef BANKSTRIPE_") &&
                 Next.consume_front(Guard) && Next == Line
             ? Line
             : "";
}

static void addWords(Names &To, StringRef Words) {
  llvm::SmallVector<StringRef> Found;
  llvm::SplitString(Words, Found);
  To.insert(Found.begin(), Found.end());
}

// The lines of the helper, each with the part that it belongs to, or none.
static std::vector<std::pair<StringRef, StringRef>>
readParts(std::map<StringRef, Part> &Parts) {
  std::vector<std::pair<StringRef, StringRef>> Lines;
  StringRef Current;
  unsigned Depth = 0;
  for (auto [Line, Rest] = helperText().split('\n');
       !Line.empty() || !Rest.empty();
       std::tie(Line, Rest) = Rest.split('\n')) {
    if (Current.empty())
      Current = partBeginning(Line, Rest.split('\n').first);
    Lines.emplace_back(Line, Current);
    if (Current.empty())
      continue;
    Part &P = Parts[Current];
    Depth += Line.starts_with("#if");
    Depth -= Line.starts_with("#endif");
    if (Line.consume_front("// For: "))
      addWords(P.For, Line);
    else if (Line.consume_front("// With: "))
      addWords(P.With, Line);
    if (!Depth)
      Current = "";
  }
  return Lines;
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
  return Text.contains((Guard + Part + "\n").str()) ||
         Text.contains((Guard + Part + "\r").str());
}

static Names partsFor(llvm::ArrayRef<StringRef> Texts,
                      const std::map<StringRef, Part> &Parts) {
  Names Used, Kept = {"COMMON"};
  for (StringRef Text : Texts)
    addNames(Used, Text);
  const bool HasWhole =
      llvm::any_of(Texts, [](StringRef Text) { return holds(Text, "CUH"); });
  std::vector<StringRef> Open;
  for (const auto &[Name, P] : Parts)
    if (HasWhole ||
        llvm::any_of(P.For, [&](StringRef N) { return Used.count(N); }) ||
        llvm::any_of(Texts, [&](StringRef T) { return holds(T, Name); }))
      Open.push_back(Name);
  while (!Open.empty()) {
    const StringRef Name = Open.back();
    Open.pop_back();
    if (Kept.insert(Name).second)
      llvm::append_range(Open, Parts.at(Name).With);
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
  std::map<StringRef, Part> Parts;
  const auto All = readParts(Parts);
  const Names Kept = partsFor(Texts, Parts);
  std::vector<std::string> Lines;
  for (auto [Line, Part] : All) {
    if (Line.empty() || Line.ltrim().starts_with("//") ||
        (!Part.empty() && !Kept.count(Part)))
      continue;
    // What is behind code is a comment, too.
    addJoined(Lines,
              Line.starts_with("#") ? Line : Line.split(" // ").first.rtrim());
  }
  return helperHeading().str() + llvm::join(Lines, "\n") + "\n";
}

bool bankstripe::holdsParts(StringRef Code, StringRef Helper) {
  std::map<StringRef, Part> Parts;
  readParts(Parts);
  return llvm::all_of(Parts, [&](const auto &P) {
    return !holds(Helper, P.first) || holds(Code, P.first);
  });
}
