//===-- Request.h - what a run under the recorder is for --------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The verifier asks, the recorder does. BANKSTRIPE_REQUEST names a file with
// one JSON object that has the fields of RecordRequest, by their names.
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_RECORDING_REQUEST_H
#define BANKSTRIPE_RECORDING_REQUEST_H

#include "recording/Recording.h"
#include <limits>
#include <string_view>
#include <unordered_map>

namespace bankstripe::runtime {

/// The environment variable that names the file.
inline constexpr char RequestVariable[] = "BANKSTRIPE_REQUEST";

/// What a recording holds besides the launches themselves.
enum class RecordingMode {
  Digest, ///< Digests of device memory after each launch, no durations.
  Time,   ///< Durations of the kernels, no digests.
  Survey, ///< Both, and captures of launches that may matter.
};

/// Launches by their numbers in the program, of which some are digested: all
/// when they are at most Parts, else as many that are evenly spread and end
/// with the last one. What is freed between them is digested as well.
struct LaunchSpan {
  unsigned First = 0, Last = 0;
  unsigned Parts = std::numeric_limits<unsigned>::max();
  bool holds(unsigned Launch) const {
    return First <= Launch && Launch <= Last;
  }
  /// Whether the launch is one of these.
  bool digests(unsigned Launch) const;
};

/// Which launches are followed by digests: a function of the sequence of
/// launches alone, so that two programs that launch the same are digested at
/// the same moments.
struct DigestRule {
  static constexpr uint64_t All = std::numeric_limits<uint64_t>::max();

  /// Of each kernel so many launches, and then those whose number is a power of
  /// two. They count from 0; with 0, none.
  uint64_t First = All;
  /// Only of these kernels (canonical names); empty: of all.
  std::vector<std::string> Kernels;
  /// Likewise: launches after which what is freed is digested.
  uint64_t FirstFrees = All;
  std::vector<LaunchSpan> Spans; ///< In any case.
  std::optional<unsigned> Until; ///< None behind this launch.

  /// No launch, and nothing that is freed.
  static DigestRule none() {
    DigestRule Rule;
    Rule.First = Rule.FirstFrees = 0;
    return Rule;
  }
};

/// Bytes of one allocation after one launch, for a file of their own: that of
/// the recording with ".bytes" behind it.
struct WantedBytes {
  unsigned Launch = 0;
  bool IsVariable = false;
  unsigned Allocation = 0;
  uint64_t Begin = 0, End = 0; ///< Not empty.
};

/// What a survey captures: files FOLDER/KERNEL-NUMBER, by the kernel's place in
/// the list and the launch's number among those of the kernel, from 0.
struct WantedSurvey {
  std::string Folder;
  std::vector<std::string> Kernels; ///< By kernelName().
  /// How many bytes of memory there may be for one launch, and for all.
  uint64_t MostBytes = 0;
  /// Memory is read and not written: for times like those of a run that did.
  bool Discards = false;
};

struct RecordRequest {
  std::string Recording; ///< The file to write.
  RecordingMode Mode = RecordingMode::Digest;
  DigestRule Digests;
  std::optional<WantedBytes> Bytes;
  WantedSurvey Survey;
};

std::string printRequest(const RecordRequest &Request);

/// Reads a request. What comes before a fault is there, so that the recording
/// can tell of it.
///
/// \returns what is wrong; empty when nothing is.
std::string parseRequest(const std::string &Text, RecordRequest &Into);

/// Applies a rule to launch after launch. Never digested after are the kernels
/// of NCCL: each waits for others, on other devices, which are not launched
/// while the recorder waits.
class Selection {
public:
  explicit Selection(DigestRule Of) : Rule(std::move(Of)) {}

  /// What is known of a kernel; it stays where it is.
  struct Kernel {
    bool IsMeant = false; ///< By the rule.
    bool IsCollective = false;
    uint64_t Launches = 0;
  };
  /// The kernel of this symbol; the same one for every spelling of its
  /// canonical name.
  Kernel &kernel(const std::string &Symbol);

  /// Decides on the next launch, of number \p Index.
  ///
  /// \returns nothing when it is digested, else what is against it, as it
  /// stands in a recording: "rule" or "collective".
  std::string_view launch(unsigned Index, Kernel &Of);

  /// Decides whether to digest memory that goes before the next launch.
  bool digestsFrees() const;

private:
  DigestRule Rule;
  std::unordered_map<std::string, Kernel> Kernels; ///< By canonical name.
  unsigned Latest = 0;         ///< The number of the latest launch,
  uint64_t LatestOfKernel = 0; ///< and among those of its kernel.
};

/// Of one kernel: docs/internals/recorder.md, "Captures". Where there are many,
/// one goes: of the size that has most the shortest but the latest one. What is
/// left has the long ones, and some of each phase.
class CaptureChoice {
public:
  /// Captures that are there at a time.
  static constexpr size_t Most = 8;

  /// Counts a launch of this size. \returns whether it is to be captured.
  bool wants(const LaunchSize &Of);

  /// The launch \p Number was captured, and took so long.
  ///
  /// \returns the number of the one that is to go, if one is.
  std::optional<uint64_t> captured(uint64_t Number, const LaunchSize &Of,
                                   double Seconds);

private:
  struct Kept {
    uint64_t Number = 0;
    LaunchSize Size;
    double Seconds = 0;
  };

  std::map<LaunchSize, uint64_t> Launches;
  std::vector<Kept> All; ///< In the order of their launches.
};

} // namespace bankstripe::runtime

#endif // BANKSTRIPE_RECORDING_REQUEST_H
