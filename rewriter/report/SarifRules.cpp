//===-- SarifRules.cpp - each reason is a rule ----------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A code host shows the short description as a title, and the help beside a
// result; the latter is the section of docs/verdicts.md.
//
//===----------------------------------------------------------------------===//

#include "report/SarifInternal.h"
#include "llvm/ADT/StringExtras.h"

using namespace bankstripe;
using llvm::StringRef;
namespace json = llvm::json;

// A verdict is a proposal while nothing has changed, hence "can".
static StringRef title(const ReasonInfo &Info) {
  switch (Info.Verdict) {
  case VerdictKind::Stripe:
    return "private array can move to a stripe in shared memory";
  case VerdictKind::Slot:
    return "private array can move to a slot in shared memory";
  case VerdictKind::Constant:
    return "private array can move to constant storage";
  case VerdictKind::Registers:
    return Info.R == Reason::UnrolledLoop
               ? "private array can stay in registers"
               : "private array is left alone";
  case VerdictKind::Keep:
  case VerdictKind::Refuse:
    return "private array stays in local memory";
  }
  llvm_unreachable("all verdicts are listed");
}

StringRef bankstripe::sarifLevel(Reason R) {
  // An access outside an array is a mistake, whatever becomes of the array.
  if (R == Reason::OutOfBounds || R == Reason::UnrolledLoop)
    return "warning";
  switch (infoOf(R).Verdict) {
  case VerdictKind::Stripe:
  case VerdictKind::Slot:
  case VerdictKind::Constant:
    return "warning";
  case VerdictKind::Keep:
  case VerdictKind::Refuse:
    return "note";
  case VerdictKind::Registers:
    return "none";
  }
  llvm_unreachable("all verdicts are listed");
}

std::string bankstripe::sarifAdvice(Reason R) {
  const ReasonInfo &Info = infoOf(R);
  if (Info.Advice.empty())
    return "";
  const bool Stays =
      Info.Verdict == VerdictKind::Keep || Info.Verdict == VerdictKind::Refuse;
  if (Stays || Info.Verdict == VerdictKind::Slot)
    return ((Stays ? " To move it: " : " For a stripe: ") + Info.Advice + ".")
        .str();
  return " " + asSentence(Info.Advice);
}

// `dynamic-index` as `DynamicIndex`.
static std::string ruleName(StringRef Id) {
  std::string Name;
  for (StringRef Word : llvm::split(Id, '-')) {
    Name += llvm::toUpper(Word.front());
    Name += Word.drop_front();
  }
  return Name;
}

// The documents are not beside the log, so links between them lead nowhere.
static std::string withoutLinks(StringRef Text) {
  std::string Result;
  while (!Text.empty()) {
    const size_t Middle = Text.find("](");
    const size_t End = Text.find(')', Middle);
    if (End == StringRef::npos)
      break;
    const size_t Begin = Text.take_front(Middle).rfind('[');
    const StringRef Target = Text.slice(Middle + 2, End);
    if (Begin == StringRef::npos ||
        !(Target.starts_with("#") || Target.contains(".md"))) {
      Result += Text.take_front(Middle + 2);
      Text = Text.drop_front(Middle + 2);
      continue;
    }
    Result += Text.take_front(Begin);
    Result += Text.slice(Begin + 1, Middle);
    Text = Text.drop_front(End + 1);
  }
  return Result + Text.str();
}

// The section of docs/verdicts.md, without its title.
static std::string sectionAbout(StringRef Id) {
  StringRef Rest = verdictsText().split(("\n### `" + Id + "`\n").str()).second;
  for (StringRef Next : {"\n### ", "\n## "})
    Rest = Rest.split(Next).first;
  return withoutLinks(Rest.trim());
}

static json::Object rule(const ReasonInfo &Info, StringRef DocumentsUrl) {
  const std::string Short =
      asSentence((title(Info) + ": " + Info.Summary).str());
  const std::string Full = Short + sarifAdvice(Info.R);
  json::Object Result{
      {"id", Info.Id},
      {"name", ruleName(Info.Id)},
      {"shortDescription", json::Object{{"text", Short}}},
      {"fullDescription", json::Object{{"text", Full}}},
      {"help",
       json::Object{{"text", Full}, {"markdown", sectionAbout(Info.Id)}}},
      {"defaultConfiguration", json::Object{{"level", sarifLevel(Info.R)}}},
      {"properties", json::Object{{"tags", json::Array{"performance", "cuda"}},
                                  {"verdict", nameOf(Info.Verdict)}}}};
  if (!DocumentsUrl.empty())
    Result["helpUri"] =
        (DocumentsUrl.rtrim('/') + "/verdicts.md#" + Info.Id).str();
  return Result;
}

json::Array bankstripe::sarifRules(StringRef DocumentsUrl) {
  json::Array Rules;
  for (const ReasonInfo &Info : allReasons())
    Rules.push_back(rule(Info, DocumentsUrl));
  return Rules;
}
