//===-- Includes.cpp - what a source includes, by its text ----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "text/Includes.h"
#include "model/SourceFile.h"
#include "text/Tokens.h"
#include "clang/Basic/TokenKinds.h"
#include "clang/Lex/DependencyDirectivesScanner.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <algorithm>

using namespace bankstripe;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;
namespace scan = clang::dependency_directives_scan;

// The name at Begin with its quotes or brackets, if one is there.
static void readName(StringRef Text, size_t Begin, IncludeDirective &Into) {
  StringRef Line =
      Text.substr(Begin).take_until([](char C) { return C == '\n'; });
  if (!Line.starts_with("\"") && !Line.starts_with("<"))
    return;
  Into.Quoted = Line.front() == '"';
  const size_t End = Line.find(Into.Quoted ? '"' : '>', 1);
  if (End == StringRef::npos)
    return;
  Into.Offset = Begin;
  Into.Length = End + 1;
  Into.Name = Line.slice(1, End).str();
}

// Clang's scanner leaves out the conditions of code without directives, and
// such code may be all that depends on whether a file is there.
static void findQuestions(const std::string &Text,
                          std::vector<IncludeDirective> &Into) {
  constexpr llvm::StringLiteral Asks = "__has_include";
  if (!StringRef(Text).contains(Asks))
    return;
  bool InDirective = false;
  for (TokenReader Tokens(Text); !Tokens.atEnd(); Tokens.next()) {
    if (Tokens.startsLine())
      InDirective = Tokens.startsDirective();
    if (!InDirective || Tokens.text() != Asks)
      continue;
    Tokens.next();
    if (!Tokens.is(clang::tok::l_paren))
      continue;
    Tokens.next();
    IncludeDirective Found;
    Found.Asks = true;
    readName(Text, Tokens.offset(), Found);
    if (Found.Length)
      Into.push_back(Found);
  }
}

std::vector<IncludeDirective>
bankstripe::findIncludes(const std::string &Text) {
  llvm::SmallVector<scan::Token> Tokens;
  llvm::SmallVector<scan::Directive> Directives;
  std::vector<IncludeDirective> Result;
  if (clang::scanSourceForDependencyDirectives(Text, Tokens, Directives))
    return {IncludeDirective()}; // It may include anything.
  for (const scan::Directive &Directive : Directives) {
    if (Directive.Kind != scan::pp_include &&
        Directive.Kind != scan::pp_include_next)
      continue;
    IncludeDirective Found;
    Found.Offset = Directive.Tokens.front().Offset;
    Found.Next = Directive.Kind == scan::pp_include_next;
    for (const scan::Token &Token : Directive.Tokens)
      if (Token.is(clang::tok::header_name))
        readName(Text, Token.Offset, Found);
    Result.push_back(Found);
  }
  findQuestions(Text, Result);
  std::ranges::sort(Result, {}, &IncludeDirective::Offset);
  return Result;
}

void IncludeFolders::addFromEnvironment(StringRef List) {
  if (!List.empty())
    for (StringRef Folder : llvm::split(List, ':'))
      Any.push_back(Folder.empty() ? "." : Folder.str());
}

std::optional<std::string>
bankstripe::findIncluded(const IncludeDirective &Directive, StringRef Includer,
                         const IncludeFolders &Folders) {
  auto Try = [&](StringRef Folder) -> std::optional<std::string> {
    std::string Path =
        Folder.empty() ? Directive.Name : (Folder + "/" + Directive.Name).str();
    if (fs::is_regular_file(Path))
      return Path;
    return std::nullopt;
  };
  if (path::is_absolute(Directive.Name))
    return Try("");
  if (Directive.Quoted) {
    if (auto Found = Try(path::parent_path(Includer)))
      return Found;
    for (const std::string &Folder : Folders.Quote)
      if (auto Found = Try(Folder))
        return Found;
  }
  for (const std::string &Folder : Folders.Any)
    if (auto Found = Try(Folder))
      return Found;
  return std::nullopt;
}

std::optional<IncludeTree>
bankstripe::readIncludeTree(StringRef Main, const IncludeFolders &Folders) {
  IncludeTree Tree;
  Tree.Main = realPath(Main);
  std::vector<std::pair<std::string, std::string>> Open{
      {Tree.Main, Main.str()}}; // Real paths and names.
  while (!Open.empty()) {
    auto [Real, Name] = std::move(Open.back());
    Open.pop_back();
    if (Tree.Files.count(Real))
      continue;
    IncludedFile File;
    File.Name = Name;
    auto Text = readText(Name);
    if (!Text && Real == Tree.Main)
      return std::nullopt;
    File.Text = Text.value_or("");
    File.Directives = findIncludes(File.Text);
    for (const IncludeDirective &D : File.Directives) {
      std::optional<std::string> Found;
      if (D.Length)
        Found = findIncluded(D, Name, Folders);
      File.Targets.push_back(Found ? realPath(*Found) : "");
      if (Found && !D.Asks)
        Open.emplace_back(File.Targets.back(), *Found);
    }
    Tree.Files.emplace(std::move(Real), std::move(File));
  }
  return Tree;
}

static bool mentions(const IncludeTree &Tree, StringRef Word) {
  return llvm::any_of(Tree.Files, [&](const auto &Entry) {
    return StringRef(Entry.second.Text).contains(Word);
  });
}

bool bankstripe::mayHoldPrivateArray(const IncludeTree &Tree) {
  return (mentions(Tree, "__global__") || mentions(Tree, "__device__")) &&
         mentions(Tree, "[");
}
