//===-- LaunchCapture.h - launches into files -------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What has to be asked of the driver for captures, and the files, one after the
// other, of the launches that a survey may need. When what happens is up to the
// recorder:
//
//     every module that is loaded          keepImage()
//     at the entry of a launch             wants(), describe(), begin()
//     at its exit                          end()
//
// Each function returns why there can be no capture, or an empty text; after a
// reason nothing is left of the file.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_RECORDER_LAUNCHCAPTURE_H
#define BANKSTRIPE_RECORDER_LAUNCHCAPTURE_H

#include "recorder/DigestEngine.h"
#include "recorder/KernelHandle.h"
#include "recording/Capture.h"
#include "recording/Request.h"
#include <chrono>
#include <map>
#include <set>

namespace bankstripe::runtime {

struct LaunchRequest;

class LaunchCapture {
public:
  /// Memory, and the context to read it in.
  struct Place {
    CUcontext In = nullptr;
    CapturedMemory What;
  };
  using Engines = std::map<CUcontext, DigestEngine>;

  /// \param Ending stands behind the names of all files.
  LaunchCapture(const WantedSurvey &Wanted, const std::string &Ending);

  /// Whether a launch is wanted, which is then the one that all further calls
  /// are about.
  ///
  /// \param OfKernel its number among those of its \p Kernel.
  bool wants(const std::string &Kernel, uint64_t OfKernel,
             const LaunchSize &Size);
  /// The kernel of that launch.
  const std::string &kernel() const { return Kernel; }
  /// Between begin() and end().
  bool isUnderWay() const { return Writer != nullptr; }

  void keepImage(std::string Image) { Images.insert(std::move(Image)); }

  /// Describes the kernel \p Symbol as it is about to be launched; the
  /// launch's context must be current.
  ///
  /// \param Notes receives what a replay cannot do again.
  std::string describe(const LaunchRequest &Launch, const KernelHandle &Kernel,
                       const std::string &Symbol, CapturedKernel &Result,
                       std::set<std::string> &Notes) const;

  /// Writes everything that there is before the launch.
  std::string begin(const CapturedProgram &Program,
                    const CapturedKernel &Kernel, std::vector<Place> Memory,
                    const std::set<std::string> &Notes, Engines &With);

  /// Writes what the launch left, unless it ended with an error.
  std::string end(const std::string &Error, Engines &With);

  /// This launch is over, whether or not there is a capture.
  void stop();

private:
  std::string writePages(CaptureMoment When, Engines &With);
  CUresult writePages(const Place &Of, unsigned Number, CaptureMoment When,
                      DigestEngine &With);
  std::string giveUp(const std::string &Reason);
  std::string cannotWrite();

  using Clock = std::chrono::steady_clock;
  using Seconds = std::chrono::duration<double>;

  bool isWorthItsTime() const;
  std::string fileOf(uint64_t OfKernel) const;
  void keep();

  const WantedSurvey Survey;
  const std::string Ending;
  bool IsWanted = false; ///< Between wants() and stop().
  /// \name The launch.
  /// @{
  std::string Path; ///< Of its file.
  std::string Kernel;
  uint64_t OfKernel = 0;
  LaunchSize Size;
  /// @}
  std::map<std::string, CaptureChoice> Choices; ///< By kernel.
  PageStore Store;
  std::map<std::string, std::vector<uint64_t>> Stored; ///< Pages, by file.
  std::optional<Clock::time_point> Begin;              ///< Of the first one,
  Clock::time_point Asked, Launched;                   ///< and of the latest.
  Seconds Spent{}, LaunchTime{};                       ///< On all; by a launch.
  std::set<std::string> Images;                        ///< That were loaded.
  std::unique_ptr<CaptureWriter> Writer;
  std::vector<Place> Memory; ///< In the order of its numbers in the file.
};

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_RECORDER_LAUNCHCAPTURE_H
