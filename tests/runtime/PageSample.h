//===-- HtmlSample.h - reports to look at and to test with ------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A report made by hand. Its times are those of measurements/, so that it
// looks like a real one; everything else is made up.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TESTS_RUNTIME_PAGESAMPLE_H
#define BANKSTRIPE_TESTS_RUNTIME_PAGESAMPLE_H

#include "verify/Session.h"

namespace bankstripe::runtime {

/// A kernel that is launched twice, with the durations of one launch in
/// milliseconds.
inline KernelStatistics sampleKernel(const std::string &Name, double Before,
                                     double After, unsigned LocalBefore = 0,
                                     unsigned LocalAfter = 0,
                                     unsigned SharedAfter = 0) {
  KernelStatistics K;
  K.Name = Name;
  K.Launches = 2;
  K.SpeedupInterval = Interval{0.98 * Before / After, 1.03 * Before / After};
  K.OriginalTime = 2 * Before * 1e6;
  K.RewrittenTime = 2 * After * 1e6;
  K.Original = FirstLaunch{{40, 0, LocalBefore}, 128, 0};
  K.Rewritten = FirstLaunch{{38, SharedAfter, LocalAfter}, 128, 0};
  return K;
}

/// Identical, without kernels.
inline VerifyReport sampleReport() {
  VerifyReport R;
  R.Verdict = ExitIdentical;
  R.Device = "NVIDIA H200";
  R.Capability = "9.0";
  R.LaunchCount = R.Launches.ComparedLaunches = 100;
  R.Launches.Threads = 1;
  R.AllocationCount = 24;
  R.OutputBytes = 1832;
  R.Runs = 5;
  R.OriginalCommand = "./sample 1000";
  R.RewrittenCommand = "./sample.rewritten 1000";
  return R;
}

/// With the kernels of the test inputs.
inline VerifyReport sampleOfTestInputs() {
  VerifyReport R = sampleReport();
  R.Kernels = {
      sampleKernel("majority(int const*, int*, int)", 0.352, 0.049, 40, 0,
                   4608),
      sampleKernel("countDigits(unsigned int const*, int*)", 2.242, 0.233, 40,
                   0, 5120),
      sampleKernel("describe(int const*, int*)", 0.169, 0.078, 240, 0, 23424),
      sampleKernel("longestRuns(int const*, int*)", 0.196, 0.019, 64, 0, 8192),
      sampleKernel("denoise(float const*, float*, int)", 2.076, 0.470, 104, 0,
                   25600),
      sampleKernel("quartiles(float const*, float*)", 0.839, 0.851, 16, 0,
                   8192),
      sampleKernel("void largest<int, 7>(int const*, int*)", 0.125, 0.091, 32,
                   0, 5376),
      sampleKernel("texture(unsigned char const*, float*)", 1.004, 0.144, 16, 0,
                   8192),
      sampleKernel("knapsack(unsigned int const*, int*, unsigned int*)", 2.473,
                   0.979, 528, 320, 26624),
      sampleKernel("play(int*)", 0.790, 0.168, 272, 0, 26624),
      sampleKernel("rankKeys(unsigned int const*, int*)", 0.236, 0.157, 64, 0,
                   8256),
      sampleKernel("transform(float const*, float*)", 0.369, 0.023, 128, 0,
                   16384),
      sampleKernel("void movingMedian<float, 9>(float const*, float*, int)",
                   0.651, 0.219, 56, 0, 6912),
      sampleKernel("void movingMedian<float, 25>(float const*, float*, int)",
                   1.934, 0.814, 152, 0, 19200),
      sampleKernel("findOverlaps(Node const*, float2 const*, int, int*, "
                   "unsigned int*)",
                   0.058, 0.101, 128, 0, 12288),
      sampleKernel("smooth(float const*, float*)", 0.135, 0.134, 96, 0, 0)};
  R.Kernels.back().SpeedupInterval = Interval{0.82, 1.24};
  // Two that were not changed and one that was.
  for (const char *Name :
       {"void cub::DeviceScanInitKernel<cub::ScanTileState<int> >(int)",
        "void cub::DeviceScanKernel<cub::Policy, int*>(int*, int*)",
        "void cub::DeviceRadixSortOnesweepKernel<int>(int*)"}) {
    R.Kernels.push_back(sampleKernel(Name, 0.03, 0.03));
    R.Kernels.back().Rewritten = R.Kernels.back().Original;
  }
  R.Kernels.back().Rewritten->Registers = 48;
  R.Total.OriginalTime = 2.73e7;
  R.Total.RewrittenTime = 9.06e6;
  R.Total.SpeedupInterval = Interval{2.98, 3.05};
  return R;
}

/// A difference in memory, located.
inline void makeDiffer(VerifyReport &R) {
  R.Repeats = 2;
  R.Verdict = ExitDiffers;
  Difference D;
  D.Launch = 17;
  D.OriginalKernel = D.RewrittenKernel = "play(int*)";
  D.Allocation = 3;
  D.Bytes = 1 << 20;
  D.Begin = 4096;
  D.End = D.LastEnd = 8192;
  R.Launches.First = D;
  R.Launches.DifferingLaunches = 2;
  R.Bytes = findByteDifference(std::string("\1\0\0\0\2\0\0\0", 8),
                               std::string("\1\0\0\0\3\0\0\0", 8), D.Begin);
}

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_TESTS_RUNTIME_PAGESAMPLE_H
