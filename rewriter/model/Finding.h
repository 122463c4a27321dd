//===-- Finding.h - what is known of a per-thread array ---------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The declaration of an array, its uses, and what stands against moving it, as
// far as the syntax tree and the text show that.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_MODEL_FINDING_H
#define BANKSTRIPE_MODEL_FINDING_H

#include "model/Place.h"
#include "model/Reason.h"
#include "llvm/ADT/STLExtras.h"
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace bankstripe {

// --- Pointers into arrays ----------------------------------------------------
//
// Where an array is more than subscripted, pointers into it stay with it as
// long as they only walk: they are declared anew as striped pointers, and the
// functions that they are passed to become templates or get an overload.

/// The type that a pointer's declaration names, as written, without `const`.
struct Pointee {
  static constexpr char Deduced[] = "auto";
  std::string Text; ///< Or Deduced.
  bool Const = false;
  bool Dependent = false; ///< Named with a template parameter.
};

/// `const int *p = a, *end = a + n`: every declarator walks over one array.
struct PointerDeclaration {
  TextRange Specifiers;         ///< `const int`; empty in `int a[4], *p`.
  std::vector<TextRange> Stars; ///< Each `*`, with what follows to the name.
  Pointee To;
};

/// A walking pointer as the argument of a call.
struct PointerArgument {
  TextRange Call;         ///< Tells calls apart.
  Place Callee;           ///< Of the definition's name.
  unsigned Parameter = 0; ///< Counted from 0.
};

/// Where the pointers into one array go inside one function.
struct PointerTrail {
  std::vector<PointerDeclaration> Locals;
  std::vector<PointerArgument> Arguments;
  bool AsBits = true; ///< What they point to may be bits.
};

/// A parameter that only walks.
struct CalleeParameter {
  TextRange Text; ///< Its declaration, without a default argument.
  std::string Name;
  Pointee To;
  PointerTrail Trail;
  /// What its type is called if a template deduces it; empty where that might
  /// mean something else to a call.
  std::string Deduced = {};
};

/// A function that can take striped pointers.
struct Callee {
  Place Where;          ///< Of the name in its definition.
  std::string Name;     ///< Qualified, for people.
  TextRange Definition; ///< From the first specifier or `template` to the `}`.
  bool MayBeReadForHost = false; ///< By a compiler that knows no CUDA.
  std::map<unsigned, CalleeParameter> Parameters; ///< Those that only walk.

  /// It may become no template.
  void keepType() {
    for (auto &[Index, Parameter] : Parameters)
      Parameter.Deduced.clear();
  }
};

// --- Arrays ------------------------------------------------------------------

/// How one use of an array touches its element.
enum class AccessKind { Read, Write, ReadWrite, Address };

/// One full subscript of a per-thread array: `a[i]` or `t[i][j]`.
struct Use {
  Place Where;
  AccessKind Access = AccessKind::Read;
  bool ConstantIndex = false; ///< All indices are constant expressions.
};

enum class InitializerKind {
  None,      ///< No initialiser.
  Zero,      ///< `{}`, `{0}` or any list of nothing but zeros.
  List,      ///< Any other braced list.
  Construct, ///< A constructor runs, with or without text for it.
};

/// The text of an array's declaration, as far as edits need it.
struct DeclarationText {
  TextRange Statement;  ///< From the first specifier to the `;` inclusive.
  TextRange Specifiers; ///< `unsigned char` of `unsigned char a[4], *p;`.
  TextRange Const;      ///< The word in these that makes the elements const.
  TextRange Members;    ///< `{ int x; }` of a class that these define.
  /// What stands for these elsewhere: that class, or what `auto` is.
  std::string Type;
  TextRange Declarator; ///< `a[4]`, with a pointer's stars.
  TextRange Name;
  TextRange Extents;     ///< `[4]` or `[4][8]`; empty when the specifiers name
                         ///< an array type or a class.
  TextRange Initializer; ///< From after the extents to the end of the
                         ///< initialiser: ` = {1, 2}`; empty when none.
  TextRange Values;      ///< `{1, 2}`; empty when none.
  std::vector<std::string> ExtentTexts; ///< `4`, `N + 1`.
  unsigned IndexInStatement = 0;        ///< Position among the declarators.
  bool KeepsLine = false;               ///< What its line holds stays there.
  TextRange Macro;     ///< Its use, if a macro declares the array.
  TextRange BodyBegin; ///< Of a parameter: behind the `{` of its function.
  /// Every declarator of the statement, from its first star or name to the end
  /// of its initialiser, in order.
  std::vector<TextRange> AllDeclarators;
};

/// What an array consists of.
struct ArrayShape {
  std::string Type;          ///< As written: `unsigned char[16]`.
  unsigned ElementBytes = 0; ///< sizeof(element).
  std::vector<uint64_t> Extents;
  uint64_t BytesPerThread = 0; ///< sizeof(array).

  /// 1 for an object, which has no extents.
  uint64_t elements() const {
    uint64_t Count = 1;
    for (uint64_t Extent : Extents)
      Count *= Extent;
    return Count;
  }
  friend bool operator==(const ArrayShape &, const ArrayShape &) = default;
};

/// What one instantiation of the declaring function makes of an array. A
/// function that is no template has just one.
struct ArrayInstance {
  std::string FunctionId; ///< Mangled name of the instantiation.
  ArrayShape Shape;
  unsigned Alignment = 0; ///< alignof(array), in bytes.
  /// What a slot must be aligned to: the same, or what a cast claims.
  unsigned SlotAlignment = 0;
};

/// The function that declares an array.
struct DeclaringFunction {
  std::string Name;              ///< Qualified.
  std::string Id;                ///< Mangled; empty in a template.
  bool IsKernel = false;         ///< It is `__global__`.
  bool HostDevice = false;       ///< It is for the host as well.
  bool MayBeReadForHost = false; ///< By a compiler that knows no CUDA.
  /// The files that hold its instances: a fragment that is included in a body
  /// can include nothing itself.
  std::vector<std::string> Files;
};

/// One per-thread array (or class object that holds one).
struct Finding {
  std::string Name;
  Place Where; ///< Of the name in the declaration.
  DeclaringFunction Function;
  /// The block that it lives in, with its braces; invalid where its lifetime is
  /// not understood.
  TextRange Scope;
  ArrayShape Shape;                     ///< That of the largest instance.
  std::vector<ArrayInstance> Instances; ///< Sorted by FunctionId.

  bool IsObject = false;         ///< An object of a class, not an array.
  bool HasConst = false;         ///< Its elements are const.
  bool ElementDependent = false; ///< The element type varies by instantiation.
  /// In a template, elements are of one class or enumeration: code that uses
  /// them means something else once their type depends on a parameter.
  bool FixedClass = false;
  /// Behind names like `a_slots` of its storage, so that they mean nothing
  /// else.
  std::string StorageSuffix;

  InitializerKind Init = InitializerKind::None;
  bool BracesCopy = false;   ///< `{value}` copies the class, `(value)` may not.
  bool NeverWritten = false; ///< Initialised and then only read.
  DeclarationText Text;
  /// Other files have its function as well, and the linker takes one of them.
  bool IsWeak = false;
  std::vector<Use> Uses;
  /// Where pointers into the array go that walk over it, if there are any.
  std::optional<PointerTrail> Trail;
  /// Its elements are up to 64 bools that are only read and assigned, and
  /// nothing stands against a place of their own in registers.
  bool AsBits = false;
  bool HasOtherUses = false;       ///< It is named where no subscript is plain.
  std::vector<Obstacle> Obstacles; ///< In source order.

  /// Whether it is passed by value.
  bool isParameter() const { return Text.BodyBegin.isValid(); }
  /// Whether it is a kernel's parameter that nothing writes.
  bool isOnlyRead() const { return isParameter() && NeverWritten; }
  /// Whether it is initialised, and its storage would be const.
  bool keepsConst() const {
    return HasConst && Init != InitializerKind::None && !Text.Const.isValid();
  }

  /// Adds where more pointers into it go.
  void addTrail(const PointerTrail &More) {
    if (!Trail)
      Trail.emplace();
    llvm::append_range(Trail->Locals, More.Locals);
    llvm::append_range(Trail->Arguments, More.Arguments);
  }

  /// Sorts the obstacles by place.
  void sortObstacles() {
    llvm::stable_sort(Obstacles, [](const Obstacle &A, const Obstacle &B) {
      return std::tie(A.Where, A.Why) < std::tie(B.Where, B.Why);
    });
  }

  /// Instances share the text, and with it the alignment that a cast in one of
  /// them claims.
  void shareClaimedAlignment() {
    unsigned Claimed = 0;
    for (const ArrayInstance &I : Instances)
      if (I.SlotAlignment > I.Alignment)
        Claimed = std::max(Claimed, I.SlotAlignment);
    for (ArrayInstance &I : Instances)
      I.SlotAlignment = std::max(I.Alignment, Claimed);
  }

  /// Adds what another instantiation or unit makes of the array: what holds for
  /// one has to hold for the other, and an obstacle of either is one of both.
  /// (The instances themselves are the caller's to add.)
  void merge(const Finding &Other) {
    shareClaimedAlignment();
    for (const Obstacle &O : Other.Obstacles)
      if (llvm::none_of(Obstacles, [&](const Obstacle &Known) {
            return Known.Why == O.Why && Known.Where == O.Where;
          }))
        Obstacles.push_back(O);
    for (const std::string &File : Other.Function.Files)
      if (!llvm::is_contained(Function.Files, File))
        Function.Files.push_back(File);
    if (Other.Trail)
      addTrail(*Other.Trail);
    AsBits &= Other.AsBits;
    NeverWritten &= Other.NeverWritten;
    Function.MayBeReadForHost |= Other.Function.MayBeReadForHost;
    Function.IsKernel &= Other.Function.IsKernel;
    if (!(Scope == Other.Scope))
      Scope = TextRange();
  }
};

} // namespace bankstripe

#endif
