//===-- Replays.h - measures kernels alone ----------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A run of the program left captures of the launches that matter. The device
// code of a variant is compiled alone, and takes the original's place in them:
//
//   attempt => changed sources => cubin => replays => speedup
//
// All cores compile while the GPU replays; what is done first is what tune/'s
// search expects most of.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_BENCH_REPLAYS_H
#define BANKSTRIPE_BENCH_REPLAYS_H

#include "bench/DeviceCode.h"
#include "report/Terminal.h"
#include "tune/Measurement.h"
#include "tune/Search.h"
#include <array>
#include <deque>
#include <list>
#include <memory>

namespace bankstripe {

/// Plans a trial and makes the changes.
using CarryOut = std::function<llvm::Expected<PlannedChanges>(const Trial &)>;

class Replays {
public:
  /// All references outlive this. \p Known, which may be nothing, keeps what is
  /// measured, also of a run that is interrupted. \p Seen has the captures.
  Replays(const std::vector<UnitRecord> &Units, const Program &P,
          Answers *Known, const ProgramRun &Seen, CarryOut Make,
          Accepted Accepts);

  /// Searches all of \p Groups that can be replayed; of any other, and of one
  /// for which that turns out, WhyWhole says why. \returns the signal that
  /// ended the search, SIGALRM where the time was up; else 0. Errors: as of
  /// applyPlan.
  llvm::Expected<int> search(std::vector<TuneGroup> &Groups, const Plan &All,
                             Search &By);

  /// Launches of variants that were replayed.
  unsigned count() const { return Count; }
  /// Those of which the result was known from before.
  unsigned knownCount() const { return KnownCount; }

private:
  /// What is asked of an attempt that computes something else: what its
  /// launches leave without fusing, beside those of the original without fusing
  /// and, in addition, hardly optimised.
  struct Question {
    Attempt Wrong;
    Plan Decisions;
    std::array<std::string, 3> Left;
    unsigned Open = 3;
    bool IsAnswered = true; ///< All of them could be launched.
  };
  enum class Stage { Compiling, Ready, Replaying, Done, RuledOut };
  /// An attempt on its way.
  struct Variant {
    TuneGroup *Group = nullptr;
    Attempt What;
    PlannedChanges Sources;
    std::shared_ptr<Question> About; ///< What it is to answer, if anything.
    unsigned Part = 0;               ///< Of that.
    Stage Is = Stage::Compiling;
    std::map<unsigned, const DeviceCode *> Codes; ///< By the kernel's index.
    unsigned Captures = 0;      ///< That are still to be replayed.
    double Nanoseconds = 0;     ///< Of all their launches.
    double Most = 0, Least = 0; ///< With a probability of 95 %,
    bool IsSure = true;         ///< if there is an interval of each.
    bool Varies = false;        ///< So of some launch nothing was compared.
    bool Differs = false;       ///< Some launch leaves something else.
    double Seconds = 0;         ///< That it took.
    std::string Left;           ///< Digests of what its launches leave.

    void add(const CapturedLaunch &L, const Replayed &R);
    bool isCompiled() const;
    std::string problem() const;
    void finishCapture() {
      if (--Captures == 0)
        Is = Stage::Done;
    }
  };
  /// A captured launch of several variants.
  struct Launched {
    TuneGroup *Group = nullptr;
    unsigned Kernel = 0; ///< Index of the plan.
    const CapturedLaunch *Capture = nullptr;
    std::vector<Variant *> Variants; ///< That are to be replayed.
    std::vector<std::string> Keys;   ///< Of their results, or empty.
    std::string Json;                ///< Of these.
    TimePoint Begin;
  };
  std::string whyNot(const TuneGroup &G) const;
  const UnitRecord *unitOf(const KernelPlan &K) const;
  bool isSearched(const TuneGroup &G) const;
  std::vector<std::string> flagsFor(const TuneGroup &G, const Plan &P) const;
  llvm::Error addVariant(TuneGroup &G, Attempt A,
                         llvm::ArrayRef<std::string> Flags = {},
                         std::shared_ptr<Question> About = nullptr,
                         unsigned Part = 0);
  llvm::Expected<bool> beginVariant();
  bool beginStep(Workers &Pool);
  bool beginReplay(Workers &Pool);
  llvm::Error sortCompiled();
  double urgencyOf(const Variant &V);
  std::vector<Variant *> gatherBatch();
  void addLaunches(llvm::ArrayRef<Variant *> Batch);
  std::string keyOf(const CapturedLaunch &L, const DeviceCode &Code,
                    llvm::json::Object How) const;
  std::optional<Replayed> recall(const std::string &Key);
  bool prepare(Launched &L);
  void receive(size_t Piece, const WorkResult &Work);
  void receiveReplay(Launched L, const WorkResult &Work);
  llvm::Error finish(Variant &V);
  void giveUp(TuneGroup &G, const std::string &Why);
  bool isWorthAsking(const TuneGroup &G, const Attempt &A);
  llvm::Error ask(const Variant &V);
  void answer(TuneGroup &G, Question &Q);
  void checkOriginal(TuneGroup &G);
  std::vector<KernelUse> usesOf(const Variant &V) const;
  void showProgress();

  const std::vector<UnitRecord> &Units;
  const Program &P;
  Answers *Known;
  const ProgramRun &Seen;
  CarryOut Make;
  Accepted Accepts;
  DeviceCodes Codes;
  const Plan *Movable = nullptr;
  Search *Order = nullptr;
  std::list<Variant> Variants; ///< From their compilation to their result.
  std::deque<Launched> Pending;
  std::map<size_t, DeviceCodes::Step> Steps;    ///< By the number of the piece.
  std::map<size_t, Launched> Running;           ///< Likewise.
  const unsigned AtATime;                       ///< Replays.
  std::map<const TuneGroup *, double> Original; ///< Nanoseconds, captured.
  std::map<const TuneGroup *, unsigned> Asked;  ///< Questions.
  std::optional<Progress> Shown;
  size_t Pieces = 0;
  unsigned Count = 0, KnownCount = 0;
};

} // namespace bankstripe

#endif
