//===-- Depfile.cpp - what make and ninja are told ------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `target: file file \` and so on. In a name, a blank and a `#` have a
// backslash before them, and a `$` is doubled.
//
//===----------------------------------------------------------------------===//

#include "wrap/Depfile.h"

using namespace bankstripe;
using llvm::StringRef;

static bool isBlank(char C) { return C == ' ' || C == '\t'; }
static bool isBreak(char C) { return C == '\n' || C == '\r'; }

// The end of the word that begins at At.
static size_t wordEnd(StringRef Text, size_t At) {
  while (At < Text.size() && !isBlank(Text[At]) && !isBreak(Text[At])) {
    const bool Escapes = Text[At] == '\\' && At + 1 < Text.size();
    if (Escapes && isBreak(Text[At + 1]))
      break; // The line goes on.
    At += Escapes ? 2 : 1;
  }
  return At;
}

static std::string unescape(StringRef Word) {
  std::string Name;
  for (size_t I = 0; I < Word.size(); ++I) {
    const char Next = I + 1 < Word.size() ? Word[I + 1] : '\0';
    if ((Word[I] == '\\' && (Next == ' ' || Next == '#')) ||
        (Word[I] == '$' && Next == '$'))
      ++I;
    Name += Word[I];
  }
  return Name;
}

static std::string escape(StringRef Name) {
  std::string Word;
  for (char C : Name) {
    if (C == ' ' || C == '#')
      Word += '\\';
    if (C == '$')
      Word += '$';
    Word += C;
  }
  return Word;
}

std::string bankstripe::renameDependencies(
    StringRef Text,
    llvm::function_ref<std::optional<std::string>(StringRef)> Rename,
    llvm::ArrayRef<std::string> Extra) {
  std::string Result;
  bool AfterColon = false, AddedExtra = false;
  auto AddExtra = [&] {
    for (const std::string &Name : Extra)
      Result += " " + escape(Name);
    AddedExtra = true;
  };
  for (size_t At = 0; At < Text.size();) {
    if (isBlank(Text[At]) || isBreak(Text[At]) || Text[At] == '\\') {
      const bool GoesOn = Text[At] == '\\';
      if (isBreak(Text[At]) && AfterColon && !AddedExtra)
        AddExtra();
      AfterColon &= !isBreak(Text[At]);
      // A backslash takes the break behind it along.
      const size_t Length = !GoesOn ? 1 : Text.substr(At + 1, 2) == "\r\n" ? 3 : 2;
      Result += Text.substr(At, Length);
      At += Length;
      continue;
    }
    const size_t End = wordEnd(Text, At);
    StringRef Word = Text.slice(At, End);
    const bool Colon = Word.consume_back(":");
    AfterColon |= Colon;
    std::optional<std::string> Name;
    if (!Word.empty())
      Name = Rename(unescape(Word));
    // A rule without a target would be none.
    if (!Name || (Name->empty() && Colon))
      Result += Word;
    else
      Result += escape(*Name);
    if (Colon)
      Result += ":";
    At = End;
  }
  if (AfterColon && !AddedExtra)
    AddExtra();
  return Result;
}
