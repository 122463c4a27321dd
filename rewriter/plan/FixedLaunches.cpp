//===-- FixedLaunches.cpp - launches that stay as they are ----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Why nobody can edit the launches of a kernel, so that they ask for the
// storage of its arrays.
//
//===----------------------------------------------------------------------===//

#include "plan/FixedLaunches.h"
#include "llvm/ADT/STLExtras.h"

using namespace bankstripe;

std::string bankstripe::whoElseLaunches(const Kernel &K) {
  if (!K.WhyUnseen.empty())
    return K.WhyUnseen;
  return K.AddressTakenAt == K.Where
             ? "other files may launch it"
             : "its address is taken at " + shortText(K.AddressTakenAt);
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

std::string bankstripe::whyLaunchesStay(const MergedKernel &Merged,
                                        const MergedRun &Run) {
  const Kernel &K = Merged.Facts;
  if (K.AddressTaken)
    return whoElseLaunches(K);
  if (Merged.Shared.Asks != AskedSize::None)
    return "it asks how much shared memory it has";
  if (K.AttributeSetAt.isValid())
    return "its attributes are set at " + shortText(K.AttributeSetAt);
  if (!K.Text.Problem.empty())
    return K.Text.Problem;
  if (Merged.Launches.empty())
    return "no launch of it was seen";
  if (!K.Bounds && !K.BoundsInsertion.isValid())
    return "its name comes from a macro";
  for (const Launch &L : Merged.Launches)
    if (std::string Why = whyLaunchStays(L, K); !Why.empty())
      return "the launch at " + shortText(L.Where) + " cannot be edited, " +
             Why;
  for (const OccupancyQuery &Q : Merged.Queries)
    if (std::string Why = whyTextStays(Q.Text, K); !Why.empty())
      return "the occupancy query at " + shortText(Q.Where) +
             " cannot be edited, " + Why;
  if (llvm::count_if(Run.Kernels, [&](const MergedKernel &Other) {
        return Other.Facts.Id == K.Id;
      }) > 1)
    return "there are several kernels of its name";
  return "";
}
