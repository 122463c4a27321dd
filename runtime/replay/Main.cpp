//===-- Main.cpp - bankstripe-replay --------------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A process replays. Where it ends before its time, another one goes on with
// the next candidate (docs/internals/recorder.md, "Replay").
//
//===----------------------------------------------------------------------===//

#include "contract/Terminal.h"
#include "harness/CommandLine.h"
#include "harness/Json.h"
#include "harness/Runner.h"
#include "recording/Capture.h"
#include "recording/Records.h"
#include "replay/Replayer.h"
#include "replay/Report.h"
#include <CLI/CLI.hpp>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <sys/file.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <unistd.h>

using namespace bankstripe;
using namespace bankstripe::runtime;

namespace {

struct ReplayOptions {
  std::string Path;            ///< Of the capture.
  std::optional<Side> Only;    ///< Launch this one, in the process itself.
  unsigned Runs = 15;          ///< Timed launches of each; 0 for none.
  double TimeoutSeconds = 600; ///< 0 for no limit.
  /// What takes the place of the rewritten kernel; at least one.
  std::vector<Candidate> Candidates{1};
  std::string Lock;     ///< File; empty for none.
  std::string List;     ///< Of candidates; empty: there is one.
  std::string JsonPath; ///< Empty for none; "-" for standard output.
  std::string Results;  ///< File for results: this is the replaying process,
  unsigned First = 0;   ///< and the candidate that it begins with.
};

} // namespace

static const char Description[] =
    R"(Launches one kernel of a program again, as it was and rewritten, with the memory
that bankstripe-verify --survey found before the launch, at the same addresses;
compares what both leave with what the original left, and times them.

  bankstripe-replay [OPTIONS] CAPTURE)";

static const char Details[] =
    R"(Without --only, the launches happen in a process of their own, so that one that
fails or hangs does no harm. With it, they happen in this one, for debuggers.

Exit status: 0 identical, 1 it differs or the rewritten kernel fails, 2 bad
usage or not a capture, 3 it cannot be replayed here, or the original leaves
something else than what was captured.

Examples:
  bankstripe-replay captures/0-0
  nvcc -cubin -arch=native -o fixed.cubin sort.cu
  bankstripe-replay --module=fixed.cubin captures/0-0
  cuda-gdb --args bankstripe-replay --only=original captures/0-0
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
  auto *Module =
      App.add_option("--module", O.Candidates[0].Module,
                     "take the rewritten kernel from this cubin or fatbin")
          ->type_name("FILE");
  App.add_option("--candidates", O.List,
                 "replay each of the rewritten kernels in this list; see "
                 "docs/guide/verify.md")
      ->excludes(Module, App.get_option("--only"))
      ->type_name("FILE");
  App.add_option("--lock", O.Lock,
                 "while times are taken, keep all others that name this file "
                 "off the GPU")
      ->type_name("FILE");
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
  App.add_option("--first", O.First)->group("");
}

static std::variant<ReplayOptions, Done>
parseReplayOptions(int ArgumentCount, const char *const *Arguments) {
  ReplayOptions O;
  std::string Only;
  CLI::App App(Description, "bankstripe-replay");
  App.footer(Details);
  App.add_option("CAPTURE", O.Path, "what bankstripe-verify --survey wrote")
      ->required();
  addLaunchOptions(App, O, Only);
  addOutputOptions(App, O);
  if (const auto Ended = parseArguments(App, ArgumentCount, Arguments))
    return *Ended;
  for (const Side S : {Side::Original, Side::Rewritten})
    if (Only == sideName(S))
      O.Only = S;
  if (!O.List.empty()) {
    O.Candidates.clear();
    if (const std::string Wrong = readCandidates(O.List, O.Candidates);
        !Wrong.empty())
      return usageError(App, Wrong);
  }
  return O;
}

static int problem(const std::string &Text, int Status) {
  return fail("bankstripe-replay", Text, Status);
}

// Where other things lie in a process is random. This one begins again, until
// its addresses are free.
static std::string beginAgain(const ReplayOptions &O, char **Arguments,
                              const std::string &Problem) {
  constexpr int MostTries = 20;
  const char *Variable = "BANKSTRIPE_REPLAY_TRIES";
  const char *Before = std::getenv(Variable);
  const long Tries = (Before ? std::strtol(Before, nullptr, 10) : 0) + 1;
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

// Launches what is wanted in this process, as a debugger needs it.
static int replayOnly(const ReplayOptions &O, const Capture &C,
                      char **Arguments) {
  std::optional<CapturedKernel> Rewritten;
  if (const std::string Wrong =
          readKernel(O.Candidates[0], C.Original, Rewritten);
      !Wrong.empty())
    return problem(Wrong, ExitUsage);
  if (O.Only == Side::Rewritten && !Rewritten)
    return problem("--only=rewritten needs --module", ExitUsage);
  Replayer R(C);
  try {
    R.prepare();
    const SideResult Result =
        R.launch(*O.Only, O.Only == Side::Original ? C.Original : *Rewritten);
    std::fputs(printable(printSide(*O.Only, Result)).c_str(), stdout);
    if (Result.Error.empty() && Result.Differences.empty())
      return ExitIdentical;
    return O.Only == Side::Original ? ExitCannotRecord : ExitDiffers;
  } catch (const AddressesTaken &Problem) {
    return problem(beginAgain(O, Arguments, Problem.what()), ExitCannotRecord);
  } catch (const GpuProblem &Problem) {
    return problem(Problem.what(), ExitCannotRecord);
  }
}

// A list is there for times. A launch that differs from the one in the program
// has none that count, unless it differs each time.
static bool isWorthComparing(const ReplayOptions &O,
                             const SideResult &Original) {
  return Original.Error.empty() &&
         (O.List.empty() || Original.isLikeCaptured());
}

namespace {

// Keeps others that name the same file off the GPU while times are taken; they
// share it while none are. It goes with the process, also when that begins
// again.
class GpuLock {
public:
  explicit GpuLock(const std::string &Path) : Path(Path) {
    if (!Path.empty() &&
        (File = ::open(Path.c_str(), O_RDONLY | O_CLOEXEC)) < 0)
      Problem = describe();
  }

  /// Waits for it. \returns why it cannot be had; empty when it is held, or
  /// there is none.
  const std::string &share() { return hold(LOCK_SH); }
  const std::string &own() { return hold(LOCK_EX); }

private:
  const std::string &hold(int How) {
    while (File >= 0 && Problem.empty() && ::flock(File, How) != 0)
      if (errno != EINTR)
        Problem = describe();
    return Problem;
  }
  std::string describe() const {
    return fmt::format("'{}' cannot be locked: {}", Path, std::strerror(errno));
  }

  const std::string &Path;
  int File = -1;
  std::string Problem;
};

// The replaying process of another one.
class ReplayingProcess {
public:
  ReplayingProcess(const ReplayOptions &O, const Capture &C)
      : O(O), C(C), R(C), File(O.Results, std::ios::binary | std::ios::app),
        Lock(O.Lock) {}

  int run(char **Arguments) {
    Known.Candidate = O.First;
    // What hangs must not outlive the one who waits for it.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    Lock.share();
    try {
      R.prepare();
      const auto Begin = std::chrono::steady_clock::now();
      launchOriginal();
      OfOriginal = std::chrono::steady_clock::now() - Begin;
      write();
      for (; isWorthComparing(O, *Known.Original) &&
             Known.Candidate < O.Candidates.size();
           ++Known.Candidate)
        if (!replay(O.Candidates[Known.Candidate]))
          break;
    } catch (const AddressesTaken &Problem) {
      Known.Problem = beginAgain(O, Arguments, Problem.what());
      write();
    } catch (const GpuProblem &Problem) {
      Known.Problem = Problem.what();
      write();
    }
    File.close();
    return File.good() ? ExitIdentical : ExitCannotRecord;
  }

private:
  void write() { File << printResults(Known) << std::flush; }

  // Twice, where it does not leave what was captured.
  void launchOriginal() {
    Known.Original = R.launch(Side::Original, C.Original);
    if (Known.Original->Differences.empty())
      return;
    const SideResult Again = R.launch(Side::Original, C.Original);
    Known.Original->Error = Again.Error;
    Known.Original->Varies = Known.Original->Digest != Again.Digest;
  }

  // Whether another one can follow.
  bool replay(const Candidate &Next) {
    Known.Rewritten.reset();
    Known.Timed = 0;
    Known.IsStopped = false;
    Known.Untimed.clear();
    std::optional<CapturedKernel> Kernel;
    Known.Problem = readKernel(Next, C.Original, Kernel);
    // One of many must not hold up the others; the signal ends this process.
    constexpr unsigned LeastSeconds = 5, TimesTheOriginal = 20;
    if (!O.List.empty())
      ::alarm(LeastSeconds +
              static_cast<unsigned>(TimesTheOriginal * OfOriginal.count()));
    try {
      if (Kernel)
        Known.Rewritten = R.launch(Side::Rewritten, *Kernel);
    } catch (const GpuProblem &Problem) {
      Known.Problem = Problem.what();
    }
    ::alarm(0);
    write();
    if (!Known.Rewritten || !Known.Rewritten->Error.empty())
      return !Known.Rewritten;
    return O.Runs == 0 || takeTimes();
  }

  // Whether another candidate can follow.
  bool takeTimes() {
    // Times that others disturbed would be worse than none.
    Known.Untimed = Lock.own();
    if (!Known.Untimed.empty()) {
      write();
      return true;
    }
    constexpr double MostSeconds = 0.5;
    const Replayer::Timing T = R.time(O.Runs, O.List.empty() ? 0 : MostSeconds);
    Lock.share();
    Known.IsStopped = T.IsStopped;
    if (T.Failed)
      (T.Failed->first == Side::Original ? Known.Original : Known.Rewritten) =
          SideResult{{T.Failed->second, 0, {}, ""}};
    else
      Known.Timed = T.Done;
    write();
    return !T.Failed;
  }

  const ReplayOptions &O;
  const Capture &C;
  Replayer R;
  ReplayResults Known;
  std::chrono::duration<double> OfOriginal{}; ///< With comparing memory.
  std::ofstream File;
  GpuLock Lock;
};

} // namespace

// The durations of the kernel's launches, in their order.
static std::vector<double> durations(const Recording &From, const Capture &C) {
  const std::string Kernel = kernelName(C.Original.Symbol);
  std::vector<double> Found;
  for (const Launch &L : From.Executions)
    if (L.Kernel == Kernel)
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

// Gives each of \p Reports, which are those of one process, its times.
static void addTimes(const RecordedRun &Run, const Capture &C,
                     std::string Problem, std::span<ReplayResults> Reports) {
  const std::vector<double> All = durations(Run.Record, C);
  const auto Launches = [](const ReplayResults &Of) -> size_t {
    return Of.Rewritten ? 1 + size_t{2} * Of.Timed : 0;
  };
  const auto &Original = Reports.front().Original;
  const ptrdiff_t OfOriginal =
      Original && !Original->Differences.empty() ? 2 : 1;
  size_t Expected = static_cast<size_t>(OfOriginal);
  for (const ReplayResults &Report : Reports)
    Expected += Launches(Report);
  if (Problem.empty() && All.size() != Expected)
    Problem = "not all launches were recorded";
  auto At = All.begin() + std::min(OfOriginal, std::ssize(All));
  for (ReplayResults &Report : Reports) {
    if (Report.Timed > 0 && !Problem.empty())
      Report.Untimed = Problem;
    const size_t Count = Launches(Report);
    if (!Problem.empty() || Count == 0)
      continue;
    Report.Times = pairedTimes({At + 1, Count - 1});
    At += static_cast<ptrdiff_t>(Count);
  }
}

// Adds what one process finds, which is called as this one was and begins with
// the next candidate. \returns whether another one is worth its time.
static bool replayOn(const ReplayOptions &O, const Capture &C,
                     Runner &Processes, const std::string &Recorder,
                     std::vector<std::string> Arguments,
                     std::vector<ReplayResults> &Reports) {
  const auto First = static_cast<unsigned>(Reports.size());
  const std::string File =
      fmt::format("{}/results{}", Processes.folder(), First);
  RecordRequest Request;
  Request.Mode = RecordingMode::Time;
  Arguments.insert(Arguments.begin(),
                   {"--results=" + File, fmt::format("--first={}", First)});
  const RecordedRun Run = Processes.run(
      {"/proc/self/exe", std::move(Arguments)}, std::move(Request));
  const std::string Lines = readFile(File).value_or("");
  for (unsigned I = First; I < O.Candidates.size(); ++I)
    if (auto R = readResults(Lines, I))
      Reports.push_back(std::move(*R));
  if (Reports.size() == First)
    Reports.emplace_back().Candidate = First;
  ReplayResults &Last = Reports.back();
  const bool IsDone = Last.Original &&
                      (!isWorthComparing(O, *Last.Original) || Last.Rewritten ||
                       (O.List.empty() && O.Candidates[0].Module.empty()));
  if (!IsDone || !Run.Child.succeeded())
    Last.Problem = unexpectedEnd(Last, Run.Child);
  addTimes(Run, C,
           Recorder.empty() ? "libbankstripe-recorder.so was not found"
                            : Run.Problem,
           std::span(Reports).subspan(First));
  return Last.Original && isWorthComparing(O, *Last.Original) &&
         Reports.size() < O.Candidates.size();
}

static std::vector<ReplayResults>
replayAll(const ReplayOptions &O, const Capture &C,
          const std::vector<std::string> &Arguments) {
  std::vector<ReplayResults> Reports;
  const std::string Recorder = findRecorder();
  Runner Processes(O.TimeoutSeconds, Recorder, [](const std::string &) {});
  if (Processes.folder().empty()) {
    Reports.emplace_back().Problem = "no temporary folder can be made";
    return Reports;
  }
  while (replayOn(O, C, Processes, Recorder, Arguments, Reports))
    ;
  return Reports;
}

static int report(const ReplayOptions &O, const Capture &C,
                  const std::vector<ReplayResults> &Reports) {
  Json Results = Json::array();
  for (const ReplayResults &Report : Reports) {
    if (O.JsonPath != "-")
      std::fputs(printable(printReplay(C, Report)).c_str(), stdout);
    Results.push_back(jsonOf(resultOf(C, Report)));
  }
  if (!O.JsonPath.empty() &&
      !writeFile(O.JsonPath, jsonText(O.List.empty() ? Results[0] : Results)))
    return problem("cannot write '" + O.JsonPath + "'", ExitUsage);
  int Status = ExitIdentical;
  for (const ReplayResults &Report : Reports)
    Status = std::max<int>(Status, judge(Report));
  return Status;
}

int main(int ArgumentCount, char **Arguments) {
  auto Parsed = parseReplayOptions(ArgumentCount, Arguments);
  if (const auto *Ended = std::get_if<Done>(&Parsed))
    return finish(*Ended);
  const auto &O = std::get<ReplayOptions>(Parsed);
  auto Read = readCapture(O.Path);
  if (const auto *Error = std::get_if<ReadError>(&Read))
    return problem("'" + O.Path + "' is no capture: " + Error->Message,
                   ExitUsage);
  const auto &C = std::get<Capture>(Read);
  if (!O.Results.empty())
    return ReplayingProcess(O, C).run(Arguments);
  if (O.Only)
    return replayOnly(O, C, Arguments);
  std::optional<CapturedKernel> Unused;
  if (O.List.empty())
    if (const std::string Wrong =
            readKernel(O.Candidates[0], C.Original, Unused);
        !Wrong.empty())
      return problem(Wrong, ExitUsage);
  return report(O, C,
                replayAll(O, C, {Arguments + 1, Arguments + ArgumentCount}));
}
