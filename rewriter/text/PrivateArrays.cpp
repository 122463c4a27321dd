//===-- PrivateArrays.cpp - what a text says of per-thread arrays ---------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A guess, without a preprocessor: only what is done first depends on it. In a
// body behind a keyword of device code,
//
//   int a[8];         declares an array: two words, and a bracket
//   for (int i = 0;   gives `i` values that the compiler often knows
//   a[i + 1], a[N]    so it knows these elements, which can be in registers
//   a[k], a[b[i]]     others it does not
//
//===----------------------------------------------------------------------===//

#include "text/PrivateArrays.h"
#include "text/Tokens.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <set>

using namespace bankstripe;
using llvm::StringRef;
using Words = llvm::ArrayRef<StringRef>;

static bool isName(StringRef Word) {
  return !Word.empty() && (llvm::isAlpha(Word.front()) || Word.front() == '_');
}

// The first words of List, up to the end of the bracket that it begins with.
static Words upToEnd(Words List, StringRef Open, StringRef Close) {
  size_t Depth = 0;
  for (size_t I = 0; I < List.size(); ++I) {
    Depth += List[I] == Open;
    Depth -= List[I] == Close;
    if (!Depth)
      return List.take_front(I + 1);
  }
  return List;
}

namespace {

/// Reads one body.
class BodyReader {
public:
  bool hasUnknownIndex(Words Body);

private:
  bool isUnknown(StringRef Word) const;
  bool beginsWithUnknown(Words Indices) const;

  std::set<StringRef> Arrays, OfLoops;
};

} // namespace

// Words in capitals are taken for constants.
bool BodyReader::isUnknown(StringRef Word) const {
  return isName(Word)
             ? !OfLoops.count(Word) && Word.upper() != Word
             : llvm::is_contained({"(", "%", "&", ">>", "++", "--"}, Word);
}

bool BodyReader::beginsWithUnknown(Words Indices) const {
  while (!Indices.empty() && Indices.front() == "[") {
    const Words Index = upToEnd(Indices, "[", "]");
    if (llvm::any_of(Index, [&](StringRef W) { return isUnknown(W); }) ||
        llvm::is_contained(Index.drop_front(), "["))
      return true;
    Indices = Indices.drop_front(Index.size());
  }
  return false;
}

bool BodyReader::hasUnknownIndex(Words Body) {
  bool IsShared = false; // Or static, in this statement.
  for (size_t I = 1; I + 1 < Body.size(); ++I) {
    const StringRef Word = Body[I], Before = Body[I - 1];
    if (llvm::is_contained({";", "{", "}"}, Word))
      IsShared = false;
    IsShared |= llvm::is_contained(
        {"__shared__", "extern", "static", "constexpr"}, Word);
    if (Word == "for")
      for (size_t J = I; J + 1 < Body.size() && Body[J] != ";"; ++J)
        if (Body[J + 1] == "=")
          OfLoops.insert(Body[J]);
    if (!isName(Word) || Body[I + 1] != "[")
      continue;
    if (isName(Before) && Before != "return" && Before != "case" &&
        Before != "else") {
      if (!IsShared)
        Arrays.insert(Word);
    } else if (Arrays.count(Word) &&
               beginsWithUnknown(Body.drop_front(I + 1))) {
      return true;
    }
  }
  return false;
}

// The body of the function whose words begin List; empty: it has none here.
static Words bodyOf(Words List) {
  bool HasParameters = false;
  while (!List.empty() && List.front() != ";") {
    if (List.front() == "{")
      return HasParameters ? upToEnd(List, "{", "}") : Words();
    HasParameters |= List.front() == "(";
    List = List.drop_front(List.front() == "(" ? upToEnd(List, "(", ")").size()
                                               : 1);
  }
  return {};
}

static bool seemsToIndex(const std::string &Text) {
  std::vector<StringRef> All;
  for (TokenReader Tokens(Text); !Tokens.atEnd(); Tokens.next())
    All.push_back(Tokens.text());
  for (Words Rest = All; !Rest.empty(); Rest = Rest.drop_front())
    if (Rest.front() == "__global__" || Rest.front() == "__device__")
      if (BodyReader().hasUnknownIndex(bodyOf(Rest)))
        return true;
  return false;
}

bool bankstripe::seemsToMoveArrays(const IncludeTree &Tree) {
  return llvm::any_of(Tree.Files, [](const auto &Entry) {
    return seemsToIndex(Entry.second.Text);
  });
}
