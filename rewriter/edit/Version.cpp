//===-- Version.cpp - the rest of a body, with arrays that move -----------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The places where a function's text, with arrays moved, is beside the original
// text: in lines for the device, or in a copy of a kernel or a function
// (docs/internals/layouts.md, "Versions").
//
//===----------------------------------------------------------------------===//

#include "edit/EditInternal.h"
#include "llvm/ADT/StringExtras.h"

using namespace bankstripe;
using llvm::StringRef;

// \p Code from \p Begin to \p End with \p Edits. Where lines are counted, those
// of the copy are those of the original.
static llvm::Expected<EditedText> copyOf(const FileText &Code, unsigned Begin,
                                         unsigned End, EditList Edits) {
  if (Code.computesWithLines())
    Edits = keepLineNumbers(Code, joined(std::move(Edits), Code));
  return applyEdits(Code, Begin, End, std::move(Edits));
}

// What stands before a copy that begins in \p Line; nothing where no lines are
// counted.
static std::string directiveBefore(const FileText &Code, unsigned Line) {
  return Code.computesWithLines() ? lineDirective(Code, Line) : "";
}

// Behind the line that holds End, as far as what goes on there needs. Comments
// that follow belong to what comes next.
static unsigned endOfLines(StringRef Code, unsigned End, unsigned Next) {
  const unsigned Line = std::min<size_t>(Code.find_first_of("\r\n", End), Next);
  const bool OnlyComments = llvm::all_of(
      llvm::split(Code.slice(Line, Next), '\n'), [](StringRef Each) {
        Each = Each.trim();
        return Each.empty() || Each.starts_with("//");
      });
  if (OnlyComments)
    return Line;
  return std::max<size_t>(End, Code.take_front(Next).rtrim().size());
}

std::vector<TextRange> bankstripe::linesAround(const FileText &Code,
                                               const EditList &Edits) {
  if (Edits.empty())
    return {};
  const std::set<size_t> &Safe = Code.safeLines();
  std::vector<TextRange> Result;
  for (const TextEdit &E : joined(Edits, Code)) {
    const auto Next = Safe.upper_bound(E.end());
    const auto After = Safe.upper_bound(E.Offset);
    const unsigned Begin = After == Safe.begin() ? 0 : *std::prev(After);
    const unsigned End =
        endOfLines(Code, E.end(), Next == Safe.end() ? Code.size() : *Next);
    if (!Result.empty() &&
        (Begin <= Result.back().end() ||
         Code.slice(Result.back().end(), Begin).trim().empty()))
      Result.back().Length =
          std::max(End, Result.back().end()) - Result.back().Offset;
    else
      Result.push_back({"", Begin, End - Begin});
  }
  return Result;
}

llvm::Expected<TextEdit> bankstripe::forDevice(const TextRange &Lines,
                                               const FileText &Code,
                                               EditList Device, EditList Host) {
  const StringRef LineEnding = lineEndingOf(Code);
  const unsigned First = Code.lineAt(Lines.Offset);
  EditedText Both;
  auto Add = [&](const char *Directive, EditList Edits) -> llvm::Error {
    auto Text = applyEdits(Code, Lines.Offset, Lines.end(), std::move(Edits));
    if (!Text)
      return Text.takeError();
    Both.append(Directive + LineEnding + directiveBefore(Code, First), First);
    Both.append(*Text);
    Both.append(LineEnding, First);
    return llvm::Error::success();
  };
  if (llvm::Error E = Add("#ifdef __CUDA_ARCH__", std::move(Device)))
    return E;
  if (llvm::Error E = Add("#else", std::move(Host)))
    return E;
  Both.append("#endif", Code.lineAt(Lines.end()));
  return TextEdit{Lines.Offset, Lines.Length, std::move(Both.Text),
                  std::move(Both.Lines)};
}

TextEdit bankstripe::versionNameAt(const TextRange &Name, StringRef Code) {
  return {Name.Offset, Name.Length,
          versionName(Code.substr(Name.Offset, Name.Length))};
}

// What is inserted at Offset, such as the head of a template that a function
// becomes.
static std::string &insertionAt(unsigned Offset, EditList &Edits) {
  auto Known = llvm::find_if(Edits, [&](const TextEdit &E) {
    return E.Offset == Offset && E.Length == 0;
  });
  return Known != Edits.end() ? Known->Text
                              : Edits.emplace_back(Offset, 0, "").Text;
}

void bankstripe::declareBefore(unsigned Offset, EditList &Edits,
                               const std::set<std::string> &Declarations,
                               const FileText &Code) {
  for (const std::string &D : llvm::reverse(Declarations))
    insertionAt(Offset, Edits)
        .insert(0, D + lineEndingOf(Code).str() +
                       indentationAt(Code, Offset).str());
}

// The definition once more, with another name.
static llvm::Expected<EditedText>
copyOfFunction(const TextRange &Definition, const TextRange &Name,
               const TextRange &LinkagePlace, StringRef Linkage,
               const FileText &Code, EditList Edits) {
  if (LinkagePlace.isValid())
    insertionAt(LinkagePlace.Offset, Edits) += (Linkage + " ").str();
  Edits.push_back(versionNameAt(Name, Code));
  auto Copy =
      copyOf(Code, Definition.Offset, Definition.end(), std::move(Edits));
  if (!Copy)
    return Copy.takeError();
  const unsigned First = Code.lineAt(Definition.Offset);
  EditedText Text;
  Text.append(directiveBefore(Code, First) +
                  indentationAt(Code, Definition.Offset),
              First);
  Text.append(*Copy);
  return Text;
}

llvm::Expected<TextEdit>
bankstripe::copyBehind(const TextRange &Definition, const TextRange &Name,
                       const TextRange &LinkagePlace, StringRef Linkage,
                       const FileText &Code, EditList Edits, StringRef Comment,
                       StringRef Row, bool ForCudaAlone) {
  const StringRef LineEnding = lineEndingOf(Code);
  const unsigned Last = Code.lineAt(Definition.end());
  auto Copy = copyOfFunction(Definition, Name, LinkagePlace, Linkage, Code,
                             std::move(Edits));
  if (!Copy)
    return Copy.takeError();
  EditedText Text;
  Text.append(LineEnding + LineEnding, Last);
  if (ForCudaAlone)
    Text.append("#ifdef __CUDACC__" + LineEnding, Last);
  Text.append(indentationAt(Code, Definition.Offset) + Comment + LineEnding,
              Last);
  Text.append(*Copy);
  if (!Row.empty())
    Text.append(LineEnding + indentationAt(Code, Definition.Offset) + Row,
                Last);
  if (ForCudaAlone)
    Text.append(LineEnding + "#endif", Last);
  if (codeFollows(Code, Definition.end()))
    Text.append(LineEnding, Last);
  return TextEdit{Definition.end(), 0, std::move(Text.Text),
                  std::move(Text.Lines)};
}

llvm::Expected<TextEdit>
bankstripe::copyBefore(const TextRange &Definition, const TextRange &Name,
                       const TextRange &LinkagePlace, StringRef Linkage,
                       const FileText &Code, EditList Edits, StringRef Head,
                       StringRef Comment) {
  const StringRef LineEnding = lineEndingOf(Code);
  const StringRef Blanks = indentationAt(Code, Definition.Offset);
  const unsigned First = Code.lineAt(Definition.Offset);
  auto Copy = copyOfFunction(Definition, Name, LinkagePlace, Linkage, Code,
                             std::move(Edits));
  if (!Copy)
    return Copy.takeError();
  EditedText Text;
  Text.append(Head + LineEnding + Blanks + Comment + LineEnding, First);
  Text.append(*Copy);
  Text.append(LineEnding + LineEnding + directiveBefore(Code, First) + Blanks,
              First);
  return TextEdit{Definition.Offset, 0, std::move(Text.Text),
                  std::move(Text.Lines)};
}
