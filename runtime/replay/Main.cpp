//===-- Main.cpp - bankstripe-replay --------------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//     options, capture -> a process that replays -> its results -> text
//
//===----------------------------------------------------------------------===//

#include "recording/Capture.h"
#include "recording/Records.h"
#include "replay/Replayer.h"
#include "replay/Report.h"
#include "verify/Print.h"
#include "verify/Runner.h"
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <sys/personality.h>
#include <unistd.h>

using namespace bankstripe::runtime;

namespace {

struct ReplayOptions {
  std::string Path;            ///< Of the capture.
  std::optional<Side> Only;    ///< Launch this one, in the process itself.
  unsigned Runs = 15;          ///< Timed launches of each; 0 for none.
  double TimeoutSeconds = 600; ///< 0 for no limit.
  std::string Module; ///< Image of the rewritten kernel in place of its own.
  std::optional<unsigned>
      SharedBytes;      ///< Dynamic ones of the rewritten kernel.
  std::string JsonPath; ///< Empty for none; "-" for standard output.
  std::string Results;  ///< File for results: this is the replaying process.
};

} // namespace

static const char Description[] =
    R"(Launches one kernel of a program again, as it was and rewritten, with the memory
that bankstripe-verify --capture found before the launch, at the same addresses;
compares what both leave with what the original left, and times them.

  bankstripe-replay [OPTIONS] CAPTURE)";

static const char Details[] =
    R"(Without --only, the launches happen in a process of their own, so that one that
fails or hangs does no harm. With it, they happen in this one, for debuggers.

Exit status: 0 identical, 1 it differs or the rewritten kernel fails, 2 bad usage
or not a capture, 3 it cannot be replayed here, or the original leaves something
else than what was captured.

Examples:
  bankstripe-replay wrong.capture
  cuda-gdb --args bankstripe-replay --only=rewritten wrong.capture
  nvcc -cubin -arch=native -o fixed.cubin sort.cu
  bankstripe-replay --module=fixed.cubin wrong.capture
)";

static void addLaunchOptions(CLI::App &App, ReplayOptions &O,
                             std::string &Only) {
  App.add_option("--only", Only,
                 "launch only this one of original and rewritten, once, in "
                 "this process")
      ->check(CLI::IsMember({"original", "rewritten"}))
      ->type_name("SIDE");
  App.add_option("--runs", O.Runs,
                 "timed launches of each kernel; 0 for none (default: 15)")
      ->check(CLI::Range(0, 100000).description(""))
      ->type_name("N");
  App.add_option("--module", O.Module,
                 "take the rewritten kernel from this cubin or fatbin")
      ->type_name("FILE");
  App.add_option("--shared", O.SharedBytes,
                 "launch the rewritten kernel with this much dynamic shared "
                 "memory")
      ->type_name("BYTES");
  App.add_option("--timeout", O.TimeoutSeconds,
                 "seconds that the replay may take; 0 for no limit (default: "
                 "600)")
      ->check(CLI::Range(0.0, 1e9).description(""))
      ->type_name("SECONDS");
}

static void addOutputOptions(CLI::App &App, ReplayOptions &O) {
  App.add_option("--json", O.JsonPath,
                 "write the result to this file; - for standard output")
      ->type_name("FILE")
      ->excludes(App.get_option("--only"));
  // For itself only.
  App.add_option("--results", O.Results)->group("");
}

static std::variant<ReplayOptions, Done>
parseReplayOptions(int ArgumentCount, const char *const *Arguments) {
  ReplayOptions O;
  std::string Only;
  CLI::App App(Description, "bankstripe-replay");
  App.footer(Details);
  App.add_option("CAPTURE", O.Path, "what bankstripe-verify --capture wrote")
      ->required();
  addLaunchOptions(App, O, Only);
  addOutputOptions(App, O);
  if (const auto Told = parseArguments(App, ArgumentCount, Arguments))
    return *Told;
  for (const Side S : {Side::Original, Side::Rewritten})
    if (Only == sideName(S))
      O.Only = S;
  return O;
}

static int problem(const std::string &Text, int Status) {
  std::fprintf(stderr, "bankstripe-replay: %s\n", Text.c_str());
  return Status;
}

// What the options put in place of the rewritten kernel. \returns what is
// wrong.
static std::string changeKernel(const ReplayOptions &O, Capture &C) {
  if (O.Module.empty() && !O.SharedBytes)
    return "";
  if (!C.Rewritten)
    C.Rewritten = C.Original;
  if (O.SharedBytes)
    C.Rewritten->DynamicSharedBytes = *O.SharedBytes;
  if (O.Module.empty())
    return "";
  std::optional<std::string> Image = readFile(O.Module);
  if (!Image || Image->empty())
    return "cannot read '" + O.Module + "'";
  C.Rewritten->Image = std::move(*Image);
  return "";
}

// Where other things lie in a process is random. This one begins again, until
// its addresses are free.
static std::string beginAgain(const ReplayOptions &O, char **Arguments,
                              const std::string &Problem) {
  constexpr int MostTries = 20;
  const char *Variable = "BANKSTRIPE_REPLAY_TRIES";
  const char *Before = std::getenv(Variable);
  const int Tries = (Before ? std::atoi(Before) : 0) + 1;
  if (Tries < MostTries) {
    ::setenv(Variable, std::to_string(Tries).c_str(), 1);
    // The number of the process stays, and so would the name of its recording,
    // which is ours if the results are for another process.
    const char *Asked = std::getenv(RequestVariable);
    RecordRequest Request;
    if (Asked && !O.Results.empty() &&
        parseRequest(readFile(Asked).value_or(""), Request).empty())
      ::unlink(Request.Recording.c_str());
    // A debugger may have asked for addresses that are not random.
    constexpr unsigned long Query = 0xffffffff;
    if (const int Old = ::personality(Query); Old != -1)
      ::personality(static_cast<unsigned>(Old) & ~unsigned{ADDR_NO_RANDOMIZE});
    ::execv("/proc/self/exe", Arguments);
  }
  return fmt::format("{} (also after {} tries)", Problem, Tries);
}

// Launches everything in this process and hands each result to Tell as soon as
// there is one. Throws a GpuProblem when there can be no more.
template <class Function>
static void replayHere(const ReplayOptions &O, const Capture &C,
                       char **Arguments, Function Tell) {
  Replayer R(C);
  try {
    R.prepare();
  } catch (const AddressesTaken &Problem) {
    throw GpuProblem(beginAgain(O, Arguments, Problem.what()));
  }
  for (const Side Which : {Side::Original, Side::Rewritten}) {
    if ((O.Only && *O.Only != Which) ||
        (Which == Side::Rewritten && !C.Rewritten))
      continue;
    const SideResult Result = R.launch(Which);
    Tell(Which, Result);
    if (!Result.Error.empty())
      return;
  }
  if (!C.Rewritten || O.Only)
    return;
  if (const auto Failed = R.time(O.Runs))
    Tell(Failed->first, SideResult{Failed->second, 0, {}});
}

// The replaying process of another one.
static int replayForAnother(const ReplayOptions &O, const Capture &C,
                            char **Arguments) {
  std::ofstream File(O.Results, std::ios::binary | std::ios::app);
  ReplayResults Now;
  try {
    replayHere(O, C, Arguments, [&](Side Which, const SideResult &R) {
      (Which == Side::Original ? Now.Original : Now.Rewritten) = R;
      File << printResults(Now) << std::flush;
    });
  } catch (const GpuProblem &Problem) {
    Now.Problem = Problem.what();
  }
  const auto IsWhole = [](const std::optional<SideResult> &R) {
    return R && R->Error.empty();
  };
  if (Now.Problem.empty() && IsWhole(Now.Original) && IsWhole(Now.Rewritten))
    Now.Timed = O.Runs;
  File << printResults(Now);
  File.close();
  return File.good() ? ExitIdentical : ExitCannotRecord;
}

static int replayOnly(const ReplayOptions &O, const Capture &C,
                      char **Arguments) {
  if (O.Only == Side::Rewritten && !C.Rewritten)
    return problem("the capture holds no rewritten kernel", ExitUsage);
  int Status = ExitIdentical;
  try {
    replayHere(O, C, Arguments, [&](Side Which, const SideResult &R) {
      std::fputs(printSide(C, Which, R).c_str(), stdout);
      if (!R.Error.empty() || !R.Mismatches.empty())
        Status = Which == Side::Original ? ExitCannotRecord : ExitDiffers;
    });
  } catch (const GpuProblem &Problem) {
    return problem(Problem.what(), ExitCannotRecord);
  }
  return Status;
}

// The durations of the kernel's launches, in their order.
static std::vector<double> durations(const Recording &From, const Capture &C) {
  const std::string Original = kernelName(C.Original.Symbol),
                    Rewritten = kernelName(C.Rewritten->Symbol);
  std::vector<double> Found;
  for (const Launch &L : From.Launches)
    if (L.Kernel == Original || L.Kernel == Rewritten)
      Found.push_back(L.Nanoseconds);
  return Found;
}

// What is to be said of a process that gave no result for a side.
static std::string unexpectedEnd(const ReplayResults &R,
                                 const ChildResult &Child) {
  if (!R.Problem.empty())
    return R.Problem;
  const std::string Words = lastWords(Child);
  return fmt::format("the replaying process ended early: {}{}",
                     Child.describe(), Words.empty() ? "" : ": " + Words);
}

// In a process that is called as this one was.
static ReplayReport replay(const ReplayOptions &O, const Capture &C,
                           std::vector<std::string> Arguments) {
  ReplayReport Report;
  const std::string Recorder = findRecorder();
  Options ForRuns;
  ForRuns.TimeoutSeconds = O.TimeoutSeconds;
  Runner Runs(ForRuns, Recorder, [](const std::string &) {});
  if (Runs.folder().empty()) {
    Report.Results.Problem = "no temporary folder can be made";
    return Report;
  }
  const std::string File = Runs.folder() + "/results";
  RecordRequest Request;
  Request.Mode = RecordingMode::Time;
  Arguments.insert(Arguments.begin(), "--results=" + File);
  const RecordedRun Run =
      Runs.run({"/proc/self/exe", std::move(Arguments)}, std::move(Request));
  ReplayResults &R = Report.Results;
  R = readResults(readFile(File).value_or(""));
  const bool IsDone =
      R.Original && (!R.Original->Error.empty() || R.Rewritten || !C.Rewritten);
  if (!IsDone || !Run.Child.succeeded())
    R.Problem = unexpectedEnd(R, Run.Child);
  if (R.Timed == 0)
    return Report;
  if (Recorder.empty())
    Report.Untimed = "libbankstripe-recorder.so was not found";
  else if (!Run.Problem.empty())
    Report.Untimed = Run.Problem;
  else if (Report.Times = pairedTimes(durations(Run.Record, C), R.Timed);
           !Report.Times.speedup())
    Report.Untimed = "not all launches were recorded";
  return Report;
}

int main(int ArgumentCount, char **Arguments) {
  auto Parsed = parseReplayOptions(ArgumentCount, Arguments);
  if (const auto *D = std::get_if<Done>(&Parsed)) {
    std::fputs(D->Text.c_str(), D->Status == ExitIdentical ? stdout : stderr);
    return D->Status;
  }
  const auto &O = std::get<ReplayOptions>(Parsed);
  auto Read = readCapture(O.Path);
  if (const auto *Error = std::get_if<CaptureError>(&Read))
    return problem("'" + O.Path + "' is no capture: " + Error->Message,
                   ExitUsage);
  auto &C = std::get<Capture>(Read);
  if (const std::string Wrong = changeKernel(O, C); !Wrong.empty())
    return problem(Wrong, ExitUsage);
  if (!O.Results.empty())
    return replayForAnother(O, C, Arguments);
  if (O.Only)
    return replayOnly(O, C, Arguments);
  const ReplayReport Report =
      replay(O, C, {Arguments + 1, Arguments + ArgumentCount});
  if (O.JsonPath != "-")
    std::fputs(printReplay(C, Report).c_str(), stdout);
  if (!O.JsonPath.empty() && !writeFile(O.JsonPath, jsonReplay(C, Report)))
    return problem("cannot write '" + O.JsonPath + "'", ExitUsage);
  return judge(Report.Results);
}
