//===-- Runner.h - runs a command under the recorder ------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_HARNESS_RUNNER_H
#define BANKSTRIPE_HARNESS_RUNNER_H

#include "harness/Child.h"
#include "harness/CommandLine.h"
#include "recording/Request.h"
#include <functional>

namespace bankstripe::runtime {

/// One process of a command that used the GPU.
struct RecordedProcess {
  std::string Path;    ///< Of its recording.
  unsigned Number = 0; ///< Of the process; 0 for the first one.
  Recording Record;
  std::string Problem; ///< Why there is no recording; else empty.
};

/// One run of a command under the recorder.
struct RecordedRun : RecordedProcess { ///< The one that is compared.
  ChildResult Child;
  /// What further processes that used the GPU did, one text for each.
  std::vector<std::string> Others;
  /// Whether one of these launches as often as the one that is compared, so
  /// that another run may choose that one.
  bool OtherMayBeChosen = false;
};

/// Called before each run with what it is for; for a progress line.
using Progress = std::function<void(const std::string &)>;

/// How runs with digests are recorded. In those that are compared memory lies
/// at the same addresses, so that pointers in it are the same.
struct DigestRun {
  DigestRule Rule;
  bool RandomAddresses = false;
  /// Of a survey, which is recorded as before: captures disturb the times, so
  /// all runs whose times are compared read the memory, and only the first one
  /// writes it.
  std::optional<WantedSurvey> Survey = std::nullopt;
};

/// Whether a run is to be ended after so many seconds; Read reads what was
/// recorded by then.
using EndRule = std::function<bool(double Seconds,
                                   const std::function<RecordedRun()> &Read)>;

/// A run of an earlier survey.
struct KeptRun {
  RecordedRun Run;
  DigestRun How;
};

/// Runs commands, and keeps their recordings in a temporary folder that goes
/// away with it.
class Runner {
public:
  /// \param TimeoutSeconds of one run; 0 for no limit.
  Runner(double TimeoutSeconds, std::string Recorder, Progress Show);
  ~Runner();
  Runner(const Runner &) = delete;
  Runner &operator=(const Runner &) = delete;

  void show(const std::string &Step) const { Show(Step); }
  /// Where further files can be put; empty when there is no folder.
  const std::string &folder() const { return Folder; }

  /// Runs \p What. Its files stay until forget().
  ///
  /// \param Request its file is named here.
  RecordedRun run(const Command &What, RecordRequest Request,
                  bool RandomAddresses = false, const EndRule &MayEnd = {});
  /// Likewise, and forgets the files.
  ///
  /// \param KeepAs where to keep() a run without a problem before that; empty:
  /// nowhere.
  RecordedRun record(const Command &What, const DigestRun &How,
                     const std::string &KeepAs = "");
  /// Removes the files of a run.
  void forget(const RecordedRun &Run) const;
  /// Copies a run that is still there, with what it printed, into the folder
  /// \p To, which is made for the user alone.
  ///
  /// \return false when that cannot be written.
  static bool keep(const RecordedRun &Run, const std::string &To);
  /// What keep() left there; none when it is not all there.
  static std::optional<KeptRun> kept(const std::string &There);

  /// Where a survey's folder has the original's run of this number.
  static std::string placeOf(const std::string &Survey, unsigned Number) {
    return Survey + "/run" + std::to_string(Number);
  }

private:
  const double TimeoutSeconds;
  const std::string Recorder;
  const Progress Show;
  std::string Folder;
  unsigned RunCount = 0;
};

/// What a program said last, for a message about its failure; may be empty.
std::string lastWords(const ChildResult &Child);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_HARNESS_RUNNER_H
