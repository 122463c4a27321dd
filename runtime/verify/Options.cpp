//===-- Options.cpp - the command line of bankstripe-verify ---------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "verify/Options.h"
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <sstream>

using namespace bankstripe::runtime;

static const char Description[] =
    R"(Compares a rewritten CUDA program with its original: what every launch leaves
in device memory, the output, and how long the kernels take.

  bankstripe-verify [OPTIONS] -- ORIGINAL ARGS... --vs REWRITTEN ARGS...
  bankstripe-verify [OPTIONS] ORIGINAL REWRITTEN [-- ARGS...]

A command is a program or a script that starts it; it is looked for in PATH.)";

static const char Details[] =
    R"(The original runs twice or more as a control, so that what it does not
reproduce itself is not held against the rewritten program. Programs run with an
empty standard input, in the current folder, one after the other. Device memory
is filled with the byte 0xA5 when it is allocated, in the runs that are compared.

Exit status: 0 identical, 1 differs or the rewritten program failed, 2 bad usage,
3 no GPU or nothing could be recorded.

Examples:
  bankstripe-verify -- ./sort 1000000 --vs ./sort.striped 1000000
  bankstripe-verify --runs=9 ./sort ./sort.striped -- 1000000
  bankstripe-verify -- python3 train.py --vs env NEW=1 python3 train.py
)";

static std::variant<Options, Done> usageError(const std::string &Message) {
  return Done{"bankstripe-verify: " + Message +
                  "\nrun bankstripe-verify --help for the options\n",
              ExitUsage};
}

// \returns what is wrong; empty when nothing is.
static std::string readCommands(Options &O,
                                const std::vector<std::string> &Programs,
                                const std::vector<std::string> &Rest,
                                const std::string &Separator) {
  if (Programs.size() == 1)
    return "the rewritten program is missing after '" + Programs[0] + "'";
  if (Programs.empty()) {
    auto Split = splitCommands(Rest, Separator);
    if (const auto *Error = std::get_if<CommandError>(&Split))
      return Error->Message;
    O.Original = std::move(std::get<CommandPair>(Split).Original);
    O.Rewritten = std::move(std::get<CommandPair>(Split).Rewritten);
  } else {
    O.Original = {Programs[0], Rest};
    O.Rewritten = {Programs[1], Rest};
  }
  const char *SearchPath = std::getenv("PATH");
  for (Command *C : {&O.Original, &O.Rewritten}) {
    const std::string Found =
        findProgram(C->Program, SearchPath ? SearchPath : "");
    if (Found.empty())
      return "'" + C->Program + "' is not a program that can be run";
    C->Program = Found;
  }
  return "";
}

std::variant<Options, Done>
bankstripe::runtime::parseOptions(int ArgumentCount,
                                  const char *const *Arguments) {
  Options O;
  CLI::App App(Description, "bankstripe-verify");
  App.footer(Details);
  App.set_version_flag("--version",
                       std::string("bankstripe-verify ") + BANKSTRIPE_VERSION);
  std::vector<std::string> Programs;
  App.add_option("PROGRAM", Programs,
                 "the original program and the rewritten one, when both are "
                 "called with the same arguments")
      ->expected(0, 2);
  std::string Separator = DefaultSeparator;
  App.add_option("--separator", Separator,
                 "what stands between the two commands (default: --vs)");
  App.add_option("--recorder", O.Recorder,
                 "the recorder library (default: beside this program, or in "
                 "../lib)");
  App.add_option("--runs", O.Runs,
                 "timed runs of each program; 0 for none (default: 5)")
      ->check(CLI::Range(0, 1000));
  App.add_option("--timeout", O.TimeoutSeconds,
                 "seconds that one run may take; 0 for no limit (default: 600)")
      ->check(CLI::Range(0.0, 1e9));
  App.add_option("--json", O.JsonPath,
                 "write the result to this file; - for standard output");
  App.add_option("--html", O.HtmlPath,
                 "write the result to this file as a page that needs no "
                 "network; see docs/report.md");
  App.add_option("--plan", O.PlanPath,
                 "show on the page what 'bankstripe rewrite --format=json' "
                 "wrote to this file");
  App.add_flag("--expect-output", O.ExpectOutput,
               "fail when the original prints nothing, or not the same twice");
  App.add_option("--lock", O.LockPath,
                 "lock this file during the timed runs, so that others on the "
                 "same GPU wait");
  App.add_option("--originals", O.Originals,
                 "keep the recordings of the original program in this folder, "
                 "and use those that an earlier call with the same program and "
                 "arguments left there");

  const int Ours =
      static_cast<int>(std::find(Arguments + 1, Arguments + ArgumentCount,
                                 std::string_view("--")) -
                       Arguments);
  const std::vector<std::string> Rest(
      Arguments + std::min(Ours + 1, ArgumentCount), Arguments + ArgumentCount);
  try {
    App.parse(Ours, Arguments);
  } catch (const CLI::ParseError &Error) {
    std::ostringstream Text;
    if (App.exit(Error, Text, Text) == 0)
      return Done{Text.str(), ExitIdentical};
    return usageError(Error.what());
  }
  if (const std::string Problem = readCommands(O, Programs, Rest, Separator);
      !Problem.empty())
    return usageError(Problem);
  return O;
}

std::string bankstripe::runtime::findRecorder(const std::string &Given) {
  namespace fs = std::filesystem;
  std::error_code Error;
  if (!Given.empty())
    return fs::is_regular_file(Given, Error) ? fs::absolute(Given).string()
                                             : std::string();
  const fs::path Self = fs::read_symlink("/proc/self/exe", Error);
  const fs::path Folder = Self.parent_path();
  const char *Name = "libbankstripe-recorder.so";
  for (const fs::path &Candidate :
       {Folder / Name, Folder.parent_path() / "lib" / Name,
        Folder.parent_path() / BANKSTRIPE_PRIVATE_FOLDER / Name})
    if (fs::is_regular_file(Candidate, Error))
      return Candidate.string();
  return {};
}
