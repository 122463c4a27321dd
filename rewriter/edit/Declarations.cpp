//===-- Declarations.cpp - an array's declaration becomes a stripe's ------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//     int sum = 0, best[8] = {0}, *p;
//
// becomes
//
//     int sum = 0;
//     __shared__ int best[bankstripe::warps(128)][8][32];
//     bankstripe::clear(best);
//     int *p;
//
// A statement is split only beside an array that moves; all other declarators
// stay together, and comments stay where they are. The initialiser becomes a
// statement right behind the declaration, so that it runs whenever the scope is
// entered, as it did.
//
//===----------------------------------------------------------------------===//

#include "edit/EditInternal.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FormatVariadic.h"

using namespace bankstripe;
using llvm::StringRef;

namespace {

/// Edits one declaration statement.
class StatementEditor {
public:
  StatementEditor(StringRef Code,
                  const std::vector<const PlannedArray *> &Striped,
                  const KernelPlan &Kernel, const EditList &UseEdits)
      : Code(Code), Striped(Striped), Kernel(Kernel), UseEdits(UseEdits),
        First(Striped.front()->Array.Text), LineEnding(lineEndingOf(Code)),
        Indentation(indentationAt(Code, First.Statement.Offset)) {}

  EditList edit();

private:
  const PlannedArray *at(unsigned Index) const;
  std::string specifiersOf(const PlannedArray *A) const;
  std::string extentsOf(const PlannedArray &A) const;
  std::string initialisationOf(const PlannedArray &A) const;
  std::string newLine() const { return LineEnding.str() + Indentation.str(); }

  void editDeclarator(const PlannedArray &A);
  void editSeparator(unsigned Index);
  void editEnd();

  StringRef text(const TextRange &R) const {
    return Code.substr(R.Offset, R.Length);
  }

  StringRef Code;
  const std::vector<const PlannedArray *> &Striped;
  const KernelPlan &Kernel;
  const EditList &UseEdits;
  const DeclarationText &First;
  StringRef LineEnding;
  StringRef Indentation;
  EditList Edits;
};

} // namespace

const PlannedArray *StatementEditor::at(unsigned Index) const {
  for (const PlannedArray *A : Striped)
    if (A->Array.Text.IndexInStatement == Index)
      return A;
  return nullptr;
}

// `int` as it stands, or what it becomes for an array that moves.
std::string StatementEditor::specifiersOf(const PlannedArray *A) const {
  std::string Written = text(First.Specifiers).str();
  if (!A)
    return Written;
  switch (A->Decision.Form) {
  case StripeForm::Plain:
    return "__shared__ " + Written;
  case StripeForm::Wide:
    return "__shared__ bankstripe::word<" + Written + ">";
  case StripeForm::Packed:
    return "__shared__ bankstripe::packed<" + Written + ">";
  }
  llvm_unreachable("all forms are listed");
}

// One extent as written, or its value where the initialiser gave it.
static std::string extent(const Finding &F, unsigned I) {
  return F.Text.ExtentTexts[I].empty() ? std::to_string(F.Extents[I])
                                       : F.Text.ExtentTexts[I];
}

std::string StatementEditor::extentsOf(const PlannedArray &A) const {
  const Finding &F = A.Array;
  std::string Bound = Kernel.Facts.Bounds && !Kernel.Facts.Bounds->Text.empty()
                          ? Kernel.Facts.Bounds->Text
                          : std::to_string(Kernel.BlockThreads);
  std::string Result = "[bankstripe::warps(" + Bound + ")]";
  for (unsigned I = 0; I < F.Extents.size(); ++I) {
    std::string Extent = extent(F, I);
    if (A.Decision.Form == StripeForm::Packed && I + 1 == F.Extents.size())
      Extent = "bankstripe::packed_words<" + text(First.Specifiers).str() +
               ">(" + Extent + ")";
    Result += llvm::formatv("[{0}]", Extent).str();
  }
  return Result + "[32]";
}

// The statement that does what the initialiser did; empty without one.
std::string StatementEditor::initialisationOf(const PlannedArray &A) const {
  const Finding &F = A.Array;
  if (F.Init == InitializerKind::None)
    return "";
  if (F.Init == InitializerKind::Zero)
    return "bankstripe::clear(" + F.Name + ");";
  std::string Arguments;
  for (unsigned I = 0; I < F.Extents.size(); ++I) {
    std::string Extent = extent(F, I);
    // A `>` or a comma would end the template argument.
    bool Simple = llvm::all_of(
        Extent, [](char C) { return llvm::isAlnum(C) || C == '_'; });
    Arguments += (I ? ", " : "") + (Simple ? Extent : "(" + Extent + ")");
  }
  const TextRange &Values = F.Text.Values;
  std::string Moved =
      llvm::cantFail(applyEdits(Code, Values.Offset, Values.end(), UseEdits));
  return "bankstripe::initialize<" + Arguments + ">(" + F.Name + ", " + Moved +
         ");";
}

void StatementEditor::editDeclarator(const PlannedArray &A) {
  const DeclarationText &Text = A.Array.Text;
  Edits.push_back({Text.Extents.Offset, Text.Extents.Length, extentsOf(A)});
  if (Text.Initializer.isValid() && Text.Initializer.Length)
    Edits.push_back({Text.Initializer.Offset, Text.Initializer.Length, ""});
}

// The comma between two declarators, which comments may surround.
static size_t findComma(StringRef Between) {
  size_t At = 0;
  while (At < Between.size() && Between[At] != ',') {
    StringRef Rest = Between.drop_front(At);
    if (Rest.starts_with("/*"))
      At = std::min(Between.find("*/", At + 2), Between.size() - 2) + 2;
    else if (Rest.starts_with("//"))
      At = std::min(Between.find('\n', At), Between.size());
    else
      ++At;
  }
  return At;
}

// The comma after declarator Index, and all up to the next declarator.
void StatementEditor::editSeparator(unsigned Index) {
  const PlannedArray *Before = at(Index), *After = at(Index + 1);
  if (!Before && !After)
    return;
  unsigned Begin = First.AllDeclarators[Index].end();
  unsigned End = First.AllDeclarators[Index + 1].Offset;
  StringRef Between = Code.slice(Begin, End);
  size_t Comma = findComma(Between);
  // Comments stay; the blanks before the next declarator become a new line.
  StringRef Kept = Between.drop_front(Comma + 1);
  StringRef Comments = Kept.rtrim();
  std::string Text = Between.take_front(Comma).str() + ";" + Comments.str();
  Text += newLine();
  std::string Init = Before ? initialisationOf(*Before) : "";
  if (!Init.empty())
    Text += Init + newLine();
  Text += specifiersOf(After) + " ";
  Edits.push_back({Begin, End - Begin, std::move(Text)});
}

// The rest of a line holds nothing but blanks and a comment.
static bool isCommentOnly(StringRef Rest) {
  Rest = Rest.trim();
  if (Rest.empty() || (Rest.starts_with("//") && !Rest.ends_with("\\")))
    return true;
  return Rest.starts_with("/*") && Rest.find("*/") == Rest.size() - 2;
}

// The initialisation of the last declarator follows the statement, behind a
// comment that belongs to it.
void StatementEditor::editEnd() {
  const PlannedArray *Last = at(First.AllDeclarators.size() - 1);
  std::string Init = Last ? initialisationOf(*Last) : "";
  if (Init.empty())
    return;
  unsigned End = First.Statement.end();
  StringRef Rest = Code.slice(End, Code.find('\n', End));
  if (isCommentOnly(Rest))
    Edits.push_back({End + static_cast<unsigned>(Rest.rtrim().size()), 0,
                     newLine() + Init});
  else
    Edits.push_back({End, 0, " " + Init});
}

EditList StatementEditor::edit() {
  if (const PlannedArray *A = at(0))
    Edits.push_back(
        {First.Specifiers.Offset, First.Specifiers.Length, specifiersOf(A)});
  for (const PlannedArray *A : Striped)
    editDeclarator(*A);
  for (unsigned I = 0; I + 1 < First.AllDeclarators.size(); ++I)
    editSeparator(I);
  editEnd();
  return std::move(Edits);
}

EditList bankstripe::editsOfStatement(
    StringRef Code, const std::vector<const PlannedArray *> &Striped,
    const KernelPlan &Kernel, const EditList &UseEdits) {
  return StatementEditor(Code, Striped, Kernel, UseEdits).edit();
}
