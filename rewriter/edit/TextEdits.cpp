//===-- TextEdits.cpp - edits, and the text that they make ----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "edit/TextEdits.h"
#include "text/LineNumbers.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace bankstripe;
using llvm::StringRef;

FileText::FileText(llvm::StringRef Text, bool Numbered) : StringRef(Text) {
  if (Numbered)
    Computes = true;
  for (size_t At = find('\n'); At != npos; At = find('\n', At + 1))
    Newlines.push_back(At);
}

unsigned FileText::lineAt(size_t Offset) const {
  return llvm::lower_bound(Newlines, Offset) - Newlines.begin() + 1;
}

unsigned FileText::presumedLine(unsigned Line) const {
  if (!Given)
    Given = lineDirectivesIn(str());
  unsigned Result = Line;
  for (const auto &[Offset, Number] : *Given)
    if (const unsigned Before = lineAt(Offset); Before < Line)
      Result = Number + Line - Before - 1;
  return Result;
}

bool FileText::computesWithLines() const {
  if (!Computes)
    Computes = bankstripe::computesWithLines(str());
  return *Computes;
}

const std::set<size_t> &FileText::safeLines() const {
  if (!Safe)
    Safe = findSafeLines(str());
  return *Safe;
}

StringRef bankstripe::lineEndingOf(StringRef Code) {
  size_t Newline = Code.find('\n');
  return Newline != StringRef::npos && Newline > 0 && Code[Newline - 1] == '\r'
             ? "\r\n"
             : "\n";
}

StringRef bankstripe::indentationAt(StringRef Code, unsigned Offset) {
  size_t Newline = Code.rfind('\n', Offset);
  StringRef Line =
      Code.drop_front(Newline == StringRef::npos ? 0 : Newline + 1);
  return Line.take_while([](char C) { return C == ' ' || C == '\t'; });
}

bool bankstripe::codeFollows(StringRef Code, unsigned Offset) {
  const StringRef Next = Code.drop_front(Offset).split('\n').second;
  return !Next.split('\n').first.trim().empty();
}

void EditedText::append(const EditedText &More) {
  if (More.Text.empty())
    return;
  llvm::ArrayRef<unsigned> Begun = More.Lines;
  Begun = Begun.take_front(StringRef(More.Text).count('\n') +
                           !StringRef(More.Text).ends_with("\n"));
  if (!Text.empty() && Text.back() != '\n' && !Begun.empty())
    Begun = Begun.drop_front();
  llvm::append_range(Lines, Begun);
  Text += More.Text;
}

void EditedText::append(const llvm::Twine &More, unsigned Line) {
  EditedText Added{More.str(), {}};
  Added.Lines.assign(StringRef(Added.Text).count('\n') + 1, Line);
  append(Added);
}

// The text of \p E, each line with the line of \p Code that it stands for.
static EditedText numbered(const TextEdit &E, const FileText &Code) {
  EditedText Result{E.Text, E.Lines};
  if (E.Lines.empty()) {
    Result = {};
    Result.append(E.Text, Code.lineAt(E.Offset));
  }
  return Result;
}

void bankstripe::sortEdits(EditList &Edits) {
  llvm::sort(Edits);
  Edits.erase(llvm::unique(Edits), Edits.end());
}

llvm::Expected<EditedText> bankstripe::applyEdits(const FileText &Code,
                                                  unsigned Begin, unsigned End,
                                                  EditList Edits) {
  sortEdits(Edits);
  EditedText Result;
  unsigned Done = Begin; // All up to there is in the result.
  auto KeepUntil = [&](unsigned Offset) {
    EditedText Kept{Code.slice(Done, Offset).str(), {}};
    Kept.Lines.resize(StringRef(Kept.Text).count('\n') + 1);
    std::iota(Kept.Lines.begin(), Kept.Lines.end(), Code.lineAt(Done));
    Result.append(Kept);
  };
  for (const TextEdit &E : Edits) {
    if (E.Offset < Begin || E.end() > End)
      continue;
    if (E.Offset < Done)
      return llvm::createStringError("edits overlap at offset " +
                                     llvm::Twine(E.Offset));
    KeepUntil(E.Offset);
    Result.append(numbered(E, Code));
    Done = E.end();
  }
  KeepUntil(End);
  return Result;
}

EditList bankstripe::joined(EditList Edits, const FileText &Code) {
  sortEdits(Edits);
  EditList Joined;
  for (TextEdit &E : Edits) {
    if (Joined.empty() || Joined.back().end() != E.Offset) {
      Joined.push_back(std::move(E));
      continue;
    }
    TextEdit &Last = Joined.back();
    EditedText Both = numbered(Last, Code);
    Both.append(numbered(E, Code));
    if (!Last.Lines.empty() || !E.Lines.empty())
      Last.Lines = std::move(Both.Lines);
    Last.Text = std::move(Both.Text);
    Last.Length += E.Length;
  }
  return Joined;
}

llvm::Expected<ChangedFile>
bankstripe::changeFile(StringRef Path, const FileText &Code, EditList Edits) {
  ChangedFile File{Path.str(), Code.str(), "", joined(std::move(Edits), Code)};
  if (Code.computesWithLines())
    File.Edits = keepLineNumbers(Code, std::move(File.Edits));
  llvm::Expected<EditedText> After =
      applyEdits(Code, 0, Code.size(), File.Edits);
  if (!After)
    return After.takeError();
  const StringRef Text = After->Text;
  if (After->Lines.size() != Text.count('\n') + !Text.ends_with("\n"))
    return llvm::createStringError("edits miscount their lines");
  File.After = std::move(After->Text);
  File.Lines = std::move(After->Lines);
  return File;
}

std::string bankstripe::lineDirective(const FileText &Code, unsigned Line) {
  return ("#line " + llvm::Twine(Code.presumedLine(Line)) + lineEndingOf(Code))
      .str();
}

EditList bankstripe::keepLineNumbers(const FileText &Code, EditList Edits) {
  const std::set<size_t> &Safe = Code.safeLines();
  EditList Result;
  bool Moved = false;
  for (auto E = Edits.begin(); E != Edits.end(); ++E) {
    const StringRef Removed = Code.substr(E->Offset, E->Length);
    Moved |= StringRef(E->Text).count('\n') != Removed.count('\n');
    const bool EndsLine = StringRef(E->Text).ends_with("\n");
    auto Line =
        EndsLine ? Safe.lower_bound(E->end()) : Safe.upper_bound(E->end());
    Result.push_back(*E);
    // Where there is another edit before that line, its turn comes.
    if (!Moved || Line == Safe.end() ||
        (std::next(E) != Edits.end() && std::next(E)->Offset <= *Line))
      continue;
    Moved = false;
    const unsigned Number = Code.lineAt(*Line);
    std::string Directive = lineDirective(Code, Number);
    if (*Line != E->end()) {
      Result.push_back({unsigned(*Line), 0, std::move(Directive)});
      continue;
    }
    Result.back().Text += Directive;
    if (!E->Lines.empty())
      Result.back().Lines.push_back(Number);
  }
  return Result;
}
