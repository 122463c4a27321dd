//===-- RecordingTest.cpp - writing and reading recordings -----------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "recording/Recording.h"
#include "Programs.h"
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <sys/wait.h>
#include <unistd.h>

using namespace bankstripe;
using namespace bankstripe::runtime;
namespace fs = std::filesystem;

namespace {

class RecordingInAFile : public testing::Test {
protected:
  void SetUp() override {
    std::string Pattern = testing::TempDir() + "recording-XXXXXX";
    ASSERT_TRUE(mkdtemp(Pattern.data()));
    Folder = Pattern;
    Path = Folder + "/recording";
  }
  void TearDown() override { fs::remove_all(Folder); }

  Recording read() {
    auto Result = readRecording(Path);
    if (auto *Error = std::get_if<ReadError>(&Result)) {
      ADD_FAILURE() << Error->Message;
      return {};
    }
    return std::get<Recording>(Result);
  }

  std::string problem() {
    auto Result = readRecording(Path);
    auto *Error = std::get_if<ReadError>(&Result);
    return Error ? Error->Message : "";
  }

  void write(const std::string &Bytes) {
    std::ofstream(Path, std::ios::binary) << Bytes;
  }

  // Returns the bytes of a recording of threeLaunches().
  std::string writeThreeLaunches() {
    const Recording From = threeLaunches();
    {
      RecordingWriter Writer;
      EXPECT_TRUE(Writer.open(Path));
      Writer.allocation(From.Allocations[0]);
      for (const Launch &L : From.Launches)
        Writer.launch(L);
      Writer.end();
    }
    std::ifstream Input(Path, std::ios::binary);
    return {std::istreambuf_iterator<char>(Input), {}};
  }

  std::string Folder, Path;
};

const size_t HeaderBytes = RecordingFile.header().size();

std::string record(RecordType Type, const ByteWriter &Fields) {
  const std::string Record = static_cast<char>(Type) + Fields.Out;
  const uint32_t Checksum = recordChecksum(Record);
  return ByteWriter().text(Record).Out +
         std::string(reinterpret_cast<const char *>(&Checksum), ChecksumBytes);
}

} // namespace

TEST_F(RecordingInAFile, DigestsSurviveTheRoundTrip) {
  Recording Written = threeLaunches();
  {
    RecordingWriter Writer;
    ASSERT_TRUE(Writer.open(Path));
    Writer.device("NVIDIA \"H\" \xff", "9.0");
    Writer.allocation(Written.Allocations[0]);
    Allocation Table;
    Table.IsVariable = true;
    Table.Kind = "variable";
    Table.Name = "table";
    Table.Bytes = 12;
    Table.ChunkBytes = 256;
    Writer.allocation(Table);
    Launch &L = Written.Launches[0];
    L.Takes = {40, 1024, 128};
    L.DynamicSharedBytes = 77;
    L.Thread = 2;
    L.Device = 1;
    L.Grid = {4294967295u, 2, 3};
    changes(L, 0, 0, {~0ull}, /*IsVariable=*/true);
    Writer.launch(L);
    Writer.free(0);
    Launch Failed;
    Failed.Index = 1;
    Failed.Kernel = "k";
    Failed.Error = "CUDA_ERROR_LAUNCH_FAILED";
    Writer.launch(Failed);
    Writer.end();
  }
  const Recording R = read();
  EXPECT_TRUE(R.Complete);
  EXPECT_EQ(R.Capability, "9.0");
  EXPECT_TRUE(R.Device.starts_with("NVIDIA \"H\" ")) << R.Device;
  ASSERT_EQ(R.Allocations.size(), 1u);
  EXPECT_EQ(R.Allocations[0].Bytes, 1000u);
  EXPECT_EQ(R.Allocations[0].Kind, "device");
  EXPECT_EQ(R.Allocations[0].MadeBefore, 0u);
  EXPECT_EQ(R.Allocations[0].FreedBefore, 1u);
  ASSERT_EQ(R.Variables.size(), 1u);
  EXPECT_EQ(R.Variables[0].Name, "table");
  ASSERT_EQ(R.Launches.size(), 2u);
  const Launch &L = R.Launches[0];
  EXPECT_EQ(L.Kernel, "fill(int*)");
  EXPECT_EQ(L.Grid, (Extent{4294967295u, 2, 3}));
  EXPECT_EQ(L.Takes, (Resources{40, 1024, 128}));
  EXPECT_EQ(L.DynamicSharedBytes, 77u);
  EXPECT_EQ(L.Thread, 2u);
  EXPECT_EQ(L.Device, 1u);
  EXPECT_TRUE(L.Digested);
  ASSERT_EQ(L.Changes.size(), 2u);
  EXPECT_EQ(L.Changes[0].Ranges[0].Digests,
            (std::vector<uint64_t>{1, 2, 3, 4}));
  EXPECT_TRUE(L.Changes[1].IsVariable);
  EXPECT_EQ(L.Changes[1].Ranges[0].Digests, std::vector<uint64_t>{~0ull});
  EXPECT_EQ(R.Launches[1].Error, "CUDA_ERROR_LAUNCH_FAILED");
  EXPECT_FALSE(R.Launches[1].Digested);
}

TEST_F(RecordingInAFile, LateDigestsBelongToTheLatestLaunch) {
  Recording Written = threeLaunches();
  {
    RecordingWriter Writer;
    ASSERT_TRUE(Writer.open(Path));
    Writer.allocation(Written.Allocations[0]);
    Launch &L = Written.Launches[0];
    L.Digested = false;
    Writer.launch(L);
    Writer.skipped("sample");
    Writer.late(/*AtEnd=*/false, L.Changes);
    Writer.free(0);
    Written.Launches[1].Digested = false;
    Writer.launch(Written.Launches[1]);
    Writer.late(/*AtEnd=*/true, {});
    Writer.end();
  }
  const Recording R = read();
  ASSERT_EQ(R.Launches.size(), 2u);
  EXPECT_FALSE(R.Launches[0].Digested);
  EXPECT_TRUE(R.Launches[0].DigestedBeforeFree);
  EXPECT_FALSE(R.Launches[0].DigestedAtEnd);
  ASSERT_EQ(R.Launches[0].Changes.size(), 1u);
  EXPECT_EQ(R.Launches[0].Changes[0].Ranges[0].Digests.size(), 4u);
  EXPECT_TRUE(R.Launches[1].DigestedAtEnd);
  EXPECT_TRUE(R.Launches[1].hasDigests());
  EXPECT_EQ(R.Skipped.at("sample"), 1u);
  EXPECT_TRUE(R.Notes.empty());
}

TEST_F(RecordingInAFile, ExecutionsAreSortedIntoLaunchOrder) {
  {
    RecordingWriter Writer;
    ASSERT_TRUE(Writer.open(Path));
    Launch L;
    L.Kernel = "second";
    Writer.execution(L, 9, 1000, 1500);
    L.Kernel = "first";
    Writer.execution(L, 2, 4000, 4250);
    Writer.flush();
  }
  const Recording R = read();
  EXPECT_FALSE(R.Complete);
  EXPECT_TRUE(R.Launches.empty());
  ASSERT_EQ(R.Executions.size(), 2u);
  EXPECT_EQ(R.Executions[0].Kernel, "first");
  EXPECT_EQ(R.Executions[0].Nanoseconds, 250);
  EXPECT_EQ(R.Executions[1].Index, 1u);
}

TEST_F(RecordingInAFile, NotesAreCountedAndFailuresKept) {
  {
    RecordingWriter Writer;
    ASSERT_TRUE(Writer.open(Path));
    for (int I = 0; I < 1000; ++I)
      Writer.note("arrays, not digested");
    Writer.failure("CUPTI says no");
    Writer.end();
  }
  const Recording R = read();
  EXPECT_EQ(R.Notes.at("arrays, not digested"), 1000u);
  EXPECT_EQ(R.Failure, "CUPTI says no");
  EXPECT_LT(fs::file_size(Path), 2000u);
}

TEST_F(RecordingInAFile, FurtherProcessWritesAFileOfItsOwn) {
  RecordingWriter First, Second;
  ASSERT_TRUE(First.open(Path));
  ASSERT_TRUE(Second.open(Path));
  Second.failure("the second process");
  EXPECT_EQ(read().Failure, "");
  EXPECT_TRUE(fs::exists(Path + "." + std::to_string(::getpid())));
}

TEST_F(RecordingInAFile, WriterWithoutAFileIsSilent) {
  RecordingWriter Writer;
  EXPECT_FALSE(Writer.open(Folder + "/none/recording"));
  Writer.note("nothing");
  Writer.end();
}

TEST_F(RecordingInAFile, KilledProcessLeavesWhatItRecorded) {
  const pid_t Child = ::fork();
  if (Child == 0) {
    RecordingWriter Writer;
    const Recording From = threeLaunches();
    Writer.open(Path);
    Writer.allocation(From.Allocations[0]);
    for (const Launch &L : From.Launches)
      Writer.launch(L);
    ::kill(::getpid(), SIGKILL);
  }
  ::waitpid(Child, nullptr, 0);
  const Recording R = read();
  EXPECT_EQ(R.Launches.size(), 3u);
  EXPECT_FALSE(R.Complete);
}

TEST_F(RecordingInAFile, RecordsOfAnySizeFollowEachOther) {
  // How many allocations change.
  const unsigned Counts[] = {1, 300, 1000, 3, 700, 0};
  {
    RecordingWriter Writer;
    ASSERT_TRUE(Writer.open(Path));
    Allocation A;
    A.Bytes = MaximumChunks;
    A.ChunkBytes = 1;
    for (A.Id = 0; A.Id < 1000; ++A.Id)
      Writer.allocation(A);
    for (const unsigned Count : Counts) {
      Launch L;
      L.Kernel = "kernel";
      L.Digested = true;
      for (unsigned Id = 0; Id < Count; ++Id)
        L.Changes.push_back(
            {Id, false, {{0, std::vector<uint64_t>(MaximumChunks, Id)}}});
      Writer.launch(L);
    }
    Writer.end();
    Writer.note("after the end");
  }
  const Recording R = read();
  ASSERT_EQ(R.Launches.size(), std::size(Counts));
  for (size_t I = 0; I < std::size(Counts); ++I) {
    ASSERT_EQ(R.Launches[I].Changes.size(), Counts[I]);
    for (const DigestChange &Change : R.Launches[I].Changes)
      EXPECT_EQ(Change.Ranges[0].Digests,
                std::vector<uint64_t>(MaximumChunks, Change.Allocation));
  }
  EXPECT_EQ(R.Notes.count("after the end"), 1u);
}

TEST_F(RecordingInAFile, WhatCannotBeReadSaysWhy) {
  EXPECT_TRUE(problem().starts_with("no recording was written"));
  fs::create_directory(Path);
  EXPECT_EQ(problem(), "it cannot be read: it is no regular file");
  fs::remove(Path);
  write("");
  EXPECT_EQ(problem(), "it is empty");
  for (const std::string Bad : {"\x7f"
                                "ELF\n",
                                "\x89"
                                "bankstripe\n",
                                "\x89"
                                "bankstripe capture\n\1"}) {
    write(Bad);
    EXPECT_EQ(problem(), "it is of another kind");
  }
  write(std::string(RecordingFile.Magic) + "\2");
  EXPECT_EQ(problem(), "it has version 2 of the format, known is 7");
}

TEST_F(RecordingInAFile, TruncationLeavesTheCompleteRecords) {
  const std::string Whole = writeThreeLaunches();
  size_t Launches = 0;
  for (size_t Size = HeaderBytes; Size < Whole.size(); ++Size) {
    write(Whole.substr(0, Size));
    const Recording R = read();
    EXPECT_FALSE(R.Complete) << Size;
    EXPECT_GE(R.Launches.size(), Launches) << Size;
    Launches = R.Launches.size();
    if (Launches > 0) {
      EXPECT_EQ(R.Launches[0].Changes[0].Ranges[0].Digests,
                (std::vector<uint64_t>{1, 2, 3, 4}));
    }
  }
  EXPECT_EQ(Launches, 3u);
  write(Whole);
  EXPECT_TRUE(read().Complete);
}

TEST_F(RecordingInAFile, ChangedByteIsNoticed) {
  const std::string Whole = writeThreeLaunches();
  unsigned Errors = 0;
  for (size_t At = HeaderBytes; At < Whole.size(); ++At) {
    std::string Changed = Whole;
    Changed[At] ^= 0x11;
    write(Changed);
    const std::string Problem = problem();
    Errors += !Problem.empty();
    // A length that points past the end looks like the end of a crash.
    if (Problem.empty()) {
      EXPECT_FALSE(read().Complete) << At;
    } else {
      EXPECT_TRUE(Problem.starts_with("the record at byte ")) << Problem;
    }
  }
  EXPECT_GT(Errors, Whole.size() * 9 / 10);
}

TEST_F(RecordingInAFile, ImpossibleRecordIsNamedByItsPlace) {
  const auto Problem = [&](const std::string &Bytes) {
    write(RecordingFile.header() + Bytes);
    return problem();
  };
  Allocation A;
  A.Bytes = 1000;
  A.ChunkBytes = 256;
  const std::string Start =
      record(RecordType::Shape, ByteWriter().fields(Launch())) +
      record(RecordType::Allocation, ByteWriter().fields(A));
  const auto Digested = [](unsigned First, uint64_t Chunks) {
    const std::vector<DigestChange> Changes = {
        {0, false, {{First, std::vector<uint64_t>(Chunks)}}}};
    return record(RecordType::Launch,
                  ByteWriter().fields(0, true, "", Changes));
  };
  const std::string At =
      "the record at byte " + std::to_string(HeaderBytes + Start.size()) + ": ";
  EXPECT_EQ(Problem(Start + Digested(0, 4)), "");
  const std::string Fault = At + "the fields are not those of its type";
  EXPECT_EQ(Problem(Start + Digested(1, 4)), Fault);
  EXPECT_EQ(Problem(Start + record(RecordType::Free, ByteWriter().number(1))),
            Fault);
  EXPECT_EQ(Problem(Start + record(RecordType::Launch, ByteWriter().number(1))),
            Fault);
  EXPECT_EQ(Problem(Start + record(RecordType::Free, ByteWriter())), Fault);
  EXPECT_EQ(Problem(Start + record(RecordType::End, ByteWriter().number(0))),
            Fault);
  EXPECT_EQ(Problem(Start + record(static_cast<RecordType>(99), {})), Fault);
  EXPECT_EQ(Problem(Start + std::string(12, '\0') + '\1'),
            At + "it is damaged");
}

// The figure in measurements/2026-11-22-cost-of-recording.md rests on this.
TEST_F(RecordingInAFile, LaunchWithoutDigestsTakesFewBytes) {
  const auto BytesOf = [this](int Launches) {
    fs::remove(Path);
    RecordingWriter Writer;
    EXPECT_TRUE(Writer.open(Path));
    Launch L;
    L.Kernel = "_Z4stepPi";
    for (int I = 0; I < Launches; ++I)
      Writer.launch(L);
    Writer.end();
    return fs::file_size(Path);
  };
  EXPECT_EQ(BytesOf(101), BytesOf(1) + 100 * 7);
}

TEST(Bytes, NumbersOfAnySize) {
  for (const uint64_t Value : {0ull, 1ull, 127ull, 128ull, 16383ull, 16384ull,
                               1ull << 32, 1ull << 63, ~0ull}) {
    const std::string Bytes = ByteWriter().number(Value).Out;
    ByteReader From(Bytes);
    EXPECT_EQ(From.number<uint64_t>(), Value);
    EXPECT_TRUE(From.finished());
    ByteReader Short(std::string_view(Bytes).substr(0, Bytes.size() - 1));
    Short.number<uint64_t>();
    EXPECT_TRUE(Short.failed());
    ByteReader Narrow(Bytes);
    Narrow.number<unsigned>();
    EXPECT_EQ(Narrow.failed(), Value > ~0u) << Value;
  }
  ByteReader TooLarge("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02");
  TooLarge.number<uint64_t>();
  EXPECT_TRUE(TooLarge.failed());
}

TEST(CanonicalName, DemanglesAndDropsHashesOfTheFile) {
  EXPECT_EQ(canonicalName("_Z4fillPi"), "fill(int*)");
  EXPECT_EQ(canonicalName("plain_c_kernel"), "plain_c_kernel");
  EXPECT_EQ(canonicalName("f"), "f"); // Not the type `float`.
  EXPECT_EQ(canonicalName("_ZN36_GLOBAL__N__5b2313b8_4_a_cu__Z3usePi4anonEPi"),
            "(anonymous namespace)::anon(int*)");
  EXPECT_EQ(canonicalName("__nv_static_25__5b2313b8_4_a_cu__Z3usePi__Z2k3Pi"),
            "k3(int*)");
  EXPECT_EQ(canonicalName("_ZN34_INTERNAL_5b2313b8_4_a_cu__Z3usePi36_GLOBAL__N_"
                          "_5b2313b8_4_a_cu__Z3usePi6inanonE"),
            "(anonymous namespace)::inanon");
  EXPECT_EQ(canonicalName("__nv_static_99_short"), "__nv_static_99_short");
}

// Linked device code may have one static variable of each file, in any folder.
TEST(CanonicalName, OfSeveralFilesIsToldApart) {
  const std::string Cosine = "_ZZN39_INTERNAL_5bef6dc1_9_cosine_cu_"
                             "c408033a23Chebyshev_Expansion_0_1EdE1c",
                    Sine = "_ZZN37_INTERNAL_71e976c0_7_sine_cu_"
                           "ec9cb0d523Chebyshev_Expansion_0_1EdE1c";
  EXPECT_EQ(canonicalName(Cosine), canonicalName(Sine));
  EXPECT_FALSE(mayBeOfOneFile(Cosine, Sine));
  EXPECT_TRUE(mayBeOfOneFile(Cosine, "_ZZN39_INTERNAL_66419f7a_9_cosine_cu_"
                                     "c408033a23Chebyshev_Expansion_0_1EdE1c"));
  const std::string Static = "__nv_static_22__cddf5935_4_s_cu__Z1kv_hid";
  EXPECT_FALSE(
      mayBeOfOneFile(Static, "__nv_static_22__0ddf5935_4_t_cu__Z1kv_hid"));
  EXPECT_TRUE(
      mayBeOfOneFile(Static, "__nv_static_22__0ddf5935_4_s_cu__Z1kv_hid"));
  // A file that is compiled alone gives no such name.
  EXPECT_TRUE(mayBeOfOneFile(Static, "hid"));
  for (const char *Cut : {"__nv_static_", "__nv_static_2", "_INTERNAL_5b",
                          "_INTERNAL_5bef6dc1_", "_INTERNAL_5bef6dc1_99_a"})
    EXPECT_TRUE(mayBeOfOneFile(Cut, "hid")) << Cut;
}

TEST(KernelName, OfAVersionIsThatOfTheOriginal) {
  EXPECT_EQ(kernelName("_Z12fill_stripedPi"), "fill(int*)");
  EXPECT_EQ(kernelName("_ZN4work12sums_stripedIiLi3EEEvPT_"),
            "void work::sums<int, 3>(int*)");
  EXPECT_EQ(kernelName("_ZN12_GLOBAL__N_112fill_stripedEPi"),
            "(anonymous namespace)::fill(int*)");
  EXPECT_EQ(kernelName("_Z13striped_arrayPi"), "striped_array(int*)");
}
