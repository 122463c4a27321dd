//===-- Finding.h - what is known of a per-thread array ---------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the stage find/ reads from one translation unit: the per-thread arrays,
// the kernels that reach them and the launches of those kernels. Facts only;
// what follows from them is decided in plan/.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_MODEL_FINDING_H
#define BANKSTRIPE_MODEL_FINDING_H

#include "model/Callee.h"
#include "model/LaunchText.h"
#include "model/Place.h"
#include "model/Reason.h"
#include "model/SharedArray.h"
#include "model/SourceFile.h"
#include "llvm/ADT/STLExtras.h"
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace bankstripe {

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
  TextRange Declarator; ///< `a[4]`, with a pointer's stars.
  TextRange Name;
  TextRange Extents;     ///< `[4]` or `[4][8]`; empty when the specifiers name
                         ///< an array type or a class.
  TextRange Initializer; ///< From after the extents to the end of the
                         ///< initialiser: ` = {1, 2}`; empty when none.
  TextRange Values;      ///< `{1, 2}`; empty when none.
  std::vector<std::string> ExtentTexts; ///< `4`, `N + 1`.
  unsigned IndexInStatement = 0;        ///< Position among the declarators.
  /// Every declarator of the statement, from its first star or name to the end
  /// of its initialiser, in order.
  std::vector<TextRange> AllDeclarators;
};

/// What one instantiation of the declaring function makes of an array. A
/// function that is no template has just one.
struct ArrayInstance {
  std::string FunctionId;    ///< Mangled name of the instantiation.
  unsigned ElementBytes = 0; ///< sizeof(element).
  unsigned Alignment = 0;    ///< alignof(array), in bytes.
  /// What a slot must be aligned to: the same, or what a cast claims.
  unsigned SlotAlignment = 0;
  std::vector<uint64_t> Extents;
  uint64_t BytesPerThread = 0;      ///< sizeof(array).
  std::vector<std::string> Kernels; ///< Mangled names that reach it, sorted.

  /// 1 for an object, which has no extents.
  uint64_t elements() const {
    uint64_t Count = 1;
    for (uint64_t Extent : Extents)
      Count *= Extent;
    return Count;
  }
};

/// What a version of an array's function needs: the rest of the body, which
/// stands in it a second time.
struct VersionText {
  /// From the outermost statement around the declaration to before the `}` of
  /// the body; invalid when that is not written in one piece.
  TextRange Rest;
  std::string Problem; ///< Why it cannot stand there twice; empty if it can.
  /// Bytes of `__shared__` variables of its own, which it has twice then.
  uint64_t SharedBytes = 0;
  /// It ends with a `return`, or returns a value somewhere.
  bool Returns = false;
  /// Other files have the function as well, and the linker takes one of them.
  bool IsWeak = false;

  bool isPossible() const { return Rest.isValid() && Problem.empty(); }
};

/// One per-thread array (or class object that holds one).
struct Finding {
  std::string Name;
  Place Where;            ///< Of the name in the declaration.
  std::string Function;   ///< Qualified name of the declaring function.
  std::string FunctionId; ///< Its mangled name.
  bool InKernel = false;  ///< Declared directly in a `__global__` function.
  /// The block that it lives in, with its braces; invalid where its lifetime is
  /// not understood.
  TextRange Scope;
  std::vector<std::string> Kernels; ///< Mangled names that reach it, sorted.

  std::string Type; ///< As written: `unsigned char[16]`.
  /// Those of the largest instance.
  unsigned ElementBytes = 0;
  std::vector<uint64_t> Extents;
  uint64_t BytesPerThread = 0;
  std::vector<ArrayInstance> Instances; ///< Sorted by FunctionId.

  bool IsObject = false;         ///< An object of a class, not an array.
  bool HostDevice = false;       ///< Its function is for the host as well.
  bool MayBeReadForHost = false; ///< By a compiler that knows no CUDA.
  bool HasConst = false;         ///< Its elements are const.
  bool ElementDependent = false; ///< The element type varies by instantiation.
  /// In a template, elements are of one class or enumeration: code that uses
  /// them means something else once their type depends on a parameter.
  bool FixedClass = false;
  /// The files that hold its functions: a fragment that is included in a body
  /// can include nothing itself.
  std::vector<std::string> FunctionFiles;
  /// Behind names like `a_slots` of its storage, so that they mean nothing
  /// else.
  std::string StorageSuffix;

  InitializerKind Init = InitializerKind::None;
  bool NeverWritten = false; ///< Initialised and then only read.
  DeclarationText Text;
  VersionText Version;
  std::vector<Use> Uses;
  bool HasPointers = false; ///< Pointers into the array walk over it.
  PointerTrail Trail;
  /// Its elements are up to 64 bools that are only read and assigned, and
  /// nothing stands against a place of their own in registers.
  bool AsBits = false;
  bool HasOtherUses = false;       ///< It is named where no subscript is plain.
  std::vector<Obstacle> Obstacles; ///< In source order.

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
    if (Version.Problem.empty() && (!(Version.Rest == Other.Version.Rest) ||
                                    Version.Returns != Other.Version.Returns))
      Version.Problem = "its function differs by instantiation or unit";
    if (Version.Problem.empty())
      Version.Problem = Other.Version.Problem;
    Version.SharedBytes =
        std::max(Version.SharedBytes, Other.Version.SharedBytes);
    for (const Obstacle &O : Other.Obstacles)
      if (llvm::none_of(Obstacles, [&](const Obstacle &Known) {
            return Known.Why == O.Why && Known.Where == O.Where;
          }))
        Obstacles.push_back(O);
    for (const std::string &File : Other.FunctionFiles)
      if (!llvm::is_contained(FunctionFiles, File))
        FunctionFiles.push_back(File);
    llvm::append_range(Trail.Locals, Other.Trail.Locals);
    llvm::append_range(Trail.Arguments, Other.Trail.Arguments);
    AsBits &= Other.AsBits;
    NeverWritten &= Other.NeverWritten;
    MayBeReadForHost |= Other.MayBeReadForHost;
    InKernel &= Other.InKernel;
    if (!(Scope == Other.Scope))
      Scope = TextRange();
  }
};

/// `__launch_bounds__` of a kernel.
struct LaunchBounds {
  unsigned Threads = 0;
  std::string Text; ///< The first argument as written; empty when its names
                    ///< cannot be repeated inside the kernel's body.
  bool Dependent = false; ///< It names a template parameter.
};

/// How much a function asks of the size of its shared memory, which is another
/// one where arrays move there.
enum class AskedSize {
  None,
  Dynamic, ///< What launches ask for.
  All,
};

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
  bool MayEdit = true;              ///< Its file is among the given paths.
  uint64_t StaticSharedBytes = 0;   ///< Its own and its callees', in bytes.
  bool UsesDynamicShared = false;   ///< Sees an `extern __shared__` array.
  AskedSize Asks = AskedSize::None; ///< Itself or by its callees.
  bool AddressTaken = false;        ///< May be launched where nobody can see.
  Place AddressTakenAt;
  std::string WhyUnseen; ///< Why there nobody can see; may be empty.
  /// Where the host sets an attribute of it, such as its shared memory.
  Place AttributeSetAt;
  /// Where the host asks how many of its blocks can be resident.
  Place AskedAboutAt;
  KernelText Text;
};

/// A parameter of a host function, as a value that its callers know.
struct HostParameter {
  std::string FunctionId; ///< Mangled name.
  unsigned Index = 0;     ///< Counted from 0.

  friend auto operator<=>(const HostParameter &,
                          const HostParameter &) = default;
};

/// What one call, or one use of a function as a value, gives a parameter.
struct HostArgument {
  HostParameter For;
  /// Every value that it can have; nothing when that is not known.
  std::optional<std::set<int64_t>> Values;
  /// The value is just this parameter of the calling function.
  std::optional<HostParameter> Same;
};

/// One launch of a kernel.
struct Launch {
  std::string KernelId;
  Place Where;
  /// The largest block, in threads, that this launch can ask for.
  std::optional<unsigned> Threads;
  std::vector<unsigned> Shape; ///< x, y and z of its block; empty if unknown.
  std::string Source; ///< How the block size is known, or why it is not.
  /// The block size is not known here, but is just this parameter.
  std::optional<HostParameter> Parameter;
  /// Bytes of dynamic shared memory; nothing when they cannot be known.
  std::optional<uint64_t> DynamicSharedBytes;
  bool Cooperative = false; ///< All blocks must be resident at once.
  /// Why nobody can tell whether they must; it is Cooperative then.
  std::string Unfollowed;
  /// Its grid comes from a question how many blocks can be resident.
  bool GridAsked = false;
  bool OnDevice = false; ///< By a kernel.
  LaunchText Text;
};

/// A question about the occupancy of a kernel, to which the shared memory that
/// launches ask for makes a difference.
struct OccupancyQuery {
  std::string KernelId;
  Place Where;
  LaunchText Text;
};

/// A device function of a unit that is linked with others (`-rdc=true`), so
/// that calls can be followed from one to the next.
struct DeviceFunction {
  std::string Id;                   ///< Mangled name.
  std::vector<std::string> Calls;   ///< Mangled names, sorted.
  bool Defined = false;             ///< It has a body here.
  uint64_t StaticSharedBytes = 0;   ///< Its own, in bytes.
  AskedSize Asks = AskedSize::None; ///< Itself or by its callees.
};

/// Everything read from one translation unit.
struct UnitFacts {
  std::string MainFile;
  std::vector<Finding> Findings;
  std::vector<SharedArray> SharedArrays; ///< Of a fixed size.
  std::vector<Kernel> Kernels;
  std::vector<Launch> Launches;
  std::vector<OccupancyQuery> Queries;
  std::vector<HostArgument> Arguments; ///< Of the user's host functions.
  /// Where a source gives kernels in graphs other parameters, such as larger
  /// blocks, or asks for theirs; invalid where none does.
  Place NodesChangedAt;
  bool AsksForSide = false; ///< A source does (`__CUDA_ARCH__`).
  std::vector<Callee> Callees;
  std::vector<DeviceFunction> Functions; ///< Only of relocatable device code.
  /// The bytes that were parsed, of every file that holds a finding, a kernel
  /// or a callee of a finding, or the main file. Edits refer to these and to
  /// nothing else.
  std::map<std::string, std::string> Contents;
  /// Files of which the program may ask for a line's number in other ways than
  /// by `__LINE__` in their own text.
  std::set<std::string> NumberedFiles;
  /// Whatever was read, by path: the files of Contents, and all others that are
  /// no system headers. Where none has changed, these facts still hold.
  std::vector<SourceFile> Sources;
};

} // namespace bankstripe

#endif
