//===-- Profit.cpp - is it worth it ---------------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The model
// ---------
// A multiprocessor is busy as long as one of two things takes: issuing what all
// its warps have to do, or waiting for one warp's chain of results, which the
// other resident warps fill (Hong and Kim, ISCA 2009, take the same two):
//
//     time per warp = (issue^p + (latency / resident warps)^p) ^ (1/p)
//
// Both are sums over what a thread does. An access to local memory takes one
// pass through the L1 if the lanes agree on the index, and one more for each
// further row of 128 bytes that they ask for; n rows of which 32 lanes pick at
// random give n (1 - (1 - 1/n)^32). What does not fit into the L1 comes from
// the L2. The L1 is what shared memory leaves of 256 KB, and the arrays that
// are used most per byte are taken to stay in it. An access to a stripe takes
// one pass whatever the indices are; slots of non-uniform indices take more.
//
// So the model has the terms of docs/design.md, section 2: what the shared
// memory costs (fewer warps, a smaller L1), or gives where the arrays no longer
// thrash the L1, and what the access gains.
//
// Loads from global memory are of two kinds. A walk over data is answered by
// the L2 whatever the L1 is. Addresses that were loaded themselves lead into
// trees and tables, whose lines are asked for again; the larger the L1, the
// more of them it holds, and their working set is taken to be as large as it.
//
// The constants are fitted to 12,132 timings of the sweep on an H200
// (tests/gpu/sweep/fit.py; docs/measurements.md says how well), cycles of one
// multiprocessor. The work comes from the optimised IR (evidence/Work.cpp). How
// far the indices of a warp are apart cannot be seen: stacks, counters and
// sorted data often agree. In the programs that were measured a fifth of random
// fits; the ends of the range give the uncertainty that is reported.
//
//===----------------------------------------------------------------------===//

#include "plan/Profit.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace bankstripe;

namespace {

/// Cycles, fitted; see above.
namespace issue {
constexpr double Instruction = 0.219;
constexpr double DoubleOperation = 0.43;
constexpr double Global = 0.548;
constexpr double LocalWord = 2.48;
constexpr double LocalRow = 2.93; ///< Each further row that lanes ask for.
constexpr double SharedWord = 0.272;
constexpr double Packing = 0.256;  ///< Per access to a packed element.
constexpr double MissFactor = 2.1; ///< More for what the L2 answers.
} // namespace issue

namespace latency {
constexpr double Instruction = 1.48;
constexpr double DoubleOperation = 6.57;
constexpr double Global = 224;
constexpr double Local = 52.7;
constexpr double Shared = 26.9;
constexpr double Packing = 11.4;
constexpr double Miss = 130; ///< More for what the L2 answers.
constexpr double GatheredHit = 40;
} // namespace latency

constexpr double Sharpness = 4.17;  ///< p above.
constexpr double HitExponent = 0.9; ///< Of the share that fits the L1.
/// Passes of a slot at random indices, measured (docs/measurements.md).
constexpr double SlotPasses = 1.6;
constexpr double SlotPassesOfDoubles = 2.4;
/// Passes of unpacked elements, several of which share a word, fitted.
constexpr double UnpackedPasses = 0.612;

constexpr double UnifiedCache = 256 * 1024; ///< L1 and shared memory, sm_90.
/// The sizes that shared memory can take of it, in KB (CUDA programming guide,
/// compute capability 9.0), and the KB that each block takes beside its own.
constexpr unsigned CarveOuts[] = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228};
constexpr unsigned ReservedPerBlock = 1024;

/// A middle of what was seen in programs, between the ends 0 and 1; counters,
/// such as the tops of stacks, are closer to each other.
constexpr double UsualSpread = 0.2;
constexpr double SpreadOfCounters = 0.1; ///< Of that of other indices.
/// Root mean square of the model's errors on the sweep, as a factor.
constexpr double ModelError = 1.3;

} // namespace

static double wordsOf(const ArrayTraffic &A) {
  return A.Uniform + A.NonUniform + A.Counted;
}

static double wordsPerAccess(const ArrayTraffic &A) {
  return std::clamp(A.ElementBytes / 4.0, 1.0, 4.0);
}

// The rows of local memory that a warp asks for at once.
static double rowsAsked(const ArrayTraffic &A, unsigned Threads,
                        double Spread) {
  const double Lanes = std::min(Threads, 32u);
  const double Rows =
      std::max(1.0, double(A.BytesPerThread) / (4 * wordsPerAccess(A)));
  const double Random = Rows * (1 - std::pow(1 - 1 / Rows, Lanes));
  return 1 + (Random - 1) * Spread;
}

static double firstLevelCache(const Resources &R, unsigned Threads) {
  const double Blocks = double(R.Warps) / std::max(1u, (Threads + 31) / 32);
  const double Wanted =
      R.SharedBytes ? double(R.SharedBytes) + Blocks * ReservedPerBlock : 0;
  for (unsigned Kilobytes : CarveOuts)
    if (Kilobytes * 1024.0 >= Wanted)
      return UnifiedCache - Kilobytes * 1024.0;
  return UnifiedCache - CarveOuts[std::size(CarveOuts) - 1] * 1024.0;
}

// The share of each local array that the L1 holds, the busiest per byte first.
static std::vector<double> hitRates(const KernelTraffic &K,
                                    const Resources &R) {
  std::vector<unsigned> Order(K.Arrays.size());
  for (unsigned I = 0; I < Order.size(); ++I)
    Order[I] = I;
  auto Density = [&](unsigned I) {
    const ArrayTraffic &A = K.Arrays[I];
    return wordsOf(A) / double(std::max<uint64_t>(1, A.BytesPerThread));
  };
  llvm::stable_sort(
      Order, [&](unsigned A, unsigned B) { return Density(A) > Density(B); });
  double Left = firstLevelCache(R, K.Threads);
  std::vector<double> Hits(Order.size(), 1);
  for (unsigned I : Order) {
    const ArrayTraffic &A = K.Arrays[I];
    if (A.Moved)
      continue;
    const double Footprint = double(A.BytesPerThread) * 32 * R.Warps;
    Hits[I] = std::pow(std::clamp(Left / std::max(1.0, Footprint), 0.0, 1.0),
                       HitExponent);
    Left = std::max(0.0, Left - Footprint);
  }
  return Hits;
}

static double passes(const ArrayTraffic &A) {
  if (A.Slot)
    return A.ElementBytes == 8 ? SlotPassesOfDoubles : SlotPasses;
  return A.Form == StripeForm::Unpacked ? UnpackedPasses : 1;
}

PredictedState bankstripe::termsOf(const KernelTraffic &K, const Resources &R,
                                   double Spread) {
  PredictedState Result;
  const KernelWork &W = K.Work;
  double Issue = issue::Instruction * W.Instructions +
                 issue::DoubleOperation * W.DoubleOperations +
                 issue::Global * (W.Global + W.Gathered) +
                 issue::SharedWord * W.Shared + issue::LocalWord * W.OtherLocal;
  double Latency = latency::Instruction * W.Instructions +
                   latency::DoubleOperation * W.DoubleOperations +
                   latency::Global * W.Global + latency::Shared * W.Shared +
                   latency::Local * W.OtherLocal;
  const double Held = firstLevelCache(R, K.Threads) / UnifiedCache;
  Latency +=
      W.Gathered * (Held * latency::GatheredHit + (1 - Held) * latency::Global);
  const std::vector<double> Hits = hitRates(K, R);
  for (auto [A, Hit] : llvm::zip(K.Arrays, Hits)) {
    ArrayCost &Cost = Result.Arrays.emplace_back();
    Cost.Array = Result.Arrays.size() - 1;
    Cost.Moved = A.Moved;
    Cost.HitRate = Hit;
    const double Accesses = wordsOf(A) / wordsPerAccess(A);
    if (A.Moved) {
      const bool Packed = !A.Slot && A.Form == StripeForm::Packed;
      Cost.Issue = (A.Uniform + (A.NonUniform + A.Counted) * passes(A)) *
                       issue::SharedWord +
                   (Packed ? Accesses * issue::Packing : 0);
      Cost.Latency =
          Accesses * (latency::Shared + (Packed ? latency::Packing : 0));
      continue;
    }
    auto Rows = [&](double S) {
      return issue::LocalWord +
             issue::LocalRow * (rowsAsked(A, K.Threads, S) - 1);
    };
    Cost.Issue = (A.Uniform * issue::LocalWord + A.NonUniform * Rows(Spread) +
                  A.Counted * Rows(Spread * SpreadOfCounters)) *
                 (1 + (1 - Hit) * issue::MissFactor);
    Cost.Latency = Accesses * (latency::Local + (1 - Hit) * latency::Miss);
  }
  for (const ArrayCost &Cost : Result.Arrays) {
    Issue += Cost.Issue;
    Latency += Cost.Latency;
  }
  Result.Warps = R.Warps;
  Result.FirstLevelCache = firstLevelCache(R, K.Threads);
  Result.Issue = Issue;
  Result.Wait = Latency / std::max(1u, R.Warps);
  Result.Time = std::pow(std::pow(Result.Issue, Sharpness) +
                             std::pow(Result.Wait, Sharpness),
                         1 / Sharpness);
  return Result;
}

double bankstripe::timeOf(const KernelTraffic &K, const Resources &R,
                          double Spread) {
  return termsOf(K, R, Spread).Time;
}

static KernelTraffic withoutMoves(KernelTraffic K) {
  for (ArrayTraffic &A : K.Arrays)
    A.Moved = false;
  return K;
}

Prediction bankstripe::predict(const KernelTraffic &After, const Resources &Had,
                               const Resources &Has) {
  const KernelTraffic Before = withoutMoves(After);
  auto Speedup = [&](double Spread) {
    return timeOf(Before, Had, Spread) / timeOf(After, Has, Spread);
  };
  Prediction P;
  P.Speedup = Speedup(UsualSpread);
  P.Price = timeOf(Before, Had, UsualSpread) / timeOf(Before, Has, UsualSpread);
  P.Gain = P.Speedup / P.Price;
  const double Agreeing = Speedup(0), Random = Speedup(1);
  P.Low = std::min({P.Speedup, Agreeing, Random}) / ModelError;
  P.High = std::max({P.Speedup, Agreeing, Random}) * ModelError;
  return P;
}

Explanation bankstripe::explain(const KernelTraffic &After,
                                const Resources &Had, const Resources &Has) {
  const KernelTraffic Before = withoutMoves(After);
  auto Speedup = [&](double Spread) {
    return timeOf(Before, Had, Spread) / timeOf(After, Has, Spread);
  };
  Explanation E;
  E.Before = termsOf(Before, Had, UsualSpread);
  E.After = termsOf(After, Has, UsualSpread);
  E.Predicted = predict(After, Had, Has);
  E.Agreeing = Speedup(0);
  E.Random = Speedup(1);
  E.ModelError = ModelError;
  E.GuessedLoops = After.Work.GuessedLoops;
  return E;
}
