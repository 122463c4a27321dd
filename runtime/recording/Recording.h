//===-- Recording.h - what one run of a program did on the GPU --*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the recorder writes while a program runs and the verifier reads: a file
// of records (Records.h), in the order of what happened. What crashed leaves no
// End.
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

#ifndef BANKSTRIPE_RECORDING_RECORDING_H
#define BANKSTRIPE_RECORDING_RECORDING_H

#include "contract/Symbols.h"
#include "recording/Records.h"
#include <compare>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

namespace bankstripe::runtime {

/// The version of the file format. A reader takes no other.
constexpr unsigned RecordingVersion = 7;

/// A grid or a block: its extents in x, y and z.
struct Extent {
  unsigned X = 1, Y = 1, Z = 1;
  auto operator<=>(const Extent &) const = default;
  /// "16 x 1 x 1"
  std::string text() const {
    return std::to_string(X) + " x " + std::to_string(Y) + " x " +
           std::to_string(Z);
  }
  static void listFields(auto &Visitor, auto &Value) {
    Visitor.fields(Value.X, Value.Y, Value.Z);
  }
};

/// Grid and block.
using LaunchSize = std::pair<Extent, Extent>;

/// A piece of device memory that kernels can write.
struct Allocation {
  unsigned Id = 0;         ///< Position in the order of allocations, from 0;
                           ///< variables have a numbering of their own.
  bool IsVariable = false; ///< A `__device__` variable.
  std::string Kind;        ///< "device", "pitch", "managed", "async", "pool",
                           ///< "virtual", "pinned", "registered", "variable".
  std::string Name;        ///< Of a variable, likewise a symbol first.
  uint64_t Bytes = 0;
  uint64_t ChunkBytes = 0; ///< Bytes that one digest covers.
  unsigned Device = 0;     ///< Number of the device that it belongs to.
  unsigned MadeBefore = 0; ///< Index of the first launch that can see it.
  /// Index of the first launch that no longer sees it; none while it lives.
  std::optional<unsigned> FreedBefore;
  /// All but what follows from the order of the records.
  static void listFields(auto &Visitor, auto &Value) {
    Visitor.fields(Value.IsVariable, Value.Kind, Value.Name, Value.Bytes,
                   Value.ChunkBytes, Value.Device);
  }
};

/// The digests of consecutive chunks.
struct ChunkRange {
  uint64_t First = 0; ///< Number of the first chunk.
  std::vector<uint64_t> Digests;
  static void listFields(auto &Visitor, auto &Value) {
    Visitor.fields(Value.First, Value.Digests);
  }
};

/// The chunks of one allocation whose digests are not what they were when it
/// was digested before. The first time an allocation is seen, all of them.
struct DigestChange {
  unsigned Allocation = 0;
  bool IsVariable = false;
  std::vector<ChunkRange> Ranges;
  static void listFields(auto &Visitor, auto &Value) {
    Visitor.fields(Value.Allocation, Value.IsVariable, Value.Ranges);
  }
};

/// What the driver says a kernel takes, per thread or per block.
struct Resources {
  unsigned Registers = 0;         ///< Per thread.
  unsigned StaticSharedBytes = 0; ///< Per block.
  unsigned LocalBytes = 0;        ///< Per thread: the stack frame.
  bool operator==(const Resources &) const = default;
};

/// A text that very many launches have in common, and is there once.
class SharedText {
public:
  SharedText() = default;
  SharedText(std::string Of)
      : Text(Of.empty() ? nullptr
                        : std::make_shared<const std::string>(std::move(Of))) {}
  SharedText(const char *Of) : SharedText(std::string(Of)) {}

  const std::string &text() const {
    static const std::string None;
    return Text ? *Text : None;
  }
  operator const std::string &() const { return text(); }
  bool empty() const { return !Text; }
  friend bool operator==(const SharedText &One, const SharedText &Other) {
    return One.Text == Other.Text || One.text() == Other.text();
  }

private:
  std::shared_ptr<const std::string> Text; ///< Not empty.
};

/// One launch of a kernel, or of a graph as a whole.
struct Launch {
  unsigned Index = 0; ///< Position in the order of launches, from 0.
  /// Symbol of the kernel, or "graph"; once it was read, its kernelName().
  SharedText Kernel;
  Extent Grid, Block;
  Resources Takes;
  unsigned DynamicSharedBytes = 0;
  unsigned Thread = 0;   ///< Of the host, numbered as first seen launching.
  unsigned Device = 0;   ///< Number of the device; not of an execution.
  SharedText Error;      ///< Name of the launch's error; empty without one.
  bool Digested = false; ///< After the launch itself.
  /// Digested later, before the next launch: memory that was freed there, or
  /// what was left at the end of a context or the program. With Digested only
  /// for memory of another device.
  bool DigestedBeforeFree = false, DigestedAtEnd = false;
  bool hasDigests() const {
    return Digested || DigestedBeforeFree || DigestedAtEnd;
  }
  /// What a recording holds once for all launches that are alike.
  static void listFields(auto &Visitor, auto &Value) {
    Visitor.fields(Value.Kernel, Value.Grid, Value.Block, Value.Takes.Registers,
                   Value.Takes.StaticSharedBytes, Value.Takes.LocalBytes,
                   Value.DynamicSharedBytes, Value.Thread, Value.Device);
  }
  /// What is new since the digests before, found at any of these moments.
  std::vector<DigestChange> Changes;
  double Nanoseconds = 0; ///< Duration on the GPU, of an execution.
};

/// Everything that one run of a program left behind.
struct Recording {
  std::string Device;     ///< Name of the first GPU that was used.
  std::string Capability; ///< Its compute capability, "9.0".
  std::vector<Allocation> Allocations;
  std::vector<Allocation> Variables;
  // There may be millions.
  std::deque<Launch> Launches; ///< As the program asked for them.
  /// What the GPU ran, in the order of the launches. Kernels that a graph
  /// launches stand here one by one.
  std::deque<Launch> Executions;
  /// What could not be recorded, and how often that was met.
  std::map<std::string, uint64_t> Notes;
  /// Launches without digests, by what left them out: "rule"; as "collective",
  /// those of kernels that wait for others; and, as "freed", the
  /// allocations that went without a digest after their last launch.
  std::map<std::string, uint64_t> Skipped;
  std::string Failure;   ///< Why nothing could be recorded; else empty.
  bool Complete = false; ///< The program came to an orderly end.
};

/// What the note begins with that says why there is no capture of a launch that
/// was to be captured (recording/Capture.h).
inline constexpr char NoCaptureNote[] = "no capture: ";

/// The note of a program that asks how many blocks are resident. The numbers of
/// its blocks may follow.
inline constexpr char OccupancyNote[] = "occupancy queries";

/// Why a file could not be read; starts in lower case.
struct ReadError {
  std::string Message;
};

/// Reads the recording in the file \p Path.
///
/// A last record that was cut off by a crash is left out, and the recording is
/// then not Complete. Any other that does not follow the format is an error: a
/// recording that is half understood could hide a difference.
std::variant<Recording, ReadError> readRecording(const std::string &Path);

// Writing one

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

/// Writes the events of a run, one record per event, as they happen. Each is in
/// the file at once, with the shape that it is the first to need, so a program
/// that crashes leaves every record that was complete (Records.h). The writer
/// lives inside foreign programs: it throws nothing, never ends the process,
/// and after a failed write it stays silent. Any thread may call it.
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

  void device(const std::string &Name, const std::string &Capability) {
    write(RecordType::Device, Name, Capability);
  }
  /// Announces an allocation; Id, MadeBefore and FreedBefore do not count.
  void allocation(const Allocation &A) { write(RecordType::Allocation, A); }
  /// The allocation \p Id is gone from here on.
  void free(unsigned Id) { write(RecordType::Free, Id); }
  /// A launch with its digests; they count from 0.
  void launch(const Launch &L);
  /// Digests that the latest launch left, taken before something goes.
  ///
  /// \param AtEnd of a context or the program, not at a free.
  void late(bool AtEnd, const std::vector<DigestChange> &Changes) {
    write(RecordType::Late, AtEnd, Changes);
  }
  /// A kernel's execution.
  ///
  /// \param Order puts executions into the order of their launches.
  /// \param Start,End in nanoseconds of a clock of the GPU's.
  void execution(const Launch &L, uint64_t Order, uint64_t Start, uint64_t End);
  /// Writes the executions that were told, which come in thousands.
  void flush();
  /// Counts something that cannot be recorded. The file learns of it when the
  /// count reaches a power of two, and from end().
  void note(const std::string &Text) { count(RecordType::Note, Text); }
  /// Counts something that was left out, likewise.
  void skipped(const std::string &Reason) {
    count(RecordType::Skipped, Reason);
  }
  /// Nothing can be recorded.
  void failure(const std::string &Message) {
    write(RecordType::Failure, Message);
  }
  /// The program came to an orderly end. Events may still follow: destructors
  /// of the program's run after this.
  void end();

private:
  void count(RecordType Type, const std::string &Text);
  template <class... Values>
  void write(RecordType Type, const Values &...Fields) {
    const std::lock_guard Lock(Mutex);
    add(Type, ByteWriter().fields(Fields...));
    send();
  }
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

#endif // BANKSTRIPE_RECORDING_RECORDING_H
