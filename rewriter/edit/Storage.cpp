//===-- Storage.cpp - what a declarator becomes ---------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Storage gets a name of its own, so that uses of the array keep their text
// (docs/internals/layouts.md). Where the launch asks for the storage, or a
// function of the helper holds it, its declaration is a reference to it, here
// called a view.
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
std::string bankstripe::asArgument(const std::string &Text) {
  bool Simple =
      llvm::all_of(Text, [](char C) { return llvm::isAlnum(C) || C == '_'; });
  return Simple ? Text : "(" + Text + ")";
}

static std::string threadsOf(const PlannedArray &A) {
  const Storage &S = A.Verdict.Storage;
  return S.ThreadsText.empty() ? std::to_string(S.Threads) : S.ThreadsText;
}

// One extent as written, or its value where the initialiser gave it.
static std::string extent(const Finding &F, unsigned I) {
  return F.Text.ExtentTexts[I].empty() ? std::to_string(F.Shape.Extents[I])
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
    return ("::bankstripe::" + Unit + "<" + Element + ">").str();
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
  case StripeForm::Bits:
    return "::bankstripe::bit";
  case StripeForm::LongBits:
    return "::bankstripe::long_bit";
  }
  llvm_unreachable("all forms are listed");
}

// Storage of one name has one size wherever the linker sees it, but two files
// may make different versions of one function, or choose other layouts in it. A
// function of the helper holds it then, whose name has its type.
static bool isInHelper(const PlannedArray &A) {
  const Storage &S = A.Verdict.Storage;
  return A.Array.IsWeak && !S.Dynamic;
}

// Whether the declaration is a reference to storage elsewhere.
static bool isView(const PlannedArray &A) {
  return A.Verdict.Storage.Dynamic || isInHelper(A);
}

// `::bankstripe::shared<int[4][8][32], struct a_storage>()`
static std::string inHelper(const PlannedArray &A, const std::string &Type) {
  return "::bankstripe::shared<" + Type + ", struct " + A.Array.Name +
         "_storage" + A.Array.StorageSuffix + ">()";
}

// Whether the name of an array of bits becomes a pointer to the first of them.
// Rows of them are no pointers, and memset clears the array.
static bool isBitPointer(const Finding &F) {
  return F.Trail && F.Shape.Extents.size() == 1 &&
         llvm::none_of(F.Obstacles, [](const Obstacle &O) {
           return O.Why == Reason::PassedToFunction;
         });
}

// Whether the array's name may become a column, which has subscripts and
// nothing else. All else asks for a pointer, a larger part of the helper.
static bool isOnlySubscripted(const PlannedArray &A) {
  const Finding &F = A.Array;
  return A.Verdict.Kind == VerdictKind::Stripe &&
         A.Verdict.Form != StripeForm::Packed && F.Shape.Extents.size() == 1 &&
         !F.HasOtherUses && !F.Trail && !F.HasConst;
}

static std::string storageName(const PlannedArray &A) {
  const Finding &F = A.Array;
  if (A.Verdict.Kind == VerdictKind::Slot)
    return F.Name + "_slots" + F.StorageSuffix;
  if (A.Verdict.Kind == VerdictKind::Bits)
    return isBitPointer(F) ? F.Name + "_bits" + F.StorageSuffix : F.Name;
  return F.Name + "_stripes" + F.StorageSuffix;
}

// Of what a split leaves where it is.
static std::string restName(const Finding &F) {
  return F.Name + "_rest" + F.StorageSuffix;
}

std::string bankstripe::valueName(const Finding &Parameter) {
  return Parameter.Name + "_value" + Parameter.StorageSuffix;
}

static std::string listOfExtents(const Finding &F) {
  std::string List;
  for (unsigned I = 0; I < F.Shape.Extents.size(); ++I)
    List += (I ? ", " : "") + asArgument(extent(F, I));
  return List;
}

static std::string bitsType(const Finding &F) {
  return "::bankstripe::bits<" + listOfExtents(F) + ">";
}

// `a[9]`, `b[2] = {x, y}`: `a`, `b({x, y})`.
static EditList editsOfBits(const PlannedArray &A) {
  const Finding &F = A.Array;
  const DeclarationText &Text = F.Text;
  EditList Edits = {{Text.Extents.Offset, Text.Extents.Length, ""}};
  if (isBitPointer(F))
    Edits.push_back({Text.Name.Offset, Text.Name.Length, storageName(A)});
  const TextRange &Init = Text.Initializer, &Values = Text.Values;
  if (F.Init == InitializerKind::Zero) {
    Edits.push_back({Init.Offset, Init.Length, " = {}"});
  } else if (F.Init == InitializerKind::List) {
    Edits.push_back({Init.Offset, Values.Offset - Init.Offset, "("});
    Edits.push_back({Values.end(), Init.end() - Values.end(), ")"});
  }
  return Edits;
}

// The `const` of pointers stands behind their stars.
static bool makesConstBySpecifier(const PlannedArray &A) {
  const DeclarationText &Text = A.Array.Text;
  return !A.Array.HasConst && Text.Declarator.Offset == Text.Name.Offset;
}

std::string StorageWriter::text(const TextRange &R) const {
  std::string Result;
  unsigned Done = R.Offset;
  for (const auto *It = llvm::lower_bound(Names, TextEdit{R.Offset, 0, ""});
       It != Names.end() && It->end() <= R.end(); ++It) {
    Result += Code.slice(Done, It->Offset);
    Result += It->Text;
    Done = It->end();
  }
  Result += Code.slice(Done, R.end());
  return Result;
}

// Storage is not const, since its elements get their values behind it.
std::string StorageWriter::elementSpecifiers(const PlannedArray &A) const {
  const TextRange &All = A.Array.Text.Specifiers, &Const = A.Array.Text.Const;
  if (!A.Array.Text.Type.empty())
    return A.Array.Text.Type;
  if (!Const.isValid())
    return text(All);
  std::string Before = text({All.File, All.Offset, Const.Offset - All.Offset});
  const std::string After =
      text({All.File, Const.end(), All.end() - Const.end()});
  return StringRef(Before + StringRef(After).ltrim().str()).rtrim().str();
}

std::string StorageWriter::specifiersOf(const PlannedArray &A) const {
  const VerdictKind Kind = A.Verdict.Kind;
  if (Kind == VerdictKind::Constant)
    return (makesConstBySpecifier(A) ? "static const " : "static ") +
           specifiers(A.Array.Text);
  if (Kind == VerdictKind::Bits)
    return bitsType(A.Array);
  if (Kind == VerdictKind::Slot || isView(A))
    return "";
  return "__shared__ " + unitText(A.Verdict.Form, elementSpecifiers(A));
}

// The extents of the units that a lane has.
std::string StorageWriter::unitExtents(const PlannedArray &A,
                                       unsigned From) const {
  const Finding &F = A.Array;
  if (A.Verdict.Kind == VerdictKind::Split)
    return "[" + std::to_string(A.Verdict.First) + "]";
  std::string Result;
  for (unsigned I = From; I < F.Shape.Extents.size(); ++I) {
    std::string Extent = extent(F, I);
    if (A.Verdict.Form == StripeForm::Packed && I + 1 == F.Shape.Extents.size())
      Extent = llvm::formatv("::bankstripe::packed_words<{0}>({1})",
                             elementSpecifiers(A), Extent);
    Result += "[" + Extent + "]";
  }
  return Result;
}

std::string StorageWriter::stripeExtents(const PlannedArray &A) const {
  return "[::bankstripe::warps(" + threadsOf(A) + ")]" + unitExtents(A) +
         "[32]";
}

// Of the functions that give the calling warp its part of dynamic memory.
static std::string dynamicArguments(const Verdict &V) {
  return llvm::formatv(", {0}, {1}, {2}{3}", V.Storage.WarpOffset,
                       V.Storage.WarpOffset + V.Storage.BytesPerWarp,
                       V.Storage.WarpBytes,
                       V.Storage.Behind ? ", ::bankstripe::behind" : "");
}

static std::string blockTest(const PlannedArray &A) {
  return llvm::formatv("::bankstripe::require_block_of_at_most<{0}>();",
                       A.Verdict.Storage.Threads);
}

// `int ` or `int *`, for a name to follow.
static std::string behindType(StringRef Type) {
  return (Type + (Type.ends_with("*") ? "" : " ")).str();
}

// `int *` of `int *a[4]`.
std::string StorageWriter::elementText(const PlannedArray &A) const {
  const DeclarationText &Text = A.Array.Text;
  const std::string Stars =
      Code.slice(Text.Declarator.Offset, Text.Name.Offset).rtrim().str();
  return elementSpecifiers(A) + (Stars.empty() ? "" : " " + Stars);
}

// The declaration of a stripe that is a view, without the semicolon.
std::string StorageWriter::viewDeclaration(const PlannedArray &A) const {
  const std::string Unit = unitText(A.Verdict.Form, elementText(A));
  if (isInHelper(A))
    return "auto &" + storageName(A) + " = " +
           inHelper(A, Unit + stripeExtents(A));
  return llvm::formatv("auto {0} = ::bankstripe::dynamic_stripe<{1}{2}{3}>()",
                       storageName(A), Unit, unitExtents(A),
                       dynamicArguments(A.Verdict));
}

// `*new (...) Stack(10)`, or with the extents of an array.
std::string StorageWriter::construction(const PlannedArray &A) const {
  const Finding &F = A.Array;
  std::string Init =
      F.isParameter() ? "(" + valueName(F) + ")" : text(F.Text.Initializer);
  StringRef Trimmed = StringRef(Init).ltrim();
  if (Trimmed.consume_front("=")) {
    Trimmed = Trimmed.trim();
    Init = Trimmed.starts_with("{") ? Trimmed.str() : "(" + Trimmed.str() + ")";
  }
  // `struct S{` would define a class, and what depends on the template needs
  // none.
  if (F.BracesCopy && !F.ElementDependent &&
      (!F.Text.Type.empty() ||
       !StringRef(elementSpecifiers(A)).contains(' '))) {
    Init = StringRef(Init).trim().str();
    Init.front() = '{';
    Init.back() = '}';
  }
  return "::new (::bankstripe::place(" + storageName(A) + ")) " +
         elementSpecifiers(A) + writtenExtents(F) + Init;
}

// The argument for memory that casts take for more than the type promises.
static std::string slotAlignment(const Finding &F) {
  for (const ArrayInstance &I : F.Instances)
    if (I.SlotAlignment > I.Alignment)
      return ", " + std::to_string(I.SlotAlignment);
  return "";
}

// Where slots are, as their type or as a call that finds them.
std::string StorageWriter::slotStorage(const PlannedArray &A) const {
  const Verdict &V = A.Verdict;
  const std::string Array = elementText(A) + writtenExtents(A.Array);
  const std::string Alignment = slotAlignment(A.Array);
  if (V.Storage.Dynamic)
    return llvm::formatv(
        "auto &{0} = ::bankstripe::dynamic_slots<{1}{2}{3}{4}>()",
        storageName(A), Array, dynamicArguments(V),
        Alignment.empty() || V.Storage.Behind ? "" : ", false", Alignment);
  const std::string Type =
      llvm::formatv("::bankstripe::slots<{0}, {1}{2}>", Array,
                    asArgument(threadsOf(A)), Alignment);
  return isInHelper(A) ? "auto &" + storageName(A) + " = " + inHelper(A, Type)
                       : "__shared__ " + Type + " " + storageName(A);
}

// Both declarations of a slot, without the last semicolon.
std::string StorageWriter::slotDeclaration(const PlannedArray &A) const {
  const Finding &F = A.Array;
  const std::string Element = elementText(A), Extents = writtenExtents(F);
  const bool Constructed = F.Init == InitializerKind::Construct;
  std::string Text = slotStorage(A) + ";" + NewLine;
  if (A.Verdict.Storage.TestsBlock)
    Text += blockTest(A) + NewLine;
  if (Constructed && !F.IsObject)
    Text += construction(A) + ";" + NewLine;
  Text += (F.Text.Const.isValid() ? "const " : "") + behindType(Element);
  Text += Extents.empty() ? "&" + F.Name : "(&" + F.Name + ")" + Extents;
  if (Constructed && F.IsObject)
    return Text + " = *" + construction(A);
  return Text + " = " + storageName(A) + ".mine()";
}

std::string StorageWriter::copyOfParameter(const PlannedArray &A) const {
  return slotDeclaration(A) + ";";
}

EditList StorageWriter::editsOfDeclarator(const PlannedArray &A) const {
  const DeclarationText &Text = A.Array.Text;
  const VerdictKind Kind = A.Verdict.Kind;
  if (Kind == VerdictKind::Constant)
    return A.Array.HasConst || makesConstBySpecifier(A)
               ? EditList()
               : EditList{{Text.Name.Offset, 0, "const "}};
  if (Kind == VerdictKind::Bits)
    return editsOfBits(A);
  const unsigned Begin = Text.Declarator.Offset;
  const unsigned Length =
      Text.AllDeclarators[Text.IndexInStatement].end() - Begin;
  if (Kind == VerdictKind::Slot)
    return {{Begin, Length, slotDeclaration(A)}};
  if (isView(A))
    return {{Begin, Length, viewDeclaration(A)}};
  EditList Edits = {
      {Text.Name.Offset, Text.Name.Length, storageName(A)},
      {Text.Extents.Offset, Text.Extents.Length, stripeExtents(A)}};
  if (Text.Initializer.isValid() && Text.Initializer.Length)
    Edits.push_back({Text.Initializer.Offset, Text.Initializer.Length, ""});
  return Edits;
}

// The statement that does what the initialiser did; empty without one.
std::string StorageWriter::initialisation(const PlannedArray &A) const {
  const Finding &F = A.Array;
  const bool IsSlot = A.Verdict.Kind == VerdictKind::Slot;
  const std::string Slot = F.HasConst ? storageName(A) + ".mine()" : F.Name;
  if (F.Init == InitializerKind::None || F.Init == InitializerKind::Construct)
    return "";
  if (F.Init == InitializerKind::Zero)
    return (IsSlot ? "::bankstripe::clear_slot(" : "::bankstripe::clear(") +
           (IsSlot ? Slot : storageName(A)) + ");";
  std::string Values = text(F.Text.Values);
  if (!StringRef(Values).starts_with("{"))
    Values = "{" + Values + "}"; // A string.
  if (IsSlot)
    return "::bankstripe::initialize_slot(" + Slot + ", " + Values + ");";
  const bool IsSplit = A.Verdict.Kind == VerdictKind::Split;
  return "::bankstripe::initialize<" + listOfExtents(F) + ">(" +
         (IsSplit ? F.Name : storageName(A)) + ", " + Values + ");";
}

// `int a_rest[32 - 8]`, the elements that a split leaves where they are.
std::string StorageWriter::restDeclaration(const PlannedArray &A) const {
  const Finding &F = A.Array;
  return llvm::formatv("{0}{1}[{2} - {3}]{4};", behindType(elementText(A)),
                       restName(F), asArgument(extent(F, 0)), A.Verdict.First,
                       F.Init == InitializerKind::Zero ? " = {}" : "");
}

// What begins the declaration of a stripe's name.
std::string StorageWriter::accessor(const PlannedArray &A) const {
  if (!A.Array.Text.Const.isValid())
    return "auto ";
  return "::bankstripe::pointer<const " +
         unitText(A.Verdict.Form, elementText(A)) + unitExtents(A, 1) + "> ";
}

std::vector<std::string>
StorageWriter::statementsAfter(const PlannedArray &A) const {
  std::vector<std::string> Statements;
  // A slot checks between its two declarations.
  if (A.Verdict.Storage.TestsBlock && A.Verdict.hasForm())
    Statements.push_back(blockTest(A));
  const bool IsSplit = A.Verdict.Kind == VerdictKind::Split;
  if (IsSplit)
    Statements.push_back(restDeclaration(A));
  const std::string Storage = storageName(A);
  if (A.Verdict.hasForm() && Storage != A.Array.Name)
    Statements.push_back(accessor(A) + A.Array.Name +
                         (isOnlySubscripted(A) ? " = ::bankstripe::column("
                                               : " = ::bankstripe::begin(") +
                         Storage + (IsSplit ? ", " + restName(A.Array) : "") +
                         ");");
  if (A.Verdict.usesShared())
    if (std::string Init = initialisation(A); !Init.empty())
      Statements.push_back(std::move(Init));
  return Statements;
}
