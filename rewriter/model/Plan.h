//===-- Plan.h - the verdicts of a run --------------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The plan of a whole run: one verdict per finding and one row per kernel, with
// the shared memory that is taken and what that does to occupancy.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_MODEL_PLAN_H
#define BANKSTRIPE_MODEL_PLAN_H

#include "model/Decision.h"
#include "model/Evidence.h"
#include "model/UnitFacts.h"

namespace bankstripe {

/// How the elements of a stripe fill its bank words, or registers.
enum class StripeForm {
  Plain,    ///< Elements of a word or more, one after the other.
  Padded,   ///< Structures, padded to an odd number of words.
  Wide,     ///< Elements of one or two bytes, one per word.
  Unpacked, ///< Elements of one or two bytes, side by side over the lanes.
  Packed,   ///< Elements of one or two bytes, sharing the lane's word.
  Unit,     ///< Plain, Padded or Wide: the size varies by instantiation.
  Bits,     ///< Bits of a word; of no stripe.
  LongBits, ///< Bits of two words.
};

/// What a version of the program makes of an array.
struct Treatment {
  VerdictKind Kind = VerdictKind::Unchanged;
  StripeForm Form = StripeForm::Plain; ///< Of a stripe or of bits.
  unsigned First = 0;                  ///< Elements in the stripe of a split.

  friend auto operator<=>(const Treatment &, const Treatment &) = default;
};

/// Where an array lies that moves, and in which code.
struct Storage {
  unsigned Threads = 0;    ///< The largest block that it is for.
  std::string ThreadsText; ///< How to spell that in its function.
  /// Launches bring the storage: each warp has WarpBytes of it, the same
  /// for all kernels that share arrays, and this array begins at WarpOffset.
  bool Dynamic = false;
  bool Behind = false; ///< Behind memory that kernels have of their own.
  uint64_t WarpOffset = 0;
  uint64_t BytesPerWarp = 0; ///< The array's own.
  uint64_t WarpBytes = 0;
  /// It moves in a copy of its function, which only versions of kernels call;
  /// the function itself stays.
  bool InCopy = false;
  /// It moves for the device; the host finds the array where it was.
  bool DeviceOnly = false;
  /// Its function, which is no kernel, tests if there is room for the block.
  bool TestsBlock = false;

  /// Whether the array stands beside what it becomes.
  bool standsBeside() const { return InCopy || DeviceOnly; }
};

/// What was decided for one finding, and why.
struct Verdict : Treatment {
  Reason Why = Reason::UnknownUse;
  std::string Detail;       ///< Completes the reason's summary; may be empty.
  std::string Advice;       ///< Instead of the reason's, where there is one.
  Place Where;              ///< The place that the reason is about.
  uint64_t SharedBytes = 0; ///< Per block, of the largest instance; moved ones.
  bankstripe::Storage Storage; ///< Of moved ones.
  bool Asked = false;          ///< A decision asks for this move.

  llvm::StringRef advice() const {
    return Advice.empty() ? infoOf(Why).Advice : llvm::StringRef(Advice);
  }
  bool usesShared() const {
    return Kind == VerdictKind::Stripe || Kind == VerdictKind::Slot ||
           Kind == VerdictKind::Split;
  }
  /// Whether its storage is one of the helper's.
  bool usesHelper() const { return usesShared() || Kind == VerdictKind::Bits; }
  /// Whether its elements have a form, and so have the pointers to them.
  bool hasForm() const { return usesHelper() && Kind != VerdictKind::Slot; }
  /// Whether the source changes.
  bool changesSource() const {
    return usesHelper() || Kind == VerdictKind::Constant;
  }
};

/// How a kernel's largest block is known.
enum class BlockSizeSource { Unknown, LaunchBounds, Launches, Option };

/// How large the blocks of a kernel can be.
struct BlockBound {
  unsigned Threads = 0; ///< 0 when unknown.
  BlockSizeSource Source = BlockSizeSource::Unknown;
  std::string Text;   ///< `launch at a.cu:40 (literal)`.
  unsigned ToAdd = 0; ///< Launch bounds that it can get, in threads.
};

/// What ptxas' stack frames say of an array.
enum class FrameAnswer {
  NotAsked, ///< Not of all kernels that reach it, or registers are spilled.
  NoFrame,  ///< There is none, so it is in registers.
  Without,  ///< They are no larger if it does not move: likewise.
  Kept,     ///< They are as large if it moves: it may be in none.
  Holds,    ///< It has room in one of them.
  TooSmall, ///< It has none beside what is larger.
};

/// What ptxas says of the stack frame of a kernel.
struct FrameUse {
  unsigned Bytes = 0; ///< Per thread, with those of functions not inlined.
  /// Those that no array explains; 0 where registers are spilled.
  unsigned UnnamedBytes = 0;
};

/// The GPU to whose timings the constants of all predictions are fitted, and
/// its architecture.
inline constexpr char FittedGpu[] = "NVIDIA H200";
inline constexpr char FittedArch[] = "sm_90";

/// What a change is expected to do to a kernel's time (plan/Profit.cpp).
struct Prediction {
  double Speedup = 1; ///< Original over rewritten.
  double Low = 1, High = 1;
  double ResourceFactor = 1; ///< What the shared memory itself does to it.
  double AccessFactor = 1;   ///< The rest: Speedup / ResourceFactor.
  /// The speedup if what no source tells is as bad as it may be, and what that
  /// is; empty if that is no worse.
  double Worst = 1;
  std::string WorstIf = {};
  /// How many times as much machine code nvcc makes of it; 1 if about as much.
  double CodeGrowth = 1;
};

/// One kernel of the plan.
struct KernelPlan {
  Kernel Facts;
  BlockBound Block;
  bool AddLaunchBounds = false;
  /// It stays, and launches run a version beside it where they can.
  bool HasVersion = false;
  /// The version may wait for other blocks.
  bool Waits = false;
  /// It is predicted to be faster only in grids whose blocks are all resident
  /// at once in it, so other launches run the original.
  bool WhereResident = false;
  /// Launches run the kernel or the version, whichever turns out to be faster.
  bool Chooses = false;
  /// Why not, where choosing was asked for and arrays could move.
  std::string WhyNoChoice;
  /// What its body tells the compiler of the threads of its blocks, so that
  /// functions need not test for more; empty where it tells nothing.
  std::string AssumedBlock;
  uint64_t SharedBefore = 0; ///< Static bytes per block.
  /// Of the largest block; launches bring them where WarpBytes is not 0.
  uint64_t SharedAfter = 0;
  uint64_t DynamicSharedBytes = 0; ///< The most that a launch asks for.
  /// What launches bring in addition, in bytes per warp; 0 for static storage.
  uint64_t WarpBytes = 0;
  bool MovesArrays = false; ///< Some of those that it reaches.
  /// What it does, arrays by their index in Plan::Arrays; nothing without
  /// optimised IR.
  std::optional<KernelWork> Work;
  std::optional<Prediction> Predicted; ///< Of what was decided.
  /// Where it chooses, what is predicted without a word from nvcc: what its
  /// launches begin with, so that no answer has a file compiled again for that.
  std::optional<Prediction> Foreseen;
  /// What the driver leaves to the L1 may make it slower than it was.
  bool NeedsCarveout = false;
  /// Others keep arrays that they share with it, since it may lose.
  bool HoldsOthers = false;
  /// Why it can have no row but that of a version; empty when it can.
  std::string WhyNoRow;
  Carveout Carved; ///< What its row sees to.

  /// Whether a row beside it says what its launches need.
  bool hasRow() const {
    return HasVersion || WarpBytes || Carved.How != Carveout::Rule::Driver;
  }
  unsigned Registers = 0; ///< From ptxas; 0 when unknown.
  FrameUse Frame;         ///< As the kernel was; empty when unknown.
  /// Launches that fail, and their threads: the launch bounds allow fewer.
  std::map<Place, unsigned> Failing;
  /// Resident warps per SM; 0 when unknown.
  unsigned WarpsBefore = 0;
  unsigned WarpsAfter = 0;
};

/// One finding with its evidence, and who reaches it.
struct ReachedArray {
  Finding Array;
  ArrayEvidence Evidence;
  std::vector<unsigned> Kernels; ///< Indices of Plan::Kernels that reach it.
  /// The same per instance, parallel to Finding::Instances.
  std::vector<std::vector<unsigned>> InstanceKernels;
  std::set<unsigned> KernelsApart; ///< Those that are compiled apart from it.
  FrameAnswer Frame = FrameAnswer::NotAsked;
  /// How many elements are to move, where that is decided; 0: all.
  unsigned First = 0;
  /// Why it can move in a copy of its function alone, if that is so.
  std::optional<Obstacle> OnlyInCopy;
  /// Why it can have no shared memory, where versions call its function and
  /// there is no copy of that.
  std::optional<Obstacle> WhyNoCopy;
  bool InCopy = false; ///< As in Storage, if it moves to shared memory.
};

/// The same with its verdict.
struct PlannedArray : ReachedArray {
  bankstripe::Verdict Verdict;
};

/// The verdicts of a whole run.
struct Plan {
  std::string GpuArch;              ///< That occupancy and predictions are for.
  std::vector<PlannedArray> Arrays; ///< Sorted by place.
  std::vector<KernelPlan> Kernels;  ///< Sorted by place.
  std::map<Place, Callee> Callees;  ///< By their place.
  /// Functions that get copies, each with the calls that change in its copy.
  std::vector<FunctionText> Copies;
  std::vector<TextRange>
      CallsOfCopies; ///< Names in the kernels that call them.
  /// Declarations of copies that are defined later, by those kernels.
  std::map<Place, std::set<std::string>> DeclaredCopies;
  std::map<std::string, std::string> Contents; ///< As in UnitFacts.
  std::set<std::string> NumberedFiles;         ///< Likewise.
  /// By the files whose Contents have them.
  std::map<std::string, std::vector<ExpandedMacro>> Expanded;
  std::vector<DecisionOutcome> Outcomes;     ///< In order of their places.
  std::vector<KernelOutcome> KernelOutcomes; ///< Likewise.
  /// What would change if nvcc had nothing against it, by the arrays' places.
  std::map<Place, Treatment> Treatments;
  /// Files whose launches are taken for all there are; 0: others may launch
  /// kernels as well.
  unsigned ProgramFiles = 0;

  /// The symbols of the kernels that have a version.
  std::set<std::string> kernelsWithVersion() const {
    std::set<std::string> Result;
    for (const KernelPlan &K : Kernels)
      if (K.HasVersion)
        Result.insert(K.Facts.Id);
    return Result;
  }
};

/// Where \p A is, as far as that is known.
Residency residencyOf(const ReachedArray &A);

llvm::StringRef nameOf(StripeForm F);
llvm::StringRef nameOf(BlockSizeSource S);

} // namespace bankstripe

#endif
