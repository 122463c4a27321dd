//===-- Selection.h - digest this launch? -----------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A digest waits for the device and reads all live memory, which is too much
// after each of 100,000 launches. The environment says how to choose:
//
// | variable                | digested is                                    |
// | ----------------------- | ---------------------------------------------- |
// | BANKSTRIPE_SCHEDULE     | what stands in this file (recording/Schedule.h)|
// |                         | and nothing else; the variables below are then |
// |                         | without effect                                 |
// | BANKSTRIPE_MAX_LAUNCHES | none of the launches from this number on       |
// | BANKSTRIPE_KERNELS      | a kernel in whose canonical name this regular  |
// |                         | expression (ECMAScript) is found; a graph is   |
// |                         | called "graph"                                 |
// | BANKSTRIPE_SAMPLE       | of each kernel's launches, in this order, the  |
// |                         | first one and then every Nth                   |
// | BANKSTRIPE_OVERHEAD     | a launch at which the recorder has used at     |
// |                         | most this many times the time that the program |
// |                         | took without it (a decimal number); and, in    |
// |                         | any case, the first launch of each kernel with |
// |                         | each grid and block, and of each graph: up to  |
// |                         | 8 of one kernel or of all graphs, and 1,000 in |
// |                         | all, while the recorder has used less than a   |
// |                         | minute                                         |
//
// Never digested after are the kernels of NCCL: each waits for others, on other
// devices, which are not launched while the recorder waits.
//
// A launch has to pass all that are set. One that does not pass is recorded
// without digests; what it leaves behind is seen by the next digest. Memory
// that is freed before that is digested when it goes, unless the time or
// BANKSTRIPE_MAX_LAUNCHES does not allow it, and so is what is left at the end
// of a context or of the program, in any case. A quarter of BANKSTRIPE_OVERHEAD
// is kept for what is freed: it is small as a rule, and after a digest of all
// memory its turn would never come.
//
// The clock is the caller's, so that all of this can be tested.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_RECORDER_SELECTION_H
#define BANKSTRIPE_RECORDER_SELECTION_H

#include "recording/Schedule.h"
#include <functional>
#include <regex>
#include <unordered_map>

namespace bankstripe::runtime {

/// What the environment asks for.
struct SelectionSettings {
  std::optional<Schedule> Listed;
  std::optional<unsigned> MaxLaunches;
  std::optional<std::regex> Kernels;
  unsigned Sample = 1;
  std::optional<double> Overhead;

  using Environment = std::function<const char *(const char *)>;
  /// \returns the settings, or what is wrong with them.
  static std::variant<SelectionSettings, std::string>
  read(const Environment &Get);
};

/// Why a launch is not digested.
enum class Skip {
  No,
  Schedule,
  MaxLaunches,
  Kernels,
  Sample,
  Overhead,
  Collective,
};

/// The reason as it stands in a recording: "kernels".
const char *skipName(Skip Reason);

class Selection {
public:
  /// Nanoseconds of a clock that never goes back.
  using Time = uint64_t;

  /// Everything is digested.
  Selection() = default;
  /// \param Start when the program's own time starts to count.
  Selection(SelectionSettings S, Time Start)
      : Settings(std::move(S)), Start(Start) {}

  /// What is known of a kernel; it stays where it is.
  struct Kernel {
    bool IsWanted = true;
    bool IsCollective = false;
    uint64_t Launches = 0;
    std::vector<std::pair<Extent, Extent>> Shapes; ///< Digested in any case.
  };
  /// The kernel of this symbol; the same one for every spelling of its
  /// canonical name.
  Kernel &kernel(const std::string &Symbol);

  /// Decides on the next launch, of number \p Index.
  Skip launch(unsigned Index, Kernel &Of, const Extent &Grid,
              const Extent &Block, Time Now);

  /// Decides whether to digest memory that goes after launch \p Last, which
  /// was not digested. The first decision on a launch holds for all memory
  /// that goes before the next one.
  Skip free(unsigned Last, Time Now);

  /// Tells of time that went into digests and the recording, and into what
  /// CUPTI does for them.
  ///
  /// \param AtFrees into what free() was asked about.
  void spent(Time Nanoseconds, bool AtFrees = false) {
    Own += Nanoseconds;
    OwnAtFrees += AtFrees ? Nanoseconds : 0;
  }

private:
  bool isAffordable(Time Used, double Share, Time Now) const;
  bool isFirstOfShape(Kernel &Of, const Extent &Grid, const Extent &Block);

  SelectionSettings Settings;
  Time Start = 0, Own = 0, OwnAtFrees = 0;
  std::unordered_map<std::string, Kernel> Kernels; ///< By canonical name.
  unsigned AllShapes = 0;
  std::optional<unsigned> FreeDecidedFor;
  Skip FreeDecision = Skip::No;
};

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_RECORDER_SELECTION_H
