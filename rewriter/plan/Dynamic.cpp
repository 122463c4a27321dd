//===-- Dynamic.cpp - storage that launches bring -------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where no largest block is known, or static shared memory is not enough, the
// launches are edited to ask for dynamic shared memory. Each warp of a block
// has a part of it, and each array a place in that part.
//
// An array of a __device__ function lies at one place for all kernels that
// reach it, so kernels that share arrays form a group with one size of a
// warp's part. Inside a group, places are given as registers are: arrays that
// some kernel reaches both must not overlap, others may; first fit, in source
// order, is exact when all arrays belong to one kernel, good otherwise.
//
// One place serves one instance: where a kernel reaches several instances of a
// function template, they may be active at once, in one thread or in others of
// its warp, and the array is not moved.
//
//===----------------------------------------------------------------------===//

#include "plan/PlanInternal.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"
#include <cassert>
#include <set>

using namespace bankstripe;

// What the generated helper aligns each place and the whole to.
static constexpr unsigned PlaceAlignment = 16;

unsigned bankstripe::largestBlock(const KernelPlan &K) {
  return K.BlockThreads ? K.BlockThreads : LargestBlock;
}

unsigned bankstripe::storageThreads(const Verdict &V, const KernelPlan &K) {
  if (V.Dynamic)
    return llvm::alignTo(largestBlock(K), 32);
  return V.ThreadsText.empty() ? V.Threads : K.BlockThreads;
}

uint64_t bankstripe::dynamicBytes(const KernelPlan &K) {
  // The helper's mark takes less than another 16 bytes.
  return K.WarpBytes ? K.WarpBytes * llvm::divideCeil(largestBlock(K), 32u) +
                           PlaceAlignment
                     : 0;
}

static std::string at(const Place &Where) {
  return (llvm::sys::path::filename(Where.File) + ":" + llvm::Twine(Where.Line))
      .str();
}

// Why a launch or a question cannot call the function that says how much memory
// it is about; empty when it can. The function stands where the kernel is
// declared.
static std::string whyTextStays(const LaunchText &Text, const Kernel &K) {
  if (Text.Problem.empty() && !Text.SeesDefinition &&
      llvm::none_of(Text.Declarations, [&](const TextRange &Point) {
        return llvm::is_contained(K.Text.Declarations, Point);
      }))
    return "its file declares the kernel by itself";
  return Text.Problem;
}

// Why a launch cannot ask for more; empty when it can.
static std::string whyLaunchStays(const Launch &L, const Kernel &K) {
  if (L.Cooperative && !L.GridAsked)
    return L.Unfollowed.empty()
               ? "it is cooperative, and does not ask how many "
                 "blocks can be resident"
               : "it may be cooperative, " + L.Unfollowed;
  if (L.OnDevice)
    return "a kernel launches it";
  return whyTextStays(L.Text, K);
}

// Why the launches of a kernel cannot bring its storage; empty when they can.
static std::string whyNotDynamic(const KernelRow &Row,
                                 const std::vector<KernelRow> &Rows) {
  const Kernel &K = Row.Plan.Facts;
  if (K.AddressTaken)
    return "its address is taken at " + at(K.AddressTakenAt);
  if (K.AttributeSetAt.isValid())
    return "its attributes are set at " + at(K.AttributeSetAt);
  if (!K.Text.Problem.empty())
    return K.Text.Problem;
  if (Row.Launches.empty())
    return "no launch of it was seen";
  if (!K.Bounds && !K.BoundsInsertion.isValid())
    return "its name comes from a macro";
  for (const Launch &L : Row.Launches)
    if (std::string Why = whyLaunchStays(L, K); !Why.empty())
      return "the launch at " + at(L.Where) + " cannot be edited, " + Why;
  for (const OccupancyQuery &Q : Row.Queries)
    if (std::string Why = whyTextStays(Q.Text, K); !Why.empty())
      return "the occupancy query at " + at(Q.Where) + " cannot be edited, " +
             Why;
  if (llvm::count_if(Rows, [&](const KernelRow &Other) {
        return Other.Plan.Facts.Id == K.Id;
      }) > 1)
    return "there are several kernels of its name";
  return "";
}

// Obstacles that are not in the way of memory that the launch brings.
static bool isAboutBlockSize(const KernelRow &Row) {
  return Row.Obstacle && (Row.Obstacle->Why == Reason::BlockSizeUnknown ||
                          Row.Obstacle->Why == Reason::DynamicSharedMemory ||
                          Row.Obstacle->Why == Reason::LinkedCallees);
}

// Whether the obstacle of a kernel leaves open why its launches do not help.
static bool saysMore(const KernelRow &Row) {
  return isAboutBlockSize(Row) && !Row.Plan.Facts.AddressTaken &&
         !Row.Launches.empty();
}

// What all arrays of a group take from one kernel in static storage.
static uint64_t staticNeed(const KernelGroup &G, unsigned Row,
                           const MergedRun &Run) {
  std::vector<Verdict> Decisions(G.Arrays.size());
  std::vector<Mover> Movers;
  for (size_t I = 0; I < G.Arrays.size(); ++I) {
    const PlannedArray &A = Run.Arrays[G.Arrays[I]];
    Decisions[I].Kind = VerdictKind::Stripe;
    Decisions[I].Form = smallestForm(A);
    if (llvm::is_contained(A.Kernels, Row))
      Movers.push_back({&A, &Decisions[I]});
  }
  return bytesTogether(Movers, Row, [&](const Verdict &) {
    return Run.Kernels[Row].Plan.BlockThreads;
  });
}

static bool wantsDynamic(const KernelGroup &G, const MergedRun &Run,
                         const PlanOptions &Options) {
  if (llvm::any_of(G.Kernels, [&](unsigned Row) {
        return isAboutBlockSize(Run.Kernels[Row]);
      }))
    return true;
  return Options.SharedLimit > StaticSharedLimit &&
         llvm::any_of(G.Kernels, [&](unsigned Row) {
           return staticNeed(G, Row, Run) > budgetOf(Run.Kernels[Row], Options);
         });
}

static std::string whyGroupIsStatic(const KernelGroup &G,
                                    const MergedRun &Run) {
  for (unsigned Row : G.Kernels) {
    const KernelRow &R = Run.Kernels[Row];
    if (R.Obstacle && !isAboutBlockSize(R))
      return "kernel '" + R.Plan.Facts.Name + "' keeps its arrays";
    if (const std::string &Why = R.Plan.WhyLaunchesStay; !Why.empty())
      return (G.Kernels.size() > 1 ? "kernel '" + R.Plan.Facts.Name + "': "
                                   : "") +
             Why;
  }
  for (unsigned I : G.Arrays)
    for (const ArrayInstance &Instance : Run.Arrays[I].Array.Instances)
      if (Instance.SlotAlignment > PlaceAlignment ||
          Instance.Alignment > PlaceAlignment)
        return "'" + Run.Arrays[I].Array.Name + "' needs an alignment of " +
               std::to_string(
                   std::max(Instance.SlotAlignment, Instance.Alignment)) +
               " bytes";
  return "";
}

// Whether a launch may ask for dynamic shared memory that is the kernel's own.
static bool hasOwnMemory(const KernelRow &Row) {
  return Row.Plan.Facts.UsesDynamicShared ||
         llvm::any_of(Row.Launches, [](const Launch &L) {
           return L.DynamicSharedBytes != uint64_t(0);
         });
}

// The largest block that the registers of the original leave room for. Without
// a bound the rewritten kernel might take more, and no longer start.
static unsigned launchableBlock(const KernelPlan &K) {
  const unsigned Registers =
      llvm::alignTo(std::max(K.Registers, 1u), RegisterUnit);
  const unsigned WarpsOfAPart =
      RegistersPerSM / PartitionsPerSM / (Registers * WarpThreads);
  return std::min(LargestBlock, WarpsOfAPart * PartitionsPerSM * WarpThreads);
}

// Without an opt-in of the user's, what a launch asks for itself is at most
// what it gets unasked.
static void makeDynamic(KernelRow &Row) {
  KernelPlan &K = Row.Plan;
  Row.Dynamic = true;
  Row.Unbounded = std::exchange(Row.Obstacle, std::nullopt);
  K.AddLaunchBounds = !K.Facts.Bounds;
  K.BoundsToAdd = K.BlockThreads ? K.BlockThreads : launchableBlock(K);
  K.AddLaunchBounds &= mayAddBounds(Row);
  for (const Launch &L : Row.Launches) {
    Row.OwnUnknown |= !L.DynamicSharedBytes;
    K.DynamicSharedBytes = std::max(
        K.DynamicSharedBytes,
        L.DynamicSharedBytes.value_or(
            StaticSharedLimit - std::min(StaticSharedLimit, K.SharedBefore)));
  }
}

// Instances share the function that their launches call.
static void findNamedInPart(std::vector<KernelRow> &Rows) {
  std::set<std::pair<std::string, unsigned>> InPart;
  auto Key = [](const KernelRow &Row) {
    const TextRange &Where = Row.Plan.Facts.Text.Definition;
    return std::pair(Where.File, Where.Offset);
  };
  for (const KernelRow &Row : Rows)
    if (llvm::any_of(Row.Launches,
                     [](const Launch &L) { return L.Text.Deduced; }) ||
        llvm::any_of(Row.Queries,
                     [](const OccupancyQuery &Q) { return Q.Text.Deduced; }))
      InPart.insert(Key(Row));
  for (KernelRow &Row : Rows)
    Row.Plan.NamedInPart = InPart.count(Key(Row));
}

void bankstripe::chooseDynamic(MergedRun &Run, const PlanOptions &Options) {
  findNamedInPart(Run.Kernels);
  for (KernelRow &Row : Run.Kernels)
    Row.Plan.WhyLaunchesStay = whyNotDynamic(Row, Run.Kernels);
  auto MayMove = [](const PlannedArray &A) { return !verdictOfArray(A); };
  for (const KernelGroup &G : groupKernels(Run.Arrays, MayMove)) {
    if (!wantsDynamic(G, Run, Options))
      continue;
    const std::string Why = whyGroupIsStatic(G, Run);
    const bool Behind = llvm::any_of(G.Kernels, [&](unsigned Row) {
      return hasOwnMemory(Run.Kernels[Row]);
    });
    for (unsigned Row : G.Kernels) {
      KernelRow &R = Run.Kernels[Row];
      if (Why.empty()) {
        makeDynamic(R);
        R.Behind = Behind;
      } else if (saysMore(R)) {
        R.Obstacle->Detail += "; nor can launches bring the memory: " + Why;
      } else {
        R.WhyStatic = Why;
      }
    }
  }
}

uint64_t bankstripe::commonSharedLimit(const PlanOptions &Options) {
  auto LimitOf = [](const std::string &Arch) -> uint64_t {
    const ArchInfo *Known = archInfo(Arch);
    return Known ? Known->sharedPerBlock() : 0;
  };
  uint64_t Limit = LimitOf(Options.GpuArch);
  for (const std::string &Arch : Options.AllGpuArchs)
    Limit = std::min(Limit, LimitOf(Arch));
  return std::max(Limit, StaticSharedLimit);
}

uint64_t bankstripe::budgetOf(const KernelRow &Row,
                              const PlanOptions &Options) {
  auto Less = [](uint64_t A, uint64_t B) { return A > B ? A - B : 0; };
  const KernelPlan &K = Row.Plan;
  // A variable after ours may have to be aligned to 16 bytes.
  const uint64_t Used = llvm::alignTo(K.SharedBefore, 16) +
                        llvm::alignTo(K.DynamicSharedBytes, 16);
  if (!Row.Dynamic)
    return Less(StaticSharedLimit, Used);
  // More has to be allowed for the instance, which must be named for that.
  const uint64_t Given =
      K.NamedInPart ? StaticSharedLimit : commonSharedLimit(Options);
  const uint64_t Left = Less(Given, Used + PlaceAlignment);
  // What the kernel itself may ask for at most is no use of its limit.
  const uint64_t Budget = std::min(
      Left, Row.OwnUnknown ? Options.SharedLimit
                           : Less(Options.SharedLimit, Used + PlaceAlignment));
  const uint64_t Warps = llvm::divideCeil(largestBlock(K), 32u);
  return Budget / Warps / PlaceAlignment * PlaceAlignment * Warps;
}

uint64_t bankstripe::warpBytesOf(const PlannedArray &A, const Verdict &V) {
  uint64_t Bytes = 0;
  for (const ArrayInstance &I : A.Array.Instances)
    Bytes = std::max(Bytes, sharedBytes(I, V, 32));
  return llvm::alignTo(Bytes, PlaceAlignment);
}

bool bankstripe::shareKernel(const PlannedArray &A, const PlannedArray &B) {
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

std::vector<uint64_t>
bankstripe::placeDynamic(std::vector<PlannedArray> &Arrays,
                         unsigned KernelCount) {
  std::vector<PlannedArray *> Moving;
  for (PlannedArray &A : Arrays)
    if (A.Decision.Dynamic && A.Decision.usesShared())
      Moving.push_back(&A);
  llvm::sort(Moving, [](const PlannedArray *A, const PlannedArray *B) {
    return A->Array.Where < B->Array.Where;
  });
  llvm::EquivalenceClasses<unsigned> Groups;
  std::map<const PlannedArray *, uint64_t> Ends;
  for (PlannedArray *A : Moving) {
    std::vector<Range> Neighbours;
    for (auto [Other, End] : Ends)
      if (shareKernel(*A, *Other))
        Neighbours.emplace_back(Other->Decision.WarpOffset, End);
    const uint64_t Bytes = A->Decision.BytesPerWarp =
        warpBytesOf(*A, A->Decision);
    A->Decision.WarpOffset = firstFit(Bytes, std::move(Neighbours));
    Ends[A] = A->Decision.WarpOffset + Bytes;
    for (unsigned Row : A->Kernels)
      Groups.unionSets(A->Kernels.front(), Row);
  }
  std::map<unsigned, uint64_t> WarpBytes; // By the leader of the group.
  for (auto [A, End] : Ends) {
    uint64_t &Bytes = WarpBytes[Groups.getLeaderValue(A->Kernels.front())];
    Bytes = std::max(Bytes, End);
  }
  for (PlannedArray *A : Moving)
    A->Decision.WarpBytes =
        WarpBytes[Groups.getLeaderValue(A->Kernels.front())];
  std::vector<uint64_t> Result(KernelCount);
  for (unsigned Row = 0; Row < KernelCount; ++Row)
    if (auto It = Groups.findLeader(Row); It != Groups.member_end())
      Result[Row] = WarpBytes[*It];
  return Result;
}

// The array that gains least among those that share kernels with Row.
static PlannedArray &leastBeside(unsigned Row,
                                 std::vector<PlannedArray> &Arrays) {
  auto InPlace = [](const PlannedArray &A) {
    return A.Decision.Dynamic && A.Decision.usesShared();
  };
  PlannedArray *Least = nullptr;
  for (const KernelGroup &G : groupKernels(Arrays, InPlace)) {
    if (!llvm::is_contained(G.Kernels, Row))
      continue;
    for (unsigned I : G.Arrays)
      if (!Least || Arrays[I].Decision.Benefit < Least->Decision.Benefit)
        Least = &Arrays[I];
  }
  assert(Least && "the kernel has a place, so an array lies there");
  return *Least;
}

bool bankstripe::hasOnePlace(const PlannedArray &A) {
  std::set<unsigned> Seen;
  for (const std::vector<unsigned> &Rows : A.InstanceKernels)
    for (unsigned Row : Rows)
      if (!Seen.insert(Row).second)
        return false;
  return true;
}

void bankstripe::fitDynamic(MergedRun &Run, const PlanOptions &Options) {
  while (true) {
    const std::vector<uint64_t> WarpBytes =
        placeDynamic(Run.Arrays, Run.Kernels.size());
    std::optional<unsigned> Full;
    for (unsigned Row = 0; Row < Run.Kernels.size() && !Full; ++Row) {
      const KernelRow &R = Run.Kernels[Row];
      if (WarpBytes[Row] * llvm::divideCeil(largestBlock(R.Plan), 32u) >
          budgetOf(R, Options))
        Full = Row;
    }
    if (!Full)
      return;
    PlannedArray &Least = leastBeside(*Full, Run.Arrays);
    Verdict &V = Least.Decision;
    V.Detail = "the kernels that share its place have no room for it";
    V.Kind = VerdictKind::Keep;
    V.Why = Reason::OverBudget;
    V.Where = Least.Array.Where;
    V.SharedBytes = 0;
  }
}
