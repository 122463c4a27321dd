//===-- Options.cpp - the command line of bankstripe-verify ---------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "verify/Options.h"
#include <CLI/CLI.hpp>
#include <filesystem>
#include <sstream>
#include <unistd.h>

using namespace bankstripe::runtime;

static const char Description[] =
    "Compares a rewritten CUDA program with its original: every launch, every\n"
    "byte of device memory after it, the output, and how long the kernels "
    "take.";

static const char Details[] =
    "The original runs twice as a control, so that what it does not reproduce\n"
    "itself is not held against the rewritten program. Programs run with an\n"
    "empty standard input, in the current folder, one after the other. Device\n"
    "memory is filled with the byte 0xA5 when it is allocated, in the runs "
    "that\n"
    "are compared.\n"
    "\n"
    "Exit status: 0 identical, 1 differs or the rewritten program failed,\n"
    "2 bad usage, 3 no GPU or nothing could be recorded.\n"
    "\n"
    "Example: bankstripe-verify --runs=9 ./sort ./sort.rewritten -- 1000000\n";

static std::variant<Options, Done> usageError(const std::string &Message) {
  return Done{"bankstripe-verify: " + Message +
                  "\nrun bankstripe-verify --help for the options\n",
              ExitUsage};
}

std::variant<Options, Done>
bankstripe::runtime::parseOptions(int ArgumentCount,
                                  const char *const *Arguments) {
  Options O;
  CLI::App App(Description, "bankstripe-verify");
  App.footer(Details);
  App.set_version_flag("--version",
                       std::string("bankstripe-verify ") + BANKSTRIPE_VERSION);
  App.add_option("ORIGINAL", O.Original, "the original program")->required();
  App.add_option("REWRITTEN", O.Rewritten, "the rewritten program")->required();
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
  for (int I = Ours + 1; I < ArgumentCount; ++I)
    O.Arguments.emplace_back(Arguments[I]);
  try {
    App.parse(Ours, Arguments);
  } catch (const CLI::ParseError &Error) {
    std::ostringstream Text;
    if (App.exit(Error, Text, Text) == 0)
      return Done{Text.str(), ExitIdentical};
    return usageError(Error.what());
  }
  for (const std::string *Path : {&O.Original, &O.Rewritten})
    if (::access(Path->c_str(), X_OK) != 0 ||
        std::filesystem::is_directory(*Path))
      return usageError("'" + *Path + "' is not a program that can be run");
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
