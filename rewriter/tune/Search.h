//===-- Search.h - which variant is tried next ------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of all that could be tried, the variant comes first that is expected to be
// worth most per second: what it may gain, times the share of its kernels in
// the run, over what a variant of them takes. So the search can end whenever
// the time is up.
//
// Each array adds to the logarithm of a speedup, and neighbours are alike: a
// Gaussian process over the layouts of a group's arrays. It begins with what
// the model predicts, and what was measured corrects it.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TUNE_SEARCH_H
#define BANKSTRIPE_TUNE_SEARCH_H

#include "tune/Attempts.h"
#include <functional>
#include <memory>

namespace bankstripe {

/// What the model says of \p A: the predicted speedup of the kernels of a
/// group; nothing when it says none.
using Foresight = std::function<std::optional<double>(const TuneGroup &,
                                                      const Arrangement &)>;

/// The logarithm of what an array alone is predicted to be worth.
using PredictedEffects = std::map<std::pair<unsigned, LayoutChoice>, double>;

class Expectation;

class Search {
public:
  /// A variant that is to be measured.
  struct Choice {
    TuneGroup *Group = nullptr;
    Attempt What;
  };

  /// References outlive this, and no group moves. What can no longer gain is
  /// left out, unless \p TriesAll of groups with few arrays.
  Search(std::vector<TuneGroup> &Groups, const Plan &Movable,
         Arrangement Predicted, const Foresight &Foreseen, bool TriesAll);

  /// The best of those that \p MayBegin says of their groups, if it is expected
  /// to be worth more than \p Least per second. Of each group the original
  /// comes first, then the default. \returns nothing when all was tried, or
  /// depends on what is being measured.
  std::optional<Choice>
  next(llvm::function_ref<bool(const TuneGroup &)> MayBegin, double Least = 0);

  /// Records what came of a choice, which took so many seconds.
  void finish(TuneGroup &G, Attempt A, const Plan &Tried, double Seconds);

  /// What \p A is expected to be worth per second by now; 0: nothing.
  double worthOf(const TuneGroup &G, const Attempt &A);

  /// Begins with a group anew, as when it is measured in another way.
  void restart(TuneGroup &G);

  /// Names what could still be tried in TuneGroup::Untried.
  void nameUntried();

private:
  /// What is kept of a group.
  struct State {
    PredictedEffects Effects;
    std::vector<Attempt> Begun;            ///< Also those that are done.
    std::shared_ptr<Expectation> Expected; ///< From what was measured by now.
    double Seconds = 1;                    ///< That a variant takes.
    unsigned Done = 0;
  };
  PredictedEffects effectsOf(const TuneGroup &G,
                             const Foresight &Foreseen) const;
  std::vector<Attempt> open(const TuneGroup &G);
  Arrangement ascend(const TuneGroup &G, Arrangement From);
  const Expectation &expected(const TuneGroup &G);
  double gainOf(const TuneGroup &G, const Attempt &A);

  std::vector<TuneGroup> &Groups;
  const Plan &Movable;
  Arrangement Predicted;
  bool TriesAll;
  std::map<const TuneGroup *, State> States;
};

} // namespace bankstripe

#endif
