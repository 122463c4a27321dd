//===-- LineNumbers.cpp - text that keeps its line numbers ----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "text/LineNumbers.h"
#include "text/Tokens.h"
#include "llvm/ADT/StringExtras.h"

using namespace bankstripe;
using llvm::StringRef;
namespace tok = clang::tok;

namespace {

/// Counts the open parentheses, branch by branch of `#if`.
class ParenthesisCount {
public:
  void readDirective(StringRef Name) {
    if (Name.starts_with("if"))
      Outer.push_back(Open);
    else if (Name.starts_with("el") && !Outer.empty())
      Open = Outer.back();
    else if (Name == "endif" && !Outer.empty())
      Outer.pop_back();
  }
  void read(const TokenReader &Tokens) {
    if (Tokens.is(tok::l_paren))
      ++Open;
    else if (Tokens.is(tok::r_paren) && Open)
      --Open;
  }
  bool none() const { return Open == 0; }

private:
  unsigned Open = 0;
  std::vector<unsigned> Outer;
};

} // namespace

std::set<size_t> bankstripe::findSafeLines(const std::string &Text) {
  std::set<size_t> Result;
  ParenthesisCount Parentheses;
  TokenReader Tokens(Text);
  while (!Tokens.atEnd()) {
    if (Tokens.startsLine() && Parentheses.none()) {
      const size_t Newline = Tokens.offset()
                                 ? Text.rfind('\n', Tokens.offset() - 1)
                                 : std::string::npos;
      const size_t Begin = Newline == std::string::npos ? 0 : Newline + 1;
      // A comment may end before the token.
      if (StringRef(Text).slice(Begin, Tokens.offset()).trim().empty())
        Result.insert(Begin);
    }
    if (!Tokens.startsDirective()) {
      Parentheses.read(Tokens);
      Tokens.next();
      continue;
    }
    Tokens.next();
    if (!Tokens.startsLine())
      Parentheses.readDirective(Tokens.text());
    while (!Tokens.atEnd() && !Tokens.startsLine())
      Tokens.next();
  }
  return Result;
}

bool bankstripe::canNameInDirective(StringRef Name) {
  return Name.find_first_of("\"\\\n\r") == StringRef::npos;
}

std::string bankstripe::withLineDirectives(const std::string &Text,
                                           const std::vector<unsigned> &Numbers,
                                           StringRef Name) {
  const std::set<size_t> Safe = findSafeLines(Text);
  auto Directive = [&](unsigned Number) {
    return "#line " + llvm::utostr(Number) + " \"" + Name.str() + "\"\n";
  };
  // A byte order mark stays first.
  const size_t Start = StringRef(Text).starts_with("\xEF\xBB\xBF") ? 3 : 0;
  std::string Result =
      Text.substr(0, Start) + Directive(Numbers.empty() ? 1 : Numbers.front());
  unsigned Natural = Numbers.empty() ? 1 : Numbers.front();
  size_t Index = 0;
  for (size_t Begin = 0; Begin < Text.size(); ++Index) {
    const size_t Newline = Text.find('\n', Begin);
    const size_t End = Newline == std::string::npos ? Text.size() : Newline + 1;
    const unsigned Number = Index < Numbers.size() ? Numbers[Index] : Natural;
    if (Number != Natural && Safe.count(Begin)) {
      Result += Directive(Number);
      Natural = Number;
    }
    Result += StringRef(Text).slice(std::max(Begin, Start), End);
    Begin = End;
    ++Natural;
  }
  return Result;
}

std::map<size_t, unsigned>
bankstripe::lineDirectivesIn(const std::string &Text) {
  std::map<size_t, unsigned> Result;
  for (TokenReader Tokens(Text); !Tokens.atEnd(); Tokens.next()) {
    if (!Tokens.startsDirective())
      continue;
    const size_t Begin = Tokens.offset();
    Tokens.next();
    const bool IsNamed = !Tokens.startsLine() && Tokens.text() == "line";
    if (IsNamed)
      Tokens.next();
    unsigned Number = 0;
    if (!Tokens.startsLine() && !Tokens.text().getAsInteger(10, Number))
      Result[Begin] = Number;
    else if (IsNamed)
      Result[Begin] = 0; // By a macro.
  }
  return Result;
}

bool bankstripe::computesWithLines(const std::string &Code) {
  bool Computes = false, SaysLine = false, IsMessage = false;
  auto End = [&] {
    Computes |= SaysLine && !IsMessage;
    SaysLine = IsMessage = false;
  };
  bool InDirective = false;
  for (TokenReader Tokens(Code); !Tokens.atEnd(); Tokens.next()) {
    if (Tokens.startsDirective() || (InDirective && Tokens.startsLine())) {
      End();
      InDirective = Tokens.startsDirective();
    }
    const StringRef Text = Tokens.text();
    SaysLine |= Text == "__LINE__";
    IsMessage |= Text == "__FILE__" || Text.ends_with("\"");
    if (!InDirective && (Text == ";" || Text == "{" || Text == "}"))
      End();
  }
  End();
  return Computes;
}
