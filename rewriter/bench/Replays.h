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

#ifndef BANKSTRIPE_BENCH_REPLAYS_H
#define BANKSTRIPE_BENCH_REPLAYS_H

#include "bench/DeviceCode.h"
#include "tune/Attempts.h"
#include "tune/Measurement.h"

namespace bankstripe {

/// Plans a trial and makes the changes.
using CarryOut = std::function<llvm::Expected<SourceVersion>(const Trial &)>;

class Replays {
public:
  /// All references outlive this. \p Known, which may be nothing, keeps what is
  /// measured, also of a run that is interrupted. \p Seen has the captures.
  Replays(const std::vector<UnitRecord> &Units, const Program &P,
          Answers *Known, const ProgramRun &Seen, CarryOut Make)
      : Units(Units), P(P), Known(Known), Seen(Seen), Make(std::move(Make)),
        Codes(Units, P, Known, Seen.Architecture) {}

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
    SourceVersion Sources;
  };
  /// What came of one version of a group's kernels.
  struct VersionTimes {
    Version *From = nullptr;
    double Nanoseconds = 0;     ///< Of all their launches.
    double Most = 0, Least = 0; ///< With a probability of 95 %,
    bool IsSure = true;         ///< if there is an interval of each.
    bool Varies = false;        ///< So of some launch nothing was compared.
    bool IsStopped = false;     ///< Some launch was timed no longer.
    std::string Problem;

    void add(const CapturedLaunch &L, const Replayed &R);
  };
  /// A captured launch in several versions.
  struct Launched {
    TuneGroup *Group = nullptr;
    unsigned Kernel = 0; ///< Index of the plan.
    std::string Name;    ///< Of the kernel.
    const CapturedLaunch *Capture = nullptr;
    std::vector<VersionTimes *> Versions; ///< That are to be replayed.
    std::vector<std::string> Keys;        ///< Of their results, or empty.
    std::vector<Replayed> Results;        ///< The last may be missing.
    std::string Problem;                  ///< Why there is none; else empty.
  };
  std::string whyNot(const TuneGroup &G, const Plan &Movable) const;
  const UnitRecord *unitOf(const KernelPlan &K) const;
  std::set<const UnitRecord *> unitsOf(const Version &V) const;
  llvm::Expected<std::vector<Version>> compile(std::vector<Version> Versions);
  bool isCompiled(const Version &V) const;
  void replay(std::vector<Version> &Versions);
  std::string keyOf(const CapturedLaunch &L, const DeviceCode &Code,
                    llvm::json::Object Candidate) const;
  std::optional<Replayed> recall(const std::string &Key);
  void receive(Launched &L, const WorkResult &Work);
  std::string prepare(Launched &L);
  std::vector<Launched>
  launches(std::map<TuneGroup *, std::vector<VersionTimes>> &All) const;
  void run(std::vector<Launched> &Launches);
  std::vector<KernelUse> usesOf(const TuneGroup &G, const Version &V) const;
  void record(TuneGroup &G, llvm::MutableArrayRef<VersionTimes> All,
              double Original);

  const std::vector<UnitRecord> &Units;
  const Program &P;
  Answers *Known;
  const ProgramRun &Seen;
  CarryOut Make;
  DeviceCodes Codes;
  unsigned Count = 0, KnownCount = 0;
};

} // namespace bankstripe

#endif
