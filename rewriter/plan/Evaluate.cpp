//===-- Evaluate.cpp - what an assignment means for kernels ---------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each warp of a block has a part of the dynamic memory, and each array a place
// in that part. An array of a __device__ function lies at one place for all
// kernels that reach it, so kernels that share arrays have parts of one size.
// Inside such a group, places are given as registers are: arrays that some
// kernel reaches both must not overlap, others may; first fit, in source order,
// is exact when all arrays belong to one kernel, good otherwise.
//
//===----------------------------------------------------------------------===//

#include "plan/Evaluate.h"
#include "plan/Frames.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace bankstripe;
using llvm::StringRef;

// Whether launches of a kernel will, or could be made to, see to its carveout.
static bool mayCarve(const Form &F, const PlanOptions &Options) {
  if (Options.DefaultCarveout)
    return Options.DefaultCarveout->How == Carveout::Rule::Auto;
  return F.IsVersion || F.WhyNoRow.empty();
}

Evaluator::Evaluator(const Problem &P)
    : P(P), Model(archInfo(P.Options.GpuArch)), ArraysOf(P.Run.Kernels.size()) {
  for (auto [I, A] : llvm::enumerate(P.Run.Arrays))
    if (!P.Choices[I].Candidates.empty())
      for (auto [Position, Row] : llvm::enumerate(A.Kernels))
        ArraysOf[Row].push_back({unsigned(I), unsigned(Position)});
  for (unsigned Row = 0; Row < P.Run.Kernels.size(); ++Row)
    Bases.push_back(baseOf(Row));
}

// --- Bytes -------------------------------------------------------------------

uint64_t Evaluator::staticBytes(unsigned Row, const Assignment &A) const {
  uint64_t Bytes = 0;
  for (auto [I, Position] : ArraysOf[Row])
    Bytes += A[I] && !P.Choices[I].Storage.Dynamic ? A[I]->Bytes[Position] : 0;
  return Bytes;
}

uint64_t Evaluator::usualBytes(unsigned Row, const Assignment &A) const {
  uint64_t Bytes = 0;
  for (auto [I, Position] : ArraysOf[Row])
    if (A[I])
      Bytes += A[I]->UsualBytes[Position];
  return Bytes;
}

static bool shareKernel(const ReachedArray &A, const ReachedArray &B) {
  return llvm::any_of(A.Kernels, [&](unsigned Row) {
    return llvm::is_contained(B.Kernels, Row);
  });
}

/// Where the storage of an array begins and ends.
using Range = std::pair<uint64_t, uint64_t>;

// The lowest place beside Neighbours.
static uint64_t firstFit(uint64_t Bytes, std::vector<Range> Neighbours) {
  llvm::sort(Neighbours);
  uint64_t Place = 0;
  for (auto [Begin, End] : Neighbours) {
    if (Place + Bytes <= Begin)
      break;
    Place = std::max(Place, End);
  }
  return Place;
}

WarpPlaces Evaluator::placesOf(llvm::ArrayRef<unsigned> Arrays,
                               const Assignment &A) const {
  WarpPlaces Places;
  auto Moving = [&](unsigned Index) -> llvm::ArrayRef<unsigned> {
    const unsigned I = Arrays[Index];
    if (!A[I] || A[I]->isBits() || !P.Choices[I].Storage.Dynamic)
      return {};
    return P.Run.Arrays[I].Kernels;
  };
  for (const KernelGroup &G : groupKernels(Arrays.size(), Moving)) {
    std::vector<std::pair<unsigned, Range>> Placed;
    uint64_t Size = 0;
    for (unsigned Index : G.Arrays) {
      const unsigned I = Arrays[Index];
      const uint64_t Bytes = A[I]->BytesPerWarp;
      uint64_t Begin = Size; // What one kernel reaches lies side by side.
      if (G.Kernels.size() > 1) {
        std::vector<Range> Neighbours;
        for (auto [Other, Where] : Placed)
          if (shareKernel(P.Run.Arrays[I], P.Run.Arrays[Other]))
            Neighbours.push_back(Where);
        Begin = firstFit(Bytes, std::move(Neighbours));
      }
      Placed.push_back({I, {Begin, Begin + Bytes}});
      Size = std::max(Size, Begin + Bytes);
      Places.Offsets[I] = Begin;
    }
    for (unsigned Row : G.Kernels)
      Places.Sizes[Row] = Size;
  }
  return Places;
}

std::optional<Shortage> Evaluator::shortage(const KernelGroup &G,
                                            const Assignment &A) const {
  const WarpPlaces Places = placesOf(G.Arrays, A);
  for (unsigned Row : G.Kernels) {
    const Form &F = P.Forms[Row];
    uint64_t Bytes = staticBytes(Row, A);
    if (auto It = Places.Sizes.find(Row); It != Places.Sizes.end())
      Bytes += It->second * llvm::divideCeil(F.largestBlock(), 32u);
    if (Bytes > F.Budget)
      return Shortage{Row, Bytes};
  }
  return std::nullopt;
}

// --- Speed -------------------------------------------------------------------

static KernelTraffic trafficOf(unsigned Row, const KernelWork &Work,
                               unsigned Threads, const MergedRun &Run) {
  KernelTraffic Traffic;
  Traffic.Work = Work;
  Traffic.Work.Arrays.clear();
  Traffic.Threads = Threads;
  for (const auto &[Index, Accesses] : Work.Arrays) {
    ArrayTraffic &A = Traffic.Arrays.emplace_back(ArrayTraffic{Accesses});
    A.ElementBytes = Run.Arrays[Index].Array.Shape.ElementBytes;
    A.BytesPerThread = Run.Arrays[Index].Array.Shape.BytesPerThread;
    A.WasInRegisters = !mayHaveRoomFor(Run.Arrays[Index], Row, Run);
  }
  return Traffic;
}

ChangedCode Evaluator::codeOf(unsigned Row) const {
  const MergedKernel &K = P.Run.Kernels[Row];
  auto Known = P.Code.find(K.Facts.Id);
  return Known == P.Code.end() ? ChangedCode{1, K.registers()} : Known->second;
}

// Without the bytes that arrays take now.
Resources Evaluator::resources(unsigned Row, unsigned Registers,
                               uint64_t SharedBytes) const {
  const MergedKernel &K = P.Run.Kernels[Row];
  const unsigned Threads = usualBlock(P.Forms[Row], K);
  Resources R;
  R.Warps = residentWarps(P.Options.GpuArch, Threads, Registers, SharedBytes);
  R.SharedBytes = R.Warps / llvm::divideCeil(Threads, 32u) * SharedBytes;
  return R;
}

std::optional<Evaluator::Base> Evaluator::baseOf(unsigned Row) const {
  const MergedKernel &K = P.Run.Kernels[Row];
  const Form &F = P.Forms[Row];
  if (!K.Work)
    return std::nullopt;
  Base Result;
  Change &C = Result.Unchanged;
  const unsigned Threads = usualBlock(F, K);
  C.Kernel = trafficOf(Row, *K.Work, Threads, P.Run);
  C.Short =
      trafficOf(Row, K.ShortWork ? *K.ShortWork : *K.Work, Threads, P.Run);
  for (const auto &[Index, Accesses] : K.Work->Arrays)
    Result.Arrays.push_back(Index);
  C.Carved = mayCarve(F, P.Options);
  Result.SharedHad = K.Shared.StaticBytes + F.OwnDynamicBytes;
  C.Had = resources(Row, K.registers(), Result.SharedHad);
  if (!C.Had.Warps)
    return std::nullopt;
  return Result;
}

static bool noteMoves(std::vector<ArrayTraffic> &Traffic,
                      llvm::ArrayRef<unsigned> Indices, const Assignment &A,
                      const Assignment &Before) {
  bool Any = false;
  for (auto [T, I] : llvm::zip(Traffic, Indices)) {
    if (!A[I] || A[I]->isSplit())
      continue;
    Any = T.Moved = true;
    T.WasMoved = !Before.empty() && Before[I];
    T.Slot = A[I]->isSlot();
    T.Form = A[I]->Layout->As.Form;
  }
  return Any;
}

std::optional<Change> Evaluator::change(unsigned Row, const Assignment &A,
                                        const Assignment &Before,
                                        uint64_t MoreBytes) const {
  // Nobody knows how often the first elements of a split are used.
  if (!Bases[Row] || llvm::any_of(ArraysOf[Row], [&](const Reached &R) {
        return A[R.Array] && A[R.Array]->isSplit() &&
               (Before.empty() || !Before[R.Array]);
      }))
    return std::nullopt;
  Change C = Bases[Row]->Unchanged;
  const bool Any = noteMoves(C.Kernel.Arrays, Bases[Row]->Arrays, A, Before);
  noteMoves(C.Short.Arrays, Bases[Row]->Arrays, A, Before);
  const uint64_t Own = Bases[Row]->SharedHad + MoreBytes;
  if (!Before.empty() || MoreBytes)
    C.Had = resources(Row, P.Run.Kernels[Row].registers(),
                      Own + (Before.empty() ? 0 : usualBytes(Row, Before)));
  const ChangedCode Code =
      Any ? codeOf(Row) : ChangedCode{1, P.Run.Kernels[Row].registers()};
  C.CodeGrowth = Code.Growth;
  C.Has = resources(Row, Code.Registers, Own + usualBytes(Row, A));
  if (!C.Has.Warps || !C.Had.Warps)
    return std::nullopt;
  return P.Run.Kernels[Row].WhereResident ? whereResident(std::move(C)) : C;
}

std::optional<double> Evaluator::speedup(unsigned Row, const Assignment &A,
                                         const Assignment &Before,
                                         bool Grows) const {
  auto C = change(Row, A, Before);
  if (C && !Grows)
    C->CodeGrowth = 1;
  return C ? std::optional(expectedSpeedup(*C, Model)) : std::nullopt;
}

std::optional<Prediction> Evaluator::predict(unsigned Row, const Assignment &A,
                                             const Assignment &Before) const {
  auto C = change(Row, A, Before);
  if (!C)
    return std::nullopt;
  Prediction Result = bankstripe::predict(*C, Model);
  // With little memory of its own it may lose warps, with much its accesses are
  // few at a time: what launches compute may be either.
  if (const uint64_t More = P.Forms[Row].UnknownDynamicBytes)
    if (auto Other = change(Row, A, Before, More)) {
      Prediction Much = bankstripe::predict(*Other, Model);
      if (Much.Speedup < Result.Speedup)
        std::swap(Much, Result);
      if (Much.Worst < Result.Worst)
        std::tie(Result.Worst, Result.WorstIf) =
            std::tie(Much.Worst, Much.WorstIf);
    }
  return Result;
}

std::pair<unsigned, unsigned> Evaluator::warps(unsigned Row,
                                               const Assignment &A) const {
  const auto C = change(Row, A);
  return C ? std::pair(C->Had.Warps, C->Has.Warps) : std::pair(0u, 0u);
}

bool Evaluator::needsCarveout(unsigned Row, const Assignment &A) const {
  auto C = change(Row, A);
  if (!C || !C->Carved)
    return false;
  C->Carved = false;
  C->CodeGrowth = 1; // No carveout mends what that costs.
  return bankstripe::predict(*C, Model).Worst < LeastOfGroup;
}
