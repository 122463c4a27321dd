//===-- Runner.h - runs a command under the recorder ------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_VERIFY_RUNNER_H
#define BANKSTRIPE_VERIFY_RUNNER_H

#include "recording/Recording.h"
#include "verify/Child.h"
#include "verify/Options.h"

namespace bankstripe::runtime {

/// One process of a command that used the GPU.
struct RecordedProcess {
  std::string Path;    ///< Of its recording.
  unsigned Number = 0; ///< Of the process; 0 for the first one.
  Recording Record;
  std::string Problem; ///< Why there is no recording; else empty.
};

/// One run of a command under the recorder.
struct RecordedRun {
  ChildResult Child;
  Recording Record;
  std::string Problem; ///< Why there is no recording; else empty.
  std::string Path;    ///< Of the recording that was taken.
  /// What further processes that used the GPU did, one text for each.
  std::vector<std::string> Others;
  /// Whether one of these launches as often as the one that was taken, so that
  /// another run may take that one.
  bool OtherCouldBeTaken = false;
};

/// Reads the recording in \p Path; says in \p Run what is wrong with it.
void readRecordingInto(RecordedRun &Run, const std::string &Path);

/// Which of several processes is compared: the one that launches most, of those
/// that launch equally often the one that used the GPU first.
size_t choosePrincipal(const std::vector<RecordedProcess> &Processes);

/// What a run is for.
struct RunRequest {
  RecordingMode Mode = RecordingMode::Digest;
  /// The variables that tell the recorder what to do, beyond where and how.
  std::map<std::string, std::string> Settings;
  /// Whether addresses differ from those of other runs, as they do without the
  /// recorder. Else, in mode Digest, they are the same, so that pointers in
  /// memory are.
  bool RandomAddresses = false;
};

/// Runs commands, and keeps their recordings in a temporary folder that goes
/// away with it.
class Runner {
public:
  Runner(const Options &O, const std::string &Recorder);
  ~Runner();
  Runner(const Runner &) = delete;
  Runner &operator=(const Runner &) = delete;

  /// Where files for the recorder can be put; empty when there is no folder.
  const std::string &folder() const { return Folder; }
  /// Runs \p What; its recording stays in RecordedRun::Path until forget().
  RecordedRun run(const Command &What, const RunRequest &Request);
  /// From here on, all addresses are random.
  void randomizeAddresses() { RandomAddresses = true; }
  /// Removes the files of a run.
  void forget(const RecordedRun &Run) const;

private:
  void readProcesses(RecordedRun &Run, const std::string &First) const;

  const Options &O;
  const std::string &Recorder;
  std::string Folder;
  unsigned Runs = 0;
  bool RandomAddresses = false;
};

/// A lock on a file that others on the same GPU share. An empty path is none.
class FileLock {
public:
  FileLock(const std::string &Path, int Operation);
  ~FileLock();
  FileLock(const FileLock &) = delete;
  FileLock &operator=(const FileLock &) = delete;
  bool isOpen() const { return File >= 0; }

private:
  int File = -1;
};

/// What a program said last, for a message about its failure; may be empty.
std::string lastWords(const ChildResult &Child);

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_VERIFY_RUNNER_H
