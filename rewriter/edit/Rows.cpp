//===-- Rows.cpp - rows, which say what launches bring and run ------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The row of a kernel stands behind it, or behind its version:
//
//     static ::bankstripe::storage count_row("count", count, 2112);
//     static ::bankstripe::version sum_row("sum", sum, sum_striped, 2112);
//
// Each instance of a template has a row of its own, be it that nobody can name
// the instance, such as one of a lambda. It is a static member of a template:
//
//     template <class Here, class T> struct sum_row {
//       static ::bankstripe::version row;
//       static ::bankstripe::bodies both();
//       template <::bankstripe::version *> struct of { typedef void type; };
//       typedef typename of<&row>::type type;
//     };
//
// Here is ::bankstripe::here, a type of this file alone, so that other files
// have rows of their own. (nvcc 13 cannot name a kernel in an unnamed namespace
// where another namespace has one, too.) The version returns `typename
// sum_row<::bankstripe::here, T>::type`, which is void, and has the row of each
// instance made where the version is. The kernel mentions `sum_striped<T>` in a
// statement that does nothing, so that nvcc makes the version of each instance
// that there is of the kernel. So the version stands before the kernel.
//
//===----------------------------------------------------------------------===//

#include "edit/EditInternal.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace bankstripe;
using llvm::StringRef;

/// What stands before the version of a template, and behind the kernel.
static constexpr char HeadOfRow[] = R"({0} struct {1} {{
  static ::bankstripe::{2} row;
  static ::bankstripe::bodies both();
  template <::bankstripe::{2} *> struct of {{ typedef void type; };
  typedef typename of<&row>::type type;
};
)";
static constexpr char RestOfRow[] = R"(
{0} ::bankstripe::bodies {1}{2}::both() {{
  return {{{3}{4}, {5}{4}, __PRETTY_FUNCTION__};
}
{0} ::bankstripe::{6} {1}{2}::row({7});)";

// `space::sum` of `space::(anonymous namespace)::sum<int>`.
static std::string titleOf(const Kernel &K) {
  static constexpr llvm::StringLiteral Unnamed = "(anonymous namespace)::";
  std::string Title(withoutTemplateArguments(K.Name));
  for (size_t At; (At = Title.find(Unnamed)) != std::string::npos;)
    Title.erase(At, Unnamed.size());
  return Title;
}

// What is predicted of the version of \p K.
static decltype(KernelRow::Expected) expectationOf(const KernelPlan &K) {
  const auto &P = K.Foreseen;
  if (P && P->Speedup < 1)
    return KernelRow::Loses;
  return P && std::min(P->Low, P->Worst) > 1 ? KernelRow::Gains
                                             : KernelRow::MayGain;
}

std::map<TextRange, KernelRow> bankstripe::rowsOf(const Plan &P) {
  std::map<TextRange, KernelRow> Rows;
  for (const KernelPlan &K : P.Kernels) {
    if (!K.hasRow())
      continue;
    auto [It, New] = Rows.try_emplace(K.Facts.Text.Definition);
    KernelRow &R = It->second; // Instances share it.
    R.Text = &K.Facts.Text;
    R.Title = titleOf(K.Facts);
    R.BodyBegin = K.Facts.BodyBegin;
    R.HasVersion = K.HasVersion;
    R.Waits |= K.Waits;
    R.WhereResident = K.WhereResident;
    R.Chooses = K.Chooses;
    R.Expected = std::min(R.Expected, expectationOf(K));
    R.WarpBytes = std::max(R.WarpBytes, K.WarpBytes);
    R.Carved = New || R.Carved == K.Carved ? K.Carved : Carveout();
  }
  return Rows;
}

std::string KernelRow::type() const {
  return Chooses ? "choice" : HasVersion ? "version" : "storage";
}

// What it says behind the kernels.
std::string KernelRow::values() const {
  std::string Result = std::to_string(WarpBytes);
  const bool IsCarved = Carved.How != Carveout::Rule::Auto;
  if (Chooses)
    Result += Expected == Gains     ? ", ::bankstripe::gains"
              : Expected == MayGain ? ", ::bankstripe::may_gain"
                                    : ", ::bankstripe::loses";
  llvm::SmallVector<StringRef, 2> Conditions;
  if (Waits)
    Conditions.push_back("::bankstripe::may_wait");
  if (WhereResident)
    Conditions.push_back("::bankstripe::where_resident");
  if (HasVersion && (!Conditions.empty() || IsCarved))
    Result += ", " + (Conditions.empty() ? "0" : llvm::join(Conditions, " | "));
  if (IsCarved)
    Result += Carved.How == Carveout::Rule::Driver
                  ? ", ::bankstripe::by_driver"
                  : ", " + std::to_string(Carved.Percent);
  return Result;
}

// All of it, of a kernel that is no template.
std::string KernelRow::definition() const {
  const std::string &Name = Text->Name;
  return llvm::formatv("static ::bankstripe::{0} {1}(\"{2}\", {3}{4}, {5});",
                       type(), rowName(Name), Title, Name,
                       HasVersion ? ", " + versionName(Name) : "", values());
}

static std::string withEnding(std::string Text, StringRef LineEnding) {
  for (size_t At = 0;
       LineEnding != "\n" && (At = Text.find('\n', At)) != std::string::npos;
       At += LineEnding.size())
    Text.replace(At, 1, LineEnding);
  return Text;
}

// A list of template parameters or arguments with another one before it.
static std::string withFirst(StringRef First, std::string List) {
  return List.insert(List.find('<') + 1, (First + ", ").str());
}

std::string KernelRow::head(StringRef LineEnding) const {
  return withEnding(llvm::formatv(HeadOfRow,
                                  withFirst("class Here", Text->TemplateHead),
                                  rowName(Text->Name), type()),
                    LineEnding);
}

std::string KernelRow::rest(StringRef LineEnding) const {
  return withEnding(
      llvm::formatv(RestOfRow, withFirst("class Here", Text->TemplateHead),
                    rowName(Text->Name),
                    withFirst("Here", Text->TemplateArguments), Text->Name,
                    Text->TemplateArguments, versionName(Text->Name), type(),
                    "\"" + Title + "\", both(), " + values()),
      LineEnding);
}

TextEdit bankstripe::behindDefinition(const TextRange &Definition,
                                      const FileText &Code, std::string Text) {
  const StringRef LineEnding = lineEndingOf(Code);
  Text = (LineEnding + Text).str();
  const StringRef Line = Code.drop_front(Definition.end()).split('\n').first;
  if (!Line.trim().empty() || codeFollows(Code, Definition.end()))
    Text += LineEnding;
  return {Definition.end(), 0, std::move(Text)};
}

llvm::Expected<EditList> bankstripe::versionBeside(const KernelRow &Row,
                                                   const FileText &Code,
                                                   EditList Edits) {
  const KernelText &Text = *Row.Text;
  const TextRange Name = {Text.NamePlace.File, Text.NamePlace.Offset,
                          unsigned(Text.Name.size())};
  const StringRef LineEnding = lineEndingOf(Code);
  const std::string Comment =
      (SameAsText + textDigest(Code.slice(Name.Offset, Text.Definition.end())) +
       ", with arrays in shared memory; launches run it where they can.")
          .str();
  if (!Row.isTemplate()) {
    auto Copy = copyBehind(Text.Definition, Name, Text.Specifiers, Text.Linkage,
                           Code, std::move(Edits), Comment, Row.definition());
    if (!Copy)
      return Copy.takeError();
    return EditList{std::move(*Copy)};
  }
  Edits.push_back({Text.Type.Offset, Text.Type.Length,
                   "typename " + rowName(Text.Name) +
                       withFirst("::bankstripe::here", Text.TemplateArguments) +
                       "::type"});
  auto Copy = copyBefore(Text.Definition, Name, Text.Specifiers, Text.Linkage,
                         Code, std::move(Edits), Row.head(LineEnding), Comment);
  if (!Copy)
    return Copy.takeError();
  return EditList{
      std::move(*Copy),
      firstInBody(Code, Row.BodyBegin.Offset,
                  ("(void)" + versionName(Text.Name) + Text.TemplateArguments +
                   ForEachInstance)
                      .str()),
      behindDefinition(Text.Definition, Code, Row.rest(LineEnding))};
}
