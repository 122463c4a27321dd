//===-- Options.h - the command line ----------------------------*- C++ -*-===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef BANKSTRIPE_TOOL_OPTIONS_H
#define BANKSTRIPE_TOOL_OPTIONS_H

#include "decisions/Decisions.h"
#include "evidence/Ptxas.h"
#include "plan/MakePlan.h"
#include "report/Report.h"
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace bankstripe {

/// Exit codes, as documented in the README.
enum ExitCode {
  ExitDone = 0,
  ExitChanges = 1, ///< `--check` found changes, or verification failed.
  ExitUsage = 2,
  ExitSomeFailed = 3, ///< Some file could not be processed.
};

enum class Command { Analyze, Rewrite, Verify, Tune, Calibrate };
enum class OutputFormat { Text, Json, Sarif };
enum class RewriteMode { DryRun, InPlace, OutputDirectory, Check };

struct UnitRecord;

/// The command line, checked.
struct ToolOptions {
  Command Run = Command::Analyze;
  std::vector<std::string> Paths;
  FrontendOptions Frontend;
  unsigned Jobs = 0;        ///< Translation units at a time.
  unsigned TimeLimit = 600; ///< Seconds to read one; 0: as long as it takes.
  bool NoCache = false;     ///< Without answers of earlier runs.
  unsigned BlockSize = 0;   ///< 0: not given.
  double MinSpeedup = 1.05; ///< 0: no prediction.
  unsigned SharedLimit = 0; ///< Bytes per block that launches ask for; 0: not
                            ///< given.
  /// Who else launches kernels; where it is not said, nobody if a folder or a
  /// database is given.
  std::optional<Outside> Others;
  std::string Gpu; ///< The name of a file of constants; empty: none is named.
  DecisionsChoice Config;
  std::optional<Layout> DefaultLayout;     ///< `--layout`.
  std::optional<Carveout> DefaultCarveout; ///< `--carveout`.
  OutputFormat Format = OutputFormat::Text;
  Detail Level = Detail::Normal;
  bool Explain = false; ///< Predictions with their terms.
  bool Confirm = true;  ///< Ask nvcc, if there is one.
  /// The one source was compiled as it is, so nvcc need not be asked about it.
  std::optional<NvccCompile> Compiled;
  RewriteMode Mode = RewriteMode::DryRun;
  std::string OutputDirectory; ///< Of `--output-dir`.
  bool EmbedHelper = false;
  unsigned Runs = 5;         ///< Timing runs of `verify`.
  std::string Html;          ///< `--html`, of verify and tune; empty: none.
  std::string VerifyProgram; ///< Path of bankstripe-verify; empty: look.
  std::vector<std::string> ProgramArgs; ///< `--program-arg`.
  std::string BuildCommand; ///< `--build`; empty: nvcc on the given files.
  std::string Tree;         ///< `--tree`, what is built a copy of.
  std::string BuiltProgram; ///< `--program`, relative to it.
  bool KeepFiles = false;   ///< `--keep`.
  bool OnlyTell = false;    ///< `tune --dry-run`.
  std::string Constants;    ///< `calibrate -o`; empty: in the usual folder.
  std::string Timings;      ///< `calibrate --from`; empty: measure.
  bool ShowTimings = false; ///< `calibrate --report`.
  double MostCaptured = 16; ///< `tune --max-capture`, in gigabytes.
  /// Files here may change as well as the given ones.
  std::vector<std::string> Scope;
  /// Whether anything may change in a unit of which all is known but what the
  /// optimiser leaves, so that it is worth its time; without it, always.
  std::function<bool(const UnitRecord &)> MayChange;
};

/// Reads the command line. \returns nothing when it was bad (the message has
/// been printed); --help and --version print and exit.
std::optional<ToolOptions> parseCommandLine(int Argc, const char **Argv);

/// The commands. \returns the exit status.
llvm::Expected<int> runRewrite(const ToolOptions &Options); ///< And analyze.
llvm::Expected<int> runVerify(const ToolOptions &Options,
                              llvm::StringRef Executable);
/// Whether the words behind `verify` are two commands to compare, which needs
/// nothing of this program.
bool comparesCommands(llvm::ArrayRef<const char *> Words);
/// Becomes the program \p Name beside this one. Returns only when it cannot.
llvm::Expected<int> runBeside(llvm::StringRef Name,
                              llvm::ArrayRef<const char *> Words,
                              llvm::StringRef Executable);
llvm::Expected<int> runTune(const ToolOptions &Options,
                            llvm::StringRef Executable);
llvm::Expected<int> runCalibrate(const ToolOptions &Options);
/// A launcher before the compiler's command \p Words (docs/guide/build.md).
int runWrap(std::vector<std::string> Words);
/// Sums up what it did in the folder that \p Words name.
int runStats(llvm::ArrayRef<const char *> Words);
/// Prints the page of the reason that \p Words name, or lists all.
int runReason(llvm::ArrayRef<const char *> Words);

/// Makes ready what parsing and code generation need; once per process.
void initializeClang();

/// `bankstripe 0.1.0 (Clang 22.1.0)`.
std::string versionText();

} // namespace bankstripe

#endif
