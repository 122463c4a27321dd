//===-- Gpu.h - what the GPU says of itself ---------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A GPU raises its clocks under load and lowers them when it is hot or idle.
// Times are only worth comparing when both programs had the same clocks, so
// they are read now and then while the programs run.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_VERIFY_GPU_H
#define BANKSTRIPE_VERIFY_GPU_H

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

namespace bankstripe::runtime {

/// The clocks at one moment, in MHz.
struct ClockSample {
  unsigned Sm = 0, Memory = 0;
};

/// The clocks during the runs of a program, in MHz.
struct ClockSummary {
  size_t Samples = 0;
  unsigned SmLow = 0, SmMedian = 0, SmHigh = 0;
  unsigned MemoryLow = 0, MemoryMedian = 0, MemoryHigh = 0;
};

/// None for no samples.
std::optional<ClockSummary> summarise(const std::vector<ClockSample> &Samples);

/// Reads the clocks; nothing when they cannot be read just now.
using ClockSource = std::function<std::optional<ClockSample>()>;

/// The clocks of the first GPU that this process sees, by way of NVIDIA's
/// management library, which is looked for at run time.
///
/// \returns the source, or why there is none.
std::variant<ClockSource, std::string> findClocks();

/// Reads clocks in a thread of its own, as long as it lives.
class ClockSampler {
public:
  /// \param Into gets the samples when the sampler goes.
  ClockSampler(const ClockSource &Source, std::vector<ClockSample> &Into);
  ~ClockSampler();
  ClockSampler(const ClockSampler &) = delete;
  ClockSampler &operator=(const ClockSampler &) = delete;

private:
  std::vector<ClockSample> &Into;
  std::vector<ClockSample> Samples;
  std::atomic<bool> Ends = false;
  std::thread Thread;
};

/// Asks the CUDA driver, which is looked for at run time: the verifier itself
/// starts on any machine.
///
/// \returns an empty text, or why no CUDA program can run here.
std::string whyNoGpu();

/// Where the first GPU that this process sees is plugged in ("0000:18:00.0");
/// empty without one.
std::string busIdOfFirstGpu();

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_VERIFY_GPU_H
