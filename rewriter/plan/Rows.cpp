//===-- Rows.cpp - kernels whose launches bring storage -------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel whose arrays lie in memory that its launches bring must not be
// started without it. So each of its launches has to pass its stub, where its
// row is asked, and nobody may ask what a block of it takes.
//
//===----------------------------------------------------------------------===//

#include "plan/Rows.h"

using namespace bankstripe;

std::string bankstripe::whoElseLaunches(const Kernel &K) {
  if (!K.WhyUnseen.empty())
    return K.WhyUnseen;
  return K.AddressTakenAt == K.Where
             ? "other files may launch it"
             : "its address is taken at " + shortText(K.AddressTakenAt);
}

std::string bankstripe::whyNoRow(const MergedKernel &Merged) {
  const Kernel &K = Merged.Facts;
  if (K.AddressTaken)
    return whoElseLaunches(K);
  if (Merged.Shared.Asks != AskedSize::None)
    return "it asks how much shared memory it has";
  if (K.AttributeSetAt.isValid())
    return "its attributes are set at " + shortText(K.AttributeSetAt);
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
    if (!L.PassesStub || L.OnDevice)
      return "the launch at " + shortText(L.Where) + " passes no host stub";
  if (!Merged.Queries.empty())
    return "the occupancy query at " + shortText(Merged.Queries.front().Where) +
           " would not count it";
  return "";
}
