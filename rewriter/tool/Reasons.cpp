//===-- Reasons.cpp - bankstripe reason -----------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What stands in brackets behind a message is looked up here.
//
//===----------------------------------------------------------------------===//

#include "model/Reason.h"
#include "report/Report.h"
#include "report/Terminal.h"
#include "tool/Options.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"

using namespace bankstripe;
using llvm::StringRef;

static void listReasons() {
  for (const ReasonInfo &Info : allReasons())
    llvm::outs() << llvm::formatv("{0,-26} {1,-12} {2}\n", Info.Id,
                                  nameOf(Info.Verdict), Info.Summary);
}

// The reason that Id was most likely meant to be: one that it is a part of.
static StringRef nearest(StringRef Id) {
  auto Distance = [&](const ReasonInfo &Info) {
    return Info.Id.contains(Id) ? 0 : Id.edit_distance(Info.Id);
  };
  const llvm::ArrayRef<ReasonInfo> All = allReasons();
  return std::ranges::min_element(All, {}, Distance)->Id;
}

// Without the marks of links and headings; code is indented instead.
static void printPlain(StringRef Markdown) {
  const llvm::Regex Link("\\[([^][]+)\\]\\([^()]*\\)");
  bool IsCode = false;
  for (StringRef Line : llvm::split(Markdown.rtrim(), '\n')) {
    if (Line.starts_with("```")) {
      IsCode = !IsCode;
      continue;
    }
    std::string Text = IsCode ? Line.str() : Line.ltrim("# ").str();
    while (!IsCode && Link.match(Text))
      Text = Link.sub("\\1", Text);
    llvm::outs() << (IsCode && !Line.empty() ? "    " : "") << Text << '\n';
  }
}

int bankstripe::runReason(llvm::ArrayRef<const char *> Words) {
  if (Words.empty()) {
    listReasons();
    return ExitDone;
  }
  // `over-budget`, or `[unchanged, over-budget]` as messages end.
  const std::string Written = llvm::join(Words, " ");
  const StringRef Id = StringRef(Written).rsplit(',').second.empty()
                           ? StringRef(Written).trim("[] ")
                           : StringRef(Written).rsplit(',').second.trim("[] ");
  const auto *Page = llvm::find_if(
      reasonPages(), [&](const ReasonPage &P) { return P.Id == Id; });
  if (Page == reasonPages().end()) {
    llvm::errs() << "bankstripe: there is no reason '" << printable(Id)
                 << "'; did you mean '" << nearest(Id)
                 << "'? 'bankstripe reason' lists all\n";
    return ExitUsage;
  }
  printPlain(Page->Text);
  return ExitDone;
}
