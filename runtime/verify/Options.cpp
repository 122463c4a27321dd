//===-- Options.cpp - the command line of bankstripe-verify ---------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "verify/Options.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>

using namespace bankstripe::runtime;

static const char Description[] =
    R"(Compares a rewritten CUDA program with its original: what every launch leaves
in device memory, the output, and how long the kernels take.

  bankstripe-verify [OPTIONS] -- ORIGINAL ARGS... --vs REWRITTEN ARGS...
  bankstripe-verify [OPTIONS] ORIGINAL REWRITTEN [-- ARGS...]

A command is a program or a script that starts it; it is looked for in PATH.)";

static const char Details[] =
    R"(Programs run with an empty standard input, in the current folder, one after the
other. docs/guide/verify.md says what is compared, and when.

Exit status: 0 identical, 1 differs or the rewritten program failed, 2 bad
usage, 3 no GPU or nothing could be recorded.

Examples:
  bankstripe-verify -- ./sort 1000000 --vs ./sort.striped 1000000
  bankstripe-verify --runs=9 ./sort ./sort.striped -- 1000000
  bankstripe-verify --all ./sort ./sort.striped
)";

// Looks for the program of a command. \returns what is wrong; empty when
// nothing is.
static std::string locate(Command &Of) {
  const char *SearchPath = std::getenv("PATH");
  const std::string Found =
      findProgram(Of.Program, SearchPath ? SearchPath : "");
  if (Found.empty())
    return "'" + Of.Program + "' is not a program that can be run";
  Of.Program = Found;
  return "";
}

static std::string readCommands(Options &O,
                                const std::vector<std::string> &Programs,
                                const std::vector<std::string> &Rest) {
  if (Programs.size() == 1)
    return "the rewritten program is missing after '" + Programs[0] + "'";
  if (Programs.empty()) {
    if (std::string Problem = splitCommands(Rest, O); !Problem.empty())
      return Problem;
  } else {
    O.Original = {Programs[0], Rest};
    O.Rewritten = {Programs[1], Rest};
  }
  const std::string Problem = locate(O.Original);
  return Problem.empty() ? locate(O.Rewritten) : Problem;
}

static std::string readCommand(SurveyOptions &O,
                               const std::vector<std::string> &Programs,
                               const std::vector<std::string> &Rest) {
  if (!Programs.empty() || Rest.empty())
    return "--survey: give one command, behind '--'";
  O.Program = {Rest.front(), {Rest.begin() + 1, Rest.end()}};
  return locate(O.Program);
}

// What is compared after which launches, and how.
static void addDigestOptions(CLI::App &App, Options &O) {
  auto *First =
      App.add_option("--first", O.First,
                     "compare memory after so many launches of each kernel, "
                     "after those whose number is a power of two, and at the "
                     "end (default: 256)")
          ->check(CLI::Range(1, 1000000000).description(""))
          ->type_name("N");
  App.add_flag_callback(
         "--all", [&O] { O.First.reset(); },
         "compare memory after every launch, however long that takes")
      ->excludes(First);
}

static void addSurveyOptions(CLI::App &App, SurveyOptions &O) {
  auto *Folder =
      App.add_option("--survey", O.Folder,
                     "run one program only, say what it launches (--json), and "
                     "capture the launches that matter into this folder")
          ->check(CLI::ExistingDirectory.description(""))
          ->type_name("FOLDER");
  App.add_option("--kernel", O.Kernels,
                 "capture launches of this kernel, named by its symbol; may be "
                 "given several times")
      ->needs(Folder)
      ->type_name("SYMBOL");
  App.add_option("--max-capture", O.MostCaptured,
                 "gigabytes of memory that captures of a survey may hold "
                 "together (default: 16)")
      ->needs(Folder)
      ->check(CLI::Range(0.0, 1e6).description(""))
      ->type_name("GB");
  App.add_option("--end-after", O.EndAfter,
                 "end the run of a survey after so many seconds, once a launch "
                 "is captured")
      ->needs(Folder)
      ->check(CLI::Range(0.0, 1e9).description(""))
      ->type_name("SECONDS");
}

// What is run, and how often.
static void addRunOptions(CLI::App &App, Options &O,
                          std::vector<std::string> &Programs) {
  App.add_option("PROGRAM", Programs,
                 "the original program and the rewritten one, when both are "
                 "called with the same arguments")
      ->expected(0, 2);
  App.add_option("--runs", O.Runs,
                 "timed runs of each program; 0 for none (default: 5)")
      ->check(CLI::Range(0, 1000).description(""))
      ->type_name("N");
  App.add_option("--timeout", O.TimeoutSeconds,
                 "seconds that one run may take; 0 for no limit (default: 600)")
      ->check(CLI::Range(0.0, 1e9).description(""))
      ->type_name("SECONDS");
  App.add_option("--recorded", O.RecordedFolder,
                 "compare with the run of the original that a survey left in "
                 "this folder, by the digests and, with --runs=0, the times "
                 "that it has")
      ->check(CLI::ExistingDirectory.description(""))
      ->type_name("FOLDER");
  App.add_option("--repeats", O.Repeats,
                 "runs of the original where something differs, to see what it "
                 "does not reproduce (default: 2)")
      ->check(CLI::Range(2, 100).description(""))
      ->type_name("N");
}

// What is written where.
static void addOutputOptions(CLI::App &App, Options &O) {
  App.add_option("--json", O.JsonPath,
                 "write the result to this file; - for standard output")
      ->type_name("FILE");
  App.add_option("--html", O.HtmlPath,
                 "write the result to this file as a page that needs no "
                 "network; see docs/guide/report.md")
      ->type_name("FILE");
  App.add_option("--plan", O.PlanPath,
                 "show on the page what 'bankstripe rewrite --format=json' "
                 "wrote to this file")
      ->type_name("FILE");
}

std::variant<Options, SurveyOptions, Done>
bankstripe::runtime::parseOptions(int ArgumentCount,
                                  const char *const *Arguments) {
  Options O;
  SurveyOptions Surveyed;
  CLI::App App(Description, "bankstripe-verify");
  App.footer(Details);
  std::vector<std::string> Programs;
  addRunOptions(App, O, Programs);
  addOutputOptions(App, O);
  addDigestOptions(App, O);
  addSurveyOptions(App, Surveyed);

  const int Ours =
      static_cast<int>(std::find(Arguments + 1, Arguments + ArgumentCount,
                                 std::string_view("--")) -
                       Arguments);
  const std::vector<std::string> Rest(
      Arguments + std::min(Ours + 1, ArgumentCount), Arguments + ArgumentCount);
  if (const auto Ended = parseArguments(App, Ours, Arguments))
    return *Ended;
  const bool IsSurvey = !Surveyed.Folder.empty();
  Surveyed.TimeoutSeconds = O.TimeoutSeconds;
  Surveyed.JsonPath = O.JsonPath;
  const std::string Problem = IsSurvey ? readCommand(Surveyed, Programs, Rest)
                                       : readCommands(O, Programs, Rest);
  if (!Problem.empty())
    return usageError(App, Problem);
  if (IsSurvey)
    return Surveyed;
  return O;
}

std::string
bankstripe::runtime::splitCommands(const std::vector<std::string> &Words,
                                   Options &Into) {
  const std::string Separator = "--vs";
  const auto Middle = std::find(Words.begin(), Words.end(), Separator);
  if (Middle == Words.end())
    return "give two commands: -- ORIGINAL ARGS... --vs REWRITTEN ARGS...";
  if (std::find(Middle + 1, Words.end(), Separator) != Words.end())
    return "'--vs' stands there more than once; put a command that has it "
           "among its arguments into a script";
  if (Middle == Words.begin())
    return "the original command is missing before '--vs'";
  if (Middle + 1 == Words.end())
    return "the rewritten command is missing after '--vs'";
  Into.Original = {Words.front(), {Words.begin() + 1, Middle}};
  Into.Rewritten = {*(Middle + 1), {Middle + 2, Words.end()}};
  return "";
}
