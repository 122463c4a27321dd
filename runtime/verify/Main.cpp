//===-- Main.cpp - bankstripe-verify --------------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//     options -> recordings of both programs -> comparison, statistics -> text
//     options -> recording and captures of one program -> survey
//
//===----------------------------------------------------------------------===//

#include "contract/Process.h"
#include "contract/Terminal.h"
#include "harness/Driver.h"
#include "harness/Json.h"
#include "page/Page.h"
#include "recording/Records.h"
#include "verify/Session.h"
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fmt/chrono.h>
#include <unistd.h>

using namespace bankstripe;
using namespace bankstripe::runtime;

static int problem(const std::string &Text, int Status) {
  return fail("bankstripe-verify", Text, Status);
}

// Rewrites one line of a terminal; silent elsewhere.
static void showStep(const std::string &Step) {
  if (::isatty(STDERR_FILENO))
    std::fprintf(stderr, "\r\033[K%s%s", printable(Step).c_str(),
                 Step.empty() ? "" : "...");
}

// Before anything is run, so that no time is lost over a wrong file. \returns
// what is wrong.
static std::string readPlan(const std::string &Path, std::string &Plan) {
  if (Path.empty())
    return "";
  const std::optional<std::string> Text = readFile(Path);
  if (!Text)
    return "cannot read '" + Path + "'";
  Plan = *Text;
  const std::string Problem = whyNoPlan(Plan);
  return Problem.empty() ? "" : "'" + Path + "' is no plan: " + Problem;
}

static std::string timeNow() {
  return fmt::format("{:%Y-%m-%d %H:%M UTC}", fmt::gmtime(std::time(nullptr)));
}

static int surveyProgram(const SurveyOptions &O, const std::string &Recorder) {
  const Survey Found = survey(O, Recorder, showStep);
  showStep("");
  if (!Found.Problem.empty())
    return problem(Found.Problem, ExitCannotRecord);
  const std::string Path = O.JsonPath.empty() ? "-" : O.JsonPath;
  return writeFile(Path, jsonText(jsonOf<SurveyResult>(Found)))
             ? ExitIdentical
             : problem("cannot write '" + Path + "'", ExitUsage);
}

static int verifyPrograms(const Options &O, const std::string &Recorder,
                          PageInputs Page) {
  const VerifyReport Report = verify(O, Recorder, showStep);
  showStep("");
  if (O.JsonPath != "-")
    std::fputs(printable(printReport(Report)).c_str(), stdout);
  Page.Verification = jsonReport(Report);
  Page.Time = timeNow();
  if (!O.JsonPath.empty() && !writeFile(O.JsonPath, Page.Verification))
    return problem("cannot write '" + O.JsonPath + "'", ExitUsage);
  if (!O.HtmlPath.empty() && !writeFile(O.HtmlPath, htmlPage(Page)))
    return problem("cannot write '" + O.HtmlPath + "'", ExitUsage);
  return Report.Verdict;
}

int main(int ArgumentCount, char **Arguments) {
  // Programs that choose between kernels and their versions run these.
  ::setenv("BANKSTRIPE_CHOICE", "version", /*overwrite=*/0);
  const auto Parsed = parseOptions(ArgumentCount, Arguments);
  if (const auto *Ended = std::get_if<Done>(&Parsed))
    return finish(*Ended);
  const auto *Both = std::get_if<Options>(&Parsed);
  PageInputs Page;
  if (Both)
    if (const std::string Wrong = readPlan(Both->PlanPath, Page.Plan);
        !Wrong.empty())
      return problem(Wrong, ExitUsage);
  // The driver starts threads, which a process that starts others must not
  // have.
  if (const std::string Reason =
          bankstripe::Process(whyNoGpu, bankstripe::Output::Together)
              .wait()
              .Answer;
      !Reason.empty())
    return problem("there is no GPU to verify on: " + Reason, ExitCannotRecord);
  const std::string Recorder = findRecorder();
  if (Recorder.empty())
    return problem(
        "libbankstripe-recorder.so is neither beside this program nor "
        "in ../lib",
        ExitCannotRecord);
  return Both ? verifyPrograms(*Both, Recorder, std::move(Page))
              : surveyProgram(std::get<SurveyOptions>(Parsed), Recorder);
}
