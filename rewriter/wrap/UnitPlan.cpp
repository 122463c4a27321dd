//===-- UnitPlan.cpp - what a program's plan changes in one unit ----------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// JSON: "tool" names who wrote it, "sources" are pairs of path and digest, and
// "changed" pairs of path and new text. A text that is no UTF-8 cannot stand in
// JSON; an array with its hexadecimal digits stands for it.
//
//===----------------------------------------------------------------------===//

#include "wrap/UnitPlan.h"
#include "wrap/Includes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

using namespace bankstripe;
using llvm::StringRef;
namespace json = llvm::json;
namespace path = llvm::sys::path;

using Pairs = std::vector<std::pair<std::string, std::string>>;

std::string bankstripe::unitPlanPath(StringRef Folder, StringRef Source) {
  return (Folder + "/" + path::relative_path(Source) + ".json").str();
}

static json::Value toJson(StringRef Text) {
  if (json::isUTF8(Text))
    return Text;
  return json::Array{llvm::toHex(Text)};
}

static std::optional<std::string> textFrom(const json::Value &Value) {
  if (auto Text = Value.getAsString())
    return Text->str();
  const json::Array *Bytes = Value.getAsArray();
  std::string Text;
  if (Bytes && Bytes->size() == 1)
    if (auto Digits = Bytes->front().getAsString())
      if (llvm::tryGetFromHex(*Digits, Text))
        return Text;
  return std::nullopt;
}

static std::optional<Pairs> pairsFrom(const json::Array *Values) {
  if (!Values)
    return std::nullopt;
  Pairs Result;
  for (const json::Value &Value : *Values) {
    const json::Array *Pair = Value.getAsArray();
    if (!Pair || Pair->size() != 2)
      return std::nullopt;
    auto First = textFrom((*Pair)[0]), Second = textFrom((*Pair)[1]);
    if (!First || !Second)
      return std::nullopt;
    Result.emplace_back(std::move(*First), std::move(*Second));
  }
  return Result;
}

llvm::Error bankstripe::writeUnitPlan(const UnitPlan &Plan, StringRef Path,
                                      StringRef Tool) {
  json::Array Sources, Changed;
  for (const SourceFile &File : Plan.Sources)
    Sources.push_back(json::Array{toJson(File.Path), File.Digest});
  for (const auto &[File, Text] : Plan.Changed)
    Changed.push_back(json::Array{toJson(File), toJson(Text)});
  json::Value Value = json::Object{{"tool", Tool},
                                   {"sources", std::move(Sources)},
                                   {"changed", std::move(Changed)}};
  const std::string Text = llvm::formatv("{0:1}\n", Value);
  if (readText(Path) == Text)
    return llvm::Error::success();
  if (std::error_code EC =
          llvm::sys::fs::create_directories(path::parent_path(Path)))
    return llvm::createStringError("cannot make folder '" +
                                   path::parent_path(Path) +
                                   "': " + EC.message());
  return replaceFile(Path, Text, std::nullopt);
}

llvm::Expected<std::vector<ChangedFile>>
bankstripe::readUnitPlan(StringRef Path, StringRef Tool) {
  auto Text = readText(Path);
  if (!Text)
    return llvm::createStringError("no plan was made for this file ('" + Path +
                                   "'); name it in 'bankstripe rewrite "
                                   "--plan-dir'");
  auto Damaged = [&] {
    return llvm::createStringError("'" + Path +
                                   "' is not a plan that this version of "
                                   "bankstripe wrote; remove it, and build "
                                   "again");
  };
  auto Value = json::parse(*Text);
  if (!Value) {
    llvm::consumeError(Value.takeError()); // Nobody writes these by hand.
    return Damaged();
  }
  const json::Object *Object = Value->getAsObject();
  if (!Object || Object->getString("tool") != Tool)
    return Damaged();
  auto Sources = pairsFrom(Object->getArray("sources"));
  auto Changed = pairsFrom(Object->getArray("changed"));
  if (!Sources || !Changed)
    return Damaged();
  std::map<std::string, std::string> Before;
  for (auto &[File, Digest] : *Sources) {
    auto Now = readText(File);
    if (!Now || digestOf(*Now) != Digest)
      return llvm::createStringError("'" + File +
                                     "' has changed since it was planned for; "
                                     "build again");
    Before[File] = std::move(*Now);
  }
  std::vector<ChangedFile> Result;
  for (auto &[File, After] : *Changed) {
    auto Original = Before.find(File);
    if (Original == Before.end())
      return Damaged();
    Result.push_back({File, Original->second, std::move(After)});
  }
  return Result;
}
