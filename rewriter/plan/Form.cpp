//===-- Form.cpp - what becomes of a kernel -------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is known of each kernel by itself is its static bound. Kernels that
// share arrays get their storage in one way, since an array of a __device__
// function lies at one place for all kernels that reach it: static where the
// bounds of all allow it and it suffices, else by launches where each of them
// can have a row. A form is made of both, once (docs/internals/layouts.md,
// "Storage").
//
//===----------------------------------------------------------------------===//

#include "plan/Form.h"
#include "plan/Candidates.h"
#include "plan/Layout.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace bankstripe;

std::string bankstripe::whyNoVersion(const MergedKernel &K,
                                     const PlanOptions &Options) {
  const KernelText &Text = K.Facts.Text;
  if (Options.Others == Outside::Loaders)
    return "a module has no host stubs";
  for (const std::string &Problem : {Text.Problem, Text.VersionProblem})
    if (!Problem.empty())
      return Problem;
  if (!K.Facts.MayEdit)
    return "it is outside the given paths";
  if (K.Facts.BoundsExcludedBy == BlockSizeAttribute)
    return "its launches do not say its block";
  if (K.Shared.Asks != AskedSize::None)
    return "it asks how much shared memory it has";
  // What has it compiled for each instance is the first statement.
  if (!Text.TemplateHead.empty() && !K.Facts.BodyBegin.isValid())
    return "a macro begins its body";
  return "";
}

// Why no row can have the launches of Merged bring storage to the kernel
// itself; empty when one can. A kernel whose arrays lie in memory that its
// launches bring must not be started without it. So each of its launches has to
// pass its stub, where its row is asked, and nobody may ask what a block of it
// takes.
static std::string whyNoRow(const MergedKernel &Merged) {
  const Kernel &K = Merged.Facts;
  if (!Merged.WhyUnseen.empty())
    return Merged.WhyUnseen;
  if (Merged.Shared.Asks != AskedSize::None)
    return "it asks how much shared memory it has";
  if (!K.Text.Problem.empty())
    return K.Text.Problem;
  // The row of an instance is made with the type of a version.
  if (!K.Text.TemplateHead.empty())
    return "it is a template";
  if (Merged.Launches.empty())
    return "no launch of it was seen";
  if (!K.Bounds && !K.BoundsInsertion.isValid())
    return "its name comes from a macro";
  for (const Launch &L : Merged.Launches)
    if (L.OnDevice)
      return "the launch at " + shortText(L.Where) + " passes no host stub";
  return "";
}

namespace {

/// Where kernels that share arrays have them.
struct GroupStorage {
  bool Dynamic = false;
  bool Behind = false;       ///< Behind memory that one of them has itself.
  std::string WhyNotDynamic; ///< Where that would help.
};

/// What launches ask for themselves.
struct OwnMemory {
  uint64_t Bytes = 0; ///< The most of them.
  bool IsKnown = true;
};

class FormBuilder {
public:
  FormBuilder(const MergedRun &Run, const PlanOptions &Options,
              const std::vector<bool> &HasVersion);
  std::vector<Form> forms() const;

private:
  bool wantsDynamic(const KernelGroup &G) const;
  std::string whyNotDynamic(const KernelGroup &G) const;
  GroupStorage storageOf(const KernelGroup &G) const;
  uint64_t staticBudget(unsigned Row) const;
  uint64_t dynamicBudget(unsigned Row, const OwnMemory &Own,
                         unsigned Threads) const;
  bool haveRoom(unsigned Row, const OwnMemory &Own, unsigned Threads) const;
  unsigned launchableBlock(unsigned Row) const;
  std::optional<Why> whyStays(unsigned Row, const GroupStorage &S) const;
  Form inPlace(unsigned Row, const GroupStorage &S) const;
  Form byRow(unsigned Row) const;
  Form version(unsigned Row) const;

  const MergedRun &Run;
  const PlanOptions &Options;
  const std::vector<bool> &HasVersion;
  const std::vector<StaticBound> Bounds; ///< By kernel.
};

} // namespace

// --- Static bounds -----------------------------------------------------------

// Instantiations of one kernel share the text of the bound that is added to
// them, so they get the largest of their blocks; where one is not known, none
// is: launches of that one, if they can ask for storage, have any size.
static std::vector<StaticBound> boundsOf(const MergedRun &Run,
                                         const PlanOptions &Options,
                                         const std::vector<bool> &HasVersion) {
  std::vector<StaticBound> Alone;
  std::map<TextRange, std::vector<unsigned>> Groups;
  for (auto [Row, K] : llvm::enumerate(Run.Kernels)) {
    Alone.push_back(boundBlock(K, Options));
    if (!HasVersion[Row] && !K.Facts.Bounds &&
        K.Facts.BoundsInsertion.isValid())
      Groups[K.Facts.BoundsInsertion].push_back(Row);
  }
  std::vector<StaticBound> Result = Alone;
  for (const auto &[Text, Group] : Groups) {
    const unsigned Largest = *llvm::max_element(Group, [&](auto A, auto B) {
      return Alone[A].Block.Threads - 1 < Alone[B].Block.Threads - 1;
    });
    std::optional<Why> Obstacle;
    for (unsigned Row : Group)
      if (Alone[Row].Obstacle)
        Obstacle = Alone[Row].Obstacle;
    for (unsigned Row : Group) {
      BlockBound &Block = Result[Row].Block;
      Block = Alone[Largest].Block;
      Block.Source = Alone[Row].Block.Source;
      if (!Result[Row].Obstacle)
        Result[Row].Obstacle = Obstacle;
    }
  }
  return Result;
}

FormBuilder::FormBuilder(const MergedRun &Run, const PlanOptions &Options,
                         const std::vector<bool> &HasVersion)
    : Run(Run), Options(Options), HasVersion(HasVersion),
      Bounds(boundsOf(Run, Options, HasVersion)) {}

// Obstacles that are not in the way of dynamic shared memory.
static bool isAboutBlockSize(const std::optional<Why> &Obstacle) {
  return Obstacle && (Obstacle->Why == Reason::BlockSizeUnknown ||
                      Obstacle->Why == Reason::DynamicSharedMemory);
}

// --- Bytes -------------------------------------------------------------------

uint64_t bankstripe::broughtBytes(uint64_t WarpBytes, unsigned BlockThreads) {
  const unsigned Threads = BlockThreads ? BlockThreads : LargestBlock;
  return WarpBytes ? storageBytes(WarpBytes, Threads) + MarkBytes : 0;
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

static uint64_t difference(uint64_t A, uint64_t B) { return A > B ? A - B : 0; }

// What a kernel has without our storage, if that is aligned so. A variable
// after static storage may have to be aligned to 16 bytes.
static uint64_t usedBytes(const MergedKernel &K, uint64_t OwnBytes,
                          uint64_t Alignment) {
  return llvm::alignTo(K.Shared.StaticBytes, Alignment) +
         llvm::alignTo(OwnBytes, 16);
}

uint64_t FormBuilder::staticBudget(unsigned Row) const {
  return difference(
      StaticSharedLimit,
      usedBytes(Run.Kernels[Row], Bounds[Row].OwnDynamicBytes, 16));
}

// What the kernel itself may ask for at most is no use of the user's limit.
uint64_t FormBuilder::dynamicBudget(unsigned Row, const OwnMemory &Own,
                                    unsigned Threads) const {
  const uint64_t Used =
      usedBytes(Run.Kernels[Row], Own.Bytes, SegmentAlignment) + MarkBytes;
  const uint64_t Budget =
      std::min(difference(commonSharedLimit(Options), Used),
               Own.IsKnown ? difference(Options.SharedLimit, Used)
                           : Options.SharedLimit);
  const uint64_t Warps = llvm::divideCeil(Threads, 32u);
  return Budget / Warps / PlaceAlignment * PlaceAlignment * Warps;
}

// With \p Unknown bytes where a launch computes what it asks for.
static OwnMemory ownMemoryOf(const MergedKernel &K, uint64_t Unknown) {
  OwnMemory Result;
  for (const Launch &L : K.Launches) {
    Result.IsKnown &= L.DynamicSharedBytes.has_value();
    Result.Bytes =
        std::max(Result.Bytes, L.DynamicSharedBytes.value_or(Unknown));
  }
  return Result;
}

// --- Storage of groups -------------------------------------------------------

bool FormBuilder::wantsDynamic(const KernelGroup &G) const {
  if (llvm::any_of(G.Kernels, [&](unsigned Row) {
        return isAboutBlockSize(Bounds[Row].Obstacle);
      }))
    return true;
  if (Options.SharedLimit <= StaticSharedLimit)
    return false;
  // What all of its arrays take in static storage.
  std::map<unsigned, uint64_t> Need;
  for (unsigned I : G.Arrays) {
    const ReachedArray &A = Run.Arrays[I];
    for (unsigned Row : A.Kernels)
      Need[Row] +=
          bytesIn(A, smallestStripe(A), Row, Bounds[Row].Block.Threads);
  }
  return llvm::any_of(
      Need, [&](auto Each) { return Each.second > staticBudget(Each.first); });
}

std::string FormBuilder::whyNotDynamic(const KernelGroup &G) const {
  for (unsigned Row : G.Kernels) {
    const MergedKernel &K = Run.Kernels[Row];
    const std::string Name = "kernel '" + K.Facts.Name + "'";
    if (Bounds[Row].Obstacle && !isAboutBlockSize(Bounds[Row].Obstacle))
      return Name + " keeps its arrays";
    if (const std::string Why = whyNoRow(K); !Why.empty())
      return G.Kernels.size() > 1 ? llvm::formatv("{0}: {1}", Name, Why).str()
                                  : Why;
    if (K.Facts.BoundsExcludedBy == BlockSizeAttribute)
      return "no launch of " + Name + " says its block";
  }
  for (unsigned I : G.Arrays)
    for (const ArrayInstance &Instance : Run.Arrays[I].Array.Instances)
      if (const auto Alignment =
              std::max(Instance.SlotAlignment, Instance.Alignment);
          Alignment > PlaceAlignment)
        return "'" + Run.Arrays[I].Array.Name + "' needs an alignment of " +
               std::to_string(Alignment) + " bytes";
  return "";
}

// Places count from one end of the memory for all arrays of a group. Of kernels
// that share arrays, all have versions or none.
GroupStorage FormBuilder::storageOf(const KernelGroup &G) const {
  GroupStorage S;
  S.Behind = llvm::any_of(G.Kernels, [&](unsigned Row) {
    return Run.Kernels[Row].Shared.UsesDynamic;
  });
  if (llvm::any_of(G.Kernels, [&](unsigned Row) { return HasVersion[Row]; }) ||
      !wantsDynamic(G))
    return S;
  S.WhyNotDynamic = whyNotDynamic(G);
  S.Dynamic = S.WhyNotDynamic.empty();
  return S;
}

// --- Forms -------------------------------------------------------------------

// Why a kernel keeps its arrays, and what else it cannot have.
std::optional<Why> FormBuilder::whyStays(unsigned Row,
                                         const GroupStorage &S) const {
  std::optional<Why> Result = Bounds[Row].Obstacle;
  if (!Result)
    return std::nullopt;
  const MergedKernel &K = Run.Kernels[Row];
  std::string &Detail = Result->Detail;
  if (!S.WhyNotDynamic.empty() && isAboutBlockSize(Result) &&
      K.WhyUnseen.empty() && !K.Launches.empty())
    Detail += "; nor can it be dynamic shared memory: " + S.WhyNotDynamic;
  if (Options.Others == Outside::Loaders)
    return Result;
  if (const std::string Why = whyNoVersion(K, Options); !Why.empty())
    Detail += (Detail.empty() ? "it can have no version: "
                              : "; nor can it have a version: ") +
              Why;
  return Result;
}

Form FormBuilder::inPlace(unsigned Row, const GroupStorage &S) const {
  const StaticBound &Bound = Bounds[Row];
  Form F;
  F.WhyStays = whyStays(Row, S);
  F.Block = Bound.Block;
  F.AddBounds = Bound.AddBounds;
  F.WhyNotDynamic = S.WhyNotDynamic;
  F.OwnDynamicBytes = Bound.OwnDynamicBytes;
  F.Budget = staticBudget(Row);
  return F;
}

// The largest block that the registers of the original leave room for. Without
// a bound the rewritten kernel might take more, and no longer start.
static unsigned launchableBlock(const MergedKernel &K) {
  const unsigned Registers =
      llvm::alignTo(std::max(K.registers(), 1u), RegisterUnit);
  const unsigned WarpsOfAPart =
      RegistersPerSM / PartitionsPerSM / (Registers * WarpThreads);
  return std::min(LargestBlock, WarpsOfAPart * PartitionsPerSM * WarpThreads);
}

// The same for all instances that share the text of the bound.
unsigned FormBuilder::launchableBlock(unsigned Row) const {
  const MergedKernel &K = Run.Kernels[Row];
  unsigned Largest = ::launchableBlock(K);
  for (const MergedKernel &Other : Run.Kernels)
    if (Other.Facts.BoundsInsertion == K.Facts.BoundsInsertion)
      Largest = std::max(Largest, ::launchableBlock(Other));
  return Largest;
}

// In place, with storage that launches bring. Without an opt-in of the user's,
// what a launch asks for itself is at most what it gets unasked.
Form FormBuilder::byRow(unsigned Row) const {
  const MergedKernel &K = Run.Kernels[Row];
  const OwnMemory Own =
      ownMemoryOf(K, difference(StaticSharedLimit, K.Shared.StaticBytes));
  Form F;
  F.Dynamic = true;
  F.WhyNotStatic = Bounds[Row].Obstacle;
  F.Block = Bounds[Row].Block;
  if (!F.Block.Threads)
    F.Block.ToAdd = launchableBlock(Row);
  F.AddBounds = !K.Facts.Bounds && mayAddBounds(K, F.Block.ToAdd);
  F.OwnDynamicBytes = Own.Bytes;
  F.Budget = dynamicBudget(Row, Own, F.largestBlock());
  return F;
}

// Whether all arrays of kernel Row fit in blocks of so many threads.
bool FormBuilder::haveRoom(unsigned Row, const OwnMemory &Own,
                           unsigned Threads) const {
  uint64_t Sum = 0;
  for (const ReachedArray &A : Run.Arrays)
    if (llvm::is_contained(A.Kernels, Row) && !whyArrayStays(A))
      Sum += leastBytesIn(A, Row, Threads);
  return Sum <= dynamicBudget(Row, Own, Threads);
}

// Launches of a version say the rest, and are asked. A block that nobody knows
// is taken for half as large where all arrays have room then.
Form FormBuilder::version(unsigned Row) const {
  const MergedKernel &K = Run.Kernels[Row];
  const OwnMemory Own = K.Shared.UsesDynamic ? ownMemoryOf(K, 0) : OwnMemory();
  Form F;
  F.IsVersion = true;
  F.Dynamic = true;
  F.Block = plannedBlock(K, Options);
  if (F.Block.Source == BlockSizeSource::Unknown &&
      !haveRoom(Row, Own, UsualBlock) && haveRoom(Row, Own, UsualBlock / 2)) {
    F.Block.Threads = UsualBlock / 2;
    F.Block.Text = "what all of its arrays have room for";
  }
  F.OwnDynamicBytes = Own.Bytes;
  if (!Own.IsKnown)
    F.UnknownDynamicBytes =
        difference(StaticSharedLimit, K.Shared.StaticBytes + Own.Bytes);
  F.Budget = dynamicBudget(Row, Own, F.largestBlock());
  return F;
}

std::vector<Form> FormBuilder::forms() const {
  std::vector<GroupStorage> Storages(Run.Kernels.size());
  auto MayMove = [&](unsigned I) -> llvm::ArrayRef<unsigned> {
    const ReachedArray &A = Run.Arrays[I];
    if (whyArrayStays(A))
      return {};
    return A.Kernels;
  };
  for (const KernelGroup &G : groupKernels(Run.Arrays.size(), MayMove))
    for (const GroupStorage S = storageOf(G); unsigned Row : G.Kernels)
      Storages[Row] = S;
  std::vector<Form> Result;
  for (unsigned Row = 0; Row < Run.Kernels.size(); ++Row) {
    const GroupStorage &S = Storages[Row];
    Form F = HasVersion[Row] ? version(Row)
             : S.Dynamic     ? byRow(Row)
                             : inPlace(Row, S);
    F.Behind = S.Behind;
    F.WhyNoRow = whyNoRow(Run.Kernels[Row]);
    F.SeenThreads = seenThreads(Run.Kernels[Row], Options);
    Result.push_back(std::move(F));
  }
  return Result;
}

std::vector<Form> bankstripe::formsOf(const MergedRun &Run,
                                      const PlanOptions &Options,
                                      const std::vector<bool> &HasVersion) {
  return FormBuilder(Run, Options, HasVersion).forms();
}

std::vector<KernelGroup> bankstripe::groupKernels(
    size_t Count,
    llvm::function_ref<llvm::ArrayRef<unsigned>(unsigned Array)> KernelsOf) {
  llvm::EquivalenceClasses<unsigned> Classes;
  std::set<unsigned> Kernels;
  std::vector<unsigned> Counted;
  for (unsigned I = 0; I < Count; ++I) {
    const llvm::ArrayRef<unsigned> Reaching = KernelsOf(I);
    if (!Reaching.empty())
      Counted.push_back(I);
    for (unsigned K : Reaching) {
      Classes.unionSets(Reaching.front(), K);
      Kernels.insert(K);
    }
  }
  std::map<unsigned, KernelGroup> ByLeader;
  for (unsigned K : Kernels)
    ByLeader[Classes.getLeaderValue(K)].Kernels.push_back(K);
  for (unsigned I : Counted)
    ByLeader[Classes.getLeaderValue(KernelsOf(I).front())].Arrays.push_back(I);
  std::vector<KernelGroup> Result;
  Result.reserve(ByLeader.size());
  for (auto &[Leader, G] : ByLeader)
    Result.push_back(std::move(G));
  return Result;
}
