//===-- Completion.cpp - bankstripe completion ----------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scripts that complete the command line in a shell: commands, their options,
// the values of those, and files.
//
//===----------------------------------------------------------------------===//

#include "tool/Describe.h"
#include "tool/Options.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

using namespace bankstripe;
using llvm::raw_ostream;
using llvm::StringRef;

static bool namesFolder(const OptionText &Option) {
  return StringRef(Option.Value).ends_with("DIR");
}

static bool namesFile(const OptionText &Option) {
  return Option.Value == "FILE" || Option.Value == "PATH";
}

static std::string choicesOf(const OptionText &Option) {
  std::vector<StringRef> Names;
  for (const auto &[Name, Meaning] : Option.Choices)
    Names.push_back(Name);
  return llvm::join(Names, " ");
}

static std::string commandNames(llvm::ArrayRef<CommandText> Commands) {
  std::vector<StringRef> Names;
  for (const CommandText &Command : Commands)
    Names.push_back(Command.Name);
  return llvm::join(Names, " ");
}

// \p Text for single quotes, with \p Apostrophe for one of its own, and without
// \p Special characters, which end or open something in descriptions.
static std::string quoted(StringRef Text, StringRef Apostrophe,
                          StringRef Special = "") {
  std::string Result;
  for (char C : Text)
    if (C == '\'')
      Result += Apostrophe;
    else if (!Special.contains(C))
      Result += C;
  return Result;
}

static std::string forZsh(StringRef Text, StringRef Special) {
  return quoted(Text, "'\\''", Special);
}

static std::string forFish(StringRef Text) { return quoted(Text, "\\'"); }

//===----------------------------------------------------------------------===//
// bash
//===----------------------------------------------------------------------===//

// The words before the cursor; bash takes `=` for a word of its own.
static constexpr llvm::StringLiteral BashBegin = R"(
_bankstripe() {
  local word=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]} i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; ++i)); do
    # What follows is the compiler's.
    if [[ ${COMP_WORDS[i]} == -- ]]; then
      compopt -o default
      return
    fi
  done
  if [[ $word == = ]]; then
    word=
  elif [[ $option == = ]]; then
    option=${COMP_WORDS[COMP_CWORD - 2]}
  fi
)";

static constexpr llvm::StringLiteral BashEnd = R"(
  if [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
    if [[ ${COMPREPLY[0]} == *= ]]; then
      compopt -o nospace
    fi
  else
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}
complete -F _bankstripe bankstripe
)";

static std::map<std::string, OptionText>
withValues(llvm::ArrayRef<CommandText> Commands) {
  std::map<std::string, OptionText> Result;
  for (const CommandText &Command : Commands)
    for (const OptionText &Option : Command.Options)
      if (!Option.Value.empty())
        Result.emplace(Option.spelled(), Option);
  return Result;
}

static void printBash(raw_ostream &OS, llvm::ArrayRef<CommandText> Commands) {
  OS << BashBegin << "  case $option in\n";
  for (const auto &[Name, Option] : withValues(Commands)) {
    OS << "  " << Name << ")\n";
    if (!Option.Choices.empty())
      OS << "    mapfile -t COMPREPLY < <(compgen -W \"" << choicesOf(Option)
         << "\" -- \"$word\")\n";
    else if (namesFolder(Option) || namesFile(Option))
      OS << "    compopt -o filenames\n    mapfile -t COMPREPLY < <(compgen "
         << (namesFolder(Option) ? "-d" : "-f") << " -- \"$word\")\n";
    OS << "    return ;;\n";
  }
  OS << "  esac\n"
        "  if ((COMP_CWORD == 1)); then\n"
        "    mapfile -t COMPREPLY < <(compgen -W \""
     << commandNames(Commands)
     << " --help --version\" -- \"$word\")\n"
        "    return\n"
        "  fi\n"
        "  local options=\n"
        "  case ${COMP_WORDS[1]} in\n";
  for (const CommandText &Command : Commands) {
    OS << "  " << Command.Name << ") options='";
    for (const OptionText &Option : Command.Options)
      OS << Option.spelled()
         << (Option.Value.empty() || Option.Name.size() == 1 ? " " : "= ");
    OS << "--help' ;;\n";
  }
  OS << "  esac" << BashEnd;
}

//===----------------------------------------------------------------------===//
// zsh
//===----------------------------------------------------------------------===//

static void printZshOption(raw_ostream &OS, const OptionText &Option) {
  const bool Assigned = !Option.Value.empty() && Option.Name.size() > 1;
  OS << "        '*" << Option.spelled() << (Assigned ? "=" : "") << '['
     << forZsh(Option.Help, "[]:") << ']';
  if (!Option.Value.empty()) {
    OS << ':' << forZsh(Option.Value, ":") << ':';
    if (!Option.Choices.empty())
      OS << '(' << choicesOf(Option) << ')';
    else if (namesFolder(Option))
      OS << "_files -/";
    else if (namesFile(Option))
      OS << "_files";
  }
  OS << "' \\\n";
}

static void printZsh(raw_ostream &OS, llvm::ArrayRef<CommandText> Commands) {
  OS << "\n_bankstripe() {\n"
        "  local -a commands=(\n";
  for (const CommandText &Command : Commands)
    OS << "    '" << Command.Name << ':' << forZsh(Command.Help, ":") << "'\n";
  OS << "  )\n"
        "  if ((CURRENT == 2)); then\n"
        "    _describe command commands\n"
        "    _arguments '--help[Show the options]' '--version[Show the "
        "version]'\n"
        "    return\n"
        "  fi\n"
        "  local command=$words[2]\n"
        "  shift words\n"
        "  ((--CURRENT))\n"
        "  case $command in\n";
  for (const CommandText &Command : Commands) {
    OS << "    " << Command.Name << ")\n      _arguments \\\n";
    for (const OptionText &Option : Command.Options)
      printZshOption(OS, Option);
    OS << "        '--help[Show the options]' '*:"
       << forZsh(Command.Arguments, ":") << ":_files' ;;\n";
  }
  OS << "  esac\n}\n\n_bankstripe \"$@\"\n";
}

//===----------------------------------------------------------------------===//
// fish
//===----------------------------------------------------------------------===//

static void printFish(raw_ostream &OS, llvm::ArrayRef<CommandText> Commands) {
  OS << "\ncomplete -c bankstripe -n __fish_use_subcommand -f\n"
        "complete -c bankstripe -l help -d 'Show the options'\n"
        "complete -c bankstripe -n __fish_use_subcommand -l version -d 'Show "
        "the version'\n";
  for (const CommandText &Command : Commands) {
    OS << "complete -c bankstripe -n __fish_use_subcommand -a " << Command.Name
       << " -d '" << forFish(Command.Help) << "'\n";
    for (const OptionText &Option : Command.Options) {
      OS << "complete -c bankstripe -n '__fish_seen_subcommand_from "
         << Command.Name << "' " << (Option.Name.size() > 1 ? "-l " : "-s ")
         << Option.Name;
      if (!Option.Choices.empty())
        OS << " -x -a '" << choicesOf(Option) << '\'';
      else if (namesFolder(Option))
        OS << " -x -a '(__fish_complete_directories)'";
      else if (!Option.Value.empty())
        OS << (namesFile(Option) ? " -r" : " -x");
      OS << " -d '" << forFish(Option.Help) << "'\n";
    }
  }
}

int bankstripe::printCompletion(StringRef Shell, raw_ostream &OS) {
  const std::vector<CommandText> Commands = describeCommands();
  if (Shell != "bash" && Shell != "zsh" && Shell != "fish") {
    llvm::errs() << "bankstripe: completion is there for bash, zsh and fish; "
                    "give one of them\n";
    return ExitUsage;
  }
  if (Shell == "zsh")
    OS << "#compdef bankstripe\n";
  OS << "# Completion for " << Shell << ", written by 'bankstripe completion "
     << Shell << "'.\n";
  if (Shell == "bash")
    printBash(OS, Commands);
  else if (Shell == "zsh")
    printZsh(OS, Commands);
  else
    printFish(OS, Commands);
  return ExitDone;
}
