//===-- Describe.cpp - the command line, described
//-------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What --help begins with, the man page, and scripts that complete the command
// line in a shell: commands, their options, the values of those, and files.
//
//===----------------------------------------------------------------------===//

#include "tool/Describe.h"
#include "tool/Options.h"
#include "tool/Version.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <map>

using namespace bankstripe;
using llvm::raw_ostream;
using llvm::StringRef;

llvm::StringRef bankstripe::overviewText() {
  return R"(bankstripe moves private CUDA arrays from local memory into bank-striped shared memory

  A PATH is a CUDA file, or a folder: every .cu file in it, or with -p the
  entries of BUILD_DIR/compile_commands.json that lie in it. What follows -- is
  handed to the compiler, for nvcc or Clang alike.

  What a project has decided about its arrays stands in .bankstripe.yaml, in the
  folder of a source or above it; see docs/decisions.md.

EXAMPLES:
  bankstripe analyze src/                     what would happen, and why
  bankstripe rewrite src/kernel.cu            the change as a diff
  bankstripe rewrite --in-place -p build src/ make it
  bankstripe rewrite --check src/             for continuous integration
  bankstripe analyze --format=sarif src/      for code hosts (docs/ci.md)
  bankstripe rewrite --export-fixes=fixes/bankstripe.yaml src/
  bankstripe rewrite --output-dir=build/striped src/
  bankstripe rewrite --layout=slot src/       every array that moves gets a slot
  bankstripe analyze --no-config src/         as if nothing had been decided
  bankstripe analyze a.cu -- -std=c++17 -Iinclude -arch=sm_90
  bankstripe verify a.cu -- -O3               prove and time it on the GPU
  bankstripe verify -- ./app 9 --vs ./new 9   two commands: bankstripe-verify
  bankstripe replay wrong.capture             one launch again: bankstripe-replay
  bankstripe tune a.cu b.cu -- -O3            measure what is best, and keep it
  bankstripe tune --build=make --program=app src/

  A large tree in pieces, on many machines (docs/facts.md):
  bankstripe facts -o a.json -p build --scope=src src/a.cu      and so on
  bankstripe merge-facts -o all.json a.json b.json
  bankstripe rewrite --facts=all.json --output-dir=striped src/a.cu

  Before the compiler of a build, which rewrites on the way (docs/wrap.md):
  bankstripe wrap nvcc -c a.cu -o a.o

EXIT CODES:
  0 done   1 --check found changes, or verification failed   2 bad usage
  3 some file could not be processed (the others still were)
)";
}

//===----------------------------------------------------------------------===//
// The man page
//===----------------------------------------------------------------------===//

// A dash is a minus, which can be copied, and no line begins with what roff
// takes for a request.
static std::string roff(StringRef Text) {
  std::string Result;
  if (Text.starts_with(".") || Text.starts_with("'"))
    Result = "\\&";
  for (char C : Text) {
    if (C == '-')
      Result += '\\';
    Result += C == '\\' ? "\\e" : std::string(1, C);
  }
  return Result;
}

static void printOption(raw_ostream &OS, const OptionText &Option) {
  OS << ".TP\n.B " << roff(Option.spelled());
  if (!Option.Value.empty())
    OS << (Option.Name.size() > 1 ? "=" : " ") << roff(Option.Value);
  OS << '\n' << roff(Option.Help) << ".\n";
  for (const auto &[Name, Meaning] : Option.Choices)
    OS << ".br\n.B " << roff(Name) << "\n: " << roff(Meaning) << '\n';
}

static void printUsage(raw_ostream &OS, const CommandText &Command) {
  OS << ".B bankstripe " << roff(Command.Name) << '\n';
  if (!Command.Options.empty())
    OS << "[options]\n";
  if (!Command.Arguments.empty())
    OS << roff(Command.Arguments) << '\n';
}

static void printCommand(raw_ostream &OS, const CommandText &Command) {
  OS << ".SS bankstripe " << roff(Command.Name) << '\n'
     << roff(Command.Help) << ".\n.PP\n";
  printUsage(OS, Command);
  for (const OptionText &Option : Command.Options)
    printOption(OS, Option);
}

// Paragraphs, with headings in capitals and examples as they are.
static void printOverview(raw_ostream &OS) {
  llvm::SmallVector<StringRef, 64> Lines;
  overviewText().split(Lines, '\n');
  bool AsIs = false;
  for (size_t I = 1; I < Lines.size(); ++I) { // The first is the name's.
    StringRef Line = Lines[I];
    const bool IsHeading = Line.ends_with(":") && !Line.starts_with(" ");
    if (IsHeading) {
      OS << (AsIs ? ".fi\n" : "") << ".SH " << Line.drop_back() << "\n.nf\n";
      AsIs = true;
    } else if (Line.empty()) {
      OS << (AsIs ? "\n" : ".PP\n");
    } else {
      OS << roff(AsIs ? Line : Line.ltrim()) << '\n';
    }
  }
  OS << (AsIs ? ".fi\n" : "");
}

static constexpr llvm::StringLiteral Ending = R"(.SH ENVIRONMENT
.TP
.B CUDA_HOME, CUDA_PATH
Where the CUDA toolkit is, unless \-\-cuda\-path says so.
.TP
.B BANKSTRIPE_DISABLE, BANKSTRIPE_VERBOSE, BANKSTRIPE_FLAGS, BANKSTRIPE_FACTS
What the launcher
.B bankstripe wrap
obeys.
.SH FILES
.TP
.I .bankstripe.yaml
What a project has decided about its arrays, for the sources in its folder and below.
.TP
.I bankstripe.cuh
The header that rewritten code includes, written beside it.
.SH SEE ALSO
.BR nvcc (1),
.BR clang (1)
.PP
The documents that are installed with it:
.IR wrap.md ,
.IR cmake.md ,
.IR decisions.md ,
.IR verdicts.md
and others.
)";

void bankstripe::printManPage(raw_ostream &OS) {
  OS << ".TH BANKSTRIPE 1 \"\" \"bankstripe " BANKSTRIPE_VERSION
        "\" \"User Commands\"\n"
        ".SH NAME\nbankstripe \\- move private CUDA arrays into bank\\-striped "
        "shared memory\n"
        ".SH SYNOPSIS\n";
  const std::vector<CommandText> Commands = describeCommands();
  for (const CommandText &Command : Commands) {
    printUsage(OS, Command);
    OS << ".br\n";
  }
  OS << ".SH DESCRIPTION\n";
  printOverview(OS);
  OS << ".SH COMMANDS\n";
  for (const CommandText &Command : Commands)
    printCommand(OS, Command);
  OS << Ending;
}

//===----------------------------------------------------------------------===//
// Completions
//===----------------------------------------------------------------------===//

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
