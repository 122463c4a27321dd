//===-- Storage.cpp - what a declarator becomes ---------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stripe keeps its declarator and gets other extents; a slot becomes two
// declarations, of the storage and of a reference of the original type, so that
// every use can stay as it is:
//
//     __shared__ bankstripe::slots<float[32], 128> a_slots;
//     float (&a)[32] = a_slots.mine();
//
// An object of a class with a constructor is made in its slot:
//
//     __shared__ bankstripe::slots<Stack, 128> s_slots;
//     Stack &s = *new (bankstripe::place(s_slots)) Stack(10);
//
// An array whose uses stay as they are written, in macros or as a pointer that
// walks, keeps its name for an accessor of its stripe:
//
//     __shared__ float a_stripes[bankstripe::warps(128)][32][32];
//     auto a = bankstripe::begin(a_stripes);
//
// Where the launch brings the storage, it has no declaration of its own:
//
//     auto counts = bankstripe::dynamic_stripe<int[16], 0, 4224>();
//     auto &a_slots = bankstripe::dynamic_slots<float[32], 2048, 4224>();
//
// A table of constants that nobody writes only becomes `static const`.
//
//===----------------------------------------------------------------------===//

#include "edit/Storage.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FormatVariadic.h"

using namespace bankstripe;
using llvm::StringRef;

// A `>` or a comma would end a template argument.
static std::string asArgument(const std::string &Text) {
  bool Simple =
      llvm::all_of(Text, [](char C) { return llvm::isAlnum(C) || C == '_'; });
  return Simple ? Text : "(" + Text + ")";
}

static std::string threadsOf(const PlannedArray &A) {
  const Verdict &V = A.Decision;
  return V.ThreadsText.empty() ? std::to_string(V.Threads) : V.ThreadsText;
}

// One extent as written, or its value where the initialiser gave it.
static std::string extent(const Finding &F, unsigned I) {
  return F.Text.ExtentTexts[I].empty() ? std::to_string(F.Extents[I])
                                       : F.Text.ExtentTexts[I];
}

// `[4][8]`, as far as the declarator spells them.
static std::string writtenExtents(const Finding &F) {
  std::string Text;
  for (unsigned I = 0; I < F.Text.ExtentTexts.size(); ++I)
    Text += "[" + extent(F, I) + "]";
  return Text;
}

std::string bankstripe::unitText(StripeForm Form, StringRef Element) {
  auto Wrapped = [&](StringRef Unit) {
    return ("bankstripe::" + Unit + "<" + Element + ">").str();
  };
  switch (Form) {
  case StripeForm::Plain:
  case StripeForm::Unpacked:
    return Element.str();
  case StripeForm::Padded:
    return Wrapped("padded");
  case StripeForm::Wide:
    return Wrapped("word");
  case StripeForm::Packed:
    return Wrapped("packed");
  case StripeForm::Unit:
    return Wrapped("unit");
  }
  llvm_unreachable("all forms are listed");
}

// An accessor takes the name of the array, and the storage another one.
static const std::string &stripeName(const Finding &F) {
  return F.NeedsAccessor ? F.StripesName : F.Name;
}

std::string StorageWriter::editedText(const TextRange &R) const {
  return llvm::cantFail(applyEdits(Code, R.Offset, R.end(), UseEdits));
}

// The `const` of pointers stands behind their stars.
static bool makesConstBySpecifier(const PlannedArray &A) {
  const DeclarationText &Text = A.Array.Text;
  return !A.Array.HasConst && Text.Declarator.Offset == Text.Name.Offset;
}

std::string StorageWriter::specifiersOf(const PlannedArray &A) const {
  const std::string Written = text(A.Array.Text.Specifiers);
  switch (A.Decision.Kind) {
  case VerdictKind::Slot:
    return "";
  case VerdictKind::Stripe:
    if (A.Decision.Dynamic)
      return "";
    break;
  case VerdictKind::Constant:
    return (makesConstBySpecifier(A) ? "static const " : "static ") + Written;
  default:
    break;
  }
  return "__shared__ " + unitText(A.Decision.Form, Written);
}

// The extents of the units that a lane has.
std::string StorageWriter::unitExtents(const PlannedArray &A) const {
  const Finding &F = A.Array;
  std::string Result;
  for (unsigned I = 0; I < F.Extents.size(); ++I) {
    std::string Extent = extent(F, I);
    if (A.Decision.Form == StripeForm::Packed && I + 1 == F.Extents.size())
      Extent = llvm::formatv("bankstripe::packed_words<{0}>({1})",
                             text(F.Text.Specifiers), Extent);
    Result += "[" + Extent + "]";
  }
  return Result;
}

std::string StorageWriter::stripeExtents(const PlannedArray &A) const {
  return "[bankstripe::warps(" + threadsOf(A) + ")]" + unitExtents(A) + "[32]";
}

// Of the functions that give the calling warp its part of dynamic memory.
static std::string dynamicArguments(const Verdict &V) {
  return llvm::formatv(", {0}, {1}{2}", V.WarpOffset, V.WarpBytes,
                       V.Behind ? ", bankstripe::behind" : "");
}

// `int *` of `int *a[4]`.
std::string StorageWriter::elementText(const PlannedArray &A) const {
  const DeclarationText &Text = A.Array.Text;
  const std::string Stars =
      Code.slice(Text.Declarator.Offset, Text.Name.Offset).rtrim().str();
  return text(Text.Specifiers) + (Stars.empty() ? "" : " " + Stars);
}

// `bankstripe::dynamic_stripe<int[4], 0, 512>()` for units `int[4]`.
static std::string stripeView(const Verdict &V, const std::string &Units) {
  return "bankstripe::dynamic_stripe<" + Units + dynamicArguments(V) + ">()";
}

// The declaration of a stripe that is a view, without the semicolon.
std::string StorageWriter::viewDeclaration(const PlannedArray &A) const {
  return "auto " + stripeName(A.Array) + " = " +
         stripeView(A.Decision,
                    unitText(A.Decision.Form, elementText(A)) + unitExtents(A));
}

// `*new (...) Stack(10)`, or with the extents of an array.
std::string StorageWriter::construction(const Finding &F) const {
  std::string Init = editedText(F.Text.Initializer);
  StringRef Trimmed = StringRef(Init).ltrim();
  if (Trimmed.consume_front("=")) {
    Trimmed = Trimmed.trim();
    Init = Trimmed.starts_with("{") ? Trimmed.str() : "(" + Trimmed.str() + ")";
  }
  return "new (bankstripe::place(" + F.SlotsName + ")) " +
         text(F.Text.Specifiers) + writtenExtents(F) + Init;
}

// The argument for memory that casts take for more than the type promises.
static std::string slotAlignment(const Finding &F) {
  for (const ArrayInstance &I : F.Instances)
    if (I.SlotAlignment > I.Alignment)
      return ", " + std::to_string(I.SlotAlignment);
  return "";
}

// `bankstripe::dynamic_slots<int[4], 0, 512>()` for the type `int[4]`.
static std::string slotsView(const PlannedArray &A, const std::string &Type) {
  const Verdict &V = A.Decision;
  const std::string Alignment = slotAlignment(A.Array);
  return "bankstripe::dynamic_slots<" + Type + dynamicArguments(V) +
         (Alignment.empty() || V.Behind ? "" : ", false") + Alignment + ">()";
}

// Both declarations of a slot, without the last semicolon.
std::string StorageWriter::slotDeclaration(const PlannedArray &A) const {
  const Finding &F = A.Array;
  const std::string Element = elementText(A);
  const std::string Extents = writtenExtents(F);
  const bool Constructed = F.Init == InitializerKind::Construct;

  std::string Text;
  if (A.Decision.Dynamic)
    Text =
        "auto &" + F.SlotsName + " = " + slotsView(A, Element + Extents) + ";";
  else
    Text = llvm::formatv("__shared__ bankstripe::slots<{0}{1}, {2}{3}> {4};",
                         Element, Extents, asArgument(threadsOf(A)),
                         slotAlignment(F), F.SlotsName);
  Text += NewLine;
  if (!F.InKernel && !A.Decision.Dynamic)
    Text += llvm::formatv("bankstripe::require_block_of_at_most<{0}>();{1}",
                          A.Decision.Threads, NewLine);
  if (Constructed && !F.IsObject)
    Text += construction(F) + ";" + NewLine;
  Text += Element + (StringRef(Element).ends_with("*") ? "" : " ");
  Text += Extents.empty() ? "&" + F.Name : "(&" + F.Name + ")" + Extents;
  if (Constructed && F.IsObject)
    return Text + " = *" + construction(F);
  return Text + " = " + F.SlotsName + ".mine()";
}

EditList StorageWriter::editsOfDeclarator(const PlannedArray &A) const {
  const DeclarationText &Text = A.Array.Text;
  EditList Edits;
  switch (A.Decision.Kind) {
  case VerdictKind::Constant:
    if (!A.Array.HasConst && !makesConstBySpecifier(A))
      Edits.push_back({Text.Name.Offset, 0, "const "});
    return Edits;
  case VerdictKind::Slot: {
    unsigned End = Text.AllDeclarators[Text.IndexInStatement].end();
    Edits.push_back({Text.Declarator.Offset, End - Text.Declarator.Offset,
                     slotDeclaration(A)});
    return Edits;
  }
  default:
    if (A.Decision.Dynamic) {
      unsigned End = Text.AllDeclarators[Text.IndexInStatement].end();
      Edits.push_back({Text.Declarator.Offset, End - Text.Declarator.Offset,
                       viewDeclaration(A)});
      return Edits;
    }
    if (A.Array.NeedsAccessor)
      Edits.push_back(
          {Text.Name.Offset, Text.Name.Length, A.Array.StripesName});
    Edits.push_back(
        {Text.Extents.Offset, Text.Extents.Length, stripeExtents(A)});
    if (Text.Initializer.isValid() && Text.Initializer.Length)
      Edits.push_back({Text.Initializer.Offset, Text.Initializer.Length, ""});
    return Edits;
  }
}

// The statement that does what the initialiser did; empty without one.
std::string StorageWriter::initialisation(const PlannedArray &A) const {
  const Finding &F = A.Array;
  const bool IsSlot = A.Decision.Kind == VerdictKind::Slot;
  if (F.Init == InitializerKind::None || F.Init == InitializerKind::Construct)
    return "";
  if (F.Init == InitializerKind::Zero)
    return (IsSlot ? "bankstripe::clear_slot(" : "bankstripe::clear(") +
           (IsSlot ? F.Name : stripeName(F)) + ");";
  const std::string Values = editedText(F.Text.Values);
  if (IsSlot)
    return "bankstripe::initialize_slot(" + F.Name + ", " + Values + ");";
  std::string Arguments;
  for (unsigned I = 0; I < F.Extents.size(); ++I)
    Arguments += (I ? ", " : "") + asArgument(extent(F, I));
  return "bankstripe::initialize<" + Arguments + ">(" + stripeName(F) + ", " +
         Values + ");";
}

std::vector<std::string>
StorageWriter::statementsAfter(const PlannedArray &A) const {
  std::vector<std::string> Statements;
  if (!A.Decision.usesShared())
    return Statements;
  // A slot checks between its two declarations.
  if (!A.Array.InKernel && A.Decision.Kind == VerdictKind::Stripe &&
      !A.Decision.Dynamic)
    Statements.push_back(llvm::formatv(
        "bankstripe::require_block_of_at_most<{0}>();", A.Decision.Threads));
  if (A.Array.NeedsAccessor && A.Decision.Kind == VerdictKind::Stripe)
    Statements.push_back("auto " + A.Array.Name + " = bankstripe::begin(" +
                         A.Array.StripesName + ");");
  std::string Init = initialisation(A);
  if (!Init.empty())
    Statements.push_back(std::move(Init));
  return Statements;
}
