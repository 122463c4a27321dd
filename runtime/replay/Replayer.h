//===-- Replayer.h - launches a captured kernel again -----------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// docs/internals/recorder.md, "Replay", says in which order things happen. The
// rewritten kernel is one of another module. Of several, each is compared and
// timed in its turn; after a failure another process goes on with the next one.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_REPLAY_REPLAYER_H
#define BANKSTRIPE_REPLAY_REPLAYER_H

#include "harness/Words.h"
#include "replay/GpuMemory.h"
#include "replay/Report.h"
#include <map>
#include <set>

namespace bankstripe::runtime {

/// What is launched in the place of the original.
struct Candidate {
  std::string Module;          ///< File with its machine code; empty: none.
  std::optional<int> Carveout; ///< As CapturedKernel::Carveout.
  /// What the launch asks for in addition, for each warp, if not 0: as
  /// bankstripe::shared_bytes does (device/bankstripe.cuh).
  unsigned WarpBytes = 0;
  /// Larger blocks launch the kernel itself, not a version beside it; 0: none.
  unsigned MostThreads = 0;
};

/// The kernel of a candidate, with the launch of \p Original.
///
/// \param Result none without a module.
/// \return what is wrong; empty when nothing is.
std::string readKernel(const Candidate &From, const CapturedKernel &Original,
                       std::optional<CapturedKernel> &Result);

/// Of the kernels \p InModule the one that is launched for \p Symbol: if it may
/// be, the version that stands beside it; itself; or, where its linkage is
/// internal, the one of the same name.
std::string kernelIn(const std::vector<std::string> &InModule,
                     const std::string &Symbol, bool MayBeVersion = true);

/// Reads a list from a file with JSON, which docs/guide/verify.md describes.
///
/// \return what is wrong; empty when nothing is.
std::string readCandidates(const std::string &Path,
                           std::vector<Candidate> &Into);

/// A page of a capture.
struct PageNumber {
  unsigned Memory = 0; ///< Index in Capture::Memory.
  uint64_t Page = 0;
  auto operator<=>(const PageNumber &) const = default;
};

/// A variable that a module has at an address of its own.
struct MovedVariable {
  AddressRange Was; ///< Where it lay in the captured program.
  uint64_t IsAt = 0;
};

/// The buffer of all parameters, with gaps of zeros. A 64-bit word at a
/// multiple of 8 bytes in a parameter that points into a moved variable points
/// into it where it is now.
std::string parameterBuffer(const std::vector<CapturedParameter> &Parameters,
                            const std::vector<MovedVariable> &Moved);

/// Functions throw a GpuProblem, after which nothing more can be done.
class Replayer {
public:
  /// \param Of outlives this.
  explicit Replayer(const Capture &Of) : Of(Of), Memory(D, Of) {}

  /// Throws AddressesTaken where that is so.
  void prepare();

  /// Loads the module of \p Kernel, launches it and compares memory with what
  /// the captured launch left.
  ///
  /// \param Kernel outlives all launches of this side.
  /// \return also a launch that fails is a result, after which nothing more can
  /// be done.
  SideResult launch(Side Which, const CapturedKernel &Kernel);

  /// Timed launches.
  struct Timing {
    unsigned Done = 0;      ///< Of each kernel.
    bool IsStopped = false; ///< As in ReplayTimes.
    /// The side that failed, if one did, with its error; then nothing more can
    /// be done either.
    std::optional<std::pair<Side, std::string>> Failed;
  };

  /// Launches both kernels \p Times times each, after launch() of both.
  ///
  /// \param MostSeconds after which there are no more launches than an
  /// interval needs, and of a kernel that is slower by a tenth only two; of
  /// launches that take two fifths of that two of each tell enough, and one of
  /// a kernel that is slower. 0 for no limit.
  Timing time(unsigned Times, double MostSeconds);

private:
  /// A kernel that is ready to be launched.
  struct Loaded {
    const CapturedKernel *Kernel = nullptr;
    CUfunction Function = nullptr;
    std::string Parameters;
    /// Where the module has variables, by their index in Capture::Memory.
    std::map<unsigned, CUdeviceptr> Variables;
    std::set<PageNumber> Changed; ///< By its launches.
  };

  /// Memory as the launch finds it, and a copy of it.
  struct KeptRange {
    CUdeviceptr At = 0, Copy = 0;
    uint64_t Bytes = 0;
  };

  void makeContext();
  void load(Side Which, const CapturedKernel &Kernel);
  void findVariables(CUmodule Module, const CapturedKernel &Kernel,
                     Loaded &Into);
  void setAttributes(const CapturedKernel &Kernel, CUfunction Function);
  int carveoutOfGrid(const CapturedKernel &Kernel, CUfunction Function);
  void restore(const std::set<PageNumber> &Pages);
  std::vector<KeptRange> keep(const std::set<PageNumber> &Pages);
  void setVariables(const Loaded &Of);
  CUresult run(Side Which);
  void compare(Side Which, SideResult &Result);
  std::optional<ByteDifference>
  comparePage(PageNumber At, std::string_view Bytes,
              std::set<PageNumber> &Changed) const;

  const Capture &Of;
  Driver D;
  CUdevice Device = 0;
  GpuMemory Memory;
  std::map<Side, Loaded> Sides;
};

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_REPLAY_REPLAYER_H
