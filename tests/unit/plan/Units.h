//===-- Units.h - facts and evidence built by hand --------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Planning works on plain values. A test starts from values that give a stripe
// and changes the one thing that it is about:
//
//   TestUnit U;
//   U.launch(128).IsFixed = false;
//   U.array();
//   EXPECT_EQ(reasonOf(U.plan()), Reason::BlockSizeUnknown);
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TESTS_UNIT_PLAN_UNITS_H
#define BANKSTRIPE_TESTS_UNIT_PLAN_UNITS_H

#include "plan/Candidates.h"
#include "plan/MakePlan.h"
#include "llvm/Support/raw_ostream.h"
#include <ostream>

namespace bankstripe::testing {

/// A line of \p File.
Place onLine(unsigned Line, const std::string &File = "/a.cu");

/// A kernel `k` to which launch bounds can be added.
Kernel makeKernel(const std::string &Name = "k", unsigned Line = 1,
                  const std::string &File = "/a.cu");

/// A launch of kernel \p Name with a literal block size, as `k<<<1, N>>>`.
Launch makeLaunch(unsigned Threads, const std::string &Name = "k",
                  unsigned Line = 100);

/// Leaves the block of \p L unknown.
void forgetBlock(Launch &L);

/// Gives the kernels of \p Unit text that can be edited, which they do not have
/// otherwise.
void giveText(UnitResult &Unit);

/// An array under construction, and who reaches it.
struct TestArray : Finding {
  std::vector<std::string> Kernels; ///< That reach its instances,
  /// but for those whose function has an entry here.
  std::map<std::string, std::vector<std::string>> KernelsOf;
};

/// `int NAME[Elements]` in kernel `k`, with one dynamic read.
TestArray makeArray(const std::string &Name = "a", uint64_t Elements = 16,
                    unsigned ElementBytes = 4, unsigned Line = 10);

/// What the function \p FunctionId makes of \p F.
ArrayInstance makeInstance(const Finding &F, const std::string &FunctionId);

/// The same, reached by \p Kernels.
ArrayInstance makeInstance(TestArray &F, const std::string &FunctionId,
                           std::vector<std::string> Kernels);

/// One read of a dynamic element.
Use makeUse();

/// \p Why, on line \p Line.
Obstacle obstacle(Reason Why, unsigned Line = 12, std::string Detail = "");

/// Words that are loaded as often as they are stored.
constexpr Words updated(double Number) { return {Number / 2, Number / 2}; }

/// Local memory, uniform index.
ArrayEvidence resident(Uniformity Index = Uniformity::Uniform);

/// A person's decision about \p Array of kernel `k`.
ArrayDecision decision(Layout Wanted, std::string Array = "a",
                       unsigned Occurrence = 1);

/// Options with a decision for blocks of so many threads of kernel `k`.
PlanOptions decidedBlock(unsigned Threads);

/// A translation unit under construction.
struct TestUnit {
  UnitResult Result;       ///< Without the arrays.
  KernelMentions Mentions; ///< As in PlanOptions.
  std::vector<TestArray> Arrays;

  explicit TestUnit(const std::string &File = "/a.cu", bool WithKernel = true);
  /// The kernel `k`, present from the start unless declined.
  Kernel &kernel() { return Result.Facts.Kernels.front(); }
  /// The shared memory of kernel `k`.
  SharedMemory &shared() { return Result.Evidence.Kernels["k"]; }
  Launch &launch(unsigned Threads);
  /// Has text name kernel `k` where nothing launches it.
  void mention() { Mentions.ByName["k"].Other = "'b.py' names it"; }
  /// Adds \p F, or the array of makeArray, with the evidence \p E. The
  /// reference is good until the next one is added.
  TestArray &array(TestArray F = makeArray(), ArrayEvidence E = resident());
  /// What planning is given: arrays of which a test lists no instances have
  /// one, as declared.
  UnitResult result() const;
  Plan plan(const PlanOptions &Options = {}, const Measured &Known = {}) const;
};

/// What nvcc says of the plan for \p U, if it has nothing against it.
NvccTrial confirmed(const TestUnit &U, const PlanOptions &Options = {});

/// The plan for \p U once nvcc has said that the frames of \p Kernels stay as
/// they are.
Plan planWithFramesKept(const TestUnit &U, std::vector<std::string> Kernels,
                        const PlanOptions &Options = {});

/// The plan for \p U once nvcc has rejected its only file.
Plan planWithFileRejected(const TestUnit &U, const PlanOptions &Options = {});

/// The kernel `k` of \p U after boundBlock.
StaticBound boundOf(const TestUnit &U, unsigned BlockSizeOption = 0);

/// The array \p Name of \p P.
const PlannedArray &find(const Plan &P, llvm::StringRef Name);
/// The reason for the verdict on the array \p Name.
Reason reasonOf(const Plan &P, llvm::StringRef Name = "a");

} // namespace bankstripe::testing

namespace bankstripe {

// NOLINTBEGIN(readability-identifier-naming): GoogleTest looks for this name.
inline void PrintTo(Reason R, std::ostream *OS) { *OS << infoOf(R).Id.str(); }
inline void PrintTo(VerdictKind K, std::ostream *OS) { *OS << nameOf(K).str(); }
inline void PrintTo(StripeForm F, std::ostream *OS) { *OS << nameOf(F).str(); }
inline void PrintTo(BlockSizeSource S, std::ostream *OS) {
  *OS << nameOf(S).str();
}
// NOLINTEND(readability-identifier-naming)

} // namespace bankstripe

#endif
