//===-- ManPage.cpp - bankstripe man-page ---------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tool/Describe.h"
#include "tool/Version.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"

using namespace bankstripe;
using llvm::raw_ostream;
using llvm::StringRef;

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
