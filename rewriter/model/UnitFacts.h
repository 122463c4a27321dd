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

#include "model/Finding.h"
#include "model/LaunchText.h"
#include "model/SharedArray.h"
#include "model/SourceFile.h"
#include <map>
#include <set>

namespace bankstripe {

/// `__launch_bounds__` of a kernel.
struct LaunchBounds {
  unsigned Threads = 0;
  std::string Text; ///< The first argument as written; empty when its names
                    ///< cannot be repeated inside the kernel's body.
  bool Dependent = false; ///< It names a template parameter.
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
  bool MayEdit = true;       ///< Its file is among the given paths.
  bool AddressTaken = false; ///< May be launched where nobody can see.
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

/// Everything that the syntax tree of one translation unit shows.
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
