//===-- Frames.cpp - what lies in ptxas' stack frames ---------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ptxas says how large a kernel's stack frame is, the IR what may be in it:
//
//   no frame         the kernel has nothing in local memory, whatever Clang's
//                    optimiser thinks
//   a frame          the arrays that the optimiser leaves in memory are there,
//                    the largest first, as far as there is room; of some that
//                    are as large as each other, and not all there, nobody
//                    knows which
//   what is left     what it does not leave of these arrays; then what no array
//                    explains
//
// An array whose move left all frames as large as they were explains none.
// Where registers are spilled, they take no more of the frame than ptxas says
// is stored, and nobody knows how much less (CUDA 13.0: 0 to 376 bytes of 376).
//
//===----------------------------------------------------------------------===//

#include "plan/Frames.h"
#include "contract/Symbols.h"
#include "plan/Measured.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace bankstripe;

/// What ptxas may add to a frame for alignment, and needs no name.
static constexpr uint64_t Slack = 16;

/// What registers that are spilled are aligned to, all together.
static constexpr uint64_t SpillAlignment = 16;

// Whether the function of Caller may get to that of A.
static bool mayCall(const ReachedArray &Caller, const ReachedArray &A) {
  return llvm::any_of(Caller.Array.Instances, [&](const ArrayInstance &I) {
    return A.Evidence.Functions.count(I.FunctionId) != 0;
  });
}

bool bankstripe::areApart(const ReachedArray &A, const ReachedArray &B) {
  if (A.Array.Function.Id != B.Array.Function.Id)
    return !A.Array.Function.IsKernel && !B.Array.Function.IsKernel &&
           !mayCall(A, B) && !mayCall(B, A);
  const TextRange &X = A.Array.Scope, &Y = B.Array.Scope;
  return X.isValid() && Y.isValid() && X.File == Y.File &&
         (X.end() <= Y.Offset || Y.end() <= X.Offset);
}

uint64_t bankstripe::declaredBytesIn(const ReachedArray &A, unsigned Row) {
  uint64_t Here = 0;
  for (auto [Instance, Rows] : llvm::zip(A.Array.Instances, A.InstanceKernels))
    if (llvm::is_contained(Rows, Row))
      Here = std::max(Here, Instance.Shape.BytesPerThread);
  return Here ? Here : A.Array.Shape.BytesPerThread;
}

// Those of them that the optimiser leaves in memory, of the largest instance.
static uint64_t bytesIn(const ReachedArray &A, unsigned Row) {
  const uint64_t Here = declaredBytesIn(A, Row);
  const uint64_t Left = A.Evidence.ResidentBytes;
  return Left ? std::min(Left, Here) : Here;
}

namespace {

/// Bytes of frames: without spilled registers at least so many.
struct Room {
  uint64_t Least = 0, Most = 0;

  void add(uint64_t Bytes, uint64_t SpillStores) {
    Most += Bytes;
    Least +=
        Bytes - std::min(Bytes, llvm::alignTo(SpillStores, SpillAlignment));
  }
};

} // namespace

// The frames in which A can be where kernel Row runs: that of the kernel, and
// those of functions that were not inlined.
static Room roomFor(const ReachedArray &A, unsigned Row, const MergedRun &Run) {
  const KernelResources &K = *Run.Kernels[Row].Original;
  Room Result;
  if (!A.KernelsApart.count(Row))
    Result.add(K.StackFrame, K.SpillStores);
  if (K.Callees.empty())
    return Result;
  std::set<std::string> Functions;
  for (const std::string &Id : A.Evidence.Functions)
    Functions.insert(canonicalName(Id));
  for (const auto &[Id, Frame] : K.Callees)
    if (Functions.count(canonicalName(Id)))
      Result.add(Frame.Bytes, Frame.SpillStores);
  return Result;
}

// Whether ptxas has told of all frames in which A can be where kernel Row runs.
static bool isKnown(const ReachedArray &A, unsigned Row, const MergedRun &Run) {
  return Run.Kernels[Row].Original && !A.KernelsApart.count(Row);
}

bool bankstripe::mayHaveRoomFor(const ReachedArray &A, unsigned Row,
                                const MergedRun &Run) {
  return A.Frame != FrameAnswer::Without &&
         (!isKnown(A, Row, Run) || roomFor(A, Row, Run).Most != 0);
}

namespace {

/// Reads the frame of one kernel after the other.
class FrameReader {
public:
  explicit FrameReader(MergedRun &Run)
      : Run(Run), IsHeld(Run.Arrays.size()), HasRoom(Run.Arrays.size()),
        MayBeHeld(Run.Arrays.size()) {}

  void read();

private:
  std::vector<unsigned> besideOf(const ReachedArray &A,
                                 llvm::ArrayRef<unsigned> Arrays) const;
  uint64_t mostAtOnce(llvm::ArrayRef<unsigned> Arrays, unsigned Row) const;
  uint64_t fillWithArrays(unsigned Row);
  void nameRest(unsigned Row, uint64_t Rest);

  MergedRun &Run;
  /// By kernel: bytes of the arrays in its frame that the optimiser does not
  /// leave there. Of a loop that it unrolls in part, nvcc may leave more.
  std::map<unsigned, uint64_t> Doubtful;
  /// By array: in the frame of a kernel.
  std::vector<bool> IsHeld, HasRoom, MayBeHeld;
};

} // namespace

std::vector<unsigned>
FrameReader::besideOf(const ReachedArray &A,
                      llvm::ArrayRef<unsigned> Arrays) const {
  std::vector<unsigned> Result;
  llvm::copy_if(Arrays, std::back_inserter(Result),
                [&](unsigned I) { return !areApart(A, Run.Arrays[I]); });
  return Result;
}

// The most bytes of Arrays that are alive at once: of two functions that a
// kernel Row calls, those of one.
uint64_t FrameReader::mostAtOnce(llvm::ArrayRef<unsigned> Arrays,
                                 unsigned Row) const {
  if (Arrays.empty())
    return 0;
  const ReachedArray &First = Run.Arrays[Arrays.front()];
  const auto Others = Arrays.drop_front();
  const std::vector<unsigned> Beside = besideOf(First, Others);
  const uint64_t WithFirst = bytesIn(First, Row) + mostAtOnce(Beside, Row);
  return Beside.size() == Others.size()
             ? WithFirst
             : std::max(WithFirst, mostAtOnce(Others, Row));
}

// \returns the bytes of the kernel's own frame that its arrays do not fill.
uint64_t FrameReader::fillWithArrays(unsigned Row) {
  const MergedKernel &K = Run.Kernels[Row];
  std::vector<unsigned> Inside, Held;
  for (auto [I, A] : llvm::enumerate(Run.Arrays))
    if (llvm::is_contained(A.Kernels, Row)) {
      HasRoom[I] = HasRoom[I] || roomFor(A, Row, Run).Most != 0;
      if (A.Evidence.Where == Residency::LocalMemory &&
          A.Frame != FrameAnswer::Kept)
        Inside.push_back(I);
    }
  llvm::stable_sort(Inside, [&](unsigned I, unsigned J) {
    return bytesIn(Run.Arrays[I], Row) > bytesIn(Run.Arrays[J], Row);
  });
  uint64_t Sum = 0, Filled = 0, AtOnce = 0;
  std::set<uint64_t> Sizes, SizesLeftOut;
  for (unsigned I : Inside) {
    const ReachedArray &A = Run.Arrays[I];
    const uint64_t Bytes = bytesIn(A, Row);
    const uint64_t Used = Bytes + mostAtOnce(besideOf(A, Held), Row);
    const Room Has = roomFor(A, Row, Run);
    if (Used > Has.Least) {
      if (Bytes <= Has.Most)
        SizesLeftOut.insert(Bytes);
      MayBeHeld[I] = MayBeHeld[I] || Used <= Has.Most;
      continue;
    }
    Held.push_back(I);
    Sizes.insert(Bytes);
    Sum += Bytes;
    Filled += llvm::alignTo(Bytes, 8);
    Doubtful[Row] += declaredBytesIn(A, Row) - Bytes;
    AtOnce = std::max(AtOnce, llvm::alignTo(Used, 8));
  }
  // Any of several of one size may be the one that has no room.
  for (unsigned I : Inside)
    if (const uint64_t Bytes = bytesIn(Run.Arrays[I], Row);
        Sizes.count(Bytes) && SizesLeftOut.count(Bytes))
      MayBeHeld[I] = true;
    else if (llvm::is_contained(Held, I))
      IsHeld[I] = true;
  // What cannot be all beside each other has the same bytes in part.
  const uint64_t Frame = K.Original->StackFrame;
  return Frame - std::min(Frame, Sum > Frame ? AtOnce : Filled);
}

void FrameReader::nameRest(unsigned Row, uint64_t Rest) {
  MergedKernel &K = Run.Kernels[Row];
  if (Rest < Slack || K.Original->SpillStores || K.Original->SpillLoads)
    return;
  Rest -= std::min(Rest, Doubtful[Row]);
  K.Frame.UnnamedBytes = Rest < Slack ? 0 : Rest;
}

void FrameReader::read() {
  for (auto [Row, K] : llvm::enumerate(Run.Kernels))
    if (K.Original) {
      K.Frame.Bytes = K.Original->StackFrame;
      nameRest(Row, fillWithArrays(Row));
    }
  for (auto [I, A] : llvm::enumerate(Run.Arrays)) {
    if (IsHeld[I])
      A.Frame = FrameAnswer::Holds;
    else if (!llvm::is_contained({FrameAnswer::Without, FrameAnswer::Kept},
                                 A.Frame) &&
             !MayBeHeld[I] && !A.Kernels.empty() &&
             llvm::all_of(A.Kernels,
                          [&](unsigned Row) { return isKnown(A, Row, Run); }))
      A.Frame = HasRoom[I] ? FrameAnswer::TooSmall : FrameAnswer::NoFrame;
  }
}

void bankstripe::readFrames(MergedRun &Run, const Measured &Known) {
  for (ReachedArray &A : Run.Arrays)
    if (auto D = Known.Doubts.find(A.Array.Where);
        D != Known.Doubts.end() && D->second == Doubt::InRegisters) {
      A.Frame = FrameAnswer::Without;
      A.Evidence.Where = Residency::Registers;
    } else if (keepsFrames(A, Run, Known)) {
      A.Frame = FrameAnswer::Kept;
    }
  FrameReader(Run).read();
  // What moved was in the frame that is gone, be it a part of an array.
  for (MergedKernel &K : Run.Kernels)
    if (smallestFrame(K, Known) < Slack)
      K.Frame.UnnamedBytes = 0;
}
