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

std::string bankstripe::whyNoRow(const MergedKernel &Merged) {
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
