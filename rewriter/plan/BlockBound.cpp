//===-- BlockBound.cpp - how large the blocks of a kernel are -------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launch bounds say how large blocks can be, since the driver enforces them.
// Else all launches do, if all are seen and each has a constant block; else the
// user.
//
//===----------------------------------------------------------------------===//

#include "plan/BlockBound.h"
#include "plan/Decide.h"
#include "plan/Outside.h"
#include "llvm/Support/Path.h"

using namespace bankstripe;

static BlockBound bound(unsigned Threads, BlockSizeSource Source,
                        std::string Text) {
  return {Threads, Source, std::move(Text), Threads};
}

// By the launch with the largest block.
static BlockBound bound(const Launch &Largest) {
  return bound(*Largest.Threads, BlockSizeSource::Launches,
               "launch at " + shortText(Largest.Where) + " (" + Largest.Source +
                   ")");
}

static BlockBound boundByAttribute(const Kernel &K) {
  return bound(K.Bounds->Threads, BlockSizeSource::LaunchBounds,
               "__launch_bounds__ at " + shortText(K.Where));
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

// Where other files launch it, a version brings what each block needs. A
// module can have none, and gets a bound.
static void boundFromLaunches(StaticBound &S, const MergedKernel &K,
                              const PlanOptions &Options) {
  std::optional<Why> Problem = whyUnbounded(K);
  const Launch *Largest = largest(K);
  S.AddBounds = true;
  auto [Threads, Origin, Promise] = userBound(K.Facts, Options);
  if (!Problem) {
    S.Block = bound(*Largest);
  } else if (!Threads || !Promise || Options.Others == Outside::Files) {
    S.AddBounds = false;
    S.Obstacle = std::move(Problem);
  } else if (Largest && *Largest->Threads > Threads) {
    S.AddBounds = false;
    S.Obstacle =
        Why{Reason::BlockSizeConflict, Largest->Where,
            "the launch at " + shortText(Largest->Where) + " asks for " +
                std::to_string(*Largest->Threads) + " threads, " + Origin +
                " says " + std::to_string(Threads)};
  } else {
    S.Block = bound(Threads, BlockSizeSource::Option,
                    Options.BlockSize ? Origin + "=" + std::to_string(Threads)
                                      : Origin);
  }
}

// Why fewer resident blocks might be too few; nothing if they are enough.
static std::optional<Why> whyBlocksStay(const MergedKernel &K) {
  if (K.WaitsForBlocks)
    return Why{Reason::WaitsForBlocks, K.Facts.Where, ""};
  if (!K.UnseenCallee.empty())
    return Why{Reason::UnseenCallee, K.Facts.Where, K.UnseenCallee};
  return std::nullopt;
}

static void boundDynamicShared(StaticBound &S, const MergedKernel &K) {
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

bool bankstripe::mayAddBounds(const MergedKernel &K, unsigned Threads) {
  return K.Facts.BoundsExcludedBy.empty() &&
         (!K.CallsOtherUnits || Threads <= LinkableBlock);
}

// What stands against a bound on the blocks of K, or on their text, other than
// that nobody knows it.
static std::optional<Why> whyNoBound(const MergedKernel &K,
                                     const StaticBound &S,
                                     const PlanOptions &Options) {
  const Kernel &Facts = K.Facts;
  const std::string Name = "kernel '" + Facts.Name + "'";
  // Launches name other blocks than there are then.
  if (Facts.BoundsExcludedBy == BlockSizeAttribute)
    return Why{Reason::BlockSizeUnknown, Facts.Where,
               "'" + Facts.BoundsExcludedBy + "' of " + Name +
                   " says it instead of the launches"};
  if (Facts.Bounds && !Facts.Bounds->IsFixed && Facts.Bounds->Text.empty())
    return Why{Reason::BlockSizeUnknown, Facts.Where,
               "another build may have other launch bounds"};
  if (std::string Mention = whyMentioned(Facts, Options); !Mention.empty())
    return Why{Reason::BlockSizeUnknown, Facts.Where, Name + ": " + Mention};
  if (S.Obstacle || !S.AddBounds)
    return S.Obstacle;
  if (!Facts.BoundsExcludedBy.empty())
    return Why{Reason::BlockSizeUnknown, Facts.Where,
               "'" + Facts.BoundsExcludedBy + "' of " + Name +
                   " allows no launch bounds"};
  if (!Facts.BoundsInsertion.isValid())
    return Why{Reason::KernelInMacro, Facts.Where, Facts.Name};
  if (!mayAddBounds(K, S.Block.ToAdd))
    return Why{Reason::BlockSizeUnknown, Facts.Where,
               "it calls functions of other files, which might not link with "
               "its launch bounds"};
  return std::nullopt;
}

StaticBound bankstripe::boundBlock(const MergedKernel &K,
                                   const PlanOptions &Options) {
  StaticBound S;
  if (K.Facts.Bounds)
    S.Block = boundByAttribute(K.Facts);
  else
    boundFromLaunches(S, K, Options);
  S.Obstacle = whyNoBound(K, S, Options);
  if (!S.Obstacle)
    boundDynamicShared(S, K);
  if (std::optional<Why> Waits = whyBlocksStay(K))
    S.Obstacle = std::move(Waits);
  return S;
}

BlockBound bankstripe::plannedBlock(const MergedKernel &K,
                                    const PlanOptions &Options) {
  if (auto [Threads, Origin, Promise] = userBound(K.Facts, Options); Threads)
    return bound(Threads, BlockSizeSource::Option, Origin);
  if (K.Facts.Bounds)
    return boundByAttribute(K.Facts);
  if (const Launch *Largest = largest(K))
    return bound(*Largest);
  return bound(UsualBlock, BlockSizeSource::Unknown,
               "what blocks usually have");
}

unsigned bankstripe::seenThreads(const MergedKernel &K,
                                 const PlanOptions &Options) {
  if (const unsigned Threads = userBound(K.Facts, Options).Threads)
    return Threads;
  const Launch *Largest = largest(K);
  return Largest ? *Largest->Threads : 0;
}
