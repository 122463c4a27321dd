//===-- CommandLine.cpp - what all command lines have in common -----------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "harness/CommandLine.h"
#include "contract/Terminal.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <sstream>
#include <sys/ioctl.h>
#include <unistd.h>

using namespace bankstripe;
using namespace bankstripe::runtime;
namespace fs = std::filesystem;

Done bankstripe::runtime::usageError(const CLI::App &App,
                                     const std::string &Message) {
  return {fmt::format("{0}: {1}\nrun {0} --help for the options\n",
                      App.get_name(), Message),
          ExitUsage};
}

// CLI11 does not know the terminal's width.
static void wrapDescriptions(CLI::App &App) {
  const char *Variable = std::getenv("COLUMNS");
  winsize Size = {};
  size_t Columns = Variable ? std::strtoul(Variable, nullptr, 10) : 0;
  if (!Columns && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &Size) == 0)
    Columns = Size.ws_col;
  const size_t Indent = App.get_formatter()->get_column_width();
  const size_t Room = std::max(Columns ? Columns : 80, Indent + 30) - Indent;
  for (CLI::Option *O : App.get_options())
    O->description(wrapped(O->get_description(), Room, 0));
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

int bankstripe::runtime::finish(const Done &Ended) {
  std::fputs(Ended.Text.c_str(),
             Ended.Status == ExitIdentical ? stdout : stderr);
  return Ended.Status;
}

int bankstripe::runtime::fail(const char *Program, const std::string &Problem,
                              int Status) {
  std::fprintf(stderr, "%s: %s\n", Program, printable(Problem).c_str());
  return Status;
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
