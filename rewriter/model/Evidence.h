//===-- Evidence.h - what the compilers say of a finding --------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the IR shows before and after optimisation, and what ptxas reports of
// each kernel.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_MODEL_EVIDENCE_H
#define BANKSTRIPE_MODEL_EVIDENCE_H

#include "model/Place.h"
#include "model/Reason.h"
#include "llvm/ADT/STLExtras.h"
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace bankstripe {

/// Where the optimiser leaves an array.
enum class Residency {
  Unknown,     ///< The IR could not be produced.
  NotEmitted,  ///< Nothing that is compiled for the GPU holds it.
  Registers,   ///< No alloca of it survives -O3.
  LocalMemory, ///< At least a part of it does.
};

/// The indices of an array, over the lanes of a warp.
enum class Uniformity {
  Unknown,    ///< No surviving access tells.
  Uniform,    ///< All lanes use the same index at every access.
  NonUniform, ///< At some access the lanes may use different indices.
};

/// What the IR says of one finding.
struct ArrayEvidence {
  /// The mangled names of the kernels that reach it, by the instance: parallel
  /// to Finding::Instances, or empty where that is not known.
  std::vector<std::set<std::string>> Kernels;
  /// The mangled names of the functions, other than kernels, that hold it or
  /// get to it by calls.
  std::set<std::string> Functions;
  std::vector<Obstacle> Obstacles; ///< What its function calls, or may call it.
  /// Functions of other units, if linked with this one, may get its address.
  bool IsHandedOn = false;
  Residency Where = Residency::Unknown;
  Uniformity Index = Uniformity::Unknown;
  uint64_t ResidentBytes = 0;   ///< Of the largest surviving alloca.
  unsigned UniformAccesses = 0; ///< Address computations in the IR.
  unsigned NonUniformAccesses = 0;
};

/// How much a function asks of the size of its shared memory, which is another
/// one where arrays move there.
enum class AskedSize {
  None,
  Dynamic, ///< What launches ask for.
  All,
};

/// The shared memory that code has of its own.
struct SharedMemory {
  uint64_t StaticBytes = 0;
  bool UsesDynamic = false;         ///< It sees an `extern __shared__` array.
  AskedSize Asks = AskedSize::None; ///< Itself or by its callees.

  /// Becomes what is safe for both.
  void merge(const SharedMemory &Other) {
    StaticBytes = std::max(StaticBytes, Other.StaticBytes);
    UsesDynamic |= Other.UsesDynamic;
    Asks = std::max(Asks, Other.Asks);
  }
};

/// Stands for whatever functions a unit calls through pointers, which are those
/// of which some unit names the address.
inline constexpr llvm::StringLiteral CalledByPointer = "*";

/// The detail of Reason::InlineAssembly where code does that with an address.
inline constexpr llvm::StringLiteral NamedLocalMemory =
    "it names local memory, or tells it from other memory";

/// A device function of a unit that is linked with others (`-rdc=true`), so
/// that calls can be followed from one to the next.
struct DeviceFunction {
  std::string Id;                 ///< Mangled name.
  std::vector<std::string> Calls; ///< Mangled names, sorted.
  bool Defined = false;           ///< It has a body here.
  SharedMemory Shared;            ///< Without that of its callees.
  bool NamesLocalMemory = false;  ///< Itself or by its callees here.
};

/// What ptxas reports of a function that was not inlined.
struct CalleeFrame {
  unsigned Bytes = 0; ///< Per thread.
  unsigned SpillStores = 0;
};

/// What ptxas reports of one kernel, or function that was not inlined.
struct KernelResources {
  unsigned StackFrame = 0; ///< Bytes per thread.
  /// The functions that it may call, be it through others or pointers, that
  /// were not inlined and have a frame.
  std::map<std::string, CalleeFrame> Callees;
  unsigned SpillStores = 0;
  unsigned SpillLoads = 0;
  unsigned Registers = 0;   ///< Per thread.
  unsigned SharedBytes = 0; ///< Static, per block.
  /// Of its machine code, without functions that were not inlined; 0 where that
  /// was not seen.
  unsigned CodeBytes = 0;

  /// Whether registers are spilled, so that frames tell nothing of arrays.
  bool spills() const {
    return SpillStores != 0 || llvm::any_of(Callees, [](const auto &Callee) {
             return Callee.second.SpillStores != 0;
           });
  }

  /// The bytes of all frames of Callees.
  unsigned calleeFrames() const {
    unsigned Sum = 0;
    for (const auto &[Name, Frame] : Callees)
      Sum += Frame.Bytes;
    return Sum;
  }
};

/// Per kernel, by mangled name.
using ResourceTable = std::map<std::string, KernelResources>;

/// Of memory, in words of a thread.
struct Words {
  double Loaded = 0;
  double Stored = 0;
  double all() const { return Loaded + Stored; }
};

/// Accesses to the elements of one array.
struct ArrayWork {
  Words Uniform;
  /// At indices that come from data or from the lane's number.
  Words NonUniform;
  /// At counters that only differ because lanes take other branches, such as
  /// the tops of stacks.
  Words Counted;

  double all() const {
    return Uniform.all() + NonUniform.all() + Counted.all();
  }
};

/// What one kernel does per thread, each instruction counted as often as its
/// loops are taken to run (evidence/Work.cpp).
struct KernelWork {
  double Instructions = 0; ///< Other than the following.
  double DoubleOperations = 0;
  double Global = 0;     ///< Loads of global memory, near to each other.
  double Rows = 0;       ///< Those whose lanes are lines apart.
  double Gathered = 0;   ///< Those whose lanes go where data leads them.
  double Shared = 0;     ///< Words of shared memory.
  double OtherLocal = 0; ///< Words of local memory that are no finding's.
  /// Loops of which nobody knows how often they run.
  unsigned GuessedLoops = 0;
  bool Polls = false; ///< A loop waits for other threads (evidence/Waiting.h).
  std::map<unsigned, ArrayWork> Arrays; ///< By the number of the finding.
};

/// A kernel of a system header that reaches arrays.
struct SystemKernel {
  Place Where;
  unsigned Threads = 0; ///< What its launch bounds say.
};

/// The evidence of one translation unit.
struct UnitEvidence {
  std::vector<ArrayEvidence> Arrays; ///< Parallel to UnitFacts::Findings.
  std::map<std::string, SharedMemory> Kernels;       ///< By the mangled name.
  std::map<std::string, SystemKernel> SystemKernels; ///< Those with bounds.
  std::vector<DeviceFunction> Functions;  ///< Only of relocatable device code.
  std::map<std::string, KernelWork> Work; ///< By the mangled name.
  /// The same if loops of unknown length are short.
  std::map<std::string, KernelWork> ShortWork;
  /// Who may wait in a loop for other blocks (evidence/Waiting.h): mangled
  /// names of kernels, and of functions of relocatable device code.
  std::set<std::string> Waiting;
  std::string Problem; ///< Why there is no optimised IR; empty when there is.
};

llvm::StringRef nameOf(Residency R);
llvm::StringRef nameOf(Uniformity U);

} // namespace bankstripe

#endif
