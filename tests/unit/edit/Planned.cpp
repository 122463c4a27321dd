//===-- Planned.cpp - plans for a few lines of code -----------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tokens come from Clang's lexer, so that comments and literals are no trouble.
//
//===----------------------------------------------------------------------===//

#include "Planned.h"
#include "clang/Basic/LangOptions.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <regex>

using namespace bankstripe;
using namespace bankstripe::testing;
using llvm::StringRef;

namespace {

struct Token {
  StringRef Text;
  unsigned Offset = 0;
  unsigned end() const { return Offset + Text.size(); }
};

/// The tokens of the code, and what stands where among them.
class Scan {
public:
  explicit Scan(StringRef Code);
  Finding finding(const Moving &M) const;

private:
  size_t closing(size_t Open) const;
  void readStatement(Finding &F, size_t Name) const;
  void readDeclarator(Finding &F, size_t Name) const;
  void readInitializer(Finding &F, size_t Last) const;
  void readParameter(Finding &F, size_t Name) const;
  TextRange range(unsigned Begin, unsigned End) const {
    return {CodePath.str(), Begin, End - Begin};
  }

  StringRef Code;
  std::vector<Token> Tokens;
};

} // namespace

Scan::Scan(StringRef Code) : Code(Code) {
  clang::LangOptions Options;
  Options.CPlusPlus = Options.CPlusPlus17 = Options.LineComment = true;
  clang::Lexer Lexer(clang::SourceLocation(), Options, Code.begin(),
                     Code.begin(), Code.end());
  clang::Token Raw;
  bool InDirective = false;
  for (bool AtEnd = false; !AtEnd;) {
    AtEnd = Lexer.LexFromRawLexer(Raw);
    unsigned End = Lexer.getBufferLocation() - Code.begin();
    if (Raw.isAtStartOfLine())
      InDirective = Raw.is(clang::tok::hash);
    if (Raw.isNot(clang::tok::eof) && !InDirective)
      Tokens.push_back(
          {Code.slice(End - Raw.getLength(), End), End - Raw.getLength()});
  }
}

size_t Scan::closing(size_t Open) const {
  unsigned Depth = 0;
  for (size_t I = Open; I < Tokens.size(); ++I) {
    StringRef T = Tokens[I].Text;
    if (T == "[" || T == "{" || T == "(")
      ++Depth;
    else if (T == "]" || T == "}" || T == ")")
      if (--Depth == 0)
        return I;
  }
  ADD_FAILURE() << "unbalanced brackets";
  return Open;
}

void Scan::readStatement(Finding &F, size_t Name) const {
  auto Separates = [&](size_t I, std::initializer_list<StringRef> Among) {
    return llvm::is_contained(Among, Tokens[I].Text);
  };
  size_t First = Name;
  // Back over earlier declarators with their braces.
  for (unsigned Depth = 0; First > 0; --First) {
    StringRef T = Tokens[First - 1].Text;
    if (T == "}")
      ++Depth;
    if (Depth == 0 && Separates(First - 1, {"{", ";"}))
      break;
    if (T == "{")
      --Depth;
  }
  size_t I = First;
  while (Tokens[I].Text != "*" &&
         !Separates(I + 1, {"[", ",", ";", "=", "{", "("}))
    ++I;
  F.Text.Specifiers = range(Tokens[First].Offset, Tokens[I - 1].end());
  size_t Begin = I;
  for (; Tokens[I].Text != ";"; ++I) {
    if (I == Name)
      F.Text.IndexInStatement = F.Text.AllDeclarators.size();
    if (Separates(I, {"[", "{", "("}))
      I = closing(I);
    if (!Separates(I + 1, {",", ";"}))
      continue;
    F.Text.AllDeclarators.push_back(
        range(Tokens[Begin].Offset, Tokens[I].end()));
    Begin = I + 2;
    I += Tokens[I + 1].Text == ",";
  }
  F.Text.Statement = range(Tokens[First].Offset, Tokens[I].end());
}

void Scan::readDeclarator(Finding &F, size_t Name) const {
  F.Text.Name = range(Tokens[Name].Offset, Tokens[Name].end());
  size_t I = Name;
  while (Tokens[I + 1].Text == "[") {
    size_t Close = closing(I + 1);
    F.Text.ExtentTexts.push_back(
        Code.slice(Tokens[I + 1].end(), Tokens[Close].Offset).trim().str());
    I = Close;
  }
  unsigned ExtentsEnd = Tokens[I].end();
  F.Text.Extents = I == Name ? range(ExtentsEnd, ExtentsEnd)
                             : range(Tokens[Name + 1].Offset, ExtentsEnd);
  const TextRange All = F.Text.AllDeclarators[F.Text.IndexInStatement];
  F.Text.Declarator = range(All.Offset, ExtentsEnd);
  if (F.Init == InitializerKind::Construct)
    F.Text.Initializer = range(ExtentsEnd, All.end());
  else
    readInitializer(F, I);
}

// The braced list behind the token Last, with which the extents end.
void Scan::readInitializer(Finding &F, size_t Last) const {
  size_t Brace = Last + 1 + (Tokens[Last + 1].Text == "=");
  if (Tokens[Brace].Text != "{")
    return;
  unsigned End = Tokens[closing(Brace)].end();
  F.Text.Initializer = range(Tokens[Last].end(), End);
  F.Text.Values = range(Tokens[Brace].Offset, End);
  StringRef Values = Code.slice(Tokens[Brace].Offset, End);
  F.Init = Values == "{}" || Values == "{0}" ? InitializerKind::Zero
                                             : InitializerKind::List;
}

// A parameter with specifiers of one word.
void Scan::readParameter(Finding &F, size_t Name) const {
  const Token &Type = Tokens[Name - 1];
  size_t Body = Name;
  while (Tokens[Body].Text != "{")
    ++Body;
  F.Text.Name = range(Tokens[Name].Offset, Tokens[Name].end());
  F.Text.Declarator = F.Text.Name;
  F.Text.AllDeclarators = {F.Text.Name};
  F.Text.Specifiers = range(Type.Offset, Type.end());
  F.Text.Statement = range(Type.Offset, F.Text.Name.end());
  F.Text.BodyBegin = range(Tokens[Body].end(), Tokens[Body].end());
}

Finding Scan::finding(const Moving &M) const {
  Finding F;
  F.Name = M.Name;
  F.Where = {CodePath.str(), 1, 1};
  F.Function.Name = F.Function.Id = "k";
  F.Function.Files = {CodePath.str()};
  F.Function.IsKernel = M.InKernel;
  F.Shape.Extents = M.Extents;
  F.IsObject = M.Extents.empty();
  F.Function.HostDevice = M.HostDevice;
  F.HasConst = M.HasConst;
  if (M.Constructed)
    F.Init = InitializerKind::Construct;
  ArrayInstance Instance;
  Instance.FunctionId = F.Function.Id;
  Instance.Shape = F.Shape;
  F.Instances = {Instance};
  const auto Declared = std::ranges::find(Tokens, M.Name, &Token::Text);
  EXPECT_NE(Declared, Tokens.end()) << M.Name;
  if (Declared != Tokens.end() && M.IsParameter) {
    readParameter(F, Declared - Tokens.begin());
  } else if (Declared != Tokens.end()) {
    readStatement(F, Declared - Tokens.begin());
    readDeclarator(F, Declared - Tokens.begin());
  }
  return F;
}

Moving bankstripe::testing::slot(const std::string &Name,
                                 std::vector<uint64_t> Extents) {
  Moving M{Name, std::move(Extents)};
  M.Kind = VerdictKind::Slot;
  return M;
}

Moving bankstripe::testing::constructed(const std::string &Name,
                                        std::vector<uint64_t> Extents) {
  Moving M = slot(Name, std::move(Extents));
  M.Constructed = true;
  return M;
}

Moving bankstripe::testing::table(const std::string &Name,
                                  std::vector<uint64_t> Extents) {
  Moving M{Name, std::move(Extents)};
  M.Kind = VerdictKind::Constant;
  return M;
}

Moving bankstripe::testing::inFunction(Moving M) {
  M.InKernel = false;
  return M;
}

Moving bankstripe::testing::parameter(const std::string &Name) {
  Moving M = constructed(Name);
  M.IsParameter = true;
  return M;
}

Moving bankstripe::testing::forTheHostToo(Moving M) {
  M = inFunction(std::move(M));
  M.HostDevice = true;
  return M;
}

TextRange bankstripe::testing::at(StringRef Code, StringRef Part) {
  const size_t Offset = Code.find(Part);
  EXPECT_NE(Offset, StringRef::npos) << Part.str();
  return {CodePath.str(), unsigned(Offset), unsigned(Part.size())};
}

PointerDeclaration bankstripe::testing::pointers(StringRef Code,
                                                 StringRef Specifiers,
                                                 std::vector<std::string> Names,
                                                 Pointee To) {
  PointerDeclaration D;
  D.Specifiers = at(Code, Specifiers.str() + Names.front());
  D.Specifiers.Length = Specifiers.size();
  for (const std::string &Name : Names) {
    D.Stars.push_back(at(Code, Name));
    D.Stars.back().Length = 1;
  }
  D.To = std::move(To);
  return D;
}

void bankstripe::testing::addPut(Plan &P, StringRef Definition,
                                 StringRef Parameter, Pointee To,
                                 StringRef Call) {
  const StringRef Code = P.Contents.at(CodePath.str());
  Callee C;
  C.Name = "put";
  C.Definition = at(Code, Definition);
  C.Where = {CodePath.str(), 1, unsigned(Definition.find("put")) + 1};
  C.Parameters[0].Text = at(Code, Parameter);
  C.Parameters[0].Name = "p";
  C.Parameters[0].To = std::move(To);
  P.Callees[C.Where] = C;
  P.Arrays[0].Array.Trail.emplace().Arguments = {{at(Code, Call), C.Where, 0}};
}

Plan bankstripe::testing::planFor(StringRef Code,
                                  const std::vector<Moving> &Arrays) {
  Plan P;
  P.Contents[CodePath.str()] = Code.str();
  P.Kernels.emplace_back();
  P.Kernels.back().Block.Threads = P.Kernels.back().Block.ToAdd = 128;
  Scan S(Code);
  for (const Moving &A : Arrays) {
    PlannedArray &Planned = P.Arrays.emplace_back();
    Planned.Array = S.finding(A);
    Planned.Verdict.Kind = A.Kind;
    Planned.Verdict.Why = Reason::DynamicIndex;
    Planned.Verdict.Form = A.Form;
    Planned.Verdict.Storage.Threads = 128;
    Planned.Verdict.Storage.TestsBlock =
        !A.InKernel && Planned.Verdict.usesShared();
    Planned.Verdict.Storage.DeviceOnly =
        A.HostDevice && Planned.Verdict.usesShared();
    Planned.Kernels = {0};
    Planned.InstanceKernels = {{0}};
  }
  return P;
}

std::string bankstripe::testing::carriedOut(const Plan &P, bool EmbedHelper) {
  auto Changed = applyPlan(P, EmbedHelper);
  if (!Changed) {
    ADD_FAILURE() << toString(Changed.takeError());
    return "";
  }
  if (Changed->size() != 1) {
    ADD_FAILURE() << Changed->size() << " files changed";
    return "";
  }
  EXPECT_EQ(Changed->front().Path, CodePath.str());
  EXPECT_EQ(Changed->front().Before, P.Contents.at(CodePath.str()));
  StringRef After = Changed->front().After;
  EXPECT_EQ(Changed->front().Lines.size(),
            After.count('\n') + !After.ends_with("\n"));
  return std::regex_replace(Changed->front().After,
                            std::regex("same as text [0-9a-f]{8},"),
                            "same as text DIGEST,");
}

std::string bankstripe::testing::rewritten(StringRef Code,
                                           const std::vector<Moving> &Arrays) {
  std::string After = carriedOut(planFor(Code, Arrays));
  StringRef Rest = After;
  if (llvm::all_of(Arrays, [](const Moving &M) {
        return M.Kind == VerdictKind::Constant;
      }))
    return After;
  std::string Include = "#include \"bankstripe.cuh\"";
  for (StringRef Line : {lineEndingOf(Code), lineEndingOf(Code)})
    Include += Line;
  EXPECT_TRUE(Rest.consume_front(Include)) << After;
  return Rest.str();
}
