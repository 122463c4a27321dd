//===-- Replays.h - measures kernels alone ----------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A run of the program left captures of the launches that matter. The device
// code of a version is compiled alone, and takes the original's place in them:
//
//   attempts => versions of the sources => cubins => replays => speedups
//
// Groups share no kernel, so one version holds an attempt of each.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TOOL_REPLAYS_H
#define BANKSTRIPE_TOOL_REPLAYS_H

#include "cache/Cache.h"
#include "tool/DeviceCode.h"
#include "tune/Measurement.h"
#include "tune/Search.h"

namespace bankstripe {

/// Plans a trial and makes the changes.
using CarryOut = std::function<llvm::Expected<RunResult>(const Trial &)>;

class Replays {
public:
  /// All references outlive this. \p Seen has the captures.
  Replays(const ToolOptions &Options, const ReadResult &Read, Program &P,
          const ProgramRun &Seen, CarryOut Make);

  /// Searches all of \p Groups that can be replayed; of any other, and of one
  /// for which that turns out, WhyWhole says why. Errors: as of applyPlan.
  llvm::Error search(std::vector<TuneGroup> &Groups, const Plan &Movable,
                     const Arrangement &Predicted);

  /// Versions of launches that were replayed.
  unsigned count() const { return Count; }
  /// Those of which the result was known from before.
  unsigned knownCount() const { return KnownCount; }

private:
  /// An attempt of each of several groups.
  struct Version {
    std::map<TuneGroup *, Attempt> Attempts;
    Trial What;
    RunResult Run;
  };
  /// What came of one version of a group's kernels.
  struct Measured {
    Version *From = nullptr;
    double Nanoseconds = 0;     ///< Of all their launches.
    double Most = 0, Least = 0; ///< With a probability of 95 %,
    bool IsSure = true;         ///< if there is an interval of each.
    bool Varies = false;        ///< So of some launch nothing was compared.
    bool IsStopped = false;     ///< Some launch was timed no longer.
    std::string Problem;
  };
  /// A captured launch in several versions.
  struct Launched {
    TuneGroup *Group = nullptr;
    unsigned Kernel = 0; ///< Index of the plan.
    const CapturedLaunch *Capture = nullptr;
    std::vector<Measured *> Versions; ///< That are to be replayed.
    std::vector<std::string> Keys;    ///< Of their results, or empty.
    std::string Json;                 ///< The result, or
    std::string Problem;              ///< why there is none.
  };
  std::string whyNot(const TuneGroup &G, const Plan &Movable) const;
  const UnitRecord *unitOf(const KernelPlan &K) const;
  std::set<const UnitRecord *> unitsOf(const Version &V) const;
  llvm::Expected<std::vector<Version>> compile(std::vector<Version> Versions);
  bool isCompiled(const Version &V) const;
  void replay(std::vector<TuneGroup> &Groups, std::vector<Version> &Versions);
  std::string keyOf(const CapturedLaunch &L, const DeviceCode &Code,
                    llvm::json::Object Candidate) const;
  std::optional<Replayed> known(const std::string &Key);
  void keep(const Launched &L);
  std::string prepare(Launched &L);
  llvm::Error take(Launched &L);
  void take(const CapturedLaunch &L, Measured &M, const Replayed &R);
  std::vector<KernelUse> usesOf(const TuneGroup &G, const Version &V) const;
  void record(TuneGroup &G, llvm::MutableArrayRef<Measured> All,
              double Original);

  const ToolOptions &Options;
  const ReadResult &Read;
  Program &P;
  const ProgramRun &Seen;
  CarryOut Make;
  DeviceCodes Codes;
  /// What earlier runs measured, as an interrupted one did.
  std::optional<Cache> Earlier;
  unsigned Count = 0, KnownCount = 0;
};

} // namespace bankstripe

#endif
