//===-- RecordingWriter.h - recording to file -------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes the events of a run, one record per event, as they happen. Each is in
// the file at once, with the shape that it is the first to need, so
// a program that crashes leaves every record that was complete (Records.h).
// The writer lives inside foreign programs: it throws nothing, never ends the
// process, and after a failed write it stays silent. Any thread may call it.
//
// A recording is a file of records (Records.h), in the order of what happened.
// What crashed leaves no End.
//
//     Shape       Launch::listFields(); the others name it by number, from 0
//     Device      name, capability
//     Allocation  Allocation::listFields(); by number, from 0, and variables by
//                 numbers of their own
//     Free        number of the allocation
//     Launch      shape; then, left out for one that did not fail and was not
//                 digested: whether it was digested, its error, changes
//     Late        1 at an end, 0 at a free, changes since the latest launch
//     Execution   shape, order, start, nanoseconds
//     Note        a text, how often so far: the largest count holds
//     Skipped     what a launch was left out by, or "freed", likewise
//     Failure     why nothing can be recorded
//     End         nothing
//
// Changes are a list of DigestChange.
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
  Shape = 1,
  Device,
  Allocation,
  Free,
  Launch,
  Late,
  Execution,
  Note,
  Skipped,
  Failure,
  End,
};

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
  bool open(const std::string &Path);
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
  unsigned shape(const Launch &Of);
  void send();
  /// @}

  std::mutex Mutex; ///< Guards what follows.
  int File = -1;
  std::string OwnPath;
  std::string Waiting; ///< Records that are appended next, together.
  std::unordered_map<std::string, unsigned> Shapes; ///< By their fields.
  std::map<std::pair<RecordType, std::string>, uint64_t> Counts;
};

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_RECORDING_RECORDINGWRITER_H
