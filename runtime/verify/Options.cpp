//===-- Options.cpp - the command line of bankstripe-verify ---------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "verify/Options.h"
#include "contract/Terminal.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <sstream>
#include <sys/ioctl.h>
#include <unistd.h>

using namespace bankstripe::runtime;
namespace fs = std::filesystem;

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

Done bankstripe::runtime::usageError(const CLI::App &App,
                                     const std::string &Message) {
  return {fmt::format("{0}: {1}\nrun {0} --help for the options\n",
                      App.get_name(), Message),
          ExitUsage};
}

// CLI11 does not know the terminal's width.
static void wrapDescriptions(CLI::App &App) {
  const char *Given = std::getenv("COLUMNS");
  winsize Size = {};
  size_t Columns = Given ? std::strtoul(Given, nullptr, 10) : 0;
  if (!Columns && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &Size) == 0)
    Columns = Size.ws_col;
  const size_t Indent = App.get_formatter()->get_column_width();
  const size_t Room = std::max(Columns ? Columns : 80, Indent + 30) - Indent;
  for (CLI::Option *O : App.get_options())
    O->description(bankstripe::wrapped(O->get_description(), Room, 0));
}

std::optional<Done>
bankstripe::runtime::parseArguments(CLI::App &App, int ArgumentCount,
                                    const char *const *Arguments) {
  wrapDescriptions(App);
  App.set_version_flag("--version", App.get_name() + " " + BANKSTRIPE_VERSION);
  try {
    App.parse(ArgumentCount, Arguments);
  } catch (const CLI::ParseError &Error) {
    std::ostringstream Text;
    return App.exit(Error, Text, Text) == 0 ? Done{Text.str()}
                                            : usageError(App, Error.what());
  }
  return std::nullopt;
}

// \returns what is wrong; empty when nothing is.
static std::string readCommands(Options &O,
                                const std::vector<std::string> &Programs,
                                const std::vector<std::string> &Rest) {
  if (!O.SurveyFolder.empty()) {
    if (!Programs.empty() || Rest.empty())
      return "--survey: give one command, behind '--'";
    O.Original = O.Rewritten = {Rest.front(), {Rest.begin() + 1, Rest.end()}};
  } else if (Programs.size() == 1) {
    return "the rewritten program is missing after '" + Programs[0] + "'";
  } else if (Programs.empty()) {
    if (std::string Problem = splitCommands(Rest, O); !Problem.empty())
      return Problem;
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

// What is compared after which launches, and how.
static void addDigestOptions(CLI::App &App, Options &O) {
  auto *Budget =
      App.add_option("--budget", O.Budget,
                     "how many gigabytes of memory the comparing may read in "
                     "a run (default: 4000); the first launches of each kernel "
                     "and what is left at the end are compared in any case")
          ->check(CLI::Range(0.0, 1e12).description(""))
          ->type_name("GB");
  App.add_flag_callback(
         "--all", [&O] { O.Budget.reset(); },
         "compare memory after every launch, however much it is")
      ->excludes(Budget);
}

static void addSurveyOptions(CLI::App &App, Options &O) {
  auto *Folder =
      App.add_option("--survey", O.SurveyFolder,
                     "run one program only, say what it launches (--json), and "
                     "capture the launches that matter into this folder")
          ->check(CLI::ExistingDirectory.description(""))
          ->type_name("FOLDER");
  App.add_option("--kernel", O.SurveyedKernels,
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

std::variant<Options, Done>
bankstripe::runtime::parseOptions(int ArgumentCount,
                                  const char *const *Arguments) {
  Options O;
  CLI::App App(Description, "bankstripe-verify");
  App.footer(Details);
  std::vector<std::string> Programs;
  addRunOptions(App, O, Programs);
  addOutputOptions(App, O);
  addDigestOptions(App, O);
  addSurveyOptions(App, O);

  const int Ours =
      static_cast<int>(std::find(Arguments + 1, Arguments + ArgumentCount,
                                 std::string_view("--")) -
                       Arguments);
  const std::vector<std::string> Rest(
      Arguments + std::min(Ours + 1, ArgumentCount), Arguments + ArgumentCount);
  if (const auto Told = parseArguments(App, Ours, Arguments))
    return *Told;
  if (const std::string Problem = readCommands(O, Programs, Rest);
      !Problem.empty())
    return usageError(App, Problem);
  return O;
}

std::string bankstripe::runtime::findRecorder() {
  std::error_code Error;
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

static std::string quoted(const std::string &Word) {
  constexpr char Plain[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
      "0123456789_-+=./:,@%^";
  if (!Word.empty() && Word.find_first_not_of(Plain) == std::string::npos)
    return Word;
  std::string Text = "'";
  for (const char C : Word)
    if (C == '\'')
      Text += "'\\''";
    else
      Text += C;
  return Text + "'";
}

std::string Command::text() const {
  std::string Text = quoted(Program);
  for (const std::string &Argument : Arguments)
    Text += ' ' + quoted(Argument);
  return Text;
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

static bool canRun(const std::string &Path) {
  std::error_code Error;
  return ::access(Path.c_str(), X_OK) == 0 && !fs::is_directory(Path, Error);
}

std::string bankstripe::runtime::findProgram(const std::string &Name,
                                             const std::string &SearchPath) {
  if (Name.find('/') != std::string::npos)
    return canRun(Name) ? Name : "";
  for (size_t At = 0; At <= SearchPath.size() && !Name.empty();) {
    const size_t End = std::min(SearchPath.find(':', At), SearchPath.size());
    // An empty entry is the current folder.
    const std::string Folder =
        End == At ? "." : SearchPath.substr(At, End - At);
    std::string Path = Folder;
    Path.append("/").append(Name);
    if (canRun(Path))
      return Path;
    At = End + 1;
  }
  return "";
}
