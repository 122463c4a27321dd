//===-- ExpandedText.cpp - edits of what macros stand for -----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Edits are made on the text with expanded macros, and written to the one that
// people have. An edit that touches an expansion grows until it covers all of
// it, so that both of its ends stand between the same characters of both texts.
//
//===----------------------------------------------------------------------===//

#include "edit/EditInternal.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace bankstripe;
using llvm::StringRef;

// Calls Visit with each macro and where its expansion begins in Code.
template <class Visitor>
static void forEach(llvm::ArrayRef<ExpandedMacro> Expanded, Visitor Visit) {
  unsigned Written = 0, Text = 0; // The lengths of those before.
  for (const ExpandedMacro &M : Expanded) {
    Visit(M, M.Offset - Written + Text);
    Written += M.Written.size();
    Text += M.Text.size();
  }
}

std::string bankstripe::withMacros(StringRef Code,
                                   llvm::ArrayRef<ExpandedMacro> Expanded) {
  std::string Result;
  unsigned Done = 0;
  forEach(Expanded, [&](const ExpandedMacro &M, unsigned Begin) {
    Result += Code.slice(Done, Begin);
    Result += M.Written;
    Done = Begin + M.Text.size();
  });
  return Result.append(Code.substr(Done));
}

// The length of what M stands for, without the line breaks behind it.
static unsigned codeLength(const ExpandedMacro &M) {
  return StringRef(M.Text).rtrim('\n').size();
}

// Those of Edits that touch M, whose expansion begins at Begin, as one that
// covers it.
static llvm::Error joinAround(const ExpandedMacro &M, unsigned Begin,
                              const FileText &Code, EditList &Edits) {
  unsigned End = Begin + M.Text.size();
  auto Touches = [&](const TextEdit &E, unsigned To) {
    return E.Offset < To && E.end() > Begin;
  };
  if (llvm::none_of(Edits, [&](const TextEdit &E) {
        return Touches(E, Begin + codeLength(M));
      }))
    return llvm::Error::success();
  const auto First =
      std::stable_partition(Edits.begin(), Edits.end(), [&](const TextEdit &E) {
        return !Touches(E, End);
      });
  const EditList Inside(First, Edits.end());
  Edits.erase(First, Edits.end());
  for (const TextEdit &E : Inside) {
    Begin = std::min(Begin, E.Offset);
    End = std::max(End, E.end());
  }
  auto Edited = applyEdits(Code, Begin, End, Inside);
  if (!Edited)
    return Edited.takeError();
  Edits.push_back(
      {Begin, End - Begin, std::move(Edited->Text), std::move(Edited->Lines)});
  return llvm::Error::success();
}

// Breaks lines where the macro's definition does.
static void breakLines(TextEdit &E, const FileText &Code) {
  llvm::SmallVector<StringRef> Lines;
  StringRef(E.Text).split(Lines, '\n');
  std::string Text;
  std::vector<unsigned> Numbers; // Of the lines of Text.
  for (auto [I, Line] : llvm::enumerate(Lines)) {
    llvm::SmallVector<StringRef> Pieces;
    Line.split(Pieces, SoftBreak);
    Text += llvm::join(Pieces, lineEndingOf(Code));
    if (I + 1 < Lines.size())
      Text += '\n';
    Numbers.insert(Numbers.end(), Pieces.size(),
                   E.Lines.empty() ? Code.lineAt(E.Offset)
                                   : E.Lines[std::min(I, E.Lines.size() - 1)]);
  }
  E.Text = std::move(Text);
  E.Lines = std::move(Numbers);
}

llvm::Expected<EditList>
bankstripe::editsWithMacros(EditList Edits, const FileText &Code,
                            llvm::ArrayRef<ExpandedMacro> Expanded) {
  llvm::Error Problem = llvm::Error::success();
  forEach(Expanded, [&](const ExpandedMacro &M, unsigned Begin) {
    Problem =
        llvm::joinErrors(std::move(Problem), joinAround(M, Begin, Code, Edits));
  });
  if (Problem)
    return std::move(Problem);
  auto OfWritten = [&](unsigned Offset) {
    int Growth = 0;
    forEach(Expanded, [&](const ExpandedMacro &M, unsigned Begin) {
      if (Begin + codeLength(M) <= Offset)
        Growth += int(std::min<size_t>(Offset - Begin, M.Text.size())) -
                  int(M.Written.size());
    });
    return Offset - Growth;
  };
  for (TextEdit &E : Edits) {
    if (StringRef(E.Text).contains(SoftBreak))
      breakLines(E, Code);
    const unsigned End = OfWritten(E.end());
    E.Offset = OfWritten(E.Offset);
    E.Length = End - E.Offset;
  }
  return Edits;
}
