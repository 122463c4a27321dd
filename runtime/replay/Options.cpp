//===-- Options.cpp - the command line of bankstripe-replay ---------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "replay/Options.h"
#include <CLI/CLI.hpp>
#include <fmt/format.h>

using namespace bankstripe::runtime;

static const char Description[] =
    R"(Launches one kernel of a program again, as it was and rewritten, with the memory
that bankstripe-verify --capture found before the launch, at the same addresses;
compares what both leave with what the original left, and times them.

  bankstripe-replay [OPTIONS] CAPTURE)";

static const char Details[] =
    R"(Without --only, the launches happen in a process of their own, so that one that
fails or hangs does no harm. With it, they happen in this one, for debuggers.

Exit status: 0 identical, 1 it differs or the rewritten kernel fails, 2 bad usage
or not a capture, 3 it cannot be replayed here, or the original leaves something
else than what was captured.

Examples:
  bankstripe-replay --type=f32 wrong.capture
  cuda-gdb --args bankstripe-replay --only=rewritten wrong.capture
  nvcc -cubin -arch=native -o fixed.cubin sort.cu
  bankstripe-replay --module=fixed.cubin wrong.capture
)";

static void addLaunchOptions(CLI::App &App, ReplayOptions &O,
                             std::string &Only) {
  App.add_option("--only", Only,
                 "launch only this one of original and rewritten, once, in "
                 "this process")
      ->check(CLI::IsMember({"original", "rewritten"}))
      ->type_name("SIDE");
  App.add_option("--runs", O.Runs,
                 "timed launches of each kernel; 0 for none (default: 15)")
      ->check(CLI::Range(0, 100000).description(""))
      ->type_name("N");
  App.add_option("--module", O.Module,
                 "take the rewritten kernel from this cubin or fatbin")
      ->type_name("FILE");
  App.add_option("--shared", O.SharedBytes,
                 "launch the rewritten kernel with this much dynamic shared "
                 "memory")
      ->type_name("BYTES");
  App.add_option("--timeout", O.TimeoutSeconds,
                 "seconds that the replay may take; 0 for no limit (default: "
                 "600)")
      ->check(CLI::Range(0.0, 1e9).description(""))
      ->type_name("SECONDS");
}

static void addOutputOptions(CLI::App &App, ReplayOptions &O) {
  App.add_option("--type", O.Type, "show memory as elements of this type")
      ->check(CLI::IsMember(elementTypes()))
      ->type_name("TYPE");
  App.add_option("--json", O.JsonPath,
                 "write the result to this file; - for standard output")
      ->type_name("FILE")
      ->excludes(App.get_option("--only"));
  // For itself only.
  App.add_option("--results", O.Results)->group("");
}

std::variant<ReplayOptions, Done>
bankstripe::runtime::parseReplayOptions(int ArgumentCount,
                                        const char *const *Arguments) {
  ReplayOptions O;
  std::string Only;
  CLI::App App(Description, "bankstripe-replay");
  App.footer(Details);
  App.add_option("CAPTURE", O.Path, "what bankstripe-verify --capture wrote")
      ->required();
  addLaunchOptions(App, O, Only);
  addOutputOptions(App, O);
  if (const auto Told = parseArguments(App, ArgumentCount, Arguments))
    return *Told;
  for (const Side S : {Side::Original, Side::Rewritten})
    if (Only == sideName(S))
      O.Only = S;
  return O;
}

std::vector<std::string>
bankstripe::runtime::replayingArguments(const ReplayOptions &O,
                                        const std::string &Results) {
  std::vector<std::string> Arguments = {"--results=" + Results,
                                        fmt::format("--runs={}", O.Runs)};
  if (!O.Type.empty())
    Arguments.push_back("--type=" + O.Type);
  if (!O.Module.empty())
    Arguments.push_back("--module=" + O.Module);
  if (O.SharedBytes)
    Arguments.push_back(fmt::format("--shared={}", *O.SharedBytes));
  Arguments.push_back(O.Path);
  return Arguments;
}
