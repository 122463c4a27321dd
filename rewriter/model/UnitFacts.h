//===-- UnitFacts.h - what the syntax tree of a unit shows ------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The per-thread arrays of one translation unit, its kernels, and what its host
// code does with these. Facts only; what follows from them is decided in plan/.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_MODEL_UNITFACTS_H
#define BANKSTRIPE_MODEL_UNITFACTS_H

#include "contract/Symbols.h"
#include "model/Finding.h"
#include "model/SourceFile.h"
#include "llvm/ADT/Twine.h"
#include <map>
#include <set>

namespace bankstripe {

// --- Kernels and launches ----------------------------------------------------
//
// A launch passes the kernel's host stub, where a row beside the kernel says
// what storage it brings, or which version it runs
// (runtime/device/bankstripe_launch.cuh).

/// The name of the version that stands beside \p Kernel.
inline std::string versionName(const llvm::Twine &Kernel) {
  return (Kernel + VersionEnding).str();
}

/// The name of its row.
inline std::string rowName(const llvm::Twine &Kernel) {
  return (Kernel + RowEnding).str();
}

/// What \p Text, from a function's name to its end, is called in the comment
/// before a version of it; the same whatever its white space.
std::string textDigest(llvm::StringRef Text);

/// What stands in a row's comment before that digest.
inline constexpr llvm::StringLiteral SameAsText = "// The same as text ";

/// What ends the statement that makes a version for each instance of a
/// template.
inline constexpr llvm::StringLiteral ForEachInstance =
    "; /* It is made for each instance. */";

/// The text of a kernel's declarations, as far as edits need it.
struct KernelText {
  std::string Name;    ///< Without qualifiers and template arguments.
  TextRange NamePlace; ///< The point before it in the definition.
  /// From `template` or the first specifier to the `}`.
  TextRange Definition;
  /// `template <class T, int N>`, if it is one, without default arguments.
  std::string TemplateHead;
  std::string TemplateArguments; ///< `<T, N>`.
  TextRange Type;                ///< Of a template: its `void`.
  /// The point before the first, behind the head, where its version gets
  /// another one; invalid where it needs none.
  TextRange Specifiers;
  std::string Linkage; ///< That one: `static` or `extern "C"`.
  /// Nothing outside its unit can name it.
  bool Internal = false;
  std::string Problem; ///< Why nothing can stand beside it, if so.
  /// Why it cannot stand there a second time with another name, if so.
  std::string VersionProblem;
};

/// A name in a body that calls functions which hold per-thread arrays, or lead
/// to some.
struct NamedCall {
  TextRange Name; ///< Invalid where no other name can stand there.
  /// The names in their definitions; those of several instances.
  std::vector<Place> Callees;
  std::string Problem = {}; ///< Why no other name can stand there.
  /// What stands before a copy of the caller, and declares copies that are
  /// defined later.
  std::set<std::string> Declarations = {};
  /// Of linked device code, the symbols of callees that other units define.
  std::set<std::string> Elsewhere = {};
};

/// The text of a kernel, or of a function that holds per-thread arrays or leads
/// to some, as far as a copy of it with another name concerns that.
struct FunctionText {
  Place Where;    ///< Of the name in its definition.
  TextRange Name; ///< The same.
  /// From `template` or the first specifier to the `}`; invalid of a kernel,
  /// and where a macro or a directive gives a part of it.
  TextRange Definition;
  /// Where `static` has to stand in a copy that nothing outside its unit shall
  /// name; invalid where that is so anyway, and of what has a Symbol.
  TextRange StaticPlace;
  std::string Problem; ///< Why it has no copy; empty if it can have one.
  std::vector<NamedCall> Calls;
  std::string Title = {};        ///< Its qualified name, for people.
  bool MayBeReadForHost = false; ///< By a compiler that knows no CUDA.
  std::string Symbol = {};       ///< If other units of linked code may call it.
};

/// `__launch_bounds__` of a kernel.
struct LaunchBounds {
  unsigned Threads = 0;
  std::string Text;    ///< The first argument as written; empty when its names
                       ///< cannot be repeated inside the kernel's body.
  bool IsFixed = true; ///< The number is the same in all builds.
  bool Dependent = false; ///< It names a template parameter.
};

/// The attribute of a kernel that says which blocks it has. Its launches then
/// say 1 (CUDA programming guide, "__block_size__").
inline constexpr llvm::StringLiteral BlockSizeAttribute = "__block_size__";

/// A `__global__` function that is defined in the translation unit.
struct Kernel {
  std::string Id;   ///< Mangled name; joins launches, findings and ptxas.
  std::string Name; ///< Qualified, for people.
  Place Where;
  std::optional<LaunchBounds> Bounds;
  /// Where `__launch_bounds__(N) ` can be inserted; invalid when the text there
  /// comes from a macro.
  TextRange BoundsInsertion;
  /// Where its first statement can stand; invalid when a macro begins its body,
  /// or its file can include nothing.
  TextRange BodyBegin;
  /// The attribute that allows no `__launch_bounds__` beside it; empty without.
  std::string BoundsExcludedBy;
  bool MayEdit = true; ///< Its file is among the given paths.
  /// The most that it takes for granted of an address, in bytes; 0: nothing.
  unsigned ClaimedAlignment = 0;
  KernelText Text;
};

/// One `kernel<<<...>>>`.
struct Launch {
  std::string KernelId;
  Place Where;                     ///< Of the kernel's name.
  std::optional<unsigned> Threads; ///< Of its block, where a constant says it.
  bool IsFixed = false; ///< It is the same in all builds of the text.
  std::string Source;   ///< How the block is known, or why it is not.
  /// Bytes of dynamic shared memory; nothing when they are not known.
  std::optional<uint64_t> DynamicSharedBytes;
  bool OnDevice = false; ///< By a kernel, and so past the host stub.
};

/// Everything that the syntax tree of one translation unit shows.
struct UnitFacts {
  std::string MainFile;
  std::vector<Finding> Findings;
  /// Where templates declare variables that are no array in some instantiation.
  /// They may be one in another unit.
  std::set<Place> NoArrays;
  std::vector<Kernel> Kernels;
  std::vector<Launch> Launches;
  bool AsksForSide = false; ///< A source does (`__CUDA_ARCH__`).
  std::vector<Callee> Callees;
  std::vector<FunctionText> Functions;
  /// The bytes that were parsed, of every file that holds a finding, a kernel
  /// or a callee of a finding, or the main file. Edits refer to these and to
  /// nothing else.
  std::map<std::string, std::string> Contents;
  /// Uses of macros in the main file that declare arrays or kernels, in order.
  /// Read as what they stand for, these could move.
  std::vector<ExpandedMacro> Expandable;
  /// Those that Contents has so, as the job of the unit asked.
  std::vector<ExpandedMacro> Expanded;
  /// Files of which the program may ask for a line's number in other ways than
  /// by `__LINE__` in their own text.
  std::set<std::string> NumberedFiles;
  /// Whatever was read, by path: the files of Contents, and all others that are
  /// no system headers. Where none has changed, these facts still hold.
  std::vector<SourceFile> Sources;
};

} // namespace bankstripe

#endif
