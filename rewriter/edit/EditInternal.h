//===-- EditInternal.h - the pieces that edits are made of ------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_EDIT_EDITINTERNAL_H
#define BANKSTRIPE_EDIT_EDITINTERNAL_H

#include "edit/TextEdits.h"
#include <map>

namespace bankstripe {

/// The edits of the statement that declares the arrays \p Moved, all of which
/// belong to it, in order of their declarators (StatementEdits.cpp). \p
/// PointerEdits are those of declarators beside them, whose text brings its own
/// specifiers. \p Names are edits of names, sorted: text that goes to another
/// place takes its own along.
EditList editsOfStatement(llvm::StringRef Code,
                          const std::vector<const PlannedArray *> &Moved,
                          const EditList &PointerEdits, const EditList &Names);

/// The edits that copy the parameter of \p A to a slot (StatementEdits.cpp).
EditList editsOfParameter(llvm::StringRef Code, const PlannedArray &A);

/// \p Statement as the first of the body that begins at \p Begin: in a line of
/// its own if nothing stands in that of the brace (StatementEdits.cpp).
TextEdit firstInBody(llvm::StringRef Code, unsigned Begin,
                     const std::string &Statement);

/// What a parameter is called whose own name is that of its copy (Storage.cpp).
std::string valueName(const Finding &Parameter);

/// An expression as a template argument (Storage.cpp).
std::string asArgument(const std::string &Text);

/// The type that holds one element of a stripe: `bankstripe::word<char>` for
/// `char` (Storage.cpp).
std::string unitText(StripeForm Form, llvm::StringRef Element);

/// The edits that declare the pointers of \p Trail anew, as pointers into
/// what \p Layout made of an array, or as \p Deduced where that is not empty
/// (PointerEdits.cpp).
EditList editsOfPointers(const PointerTrail &Trail, const Treatment &Layout,
                         llvm::StringRef Deduced = "");

/// What the plan makes of functions in the file \p Path with the text \p Code
/// that striped pointers are passed to: templates, or originals with overloads
/// behind them. Sets \p NeedsHelper where these name the helper. Errors: as of
/// applyEdits (PointerEdits.cpp).
llvm::Expected<EditList> editsOfCallees(const Plan &P, llvm::StringRef Path,
                                        const FileText &Code,
                                        bool &NeedsHelper);

/// The text of which \p Expanded made \p Code (ExpandedText.cpp).
std::string withMacros(llvm::StringRef Code,
                       llvm::ArrayRef<ExpandedMacro> Expanded);

/// \p Edits of \p Code as edits of that text: of what a macro stands for, one
/// takes all of the use's place. Errors: as of applyEdits (ExpandedText.cpp).
llvm::Expected<EditList>
editsWithMacros(EditList Edits, const FileText &Code,
                llvm::ArrayRef<ExpandedMacro> Expanded);

/// The edits that make a function of \p Code for the device alone, as what
/// uses shared memory is, of one for the host as well (PointerEdits.cpp).
EditList editsWithoutHost(const TextRange &Definition, llvm::StringRef Code);

/// What a file has to include.
struct NeededHelpers {
  bool Helper = false; ///< bankstripe.cuh
  bool Launch = false; ///< bankstripe_launch.cuh
  bool Choice = false; ///< bankstripe_choose.cuh
};

/// What is known of a kernel whose launches bring storage or run a version;
/// instances of a template share it (Rows.cpp).
struct KernelRow {
  const KernelText *Text = nullptr;
  std::string Title;   ///< Its qualified name, for reports.
  TextRange BodyBegin; ///< As of the kernel.
  bool HasVersion = false, Chooses = false;
  bool Waits = false, WhereResident = false;
  /// What is predicted, of the instance that gains least.
  enum { Loses, MayGain, Gains } Expected = Gains;
  uint64_t WarpBytes = 0;
  Carveout Carved;

  bool isTemplate() const { return !Text->TemplateHead.empty(); }
  std::string definition() const;
  std::string head(llvm::StringRef LineEnding) const;
  std::string rest(llvm::StringRef LineEnding) const;

private:
  std::string type() const;
  std::string values() const;
};

/// The rows of \p P, by the definitions of their kernels (Rows.cpp).
std::map<TextRange, KernelRow> rowsOf(const Plan &P);

/// The insertion of \p Text in lines behind \p Definition (Rows.cpp).
TextEdit behindDefinition(const TextRange &Definition, const FileText &Code,
                          std::string Text);

/// The edits that put the version of a kernel, which is its text with \p Edits,
/// and its row beside it. Errors: as of applyEdits (Rows.cpp).
llvm::Expected<EditList> versionBeside(const KernelRow &Row,
                                       const FileText &Code, EditList Edits);

/// Where the helper can be included so that all of \p Code sees it: after the
/// last unconditional #include, else before the first code. The start of a
/// line (IncludePlace.cpp).
unsigned includePlace(llvm::StringRef Code);

/// Whether all of \p Code sees the helper in the file \p Name already: part of
/// it was rewritten before.
bool hasHelperInclude(llvm::StringRef Code,
                      llvm::StringRef Name = HelperFileName);

/// The lines of \p Code that \p Edits are in, and as many around them as it
/// takes for directives to stand before and behind (Version.cpp).
std::vector<TextRange> linesAround(const FileText &Code, const EditList &Edits);

/// \p Lines of \p Code with the edits \p Device where a device is compiled
/// for, and elsewhere with \p Host; errors, also of the next ones, are those of
/// applyEdits (Version.cpp).
llvm::Expected<TextEdit> forDevice(const TextRange &Lines, const FileText &Code,
                                   EditList Device, EditList Host);

/// The insertion of \p Definition once more behind it, with \p Edits, another
/// name for what is called \p Name, \p Comment before it, and then \p Row.
/// It gets \p Linkage if \p LinkagePlace says where that stands, and with
/// \p ForCudaAlone compilers without CUDA skip it (Version.cpp).
llvm::Expected<TextEdit>
copyBehind(const TextRange &Definition, const TextRange &Name,
           const TextRange &LinkagePlace, llvm::StringRef Linkage,
           const FileText &Code, EditList Edits, llvm::StringRef Comment,
           llvm::StringRef Row = "", bool ForCudaAlone = false);

/// The same before it, behind \p Head (Version.cpp).
llvm::Expected<TextEdit>
copyBefore(const TextRange &Definition, const TextRange &Name,
           const TextRange &LinkagePlace, llvm::StringRef Linkage,
           const FileText &Code, EditList Edits, llvm::StringRef Head,
           llvm::StringRef Comment);

/// Adds to \p Edits that \p Declarations stand at \p Offset of \p Code, before
/// all that is inserted there (Version.cpp).
void declareBefore(unsigned Offset, EditList &Edits,
                   const std::set<std::string> &Declarations,
                   const FileText &Code);

/// The edit that makes of \p Name in \p Code that of a copy (Version.cpp).
TextEdit versionNameAt(const TextRange &Name, llvm::StringRef Code);

} // namespace bankstripe

#endif
