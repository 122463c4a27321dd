//===-- StatementEdits.cpp - statements that declare arrays ---------------===//
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
//     __shared__ int best_stripes[::bankstripe::warps(128)][8][32];
//     auto best = ::bankstripe::column(best_stripes);
//     ::bankstripe::clear(best_stripes);
//     int *p;
//
// A statement is split only beside an array that moves; all other declarators
// stay together, and comments stay where they are. The initialiser becomes a
// statement right behind the declaration, so that it runs whenever the scope is
// entered, as it did.
//
// A parameter by value gets a copy, in the first statement of its body:
//
//     __device__ float f(Setup s, int i) {
//
// becomes
//
//     __device__ float f(Setup s_value, int i) {
//       __shared__ ::bankstripe::slots<Setup, 128> s_slots;
//       Setup &s = *::new (::bankstripe::place(s_slots)) Setup(s_value);
//
//===----------------------------------------------------------------------===//

#include "edit/Storage.h"
#include "text/Tokens.h"
#include "llvm/ADT/STLExtras.h"

using namespace bankstripe;
using llvm::StringRef;

namespace {

/// Edits one declaration statement.
class StatementEditor {
public:
  StatementEditor(StringRef Code,
                  const std::vector<const PlannedArray *> &Moved,
                  const EditList &PointerEdits, const EditList &Names)
      : Code(Code), Moved(Moved), PointerEdits(PointerEdits),
        First(Moved.front()->Array.Text), LineEnding(lineEndingOf(Code)),
        Indentation(indentationAt(Code, First.Statement.Offset)),
        Writer(Code, newLine(), Names) {}

  EditList edit();

private:
  const PlannedArray *at(unsigned Index) const;
  std::string prefixOf(unsigned Index) const;
  std::string newLine() const {
    return First.KeepsLine ? " " : LineEnding.str() + Indentation.str();
  }
  std::string afterwards(const PlannedArray &A) const;

  void editFirst();
  void editDefinition(const PlannedArray *A);
  void editSeparator(unsigned Index);
  void editEnd();

  StringRef Code;
  const std::vector<const PlannedArray *> &Moved;
  const EditList &PointerEdits;
  const DeclarationText &First;
  StringRef LineEnding;
  StringRef Indentation;
  StorageWriter Writer;
  EditList Edits;
};

} // namespace

const PlannedArray *StatementEditor::at(unsigned Index) const {
  for (const PlannedArray *A : Moved)
    if (A->Array.Text.IndexInStatement == Index)
      return A;
  return nullptr;
}

// Whether an alignment in front of the specifiers is for what A becomes, or for
// what stays, where A is null. A slot, a stripe or bits need none.
static bool keepsAlignment(const PlannedArray *A) {
  return !A || A->Verdict.Kind == VerdictKind::Constant;
}

// What stands before a declarator: the specifiers, as they are or as an array
// that moves needs them; nothing when its own text brings them, as that of a
// pointer into the array before it does.
std::string StatementEditor::prefixOf(unsigned Index) const {
  const PlannedArray *A = at(Index);
  const unsigned Begin = First.AllDeclarators[Index].Offset;
  if (!A && llvm::any_of(PointerEdits, [&](const TextEdit &E) {
        return E.Offset == Begin && !E.Text.empty();
      }))
    return "";
  std::string Prefix = A ? Writer.specifiersOf(*A) : Writer.specifiers(First);
  if (Prefix.empty())
    return Prefix;
  const unsigned Attributes = First.Statement.Offset;
  if (!First.Members.isValid() && keepsAlignment(A))
    Prefix = Writer.text({First.Statement.File, Attributes,
                          First.Specifiers.Offset - Attributes}) +
             Prefix;
  return Prefix + " ";
}

// The statements that follow the declaration of A.
std::string StatementEditor::afterwards(const PlannedArray &A) const {
  std::string Text;
  for (const std::string &Statement : Writer.statementsAfter(A))
    Text += (Text.empty() ? "" : newLine()) + Statement;
  return Text;
}

// The class that the specifiers define stays, as a statement of its own if A
// moves, which is the first declarator or null.
void StatementEditor::editDefinition(const PlannedArray *A) {
  const unsigned Begin = First.Specifiers.Offset, End = First.Specifiers.end();
  const StringRef Head = Code.slice(Begin, First.Members.Offset);
  const bool IsTable = A && A->Verdict.Kind == VerdictKind::Constant;
  // The name is one that nothing else has.
  if (!Head.contains(First.Type) &&
      !(IsTable && First.AllDeclarators.size() == 1))
    Edits.push_back({First.Members.Offset, 0,
                     (Head.ends_with(" ") ? "" : " ") + First.Type + " "});
  if (IsTable)
    Edits.push_back({Begin, 0, "static const "});
  if (!A || IsTable)
    return;
  const std::string Specifiers = Writer.specifiersOf(*A);
  const unsigned Next = First.AllDeclarators.front().Offset;
  Edits.push_back(
      {End, Specifiers.empty() ? Next - End : 0, ";" + newLine() + Specifiers});
}

// The specifiers of the first declarator, when that one moves.
void StatementEditor::editFirst() {
  const PlannedArray *A = at(0);
  if (First.Members.isValid())
    return editDefinition(A);
  if (!A)
    return;
  std::string Specifiers = Writer.specifiersOf(*A);
  unsigned End = Specifiers.empty() ? First.AllDeclarators.front().Offset
                                    : First.Specifiers.end();
  const unsigned Begin =
      keepsAlignment(A) ? First.Specifiers.Offset : First.Statement.Offset;
  Edits.push_back({Begin, End - Begin, std::move(Specifiers)});
}

// The comma between two declarators, which comments may surround.
static size_t findComma(const std::string &Between) {
  TokenReader Tokens(Between);
  while (!Tokens.atEnd() && !Tokens.is(clang::tok::comma))
    Tokens.next();
  return Tokens.offset();
}

// The comma after declarator Index, and all up to the next declarator.
void StatementEditor::editSeparator(unsigned Index) {
  const PlannedArray *Before = at(Index), *After = at(Index + 1);
  if (!Before && !After)
    return;
  unsigned Begin = First.AllDeclarators[Index].end();
  unsigned End = First.AllDeclarators[Index + 1].Offset;
  StringRef Between = Code.slice(Begin, End);
  size_t Comma = findComma(Between.str());
  // Comments stay; the blanks before the next declarator become a new line.
  StringRef Kept = Between.drop_front(Comma + 1);
  StringRef Comments = Kept.rtrim();
  std::string Text = Between.take_front(Comma).str() + ";" + Comments.str();
  Text += newLine();
  std::string Init = Before ? afterwards(*Before) : "";
  if (!Init.empty())
    Text += Init + newLine();
  Text += prefixOf(Index + 1);
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
  std::string Init = Last ? afterwards(*Last) : "";
  if (Init.empty())
    return;
  unsigned End = First.Statement.end();
  StringRef Rest = Code.slice(End, Code.find('\n', End));
  if (isCommentOnly(Rest) && !First.KeepsLine)
    Edits.push_back({End + static_cast<unsigned>(Rest.rtrim().size()), 0,
                     newLine() + Init});
  else
    Edits.push_back({End, 0, " " + Init});
}

EditList StatementEditor::edit() {
  editFirst();
  for (const PlannedArray *A : Moved)
    llvm::append_range(Edits, Writer.editsOfDeclarator(*A));
  for (unsigned I = 0; I + 1 < First.AllDeclarators.size(); ++I)
    editSeparator(I);
  editEnd();
  return std::move(Edits);
}

EditList bankstripe::editsOfStatement(
    StringRef Code, const std::vector<const PlannedArray *> &Moved,
    const EditList &PointerEdits, const EditList &Names) {
  if (Moved.front()->Array.isParameter())
    return editsOfParameter(Code, *Moved.front());
  return StatementEditor(Code, Moved, PointerEdits, Names).edit();
}

// The end of a line, and the indentation of the code behind Begin.
static std::string newLine(StringRef Code, unsigned Begin) {
  const unsigned Next =
      std::min(Code.find_first_not_of(" \t\r\n", Begin), Code.size());
  return (lineEndingOf(Code) + indentationAt(Code, Next)).str();
}

TextEdit bankstripe::firstInBody(StringRef Code, unsigned Begin,
                                 const std::string &Statement) {
  const StringRef Line = Code.drop_front(Begin).take_until(
      [](char C) { return C == '\n' || C == '\r'; });
  if (!Line.trim().empty())
    return {Begin, 0, " " + Statement};
  return {Begin + unsigned(Line.size()), 0, newLine(Code, Begin) + Statement};
}

EditList bankstripe::editsOfParameter(StringRef Code, const PlannedArray &A) {
  const Finding &F = A.Array;
  if (A.Verdict.Kind == VerdictKind::Constant)
    return {{F.Text.Specifiers.Offset, 0, "const __grid_constant__ "}};
  const unsigned Begin = F.Text.BodyBegin.Offset;
  const std::string NewLine = newLine(Code, Begin);
  const std::string Copy = StorageWriter(Code, NewLine).copyOfParameter(A);
  return {firstInBody(Code, Begin, Copy),
          {F.Text.Name.Offset, F.Text.Name.Length, valueName(F)}};
}
