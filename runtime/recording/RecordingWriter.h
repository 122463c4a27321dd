//===-- RecordingWriter.h - recording to file -------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes the events of a run, one JSON object per line, as they happen. Each
// line goes to the kernel in one write, so a program that crashes leaves every
// line that was complete. The writer lives inside foreign programs: it throws
// nothing, never ends the process, and after a failed write it stays silent.
// Any thread may call it.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_RECORDING_RECORDINGWRITER_H
#define BANKSTRIPE_RECORDING_RECORDINGWRITER_H

#include "recording/Recording.h"
#include <mutex>

namespace bankstripe::runtime {

class RecordingWriter {
public:
  RecordingWriter() = default;
  ~RecordingWriter();
  RecordingWriter(const RecordingWriter &) = delete;
  RecordingWriter &operator=(const RecordingWriter &) = delete;

  /// Creates the file and writes its header.
  ///
  /// A file that exists is another process's recording (a program may start
  /// further ones, which inherit its environment); then PATH.<process id> is
  /// taken instead.
  ///
  /// \return false when no file can be created; every write is then ignored.
  bool open(const std::string &Path, RecordingMode Mode);

  void device(const std::string &Name, const std::string &Capability);
  /// Announces an allocation; only Id, Kind, Name, Bytes and ChunkBytes count.
  void allocation(const Allocation &A);
  /// The allocation \p Id is gone from here on.
  void free(unsigned Id);
  /// A launch with its digests, as found in mode Digest.
  void launch(const Launch &L);
  /// Digests that the latest launch left, taken before something goes.
  ///
  /// \param AtEnd of a context or the program, not at a free.
  void late(unsigned Launch, bool AtEnd,
            const std::vector<DigestChange> &Changes);
  /// A kernel's execution, as found in mode Time.
  ///
  /// \param Order puts executions into the order of their launches.
  /// \param Start,End in nanoseconds of a clock of the GPU's.
  void execution(const Launch &L, uint64_t Order, uint64_t Start, uint64_t End);
  /// Counts something that cannot be recorded. The file learns of it when the
  /// count reaches a power of two, and from end().
  void note(const std::string &Text) { count(Notes, Text); }
  /// Counts something that was left out, likewise.
  void skipped(const std::string &Reason) { count(Skipped, Reason); }
  /// Nothing can be recorded.
  void failure(const std::string &Message);
  /// The program came to an orderly end. Events may still follow: destructors
  /// of the program's run after this.
  void end();

private:
  struct Counters {
    const char *Type, *Key;
    std::map<std::string, uint64_t> Counts;
  };
  void count(Counters &In, const std::string &Text);
  void counts(const Counters &Of);
  void line(std::string Text);

  std::mutex Mutex; ///< Guards what follows.
  int File = -1;
  Counters Notes{"note", "text", {}};
  Counters Skipped{"skipped", "reason", {}};
};

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_RECORDING_RECORDINGWRITER_H
