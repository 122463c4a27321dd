//===-- Includes.cpp - what a source includes, by its text ----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "wrap/Includes.h"
#include "wrap/Tokens.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace bankstripe;
using llvm::StringRef;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;
namespace tok = clang::tok;

/// More files than these are not looked at.
static constexpr size_t MostFiles = 1000;

std::optional<std::string> bankstripe::readText(StringRef Path) {
  auto File = llvm::MemoryBuffer::getFile(Path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!File)
    return std::nullopt;
  return (*File)->getBuffer().str();
}

// The name that begins at the token of Tokens, if one does.
static void readName(const TokenReader &Tokens, const std::string &Text,
                     IncludeDirective &Into) {
  const size_t Begin = Tokens.offset();
  if (Tokens.startsLine() || Begin >= Text.size() ||
      (Text[Begin] != '"' && Text[Begin] != '<'))
    return;
  Into.Quoted = Text[Begin] == '"';
  const size_t End = Text.find(Into.Quoted ? '"' : '>', Begin + 1);
  if (End == std::string::npos || Text.find('\n', Begin) < End)
    return;
  Into.Offset = Begin;
  Into.Length = End + 1 - Begin;
  Into.Name = Text.substr(Begin + 1, End - Begin - 1);
}

std::vector<IncludeDirective>
bankstripe::findIncludes(const std::string &Text) {
  std::vector<IncludeDirective> Result;
  TokenReader Tokens(Text);
  while (!Tokens.atEnd()) {
    IncludeDirective Found;
    if (Tokens.startsDirective()) {
      Tokens.next();
      const StringRef Word = Tokens.text();
      if (Tokens.startsLine() || (Word != "include" && Word != "include_next"))
        continue;
      Found.Next = Word == "include_next";
      Tokens.next();
      readName(Tokens, Text, Found);
      Result.push_back(Found);
      continue;
    }
    const bool Asks =
        Tokens.is(tok::raw_identifier) && Tokens.text() == "__has_include";
    Tokens.next();
    if (!Asks || !Tokens.is(tok::l_paren))
      continue;
    Tokens.next();
    Found.Asks = true;
    readName(Tokens, Text, Found);
    if (Found.Length)
      Result.push_back(Found);
  }
  return Result;
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

static std::string realName(StringRef Path) {
  llvm::SmallString<256> Real;
  return fs::real_path(Path, Real) ? Path.str() : std::string(Real);
}

std::optional<IncludeTree>
bankstripe::readIncludeTree(StringRef Main, const IncludeFolders &Folders) {
  IncludeTree Tree;
  Tree.Main = realName(Main);
  std::vector<std::pair<std::string, std::string>> Open{
      {Tree.Main, Main.str()}}; // Real paths and names.
  while (!Open.empty()) {
    auto [Real, Name] = std::move(Open.back());
    Open.pop_back();
    if (Tree.Files.count(Real))
      continue;
    if (Tree.Files.size() == MostFiles) {
      Tree.Complete = false;
      break;
    }
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
      File.Targets.push_back(Found ? realName(*Found) : "");
      if (Found && !D.Asks)
        Open.emplace_back(File.Targets.back(), *Found);
    }
    Tree.Files.emplace(std::move(Real), std::move(File));
  }
  return Tree;
}
