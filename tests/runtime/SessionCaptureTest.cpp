//===-- SessionCaptureTest.cpp - captures of a launch, without a GPU ------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Scripts.h"
#include "recording/Capture.h"

using namespace bankstripe::runtime;
namespace fs = std::filesystem;

namespace {

// The programs copy the captures that were prepared for them.
class SessionCapture : public Verify {
protected:
  void SetUp() override {
    Verify::SetUp();
    O.Runs = 0;
    O.CapturePath = Folder + "/out.capture";
    prepare("original", /*IsRewritten=*/false);
    prepare("rewritten", /*IsRewritten=*/true);
  }

  void prepare(const std::string &Name, bool IsRewritten) {
    CaptureWriter Writer(Folder + "/prepared-" + Name);
    if (!IsRewritten)
      Writer.program({"Some GPU", "9.0", 0});
    CapturedKernel Kernel;
    Kernel.Symbol = IsRewritten ? "rewritten" : "original";
    Writer.kernel(Kernel, IsRewritten);
    Writer.note("texture objects");
    ASSERT_TRUE(Writer.end());
  }

  /// What a program does when the launch 0 is to be captured.
  std::string copying() const {
    return "[ \"$capture\" != 0 ] || { [ $kernel_only ] && of=rewritten || "
           "of=original; cp " +
           Folder + "/prepared-$of $captured; }\necho result";
  }
  std::string launching(const std::string &Digest) const {
    return program(Digest, 9, copying());
  }
  std::string launchingAnother() const {
    return Script{.Digest = One, .Then = copying(), .Kernel = "_Z4skipPi"}
        .text();
  }
  /// In place of a capture the recorder leaves a note.
  static std::string refusing(const std::string &Digest) {
    return Script{.Digest = Digest,
                  .Lines = "$([ -z \"$capture\" ] || echo note no capture: a "
                           "graph cannot be captured)"}
        .text();
  }

  /// What is in the file that was asked for.
  Capture read() const {
    auto Read = readCapture(O.CapturePath);
    if (const auto *Error = std::get_if<ReadError>(&Read)) {
      ADD_FAILURE() << Error->Message;
      return {};
    }
    return std::move(std::get<Capture>(Read));
  }
  /// Nothing is there, and nothing was left behind.
  void expectNoFile() const {
    for (const auto &Entry : fs::directory_iterator(Folder))
      EXPECT_FALSE(Entry.path().filename().string().starts_with("out"))
          << Entry.path();
  }
};

} // namespace

TEST_F(SessionCapture, TheLocatedLaunchOfBothPrograms) {
  const VerifyReport R = run(launching(One), launching(Two));
  EXPECT_EQ(R.Verdict, ExitDiffers);
  ASSERT_TRUE(R.Captured);
  EXPECT_EQ(R.Captured->Problem, "");
  EXPECT_EQ(R.Captured->RewrittenProblem, "");
  EXPECT_EQ(R.Captured->What, 0u);
  EXPECT_EQ(R.Captured->Kernel, "step(int*)");
  EXPECT_EQ(R.Captured->Bytes, fs::file_size(O.CapturePath));
  EXPECT_EQ(R.Captured->Lacks, std::vector<std::string>{"texture objects"});
  EXPECT_EQ(R.Captured->command(), "bankstripe-replay " + O.CapturePath);
  EXPECT_EQ(read().Original.Symbol, "original");
  ASSERT_TRUE(read().Rewritten);
  EXPECT_EQ(read().Rewritten->Symbol, "rewritten");
  fs::remove(O.CapturePath);
  expectNoFile();
}

TEST_F(SessionCapture, NothingIsCapturedUnlessItIsAskedFor) {
  O.CapturePath.clear();
  EXPECT_FALSE(run(launching(One), launching(Two)).Captured);
  expectNoFile();
}

TEST_F(SessionCapture, NoLaunchDiffers) {
  const VerifyReport R = run(launching(One), launching(One));
  EXPECT_EQ(R.Captured->Problem,
            "no launch differs; --capture-launch=N names one");
  expectNoFile();
}

TEST_F(SessionCapture, ALaunchThatIsNamed) {
  O.CaptureLaunch = 0;
  EXPECT_TRUE(run(launching(One), launching(One)).Captured->isThere());
  EXPECT_TRUE(read().Rewritten);
}

TEST_F(SessionCapture, ALaunchThatIsNotMade) {
  O.CaptureLaunch = 1;
  const VerifyReport R = run(launching(One), launching(Two));
  EXPECT_EQ(R.Captured->Problem,
            "the original makes 1 launches, and they count from 0");
  expectNoFile();
}

TEST_F(SessionCapture, ReasonOfTheRecorderIsGiven) {
  const VerifyReport R = run(refusing(One), launching(Two));
  EXPECT_EQ(R.Captured->Problem, "a graph cannot be captured");
  EXPECT_EQ(R.Captured->What, 0u);
  expectNoFile();
}

TEST_F(SessionCapture, ProgramThatFailsWhenItIsCaptured) {
  const std::string Fails =
      program(One, 9, "[ -z \"$capture\" ] || kill -SEGV $$");
  const VerifyReport R = run(Fails, launching(Two));
  EXPECT_TRUE(R.Captured->Problem.starts_with("killed by signal 11"))
      << R.Captured->Problem;
  expectNoFile();
}

TEST_F(SessionCapture, FileThatIsNotWhole) {
  const std::string Path = Folder + "/prepared-original";
  fs::resize_file(Path, fs::file_size(Path) - 1);
  const VerifyReport R = run(launching(One), launching(Two));
  EXPECT_TRUE(R.Captured->Problem.starts_with("what the recorder left cannot "
                                              "be read: the record at byte"))
      << R.Captured->Problem;
  expectNoFile();
}

TEST_F(SessionCapture, WithoutTheRewrittenKernelItIsOfUse) {
  const VerifyReport R = run(launching(One), refusing(Two));
  EXPECT_TRUE(R.Captured->isThere());
  EXPECT_EQ(R.Captured->RewrittenProblem, "a graph cannot be captured");
  EXPECT_FALSE(read().Rewritten);
}

// What was added is taken away again.
TEST_F(SessionCapture, RewrittenKernelThatIsNotWhole) {
  const std::string Path = Folder + "/prepared-rewritten";
  fs::resize_file(Path, fs::file_size(Path) - 1);
  const VerifyReport R = run(launching(One), launching(Two));
  EXPECT_NE(R.Captured->RewrittenProblem, "");
  EXPECT_EQ(R.Captured->Bytes, fs::file_size(O.CapturePath));
  EXPECT_FALSE(read().Rewritten);
}

TEST_F(SessionCapture, OtherKernelIsNotAdded) {
  O.CaptureLaunch = 0;
  const VerifyReport R = run(launching(One), launchingAnother());
  EXPECT_EQ(R.Captured->RewrittenProblem, "it launches skip(int*) instead");
  EXPECT_FALSE(read().Rewritten);
}

TEST_F(SessionCapture, DifferenceThatIsNotInMemory) {
  const VerifyReport R = run(launching(One), launchingAnother());
  EXPECT_EQ(R.Captured->Problem, "the first difference is not one in memory; "
                                 "--capture-launch=N names a launch");
}

// The process that is compared is not the first one to use the GPU.
TEST_F(SessionCapture, OfTheProcessThatIsCompared) {
  const auto Second = [&](const std::string &Digest) {
    const std::string Path =
        write("part" + Digest, program(Digest, 9, copying()));
    return "SUFFIX=.77 " + Path + "\n$stand_in record </dev/null\n" +
           "[ -z \"$capture\" ] || echo >$captured\n";
  };
  const VerifyReport R = run(Second(One), Second(Two));
  EXPECT_EQ(R.Captured->Problem, "");
  EXPECT_TRUE(read().Rewritten);
}

// The launch of the rewritten program that fails ends the program as well.
TEST_F(SessionCapture, RewrittenProgramThatFails) {
  std::string Failing = program(Two, 9, copying() + "\nexit 9");
  const VerifyReport R = run(launching(One), Failing);
  EXPECT_EQ(R.Verdict, ExitDiffers);
  EXPECT_EQ(R.Captured->Problem, "");
  EXPECT_TRUE(read().Rewritten);
}

TEST_F(SessionCapture, NothingToCompareWith) {
  const VerifyReport R = run("kill -SEGV $$", launching(One));
  EXPECT_EQ(R.Captured->Problem, "the programs could not be compared");
  expectNoFile();
}

// As if memory were read in other launches only.
TEST_F(SessionCapture, LaunchThatIsNotKnown) {
  const auto Blind = [&](const std::string &Digest) {
    return Script{.Digest = Digest, .Lines = "blind _Z4stepPi 9"}.text();
  };
  const VerifyReport R = run(Blind(One), Blind(Two));
  EXPECT_EQ(R.Captured->Problem,
            "it is not known which launch is the first to differ; "
            "--capture-launch=N names one");
}
