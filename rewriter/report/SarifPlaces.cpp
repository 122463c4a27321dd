//===-- SarifPlaces.cpp - files, lines and columns ------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Places count bytes, as Clang does; SARIF counts UTF-16 code units.
//
//===----------------------------------------------------------------------===//

#include "report/SarifPlaces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace bankstripe;
using llvm::StringRef;
namespace json = llvm::json;

// A line ends with any of "\r\n", "\n" and "\r", as it does for Clang.
LineTable::LineTable(StringRef Text) : Text(Text), Starts{0} {
  for (size_t I = 0; I < Text.size(); ++I)
    if (Text[I] == '\n' ||
        (Text[I] == '\r' && !Text.drop_front(I + 1).starts_with("\n")))
      Starts.push_back(I + 1);
}

static unsigned codeUnits(StringRef Text) {
  unsigned Count = 0;
  while (!Text.empty()) {
    const auto *Begin = Text.bytes_begin();
    const unsigned Length = llvm::getNumBytesForUTF8(*Begin);
    const bool Valid = llvm::isLegalUTF8Sequence(Begin, Text.bytes_end());
    // What takes four bytes takes a pair of surrogates.
    Count += Valid && Length == 4 ? 2 : 1;
    Text = Text.drop_front(Valid ? Length : 1);
  }
  return Count;
}

LineTable::Position LineTable::positionOf(unsigned Offset) const {
  auto It = std::prev(llvm::upper_bound(Starts, Offset));
  // Nothing stands in the line behind the last line ending.
  if (*It == Text.size() && It != Starts.begin())
    --It;
  StringRef Before = Text.slice(*It, Offset);
  Before.consume_front("\xEF\xBB\xBF");
  return {static_cast<unsigned>(It - Starts.begin()) + 1,
          codeUnits(Before) + 1};
}

json::Object LineTable::region(unsigned Offset, unsigned End) const {
  const Position First = positionOf(Offset), Last = positionOf(End);
  return json::Object{{"startLine", First.Line},
                      {"startColumn", First.Column},
                      {"endLine", Last.Line},
                      {"endColumn", Last.Column}};
}

json::Object LineTable::region(const Place &P) const {
  if (P.Line - 1 >= Starts.size() || P.Column == 0)
    return json::Object{{"startLine", P.Line}};
  const unsigned Offset = Starts[P.Line - 1] + P.Column - 1;
  const unsigned Next =
      P.Line < Starts.size() ? Starts[P.Line] : unsigned(Text.size());
  if (Offset >= Next)
    return json::Object{{"startLine", P.Line}};
  const StringRef Name = Text.slice(Offset, Next).take_while([](char C) {
    return llvm::isAlnum(C) || C == '_';
  });
  return region(Offset, Offset + std::max<size_t>(Name.size(), 1));
}

bool SarifFiles::isBelowRoot(StringRef File) const {
  return !Root.empty() && File.consume_front(StringRef(Root).rtrim('/')) &&
         File.starts_with("/");
}

static std::string percentEncoded(StringRef Path) {
  std::string Result;
  for (char C : Path) {
    if (llvm::isAlnum(C) || StringRef("/-._~").contains(C))
      Result += C;
    else
      Result += "%" + llvm::toHex(StringRef(&C, 1));
  }
  return Result;
}

std::string SarifFiles::uri(StringRef File) const {
  if (isBelowRoot(File))
    return percentEncoded(
        File.drop_front(StringRef(Root).rtrim('/').size() + 1));
  return "file://" + percentEncoded(File);
}

const SarifFiles::Entry &SarifFiles::entry(StringRef File) {
  auto It = Entries.find(File);
  if (It != Entries.end())
    return *It->second;
  std::optional<std::string> Text;
  if (auto Known = Contents.find(File.str()); Known != Contents.end())
    Text = Known->second;
  else if (auto Buffer = llvm::MemoryBuffer::getFile(File))
    Text = (*Buffer)->getBuffer().str();
  auto New = std::make_unique<Entry>(
      Entry{unsigned(Order.size()), std::move(Text), LineTable("")});
  if (New->Text)
    New->Lines = LineTable(*New->Text);
  Order.push_back(File.str());
  return *Entries.emplace(File.str(), std::move(New)).first->second;
}

const LineTable &SarifFiles::linesOf(StringRef File) {
  return entry(File).Lines;
}

bool SarifFiles::isUTF8(StringRef File) {
  const std::optional<std::string> &Text = entry(File).Text;
  return Text && json::isUTF8(*Text);
}

json::Object SarifFiles::location(StringRef File) {
  json::Object Result{{"uri", uri(File)}, {"index", entry(File).Index}};
  if (isBelowRoot(File))
    Result["uriBaseId"] = "%SRCROOT%";
  return Result;
}

json::Object SarifFiles::physical(const Place &P) {
  return json::Object{{"artifactLocation", location(P.File)},
                      {"region", linesOf(P.File).region(P)}};
}

json::Array SarifFiles::artifacts() {
  json::Array Result;
  for (const std::string &File : Order) {
    const Entry &E = entry(File);
    json::Object Artifact{{"location", location(File)}};
    if (E.Text)
      Artifact["length"] = E.Text->size();
    // What it is otherwise, nobody knows.
    if (isUTF8(File))
      Artifact["encoding"] = "UTF-8";
    Result.push_back(std::move(Artifact));
  }
  return Result;
}

json::Object SarifFiles::bases() const {
  const std::string Folder = StringRef(Root).rtrim('/').str() + "/";
  return json::Object{
      {"%SRCROOT%", json::Object{{"uri", "file://" + percentEncoded(Folder)}}}};
}
