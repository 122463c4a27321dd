//===-- Profit.cpp - is it worth it ---------------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The time of a warp before and after arrays move. docs/internals/model.md says
// what the terms are, what they rest on, and which measurements they are from:
//
//     time = (issue^p + (latency / resident warps)^p) ^ (1/p)
//
//===----------------------------------------------------------------------===//

#include "plan/Profit.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace bankstripe;

namespace {

/// Of lines, like HitExponent; 5 to 12 fit alike.
constexpr double LinesExponent = 8;
/// Of words that cost what those of the sweep do, measured with 1 and 2.
constexpr double LoadsPerStore = 2;
/// Passes of a slot at random indices, measured
/// (measurements/2026-11-21-layouts.md).
constexpr double SlotPasses = 1.6;
constexpr double SlotPassesOfDoubles = 2.4;
/// Instructions of an access to a bit, in one register and in two, without
/// those for the address that it needs no more: measured, as far as they cost
/// issue slots (measurements/2026-11-23-bits.md).
constexpr double BitInstructions = 1;
constexpr double LongBitInstructions = 5;
/// Loads at one index for all lanes are mostly in unrolled loops, where nothing
/// needs an address, but two more instructions pick the bit, at half the rate.
constexpr double PickingKnownBits = 2;
constexpr unsigned BlocksOfSmallGrid = 2; ///< On an SM.
constexpr double LeastShare = 0.1; ///< Of the time, of loads that matter.
constexpr double LongWait = 1.5;   ///< Chains that no source shows.
/// Between these the data of gathered loads may be of any size.
constexpr double LeastGathered = 1024;
constexpr double MostGathered = 1048576;
/// Counters, such as the tops of stacks, are closer to each other.
constexpr double SpreadOfCounters = 0.1; ///< Of that of other indices.
/// Root mean square of the model's errors on the sweep, as a factor.
constexpr double ModelError = 1.3;

} // namespace

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

static double l1Bytes(const CostModel &M, const Resources &R,
                      unsigned Threads) {
  return M.Arch->l1Bytes(R.SharedBytes,
                         double(R.Warps) / std::max(1u, (Threads + 31) / 32));
}

namespace {

/// The shares of what it is asked for that the L1 holds.
struct HitRates {
  std::vector<double> Arrays;
  double Rows = 1, Gathered = 1;
};

/// Of a warp: what it issues, and what it waits for with nothing else to do.
struct Cycles {
  double Issue = 0, Latency = 0;
};

/// Something that lives on the L1.
struct Client {
  double Accesses, Footprint; ///< Of all resident warps.
  double Exponent;
  double *Hits;
  double density() const { return Accesses / std::max(1.0, Footprint); }
};

} // namespace

// What is used most per byte stays in the L1.
static HitRates hitRates(const CostModel &M, const KernelTraffic &K,
                         const Resources &R, const Assumption &Assumed) {
  const double Lanes = 32.0 * R.Warps;
  HitRates Result;
  Result.Arrays.assign(K.Arrays.size(), 1);
  if (Assumed.AllHit)
    return Result;
  std::vector<Client> Clients;
  for (auto [A, Hits] : llvm::zip(K.Arrays, Result.Arrays))
    if (!A.Moved && !A.WasInRegisters)
      Clients.push_back({A.all() * Lanes, double(A.BytesPerThread) * Lanes,
                         M.HitExponent, &Hits});
  if (K.Work.Rows)
    Clients.push_back(
        {K.Work.Rows * Lanes, LineBytes * Lanes, LinesExponent, &Result.Rows});
  if (K.Work.Gathered && Assumed.Gathered)
    Clients.push_back({K.Work.Gathered * Lanes, *Assumed.Gathered,
                       LinesExponent, &Result.Gathered});
  std::ranges::stable_sort(Clients, std::greater(), &Client::density);
  const double Cache = l1Bytes(M, R, K.Threads);
  double Left = Cache;
  for (const Client &C : Clients) {
    *C.Hits = std::pow(std::clamp(Left / std::max(1.0, C.Footprint), 0.0, 1.0),
                       C.Exponent);
    Left = std::max(0.0, Left - C.Footprint);
  }
  // Of data of any size, each doubling as likely as the one before.
  if (!Assumed.Gathered)
    Result.Gathered = std::clamp(std::log2(Cache / LeastGathered) /
                                     std::log2(MostGathered / LeastGathered),
                                 0.0, 1.0);
  return Result;
}

// Of an access whose lanes are so far apart, from 0 to 1.
static double passes(const CostModel &M, const ArrayTraffic &A, double Spread) {
  double Random = 1;
  if (A.Slot)
    Random = A.ElementBytes == 8 ? SlotPassesOfDoubles : SlotPasses;
  else if (A.Form == StripeForm::Unpacked)
    Random = M.UnpackedPasses;
  return 1 + (Random - 1) * Spread;
}

// Of all accesses to an array as bits; 0 for what is in shared memory.
static double bitInstructions(const ArrayTraffic &A) {
  if (A.Form != StripeForm::Bits && A.Form != StripeForm::LongBits)
    return 0;
  return A.all() * (A.Form == StripeForm::Bits ? BitInstructions
                                               : LongBitInstructions) +
         A.Uniform.Loaded * PickingKnownBits;
}

// What a warp's local memory keeps the pipelines busy with, of words that are
// in so many rows. It is the stores that cost, since they go through to the L2.
// The sweep's words are loaded as often as stored, and what is loaded twice as
// often costs the same per word; but what is loaded again and again comes from
// the L1 at hardly any cost while it is there.
static double issueOfLocal(const CostModel &M, const Words &W, double Rows,
                           double Hit) {
  const double Again = std::max(0.0, W.Loaded - LoadsPerStore * W.Stored);
  return (W.all() - Again) *
             (M.Issue.LocalWord + M.Issue.LocalRow * (Rows - 1)) *
             (1 + (1 - Hit) * M.Issue.MissFactor) +
         Again * Rows * (M.Issue.LoadedRow + (1 - Hit) * M.Issue.LoadedRowMiss);
}

// What the accesses to one array cost.
static Cycles cyclesOf(const ArrayTraffic &A, unsigned Threads, double Hit,
                       double Spread, const CostModel &M) {
  const double Accesses = A.all() / wordsPerAccess(A);
  if (const double Instructions = A.Moved ? bitInstructions(A) : 0)
    return {Instructions * M.Issue.Instruction,
            Instructions * M.Latency.Instruction};
  if (A.Moved) {
    const bool Packed = !A.Slot && A.Form == StripeForm::Packed;
    return {(A.Uniform.all() + A.NonUniform.all() * passes(M, A, Spread) +
             A.Counted.all() * passes(M, A, Spread * SpreadOfCounters)) *
                    M.Issue.SharedWord +
                (Packed ? Accesses * M.Issue.Packing : 0),
            Accesses * (M.Latency.Shared + (Packed ? M.Latency.Packing : 0))};
  }
  if (A.WasInRegisters)
    return {};
  auto Rows = [&](double Share) {
    return rowsAsked(A, Threads, Spread * Share);
  };
  return {issueOfLocal(M, A.Uniform, 1, Hit) +
              issueOfLocal(M, A.NonUniform, Rows(1), Hit) +
              issueOfLocal(M, A.Counted, Rows(SpreadOfCounters), Hit),
          Accesses * (M.Latency.Local + (1 - Hit) * M.Latency.Miss)};
}

double bankstripe::timeOf(const KernelTraffic &K, const Resources &R,
                          const Assumption &Assumed, const CostModel &M) {
  const KernelWork &W = K.Work;
  const HitRates Hits = hitRates(M, K, R, Assumed);
  const double RowsMissed = W.Rows * (1 - Hits.Rows);
  const double GatheredMissed = W.Gathered * (1 - Hits.Gathered);
  // Lanes that data leads may still be close to each other.
  const double Apart = Assumed.Gathered ? 1 : Assumed.Spread;
  double Issue =
      M.Issue.Instruction * W.Instructions +
      M.Issue.DoubleOperation * W.DoubleOperations + M.Issue.Global * W.Global +
      M.Issue.Lines * W.Rows + M.Issue.LinesMiss * RowsMissed +
      (1 - Apart) * M.Issue.Global * W.Gathered +
      Apart *
          (M.Issue.Lines * W.Gathered + M.Issue.LinesMiss * GatheredMissed) +
      M.Issue.SharedWord * W.Shared + M.Issue.LocalWord * W.OtherLocal;
  double Latency = M.Latency.Instruction * W.Instructions +
                   M.Latency.DoubleOperation * W.DoubleOperations +
                   M.Latency.Global * W.Global +
                   M.Latency.Lines * (W.Rows + W.Gathered) +
                   M.Latency.LinesMiss * (RowsMissed + GatheredMissed) +
                   M.Latency.Shared * W.Shared + M.Latency.Local * W.OtherLocal;
  for (auto [A, Hit] : llvm::zip(K.Arrays, Hits.Arrays)) {
    const Cycles Cost = cyclesOf(A, K.Threads, Hit, Assumed.Spread, M);
    Issue += Cost.Issue;
    Latency += Cost.Latency;
  }
  const double Wait = Latency * Assumed.Wait / std::max(1u, R.Warps);
  return std::pow(std::pow(Issue, M.Sharpness) + std::pow(Wait, M.Sharpness),
                  1 / M.Sharpness);
}

// K before the change.
static KernelTraffic withoutMoves(KernelTraffic K) {
  for (ArrayTraffic &A : K.Arrays)
    A.Moved = A.WasMoved;
  return K;
}

// With as many more instructions of all as its code has grown by. Code that
// shrinks does no less: it had loops unrolled.
static KernelTraffic grown(KernelTraffic K, double CodeGrowth) {
  if (CodeGrowth <= 1)
    return K;
  KernelWork &W = K.Work;
  double All = W.Instructions + W.DoubleOperations + W.Global + W.Rows +
               W.Gathered + W.Shared + W.OtherLocal;
  for (const ArrayTraffic &A : K.Arrays)
    All += A.all();
  W.Instructions += (CodeGrowth - 1) * All;
  return K;
}

// Of kernel K, which is that of C or a variant of it.
static double speedup(const CostModel &M, const Change &C,
                      const KernelTraffic &K, const Assumption &Before,
                      const Assumption &After) {
  return timeOf(withoutMoves(K), C.Had, Before, M) /
         timeOf(grown(K, C.CodeGrowth), C.Has, After, M);
}

// How often loops of unknown length run, only the data tells. Often or seldom
// are taken for equally likely, so their geometric mean is what is expected.
static double
meanOverTripCounts(const Change &C,
                   llvm::function_ref<double(const KernelTraffic &)> FactorOf) {
  const double Often = FactorOf(C.Kernel);
  return C.Kernel.Work.GuessedLoops ? std::sqrt(Often * FactorOf(C.Short))
                                    : Often;
}

double bankstripe::expectedSpeedup(const Change &C, const CostModel &M,
                                   const Assumption &A) {
  return meanOverTripCounts(
      C, [&](const KernelTraffic &K) { return speedup(M, C, K, A, A); });
}

Change bankstripe::whereResident(Change C) {
  if (C.Had.Warps > C.Has.Warps) {
    C.Had.SharedBytes = C.Had.SharedBytes * C.Has.Warps / C.Had.Warps;
    C.Had.Warps = C.Has.Warps;
  }
  return C;
}

// The same change where the grid brings few blocks to an SM. The
// driver still takes as much of the L1 as all the blocks need that there could
// be; a carveout, what these need.
static Change withSmallGrid(Change C) {
  const unsigned Warps =
      BlocksOfSmallGrid * llvm::divideCeil(C.Kernel.Threads, 32u);
  for (Resources *R : {&C.Had, &C.Has}) {
    if (R->Warps <= Warps)
      continue;
    if (C.Carved && R == &C.Has)
      R->SharedBytes = R->SharedBytes * Warps / R->Warps;
    R->Warps = Warps;
  }
  return C;
}

// Looks at the cases that no source excludes.
static void findWorst(const CostModel &M, const Change &C, Prediction &P) {
  P.Worst = P.Speedup;
  auto Try = [&](const char *If, const Change &Changed, const KernelTraffic &K,
                 const Assumption &Before, const Assumption &After) {
    const double Speedup = speedup(M, Changed, K, Before, After);
    if (Speedup >= P.Worst)
      return;
    P.Worst = Speedup;
    P.WorstIf = If;
  };
  Try("its grids are small", withSmallGrid(C), C.Kernel, {}, {});
  const Assumption Waits = {.Wait = LongWait};
  Try("it waits longer for results than the source shows", C, C.Kernel, Waits,
      Waits);
  // Tables that the L1 held as it was, and does not hold with what is left.
  const double Had = l1Bytes(M, C.Had, C.Kernel.Threads);
  const double Has = l1Bytes(M, C.Has, C.Kernel.Threads);
  const bool Matter = M.Issue.LinesMiss * C.Kernel.Work.Gathered >
                      LeastShare * timeOf(C.Kernel, C.Has, {}, M);
  if (Matter && Has < Had)
    for (double Bytes : {std::min(2 * Has, Had), Had})
      for (const KernelTraffic &K : {C.Kernel, C.Short})
        Try("the L1 holds what it uses now", C, K,
            {.Gathered = Bytes, .AllHit = true}, {.Gathered = Bytes});
}

Prediction bankstripe::predict(const Change &C, const CostModel &M) {
  Prediction P;
  P.Speedup = expectedSpeedup(C, M);
  P.ResourceFactor = meanOverTripCounts(C, [&](const KernelTraffic &K) {
    const KernelTraffic Before = withoutMoves(K);
    return timeOf(Before, C.Had, {}, M) / timeOf(Before, C.Has, {}, M);
  });
  P.AccessFactor = P.Speedup / P.ResourceFactor;
  P.CodeGrowth = C.CodeGrowth;
  const double Agreeing = expectedSpeedup(C, M, {.Spread = 0});
  const double Random = expectedSpeedup(C, M, {.Spread = 1});
  findWorst(M, C, P);
  P.Low = std::min({P.Worst, Agreeing, Random}) / ModelError;
  P.High = std::max({P.Speedup, Agreeing, Random}) * ModelError;
  return P;
}
