//===-- PointerEdits.cpp - pointers and functions of striped arrays -------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pointers that walk over an array, and the functions that they are passed to
// (docs/internals/layouts.md, "Pointers"). What is needed is collected from the
// calls: which parameters of a function are striped there, and in which form.
// The function passes them on, which may ask for further ones.
//
//===----------------------------------------------------------------------===//

#include "edit/EditInternal.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace bankstripe;
using llvm::StringRef;

static std::string pointerText(const Pointee &To, const Treatment &Layout) {
  if (To.Text == Pointee::Deduced)
    return To.Text;
  const std::string Const = To.Const ? "const " : "";
  return "::bankstripe::pointer<" +
         (Layout.Kind == VerdictKind::Split
              ? "::bankstripe::split<" + Const + To.Text + ", " +
                    std::to_string(Layout.First) + ">"
              : Const + unitText(Layout.Form, To.Text)) +
         ">";
}

EditList bankstripe::editsOfPointers(const PointerTrail &Trail,
                                     const Treatment &Layout,
                                     StringRef Deduced) {
  EditList Edits;
  for (const PointerDeclaration &D : Trail.Locals)
    for (const TextRange &Star : D.Stars) {
      const bool IsFirst = &Star == &D.Stars.front();
      const unsigned Begin = IsFirst ? D.Specifiers.Offset : Star.Offset;
      Edits.push_back({Begin, Star.end() - Begin,
                       !IsFirst          ? ""
                       : Deduced.empty() ? pointerText(D.To, Layout) + " "
                                         : (Deduced + " ").str()});
    }
  return Edits;
}

namespace {

/// The striped parameters of a function, with what they point to.
using Forms = std::map<unsigned, Treatment>;
/// One overload: the place of the original, and what differs.
using Overload = std::pair<Place, Forms>;

/// What calls pass, by the call and by what it calls.
using PassedForms = std::map<std::pair<TextRange, Place>, Forms>;

} // namespace

static void addArguments(const PointerTrail &Trail, const Treatment &Layout,
                         PassedForms &Passed) {
  for (const PointerArgument &A : Trail.Arguments)
    Passed[{A.Call, A.Callee}][A.Parameter] = Layout;
}

// Adds the overloads that calls ask for, and those that these call themselves.
static void addOverloads(const Plan &P, const PassedForms &Passed,
                         std::set<Overload> &Needed) {
  for (const auto &[Call, Striped] : Passed) {
    const Place &Where = Call.second;
    auto It = P.Callees.find(Where);
    if (It == P.Callees.end() || !Needed.insert({Where, Striped}).second)
      continue;
    PassedForms Inner;
    for (auto [Index, Layout] : Striped)
      if (auto Facts = It->second.Parameters.find(Index);
          Facts != It->second.Parameters.end())
        addArguments(Facts->second.Trail, Layout, Inner);
    addOverloads(P, Inner, Needed);
  }
}

static std::set<Overload> overloadsOf(const Plan &P) {
  PassedForms Passed;
  for (const PlannedArray &A : P.Arrays)
    if (A.Verdict.hasForm() && A.Array.Trail)
      addArguments(*A.Array.Trail, A.Verdict, Passed);
  std::set<Overload> Needed;
  addOverloads(P, Passed, Needed);
  return Needed;
}

static bool hasBitsAlone(const Forms &Striped) {
  return llvm::all_of(
      llvm::make_second_range(Striped),
      [](const Treatment &Layout) { return Layout.Kind == VerdictKind::Bits; });
}

EditList bankstripe::editsWithoutHost(const TextRange &Definition,
                                      StringRef Code) {
  EditList Edits;
  constexpr StringRef Host = "__host__";
  const StringRef Header =
      Code.substr(Definition.Offset, Definition.Length).take_until([](char Ch) {
        return Ch == '{';
      });
  for (size_t At = Header.find(Host); At != StringRef::npos;
       At = Header.find(Host, At + 1)) {
    const StringRef Rest = Header.substr(At + Host.size());
    const size_t Blanks = Rest.size() - Rest.ltrim(' ').size();
    Edits.push_back({static_cast<unsigned>(Definition.Offset + At),
                     static_cast<unsigned>(Host.size() + Blanks), ""});
  }
  return Edits;
}

// The copy of a function with other parameters.
static llvm::Expected<EditedText>
overloadText(const Callee &C, const Forms &Striped, const FileText &Code) {
  EditList Edits;
  if (!hasBitsAlone(Striped))
    Edits = editsWithoutHost(C.Definition, Code);
  for (auto [Index, Layout] : Striped) {
    auto It = C.Parameters.find(Index);
    if (It == C.Parameters.end())
      continue;
    const CalleeParameter &Parameter = It->second;
    // A template deduces its parameter from the element itself.
    Treatment Own = Layout;
    if (Parameter.To.Dependent)
      Own.Form = StripeForm::Plain;
    Pointee To = Parameter.To;
    To.Const &= !To.Dependent;
    Edits.push_back({Parameter.Text.Offset, Parameter.Text.Length,
                     pointerText(To, Own) + " " + Parameter.Name});
    llvm::append_range(Edits, editsOfPointers(Parameter.Trail, Own));
  }
  return applyEdits(Code, C.Definition.Offset, C.Definition.end(),
                    std::move(Edits));
}

// The function as a template of what the parameters \p Indices point with.
static EditList templateEdits(const Callee &C,
                              const std::set<unsigned> &Indices,
                              const std::string &NewLine) {
  EditList Edits;
  std::string Head;
  for (unsigned Index : Indices) {
    const CalleeParameter &Parameter = C.Parameters.at(Index);
    Head +=
        (Head.empty() ? "template <class " : ", class ") + Parameter.Deduced;
    Edits.push_back({Parameter.Text.Offset, Parameter.Text.Length,
                     Parameter.Deduced + " " + Parameter.Name});
    llvm::append_range(Edits, editsOfPointers(Parameter.Trail, Treatment(),
                                              Parameter.Deduced));
  }
  Edits.push_back({C.Definition.Offset, 0, Head + ">" + NewLine});
  return Edits;
}

llvm::Expected<EditList> bankstripe::editsOfCallees(const Plan &P,
                                                    StringRef Path,
                                                    const FileText &Code,
                                                    bool &NeedsHelper) {
  const std::string LineEnding = lineEndingOf(Code).str();
  std::map<unsigned, std::string> Texts; // By the place behind the original.
  std::map<Place, std::set<unsigned>> Templates; // Their parameters.
  auto NewLineOf = [&](const Callee &C) {
    return LineEnding + indentationAt(Code, C.Definition.Offset).str();
  };
  for (const auto &[Where, Striped] : overloadsOf(P)) {
    const Callee &C = P.Callees.at(Where);
    if (C.Definition.File != Path)
      continue;
    if (llvm::all_of(Striped, [&](const auto &Each) {
          auto It = C.Parameters.find(Each.first);
          return It != C.Parameters.end() && !It->second.Deduced.empty();
        })) {
      for (auto [Index, Layout] : Striped)
        Templates[Where].insert(Index);
      continue;
    }
    NeedsHelper = true;
    auto Overload = overloadText(C, Striped, Code);
    if (!Overload)
      return Overload.takeError();
    const std::string NewLine = NewLineOf(C);
    const bool Guard = C.MayBeReadForHost;
    std::string &Text = Texts[C.Definition.end()];
    Text += LineEnding;
    if (Guard)
      Text += LineEnding + "#ifdef __CUDACC__";
    Text += NewLine;
    Text += hasBitsAlone(Striped) ? "// The same for arrays of bits."
                                  : "// The same for striped arrays.";
    Text += NewLine + Overload->Text;
    if (Guard)
      Text += LineEnding + "#endif";
  }
  EditList Edits;
  for (const auto &[Where, Indices] : Templates) {
    const Callee &C = P.Callees.at(Where);
    llvm::append_range(Edits, templateEdits(C, Indices, NewLineOf(C)));
  }
  for (auto &[Offset, Text] : Texts) {
    if (codeFollows(Code, Offset))
      Text += LineEnding;
    Edits.push_back({Offset, 0, std::move(Text)});
  }
  return Edits;
}
