//===-- RecordingWriter.h - recording to file -------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes the events of a run, one record per event, as they happen. Each is in
// the file at once, with the texts and shapes that it is the first to need, so
// a program that crashes leaves every record that was complete (Records.h).
// The writer lives inside foreign programs: it throws nothing, never ends the
// process, and after a failed write it stays silent, as it does in a process
// that was forked off. Any thread may call it.
//
// A recording is a file of records (Records.h), in the order of what happened.
// What crashed leaves no End, and zeros behind the last record.
//
//     Text        a text; the others name texts by number (*), from 0
//     Shape       kernel*, and Launch::listFields(); by number, from 0
//     Device      name, capability
//     Allocation  kind*, bytes, bytes per chunk, device; by number, from 0
//     Variable    symbol*, likewise, with numbers of their own
//     Free        the allocation
//     Launch      shape, bits (1: digested, 2: failed; left out when neither),
//                 error*, changes
//     Late        1 at an end, 0 at a free, changes since the latest launch
//     Execution   shape, order, start, nanoseconds; in mode Time
//     Note        text*, how often so far: the largest count holds
//     Skipped     what a launch was left out by*, or "freed", likewise
//     Failure     why nothing can be recorded
//     End         nothing
//     Mode        0 for digests, 1 for times; the first record
//
// Changes are a count and, of each: twice its number, plus 1 for a variable;
// the number of runs; of each run how many chunks lie before it, its number of
// chunks, and their digests.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_RECORDING_RECORDINGWRITER_H
#define BANKSTRIPE_RECORDING_RECORDINGWRITER_H

#include "recording/Recording.h"
#include "recording/Records.h"
#include <mutex>
#include <unordered_map>

namespace bankstripe::runtime {

constexpr FileKind RecordingFile{"\x89"
                                 "bankstripe\n",
                                 RecordingVersion};

/// What a record is about: its first byte.
enum class RecordType : unsigned char {
  Text = 1,
  Shape,
  Device,
  Allocation,
  Variable,
  Free,
  Launch,
  Late,
  Execution,
  Note,
  Skipped,
  Failure,
  End,
  Mode,
};

/// Bits of a launch's record; it ends before them when none is set.
constexpr unsigned LaunchDigested = 1, LaunchFailed = 2;

class RecordingWriter {
public:
  RecordingWriter() = default;
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
  /// The file that is written.
  const std::string &path() const { return OwnPath; }

  void device(const std::string &Name, const std::string &Capability);
  /// Announces an allocation; Id, MadeBefore and FreedBefore do not count.
  void allocation(const Allocation &A);
  /// The allocation \p Id is gone from here on.
  void free(unsigned Id);
  /// A launch with its digests, as found in mode Digest; they count from 0.
  void launch(const Launch &L);
  /// Digests that the latest launch left, taken before something goes.
  ///
  /// \param AtEnd of a context or the program, not at a free.
  void late(bool AtEnd, const std::vector<DigestChange> &Changes);
  /// A kernel's execution, as found in mode Time.
  ///
  /// \param Order puts executions into the order of their launches.
  /// \param Start,End in nanoseconds of a clock of the GPU's.
  void execution(const Launch &L, uint64_t Order, uint64_t Start, uint64_t End);
  /// Counts something that cannot be recorded. The file learns of it when the
  /// count reaches a power of two, and from end().
  void note(const std::string &Text) { count(RecordType::Note, Text); }
  /// Counts something that was left out, likewise.
  void skipped(const std::string &Reason) {
    count(RecordType::Skipped, Reason);
  }
  /// Nothing can be recorded.
  void failure(const std::string &Message);
  /// The program came to an orderly end. Events may still follow: destructors
  /// of the program's run after this.
  void end();

private:
  void count(RecordType Type, const std::string &Text);
  void write(RecordType Type, const ByteWriter &Fields);
  /// \name With Mutex held.
  /// @{
  void add(RecordType Type, const ByteWriter &Fields);
  unsigned text(const std::string &Text);
  unsigned shape(const Launch &Of);
  void addCount(RecordType Type, const std::string &Text, uint64_t Count);
  void send();
  /// @}

  std::mutex Mutex; ///< Guards what follows.
  OutputFile File;
  std::string OwnPath;
  std::string Waiting; ///< Records that are appended next, together.
  std::unordered_map<std::string, unsigned> Texts;
  std::unordered_map<std::string, unsigned> Shapes; ///< By their fields.
  std::map<std::pair<RecordType, std::string>, uint64_t> Counts;
};

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_RECORDING_RECORDINGWRITER_H
