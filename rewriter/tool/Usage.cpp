//===-- Usage.cpp - what --help and bad command lines print ---------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tool/Usage.h"
#include "frontend/CompilerOptions.h"
#include "report/Terminal.h"
#include "tool/Version.h"
#include "clang/Basic/Version.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/raw_ostream.h"
#include <set>

using namespace bankstripe;
namespace cl = llvm::cl;

static constexpr llvm::StringLiteral Overview =
    "moves per-thread CUDA arrays from local memory into shared memory\n";

static constexpr llvm::StringLiteral AboutPaths = R"(
  A PATH is a CUDA file, or a folder: every .cu file in it.
  compile_commands.json says how each file is compiled. It is looked for in the
  folders above a PATH and in build*/ beside one of these; -p names its folder,
  and then its entries below a PATH are read, without a PATH all of them.
  Compiler options behind '--' are used instead, as for nvcc or Clang.

  Per-array decisions live in .bankstripe.yaml, in the folder of a source or
  above it; see docs/guide/configuration.md.
)";

static constexpr llvm::StringLiteral AboutWrap = R"(
  Options come before COMPILER, values after '=':
  bankstripe wrap --block-size=256 nvcc -c a.cu -o a.o

  BANKSTRIPE_FLAGS       options, if the command names none
  BANKSTRIPE_VERBOSE=1   say what was left alone, and why
  BANKSTRIPE_DISABLE=1   run every command as it is
  BANKSTRIPE_CACHE_DIR   where results are kept (default: ~/.cache/bankstripe)
  BANKSTRIPE_CACHE_SIZE  the largest size of that folder (default: 1G)
)";

static constexpr llvm::StringLiteral Examples = R"(
EXAMPLES:
  bankstripe analyze src/                     what would happen, and why
  bankstripe rewrite src/kernel.cu            the change as a diff
  bankstripe rewrite --in-place -p build src/ change the files
  bankstripe undo src/                        take that back
  bankstripe rewrite - <kernel.cu >new.cu     a source, with the helper in it
  bankstripe rewrite --check src/             for continuous integration
  bankstripe analyze --format=sarif src/      for code hosts (docs/guide/ci.md)
  bankstripe rewrite --output-dir=build/striped src/
  bankstripe rewrite --layout=slot src/       every array that moves gets a slot
  bankstripe analyze --no-config src/         without the decisions
  bankstripe analyze a.cu -- -std=c++17 -Iinclude -arch=sm_90
  bankstripe verify a.cu -- -O3               compare and time it on the GPU
  bankstripe verify -- ./app 9 --vs ./new 9   two commands: bankstripe-verify
  bankstripe replay captures/0-0              one launch again
  bankstripe tune a.cu b.cu -- -O3            measure what is best, and keep it
  bankstripe tune --build=make -- app 1000    measure a project's program
  bankstripe reason over-budget               what a reason in brackets means

  Before the compiler of a build (docs/guide/build.md):
  bankstripe wrap nvcc -c a.cu -o a.o

EXIT CODES:
  0 done   1 --check found changes, or verification failed
  2 bad usage, or a decisions file that cannot be obeyed
  3 some file could not be processed (the others still were, but nothing is
    written without --keep-going)
)";

void bankstripe::printVersion(llvm::raw_ostream &OS) {
  OS << "bankstripe " BANKSTRIPE_VERSION " (Clang " CLANG_VERSION_STRING ")\n";
}

// LLVM prints a description as it is, and does not know the terminal's width.
static void wrapDescriptions(cl::SubCommand &S) {
  size_t Indent = 0;
  std::set<cl::Option *> Shown;
  for (const auto &Entry : cl::getRegisteredOptions(S))
    if (Entry.second->getOptionHiddenFlag() == cl::NotHidden &&
        Shown.insert(Entry.second).second)
      Indent = std::max(Indent, Entry.second->getOptionWidth());
  const unsigned Columns = columnsOf(llvm::outs());
  const size_t Room =
      std::max<size_t>(Columns ? Columns : 80, Indent + 30) - Indent - 4;
  static llvm::BumpPtrAllocator Memory;
  static llvm::StringSaver Texts(Memory);
  for (cl::Option *O : Shown)
    O->setDescription(Texts.save(wrapped(O->HelpStr, Room, /*Indent=*/0)));
}

std::string bankstripe::prepareHelp(llvm::ArrayRef<const char *> Words,
                                    cl::OptionCategory &Category,
                                    const cl::Option &Paths) {
  const llvm::StringRef Asked = Words.size() > 1 ? Words[1] : "";
  cl::HideUnrelatedOptions(Category);
  // LLVM shows it, and its own text is too long.
  cl::getRegisteredOptions()["help-list"]->setDescription(
      "List the options in one order");
  if (Asked.empty() || Asked.starts_with("-"))
    return (Overview + AboutPaths + Examples).str();
  bool TakesPaths = false;
  for (cl::SubCommand *S : cl::getRegisteredSubcommands()) {
    cl::HideUnrelatedOptions(Category, *S);
    if (S->getName() != Asked)
      continue;
    TakesPaths = Paths.Subs.contains(S);
    if (llvm::any_of(Words, [](llvm::StringRef Word) {
          return Word == "--help" || Word == "-h";
        }))
      wrapDescriptions(*S);
  }
  return (Overview + (TakesPaths        ? AboutPaths
                      : Asked == "wrap" ? AboutWrap
                                        : llvm::StringLiteral("")))
      .str();
}

// What to do about an argument that no option reads; empty for a typing error.
static std::string hintFor(llvm::StringRef Argument,
                           llvm::ArrayRef<const char *> Words) {
  if (Words.size() > 1 && Argument == Words[1] && Argument.starts_with("-"))
    return "options follow the command: bankstripe COMMAND " + Argument.str();
  if (startsWithAny(Argument,
                    "-I -D -U -L -l -O -W -X -f -m -G -g -std --std -arch "
                    "--gpu-arch -gencode --generate-code -ccbin -rdc "
                    "-use_fast_math --use_fast_math --expt- --extended- "
                    "-isystem -include -lineinfo"))
    return "options of the compiler follow '--': bankstripe COMMAND PATH "
           "-- " +
           Argument.str();
  const llvm::StringRef Name = Argument.ltrim('-').split('=').first;
  std::string Owners;
  for (cl::SubCommand *S : cl::getRegisteredSubcommands())
    if (!S->getName().empty() && cl::getRegisteredOptions(*S).count(Name))
      Owners += (Owners.empty() ? "it belongs to 'bankstripe " : ", '") +
                S->getName().str() + "'";
  return Owners;
}

// One line of what LLVM says of a mistake; what follows from it are no others.
// (That a value is bad, it has printed by itself.)
void bankstripe::printMistake(llvm::StringRef Errors,
                              llvm::ArrayRef<const char *> Words) {
  if (Errors.empty())
    return;
  auto [First, Rest] = Errors.trim().split('\n');
  llvm::errs() << First.trim().split(".  Try: ").first;
  const llvm::StringRef Argument = First.split("argument '").second;
  if (auto Hint = hintFor(Argument.split('\'').first, Words); !Hint.empty()) {
    llvm::errs() << "; " << printable(Hint) << '\n';
    return;
  }
  if (Rest.consume_front("bankstripe: Did you mean "))
    llvm::errs() << "; did you mean " << Rest.split('?').first << '?';
  llvm::errs() << "; see bankstripe --help\n";
}
