//===-- RecordingTest.cpp - writing and reading recordings -----------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Programs.h"
#include "recording/RecordingReader.h"
#include "recording/RecordingWriter.h"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <unistd.h>

using namespace bankstripe::runtime;
namespace fs = std::filesystem;

namespace {

class RecordingFile : public testing::Test {
protected:
  void SetUp() override {
    std::string Pattern = testing::TempDir() + "recording-XXXXXX";
    ASSERT_TRUE(mkdtemp(Pattern.data()));
    Folder = Pattern;
    Path = Folder + "/recording";
  }
  void TearDown() override { fs::remove_all(Folder); }

  Recording read() {
    auto Result = readRecordingFile(Path);
    if (auto *Error = std::get_if<ReadError>(&Result)) {
      ADD_FAILURE() << Error->Message;
      return {};
    }
    return std::get<Recording>(Result);
  }

  std::string Folder, Path;
};

std::string readProblem(const std::string &Text) {
  std::istringstream Input(Text);
  auto Result = readRecording(Input);
  auto *Error = std::get_if<ReadError>(&Result);
  return Error ? Error->Message : "";
}

const std::string Header = "{\"bankstripe-recording\":1,\"mode\":\"digest\"}\n";
const std::string Memory = "{\"type\":\"allocation\",\"id\":0,\"kind\":"
                           "\"device\",\"bytes\":1000,\"chunk\":256}\n";
const std::string LaunchStart =
    "{\"type\":\"launch\",\"index\":0,\"kernel\":\"k\",\"grid\":[1,1,1],"
    "\"block\":[32,1,1],\"registers\":1,\"static-shared\":0,"
    "\"dynamic-shared\":0,\"local\":0,\"stream\":0,\"thread\":0";

} // namespace

TEST_F(RecordingFile, DigestsSurviveTheRoundTrip) {
  Recording Written = threeLaunches();
  {
    RecordingWriter Writer;
    ASSERT_TRUE(Writer.open(Path, RecordingMode::Digest));
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
    L.Stream = 3;
    L.Thread = 2;
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
  EXPECT_EQ(R.Mode, RecordingMode::Digest);
  EXPECT_EQ(R.Capability, "9.0");
  EXPECT_TRUE(R.Device.starts_with("NVIDIA \"H\" ")) << R.Device;
  ASSERT_EQ(R.Allocations.size(), 1u);
  EXPECT_EQ(R.Allocations[0].Bytes, 1000u);
  EXPECT_EQ(R.Allocations[0].MadeBefore, 0u);
  EXPECT_EQ(R.Allocations[0].FreedBefore, 1u);
  ASSERT_EQ(R.Variables.size(), 1u);
  EXPECT_EQ(R.Variables[0].Name, "table");
  ASSERT_EQ(R.Launches.size(), 2u);
  const Launch &L = R.Launches[0];
  EXPECT_EQ(L.Kernel, "_Z4fillPi");
  EXPECT_EQ(L.Grid, (Extent{4294967295u, 2, 3}));
  EXPECT_EQ(L.Takes, (Resources{40, 1024, 128}));
  EXPECT_EQ(L.DynamicSharedBytes, 77u);
  EXPECT_EQ(L.Stream, 3u);
  EXPECT_EQ(L.Thread, 2u);
  EXPECT_TRUE(L.Digested);
  ASSERT_EQ(L.Changes.size(), 2u);
  EXPECT_EQ(L.Changes[0].Runs[0].Digests, (std::vector<uint64_t>{1, 2, 3, 4}));
  EXPECT_TRUE(L.Changes[1].IsVariable);
  EXPECT_EQ(L.Changes[1].Runs[0].Digests, std::vector<uint64_t>{~0ull});
  EXPECT_EQ(R.Launches[1].Error, "CUDA_ERROR_LAUNCH_FAILED");
  EXPECT_FALSE(R.Launches[1].Digested);
}

TEST_F(RecordingFile, LateDigestsBelongToTheLatestLaunch) {
  Recording Written = threeLaunches();
  {
    RecordingWriter Writer;
    ASSERT_TRUE(Writer.open(Path, RecordingMode::Digest));
    Writer.allocation(Written.Allocations[0]);
    Launch &L = Written.Launches[0];
    L.Digested = false;
    Writer.launch(L);
    Writer.skipped("sample");
    Writer.late(0, /*AtEnd=*/false, L.Changes);
    Writer.free(0);
    Written.Launches[1].Digested = false;
    Writer.launch(Written.Launches[1]);
    Writer.late(1, /*AtEnd=*/true, {});
    Writer.end();
  }
  const Recording R = read();
  ASSERT_EQ(R.Launches.size(), 2u);
  EXPECT_FALSE(R.Launches[0].Digested);
  EXPECT_TRUE(R.Launches[0].DigestedBeforeFree);
  EXPECT_FALSE(R.Launches[0].DigestedAtEnd);
  ASSERT_EQ(R.Launches[0].Changes.size(), 1u);
  EXPECT_EQ(R.Launches[0].Changes[0].Runs[0].Digests.size(), 4u);
  EXPECT_TRUE(R.Launches[1].DigestedAtEnd);
  EXPECT_TRUE(R.Launches[1].hasDigests());
  EXPECT_EQ(R.Skipped.at("sample"), 1u);
  EXPECT_TRUE(R.Notes.empty());
}

TEST_F(RecordingFile, ExecutionsAreSortedIntoLaunchOrder) {
  {
    RecordingWriter Writer;
    ASSERT_TRUE(Writer.open(Path, RecordingMode::Time));
    Launch L;
    L.Kernel = "second";
    Writer.execution(L, 9, 1000, 1500);
    L.Kernel = "first";
    Writer.execution(L, 2, 4000, 4250);
  }
  const Recording R = read();
  EXPECT_EQ(R.Mode, RecordingMode::Time);
  EXPECT_FALSE(R.Complete);
  ASSERT_EQ(R.Launches.size(), 2u);
  EXPECT_EQ(R.Launches[0].Kernel, "first");
  EXPECT_EQ(R.Launches[0].Nanoseconds, 250);
  EXPECT_EQ(R.Launches[1].Index, 1u);
}

TEST_F(RecordingFile, NotesAreCountedAndFailuresKept) {
  {
    RecordingWriter Writer;
    ASSERT_TRUE(Writer.open(Path, RecordingMode::Digest));
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

TEST_F(RecordingFile, FurtherProcessWritesAFileOfItsOwn) {
  RecordingWriter First, Second;
  ASSERT_TRUE(First.open(Path, RecordingMode::Digest));
  ASSERT_TRUE(Second.open(Path, RecordingMode::Digest));
  Second.failure("the second process");
  EXPECT_EQ(read().Failure, "");
  EXPECT_TRUE(fs::exists(Path + "." + std::to_string(::getpid())));
}

TEST_F(RecordingFile, WriterWithoutAFileIsSilent) {
  RecordingWriter Writer;
  EXPECT_FALSE(Writer.open(Folder + "/none/recording", RecordingMode::Time));
  Writer.note("nothing");
  Writer.end();
}

TEST_F(RecordingFile, LineCutOffByACrashIsLeftOut) {
  std::ofstream(Path) << Header << Memory << LaunchStart << "}\n"
                      << LaunchStart.substr(0, 40);
  const Recording R = read();
  EXPECT_EQ(R.Launches.size(), 1u);
  EXPECT_FALSE(R.Complete);
}

TEST(RecordingReader, MissingAndEmptyFiles) {
  auto Result = readRecordingFile("/nonexistent/recording");
  ASSERT_TRUE(std::holds_alternative<ReadError>(Result));
  EXPECT_EQ(readProblem(""), "the recording is empty");
}

TEST(RecordingReader, RejectsWhatIsNoRecording) {
  EXPECT_EQ(readProblem("\x7f"
                        "ELF\n"),
            "line 1: not JSON");
  EXPECT_EQ(readProblem("[1]\n"), "line 1: not a recording of bankstripe's");
  EXPECT_NE(readProblem("{\"bankstripe-recording\":2,\"mode\":\"digest\"}\n")
                .find("version 2"),
            std::string::npos);
  EXPECT_EQ(readProblem("{\"bankstripe-recording\":1,\"mode\":\"x\"}\n"),
            "line 1: unknown mode 'x'");
}

TEST(RecordingReader, NamesTheBrokenLine) {
  EXPECT_EQ(readProblem(Header + Memory + "garbage\n"), "line 3: not JSON");
  EXPECT_EQ(readProblem(Header + "{\"type\":\"future\"}\n"),
            "line 2: unknown type 'future'");
  EXPECT_EQ(readProblem(Header + "{\"type\":\"launch\",\"index\":0}\n"),
            "line 2: no text 'kernel'");
  EXPECT_EQ(readProblem(Header + "{\"type\":\"free\",\"id\":0}\n"),
            "line 2: allocation 0 is freed without being live");
  EXPECT_EQ(readProblem(Header + Memory + Memory),
            "line 3: allocation 0 is out of order");
  EXPECT_EQ(readProblem(Header + LaunchStart + "}\n" + LaunchStart + "}\n"),
            "line 3: launch 0 is out of order");
}

TEST(RecordingReader, RejectsDigestsThatDoNotFit) {
  const auto Problem = [](const std::string &Changes) {
    return readProblem(Header + Memory + LaunchStart +
                       ",\"changes\":" + Changes + ",\"variables\":[]}\n");
  };
  const std::string One = "00000000000000ff";
  EXPECT_EQ(Problem("[[0,[3,\"" + One + "\"]]]"), "");
  const std::string DoesNotFit =
      "line 3: a run of digests does not fit its allocation";
  EXPECT_EQ(Problem("[[0,[3,\"" + One + One + "\"]]]"), DoesNotFit);
  EXPECT_EQ(Problem("[[0,[18446744073709551615,\"" + One + "\"]]]"),
            DoesNotFit);
  EXPECT_EQ(Problem("[[0,[0,\"123\"]]]"), DoesNotFit);
  EXPECT_EQ(Problem("[[0,[0,\"000000000000000G\"]]]"),
            "line 3: a digest is not hexadecimal");
  EXPECT_EQ(Problem("[[1,[0,\"" + One + "\"]]]"),
            "line 3: digests of an allocation that was not made");
  EXPECT_EQ(Problem("[[0,[0]]]"),
            "line 3: a run of digests is not a number and a text");
  EXPECT_EQ(Problem("{}"), "line 3: the digests are not a list");
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
