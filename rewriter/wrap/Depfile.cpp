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
#include <set>

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

// Takes away the blanks and line breaks at the end, which led to a name that is
// left out.
static void dropSeparator(std::string &Text) {
  StringRef Kept = Text;
  while (Kept.consume_back(" ") || Kept.consume_back("\t") ||
         Kept.consume_back("\\\n") || Kept.consume_back("\\\r\n")) {
  }
  Text.resize(Kept.size());
}

namespace {

/// Copies a dependency file word by word.
class Renamer {
public:
  Renamer(llvm::function_ref<std::optional<std::string>(StringRef)> Rename,
          llvm::ArrayRef<std::string> Extra)
      : Rename(Rename), Extra(Extra) {}

  std::string run(StringRef Text);

private:
  void endLine();
  void copyWord(StringRef Word);

  llvm::function_ref<std::optional<std::string>(StringRef)> Rename;
  llvm::ArrayRef<std::string> Extra;
  std::string Result;
  std::set<std::string> Given; ///< Names that took the place of others.
  bool AfterColon = false, AddedExtra = false;
};

} // namespace

void Renamer::endLine() {
  if (AfterColon && !AddedExtra) {
    for (const std::string &Name : Extra)
      Result += " " + escape(Name);
    AddedExtra = true;
  }
  AfterColon = false;
}

// Of a rule without dependencies, as -MP makes them, the name is a target.
void Renamer::copyWord(StringRef Word) {
  const bool Target = Word.consume_back(":");
  AfterColon |= Target;
  const std::string Name = unescape(Word);
  const std::optional<std::string> New =
      Word.empty() ? std::nullopt : Rename(Name);
  const bool Again = !Target && AfterColon && Given.count(New.value_or(Name));
  if ((New && New->empty()) || Again) {
    if (!Target)
      dropSeparator(Result);
    return;
  }
  if (New && !Target)
    Given.insert(*New);
  Result += New ? escape(*New) : Word.str();
  if (Target)
    Result += ":";
}

std::string Renamer::run(StringRef Text) {
  for (size_t At = 0; At < Text.size();) {
    if (isBlank(Text[At])) {
      Result += Text[At++];
      continue;
    }
    if (isBreak(Text[At])) {
      endLine();
      Result += Text[At++];
      continue;
    }
    // A backslash takes the break behind it along.
    StringRef Rest = Text.substr(At);
    if (Rest.starts_with("\\\n") || Rest.starts_with("\\\r\n")) {
      const size_t Break = Text.find('\n', At) + 1;
      Result += Text.slice(At, Break);
      At = Break;
      continue;
    }
    const size_t End = wordEnd(Text, At);
    copyWord(Text.slice(At, End));
    At = End;
  }
  endLine();
  return std::move(Result);
}

std::string bankstripe::renameDependencies(
    StringRef Text,
    llvm::function_ref<std::optional<std::string>(StringRef)> Rename,
    llvm::ArrayRef<std::string> Extra) {
  return Renamer(Rename, Extra).run(Text);
}
