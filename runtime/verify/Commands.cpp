//===-- Commands.cpp - the two commands that are compared -----------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "verify/Commands.h"
#include <algorithm>
#include <filesystem>
#include <unistd.h>

using namespace bankstripe::runtime;
namespace fs = std::filesystem;

static bool isPlain(char C) {
  return (C >= 'a' && C <= 'z') || (C >= 'A' && C <= 'Z') ||
         (C >= '0' && C <= '9') ||
         std::string_view("_-+=./:,@%^").find(C) != std::string_view::npos;
}

static std::string quoted(const std::string &Word) {
  if (!Word.empty() && std::all_of(Word.begin(), Word.end(), isPlain))
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

std::variant<CommandPair, CommandError>
bankstripe::runtime::splitCommands(const std::vector<std::string> &Words,
                                   const std::string &Separator) {
  const auto Middle = std::find(Words.begin(), Words.end(), Separator);
  if (Middle == Words.end())
    return CommandError{"give two commands: -- ORIGINAL ARGS... " + Separator +
                        " REWRITTEN ARGS..."};
  if (std::find(Middle + 1, Words.end(), Separator) != Words.end())
    return CommandError{"'" + Separator +
                        "' stands there more than once; name another word "
                        "with --separator and put that between the commands"};
  if (Middle == Words.begin())
    return CommandError{"the original command is missing before '" + Separator +
                        "'"};
  if (Middle + 1 == Words.end())
    return CommandError{"the rewritten command is missing after '" + Separator +
                        "'"};
  return CommandPair{{Words.front(), {Words.begin() + 1, Middle}},
                     {*(Middle + 1), {Middle + 2, Words.end()}}};
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
    if (std::string Path = Folder + "/" + Name; canRun(Path))
      return Path;
    At = End + 1;
  }
  return "";
}
