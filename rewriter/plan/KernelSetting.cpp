//===-- KernelSetting.cpp - what a kernel has for arrays ------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the bound on a kernel's blocks comes from, and its storage
// (docs/internals/layouts.md, "Storage"). An array of a __device__ function
// lies at one place for all kernels that reach it, so kernels that share arrays
// get their storage in one way.
//
//===----------------------------------------------------------------------===//

#include "plan/KernelSetting.h"
#include "plan/Candidates.h"
#include "plan/Decide.h"
#include "plan/Layout.h"
#include "plan/Outside.h"
#include "plan/Rows.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"

using namespace bankstripe;

// --- Block bounds ------------------------------------------------------------

static void setBound(KernelSetting &S, unsigned Threads, BlockSizeSource Source,
                     std::string Text) {
  S.Block = {Threads, Source, std::move(Text), Threads};
  S.AddBounds = Source != BlockSizeSource::LaunchBounds;
}

// By the launch with the largest block.
static void setBound(KernelSetting &S, const Launch &Largest) {
  setBound(S, *Largest.Threads, BlockSizeSource::Launches,
           "launch at " + shortText(Largest.Where) + " (" + Largest.Source +
               ")");
}

// The launch with the largest block among the known ones.
static const Launch *largest(const MergedKernel &K) {
  const Launch *Largest = nullptr;
  for (const Launch &L : K.Launches)
    if (L.Threads && (!Largest || *L.Threads > *Largest->Threads))
      Largest = &L;
  return Largest;
}

// Why the launches do not bound the block size; nothing when they do.
static std::optional<Why> whyUnbounded(const MergedKernel &K) {
  const Kernel &Facts = K.Facts;
  auto Unknown = [](const Place &Where, std::string Detail) {
    return Why{Reason::BlockSizeUnknown, Where, std::move(Detail)};
  };
  if (!K.WhyUnseen.empty())
    return Unknown(Facts.Where, "kernel '" + Facts.Name + "': " + K.WhyUnseen);
  for (const Launch &L : K.Launches)
    if (!L.IsFixed)
      return Unknown(L.Where,
                     "the launch at " + shortText(L.Where) + ": " + L.Source);
  if (K.Launches.empty())
    return Unknown(Facts.Where,
                   "no launch of kernel '" + Facts.Name + "' was seen");
  return std::nullopt;
}

namespace {

/// The bound that the user gave for a kernel, and where.
struct UserBound {
  unsigned Threads = 0;
  std::string Origin;
  bool Promise = true; ///< No launch will break it.
};

} // namespace

static UserBound userBound(const Kernel &K, const PlanOptions &Options) {
  if (Options.BlockSize)
    return {Options.BlockSize, "--block-size"};
  for (const KernelDecision &D : Options.KernelDecisions)
    if (D.BlockSize && speaksOf(D, K))
      return {*D.BlockSize, "the decision about it", /*Promise=*/false};
  auto It = Options.Defaults.find(K.Where.File);
  if (It == Options.Defaults.end() || !It->second.BlockSize)
    return {};
  return {*It->second.BlockSize,
          "block-size in " + llvm::sys::path::filename(It->second.From).str()};
}

static void boundFromLaunches(KernelSetting &S, const MergedKernel &K,
                              const PlanOptions &Options) {
  std::optional<Why> Problem = whyUnbounded(K);
  const Launch *Largest = largest(K);
  if (!Problem)
    return setBound(S, *Largest);
  auto [Threads, Origin, Promise] = userBound(K.Facts, Options);
  // Where other files launch it, a version brings what each block needs. A
  // module can have none, and gets a bound.
  if (!Threads || !Promise || Options.Others == Outside::Files)
    S.Obstacle = std::move(Problem);
  else if (Largest && *Largest->Threads > Threads)
    S.Obstacle =
        Why{Reason::BlockSizeConflict, Largest->Where,
            "the launch at " + shortText(Largest->Where) + " asks for " +
                std::to_string(*Largest->Threads) + " threads, " + Origin +
                " says " + std::to_string(Threads)};
  else
    setBound(S, Threads, BlockSizeSource::Option,
             Options.BlockSize ? Origin + "=" + std::to_string(Threads)
                               : Origin);
}

// Why fewer resident blocks might be too few; nothing if they are enough.
static std::optional<Why> whyBlocksStay(const MergedKernel &K) {
  if (K.AwaitedBy)
    return Why{Reason::WaitsForBlocks, K.Facts.Where,
               "kernel '" + *K.AwaitedBy +
                   "' waits, and may do so for it in another stream"};
  if (K.WaitsForBlocks)
    return Why{Reason::WaitsForBlocks, K.Facts.Where, ""};
  return std::nullopt;
}

static void boundDynamicShared(KernelSetting &S, const MergedKernel &K) {
  const Kernel &Facts = K.Facts;
  if (K.Shared.Asks == AskedSize::All) {
    S.Obstacle = Why{Reason::DynamicSharedMemory, Facts.Where,
                     "it asks how much shared memory it has in all"};
    return;
  }
  if (K.Shared.UsesDynamic && (K.Launches.empty() || !K.WhyUnseen.empty())) {
    S.Obstacle =
        Why{Reason::DynamicSharedMemory, Facts.Where,
            K.WhyUnseen.empty() ? "no launch of it was seen" : K.WhyUnseen};
    return;
  }
  // Static storage moves it, by a multiple of this.
  if (K.Shared.UsesDynamic && Facts.ClaimedAlignment > StaticGrain) {
    S.Obstacle =
        Why{Reason::DynamicSharedMemory, Facts.Where,
            "it may rely on " + std::to_string(Facts.ClaimedAlignment) +
                "-byte alignment of its own"};
    return;
  }
  for (const Launch &L : K.Launches) {
    if (!L.DynamicSharedBytes) {
      S.Obstacle =
          Why{Reason::DynamicSharedMemory, L.Where, shortText(L.Where)};
      return;
    }
    S.OwnDynamicBytes = std::max(S.OwnDynamicBytes, *L.DynamicSharedBytes);
  }
}

/// The linker does not take a function with more registers than the bounds of a
/// kernel leave, and one that was compiled apart may have as many as there are:
/// 255, which blocks of 256 threads can have (CUDA programming guide, "Compute
/// capabilities").
static constexpr unsigned LinkableBlock = 256;

static bool mayAddBounds(const KernelSetting &S, const MergedKernel &K) {
  return K.Facts.BoundsExcludedBy.empty() &&
         (!K.CallsOtherUnits || S.Block.ToAdd <= LinkableBlock);
}

KernelSetting bankstripe::boundBlockSize(const MergedKernel &K,
                                         const PlanOptions &Options) {
  KernelSetting S;
  const Kernel &Facts = K.Facts;
  S.SeenThreads = userBound(Facts, Options).Threads;
  if (const Launch *Largest = largest(K); Largest && !S.SeenThreads)
    S.SeenThreads = *Largest->Threads;
  if (Facts.Bounds)
    setBound(S, Facts.Bounds->Threads, BlockSizeSource::LaunchBounds,
             "__launch_bounds__ at " + shortText(Facts.Where));
  else
    boundFromLaunches(S, K, Options);
  if (std::string Mention = whyMentioned(Facts, Options); !Mention.empty())
    S.Obstacle = Why{Reason::BlockSizeUnknown, Facts.Where,
                     "kernel '" + Facts.Name + "': " + Mention};
  if (Facts.Bounds && !Facts.Bounds->IsFixed && Facts.Bounds->Text.empty())
    S.Obstacle = Why{Reason::BlockSizeUnknown, Facts.Where,
                     "another build may have other launch bounds"};
  // Launches name other blocks than there are then.
  if (Facts.BoundsExcludedBy == BlockSizeAttribute)
    S.Obstacle = Why{Reason::BlockSizeUnknown, Facts.Where,
                     "'" + Facts.BoundsExcludedBy + "' of kernel '" +
                         Facts.Name + "' says it instead of the launches"};
  if (!S.Obstacle && S.AddBounds && !Facts.BoundsExcludedBy.empty())
    S.Obstacle = Why{Reason::BlockSizeUnknown, Facts.Where,
                     "'" + Facts.BoundsExcludedBy + "' of kernel '" +
                         Facts.Name + "' allows no launch bounds"};
  if (!S.Obstacle && S.AddBounds && !Facts.BoundsInsertion.isValid())
    S.Obstacle = Why{Reason::KernelInMacro, Facts.Where, Facts.Name};
  if (!S.Obstacle && S.AddBounds && !mayAddBounds(S, K))
    S.Obstacle = Why{Reason::LinkedCallees, Facts.Where, Facts.Name};
  if (!S.Obstacle)
    boundDynamicShared(S, K);
  if (std::optional<Why> Waits = whyBlocksStay(K))
    S.Obstacle = std::move(Waits);
  return S;
}

// Instantiations of one kernel share the text of the bound that is added to
// them, so they get the largest of their blocks; where one is not known, none
// is: launches of that one, if they can ask for storage, have any size.
static void shareBounds(std::vector<KernelSetting> &Settings,
                        const MergedRun &Run) {
  std::map<TextRange, std::vector<unsigned>> Groups;
  for (auto [Row, K] : llvm::enumerate(Run.Kernels))
    if (!K.HasVersion && !K.Facts.Bounds && K.Facts.BoundsInsertion.isValid())
      Groups[K.Facts.BoundsInsertion].push_back(Row);
  auto SizeOf = [](const KernelSetting &S) {
    return S.Block.Threads ? S.Block.Threads : UINT_MAX;
  };
  for (auto &[Text, Group] : Groups) {
    const KernelSetting *Largest = &Settings[Group.front()];
    std::optional<Why> Obstacle;
    for (unsigned Row : Group) {
      if (Settings[Row].Obstacle)
        Obstacle = Settings[Row].Obstacle;
      if (SizeOf(Settings[Row]) > SizeOf(*Largest))
        Largest = &Settings[Row];
    }
    for (unsigned Row : Group) {
      KernelSetting &S = Settings[Row];
      S.Block.Threads = Largest->Block.Threads;
      S.Block.ToAdd = Largest->Block.ToAdd;
      S.Block.Text = Largest->Block.Text;
      if (!S.Obstacle)
        S.Obstacle = Obstacle;
    }
  }
}

// --- Storage that launches bring ---------------------------------------------

static bool isAbout(const KernelSetting &S, Reason Id) {
  return S.Obstacle && S.Obstacle->Why == Id;
}

// Obstacles that are not in the way of dynamic shared memory.
static bool isAboutBlockSize(const KernelSetting &S) {
  return isAbout(S, Reason::BlockSizeUnknown) ||
         isAbout(S, Reason::DynamicSharedMemory) ||
         isAbout(S, Reason::LinkedCallees);
}

// Whether the obstacle of a kernel leaves open why its launches do not help.
static bool saysMore(const KernelSetting &S, const MergedKernel &K) {
  return isAboutBlockSize(S) && K.WhyUnseen.empty() && !K.Launches.empty();
}

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

static uint64_t budgetOf(const KernelSetting &S, const MergedKernel &K,
                         const PlanOptions &Options) {
  auto Less = [](uint64_t A, uint64_t B) { return A > B ? A - B : 0; };
  // A variable after ours may have to be aligned to 16 bytes.
  const uint64_t Used =
      llvm::alignTo(K.Shared.StaticBytes, S.Dynamic ? SegmentAlignment : 16) +
      llvm::alignTo(S.OwnDynamicBytes, 16);
  if (!S.Dynamic)
    return Less(StaticSharedLimit, Used);
  const uint64_t Left = Less(commonSharedLimit(Options), Used + MarkBytes);
  // What the kernel itself may ask for at most is no use of its limit.
  const uint64_t Budget = std::min(
      Left, S.OwnUnknown ? Options.SharedLimit
                         : Less(Options.SharedLimit, Used + MarkBytes));
  const uint64_t Warps = llvm::divideCeil(S.largestBlock(), 32u);
  return Budget / Warps / PlaceAlignment * PlaceAlignment * Warps;
}

static bool wantsDynamic(const KernelGroup &G, const MergedRun &Run,
                         const std::vector<KernelSetting> &Settings,
                         const PlanOptions &Options) {
  if (llvm::any_of(G.Kernels, [&](unsigned Row) {
        return isAboutBlockSize(Settings[Row]);
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
          bytesIn(A, smallestStripe(A), Row, Settings[Row].Block.Threads);
  }
  return llvm::any_of(Need, [&](auto Each) {
    auto [Row, Bytes] = Each;
    return Bytes > budgetOf(Settings[Row], Run.Kernels[Row], Options);
  });
}

static std::string
whyGroupIsStatic(const KernelGroup &G, const MergedRun &Run,
                 const std::vector<KernelSetting> &Settings) {
  for (unsigned Row : G.Kernels) {
    const KernelSetting &S = Settings[Row];
    const std::string Name = "kernel '" + Run.Kernels[Row].Facts.Name + "'";
    if (S.Obstacle && !isAboutBlockSize(S))
      return Name + " keeps its arrays";
    if (!S.WhyNoRow.empty())
      return (G.Kernels.size() > 1 ? Name + ": " : "") + S.WhyNoRow;
    if (Run.Kernels[Row].Facts.BoundsExcludedBy == BlockSizeAttribute)
      return "no launch of " + Name + " says its block";
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
static unsigned launchableBlock(const MergedKernel &K, const MergedRun &Run) {
  unsigned Largest = launchableBlock(K);
  for (const MergedKernel &Other : Run.Kernels)
    if (Other.Facts.BoundsInsertion == K.Facts.BoundsInsertion)
      Largest = std::max(Largest, launchableBlock(Other));
  return Largest;
}

// Without an opt-in of the user's, what a launch asks for itself is at most
// what it gets unasked.
static void noteOwnMemory(KernelSetting &S, const MergedKernel &K) {
  const uint64_t Rest =
      StaticSharedLimit - std::min(StaticSharedLimit, K.Shared.StaticBytes);
  for (const Launch &L : K.Launches) {
    S.OwnUnknown |= !L.DynamicSharedBytes;
    S.OwnDynamicBytes =
        std::max(S.OwnDynamicBytes, L.DynamicSharedBytes.value_or(Rest));
  }
}

static void makeDynamic(KernelSetting &S, const MergedKernel &K,
                        const MergedRun &Run) {
  S.Dynamic = true;
  S.Unbounded = std::exchange(S.Obstacle, std::nullopt);
  S.Block.ToAdd = S.Block.Threads ? S.Block.Threads : launchableBlock(K, Run);
  S.AddBounds = !K.Facts.Bounds && mayAddBounds(S, K);
  noteOwnMemory(S, K);
}

static void chooseStorage(std::vector<KernelSetting> &Settings,
                          const MergedRun &Run, const PlanOptions &Options) {
  auto MayMove = [&](unsigned I) -> llvm::ArrayRef<unsigned> {
    const ReachedArray &A = Run.Arrays[I];
    if (whyArrayStays(A))
      return {};
    return A.Kernels;
  };
  for (const KernelGroup &G : groupKernels(Run.Arrays.size(), MayMove)) {
    // Places count from one end of the memory for all arrays of a group.
    const bool Behind = llvm::any_of(G.Kernels, [&](unsigned Row) {
      return Run.Kernels[Row].Shared.UsesDynamic;
    });
    for (unsigned Row : G.Kernels)
      Settings[Row].Behind = Behind;
    if (!wantsDynamic(G, Run, Settings, Options))
      continue;
    if (llvm::any_of(G.Kernels,
                     [&](unsigned Row) { return Run.Kernels[Row].HasVersion; }))
      continue; // All of them have, and bring it.
    const std::string Why = whyGroupIsStatic(G, Run, Settings);
    for (unsigned Row : G.Kernels) {
      KernelSetting &S = Settings[Row];
      if (Why.empty()) {
        makeDynamic(S, Run.Kernels[Row], Run);
      } else if (saysMore(S, Run.Kernels[Row])) {
        S.Obstacle->Detail += "; nor can it be dynamic shared memory: " + Why;
      } else {
        S.WhyStatic = Why;
      }
    }
  }
}

// --- Versions ----------------------------------------------------------------

// The blocks that a version is planned for: what the user says, else the
// largest that is known, else as many threads as blocks usually have. Whatever
// a launch has then, it brings the storage for that, or runs the original.
static void guessBlock(KernelSetting &S, const MergedKernel &K,
                       const PlanOptions &Options) {
  const Launch *Largest = largest(K);
  auto [Threads, Origin, Promise] = userBound(K.Facts, Options);
  if (Threads)
    setBound(S, Threads, BlockSizeSource::Option, Origin);
  else if (K.Facts.Bounds)
    setBound(S, K.Facts.Bounds->Threads, BlockSizeSource::LaunchBounds,
             "__launch_bounds__ at " + shortText(K.Facts.Where));
  else if (Largest)
    setBound(S, *Largest);
  else
    setBound(S, UsualBlock, BlockSizeSource::Unknown,
             "what blocks usually have");
  S.AddBounds = false;
}

// What the version beside K has. Its launches say the rest, and are asked.
static KernelSetting settingOfVersion(const MergedKernel &K,
                                      const PlanOptions &Options) {
  KernelSetting S;
  S.SeenThreads = userBound(K.Facts, Options).Threads;
  S.Dynamic = true;
  guessBlock(S, K, Options);
  if (K.Shared.UsesDynamic)
    noteOwnMemory(S, K);
  return S;
}

std::vector<KernelSetting> bankstripe::settingsOf(const MergedRun &Run,
                                                  const PlanOptions &Options) {
  std::vector<KernelSetting> Settings;
  Settings.reserve(Run.Kernels.size());
  for (const MergedKernel &K : Run.Kernels)
    Settings.push_back(K.HasVersion ? settingOfVersion(K, Options)
                                    : boundBlockSize(K, Options));
  shareBounds(Settings, Run);
  for (auto [S, K] : llvm::zip(Settings, Run.Kernels))
    S.WhyNoRow = whyNoRow(K);
  chooseStorage(Settings, Run, Options);
  for (auto [S, K] : llvm::zip(Settings, Run.Kernels))
    S.Budget = budgetOf(S, K, Options);
  return Settings;
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
