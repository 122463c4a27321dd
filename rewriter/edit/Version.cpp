//===-- Version.cpp - the rest of a body, with arrays that move -----------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where blocks of any size may run a function, its arrays move in a version of
// it, and the function chooses for the whole block:
//
//     __global__ void count(const int *in, int *out) {
//       const int i = threadIdx.x;
//       if (::bankstripe::block_of_at_most<128>()) {
//         // As below, with arrays in shared memory.
//         __shared__ int counts[::bankstripe::warps(128)][16][32];
//         ...
//         return;
//       }
//       int counts[16];
//       ...
//     }
//
// Being part of the function, a version needs no name, no parameters and no
// declaration of its own, and whoever launches, calls or links the function
// need not know of it. What stands before the first array is there once. A
// function that is for the host as well has its version for the device alone.
//
// Where all blocks are known, such a function needs no version. The lines that
// change stand there twice:
//
//     #ifdef __CUDA_ARCH__
//       __shared__ int counts_stripes[::bankstripe::warps(128)][16][32];
//       auto counts = ::bankstripe::begin(counts_stripes);
//     #else
//       int counts[16];
//     #endif
//
// A second body would not only be longer: both are inlined, and the array that
// larger blocks would use stays in the frame.
//
//===----------------------------------------------------------------------===//

#include "edit/EditInternal.h"
#include "edit/LineNumbers.h"
#include "llvm/ADT/StringExtras.h"

using namespace bankstripe;
using llvm::StringRef;

namespace {

/// Writes one version, and remembers whose line each of its lines is.
class VersionWriter {
public:
  VersionWriter(const VersionedPart &Part, const FileText &Code)
      : Part(Part), Code(Code), Blanks(indentationAt(Code, Part.Begin)),
        BeginsLine(Blanks.end() == Code.begin() + Part.Begin),
        First(Code.lineAt(Part.Begin)) {}

  TextEdit write(EditList Edits);

private:
  void add(const llvm::Twine &Line, unsigned Number);
  void addCopy(const EditedText &Copy);
  std::string unit() const;

  const VersionedPart &Part;
  const FileText &Code;
  StringRef Blanks; ///< Before the line that it begins in.
  bool BeginsLine;  ///< Nothing else stands before it there.
  unsigned First;   ///< That line.
  TextEdit Edit;
};

} // namespace

void VersionWriter::add(const llvm::Twine &Line, unsigned Number) {
  Edit.Text += (Line + lineEndingOf(Code)).str();
  Edit.Lines.push_back(Number);
}

// What a block is indented by, as far as the body shows that.
std::string VersionWriter::unit() const {
  StringRef Unit = Blanks;
  if (Unit.consume_front(indentationAt(Code, Part.End)) && !Unit.empty())
    return Unit.str();
  return Blanks.contains('\t') ? "\t" : "  ";
}

// Blanks would be part of a raw string, or of one that goes on in the next
// line.
static bool mayIndent(StringRef Text) {
  return !Text.contains("R\"") && !Text.contains("\\\n") &&
         !Text.contains("\\\r\n");
}

void VersionWriter::addCopy(const EditedText &Copy) {
  const std::string Added = mayIndent(Copy.Text) ? unit() : "";
  const unsigned *Number = Copy.Lines.data();
  StringRef Begins = Blanks; // They stand before the text.
  for (StringRef Line : llvm::split(StringRef(Copy.Text).rtrim(), '\n')) {
    Line = Line.rtrim("\r");
    const bool Indents =
        !Line.empty() && !(Begins.empty() && Line.starts_with("#"));
    add(Begins + (Indents ? Added : "") + Line, *Number++);
    Begins = "";
  }
}

TextEdit VersionWriter::write(EditList Edits) {
  // Where lines are counted, those of the copy are those of the original.
  const bool Counts = Code.computesWithLines();
  if (Counts)
    Edits = keepLineNumbers(Code, joined(std::move(Edits), Code));
  const EditedText Copy =
      llvm::cantFail(applyEdits(Code, Part.Begin, Part.End, std::move(Edits)));
  const unsigned Last = Code.lineAt(Part.End);
  if (!BeginsLine)
    add("", First);
  if (Part.HostDevice)
    add("#ifdef __CUDA_ARCH__", First);
  add(Blanks + "if (::bankstripe::block_of_at_most<" +
          llvm::Twine(Part.Threads) + ">()) {",
      First);
  add(Blanks + unit() + "// As below, with arrays in shared memory.", First);
  if (Counts)
    add("#line " + llvm::Twine(First), First);
  addCopy(Copy);
  if (!Part.Returns)
    add(Blanks + unit() + "return;", Last);
  add(Blanks + "}", Last);
  if (Part.HostDevice)
    add("#endif", Last);
  Edit.Offset = Part.Begin - Blanks.size();
  if (!BeginsLine) {
    // No blanks are left where the line is broken.
    Edit.Offset = Code.take_front(Part.Begin).rtrim(" \t").size();
    Edit.Length = Part.Begin - Edit.Offset;
    Edit.Text += Blanks;
  }
  Edit.Lines.push_back(First);
  return std::move(Edit);
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

TextEdit bankstripe::forDevice(const TextRange &Lines, const FileText &Code,
                               EditList Device, EditList Host) {
  const std::string LineEnding = lineEndingOf(Code).str();
  const unsigned First = Code.lineAt(Lines.Offset);
  const std::string Number = Code.computesWithLines()
                                 ? "#line " + llvm::utostr(First) + LineEnding
                                 : "";
  TextEdit Result{Lines.Offset, Lines.Length, "", {}};
  auto Add = [&](StringRef Directive, EditList Edits) {
    const EditedText Copy = llvm::cantFail(
        applyEdits(Code, Lines.Offset, Lines.end(), std::move(Edits)));
    Result.Text +=
        (Directive + LineEnding + Number + Copy.Text + LineEnding).str();
    Result.Lines.insert(Result.Lines.end(), Number.empty() ? 1 : 2, First);
    llvm::append_range(Result.Lines, Copy.Lines);
  };
  Add("#ifdef __CUDA_ARCH__", std::move(Device));
  Add("#else", std::move(Host));
  Result.Text += "#endif";
  Result.Lines.push_back(Code.lineAt(Lines.end()));
  return Result;
}

// The name stands behind where launch bounds would.
TextEdit bankstripe::versionBehind(const KernelText &Kernel, unsigned NameAt,
                                   const FileText &Code, EditList Edits,
                                   StringRef Function) {
  const TextRange &Whole = Kernel.Definition;
  const std::string LineEnding = lineEndingOf(Code).str();
  const bool Counts = Code.computesWithLines();
  if (Counts)
    Edits = keepLineNumbers(Code, joined(std::move(Edits), Code));
  Edits.push_back({Kernel.Specifiers.Offset, 0, "static "});
  Edits.push_back(
      {NameAt, unsigned(Kernel.Name.size()), versionName(Kernel.Name)});
  const EditedText Copy = llvm::cantFail(
      applyEdits(Code, Whole.Offset, Whole.end(), std::move(Edits)));
  const unsigned First = Code.lineAt(Whole.Offset);
  const unsigned Last = Code.lineAt(Whole.end());
  TextEdit Result{Whole.end(), 0, "", {}};
  auto Add = [&](const llvm::Twine &Text, unsigned Line) {
    const std::string Added = Text.str();
    Result.Lines.insert(Result.Lines.end(), StringRef(Added).count('\n'), Line);
    Result.Text += Added;
  };
  const StringRef Blanks = indentationAt(Code, Whole.Offset);
  Add(LineEnding + LineEnding + Blanks +
          "// The same for the launches in this file, with arrays in shared "
          "memory." +
          LineEnding,
      Last);
  if (Counts)
    Add("#line " + llvm::Twine(First) + LineEnding, First);
  Result.Text += (Blanks + Copy.Text).str();
  llvm::append_range(Result.Lines, Copy.Lines);
  Result.Lines.pop_back();
  if (!Function.empty())
    Add(LineEnding + LineEnding + Function, Last);
  // What follows in the next line would stick to the copy.
  StringRef Next = Code.drop_front(Whole.end()).split('\n').second;
  if (!Next.split('\n').first.trim().empty())
    Add(LineEnding, Last);
  Result.Lines.push_back(Last);
  return Result;
}

TextEdit bankstripe::versionOf(const VersionedPart &Part, const FileText &Code,
                               EditList Edits) {
  return VersionWriter(Part, Code).write(std::move(Edits));
}
