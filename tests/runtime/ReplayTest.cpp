//===-- ReplayTest.cpp - tests of runtime/replay --------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whole replays run with a driver that needs no GPU, whose modules are texts:
// see programs/driver_stand_in.cpp.
//
//===----------------------------------------------------------------------===//

#include "harness/Child.h"
#include "recording/Capture.h"
#include "replay/GpuMemory.h"
#include "replay/Replayer.h"
#include "replay/Report.h"
#include <cstdio>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace bankstripe;
using namespace bankstripe::runtime;

namespace {

constexpr uint64_t MiB = uint64_t(1) << 20;
constexpr uint64_t Home = 0x302000000; ///< Of the memory in the captures here.

CapturedMemory memoryAt(uint64_t Address, uint64_t Bytes) {
  CapturedMemory M;
  M.Address = Address;
  M.Bytes = Bytes;
  M.Kind = "device";
  return M;
}

std::string pointer(uint64_t Address) {
  return {reinterpret_cast<const char *>(&Address), sizeof Address};
}

TEST(AddressPlan, ReservesFromMultiplesOf32MiB) {
  const auto Spans = planAddresses({memoryAt(Home + 512, 100)});
  ASSERT_EQ(Spans.size(), 1u);
  EXPECT_EQ(Spans[0].Reserved, (AddressRange{Home, 32 * MiB}));
  EXPECT_EQ(Spans[0].Mapped, (std::vector<AddressRange>{{Home, 2 * MiB}}));
}

TEST(AddressPlan, SmallAllocationsShareABlock) {
  const auto Spans =
      planAddresses({memoryAt(Home + 2 * MiB - 8, 16), memoryAt(Home, 512),
                     memoryAt(Home + 512, 512), memoryAt(Home + 8 * MiB, 1)});
  ASSERT_EQ(Spans.size(), 1u);
  EXPECT_EQ(Spans[0].Mapped, (std::vector<AddressRange>{
                                 {Home, 4 * MiB}, {Home + 8 * MiB, 2 * MiB}}));
}

TEST(AddressPlan, DistantMemoryHasASpanOfItsOwn) {
  const uint64_t Far = Home + 4096 * MiB;
  const auto Spans =
      planAddresses({memoryAt(Far, 64 * MiB), memoryAt(Home + 100 * MiB, 1),
                     memoryAt(Home, 1)});
  ASSERT_EQ(Spans.size(), 2u);
  EXPECT_EQ(Spans[0].Reserved, (AddressRange{Home, 128 * MiB}));
  EXPECT_EQ(Spans[1].Reserved, (AddressRange{Far, 64 * MiB}));
}

TEST(ParameterBuffer, KeepsOffsetsAndFillsGaps) {
  EXPECT_EQ(parameterBuffer({{0, "ab"}, {4, "c"}}, {}),
            std::string("ab\0\0c", 5));
  EXPECT_EQ(parameterBuffer({}, {}), "");
}

TEST(ParameterBuffer, PointersIntoVariablesFollowThem) {
  const MovedVariable V{{0x1000, 64}, 0x9000};
  EXPECT_EQ(parameterBuffer({{0, pointer(0x1010)}, {8, pointer(0x1040)}}, {V}),
            pointer(0x9010) + pointer(0x1040));
  // Not a whole word: no pointer.
  EXPECT_EQ(parameterBuffer({{0, "\x10\x10"}}, {V}), "\x10\x10");
}

TEST(ReplayResults, TheLastLineComesBack) {
  ReplayResults Written;
  SideResult &Original = Written.Original.emplace();
  const std::string First = printResults(Written);
  SideResult &Rewritten = Written.Rewritten.emplace();
  Original.ChangedPages = 3;
  Rewritten.Error = "";
  Rewritten.Differences = {"allocation 4: 5 bytes differ"};
  Rewritten.Digest = "0000000000000abc";
  Written.Timed = 7;
  Written.Problem = "something";
  const ReplayResults Read = readResults(First + printResults(Written)).value();
  ASSERT_TRUE(Read.Original && Read.Rewritten);
  EXPECT_EQ(Read.Original->ChangedPages, 3u);
  EXPECT_EQ(Read.Rewritten->Differences, Rewritten.Differences);
  EXPECT_EQ(Read.Rewritten->Digest, "0000000000000abc");
  EXPECT_EQ(Read.Timed, 7u);
  EXPECT_EQ(Read.Problem, "something");
}

TEST(ReplayResults, ALineThatIsCutShortIsLeftOut) {
  ReplayResults Written;
  Written.Original.emplace();
  const std::string Line = printResults(Written);
  Written.Rewritten.emplace();
  const ReplayResults Read =
      readResults(Line + printResults(Written).substr(0, 20)).value();
  EXPECT_TRUE(Read.Original);
  EXPECT_FALSE(Read.Rewritten);
}

TEST(ReplayResults, EachCandidateHasItsOwn) {
  ReplayResults First, Second;
  First.Problem = "first";
  Second.Candidate = 1;
  const std::string Lines = printResults(First) + printResults(Second);
  EXPECT_EQ(readResults(Lines, 0).value().Problem, "first");
  EXPECT_EQ(readResults(Lines, 1).value().Problem, "");
  EXPECT_FALSE(readResults(Lines, 2));
}

TEST(Candidates, AVersionBesideItsOriginalIsTaken) {
  const std::vector<std::string> Both{"_Z4stepPi", "_Z12step_stripedPi"};
  EXPECT_EQ(kernelIn(Both, "_Z4stepPi"), "_Z12step_stripedPi");
  EXPECT_EQ(kernelIn(Both, "_Z4stepPi", /*MayBeVersion=*/false), "_Z4stepPi");
  EXPECT_EQ(kernelIn({"_Z4stepPi", "_Z4stepPf"}, "_Z4stepPi"), "_Z4stepPi");
}

TEST(Candidates, AKernelOfInternalLinkageIsFoundByItsName) {
  EXPECT_EQ(kernelIn({"_ZN36_GLOBAL__N__1b2c3d4e_4_a_cu_9f8e7d6c4stepEPi"},
                     "_ZN36_GLOBAL__N__01234567_4_a_cu_89abcdef4stepEPi"),
            "_ZN36_GLOBAL__N__1b2c3d4e_4_a_cu_9f8e7d6c4stepEPi");
  // Of two files' kernels of one name that of the same file, in any folder.
  const std::string Own = "_ZN36_GLOBAL__N__1b2c3d4e_4_a_cu_9f8e7d6c4stepEPi";
  EXPECT_EQ(kernelIn({Own, "_ZN36_GLOBAL__N__1b2c3d4e_4_b_cu_9f8e7d6c4stepEPi"},
                     "_ZN36_GLOBAL__N__5a6b7c8d_4_a_cu_9f8e7d6c4stepEPi"),
            Own);
}

TEST(ReplayTimes, NoSideAlwaysGoesFirst) {
  // Original, rewritten, rewritten, ...
  const PairedTimes T = pairedTimes(
      std::vector{4e4, 1e4, 1e4, 4e4, 4e4, 1e4, 1e4, 4e4, 4e4, 1e4});
  EXPECT_EQ(T.OriginalTime, 4e4);
  EXPECT_EQ(T.RewrittenTime, 1e4);
  EXPECT_EQ(T.verdict(), "faster");
}

TEST(ReplayTimes, SayThatTheyWereStopped) {
  ReplayResults R;
  R.Timed = 2;
  R.IsStopped = true;
  R.Times.OriginalTime = R.Times.RewrittenTime = 1;
  EXPECT_TRUE(readResults(printResults(R))->IsStopped);
  EXPECT_TRUE(resultOf({}, R).Times->IsStopped);
}

TEST(ReplayTimes, AreNoneWithoutALaunch) {
  EXPECT_FALSE(pairedTimes({}).speedup());
}

// A capture of one launch over one allocation of three pages, the first
// integers of which are 100, 101, ...
class Replay : public testing::Test {
protected:
  void SetUp() override {
    Path = testing::TempDir() + "replayed.capture";
    std::remove(Path.c_str());
    Before.resize(3 * CapturePageBytes);
    for (int I = 0; I < 64; ++I) {
      const int Value = 100 + I;
      std::memcpy(&Before[static_cast<size_t>(I) * 4], &Value, sizeof Value);
    }
    After = Before;
  }

  static void add(std::string &Bytes, size_t Index, int Value) {
    int Old = 0;
    std::memcpy(&Old, &Bytes[Index * 4], sizeof Old);
    Old += Value;
    std::memcpy(&Bytes[Index * 4], &Old, sizeof Old);
  }

  static CapturedKernel kernel(const std::string &Module) {
    CapturedKernel K;
    K.Symbol = "_Z4stepPi";
    K.Image = Module;
    K.Image += '\0';
    K.Parameters = {{0, pointer(Home)}};
    return K;
  }

  /// The module that takes the original's place; empty: none does.
  void writeModule(const std::string &Text) {
    Module = Text.empty() ? "" : testing::TempDir() + "rewritten.cubin";
    if (!Module.empty())
      std::ofstream(Module, std::ios::binary) << Text << '\0';
  }

  void write(const std::string &Original, const std::string &Rewritten) {
    std::remove(Path.c_str());
    CaptureWriter Writer(Path);
    Writer.program({"stand-in", Capability, 12});
    Writer.kernel(kernel(Original));
    writeModule(Rewritten);
    CapturedMemory M = memoryAt(Home, Before.size());
    M.Number = 4;
    Writer.pages(Writer.memory(M), CaptureMoment::Before, 0, Before);
    CapturedMemory V = memoryAt(Home + 4 * MiB, 64);
    V.Kind = "variable";
    V.Symbol = "count";
    const unsigned Variable = Writer.memory(V);
    Writer.pages(Variable, CaptureMoment::Before, 0, std::string(64, '\0'));
    Writer.pages(0, CaptureMoment::After, 0, After);
    Writer.pages(Variable, CaptureMoment::After, 0, CountAfter);
    Writer.note("textures");
    ASSERT_TRUE(Writer.end());
  }

  ChildResult replay(std::vector<std::string> Arguments = {},
                     std::map<std::string, std::string> Environment = {}) {
    ChildRequest Request;
    Request.Program = BANKSTRIPE_REPLAY_PROGRAM;
    Request.Arguments = std::move(Arguments);
    if (!Module.empty())
      Request.Arguments.push_back("--module=" + Module);
    Request.Arguments.push_back(Path);
    Request.Environment = std::move(Environment);
    Request.Environment.try_emplace("LD_LIBRARY_PATH",
                                    BANKSTRIPE_DRIVER_STAND_IN_FOLDER);
    return runChild(Request);
  }

  /// A replay with these \p Arguments ends with \p ExitStatus and says all of
  /// \p Texts.
  void expectReplay(int ExitStatus, const std::vector<std::string> &Texts,
                    std::vector<std::string> Arguments = {},
                    std::map<std::string, std::string> Environment = {}) {
    const ChildResult R = replay(std::move(Arguments), std::move(Environment));
    EXPECT_EQ(R.ExitStatus, ExitStatus) << R.Output << R.Errors;
    for (const std::string &Text : Texts)
      EXPECT_TRUE(says(R, Text)) << R.Output;
  }

  static bool says(const ChildResult &R, const std::string &Text) {
    return (R.Output + R.Errors).find(Text) != std::string::npos;
  }

  std::string Path, Module, Before, After, CountAfter = std::string(64, '\0');
  std::string Capability = "9.0";
};

TEST_F(Replay, KernelsThatLeaveTheSameAreIdentical) {
  add(After, 3, 7);
  write("add 3 7", "add 3 5 add 3 2");
  expectReplay(ExitIdentical, {"identical: launch 12, step(int*)",
                               "original: leaves what was captured, 1 page",
                               "rewritten: leaves what was captured",
                               "note: not in the capture: textures"});
}

TEST_F(Replay, AWrongElementIsNamed) {
  add(After, 3, 7);
  write("add 3 7", "add 4 7");
  expectReplay(ExitDiffers,
               {"differs: launch 12",
                "allocation 4 (196608 bytes): 2 bytes differ in all",
                "element 3 (i32): captured 110, rewritten 103"});
}

TEST_F(Replay, MemoryIsPutBackBeforeEachLaunch) {
  // A second launch over what a first one left would give another result.
  add(After, 0, 1);
  write("add 0 1", "add 0 1");
  expectReplay(ExitIdentical, {}, {"--runs=4"});
}

// Also where the device has no room for a copy.
TEST_F(Replay, MemoryIsPutBackBeforeEachTimedLaunch) {
  add(After, 0, 1);
  write("expect 0 100 add 0 1", "expect 0 100 add 0 1");
  for (const std::map<std::string, std::string> &Environment :
       {std::map<std::string, std::string>{}, {{"STAND_IN_FULL", "1"}}}) {
    const ChildResult R = replay({"--runs=3"}, Environment);
    EXPECT_EQ(R.ExitStatus, ExitIdentical) << R.Output;
  }
}

// Fresh memory is one byte over and over, which the device fills in by itself,
// but for what is left of the last word; other words are copied.
TEST_F(Replay, MemoryOfAnySizeComesBack) {
  CaptureWriter Writer(Path);
  Writer.program({"stand-in", Capability, 0});
  Writer.kernel(kernel("add 0 0"));
  writeModule("add 0 0");
  uint64_t Address = Home;
  for (const uint64_t Size :
       {uint64_t(64), uint64_t(1), uint64_t(7), uint64_t(9), CapturePageBytes,
        CapturePageBytes + 3, 20 * MiB + 6}) {
    std::string Bytes(Size, '\xa5');
    for (const bool IsFill : {true, false}) {
      for (size_t I = 0; I < Bytes.size() && !IsFill; ++I)
        Bytes[I] = static_cast<char>(I % 8);
      const unsigned Number = Writer.memory(memoryAt(Address, Size));
      Writer.pages(Number, CaptureMoment::Before, 0, Bytes);
      Address += (Size + 511) / 512 * 512;
    }
  }
  ASSERT_TRUE(Writer.end());
  expectReplay(ExitIdentical, {}, {"--runs=1"});
}

TEST_F(Replay, AVariableIsThatOfTheModule) {
  CountAfter[0] = 1;
  write("variable count count count", "variable count count count");
  EXPECT_EQ(replay().ExitStatus, ExitIdentical);
}

TEST_F(Replay, AVariableThatIsLeftWrongIsNamed) {
  CountAfter[0] = 1;
  write("variable count count count", "variable count");
  expectReplay(ExitDiffers, {"variable count (64 bytes): 1 byte differs"});
}

TEST_F(Replay, AnOriginalThatIsNotReproducedJudgesNothing) {
  write("random", "random");
  expectReplay(ExitCannotRecord, {"not reproduced: launch 12"});
}

TEST_F(Replay, AnOriginalThatVariesJudgesNothing) {
  write("vary", "add 3 7");
  expectReplay(ExitCannotRecord, {"varies: launch 12",
                                  "original: leaves something else each time"});
}

TEST_F(Replay, ARewrittenKernelThatFailsDiffers) {
  write("add 0 0", "fail");
  expectReplay(ExitDiffers,
               {"rewritten: fails with CUDA_ERROR_ILLEGAL_ADDRESS"});
}

TEST_F(Replay, ARewrittenKernelThatFailsLaterDiffers) {
  write("add 0 0", "fail-after 3");
  expectReplay(ExitDiffers,
               {"rewritten: fails with CUDA_ERROR_ILLEGAL_ADDRESS"});
}

TEST_F(Replay, AnOriginalThatFailsJudgesNothing) {
  write("fail", "add 0 0");
  const ChildResult R = replay();
  EXPECT_EQ(R.ExitStatus, ExitCannotRecord) << R.Output;
  EXPECT_TRUE(says(R, "original: fails with CUDA_ERROR_ILLEGAL_ADDRESS"));
  EXPECT_FALSE(says(R, "ended early")) << R.Output;
}

// The copy at the old address does not follow the module's variable, but it is
// put back as well.
TEST_F(Replay, PointersToVariablesFindACopy) {
  const uint64_t Variable = Home + 4 * MiB;
  std::memcpy(&Before[40 * 8], &Variable, sizeof Variable);
  After = Before;
  add(After, 0, 1);
  CountAfter[0] = 1;
  write("variable count follow 40", "variable count follow 40");
  expectReplay(ExitCannotRecord,
               {"not reproduced", "(i32): captured 1, original 0",
                "(i32): captured 1, rewritten 0"});
}

TEST_F(Replay, AKernelThatHangsEndsWithTheTimeout) {
  write("add 0 0", "hang");
  expectReplay(ExitCannotRecord,
               {"original: leaves what was captured",
                "the replaying process ended early"},
               {"--timeout=1"});
}

TEST_F(Replay, AddressesThatAreTakenAreTriedAgain) {
  write("add 0 0", "add 0 0");
  EXPECT_EQ(replay({}, {{"STAND_IN_TAKEN", "3"}}).ExitStatus, ExitIdentical);
  expectReplay(ExitCannotRecord,
               {"the addresses 0x302000000 to 0x304000000 are taken by "
                "something else (also after 20 tries)"},
               {}, {{"STAND_IN_TAKEN", "1000"}});
}

// The process that begins again does not wait for the lock of its own past.
TEST_F(Replay, AddressesThatAreTakenKeepNobodyOffTheGpu) {
  write("add 0 0", "add 0 0");
  expectReplay(ExitIdentical, {},
               {"--lock=" + testing::TempDir(), "--timeout=5"},
               {{"STAND_IN_TAKEN", "3"}});
}

// Others on the GPU would make its times wrong.
TEST_F(Replay, WithoutTheLockThereAreNoTimes) {
  write("add 0 0", "add 0 0");
  expectReplay(ExitIdentical,
               {"not timed: '/nonexistent' cannot be locked: No such "
                "file or directory"},
               {"--lock=/nonexistent"});
}

TEST_F(Replay, ARecordingOfSomebodyElseStays) {
  write("add 0 0", "add 0 0");
  const std::string Theirs = testing::TempDir() + "theirs";
  const std::string Request = testing::TempDir() + "request";
  std::ofstream(Theirs) << "precious";
  std::ofstream(Request) << "{\"Recording\":\"" + Theirs + "\"}";
  EXPECT_EQ(replay({"--only=original"},
                   {{"STAND_IN_TAKEN", "3"}, {"BANKSTRIPE_REQUEST", Request}})
                .ExitStatus,
            ExitIdentical);
  EXPECT_TRUE(std::ifstream(Theirs).good());
}

TEST_F(Replay, AnotherGpuIsRefused) {
  Capability = "8.6";
  write("add 0 0", "add 0 0");
  expectReplay(ExitCannotRecord, {"compute capability 8.6, this one has 9.0"});
}

TEST_F(Replay, OneSideAloneRunsInTheProcessItself) {
  add(After, 3, 7);
  write("add 3 7", "add 3 8");
  EXPECT_EQ(replay({"--only=original"}).ExitStatus, ExitIdentical);
  const ChildResult R = replay({"--only=rewritten"});
  EXPECT_EQ(R.ExitStatus, ExitDiffers);
  EXPECT_FALSE(says(R, "original:"));
  EXPECT_EQ(replay({"--only=both"}).ExitStatus, ExitUsage);
  EXPECT_EQ(replay({"--only=rewritten", "--json=-"}).ExitStatus, ExitUsage);
  write("random", "");
  EXPECT_EQ(replay({"--only=original"}).ExitStatus, ExitCannotRecord);
}

TEST_F(Replay, AModuleThatCannotBeReadIsBadUsage) {
  write("add 3 7", "");
  EXPECT_EQ(replay({"--module=/nonexistent"}).ExitStatus, ExitUsage);
  EXPECT_EQ(replay({"--module=/tmp"}).ExitStatus, ExitUsage);
}

// Each is a module that adds to an element; one fails, one hangs.
TEST_F(Replay, CandidatesAreReplayedOneAfterTheOther) {
  add(After, 3, 7);
  write("add 3 7", "");
  std::string List = "[";
  for (const char *Text :
       {"add 3 7", "add 3 8", "fail", "hang", "needs 105 add 3 7"}) {
    const std::string Module =
        testing::TempDir() + "candidate" + std::to_string(List.size());
    std::ofstream(Module, std::ios::binary) << Text << '\0';
    List += R"({"module": ")" + Module +
            R"(", "warpBytes": 64, "carveout": "auto"},)";
  }
  List.back() = ',';
  List += R"({"module": "/nonexistent"}])";
  const std::string Path = testing::TempDir() + "candidates.json";
  std::ofstream(Path) << List;
  const ChildResult R = replay({"--candidates=" + Path, "--json=-"});
  std::vector<std::string> Verdicts;
  for (const auto &Json : nlohmann::json::parse(R.Output))
    Verdicts.push_back(Json["verdict"]);
  EXPECT_EQ(Verdicts, (std::vector<std::string>{"identical", "differs",
                                                "differs", "not replayed",
                                                "identical", "not replayed"}));
  EXPECT_EQ(R.ExitStatus, ExitCannotRecord);
}

// What varies is timed all the same; a launch with other memory than it had in
// its program tells nothing.
TEST_F(Replay, CandidatesNeedAnOriginalThatIsReproducedOrVaries) {
  const std::string One = testing::TempDir() + "candidate";
  std::ofstream(One, std::ios::binary) << "add 0 1" << '\0';
  const std::string Path = testing::TempDir() + "candidates.json";
  std::ofstream(Path) << R"([{"module": ")" + One + R"("}, {"module": ")" +
                             One + R"("}])";
  const auto Verdicts = [&](const char *Original) {
    write(Original, "");
    std::string All;
    for (const auto &Json : nlohmann::json::parse(
             replay({"--candidates=" + Path, "--json=-"}).Output))
      All += Json["verdict"].get<std::string>() +
             (Json["rewritten"].is_null() ? " alone, " : ", ");
    return All;
  };
  EXPECT_EQ(Verdicts("vary"), "varies, varies, ");
  EXPECT_EQ(Verdicts("random"), "not reproduced alone, ");
}

TEST_F(Replay, AListThatIsNoneIsBadUsage) {
  write("add 0 0", "");
  const std::string Path = testing::TempDir() + "candidates.json";
  for (const char *Text : {"", "[]", "[{}]"}) {
    std::ofstream(Path) << Text;
    EXPECT_EQ(replay({"--candidates=" + Path}).ExitStatus, ExitUsage) << Text;
  }
}

TEST_F(Replay, WithoutARewrittenKernelTheOriginalIsReproduced) {
  write("add 0 0", "");
  const ChildResult R = replay();
  EXPECT_EQ(R.ExitStatus, ExitIdentical) << R.Output << R.Errors;
  EXPECT_TRUE(says(R, "reproduced: launch 12"));
  EXPECT_EQ(replay({"--only=rewritten"}).ExitStatus, ExitUsage);
}

TEST_F(Replay, JsonSaysTheSame) {
  add(After, 3, 7);
  write("add 3 7", "add 4 7");
  const ChildResult R = replay({"--json=-"});
  EXPECT_EQ(R.ExitStatus, ExitDiffers);
  const auto Json = nlohmann::json::parse(R.Output);
  EXPECT_EQ(Json["verdict"], "differs");
  EXPECT_EQ(Json["kernel"], "step(int*)");
  EXPECT_TRUE(Json["original"]["differences"].empty());
  EXPECT_EQ(Json["original"]["digest"], "");
  EXPECT_EQ(Json["rewritten"]["digest"].get<std::string>().size(), 16u);
  // Equal differences have one digest.
  EXPECT_EQ(nlohmann::json::parse(replay({"--json=-"}).Output)["rewritten"],
            Json["rewritten"]);
  ASSERT_EQ(Json["rewritten"]["differences"].size(), 1u);
  EXPECT_NE(Json["rewritten"]["differences"][0].get<std::string>().find(
                "element 3 (i32): captured 110, rewritten 103"),
            std::string::npos);
}

} // namespace
